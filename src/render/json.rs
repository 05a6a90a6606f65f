//! The report as JSON: its own types, so that a change of the engine never changes the output by accident.
//! [`Document`] is also what YAML writes, and what the committed schema describes; its larger parts have a file each.
//! A report becomes one field by field: a field that the report gains does not compile here until somebody has said
//! how it is shown.

mod cluster;
mod findings;
mod plan;
mod pools;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use self::cluster::{ControlPlane, Node, StrayKubeProxy};
use self::findings::{Assumed, Excluded, FindingOut, LaggingKubelet, NotAssessed};
use self::plan::{Hop, PlanOut};
use self::pools::{Pool, Summary};
use super::{escape, sentences};
use crate::ci_commands::has_command;
use crate::inventory::version::Minor;
use crate::report::{self, Mode, Report, Severity, Verdict};

/// The committed schema of the output.
pub const SCHEMA: &str = include_str!("schema.json");

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    escape::write_json(&Document::from(report), out)
}

/// The schema that the output types give; the committed one must be the same.
pub fn schema() -> schemars::Schema {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Document>()
}

/// Text as it was read. Where it holds characters that act instead of being seen, YAML quotes it, so that they can
/// be written as escapes; JSON always does.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(inline)]
pub struct Text(String);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.contains(escape::is_hostile) || has_command(&self.0) {
            serde_saphyr::DoubleQuoted(&self.0).serialize(serializer)
        } else {
            serializer.serialize_str(&self.0)
        }
    }
}

fn text(minor: Minor) -> Text {
    Text(minor.to_string())
}

/// Text of the report, or the lack or a list of it, as the output holds it.
trait ToText {
    type Output;

    fn to_text(&self) -> Self::Output;
}

impl ToText for String {
    type Output = Text;

    fn to_text(&self) -> Text {
        Text(self.clone())
    }
}

impl ToText for Option<String> {
    type Output = Option<Text>;

    fn to_text(&self) -> Option<Text> {
        self.as_ref().map(ToText::to_text)
    }
}

impl ToText for Vec<String> {
    type Output = Vec<Text>;

    fn to_text(&self) -> Vec<Text> {
        self.iter().map(ToText::to_text).collect()
    }
}

/// Defines the output types: camelCase, closed, and described by a schema.
macro_rules! output {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        $(#[$meta])*
        #[serde(rename_all = "camelCase")]
        #[schemars(deny_unknown_fields)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }
    )*};
}

use output;

output! {
    /// A judgement of one cluster by the version skew policy of Kubernetes.
    #[schemars(rename = "SkewReport")]
    struct Document {
        /// `kubectl-skew/v1`.
        #[schemars(extend("const" = "kubectl-skew/v1"))]
        api_version: &'static str,
        /// `SkewReport`.
        #[schemars(extend("const" = "SkewReport"))]
        kind: &'static str,
        /// What wrote it.
        tool: Tool,
        /// Where it comes from.
        source: Source,
        /// The policy that judged.
        policy: Policy,
        /// What `/version` says.
        server_version: Option<Text>,
        /// The target: a minor, or a version with a patch.
        target: Option<Text>,
        /// `blocked`, `unknown` or `ready`.
        #[schemars(extend("enum" = ["blocked", "unknown", "ready"]))]
        verdict: &'static str,
        /// Whether the verdict is `ready`.
        ready: bool,
        /// Whether today's state is within the policy; null where that was not assessed.
        in_policy: Option<bool>,
        /// Whether a pipeline may go on.
        gate: Gate,
        /// The report in numbers.
        summary: Summary,
        /// The nodes by pool; those without one come last.
        pools: Vec<Pool>,
        /// The control plane.
        control_plane: ControlPlane,
        /// The kubectl that ran.
        kubectl: Option<Kubectl>,
        /// A row a node: worst first, then pool, then name.
        nodes: Vec<Node>,
        /// kube-proxies on nodes that are not listed, or that name no node.
        stray_kube_proxies: Vec<StrayKubeProxy>,
        /// The upgrade path with the nodes as they are today.
        path: Vec<Hop>,
        /// The least work that reaches the target; null without a target that moves a minor.
        plan: Option<PlanOut>,
        /// The platform that moves the control plane; null where none is detected.
        platform: Option<Platform>,
        /// The findings: blockers first, then by key.
        findings: Vec<FindingOut>,
        /// What was not assessed: required first.
        not_assessed: Vec<NotAssessed>,
        /// Kubelets below the target minor.
        lagging_kubelets: Vec<LaggingKubelet>,
        /// What the report assumes to be so.
        assumed: Vec<Assumed>,
        /// Nodes taken out of the judgement.
        excluded: Vec<Excluded>,
    }

    /// The program.
    struct Tool {
        /// Its name.
        name: &'static str,
        /// Its version.
        version: &'static str,
    }

    /// Where a report comes from.
    struct Source {
        /// `live` or `files`; the built-in example is a file of that name.
        #[schemars(extend("enum" = ["live", "files"]))]
        mode: &'static str,
        /// The kubeconfig context.
        context: Option<Text>,
        /// Scheme, host and port of the API server.
        api_server: Option<Text>,
        /// The inputs.
        files: Vec<Text>,
        /// Inputs that hold no Kubernetes object.
        skipped: usize,
        /// When the objects were taken, RFC 3339.
        captured_at: Option<Text>,
    }

    /// The policy that judged.
    struct Policy {
        /// Its name.
        name: Text,
        /// Where it is published.
        source: Text,
        /// What it was detected from.
        detected_from: Option<Text>,
    }

    /// The platform that moves the control plane.
    struct Platform {
        /// Its name.
        name: &'static str,
        /// What it was detected from.
        detected_from: Text,
    }

    /// Whether a pipeline may go on.
    struct Gate {
        /// `blocker`, `warning` or `never`.
        #[schemars(extend("enum" = ["blocker", "warning", "info", "never"]))]
        fail_on: &'static str,
        /// Required gaps do not fail it.
        allow_incomplete: bool,
        /// Whether it passed.
        passed: bool,
        /// The exit code.
        exit_code: u8,
    }

    /// The local kubectl.
    struct Kubectl {
        /// Its version as read.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
    }
}

