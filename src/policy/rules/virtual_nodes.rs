//! `version-skew/virtual-nodes`: nodes that are no kubelet of this cluster.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::VirtualNodes,
    name: "version-skew/virtual-nodes",
    component: Some(Component::Kubelet),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Virtual nodes: virtual-kubelet, kwok, Liqo, vcluster and super nodes.",
    why: "No kubelet stands behind them. The version that they show is made up or another cluster's, so judging it \
          would be a false alarm.",
    limit: "They are listed and counted, and neither they nor their pods are judged.",
    remedy: "Nothing to do for version skew. Whoever runs what stands behind them keeps it in step.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let nodes = context.inventory.nodes.iter();
    let mut names: Vec<&str> = nodes
        .filter(|node| node.virtual_node.is_some())
        .map(|node| node.name.as_str())
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    names.sort_unstable();
    let title = match names.len() {
        1 => "1 virtual node is not judged".to_owned(),
        many => format!("{many} virtual nodes are not judged"),
    };
    let detail = format!("no kubelet of this cluster: {}", skew_limit::list(&names));
    let mut finding = rule.finding(Severity::Info, title, detail);
    finding.nodes = skew_limit::nodes(names.into_iter());
    vec![finding]
}
