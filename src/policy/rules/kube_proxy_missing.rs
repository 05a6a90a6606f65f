//! `version-skew/kube-proxy-missing`: a node without the kube-proxy that the rest of its pool has.

use std::collections::{BTreeMap, BTreeSet};

use super::{About, Context, Rule, skew_limit};
use crate::inventory::Node;
use crate::inventory::component::Component;
use crate::inventory::read_gap::Resource;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeProxyMissing,
    name: "version-skew/kube-proxy-missing",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Linux nodes without a kube-proxy pod in a pool where more than half of the nodes have one.",
    why: "No kube-proxy at all is healthy: Cilium, OVN-Kubernetes, k3s and others need none. But where most nodes of a \
          pool run it as a pod, one without is likelier broken than meant.",
    limit: "More than half of a pool's judged Linux nodes have a kube-proxy pod, failed and never started ones \
            included.",
    remedy: "See why kube-proxy's DaemonSet or manifest passes these nodes over: taints, selectors, a node that is not \
             ready.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    if context.inventory.leaves_out(Resource::Pods) {
        return Vec::new();
    }
    let dead = dead_on(context);
    let mut pools: BTreeMap<Option<&str>, Vec<&Node>> = BTreeMap::new();
    for node in context.judged_nodes().filter(|node| may_run_it(node)) {
        pools.entry(node.pool.as_deref()).or_default().push(node);
    }
    let mut missing: Vec<&str> = Vec::new();
    for nodes in pools.values() {
        let (with, without): (Vec<&Node>, Vec<&Node>) = nodes
            .iter()
            .copied()
            .partition(|node| !node.proxies.is_empty() || dead.contains(node.name.as_str()));
        if with.len() > without.len() {
            missing.extend(without.iter().map(|node| node.name.as_str()));
        }
    }
    if missing.is_empty() {
        return Vec::new();
    }
    missing.sort_unstable();
    let title = match missing.len() {
        1 => "1 node lacks the kube-proxy that its pool has".to_owned(),
        many => format!("{many} nodes lack the kube-proxy that their pools have"),
    };
    let detail = format!("no kube-proxy pod on {}", skew_limit::list(&missing));
    let mut finding = rule.finding(Severity::Info, title, detail);
    finding.nodes = skew_limit::nodes(missing.into_iter());
    vec![finding]
}

/// Fargate nodes never run kube-proxy as a pod, and Windows nodes often run it as a service.
fn may_run_it(node: &Node) -> bool {
    !node.fargate && node.os.as_deref().is_none_or(|os| os == "linux")
}

/// The nodes on which a kube-proxy pod has failed: it is there and does not run.
fn dead_on<'a>(context: &Context<'a>) -> BTreeSet<&'a str> {
    context
        .inventory
        .set_aside
        .iter()
        .filter(|aside| aside.component == Component::KubeProxy)
        .filter_map(|aside| aside.node.as_deref())
        .collect()
}
