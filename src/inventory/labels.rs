//! Which labels, annotations and taints a decoder keeps: the rest is skipped, never built. Every key that the
//! inventory reads is named here or in the table of [`pool`](super::pool).

use std::collections::BTreeSet;

use super::pool;

/// Every role is a key of its own behind this prefix.
pub const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
/// The role label of clusters older than 1.16, whose value is the role.
pub const ROLE_VALUE: &str = "kubernetes.io/role";
/// The name a rollout list may know a node by.
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
/// Set by a kubelet on the mirror of a static pod.
pub const MIRROR: &str = "kubernetes.io/config.mirror";
/// Set by a kubelet on a static pod, with the place it was read from (`file`, `http`, or `api` for the rest).
pub const CONFIG_SOURCE: &str = "kubernetes.io/config.source";

/// Labels of Nodes beside the pools' that tell something.
const NODE_LABELS: [&str; 9] = [
    ROLE_VALUE,
    HOSTNAME,
    OPENSHIFT,
    COMPUTE_TYPE,
    TYPE,
    LIQO,
    VCLUSTER,
    "kubernetes.azure.com/cluster",
    "microk8s.io/cluster",
];

/// Labels of Pods that tell a component, and of Leases that tell an apiserver.
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

const ANNOTATIONS: [&str; 3] = [KWOK, MIRROR, CONFIG_SOURCE];

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
        key.starts_with(ROLE_PREFIX)
            || POD_LABELS.contains(&key)
            || NODE_LABELS.contains(&key)
            || ZONES.contains(&key)
            || OS.contains(&key)
            || pool::keys().any(|own| own == key)
            || self.extra.contains(key)
    }

    /// Whether an annotation is kept.
    pub fn annotation(&self, key: &str) -> bool {
        ANNOTATIONS.contains(&key) || pool::annotation_keys().any(|own| own == key)
    }
}

/// Whether a taint of that key tells a virtual node, and is kept.
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
