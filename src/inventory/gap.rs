//! A gap: something that belongs to the policy and was not assessed, and the evidence of why. A gap is data, never an
//! error; a required one keeps the verdict from being ready. Its sentences, and the commands that close it, are written
//! in `render` from what stands here, and only there.

use super::component::Component;
use super::read_gap::{ReadFault, ReadGap, Resource};
use super::unread::{UnreadKind, UnreadPod};
use super::version::Minor;

/// What a gap takes away from the judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Reading the versions that run.
    Versions,
    /// Judging the target.
    Target,
}

impl Capability {
    /// Its name in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Versions => "versions",
            Self::Target => "target",
        }
    }
}

/// Something not assessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// Whether the verdict is unknown because of it.
    pub required: bool,
    /// Whether a part of the capability was assessed all the same.
    pub partial: bool,
    /// Why.
    pub reason: GapReason,
}

/// Why something was not assessed, in the order in which gaps of one weight are shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapReason {
    /// What reading left behind.
    Read(ReadGap),
    /// No node is listed.
    NoNodes,
    /// The nodes of a hosted control plane, which only its own cluster lists.
    HostedNodes,
    /// Every node is virtual or, with `excluded`, taken out of the judgement.
    NoNodeToJudge {
        /// Whether the user took some out.
        excluded: bool,
    },
    /// There are no pods of the namespace.
    NoPods {
        /// The namespace.
        namespace: String,
    },
    /// The namespace of `-n` holds no pod of a component.
    NoComponentPods {
        /// The namespace.
        namespace: String,
    },
    /// No kube-apiserver version is known.
    NoServerVersion {
        /// What was reported as one and is none.
        reported: Option<String>,
        /// The namespace of a hosted control plane.
        namespace: Option<String>,
    },
    /// Fewer kube-apiservers seen than hold a live Lease.
    FewerApiservers {
        /// How many hold a live Lease.
        live: usize,
        /// How many were seen.
        seen: usize,
        /// Whether "seen" counts answers of `/version`, no pods.
        by_answers: bool,
    },
    /// kube-apiserver pods are seen, and none of this component.
    ManagerNotSeen {
        /// The component.
        component: Component,
        /// The namespace.
        namespace: String,
    },
    /// Nodes whose kubelet version is no version.
    KubeletsUnread {
        /// The nodes by name, each with what it reports.
        nodes: Vec<(String, Option<String>)>,
    },
    /// Component pods whose version is unread, at least one.
    PodsUnread {
        /// Their component.
        component: Component,
        /// What they have in common.
        kind: UnreadKind,
        /// The pods, sorted.
        pods: Vec<UnreadPod>,
    },
    /// Instances whose version nothing gives.
    InstancesUnread {
        /// Their component.
        component: Component,
        /// Their names, sorted.
        names: Vec<String>,
    },
    /// A ClusterOperator without a Kubernetes version.
    OperatorVersionMissing {
        /// Its component.
        component: Component,
    },
    /// A ClusterOperator that is progressing: its version changes last.
    OperatorProgressing {
        /// Its component.
        component: Component,
        /// The version that it reports.
        version: String,
    },
    /// OpenShift without this component's ClusterOperator.
    OperatorMissing {
        /// The component.
        component: Component,
    },
    /// A target that cannot be judged.
    TargetRefused {
        /// The target as it was asked for.
        target: String,
        /// Why not.
        why: TargetRefusal,
    },
}

/// Why a target cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetRefusal {
    /// It counts from the server's version, which is not known.
    NoServerVersion,
    /// It is below the oldest kube-apiserver.
    BelowOldest {
        /// The oldest.
        oldest: Minor,
    },
    /// It is below the newest kube-apiserver.
    BelowNewest {
        /// The newest: a minor, or a version where a patch was asked for.
        newest: String,
    },
    /// It is the minor that every kube-apiserver runs.
    AlreadyThere,
    /// It is a patch that is not above what runs.
    NotAbove {
        /// The newest running version.
        running: String,
    },
    /// It is further above the oldest kube-apiserver than any upgrade goes.
    FarAboveOldest {
        /// The oldest.
        oldest: Minor,
        /// The most minors above it.
        limit: u16,
    },
}

impl Gap {
    /// A gap that weighs as its reason does, beside which something was assessed.
    pub fn of(reason: GapReason) -> Self {
        Self::new(reason.is_required(), reason)
    }

    /// A gap beside which something was assessed.
    pub fn new(required: bool, reason: GapReason) -> Self {
        Self {
            required,
            partial: reason.capability() == Capability::Versions,
            reason,
        }
    }

    /// The order in which gaps are shown: required ones first.
    pub fn sort(gaps: &mut [Self]) {
        gaps.sort_by(|a, b| b.required.cmp(&a.required).then_with(|| a.cmp(b)));
    }

    /// What it takes away.
    pub fn capability(&self) -> Capability {
        self.reason.capability()
    }

    /// Whose versions are unread, where it is one component's.
    pub fn component(&self) -> Option<Component> {
        self.reason.component()
    }

    /// What was not read at all.
    pub fn skipped(&self) -> Option<Resource> {
        self.reason.skipped()
    }

