//! `version-skew/kube-proxy-behind`: kube-proxies that are too far behind today.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeProxyBehind,
    name: "version-skew/kube-proxy-behind",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "kube-proxies that are too far behind the newest kube-apiserver today.",
    why: "kube-proxy is often an add-on that nobody moved with its cluster; one that is too old programs the node's \
          network from objects that it only half understands.",
    limit: "A kube-proxy may be 3 minors older than the newest kube-apiserver, or 2 where the kube-proxy itself is \
            below 1.25, and no more than 2 below the highest minCompatibility that a kube-apiserver reports. A house \
            policy may allow less.",
    remedy: "Update kube-proxy on these nodes now: its DaemonSet, its add-on, or, where it is a static pod, the node \
             itself.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::behind(rule, context, Severity::Warning, None)
}
