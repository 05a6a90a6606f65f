//! From the report to the output types, field by field: a field that the report gains does not compile here
//! until somebody has said how it is shown.

use super::{
    Assumed, ControlPlane, Document, Excluded, FindingOut, Gate, GrantOut, Hop, HopCell, Instance, KubeProxy,
    Kubectl, Kubelet, LaggingKubelet, Node, NotAssessed, Now, PlanObstacle, PlanOut, PlanStep, Policy,
    Source, StepReason, Text, Tool,
};
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, Grant, Skipped};
use crate::inventory::version::Minor;
use crate::plan::steps::{Obstacle, Plan, Reason, Step};
use crate::policy::finding::{Finding, Severity};
use crate::render::phrase;
use crate::report::{self, Mode, Report};

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

fn skipped(kinds: &[Skipped]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.name()).collect()
}

impl From<&Report> for Document {
    fn from(report: &Report) -> Self {
        let Report {
            source,
            policy,
            server_version,
            target,
            verdict,
            in_policy,
            gate,
            control_plane,
            kubectl,
            columns,
            nodes,
            path,
            plan,
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
            in_policy: *in_policy,
            gate: gate.into(),
            control_plane: control_plane.into(),
            kubectl: kubectl
                .as_ref()
                .map(|report::ReadVersion { version, minor }| Kubectl {
                    version: version.to_text(),
                    minor: minor.map(text),
                }),
            nodes: nodes.iter().map(|row| Node::new(row, columns)).collect(),
            path: path.iter().map(Hop::from).collect(),
            plan: plan.as_ref().map(PlanOut::from),
            findings: findings.iter().map(FindingOut::from).collect(),
            not_assessed: not_assessed.iter().map(NotAssessed::from).collect(),
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
            files,
            skipped,
            captured_at,
            age_seconds: _,
            places: _,
        } = source;
        Self {
            mode: phrase::mode(*mode),
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

impl From<&report::ControlPlane> for ControlPlane {
    fn from(control_plane: &report::ControlPlane) -> Self {
        let report::ControlPlane {
            oldest,
            newest,
            running,
            min_compatibility,
            answers: _,
            instances,
        } = control_plane;
        Self {
            oldest: oldest.map(text),
            newest: newest.map(text),
            running: *running,
            min_compatibility: min_compatibility.map(text),
            instances: instances.iter().map(Instance::from).collect(),
        }
    }
}

impl From<&report::InstanceRow> for Instance {
    fn from(row: &report::InstanceRow) -> Self {
        let report::InstanceRow {
            component,
            name,
            node,
            version,
            minor,
            emulated_minor,
            from,
            image,
            judged,
        } = row;
        Self {
            component: component.name(),
            name: name.to_text(),
            node: node.to_text(),
            version: version.to_text(),
            minor: minor.map(text),
            emulated_minor: emulated_minor.map(text),
            from,
            image: image.to_text(),
            judged: *judged,
        }
    }
}

impl Node {
    fn new(row: &report::NodeRow, columns: &[Minor]) -> Self {
        let report::NodeRow {
            name,
            pool,
            zone: _,
            roles,
            ready,
            cordoned,
            is_virtual,
            excluded,
            os,
            lagging,
            left_behind: _,
            labels: _,
            kubelet,
            kube_proxy,
            pair_distance,
            good_until,
            out_today: _,
            half_unread: _,
            now,
            hops,
        } = row;
        let cell = |cell: &report::Cell| (cell.state.name(), cell.reasons.to_text());
        let (state, reasons) = cell(now);
        Self {
            name: name.to_text(),
            pool: pool.to_text(),
            roles: roles.to_text(),
            ready: *ready,
            cordoned: *cordoned,
            r#virtual: *is_virtual,
            excluded: *excluded,
            os: os.to_text(),
            lagging: *lagging,
            kubelet: Kubelet {
                version: kubelet.version.to_text(),
                minor: kubelet.minor.map(text),
            },
            kube_proxy: kube_proxy.iter().map(KubeProxy::from).collect(),
            pair_distance: *pair_distance,
            good_until: good_until.map(text),
            now: Now { state, reasons },
            hops: columns
                .iter()
                .zip(hops)
                .map(|(minor, hop)| {
                    let (state, reasons) = cell(hop);
                    let minor = text(*minor);
                    HopCell {
                        minor,
                        state,
                        reasons,
                    }
                })
                .collect(),
        }
    }
}

impl From<&report::ProxyRow> for KubeProxy {
    fn from(row: &report::ProxyRow) -> Self {
        let report::ProxyRow {
            pod,
            version,
            minor,
            image,
        } = row;
        Self {
            pod: pod.to_text(),
            version: version.to_text(),
            minor: minor.map(text),
            image: image.to_text(),
        }
    }
}

impl From<&report::PathHop> for Hop {
    fn from(hop: &report::PathHop) -> Self {
        let report::PathHop {
            from,
            to,
            verdict,
            added,
            resolved,
            carried,
            move_first,
        } = hop;
        Self {
            from: text(*from),
            to: text(*to),
            verdict: verdict.name(),
            added: added.to_text(),
            resolved: resolved.to_text(),
            carried: *carried,
            move_first: move_first.to_text(),
        }
    }
}

impl From<&Plan> for PlanOut {
    fn from(plan: &Plan) -> Self {
        let Plan {
            steps,
            hops,
            node_rolls,
            kube_proxy_updates,
            optional,
            unplanned,
            remaining,
            obstacle,
        } = plan;
        Self {
            steps: steps.iter().map(PlanStep::from).collect(),
            hops: *hops,
            node_rolls: *node_rolls,
            kube_proxy_updates: *kube_proxy_updates,
            optional: optional.to_text(),
            unplanned: unplanned.to_text(),
            remaining: remaining.to_text(),
            obstacle: obstacle.as_ref().map(PlanObstacle::from),
        }
    }
}

impl From<&Step> for PlanStep {
    fn from(step: &Step) -> Self {
        let Step {
            kind,
            from,
            to,
            nodes,
            kube_proxy_of,
            component,
            drain,
            reason,
            notes: _,
        } = step;
        Self {
            kind: kind.name(),
            from: text(*from),
            to: text(*to),
            nodes: nodes.to_text(),
            kube_proxy_of: kube_proxy_of.to_text(),
            component: component.map(Component::name),
            drain: *drain,
            reason: reason.into(),
        }
    }
}

impl From<&Reason> for StepReason {
    fn from(reason: &Reason) -> Self {
        let (kind, rule, minor) = match reason {
            Reason::Target { target } => ("target", None, Some(*target)),
            Reason::FinishHop => ("finishHop", None, None),
            Reason::BeforeHop { rule, hop } => ("beforeHop", Some(*rule), Some(*hop)),
            Reason::MendToday { rule } => ("mendToday", Some(*rule), None),
            Reason::Rollout => ("rollout", None, None),
        };
        Self {
            kind,
            rule: rule.map(|rule| phrase::rule_key(rule).to_owned().to_text()),
            minor: minor.map(text),
            text: phrase::reason(reason).to_text(),
        }
    }
}

impl From<&Obstacle> for PlanObstacle {
    fn from(obstacle: &Obstacle) -> Self {
        let Obstacle {
            hop,
            node,
            rule,
            detail,
        } = obstacle;
        Self {
            hop: hop.map(text),
            node: node.to_text(),
            rule: rule.map(|rule| phrase::rule_key(rule).to_owned().to_text()),
            detail: detail.to_text(),
        }
    }
}

impl From<&Finding> for FindingOut {
    fn from(finding: &Finding) -> Self {
        let Finding {
            rule: _,
            key,
            severity,
            title,
            detail,
            component,
            nodes,
            versions,
            remediation,
            citations,
        } = finding;
        Self {
            key: key.to_text(),
            severity: severity.name(),
            title: title.to_text(),
            detail: detail.to_text(),
            component: component.map(Component::name),
            nodes: nodes.to_text(),
            versions: versions.to_text(),
            remediation: remediation.to_text(),
            citations: citations.to_text(),
        }
    }
}

impl From<&Gap> for NotAssessed {
    fn from(gap: &Gap) -> Self {
        let Gap {
            capability,
            required,
            component: _,
            reason,
            partial,
            skipped: kinds,
            objects,
            verify,
            grant,
        } = gap;
        Self {
            capability: capability.name(),
            reason: reason.to_text(),
            required: *required,
            partial: *partial,
            skipped: skipped(kinds),
            objects: objects.to_text(),
            verify: verify.to_text(),
            grant: grant.as_ref().map(GrantOut::from),
        }
    }
}

impl From<&Grant> for GrantOut {
    fn from(grant: &Grant) -> Self {
        let Grant {
            group,
            resource,
            namespace,
            user,
        } = grant;
        Self {
            api_group: group,
            resource,
            verbs: phrase::GRANTED_VERBS.to_vec(),
            namespace: namespace.to_text(),
            user: user.to_text(),
            command: phrase::grant(grant).to_text(),
        }
    }
}

impl From<&report::LaggingKubelet> for LaggingKubelet {
    fn from(lagging: &report::LaggingKubelet) -> Self {
        let report::LaggingKubelet { node, version } = lagging;
        Self {
            node: node.to_text(),
            version: version.to_text(),
        }
    }
}

impl From<&report::Assumed> for Assumed {
    fn from(assumed: &report::Assumed) -> Self {
        let report::Assumed {
            selector,
            minor,
            nodes,
        } = assumed;
        Self {
            selector: selector.to_text(),
            minor: text(*minor),
            nodes: nodes.to_text(),
        }
    }
}

impl From<&report::Excluded> for Excluded {
    fn from(excluded: &report::Excluded) -> Self {
        let report::Excluded { selector, nodes } = excluded;
        Self {
            selector: selector.to_text(),
            nodes: nodes.to_text(),
        }
    }
}
