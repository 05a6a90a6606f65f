//! `version-skew/kube-proxy-newer`: kube-proxies newer than the oldest kube-apiserver.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeProxyNewer,
    name: "version-skew/kube-proxy-newer",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "kube-proxies newer than the oldest kube-apiserver.",
    why: "A kube-proxy that is newer may watch kinds or fields that the kube-apiserver does not have yet, and then \
          programs nothing from them.",
    limit: "A kube-proxy may never be newer than the oldest kube-apiserver.",
    remedy: "Move the older kube-apiservers up, or set kube-proxy back to the minor of the oldest one.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::newer(rule, context, |_| Severity::Warning)
}
