//! `rollout/unknown-node`: names of the rollout list that match no node.

use std::collections::BTreeSet;

use super::{About, Context, Rule, rollout_left_behind, skew_limit};
use crate::inventory::read_gap::Resource;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::RolloutUnknownNode,
    name: "rollout/unknown-node",
    component: None,
    severities: &[Severity::Warning],
    about: About::Rollout,
    what: "Names of the rollout list that match no node.",
    why: "A misspelt name leaves a node behind that somebody meant to move.",
    limit: "A name matches a node's own name, its kubernetes.io/hostname label or its Hostname address.",
    remedy: "Correct the names. A controller without a kubelet, as k0s has them, registers no Node and is not seen \
             here: such a name can be left as it is.",
    source: "https://docs.k0sproject.io/head/troubleshooting/FAQ/",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let Some(rollout) = context.rollout else {
        return Vec::new();
    };
    if context.inventory.leaves_out(Resource::Nodes) {
        return Vec::new();
    }
    let known: BTreeSet<&str> = context
        .inventory
        .nodes
        .iter()
        .flat_map(rollout_left_behind::names_of)
        .collect();
    let names = rollout.iter().map(String::as_str);
    let unknown = skew_limit::nodes(names.filter(|name| !known.contains(name)));
    if unknown.is_empty() {
        return Vec::new();
    }
    let title = match unknown.len() {
        1 => "1 name of the rollout matches no node".to_owned(),
        many => format!("{many} names of the rollout match no node"),
    };
    let detail = format!("not among the nodes: {}", skew_limit::list(&unknown));
    let mut finding = rule.finding(Severity::Warning, title, detail);
    finding.nodes = unknown;
    finding
        .citations
        .insert(0, crate::policy::limits::POLICY_URL.to_owned());
    vec![finding]
}
