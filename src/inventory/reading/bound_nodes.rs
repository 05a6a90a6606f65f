//! Which control-plane nodes move with their kube-apiserver in one piece: their kubelet is the same binary, or the
//! machine is replaced in each hop of the control plane.

use std::collections::{BTreeMap, BTreeSet};

use crate::inventory::binding::BindingKind;
use crate::inventory::component::Component;
use crate::inventory::instance::Instance;
use crate::inventory::node::Node;
use crate::inventory::observed::ObservedNode;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{labels, pool};

/// Suffixes of the versions of k3s and RKE2, whose servers run a kube-apiserver in the kubelet's own process.
const EMBEDDING: [&str; 2] = ["+k3s", "+rke2r"];

/// The version of the kube-apiserver that a k3s or RKE2 server node runs: its kubelet's. `None` for every other
/// node, and for one that is not Ready; no other node shows an apiserver's version.
pub(super) fn embedded_apiserver(node: &Node) -> Option<&Version> {
    let runs_one = node.ready != Some(false) && node.virtual_node.is_none() && is_server(node);
    node.kubelet.version.as_ref().filter(|_| runs_one)
}

/// Whether it is a server of k3s or RKE2; a dedicated etcd server runs no kube-apiserver.
fn is_server(node: &Node) -> bool {
    is_control_plane(node) && EMBEDDING.into_iter().any(|suffix| has_suffix(node, suffix))
}

fn has_suffix(node: &Node, suffix: &str) -> bool {
    let version = node.kubelet.version.as_ref();
    version.is_some_and(|version| version.raw().contains(suffix))
}

fn is_control_plane(node: &Node) -> bool {
    let is = |role: &String| matches!(role.as_str(), "control-plane" | "master");
    node.roles.iter().any(is)
}

/// Why its kubelet and kube-apiserver move together, where they do.
pub(super) fn kind(node: &Node, seen: &ObservedNode) -> Option<BindingKind> {
    let label = |key: &str| seen.meta.label(key);
    if node.virtual_node.is_some() {
        None
    } else if is_server(node)
        || label(labels::MICROK8S_CONTROL_PLANE).is_some()
        || label(labels::K0S_ROLE) == Some("control-plane") && has_suffix(node, "+k0s")
    {
        Some(BindingKind::OneBinary)
    } else if seen.meta.annotation(labels::OWNER_KIND) == Some("KubeadmControlPlane") {
        Some(BindingKind::ClusterApiMachine)
    } else if label(pool::KOPS).is_some() && is_control_plane(node) {
        Some(BindingKind::KopsMachine)
    } else {
        None
    }
}

/// Settles the minor of each such node's own kube-apiserver.
pub(super) fn settle(nodes: &mut [Node], instances: &[Instance], answered: BTreeSet<Minor>) {
    let mut on_node: BTreeMap<&str, Minor> = BTreeMap::new();
    let mut anywhere = BTreeSet::new();
    for instance in instances {
        let Some(minor) = instance.effective() else {
            continue;
        };
        if instance.component != Component::KubeApiserver {
            continue;
        }
        anywhere.insert(minor);
        if let Some(node) = instance.node.as_deref() {
            let oldest = on_node.entry(node).or_insert(minor);
            *oldest = minor.min(*oldest);
        }
    }
    let elsewhere = if answered.is_empty() { anywhere } else { answered };
    for node in nodes {
        let kubelet = node.kubelet.version.as_ref().map(Version::minor);
        if let Some(binding) = &mut node.binding {
            // Several answers are several servers: the one that fits the kubelet is its own.
            let fitting = kubelet.filter(|kubelet| elsewhere.contains(kubelet));
            let own = on_node.get(node.name.as_str()).copied();
            binding.apiserver = own.or(fitting).or_else(|| elsewhere.first().copied());
        }
    }
}
