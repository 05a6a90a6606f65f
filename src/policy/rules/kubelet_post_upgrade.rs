//! `version-skew/kubelet-post-upgrade`: kubelets that would be too far behind at the target.

use super::distance::{self, Against};
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kubelet-post-upgrade",
    component: Some(Component::Kubelet),
    severities: &[Severity::Blocker],
    about: About::Target,
    what: "Kubelets that would be too far behind once kube-apiserver runs the target minor.",
    why: "The control plane is upgraded first. A kubelet that is then too far behind may use APIs and fields that the \
          new kube-apiserver no longer serves. Kubernetes does not reject the node, so failures appear later.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::Older),
    remedy: "Upgrade the kubelets of these nodes before kube-apiserver reaches the minor that is too new for them: \
             drain each node, upgrade its kubelet as far as the oldest kube-apiserver allows, and uncordon it.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |rule, context| {
        let against = context.target.map(Against::Coming);
        let evidence = against.and_then(|against| distance::behind(rule, context, against));
        evidence
            .map(|evidence| (Severity::Blocker, evidence))
            .into_iter()
            .collect()
    },
};
