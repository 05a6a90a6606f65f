//! `version-skew/kube-proxy-post-upgrade`: kube-proxies that would be too far behind at the target.

use super::distance::{self, Against};
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kube-proxy-post-upgrade",
    component: Some(Component::KubeProxy),
    severities: &[Severity::Blocker],
    about: About::Target,
    what: "kube-proxies that would be too far behind once kube-apiserver runs the target minor.",
    why: "A kube-proxy that is too far behind may not understand the Services and EndpointSlices that the new \
          kube-apiserver serves. Traffic of the node is then routed wrongly, often long after the upgrade.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::Older),
    remedy: "Update kube-proxy on these nodes before kube-apiserver reaches the minor that is too new for it: its \
             DaemonSet, its add-on, or, where it is a static pod, the node itself.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-proxy",
    judge: |rule, context| {
        let against = context.target.map(Against::Coming);
        let evidence = against.and_then(|against| distance::behind(rule, context, against));
        evidence
            .map(|evidence| (Severity::Blocker, evidence))
            .into_iter()
            .collect()
    },
};
