//! `version-skew/kubelet-current`: kubelets that are too far behind today.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeletCurrent,
    name: "version-skew/kubelet-current",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Kubelets that are too far behind the newest kube-apiserver today.",
    why: "Nothing refuses a node whose kubelet is out of support: it joins and runs, until an API that it needs is \
          gone.",
    limit: "A kubelet may be 3 minors older than the newest kube-apiserver, or 2 where the kubelet itself is below \
            1.25, and no more than 2 below the highest minCompatibility that a kube-apiserver reports. A house \
            policy may allow less.",
    remedy: "Upgrade the kubelets of these nodes now: drain each node, move its kubelet, and uncordon it.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::behind(rule, context, Severity::Warning, None)
}
