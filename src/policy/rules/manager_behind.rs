//! `version-skew/<manager>-behind`: a controller-manager, scheduler or cloud-controller-manager too far behind the
//! newest kube-apiserver.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule for kube-controller-manager.
pub static KUBE_CONTROLLER_MANAGER: Rule = rule(
    Component::KubeControllerManager,
    "version-skew/kube-controller-manager-behind",
);
/// The rule for kube-scheduler.
pub static KUBE_SCHEDULER: Rule = rule(Component::KubeScheduler, "version-skew/kube-scheduler-behind");
/// The rule for cloud-controller-manager.
pub static CLOUD_CONTROLLER_MANAGER: Rule = rule(
    Component::CloudControllerManager,
    "version-skew/cloud-controller-manager-behind",
);

const fn rule(component: Component, name: &'static str) -> Rule {
    Rule {
        key: RuleKey::ManagerBehind(component),
        name,
        component: Some(component),
        severities: &[Severity::Warning],
        about: About::Today,
        what: "Instances that are too far behind the newest kube-apiserver.",
        why: "These components are expected to run kube-apiserver's own minor; one minor older is meant for the time \
              in which an upgrade is under way, and the next hop would leave it two behind.",
        limit: "It may be 1 minor older than the newest kube-apiserver, and not below the highest minCompatibility \
                that a kube-apiserver reports.",
        remedy: "Bring this component up to kube-apiserver's minor before the control plane moves.",
        source: "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        judge,
    }
}

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::behind(rule, context, Severity::Warning, None)
}
