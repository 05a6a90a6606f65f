//! `rollout/left-behind`: lagging kubelets that the rollout does not move.

use std::collections::{BTreeMap, BTreeSet};

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node};
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::RolloutLeftBehind,
    name: "rollout/left-behind",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Rollout,
    what: "Kubelets below the target minor that no name of the rollout list matches.",
    why: "They stay on their old minor. That may be legal after this rollout, and then a later one is refused because of \
          them: this says so while it is cheap to name them.",
    limit: "A name matches a node's own name, its kubernetes.io/hostname label or its Hostname address. A patch move \
            leaves nobody behind.",
    remedy: "Add these nodes to the rollout, or plan another one for them before the minor that will be refused.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let (Some(target), Some(rollout)) = (context.target, context.rollout) else {
        return Vec::new();
    };
    let left = left_behind(context.inventory, rollout, target);
    let mut refusals: BTreeMap<Minor, Vec<&str>> = BTreeMap::new();
    for node in &left {
        if let Some(version) = &node.kubelet.version {
            let until = context.policy.good_until(Component::Kubelet, version.minor());
            refusals.entry(until.next()).or_default().push(&node.name);
        }
    }
    let Some(first) = refusals.keys().next().copied() else {
        return Vec::new();
    };
    let title = format!(
        "{} below {target} not in the rollout: {first} will be refused because of them",
        skew_limit::count(left.len(), Component::Kubelet)
    );
    for names in refusals.values_mut() {
        names.sort_unstable();
    }
    let parts = refusals
        .iter()
        .map(|(minor, names)| format!("{minor} will be refused because of {}", skew_limit::list(names)));
    let detail = format!(
        "by the {} policy {}",
        context.policy.name,
        parts.collect::<Vec<_>>().join("; ")
    );
    let mut finding = rule.finding(Severity::Warning, title, detail);
    finding.nodes = skew_limit::nodes(left.iter().map(|node| node.name.as_str()));
    finding.versions = skew_limit::versions(left.iter().filter_map(|node| node.kubelet.version.as_ref()));
    finding.citations = vec![context.policy.source.clone()];
    if !finding
        .citations
        .iter()
        .any(|cited| cited.starts_with(crate::policy::limits::POLICY_URL))
    {
        finding.citations.insert(0, rule.source.to_owned());
    }
    vec![finding]
}

fn left_behind<'a>(inventory: &'a Inventory, rollout: &[String], target: Minor) -> Vec<&'a Node> {
    let listed = listed(rollout);
    let lags = |node: &&Node| {
        let kubelet = node.kubelet.version.as_ref();
        node.is_judged() && kubelet.is_some_and(|version| version.minor() < target)
    };
    let nodes = inventory.nodes.iter().filter(lags);
    nodes.filter(|node| !is_listed(node, &listed)).collect()
}

/// The names of a rollout list, to look nodes up in.
pub(in crate::policy) fn listed(rollout: &[String]) -> BTreeSet<&str> {
    rollout.iter().map(String::as_str).collect()
}

/// Whether a rollout list names `node`, by any of its names.
pub(in crate::policy) fn is_listed(node: &Node, listed: &BTreeSet<&str>) -> bool {
    names_of(node).any(|name| listed.contains(name))
}

/// The names that a rollout list may know a node by.
pub(super) fn names_of(node: &Node) -> impl Iterator<Item = &str> {
    std::iter::once(node.name.as_str()).chain(node.aliases.iter().map(String::as_str))
}
