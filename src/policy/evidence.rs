//! What a finding rests on, as values: who, on which nodes, at which minors, how far, and whose limit that breaks. A
//! kind of evidence a type; the sentences are written from it by `render`, and nothing is told by words here.

use super::limits::POLICY_URL;
use super::runtimes::{self, RuntimeEnd};
use super::skew_policy::{BindingLimit, Policy, PolicyKind};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};

/// The evidence of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Too far behind the newest kube-apiserver, today's or the target's.
    Behind(Behind),
    /// Newer than the oldest kube-apiserver.
    Newer(Newer),
    /// A kube-proxy too far from the kubelet of its node.
    Pair(Pair),
    /// kube-apiservers too far from one another.
    Spread(Spread),
    /// A kubectl too far from the kube-apiservers.
    Client(Client),
    /// Minors that lie between the oldest kube-apiserver and the target.
    Path(Path),
    /// Container runtimes that end on the way to the target.
    Runtime(Runtime),
    /// Kubelets whose version cannot be read.
    UnreadableKubelets(Nodes),
    /// Virtual nodes.
    VirtualNodes(Nodes),
    /// Nodes without the kube-proxy that the rest of their pool has.
    WithoutKubeProxy(Nodes),
    /// Lagging kubelets that a rollout leaves where they are.
    LeftBehind(LeftBehind),
    /// Names of a rollout that match no node.
    UnknownNames(Vec<String>),
    /// A plan that stops before its target.
    NoLegalPlan(NoLegalPlan),
}

/// Something that runs, by what people call it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The kubelet or the kube-proxy of this node.
    Node(String),
    /// A component in a pod, or one that only `/version` shows.
    Instance {
        /// The pod's name, or the version that `/version` gave.
        name: String,
        /// Its node, where it names one.
        node: Option<String>,
    },
}

impl Subject {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Node(name) | Self::Instance { name, .. } => name,
        }
    }

    /// The node on which it runs.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Node(name) => Some(name),
            Self::Instance { node, .. } => node.as_deref(),
        }
    }
}

/// A limit that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many minors are allowed.
    Minors {
        /// How many.
        allowed: u16,
        /// How many upstream allows.
        upstream: u16,
        /// Whose limit it is.
        set_by: SetBy,
        /// Where it is written.
        source: String,
    },
    /// The oldest minor that a kube-apiserver with a minCompatibility supports.
    MinCompatibility {
        /// The minCompatibility that is reported.
        reported: Minor,
        /// The oldest minor supported with it.
        oldest: Minor,
    },
}

/// Whose limit it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// Kubernetes' own policy.
    Upstream,
    /// A platform's policy, by name.
    Platform(String),
    /// The policy of a file, by name.
    Custom(String),
}

impl SetBy {
    pub(super) fn of(policy: &Policy) -> Self {
        match policy.kind {
            PolicyKind::Upstream => Self::Upstream,
            PolicyKind::Platform => Self::Platform(policy.name.clone()),
            PolicyKind::Custom => Self::Custom(policy.name.clone()),
        }
    }
}

impl Limit {
    pub(super) fn of(policy: &Policy, limit: BindingLimit<'_>) -> Self {
        Self::Minors {
            allowed: limit.older,
            upstream: limit.upstream_older,
            set_by: if limit.is_stricter {
                SetBy::of(policy)
            } else {
                SetBy::Upstream
            },
            source: limit.source.to_owned(),
        }
    }
}

/// Those of one minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The minor that is judged: the emulated one, else the binary's.
    pub minor: Minor,
    /// How many minors it is from what it is measured against.
    pub distance: u16,
    /// The limit that it breaks.
    pub limit: Limit,
    /// The nearest minor that would be within the limit.
    pub within: Minor,
    /// The first kube-apiserver minor that is too new for them; `None` for those that are too new themselves.
    pub fails_from: Option<Minor>,
    /// Who, sorted and without repeats.
    pub subjects: Vec<Subject>,
    /// How many they are: two kube-proxies of a node are one subject.
    pub count: usize,
    /// Their versions, raw, without repeats.
    pub versions: Vec<String>,
}

