//! `version-skew/kube-proxy-behind`: kube-proxies that are too far behind today.

use super::distance::{self, Against};
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kube-proxy-behind",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "kube-proxies that are too far behind the newest kube-apiserver today.",
    why: "kube-proxy is often an add-on that was not upgraded with its cluster. One that is too old programs the \
          node's network from objects that it only partly understands.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::OlderToday),
    remedy: "Update kube-proxy on these nodes now: its DaemonSet, its add-on, or, where it is a static pod, the node \
             itself.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge: |rule, context| {
        let evidence = distance::behind(rule, context, Against::Newest);
        evidence
            .map(|evidence| (Severity::Warning, evidence))
            .into_iter()
            .collect()
    },
};
