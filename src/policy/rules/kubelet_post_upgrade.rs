//! `version-skew/kubelet-post-upgrade`: kubelets that the move to the target would strand.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeletPostUpgrade,
    name: "version-skew/kubelet-post-upgrade",
    component: Some(Component::Kubelet),
    severities: &[Severity::Blocker],
    about: About::Target,
    what: "Kubelets that would be too far behind once kube-apiserver runs the target minor.",
    why: "The control plane moves first. A kubelet that it leaves too far behind may use APIs and fields that the \
          new kube-apiserver no longer serves or fills, and nothing refuses it at the door.",
    limit: "A kubelet may be 3 minors older than kube-apiserver, or 2 where the kubelet itself is below 1.25. A \
            house policy may allow less.",
    remedy: "Upgrade the kubelets of these nodes before the control plane moves: drain each node, move its kubelet \
             as far as today's oldest kube-apiserver allows, and uncordon it.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    match context.target {
        Some(target) => skew_limit::behind(rule, context, Severity::Blocker, Some(target)),
        None => Vec::new(),
    }
}
