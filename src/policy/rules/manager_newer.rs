//! `version-skew/<manager>-newer`: a controller-manager, scheduler or cloud-controller-manager newer than the
//! oldest kube-apiserver.

use super::skew_limit::{self, Subject};
use super::{About, Context, Rule};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule for kube-controller-manager.
pub static KUBE_CONTROLLER_MANAGER: Rule = rule(
    Component::KubeControllerManager,
    "version-skew/kube-controller-manager-newer",
);
/// The rule for kube-scheduler.
pub static KUBE_SCHEDULER: Rule = rule(Component::KubeScheduler, "version-skew/kube-scheduler-newer");
/// The rule for cloud-controller-manager.
pub static CLOUD_CONTROLLER_MANAGER: Rule = rule(
    Component::CloudControllerManager,
    "version-skew/cloud-controller-manager-newer",
);

const fn rule(component: Component, name: &'static str) -> Rule {
    Rule {
        key: RuleKey::ManagerNewer(component),
        name,
        component: Some(component),
        severities: &[Severity::Blocker, Severity::Warning],
        about: About::Today,
        what: "Instances newer than the oldest kube-apiserver, whatever the target. A warning where each has a \
               kube-apiserver at least as new on its own node; a blocker where not, and always for a hosted control \
               plane.",
        why: "Installers such as kubeadm and kOps point these components at the kube-apiserver of their own node; \
              behind a load balancer they may meet any of them, the oldest too, and then ask it for what it does not \
              serve.",
        limit: "It may never be newer than the oldest kube-apiserver that it can reach, and 1 minor older at most.",
        remedy: "Where an upgrade is under way, go on with it: move the older kube-apiservers up. Else set this \
                 component back to the minor of the oldest kube-apiserver before the control plane moves.",
        source: "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        judge,
    }
}

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    skew_limit::newer(rule, context, |newer| severity(context, newer))
}

fn severity(context: &Context<'_>, newer: &[Subject<'_>]) -> Severity {
    let has_its_own = |manager: &Subject<'_>| {
        manager.node.is_some()
            && skew_limit::instances(context, Component::KubeApiserver)
                .any(|apiserver| apiserver.node == manager.node && apiserver.minor >= manager.minor)
    };
    if context.inventory.hosted.is_none() && newer.iter().all(has_its_own) {
        Severity::Warning
    } else {
        Severity::Blocker
    }
}
