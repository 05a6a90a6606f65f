//! A running component of the control plane.

use super::component::Component;
use super::version::{Minor, Version};

/// One running control-plane component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which component.
    pub component: Component,
    /// The pod's name; for a `/version` answer the server's version, for a server node its name.
    pub name: String,
    /// The node it runs on.
    pub node: Option<String>,
    /// Its binary's version; `None` where unread or not of Kubernetes' numbering.
    pub version: Option<Version>,
    /// The minor that it emulates, where that is known and another than the binary's.
    pub emulated: Option<Minor>,
    /// Where the version comes from.
    pub from: InstanceSource,
    /// The image, as the pod's spec names it.
    pub image: Option<String>,
    /// Whether the policy judges it: `false` for a cloud-controller-manager of its own numbering and for an
    /// instance whose version is unread.
    pub judged: bool,
}

impl Instance {
    /// The minor that the policy judges: the emulated one, else the binary's.
    pub fn effective(&self) -> Option<Minor> {
        self.emulated
            .or_else(|| self.version.as_ref().map(Version::minor))
    }
}

/// Where an instance's version comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceSource {
    /// `/version`, or a dump's `kubectl version`.
    Version,
    /// The user, by `--server-version`.
    Given,
    /// A pod's image.
    Pod,
    /// The kubelet of a k3s or RKE2 server node.
    ServerNode,
    /// An OpenShift ClusterOperator.
    ClusterOperator,
    /// The user, by `--assume`.
    Assumed,
}

impl InstanceSource {
    /// Its name in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Given => "told",
            Self::Pod => "pod",
            Self::ServerNode => "serverNode",
            Self::ClusterOperator => "clusterOperator",
            Self::Assumed => "assumed",
        }
    }
}

/// Sorts instances by component, name and node, and then by all else that may distinguish two.
pub(super) fn sort(instances: &mut [Instance]) {
    let key = |instance: &Instance| {
        (
            instance.component,
            instance.name.clone(),
            instance.node.clone(),
            instance.version.as_ref().map(|version| version.raw().to_owned()),
            instance.emulated,
            instance.from,
            instance.image.clone(),
        )
    };
    instances.sort_by_cached_key(key);
}
