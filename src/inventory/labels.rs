//! Which labels, annotations and taints a decoder keeps: the rest is skipped, never built. Every key that the
//! inventory reads is named here, in the table of [`pool`] or in that of [`platform`].

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use super::{platform, pool};
pub use pool::{ROLE_PREFIX, ROLE_VALUE};

/// A name that a rollout list may use for a node.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// The zone, by its present and its former key.
pub const ZONES: [&str; 2] = [
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/zone",
];
/// The operating system, by its present and its former key.
pub const OS: [&str; 2] = ["kubernetes.io/os", "beta.kubernetes.io/os"];
/// Set on every node of an OpenShift cluster.
pub const OPENSHIFT: &str = "node.openshift.io/os_id";
/// `fargate` on the nodes of AWS Fargate.
pub const COMPUTE_TYPE: &str = "eks.amazonaws.com/compute-type";
/// `virtual-kubelet` on a node of virtual-kubelet.
pub const TYPE: &str = "type";
/// Set on a node that Liqo made.
pub const LIQO: &str = "liqo.io/type";
/// Set on a node that vcluster made up.
pub const VCLUSTER: &str = "vcluster.loft.sh/fake-node";
/// Set by kwok on the nodes it plays.
pub const KWOK: &str = "kwok.x-k8s.io/node";
/// The taint of a node of virtual-kubelet.
pub const VIRTUAL_KUBELET_TAINT: &str = "virtual-kubelet.io/provider";
/// The name of the cluster, on nodes that eksctl made.
pub const CLUSTER_NAME: &str = "alpha.eksctl.io/cluster-name";
/// Set on the control-plane nodes of `MicroK8s`.
pub const MICROK8S_CONTROL_PLANE: &str = "node.kubernetes.io/microk8s-controlplane";
/// `control-plane` on a controller of k0s that runs a kubelet too.
pub const K0S_ROLE: &str = "node.k0sproject.io/role";
/// The kind of object that owns a machine of Cluster API.
pub const OWNER_KIND: &str = "cluster.x-k8s.io/owner-kind";
/// Set by a kubelet on the mirror of a static pod.
pub const MIRROR: &str = "kubernetes.io/config.mirror";
/// Set by a kubelet on a static pod, with the place it was read from (`file`, `http`, or `api` for the rest).
pub const CONFIG_SOURCE: &str = "kubernetes.io/config.source";

/// Labels of Nodes that are read, beside those of pools and platforms.
const NODE_LABELS: [&str; 14] = [
    CLUSTER_NAME,
    ROLE_VALUE,
    HOSTNAME,
    ZONES[0],
    ZONES[1],
    OS[0],
    OS[1],
    OPENSHIFT,
    COMPUTE_TYPE,
    TYPE,
    LIQO,
    VCLUSTER,
    MICROK8S_CONTROL_PLANE,
    K0S_ROLE,
];

/// Labels of Pods that show a component, and of Leases that show an apiserver.
const POD_LABELS: [&str; 8] = [
    "component",
    "k8s-app",
    "role",
    "app",
    "tier",
    "app.kubernetes.io/name",
    "app.kubernetes.io/component",
    "apiserver.kubernetes.io/identity",
];

/// The product's own label keys.
static LABELS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    (NODE_LABELS.into_iter())
        .chain(POD_LABELS)
        .chain(pool::keys())
        .chain(platform::node_label_keys())
        .collect()
});

/// The product's own annotation keys.
static ANNOTATIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    ([KWOK, OWNER_KIND, MIRROR, CONFIG_SOURCE].into_iter())
        .chain(pool::annotation_keys())
        .chain(platform::node_annotation_keys())
        .chain(platform::pod_annotation_keys())
        .collect()
});

/// The keys to keep: those that the product reads, and those that a flag names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    extra: BTreeSet<String>,
}

impl Wanted {
    /// The product's own keys and these.
    pub fn new(extra: impl IntoIterator<Item = String>) -> Self {
        Self {
            extra: extra.into_iter().collect(),
        }
    }

    /// Whether a label is kept.
    pub fn label(&self, key: &str) -> bool {
        key.starts_with(ROLE_PREFIX) || LABELS.contains(key) || self.extra.contains(key)
    }

    /// Whether an annotation is kept.
    pub fn annotation(&self, key: &str) -> bool {
        ANNOTATIONS.contains(key)
    }
}

/// Whether a taint of that key shows a virtual node, and is kept.
pub fn is_virtual_taint(key: &str) -> bool {
    key == VIRTUAL_KUBELET_TAINT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_tell_something_are_kept_and_the_rest_is_not() {
        let wanted = Wanted::new(["team".to_owned()]);
        for key in [
            "component",
            "k8s-app",
            "role",
            "app",
            "node-role.kubernetes.io/control-plane",
            "node-role.kubernetes.io/spot-worker",
            "kubernetes.io/hostname",
            "topology.kubernetes.io/zone",
            "node.openshift.io/os_id",
            "eks.amazonaws.com/compute-type",
            "eks.amazonaws.com/nodegroup",
            "karpenter.sh/nodepool",
            "type",
            "liqo.io/type",
            "vcluster.loft.sh/fake-node",
            "team",
        ] {
            assert!(wanted.label(key), "{key}");
        }
        for key in ["pod-template-hash", "beta.kubernetes.io/arch", "", "Component"] {
            assert!(!wanted.label(key), "{key}");
        }
    }

    #[test]
    fn annotations_and_taints_are_kept_by_their_own_lists() {
        let wanted = Wanted::new(["team".to_owned()]);
        assert!(wanted.annotation("kwok.x-k8s.io/node"));
        assert!(wanted.annotation("kubernetes.io/config.mirror"));
        assert!(!wanted.annotation("team"), "flags name labels");
        assert!(!wanted.annotation("kubectl.kubernetes.io/last-applied-configuration"));
        assert!(is_virtual_taint("virtual-kubelet.io/provider"));
        assert!(!is_virtual_taint("node.kubernetes.io/not-ready"));
    }
}
