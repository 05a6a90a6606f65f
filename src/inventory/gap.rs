//! A gap: something that belongs to the policy and was not assessed, why, and the way out. A gap is data,
//! never an error; a required one keeps the verdict from being ready.

use super::component::Component;

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

/// A kind of object that was not read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skipped {
    /// Nodes.
    Nodes,
    /// Pods.
    Pods,
    /// Leases.
    Leases,
    /// `/version`.
    Version,
    /// ClusterOperators.
    ClusterOperators,
}

impl Skipped {
    /// Its name in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Pods => "pods",
            Self::Leases => "leases",
            Self::Version => "version",
            Self::ClusterOperators => "clusteroperators",
        }
    }
}

/// Something not assessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// What it takes away.
    pub capability: Capability,
    /// Whether the verdict is unknown because of it.
    pub required: bool,
    /// Whose versions are unread, where it is one component's.
    pub component: Option<Component>,
    /// Why, in a sentence without a full stop.
    pub reason: String,
    /// Whether a part of the capability was assessed all the same.
    pub partial: bool,
    /// Kinds of objects not read at all.
    pub skipped: Vec<Skipped>,
    /// The objects concerned, all of them, `node/NAME` or `pod/NAMESPACE/NAME`, sorted.
    pub objects: Vec<String>,
    /// The kubectl command that verifies by hand.
    pub verify: Option<String>,
    /// The RBAC rule that would grant the read.
    pub grant: Option<Grant>,
}

impl Gap {
    /// A gap in the versions read, the rest of which was assessed; callers set the other fields.
    pub fn versions(required: bool, reason: impl Into<String>) -> Self {
        Self {
            capability: Capability::Versions,
            required,
            component: None,
            reason: reason.into(),
            partial: true,
            skipped: Vec::new(),
            objects: Vec::new(),
            verify: None,
            grant: None,
        }
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