/// Instances of a component too far behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The component.
    pub component: Component,
    /// The kube-apiserver minor that they are measured against: today's newest, or the one that is to come.
    pub apiserver: Minor,
    /// Whether that one is to come.
    pub is_ahead: bool,
    /// A group a minor, the oldest first.
    pub groups: Vec<Group>,
    /// How many of the component were judged.
    pub judged: usize,
    /// The nodes of AWS Fargate among them, sorted.
    pub fargate: Vec<String>,
}

/// Instances of a component newer than the oldest kube-apiserver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The component.
    pub component: Component,
    /// The oldest kube-apiserver.
    pub oldest: Minor,
    /// The newest.
    pub newest: Minor,
    /// A group a minor, the oldest first.
    pub groups: Vec<Group>,
    /// How many of the component were judged.
    pub judged: usize,
}

/// A kube-proxy and the kubelet beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The node.
    pub node: String,
    /// The kubelet's minor.
    pub kubelet: Minor,
    /// The kube-proxy furthest from it.
    pub kube_proxy: Minor,
    /// How far.
    pub distance: u16,
    /// The limit.
    pub limit: Limit,
    /// The kube-proxy pods that are too far, sorted.
    pub pods: Vec<String>,
    /// The versions of those and of the kubelet, raw.
    pub versions: Vec<String>,
}

/// kube-apiservers apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Whether it is their binaries that are apart; else the minors that they emulate.
    pub by_binary: bool,
    /// How far the newest is from the oldest.
    pub distance: u16,
    /// The limit.
    pub limit: Limit,
    /// The oldest.
    pub oldest: Minor,
    /// The newest.
    pub newest: Minor,
    /// All kube-apiservers by that minor, the oldest first.
    pub instances: Vec<(Minor, Vec<Subject>)>,
    /// Their versions, raw.
    pub versions: Vec<String>,
}

/// A kubectl apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its version, raw.
    pub version: String,
    /// Its minor.
    pub minor: Minor,
    /// The oldest kube-apiserver.
    pub oldest: Minor,
    /// The newest.
    pub newest: Minor,
    /// How many minors it may be from either.
    pub limit: Limit,
    /// The oldest and the newest kubectl that fit all of them; `None` where none does.
    pub fitting: Option<(Minor, Minor)>,
}

/// A way of more than one minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The oldest kube-apiserver.
    pub from: Minor,
    /// Every minor passed, the target last.
    pub minors: Vec<Minor>,
}

/// A container runtime that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// The runtime, as `containerRuntimeVersion` names it before `://`.
    pub kind: &'static str,
    /// Each end on the way, with the nodes that meet it, sorted.
    pub ends: Vec<(&'static RuntimeEnd, Vec<String>)>,
    /// The runtimes' versions as the nodes report them, without repeats.
    pub versions: Vec<String>,
}

/// Nodes among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The nodes, sorted.
    pub nodes: Vec<String>,
    /// What their kubelets report, raw and without repeats, where that is what counts.
    pub versions: Vec<String>,
    /// How many there are to be compared with.
    pub of: usize,
}

/// Kubelets that a rollout leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// The target.
    pub target: Minor,
    /// The kube-apiserver minors that will be refused because of them, each with its nodes, sorted.
    pub refused: Vec<(Minor, Vec<String>)>,
    /// Their versions, raw.
    pub versions: Vec<String>,
    /// How many kubelets were judged.
    pub judged: usize,
    /// Whose limits were applied.
    pub set_by: SetBy,
    /// Where they are written.
    pub source: String,
}

/// Where and why a plan stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoLegalPlan {
    /// The minor that cannot be reached; `None` where no plan was made at all.
    pub before: Option<Minor>,
    /// The node or instance in the way.
    pub object: Option<String>,
    /// The key of the rule that it would break.
    pub rule: Option<&'static str>,
}

