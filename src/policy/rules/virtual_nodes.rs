//! `version-skew/virtual-nodes`: nodes that are no kubelet of this cluster.

use super::distance;
use super::rule::{About, Allows, Rule};
use crate::inventory::component::Component;
use crate::policy::evidence::{Evidence, Nodes};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/virtual-nodes",
    component: Some(Component::Kubelet),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Virtual nodes: virtual-kubelet, kwok, Liqo, vcluster and super nodes.",
    why: "They have no kubelet of this cluster. The version that they show is invented or another cluster's, so \
          judging it would be a false alarm.",
    allows: Allows::InWords("They are listed and counted. Neither they nor their pods are judged."),
    remedy: "Nothing to do for version skew. The provider of these nodes manages their version.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |_, context| {
        let all = &context.inventory.nodes;
        let virtual_nodes = all.iter().filter(|node| node.virtual_node.is_some());
        let nodes = distance::sorted(virtual_nodes.map(|node| node.name.as_str()));
        if nodes.is_empty() {
            return Vec::new();
        }
        let evidence = Evidence::VirtualNodes(Nodes {
            nodes,
            versions: Vec::new(),
            of: all.len(),
        });
        vec![(Severity::Info, evidence)]
    },
};
