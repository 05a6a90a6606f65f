//! The path and the plan, as the output holds them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Text, ToText, output, text};
use crate::inventory::component::Component;
use crate::plan::steps::{Obstacle, Plan, Reason, Step};
use crate::render::sentences;
use crate::report;

output! {
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
            rule: rule.map(|rule| rule.key().to_owned().to_text()),
            minor: minor.map(text),
            text: sentences::reason(reason).to_text(),
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
            rule: rule.map(|rule| rule.key().to_owned().to_text()),
            detail: detail.to_text(),
        }
    }
}
