//! The report as JSON: its own types, so that a change of the engine never changes the output by accident.
//! [`Document`] is also what YAML writes, and what the committed schema describes. How a report becomes one
//! is in [`convert`].

mod convert;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::escape;
use crate::report::Report;

/// The committed schema of the output.
pub const SCHEMA: &str = include_str!("schema.json");

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&Document::from(report))?;
    writeln!(out, "{}", escape::json(&text))
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
        if self.0.contains(escape::is_hostile) {
            serde_saphyr::DoubleQuoted(&self.0).serialize(serializer)
        } else {
            serializer.serialize_str(&self.0)
        }
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
        /// Whether today's state is within the policy; null where that was not assessed.
        in_policy: Option<bool>,
        /// Whether a pipeline may go on.
        gate: Gate,
        /// The control plane.
        control_plane: ControlPlane,
        /// The kubectl that ran.
        kubectl: Option<Kubectl>,
        /// A row a node: worst first, then pool, then name.
        nodes: Vec<Node>,
        /// The upgrade path with the nodes as they are today.
        path: Vec<Hop>,
        /// The least work that reaches the target; null without a target that moves a minor.
        plan: Option<PlanOut>,
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

    /// The control plane.
    struct ControlPlane {
        /// The oldest effective apiserver minor.
        oldest: Option<Text>,
        /// The newest effective apiserver minor.
        newest: Option<Text>,
        /// How many apiservers hold a live Lease.
        running: Option<usize>,
        /// The highest minCompatibility minor reported.
        min_compatibility: Option<Text>,
        /// Its instances.
        instances: Vec<Instance>,
    }

    /// A running component of the control plane.
    struct Instance {
        /// The component.
        component: &'static str,
        /// Its name.
        name: Text,
        /// Its node.
        node: Option<Text>,
        /// Its version as read.
        version: Option<Text>,
        /// Its binary's minor.
        minor: Option<Text>,
        /// The minor it emulates.
        emulated_minor: Option<Text>,
        /// What told the version.
        from: &'static str,
        /// Its image.
        image: Option<Text>,
        /// Whether the policy judges it.
        judged: bool,
    }

    /// The local kubectl.
    struct Kubectl {
        /// Its version as read.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
    }

    /// A node and what runs on it.
    struct Node {
        /// Its name.
        name: Text,
        /// Its pool.
        pool: Option<Text>,
        /// Its roles.
        roles: Vec<Text>,
        /// Whether it is Ready.
        ready: bool,
        /// Whether it is cordoned.
        cordoned: bool,
        /// Whether it is no kubelet of this cluster.
        r#virtual: bool,
        /// Whether it was taken out of the judgement.
        excluded: bool,
        /// Its operating system.
        os: Option<Text>,
        /// Whether its kubelet is below the target minor.
        lagging: bool,
        /// Its kubelet.
        kubelet: Kubelet,
        /// Its kube-proxies.
        kube_proxy: Vec<KubeProxy>,
        /// How many minors kubelet and kube-proxy are apart.
        pair_distance: Option<u16>,
        /// The highest control-plane minor it may still see.
        good_until: Option<Text>,
        /// Today.
        now: Now,
        /// A cell for each minor of the path, or of the preview without a target.
        hops: Vec<HopCell>,
    }

    /// The kubelet of a node.
    struct Kubelet {
        /// Its version as read.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
    }

    /// A kube-proxy on a node.
    struct KubeProxy {
        /// Its pod.
        pod: Text,
        /// Its version; null where it is not known.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
        /// Its image.
        image: Option<Text>,
    }

    /// A node today.
    struct Now {
        /// `ok`, `atLimit`, `behind`, `newer`, `unknown` or `notJudged`.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        state: &'static str,
        /// Keys of the findings that make it so.
        reasons: Vec<Text>,
    }

    /// A node with all apiservers at one minor.
    struct HopCell {
        /// The minor.
        minor: Text,
        /// `ok`, `atLimit`, `behind`, `newer`, `unknown` or `notJudged`.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        state: &'static str,
        /// Keys of the findings that make it so.
        reasons: Vec<Text>,
    }

    /// A hop of the path.
    struct Hop {
        /// The minor before it.
        from: Text,
        /// The minor it reaches.
        to: Text,
        /// What that minor as the target would say, with the nodes as they are today.
        #[schemars(extend("enum" = ["blocked", "unknown", "ready"]))]
        verdict: &'static str,
        /// Keys of findings that hold there and did not before.
        added: Vec<Text>,
        /// Keys of findings that no longer hold.
        resolved: Vec<Text>,
        /// How many findings are carried over.
        carried: usize,
        /// Nodes that must move first.
        move_first: Vec<Text>,
    }

    /// The least work that reaches the target.
    #[schemars(rename = "Plan")]
    struct PlanOut {
        /// The steps, in order.
        steps: Vec<PlanStep>,
        /// How many minors the control plane moves.
        hops: usize,
        /// How many times a node is rolled.
        node_rolls: usize,
        /// How many kube-proxy workloads are updated.
        kube_proxy_updates: usize,
        /// Nodes still below the target at the end.
        optional: Vec<Text>,
        /// Nodes that could not be planned for.
        unplanned: Vec<Text>,
        /// What no step can mend.
        remaining: Vec<Text>,
        /// Why the plan ends before the target.
        obstacle: Option<PlanObstacle>,
    }

    /// One step of the plan.
    struct PlanStep {
        /// `hop`, `kubelets`, `kubeProxy`, `controlPlane` or `emulation`.
        #[schemars(extend("enum" = ["hop", "kubelets", "kubeProxy", "controlPlane", "emulation"]))]
        kind: &'static str,
        /// The lowest minor that moves.
        from: Text,
        /// The minor they reach.
        to: Text,
        /// The nodes of the step.
        nodes: Vec<Text>,
        /// Nodes whose kube-proxy moves with it.
        kube_proxy_of: Vec<Text>,
        /// The one component that moves.
        component: Option<&'static str>,
        /// Whether nodes are drained first.
        drain: bool,
        /// Why it is needed.
        reason: StepReason,
    }

    /// Why a step is needed.
    struct StepReason {
        /// `target`, `finishHop`, `beforeHop`, `mendToday` or `rollout`.
        #[schemars(extend("enum" = ["target", "finishHop", "beforeHop", "mendToday", "rollout"]))]
        kind: &'static str,
        /// The rule that is, or would be, broken.
        rule: Option<Text>,
        /// The target, or the hop that the step makes legal.
        minor: Option<Text>,
        /// The same in words.
        text: Text,
    }

    /// Why a plan ends before the target.
    struct PlanObstacle {
        /// The hop that cannot be made legal.
        hop: Option<Text>,
        /// What stands in the way.
        node: Option<Text>,
        /// The rule that it would break.
        rule: Option<Text>,
        /// In a sentence.
        detail: Text,
    }

    /// Something that the policy has to say.
    #[schemars(rename = "Finding")]
    struct FindingOut {
        /// Its stable key.
        key: Text,
        /// `blocker`, `warning` or `info`.
        #[schemars(extend("enum" = ["blocker", "warning", "info"]))]
        severity: &'static str,
        /// One line.
        title: Text,
        /// What was seen, and the limit it breaks.
        detail: Text,
        /// The component it speaks of.
        component: Option<&'static str>,
        /// Every node concerned.
        nodes: Vec<Text>,
        /// Every version concerned.
        versions: Vec<Text>,
        /// What to do.
        remediation: Text,
        /// Where the policy says so.
        citations: Vec<Text>,
    }

    /// Something that was not assessed.
    struct NotAssessed {
        /// `versions` or `target`.
        #[schemars(extend("enum" = ["versions", "target"]))]
        capability: &'static str,
        /// Why.
        reason: Text,
        /// Whether the verdict is unknown because of it.
        required: bool,
        /// Whether a part was assessed all the same.
        partial: bool,
        /// Kinds of objects not read at all.
        skipped: Vec<&'static str>,
        /// The objects concerned.
        objects: Vec<Text>,
        /// The command that verifies by hand.
        verify: Option<Text>,
        /// What would grant the read.
        grant: Option<GrantOut>,
    }

    /// The RBAC rule that grants a read.
    #[schemars(rename = "Grant")]
    struct GrantOut {
        /// The API group; empty for the core.
        api_group: &'static str,
        /// The resource.
        resource: &'static str,
        /// The verbs.
        verbs: Vec<&'static str>,
        /// The namespace; null for the whole cluster.
        namespace: Option<Text>,
        /// Who was refused.
        user: Option<Text>,
        /// Commands that grant it.
        command: Text,
    }

    /// A kubelet below the target minor.
    struct LaggingKubelet {
        /// Its node.
        node: Text,
        /// Its version as read.
        version: Text,
    }

    /// Something that the report assumes.
    struct Assumed {
        /// Who.
        selector: Text,
        /// At which minor.
        minor: Text,
        /// The nodes that it matched.
        nodes: Vec<Text>,
    }

    /// Nodes taken out of the judgement.
    struct Excluded {
        /// Who.
        selector: Text,
        /// The nodes that it matched.
        nodes: Vec<Text>,
    }
}