impl Evidence {
    /// Every node concerned, sorted and without repeats.
    pub fn nodes(&self) -> Vec<String> {
        let subjects = |groups: &[Group]| -> Vec<String> {
            let subjects = groups.iter().flat_map(|group| &group.subjects);
            subjects.filter_map(Subject::node).map(str::to_owned).collect()
        };
        let mut nodes = match self {
            Self::Behind(behind) => subjects(&behind.groups),
            Self::Newer(newer) => subjects(&newer.groups),
            Self::Pair(pair) => vec![pair.node.clone()],
            Self::Spread(spread) => {
                let subjects = spread.instances.iter().flat_map(|(_, subjects)| subjects);
                subjects.filter_map(Subject::node).map(str::to_owned).collect()
            }
            Self::Client(_) | Self::Path(_) => Vec::new(),
            Self::Runtime(runtime) => runtime.ends.iter().flat_map(|(_, nodes)| nodes.clone()).collect(),
            Self::UnreadableKubelets(nodes) | Self::VirtualNodes(nodes) | Self::WithoutKubeProxy(nodes) => {
                nodes.nodes.clone()
            }
            Self::LeftBehind(left) => left.refused.iter().flat_map(|(_, nodes)| nodes.clone()).collect(),
            Self::UnknownNames(names) => names.clone(),
            Self::NoLegalPlan(stop) => stop.object.clone().into_iter().collect(),
        };
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Every version concerned, raw, by release and without repeats.
    pub fn versions(&self) -> Vec<String> {
        let of_groups = |groups: &[Group]| -> Vec<String> {
            groups.iter().flat_map(|group| group.versions.clone()).collect()
        };
        let mut versions = match self {
            Self::Behind(behind) => of_groups(&behind.groups),
            Self::Newer(newer) => of_groups(&newer.groups),
            Self::Pair(pair) => pair.versions.clone(),
            Self::Spread(spread) => spread.versions.clone(),
            Self::Client(client) => vec![client.version.clone()],
            Self::Path(path) => path.minors.iter().map(Minor::to_string).collect(),
            Self::Runtime(runtime) => runtime.versions.clone(),
            Self::UnreadableKubelets(nodes) | Self::VirtualNodes(nodes) | Self::WithoutKubeProxy(nodes) => {
                nodes.versions.clone()
            }
            Self::LeftBehind(left) => left.versions.clone(),
            Self::UnknownNames(_) | Self::NoLegalPlan(_) => Vec::new(),
        };
        versions.sort_by_cached_key(|raw| {
            let release = raw
                .parse::<Version>()
                .ok()
                .map(|version| version.release().clone());
            (release, raw.clone())
        });
        versions.dedup();
        versions
    }

    /// The strictest limit that is broken, where one of minors is.
    pub fn limit(&self) -> Option<&Limit> {
        let of_groups = |groups: &'_ [Group]| -> Option<usize> {
            let minors = groups
                .iter()
                .enumerate()
                .filter_map(|(index, group)| match group.limit {
                    Limit::Minors { allowed, .. } => Some((allowed, index)),
                    Limit::MinCompatibility { .. } => None,
                });
            minors.min().map(|(_, index)| index)
        };
        match self {
            Self::Behind(Behind { groups, .. }) | Self::Newer(Newer { groups, .. }) => {
                of_groups(groups).map(|index| &groups[index].limit)
            }
            Self::Pair(Pair { limit, .. })
            | Self::Spread(Spread { limit, .. })
            | Self::Client(Client { limit, .. }) => Some(limit),
            _ => None,
        }
    }

    /// Where it is written, beside the rule's own source: the limits of others than upstream, the ends of runtimes.
    pub(super) fn sources(&self) -> Vec<&str> {
        let limits: Vec<&Limit> = match self {
            Self::Behind(Behind { groups, .. }) | Self::Newer(Newer { groups, .. }) => {
                groups.iter().map(|group| &group.limit).collect()
            }
            // The order in which kubelets follow the control plane is the skew policy's.
            Self::Runtime(runtime) => {
                let ends = runtime.ends.iter().map(|(end, _)| end.source);
                return ends.chain([runtimes::ORDER_SOURCE]).collect();
            }
            Self::UnknownNames(_) => return vec![POLICY_URL],
            Self::LeftBehind(left) if left.set_by != SetBy::Upstream => return vec![&left.source],
            _ => self.limit().into_iter().collect(),
        };
        let stricter = limits.into_iter().filter_map(|limit| match limit {
            Limit::Minors {
                set_by: SetBy::Platform(_) | SetBy::Custom(_),
                source,
                ..
            } => Some(source.as_str()),
            Limit::Minors { .. } | Limit::MinCompatibility { .. } => None,
        });
        stricter.collect()
    }
}
