//! `version-skew/kubelet-newer-than-apiserver`: kubelets newer than the oldest kube-apiserver.

use super::distance;
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kubelet-newer-than-apiserver",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Kubelets newer than the oldest kube-apiserver.",
    why: "A kubelet that reaches an older kube-apiserver requests what that one does not serve: its pods may stay in \
          CreateContainerConfigError. Behind a load balancer any kube-apiserver may answer it, the oldest too.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::Newer),
    remedy: "Upgrade the kube-apiservers that are older than these kubelets. Do not downgrade the nodes. Until then \
             keep new pods off these nodes.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |rule, context| {
        let newer = distance::newer(rule, context);
        newer
            .map(|(_, evidence)| (Severity::Warning, evidence))
            .into_iter()
            .collect()
    },
};
