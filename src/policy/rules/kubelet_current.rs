//! `version-skew/kubelet-current`: kubelets that are too far behind today.

use super::distance::{self, Against};
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kubelet-current",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Kubelets that are too far behind the newest kube-apiserver today.",
    why: "Kubernetes does not reject a node whose kubelet is out of support: it joins and runs until an API that it \
          needs is removed.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::OlderToday),
    remedy: "Upgrade the kubelets of these nodes now: drain each node, upgrade its kubelet, and uncordon it.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge: |rule, context| {
        let evidence = distance::behind(rule, context, Against::Newest);
        evidence
            .map(|evidence| (Severity::Warning, evidence))
            .into_iter()
            .collect()
    },
};
