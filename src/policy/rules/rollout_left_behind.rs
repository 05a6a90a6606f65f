//! `rollout/left-behind`: lagging kubelets that the rollout does not move.

use std::collections::{BTreeMap, BTreeSet};

use super::distance;
use super::rule::{About, Allows, Context, Rule};
use crate::inventory::Node;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::policy::evidence::{Evidence, LeftBehind, SetBy};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "rollout/left-behind",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Rollout,
    what: "Kubelets below the target minor that no name of the rollout list matches.",
    why: "They stay on their old minor. That may be allowed after this rollout, and then a later one is refused because \
          of them. This finding names them while it is still cheap to add them.",
    allows: Allows::InWords(
        "A name matches a node's own name, its kubernetes.io/hostname label or its Hostname address. A patch move \
         leaves no node behind.",
    ),
    remedy: "Add these nodes to the rollout, or plan another one for them before the minor that will be refused.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |_, context| {
        judge(context)
            .map(|left| (Severity::Warning, left))
            .into_iter()
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Option<Evidence> {
    let (target, listed) = (context.target?, listed(context.rollout?));
    let mut refused: BTreeMap<Minor, Vec<&str>> = BTreeMap::new();
    let mut versions: Vec<&Version> = Vec::new();
    let mut judged = 0;
    for node in context.judged_nodes() {
        let Some(version) = &node.kubelet.version else {
            continue;
        };
        judged += 1;
        if version.minor() < target && !node.is_bound() && !is_listed(node, &listed) {
            let until = context.policy.good_until(Component::Kubelet, version.minor());
            refused.entry(until.next()).or_default().push(&node.name);
            versions.push(version);
        }
    }
    (!refused.is_empty()).then(|| {
        Evidence::LeftBehind(LeftBehind {
            target,
            refused: refused
                .into_iter()
                .map(|(minor, names)| (minor, distance::sorted(names.into_iter())))
                .collect(),
            versions: distance::raw(versions.into_iter()),
            judged,
            set_by: SetBy::of(context.policy),
            source: context.policy.source.clone(),
        })
    })
}

/// The names of a rollout list, to look nodes up in.
pub(in crate::policy) fn listed(rollout: &[String]) -> BTreeSet<&str> {
    rollout.iter().map(String::as_str).collect()
}

/// Whether a rollout list names `node`, by any of its names.
pub(in crate::policy) fn is_listed(node: &Node, listed: &BTreeSet<&str>) -> bool {
    names_of(node).any(|name| listed.contains(name))
}

/// The names by which a rollout list may name a node.
pub(super) fn names_of(node: &Node) -> impl Iterator<Item = &str> {
    std::iter::once(node.name.as_str()).chain(node.aliases.iter().map(String::as_str))
}
