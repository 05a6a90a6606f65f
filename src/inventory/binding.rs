//! What a control-plane node moves with.

use super::version::Minor;

/// A control-plane node whose kubelet moves with its kube-apiserver. It is *bound* only while both run one minor
/// ([`Node::is_bound`](super::Node::is_bound)): one that lags behind is moved like any node, and is bound from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Why they move together.
    pub kind: BindingKind,
    /// The effective minor of its own kube-apiserver: as a pod shows it, else as `/version` reports it.
    pub apiserver: Option<Minor>,
}

/// Why kubelet and kube-apiserver of a node move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingKind {
    /// One binary runs both: k3s, RKE2, `MicroK8s`, k0s.
    OneBinary,
    /// kOps replaces the machine.
    KopsMachine,
    /// Cluster API replaces the machine. Below 1.33 its new kubelet may meet an older kube-apiserver.
    ClusterApiMachine,
}
