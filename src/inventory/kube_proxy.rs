//! A kube-proxy that runs on a node.

use super::observed::Owner;
use super::version::Version;

/// A kube-proxy pod that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeProxy {
    /// The pod's name.
    pub pod: String,
    /// The node that it names.
    pub node: Option<String>,
    /// Its version, where it could be read.
    pub version: Option<Version>,
    /// Why the version is unread; `None` where it is read.
    pub unread: Option<Unread>,
    /// The image, as the pod's spec names it.
    pub image: Option<String>,
    /// What moves it to another version.
    pub unit: ProxyUnit,
}

/// How an unread version weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// Disclosed; the verdict is untouched.
    Optional,
    /// The verdict is unknown.
    Required,
}

/// What moves a kube-proxy to another version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProxyUnit {
    /// It is a static pod: it takes the new minor of its node.
    Static,
    /// It belongs to a workload (nearly always a DaemonSet) and moves with all its pods at once.
    Workload(Owner),
    /// Nothing shows what it belongs to.
    Lone,
}
