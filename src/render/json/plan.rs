//! The path and the plan, as the output holds them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Text, ToText, output, text};
use crate::inventory::component::Component;
use crate::plan::steps::{
    Alternative, Command, GoingBack, Obstacle, Plan, Reason, Remaining, Step, StepPool,
};
use crate::policy::rules::Rule;
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
        /// How many times between two hops there are in which nodes are rolled.
        windows: usize,
        /// How many times a node is rolled.
        node_rolls: usize,
        /// How many kube-proxy workloads are updated.
        kube_proxy_updates: usize,
        /// Nodes still below the target at the end.
        optional: Vec<Text>,
        /// Nodes that could not be planned for.
        unplanned: Vec<Text>,
        /// What no step can mend.
        remaining: Vec<PlanRemaining>,
        /// Why the plan ends before the target.
        obstacle: Option<PlanObstacle>,
        /// Whether no plan needs less work.
        proved: bool,
        /// Where that is not proved: how many node rolls any plan needs at least.
        lower_bound: Option<usize>,
        /// What the other ways would cost, this one among them.
        alternatives: Vec<PlanAlternative>,
        /// Whether every node and kube-proxy is brought to the target.
        finish_nodes: bool,
        /// Whether a pool is rolled as a whole.
        whole_pools: bool,
    }

    /// One step of the plan.
    struct PlanStep {
        /// Its place in the plan, from 1.
        number: usize,
        /// The window in which it is done, from 1.
        window: Option<usize>,
        /// What moves.
        #[schemars(extend("enum" = ["hop", "kubelets", "kubeProxy", "controlPlane", "emulation"]))]
        kind: &'static str,
        /// The lowest minor that moves: of a kubelets step the lowest kubelet, or the lowest static kube-proxy where
        /// only those move.
        from: Text,
        /// The minor they reach.
        to: Text,
        /// The nodes of the step, in the order in which they are moved; of a hop those that move with the control plane.
        nodes: Vec<Text>,
        /// Their pools, in that order.
        pools: Vec<PlanPool>,
        /// Nodes whose kube-proxy moves with it.
        kube_proxy_of: Vec<Text>,
        /// The one component that moves.
        component: Option<&'static str>,
        /// The kube-proxy workload that is updated.
        workload: Option<Text>,
        /// Whether nodes are drained first.
        drain: bool,
        /// Why it is needed.
        reason: StepReason,
        /// What else to know about it.
        notes: Vec<Text>,
        /// What to type.
        commands: Vec<PlanCommand>,
        /// Of a hop: what going back from it costs at the end of the window after it.
        going_back: Option<PlanGoingBack>,
    }

    /// The nodes of one pool in a step.
    struct PlanPool {
        /// The pool; null for the nodes outside of pools.
        name: Option<Text>,
        /// How many of its nodes the step moves.
        nodes: usize,
        /// How many judged nodes it has.
        of: usize,
    }

    /// A line to type.
    struct PlanCommand {
        /// The line, for a shell.
        run: Text,
        /// Where it is documented.
        source: &'static str,
    }

    /// What going back from a hop costs.
    struct PlanGoingBack {
        /// Nodes to be rolled first; null where there is no way back.
        node_rolls: Option<usize>,
        /// kube-proxy workloads to be updated first; null where there is no way back.
        kube_proxy_updates: Option<usize>,
        /// The minCompatibility that forbids it.
        min_compatibility: Option<Text>,
        /// The same in words.
        text: Text,
    }

    /// Why a step is needed.
    struct StepReason {
        /// The kind of reason.
        #[schemars(extend("enum" = ["target", "finishHop", "beforeHop", "mendToday", "makesWay", "rollout", "finishNodes"]))]
        kind: &'static str,
        /// The rule that is, or would be, broken.
        rule: Option<Text>,
        /// The target, or the hop that the step makes legal.
        minor: Option<Text>,
        /// The number of the step that it makes way for.
        step: Option<usize>,
        /// The same in words.
        text: Text,
    }

    /// Something out of policy that no step can mend.
    struct PlanRemaining {
        /// The node, the pod without a node, or the instance.
        object: Text,
        /// The rule that it breaks.
        rule: Text,
    }

    /// Why a plan ends before the target.
    struct PlanObstacle {
        /// The hop that cannot be made legal.
        hop: Option<Text>,
        /// The node, pod or instance that is in the way.
        node: Option<Text>,
        /// The rule that it would break.
        rule: Option<Text>,
        /// In a sentence.
        detail: Text,
    }

    /// One way to plan, and what it costs.
    struct PlanAlternative {
        /// The way.
        #[schemars(extend("enum" = ["least", "nodeStepOne", "finishNodes"]))]
        way: &'static str,
        /// Its windows.
        windows: usize,
        /// Its node rolls.
        node_rolls: usize,
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
            windows,
            node_rolls,
            kube_proxy_updates,
            optional,
            unplanned,
            remaining,
            obstacle,
            proved,
            lower_bound,
            alternatives,
            finish_nodes,
            whole_pools,
        } = plan;
        Self {
            steps: steps.iter().map(PlanStep::from).collect(),
            hops: *hops,
            windows: *windows,
            node_rolls: *node_rolls,
            kube_proxy_updates: *kube_proxy_updates,
            optional: optional.to_text(),
            unplanned: unplanned.to_text(),
            remaining: remaining.iter().map(PlanRemaining::from).collect(),
            obstacle: obstacle.as_ref().map(PlanObstacle::from),
            proved: *proved,
            lower_bound: *lower_bound,
            alternatives: alternatives.iter().map(PlanAlternative::from).collect(),
            finish_nodes: *finish_nodes,
            whole_pools: *whole_pools,
        }
    }
}

