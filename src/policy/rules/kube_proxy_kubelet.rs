//! `version-skew/kube-proxy-kubelet/<node>`: a kube-proxy and the kubelet of its node too far apart.

use super::distance;
use super::rule::{About, Allows, Context, Rule, Side};
use crate::inventory::component::Component;
use crate::inventory::{Node, ProxyUnit};
use crate::policy::evidence::{Evidence, Limit, Pair};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kube-proxy-kubelet/<node>",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "A kube-proxy and the kubelet of the same node that are too far apart, either way.",
    why: "The two share the node's network rules. This needs no kube-apiserver's version to be found, and it names the \
          node.",
    allows: Allows::ByTable(Component::Kubelet, Side::EitherWay),
    remedy: "Upgrade the older of the two: update kube-proxy's DaemonSet or add-on, or upgrade the node's kubelet.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge: |_, context| {
        let apart = context.judged_nodes().filter_map(|node| apart(context, node));
        apart
            .map(|pair| (Severity::Warning, Evidence::Pair(pair)))
            .collect()
    },
};

fn apart(context: &Context<'_>, node: &Node) -> Option<Pair> {
    let kubelet = node.kubelet.version.as_ref()?;
    let kubelet_minor = context.at(kubelet.minor(), node.is_bound());
    let apart = || {
        node.proxies.iter().filter_map(|proxy| {
            let version = proxy.version.as_ref()?;
            let is_bound = node.is_bound() && proxy.unit == ProxyUnit::Static;
            let minor = context.at(version.minor(), is_bound);
            let is_apart = context.policy.is_pair_apart(minor, kubelet_minor);
            is_apart.then_some((proxy.pod.as_str(), version, minor))
        })
    };
    let furthest = apart()
        .map(|(.., minor)| minor)
        .max_by_key(|minor| (minor.distance(kubelet_minor), *minor))?;
    let limit = context.policy.pair_limit(furthest, kubelet_minor);
    Some(Pair {
        node: node.name.clone(),
        kubelet: kubelet_minor,
        kube_proxy: furthest,
        distance: furthest.distance(kubelet_minor),
        limit: Limit::of(context.policy, limit),
        pods: distance::sorted(apart().map(|(pod, ..)| pod)),
        versions: distance::raw(apart().map(|(_, version, _)| version).chain([kubelet])),
    })
}
