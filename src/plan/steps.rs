//! What a plan consists of: typed steps with typed reasons. How they are found is in the rest of this folder; whether
//! they hold is in `check`; the sentences that are made of them are a renderer's.

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
    /// How many times between two hops there are in which nodes are rolled.
    pub windows: usize,
    /// How many times a node is rolled, over all steps.
    pub node_rolls: usize,
    /// How many kube-proxy workload updates there are.
    pub kube_proxy_updates: usize,
    /// Nodes still below the target at the end, which the policy does not ask to move; none beside an obstacle.
    pub optional: Vec<String>,
    /// Nodes that could not be planned for: an unread kubelet or a required-unread kube-proxy.
    pub unplanned: Vec<String>,
    /// What is out of policy at the end and no step can mend, sorted.
    pub remaining: Vec<Remaining>,
    /// Why the plan ends before the target.
    pub obstacle: Option<Obstacle>,
    /// Whether no plan needs less work.
    pub proved: bool,
    /// Where that is not proved: how many node rolls any plan needs at least.
    pub lower_bound: Option<usize>,
    /// What the other ways would cost, this one among them.
    pub alternatives: Vec<Alternative>,
    /// Whether every node and kube-proxy is brought to the target.
    pub finish_nodes: bool,
    /// Whether a pool is rolled as a whole.
    pub whole_pools: bool,
}

/// Why there is no plan at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoPlan {
    /// No kube-apiserver's version is known.
    NoServerVersion,
    /// The nodes could not be read, or none is left to judge.
    NodesNotRead,
    /// The component pods could not be read.
    PodsNotRead,
}

/// What a planner comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Planned {
    /// A plan, perhaps one that ends before the target.
    Plan(Box<Plan>),
    /// None, because too little was read.
    None(NoPlan),
}

impl Planned {
    /// Where and why a plan stops.
    pub fn obstacle(&self) -> Option<&Obstacle> {
        match self {
            Self::Plan(plan) => plan.obstacle.as_ref(),
            Self::None(_) => None,
        }
    }

    /// The plan, where there is one.
    pub fn plan(self) -> Option<Plan> {
        match self {
            Self::Plan(plan) => Some(*plan),
            Self::None(_) => None,
        }
    }
}

/// Something out of policy that no step can mend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remaining {
    /// The node, the pod without a node, or the instance, by name.
    pub object: String,
    /// The rule that it breaks.
    pub rule: &'static Rule,
}

/// One way to plan, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The way.
    pub way: Way,
    /// Its windows.
    pub windows: usize,
    /// Its node rolls.
    pub node_rolls: usize,
}

/// A way to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// As few node rolls as the policy asks for.
    Least,
    /// A node moves one minor a roll.
    NodeStepOne,
    /// Every node ends at the target.
    FinishNodes,
}

impl Way {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::NodeStepOne => "nodeStepOne",
            Self::FinishNodes => "finishNodes",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its place in the plan, from 1.
    pub number: usize,
    /// The window in which it is done, from 1; `None` for a hop and in a time in which no node is rolled.
    pub window: Option<usize>,
    /// What moves.
    pub kind: StepKind,
    /// The lowest kubelet that moves, or the lowest static kube-proxy where only those move; else the lowest minor.
    pub from: Minor,
    /// The one minor that all of them reach.
    pub to: Minor,
    /// The nodes whose kubelet moves, or on which the updated kube-proxies are: control-plane nodes first, then pool
    /// by pool, by name.
    pub nodes: Vec<String>,
    /// The pools of those nodes, in the order of the nodes.
    pub pools: Vec<StepPool>,
    /// The nodes whose kube-proxy moves with this step, sorted by name.
    pub kube_proxy_of: Vec<String>,
    /// Which component moves, where it is neither all of the control plane nor a kubelet.
    pub component: Option<Component>,
    /// The workload whose pods a kube-proxy step updates: `DaemonSet kube-proxy`.
    pub workload: Option<String>,
    /// Whether the nodes are drained first.
    pub drain: bool,
    /// Why it is needed, and why now.
    pub reason: Reason,
    /// What else the person who does it should know.
    pub notes: Vec<StepNote>,
    /// What that person types.
    pub commands: Vec<Command>,
    /// Of a hop: what going back from it costs at the end of the window after it.
    pub going_back: Option<GoingBack>,
}

impl Step {
    /// A step that moves nothing yet.
    pub fn new(kind: StepKind, from: Minor, to: Minor, reason: Reason) -> Self {
        Self {
            number: 0,
            window: None,
            kind,
            from,
            to,
            nodes: Vec::new(),
            pools: Vec::new(),
            kube_proxy_of: Vec::new(),
            component: None,
            workload: None,
            drain: false,
            reason,
            notes: Vec::new(),
            commands: Vec::new(),
            going_back: None,
        }
    }
}

