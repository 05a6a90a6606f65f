//! `rollout/unknown-node`: names of the rollout list that match no node.

use std::collections::BTreeSet;

use super::distance;
use super::rollout_left_behind;
use super::rule::{About, Allows, Context, Rule};
use crate::inventory::read_gap::Resource;
use crate::policy::evidence::Evidence;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "rollout/unknown-node",
    component: None,
    severities: &[Severity::Warning],
    about: About::Rollout,
    what: "Names of the rollout list that match no node.",
    why: "A misspelt name leaves a node behind that was meant to be upgraded.",
    allows: Allows::InWords(
        "A name matches a node's own name, its kubernetes.io/hostname label or its Hostname address.",
    ),
    remedy: "Correct the names. A controller without a kubelet, as k0s has them, registers no Node and is not seen \
             here: such a name can be left as it is.",
    source: "https://docs.k0sproject.io/head/troubleshooting/FAQ/",
    judge: |_, context| {
        judge(context)
            .map(|names| (Severity::Warning, names))
            .into_iter()
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Option<Evidence> {
    let rollout = context.rollout?;
    if context.inventory.leaves_out(Resource::Nodes) {
        return None;
    }
    let nodes = context.inventory.nodes.iter();
    let known: BTreeSet<&str> = nodes.flat_map(rollout_left_behind::names_of).collect();
    let names = rollout.iter().map(String::as_str);
    let unknown = distance::sorted(names.filter(|name| !known.contains(name)));
    (!unknown.is_empty()).then_some(Evidence::UnknownNames(unknown))
}
