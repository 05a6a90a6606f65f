//! What a plan consists of: typed steps with typed reasons. How they are found is in `plan`; whether they
//! hold is in `check`.

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules::Rule;

/// The hops to the target, interleaved with the least work that makes each legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they are done.
    pub steps: Vec<Step>,
    /// How many minors the control plane moves.
    pub hops: usize,
    /// How many times a node is rolled, over all steps.
    pub node_rolls: usize,
    /// How many kube-proxy workload updates there are.
    pub kube_proxy_updates: usize,
    /// Nodes still below the target at the end, which the policy does not ask to move.
    pub optional: Vec<String>,
    /// Nodes that could not be planned for: an unread kubelet or a required-unread kube-proxy.
    pub unplanned: Vec<String>,
    /// What no step can mend: nodes (or instances) by name.
    pub remaining: Vec<String>,
    /// Why the plan ends before the target.
    pub obstacle: Option<Obstacle>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What moves.
    pub kind: StepKind,
    /// The lowest minor that moves.
    pub from: Minor,
    /// The one minor that all of them reach.
    pub to: Minor,
    /// The nodes whose kubelet moves, or on which the updated kube-proxies stand; sorted by name.
    pub nodes: Vec<String>,
    /// The nodes whose kube-proxy moves with this step, sorted by name.
    pub kube_proxy_of: Vec<String>,
    /// Which component moves, where it is neither all of the control plane nor a kubelet.
    pub component: Option<Component>,
    /// Whether the nodes are drained first.
    pub drain: bool,
    /// Why it is needed, and why now.
    pub reason: Reason,
    /// What else the person who does it should know: Fargate, cordoned and NotReady nodes, runtimes.
    pub notes: Vec<StepNote>,
}

/// What a step moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// The control plane moves one minor: the apiservers, then the managers.
    Hop,
    /// Nodes are rolled to a minor: their kubelets, and their static kube-proxies with them.
    Kubelets,
    /// A kube-proxy workload is updated.
    KubeProxy,
    /// Lagging managers are raised before the next hop.
    ControlPlane,
    /// The apiservers raise what they emulate; no binary moves.
    Emulation,
}

impl StepKind {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hop => "hop",
            Self::Kubelets => "kubelets",
            Self::KubeProxy => "kubeProxy",
            Self::ControlPlane => "controlPlane",
            Self::Emulation => "emulation",
        }
    }
}

/// Why a step is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is the way to the target.
    Target {
        /// The target.
        target: Minor,
    },
    /// It brings the older apiservers level with the newer ones: an upgrade under way is finished.
    FinishHop,
    /// Without it the hop to that minor breaks that rule.
    BeforeHop {
        /// The rule that would be broken.
        rule: &'static Rule,
        /// The hop that it makes legal.
        hop: Minor,
    },
    /// It mends what is out of policy today.
    MendToday {
        /// The rule that is broken.
        rule: &'static Rule,
    },
    /// The rollout names these nodes, and the control plane has reached its target.
    Rollout,
}

/// Something to know about a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepNote {
    /// The workload whose pods a kube-proxy step updates: `DaemonSet kube-proxy`.
    Workload(String),
    /// These have to move and the rollout does not name them.
    NotInRollout(Vec<String>),
    /// These move by recreating their pods.
    Fargate(Vec<String>),
    /// These are cordoned.
    Cordoned(Vec<String>),
    /// These are NotReady.
    NotReady(Vec<String>),
    /// The kubelet passes what the container runtime of these bears.
    Runtime {
        /// What ends, in words.
        kind: String,
        /// The nodes.
        nodes: Vec<String>,
    },
}

/// Why a plan stops, or what no step of it can mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The hop that cannot be made legal.
    pub hop: Option<Minor>,
    /// The node (or instance) that stands in the way; `None` where something else does.
    pub node: Option<String>,
    /// The rule that it would break.
    pub rule: Option<&'static Rule>,
    /// In a sentence.
    pub detail: String,
}