impl From<&Report> for Document {
    fn from(report: &Report) -> Self {
        let Report {
            source,
            policy,
            platform,
            server_version,
            target,
            verdict,
            in_policy,
            out_today: _,
            gate,
            control_plane,
            kubectl,
            columns,
            nodes,
            stray_kube_proxies,
            path,
            plan,
            // `notAssessed` has what was not read.
            no_plan: _,
            findings,
            not_assessed,
            lagging_kubelets,
            assumed,
            excluded,
        } = report;
        Self {
            api_version: "kubectl-skew/v1",
            kind: "SkewReport",
            tool: Tool {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            source: source.into(),
            policy: policy.into(),
            server_version: server_version.to_text(),
            target: target.as_ref().map(|target| target.text.to_text()),
            verdict: verdict.name(),
            ready: *verdict == Verdict::Ready,
            in_policy: *in_policy,
            gate: gate.into(),
            summary: Summary::of(report),
            pools: report
                .pools()
                .iter()
                .map(|pool| Pool::new(pool, columns))
                .collect(),
            control_plane: control_plane.into(),
            kubectl: kubectl
                .as_ref()
                .map(|report::ReadVersion { version, minor }| Kubectl {
                    version: version.to_text(),
                    minor: minor.map(text),
                }),
            nodes: nodes.iter().map(|row| Node::new(row, columns)).collect(),
            stray_kube_proxies: stray_kube_proxies.iter().map(StrayKubeProxy::from).collect(),
            path: path.iter().map(Hop::from).collect(),
            plan: plan.as_ref().map(PlanOut::from),
            platform: platform.as_ref().map(|detected| Platform {
                name: detected.platform.name(),
                detected_from: detected.mark.to_string().to_text(),
            }),
            findings: findings.iter().map(FindingOut::from).collect(),
            not_assessed: not_assessed
                .iter()
                .map(|gap| NotAssessed::of(gap, &source.kubectl_flags))
                .collect(),
            lagging_kubelets: lagging_kubelets.iter().map(LaggingKubelet::from).collect(),
            assumed: assumed.iter().map(Assumed::from).collect(),
            excluded: excluded.iter().map(Excluded::from).collect(),
        }
    }
}

impl From<&report::Source> for Source {
    fn from(source: &report::Source) -> Self {
        let report::Source {
            mode,
            context,
            api_server,
            kubectl_flags: _,
            files,
            skipped,
            captured_at,
            age_seconds: _,
            locations: _,
        } = source;
        Self {
            mode: sentences::mode(*mode),
            context: context.to_text(),
            api_server: api_server.to_text(),
            files: match mode {
                Mode::Example => vec!["example".to_owned()].to_text(),
                Mode::Live | Mode::Files => files.to_text(),
            },
            skipped: *skipped,
            captured_at: captured_at.to_text(),
        }
    }
}

impl From<&report::PolicyInForce> for Policy {
    fn from(policy: &report::PolicyInForce) -> Self {
        let report::PolicyInForce {
            name,
            source,
            detected_from,
        } = policy;
        Self {
            name: name.to_text(),
            source: source.to_text(),
            detected_from: detected_from.to_text(),
        }
    }
}

impl From<&report::Gate> for Gate {
    fn from(gate: &report::Gate) -> Self {
        let report::Gate {
            fail_on,
            allow_incomplete,
            passed,
            exit_code,
        } = gate;
        Self {
            fail_on: fail_on.map_or("never", Severity::name),
            allow_incomplete: *allow_incomplete,
            passed: *passed,
            exit_code: *exit_code,
        }
    }
}
