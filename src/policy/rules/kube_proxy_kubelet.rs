//! `version-skew/kube-proxy-kubelet/<node>`: a kube-proxy and the kubelet of its node too far apart.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::inventory::{KubeProxy, Node};
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeProxyKubelet,
    name: "version-skew/kube-proxy-kubelet/<node>",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "A kube-proxy and the kubelet of the same node that are too far apart, either way.",
    why: "The two share the node's network rules. A pair this far apart breaks a rule against kube-apiserver as well; \
          this one needs no kube-apiserver to say so, and it names the node.",
    limit: "A kube-proxy may be 3 minors older or newer than the kubelet beside it, or 2 where the kube-proxy itself \
            is below 1.25. A house policy may allow less.",
    remedy: "Bring the older of the two up: update kube-proxy's DaemonSet or add-on, or upgrade the node's kubelet.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    context
        .judged_nodes()
        .filter_map(|node| judge_node(rule, context, node))
        .collect()
}

fn judge_node(rule: &Rule, context: &Context<'_>, node: &Node) -> Option<Finding> {
    let kubelet = node.kubelet.version.as_ref()?;
    let apart = |proxy: &&KubeProxy| {
        let version = proxy.version.as_ref();
        version.is_some_and(|version| context.policy.is_pair_apart(version.minor(), kubelet.minor()))
    };
    let apart: Vec<&KubeProxy> = node.proxies.iter().filter(apart).collect();
    let versions = || apart.iter().filter_map(|proxy| proxy.version.as_ref());
    let furthest =
        versions().max_by_key(|version| (version.minor().distance(kubelet.minor()), version.minor()))?;
    let distance = furthest.minor().distance(kubelet.minor());
    let limit = context.policy.pair_limit(furthest.minor(), kubelet.minor());
    let direction = if furthest.minor() < kubelet.minor() {
        "older"
    } else {
        "newer"
    };
    let title = format!(
        "kube-proxy {} is {} {direction} than kubelet {} on {}",
        furthest.minor(),
        skew_limit::plural(distance, "minor"),
        kubelet.minor(),
        node.name
    );
    let mut pods: Vec<&str> = apart.iter().map(|proxy| proxy.pod.as_str()).collect();
    pods.sort_unstable();
    let allowed = if limit.is_house {
        let (name, older, upstream) = (&context.policy.name, limit.older, limit.upstream_older);
        format!("the {name} policy allows {older} either way; upstream allows {upstream}")
    } else {
        format!("the policy allows {} either way", limit.older)
    };
    let detail = format!("{}: {allowed}", skew_limit::list(&pods));
    let mut finding = rule.finding(Severity::Warning, title, detail);
    finding.key = format!("{}{}", rule.stem(), node.name);
    finding.nodes = vec![node.name.clone()];
    finding.versions = skew_limit::versions(versions().chain([kubelet]));
    if limit.is_house {
        finding.citations.push(limit.source.to_owned());
    }
    Some(finding)
}