    /// The objects concerned, `node/NAME` or `pod/NAMESPACE/NAME`, sorted.
    pub fn objects(&self) -> Vec<String> {
        self.reason.objects()
    }

    /// The RBAC rule that would have allowed the read that was refused.
    pub fn grant(&self) -> Option<Grant> {
        match &self.reason {
            GapReason::Read(ReadGap::Failed {
                resource,
                namespace,
                fault: ReadFault::Status { code: 403, user, .. },
                ..
            }) if *resource != Resource::Version => Some(Grant {
                group: resource.group(),
                resource: resource.name(),
                namespace: namespace.clone(),
                user: user.clone(),
            }),
            _ => None,
        }
    }
}

impl GapReason {
    /// What it takes away.
    pub const fn capability(&self) -> Capability {
        match self {
            Self::TargetRefused { .. } => Capability::Target,
            _ => Capability::Versions,
        }
    }

    /// Whose versions are unread, where it is one component's.
    pub fn component(&self) -> Option<Component> {
        match self {
            Self::Read(gap) => gap.component(),
            Self::KubeletsUnread { .. } => Some(Component::Kubelet),
            Self::NoServerVersion { .. } | Self::FewerApiservers { .. } | Self::TargetRefused { .. } => {
                Some(Component::KubeApiserver)
            }
            Self::ManagerNotSeen { component, .. }
            | Self::PodsUnread { component, .. }
            | Self::InstancesUnread { component, .. }
            | Self::OperatorVersionMissing { component }
            | Self::OperatorProgressing { component, .. }
            | Self::OperatorMissing { component } => Some(*component),
            Self::NoNodes
            | Self::HostedNodes
            | Self::NoNodeToJudge { .. }
            | Self::NoPods { .. }
            | Self::NoComponentPods { .. } => None,
        }
    }

    /// What was not read at all.
    pub fn skipped(&self) -> Option<Resource> {
        match self {
            Self::Read(gap) => gap.skipped(),
            Self::NoNodes | Self::HostedNodes | Self::NoNodeToJudge { .. } => Some(Resource::Nodes),
            Self::NoPods { .. } | Self::NoComponentPods { .. } => Some(Resource::Pods),
            Self::NoServerVersion { .. } => Some(Resource::Version),
            Self::OperatorMissing { .. } => Some(Resource::ClusterOperators),
            _ => None,
        }
    }

    /// Whether the list of that resource was not read, or not to its end.
    pub fn lacks_list_of(&self, wanted: Resource) -> bool {
        match self {
            Self::Read(ReadGap::Failed { resource, .. }) => *resource == wanted,
            _ => self.skipped() == Some(wanted),
        }
    }

    /// Whether objects of that resource may be missing from what was read: what is not there proves nothing then.
    pub fn leaves_out(&self, wanted: Resource) -> bool {
        match self {
            Self::Read(gap) => gap.leaves_out(wanted),
            _ => self.skipped() == Some(wanted),
        }
    }

    /// Whether the verdict is unknown because of it.
    fn is_required(&self) -> bool {
        match self {
            Self::Read(gap) => gap.is_required(),
            Self::FewerApiservers { .. } | Self::ManagerNotSeen { .. } | Self::OperatorProgressing { .. } => {
                false
            }
            // An apiserver answers itself; what a vendor's kube-proxy runs is disclosed alone.
            Self::OperatorVersionMissing { component } => *component != Component::KubeApiserver,
            Self::PodsUnread { pods, .. } => pods.iter().any(|pod| pod.required),
            _ => true,
        }
    }

    /// The nodes that are listed and whose kubelet it leaves unread.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        let nodes: &[(String, Option<String>)] = match self {
            Self::KubeletsUnread { nodes } => nodes,
            _ => &[],
        };
        nodes.iter().map(|(name, _)| name.as_str())
    }

    /// The objects concerned, `node/NAME` or `pod/NAMESPACE/NAME`, sorted.
    pub fn objects(&self) -> Vec<String> {
        let mut objects: Vec<String> = match self {
            Self::Read(gap) => gap.objects(),
            Self::KubeletsUnread { nodes } => nodes.iter().map(|(name, _)| format!("node/{name}")).collect(),
            Self::PodsUnread { pods, .. } => pods
                .iter()
                .map(|pod| format!("pod/{}", pod.full_name()))
                .collect(),
            Self::InstancesUnread { names, .. } => names.iter().map(|name| format!("pod/{name}")).collect(),
            Self::OperatorVersionMissing { component }
            | Self::OperatorProgressing { component, .. }
            | Self::OperatorMissing { component } => {
                vec![format!("clusteroperator/{component}")]
            }
            _ => Vec::new(),
        };
        objects.sort();
        objects.dedup();
        objects
    }
}

/// A rule of RBAC that grants one read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The API group, `""` for the core.
    pub group: &'static str,
    /// The resource, plural.
    pub resource: &'static str,
    /// The namespace it is wanted in; `None` for a resource of the whole cluster.
    pub namespace: Option<String>,
    /// Who was refused, where the server named them.
    pub user: Option<String>,
}
