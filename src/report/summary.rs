//! The counts of a whole report: how many nodes were judged, are out of policy and must be upgraded first.

use std::collections::BTreeSet;

use super::Report;
use crate::policy::rules::kubelet_post_upgrade;

/// What a report comes to in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// All nodes listed.
    pub nodes: usize,
    /// Those that the policy judges.
    pub judged: usize,
    /// Nodes that are out of policy today.
    pub out_today: usize,
    /// Nodes whose kubelet must be upgraded before the control plane reaches the target.
    pub move_first: usize,
    /// Nodes of which only the kube-proxy must be.
    pub move_first_proxy_only: usize,
    /// What was not assessed.
    pub not_assessed: usize,
}

impl Report {
    /// The report in numbers.
    pub fn summary(&self) -> Summary {
        let kubelets: BTreeSet<&str> = self
            .findings
            .iter()
            .filter(|finding| finding.key == kubelet_post_upgrade::RULE.name)
            .flat_map(|finding| finding.nodes.iter().map(String::as_str))
            .collect();
        let move_first = self.path.last().map_or(&[][..], |hop| &hop.move_first);
        let with_kubelet = move_first
            .iter()
            .filter(|name| kubelets.contains(name.as_str()))
            .count();
        Summary {
            nodes: self.nodes.len(),
            judged: self.nodes.iter().filter(|row| row.is_judged()).count(),
            out_today: self.out_today.nodes.len(),
            move_first: with_kubelet,
            move_first_proxy_only: move_first.len() - with_kubelet,
            not_assessed: self.not_assessed.len(),
        }
    }
}
