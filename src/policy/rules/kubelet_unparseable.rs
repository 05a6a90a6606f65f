//! `version-skew/kubelet-unparseable`: kubelets whose version cannot be read.

use std::collections::BTreeSet;

use super::distance;
use super::rule::{About, Allows, Rule};
use crate::inventory::component::Component;
use crate::policy::evidence::{Evidence, Nodes};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kubelet-unparseable",
    component: Some(Component::Kubelet),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Nodes whose kubelet reports no Kubernetes version.",
    why: "Such a node may be the one that is out of policy, so the verdict cannot be ready while its version is \
          unread.",
    allows: Allows::InWords(
        "status.nodeInfo.kubeletVersion starts with a version of major 1, such as v1.37.0.",
    ),
    remedy: "Look at what runs on these nodes. Exclude one that is no kubelet with --exclude, or give its version with \
             --assume.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |_, context| {
        let unread = || {
            context
                .judged_nodes()
                .filter(|node| node.kubelet.version.is_none())
        };
        let nodes = distance::sorted(unread().map(|node| node.name.as_str()));
        if nodes.is_empty() {
            return Vec::new();
        }
        let versions: BTreeSet<&str> = unread().filter_map(|node| node.kubelet.raw.as_deref()).collect();
        let evidence = Evidence::UnreadableKubelets(Nodes {
            nodes,
            versions: versions.into_iter().map(str::to_owned).collect(),
            of: context.judged_nodes().count(),
        });
        vec![(Severity::Info, evidence)]
    },
};
