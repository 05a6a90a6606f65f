//! `version-skew/kube-proxy-missing`: a node without the kube-proxy that the rest of its pool has.

use std::collections::{BTreeMap, BTreeSet};

use super::distance;
use super::rule::{About, Allows, Context, Rule};
use crate::inventory::Node;
use crate::inventory::component::Component;
use crate::inventory::read_gap::Resource;
use crate::policy::evidence::{Evidence, Nodes};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kube-proxy-missing",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Linux nodes without a kube-proxy pod in a pool where more than half of the nodes have one.",
    why: "No kube-proxy at all is healthy: Cilium, OVN-Kubernetes, k3s and others need none. But where most nodes of a \
          pool run it as a pod, a node without one is probably broken.",
    allows: Allows::InWords(
        "More than half of a pool's judged Linux nodes have a kube-proxy pod. Failed pods and pods that never started \
         count too.",
    ),
    remedy: "Find out why kube-proxy's DaemonSet or manifest does not place a pod on these nodes: taints, selectors, or \
             a node that is not ready.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge: |_, context| {
        judge(context)
            .map(|nodes| (Severity::Info, nodes))
            .into_iter()
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Option<Evidence> {
    if context.inventory.leaves_out(Resource::Pods) {
        return None;
    }
    let dead = dead_on(context);
    let mut pools: BTreeMap<Option<&str>, Vec<&Node>> = BTreeMap::new();
    for node in context.judged_nodes().filter(|node| may_run_it(node)) {
        pools.entry(node.pool.as_deref()).or_default().push(node);
    }
    let mut missing: Vec<&str> = Vec::new();
    let mut of = 0;
    for nodes in pools.values() {
        let (with, without): (Vec<&Node>, Vec<&Node>) = nodes
            .iter()
            .copied()
            .partition(|node| !node.proxies.is_empty() || dead.contains(node.name.as_str()));
        if with.len() > without.len() && !without.is_empty() {
            missing.extend(without.iter().map(|node| node.name.as_str()));
            of += nodes.len();
        }
    }
    (!missing.is_empty()).then(|| {
        Evidence::WithoutKubeProxy(Nodes {
            nodes: distance::sorted(missing.into_iter()),
            versions: Vec::new(),
            of,
        })
    })
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
