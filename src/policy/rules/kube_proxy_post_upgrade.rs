//! `version-skew/kube-proxy-post-upgrade`: kube-proxies that the move to the target would strand.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeProxyPostUpgrade,
    name: "version-skew/kube-proxy-post-upgrade",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Blocker],
    about: About::Target,
    what: "kube-proxies that would be too far behind once kube-apiserver runs the target minor.",
    why: "A kube-proxy that is too far behind may not understand the Services and EndpointSlices that the new \
          kube-apiserver serves, and the node's traffic goes astray long after the upgrade.",
    limit: "A kube-proxy may be 3 minors older than kube-apiserver, or 2 where the kube-proxy itself is below 1.25. \
            A house policy may allow less.",
    remedy: "Update kube-proxy on these nodes before the control plane moves: its DaemonSet, its add-on, or, where it \
             is a static pod, the node itself.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    match context.target {
        Some(target) => skew_limit::behind(rule, context, Severity::Blocker, Some(target)),
        None => Vec::new(),
    }
}
