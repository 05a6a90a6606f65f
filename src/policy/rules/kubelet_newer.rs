//! `version-skew/kubelet-newer-than-apiserver`: kubelets newer than the oldest kube-apiserver.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeletNewerThanApiserver,
    name: "version-skew/kubelet-newer-than-apiserver",
    component: Some(Component::Kubelet),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Kubelets newer than the oldest kube-apiserver.",
    why: "A kubelet that reaches an older kube-apiserver asks for what that one does not serve: its pods may hang in \
          CreateContainerConfigError. Behind a load balancer any kube-apiserver may answer it, the oldest too.",
    limit: "A kubelet may never be newer than the oldest kube-apiserver.",
    remedy: "Move the older kube-apiservers up; that is the cure, not rolling the nodes back. Until then keep new \
             pods off these nodes.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::newer(rule, context, |_| Severity::Warning)
}