impl From<&Step> for PlanStep {
    fn from(step: &Step) -> Self {
        let Step {
            number,
            window,
            kind,
            from,
            to,
            nodes,
            pools,
            kube_proxy_of,
            component,
            workload,
            drain,
            reason,
            notes,
            commands,
            going_back,
        } = step;
        Self {
            number: *number,
            window: *window,
            kind: kind.name(),
            from: text(*from),
            to: text(*to),
            nodes: nodes.to_text(),
            pools: pools.iter().map(PlanPool::from).collect(),
            kube_proxy_of: kube_proxy_of.to_text(),
            component: component.map(Component::name),
            workload: workload.to_text(),
            drain: *drain,
            reason: reason.into(),
            notes: notes
                .iter()
                .map(|note| sentences::note(note, usize::MAX).to_text())
                .collect(),
            commands: commands.iter().map(PlanCommand::from).collect(),
            going_back: going_back.as_ref().map(PlanGoingBack::from),
        }
    }
}

impl From<&StepPool> for PlanPool {
    fn from(pool: &StepPool) -> Self {
        let StepPool { name, nodes, of } = pool;
        Self {
            name: name.to_text(),
            nodes: *nodes,
            of: *of,
        }
    }
}

impl From<&Command> for PlanCommand {
    fn from(command: &Command) -> Self {
        let Command { run, source } = command;
        Self {
            run: run.to_text(),
            source,
        }
    }
}

impl From<&GoingBack> for PlanGoingBack {
    fn from(going_back: &GoingBack) -> Self {
        let (node_rolls, kube_proxy_updates, min_compatibility) = match going_back {
            GoingBack::Possible {
                node_rolls,
                kube_proxy_updates,
            } => (Some(*node_rolls), Some(*kube_proxy_updates), None),
            GoingBack::NotPossible { min_compatibility } => (None, None, Some(text(*min_compatibility))),
        };
        Self {
            node_rolls,
            kube_proxy_updates,
            min_compatibility,
            text: sentences::going_back(going_back).to_text(),
        }
    }
}

impl From<&Reason> for StepReason {
    fn from(reason: &Reason) -> Self {
        let (kind, rule, minor, step) = match reason {
            Reason::Target { target } => ("target", None, Some(*target), None),
            Reason::FinishHop => ("finishHop", None, None, None),
            Reason::BeforeHop { rule, hop, .. } => ("beforeHop", Some(*rule), Some(*hop), None),
            Reason::MendToday { rule } => ("mendToday", Some(*rule), None, None),
            Reason::MakesWay { step } => ("makesWay", None, None, Some(*step)),
            Reason::Rollout => ("rollout", None, None, None),
            Reason::FinishNodes { target } => ("finishNodes", None, Some(*target), None),
        };
        Self {
            kind,
            rule: rule.map(rule_text),
            minor: minor.map(text),
            step,
            text: sentences::reason(reason).to_text(),
        }
    }
}

impl From<&Remaining> for PlanRemaining {
    fn from(remaining: &Remaining) -> Self {
        let Remaining { object, rule } = remaining;
        Self {
            object: object.to_text(),
            rule: rule_text(rule),
        }
    }
}

impl From<&Obstacle> for PlanObstacle {
    fn from(obstacle: &Obstacle) -> Self {
        let Obstacle {
            hop,
            object,
            rule,
            cause,
        } = obstacle;
        Self {
            hop: hop.map(text),
            node: object.to_text(),
            rule: rule.map(rule_text),
            detail: sentences::cause(cause, object.as_deref()).to_text(),
        }
    }
}

impl From<&Alternative> for PlanAlternative {
    fn from(alternative: &Alternative) -> Self {
        let Alternative {
            way,
            windows,
            node_rolls,
        } = alternative;
        Self {
            way: way.name(),
            windows: *windows,
            node_rolls: *node_rolls,
        }
    }
}

fn rule_text(rule: &'static Rule) -> Text {
    rule.key().to_owned().to_text()
}
