//! A Node as it was seen becomes a node of the inventory, if perhaps no kubelet of this cluster.

use super::bound_nodes;
use crate::inventory::binding::Binding;
use crate::inventory::node::{Kubelet, Node, VirtualNode};
use crate::inventory::observed::{Meta, ObservedNode, non_empty};
use crate::inventory::{labels, pool};

/// The node that was seen, without its kube-proxies.
pub(super) fn node(seen: &ObservedNode, pool_label: Option<&str>) -> Node {
    let meta = &seen.meta;
    let label = |key: &str| non_empty(meta.label(key));
    let raw = non_empty(seen.kubelet_version.as_deref());
    let mut aliases: Vec<String> = [label(labels::HOSTNAME), non_empty(seen.hostname.as_deref())]
        .into_iter()
        .flatten()
        .filter(|alias| *alias != meta.name)
        .map(str::to_owned)
        .collect();
    aliases.sort();
    aliases.dedup();
    let (pool, pool_source) = pool::pool(meta, pool_label).unzip();
    let mut node = Node {
        name: meta.name.clone(),
        pool,
        pool_source,
        roles: pool::roles(meta),
        ready: non_empty(seen.ready.as_deref()).map(|status| status == "True"),
        cordoned: seen.cordoned,
        virtual_node: virtual_node(seen),
        excluded: false,
        os: non_empty(seen.os.as_deref())
            .or_else(|| labels::OS.into_iter().find_map(label))
            .map(str::to_owned),
        zone: labels::ZONES.into_iter().find_map(label).map(str::to_owned),
        fargate: label(labels::COMPUTE_TYPE) == Some("fargate") || meta.name.starts_with("fargate-ip-"),
        aliases,
        labels: sorted_labels(meta),
        kubelet: Kubelet {
            raw: raw.map(str::to_owned),
            version: raw.and_then(|raw| raw.parse().ok()),
        },
        proxies: Vec::new(),
        runtime: non_empty(seen.runtime_version.as_deref()).map(str::to_owned),
        binding: None,
    };
    node.binding = bound_nodes::kind(&node, seen).map(|kind| Binding {
        kind,
        apiserver: None,
    });
    node
}

fn sorted_labels(meta: &Meta) -> Vec<(String, String)> {
    let mut labels = meta.labels.clone();
    labels.sort();
    labels
}

/// Why a node is no kubelet of this cluster, by any of the marks of such nodes.
fn virtual_node(seen: &ObservedNode) -> Option<VirtualNode> {
    let meta = &seen.meta;
    let version = seen.kubelet_version.as_deref().unwrap_or_default();
    if meta.has_annotation(labels::KWOK) {
        Some(VirtualNode::Kwok)
    } else if meta.label(labels::LIQO).is_some() {
        Some(VirtualNode::Liqo)
    } else if meta.label(labels::VCLUSTER).is_some() {
        Some(VirtualNode::Vcluster)
    } else if meta.label(labels::TYPE) == Some("virtual-kubelet")
        || seen.taints.iter().any(|key| labels::is_virtual_taint(key))
        || version.contains("-vk-")
    {
        Some(VirtualNode::VirtualKubelet)
    } else if meta.name.starts_with("eklet-") && has_major_2(version) {
        Some(VirtualNode::Eklet)
    } else {
        None
    }
}

fn has_major_2(version: &str) -> bool {
    version.strip_prefix('v').unwrap_or(version).starts_with("2.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(name: &str, version: &str) -> ObservedNode {
        ObservedNode {
            meta: Meta {
                name: name.to_owned(),
                ..Meta::default()
            },
            kubelet_version: Some(version.to_owned()),
            ready: Some("True".to_owned()),
            ..ObservedNode::default()
        }
    }

    fn labelled(mut node: ObservedNode, key: &str, value: &str) -> ObservedNode {
        node.meta.labels.push((key.to_owned(), value.to_owned()));
        node
    }

    #[test]
    fn each_mark_tells_a_virtual_node() {
        let mut tainted = seen("a", "v1.30.0");
        tainted.taints.push("virtual-kubelet.io/provider".to_owned());
        let mut kwok = seen("a", "v1.30.0");
        kwok.meta
            .annotations
            .push(("kwok.x-k8s.io/node".to_owned(), "fake".to_owned()));
        for (node, want) in [
            (tainted, VirtualNode::VirtualKubelet),
            (kwok, VirtualNode::Kwok),
            (
                labelled(seen("a", "N/A"), "type", "virtual-kubelet"),
                VirtualNode::VirtualKubelet,
            ),
            (
                seen("a", "v1.19.10-vk-azure-aci-1.4.16"),
                VirtualNode::VirtualKubelet,
            ),
            (
                labelled(seen("a", "v1.30.0"), "liqo.io/type", "virtual-node"),
                VirtualNode::Liqo,
            ),
            (
                labelled(seen("a", "v1.16.6"), "vcluster.loft.sh/fake-node", "true"),
                VirtualNode::Vcluster,
            ),
            (seen("eklet-subnet-x", "v2.5.21"), VirtualNode::Eklet),
        ] {
            assert_eq!(virtual_node(&node), Some(want));
        }
        for node in [
            seen("a", "v2.5.21"),
            seen("eklet-subnet-x", "v1.30.0"),
            labelled(seen("a", "v1.30.0"), "type", "gpu"),
            seen("hollow-node-1", "v0.0.0-master+a34f1e483104b"),
            seen("fargate-ip-192-0-2-1", "v1.19.16-eks-6ae7ca2"),
        ] {
            assert_eq!(virtual_node(&node), None, "{}", node.meta.name);
        }
    }

    #[test]
    fn a_node_is_known_by_its_other_names_too() {
        let mut seen = labelled(seen("node-1", "v1.30.0"), "kubernetes.io/hostname", "web-1");
        seen.hostname = Some("web-1.example".to_owned());
        assert_eq!(node(&seen, None).aliases, ["web-1", "web-1.example"]);
        seen.hostname = Some("node-1".to_owned());
        assert_eq!(node(&seen, None).aliases, ["web-1"]);
    }

    #[test]
    fn an_empty_kubelet_version_is_none() {
        let node = node(&seen("a", ""), None);
        assert_eq!(node.kubelet, Kubelet::default());
    }
}