/// The nodes of one pool in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPool {
    /// The pool; `None` for the nodes outside of pools.
    pub name: Option<String>,
    /// How many of its nodes the step moves.
    pub nodes: usize,
    /// How many judged nodes it has.
    pub of: usize,
}

/// A line that an operator types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The line, for a shell.
    pub run: String,
    /// Where it is documented.
    pub source: &'static str,
}

/// What going back from a hop costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoingBack {
    /// So much must be brought down first; nothing of both is a way back for free.
    Possible {
        /// Nodes that are above the minor before the hop.
        node_rolls: usize,
        /// kube-proxy workloads that are.
        kube_proxy_updates: usize,
    },
    /// An apiserver's minCompatibility is above the minor before the hop.
    NotPossible {
        /// It.
        min_compatibility: Minor,
    },
}

/// What a step moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// The control plane moves one minor: the apiservers, then the managers, and what the platform moves with them.
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

    /// Whether the apiservers move in it.
    pub const fn moves_apiservers(self) -> bool {
        matches!(self, Self::Hop | Self::Emulation)
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
        /// What runs too low a minor for it.
        component: Component,
        /// The lowest of them.
        minor: Minor,
        /// How many minors behind the policy lets that one be.
        limit: u16,
    },
    /// It mends what is out of policy today.
    MendToday {
        /// The rule that is broken.
        rule: &'static Rule,
    },
    /// A later step needs it: a kubelet and the kube-proxy beside it must not be too far apart.
    MakesWay {
        /// That step's number.
        step: usize,
    },
    /// The rollout names these nodes, and the control plane has reached its target.
    Rollout,
    /// Every node and kube-proxy is to end at the target.
    FinishNodes {
        /// The target.
        target: Minor,
    },
}

/// Something to know about a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepNote {
    /// These have to move and the rollout does not name them.
    NotInRollout(Vec<String>),
    /// These move by recreating their pods.
    Fargate(Vec<String>),
    /// These are cordoned.
    Cordoned(Vec<String>),
    /// These are NotReady.
    NotReady(Vec<String>),
    /// The kubelet of these is at the step's minor already: only their static kube-proxy moves.
    KubeProxyOnly(Vec<String>),
    /// These are excluded, and their kube-proxy moves with its workload all the same.
    Excluded(Vec<String>),
    /// kubeadm upgrades a kubelet one minor at a time: these are to be joined anew.
    JoinAnew(Vec<String>),
    /// Cluster API below 1.33: the kubelet of these may meet an older kube-apiserver while the hop is under way.
    MayMeetOlderApiserver(Vec<String>),
    /// kubeadm below 1.28 moves the kube-proxy with the first kube-apiserver, not with the last.
    KubeProxyWithFirstApiserver,
    /// The kubelet passes what the container runtime of these bears.
    Runtime {
        /// The runtime, as `containerRuntimeVersion` names it.
        kind: &'static str,
        /// The first kubelet minor that no longer works with it.
        kubelet: Minor,
        /// What that minor changes.
        change: &'static str,
        /// The nodes.
        nodes: Vec<String>,
    },
}

/// Why a plan stops before its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The hop that cannot be made legal.
    pub hop: Option<Minor>,
    /// The node (or pod, or instance) that is in the way; `None` where something else is.
    pub object: Option<String>,
    /// The rule that it would break.
    pub rule: Option<&'static Rule>,
    /// What is wrong.
    pub cause: Cause,
}

/// What is in the way of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The target is below the newest kube-apiserver.
    TargetBelowNewest {
        /// It.
        newest: Minor,
    },
    /// Something would be too far behind, and cannot be made newer.
    TooOld {
        /// What.
        component: Component,
        /// What it runs then.
        minor: Minor,
        /// The newest kube-apiserver after the hop.
        newest: Minor,
        /// Why nothing makes it newer.
        held: Held,
    },
    /// Each may move by itself, but no order of steps keeps kubelets and kube-proxies near enough to each other.
    NoOrder {
        /// The newest kube-apiserver after the hop.
        newest: Minor,
    },
    /// The search was stopped before it found a way: there may be one.
    SearchStopped,
    /// The plan that was found was refused by the check that replays it: a fault of this program.
    Refused {
        /// What the check says.
        broken: super::check::Broken,
    },
}

/// Why something cannot be made new enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Held {
    /// A version of its node could not be read.
    Unread,
    /// Its node is not listed.
    NotListed,
    /// A pod of its workload is newer than the oldest kube-apiserver, and a workload is not rolled back.
    NewerPod {
        /// What that pod runs.
        minor: Minor,
    },
    /// Its kubelet is newer than the oldest kube-apiserver, and a node is not rolled back.
    NewerKubelet {
        /// What that runs.
        minor: Minor,
    },
    /// No step that the apiservers allow makes it new enough.
    NoStep,
    /// It has been raised as far as the apiservers allow.
    Raised,
}
