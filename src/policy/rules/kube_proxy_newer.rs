//! `version-skew/kube-proxy-newer`: kube-proxies newer than the oldest kube-apiserver.

use super::distance;
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kube-proxy-newer",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "kube-proxies newer than the oldest kube-apiserver.",
    why: "A kube-proxy that is newer may watch kinds or fields that the kube-apiserver does not have yet, and then \
          programs nothing from them.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::Newer),
    remedy: "Upgrade the kube-apiservers that are older than these kube-proxies, or set kube-proxy back to the minor \
             of the oldest one.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge: |rule, context| {
        let newer = distance::newer(rule, context);
        newer
            .map(|(_, evidence)| (Severity::Warning, evidence))
            .into_iter()
            .collect()
    },
};
