//! `version-skew/<manager>-behind`: a controller-manager, scheduler or cloud-controller-manager too far behind the
//! newest kube-apiserver.

use super::distance::{self, Against};
use super::rule::{About, Allows, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

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
        name,
        component: Some(component),
        severities: &[Severity::Warning],
        about: About::Today,
        what: "Instances that are too far behind the newest kube-apiserver.",
        why: "These components are expected to run kube-apiserver's own minor. One minor version behind is allowed \
              for the time of an upgrade; the next one would leave it two behind.",
        allows: Allows::ByTable(Component::KubeApiserver, Side::OlderToday),
        remedy: "Upgrade this component to kube-apiserver's minor before kube-apiserver is upgraded.",
        source: "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        judge: |rule, context| {
            let evidence = distance::behind(rule, context, Against::Newest);
            evidence
                .map(|evidence| (Severity::Warning, evidence))
                .into_iter()
                .collect()
        },
    }
}

/// The rule for a manager.
pub fn of(manager: Component) -> &'static Rule {
    match manager {
        Component::KubeScheduler => &KUBE_SCHEDULER,
        Component::CloudControllerManager => &CLOUD_CONTROLLER_MANAGER,
        _ => &KUBE_CONTROLLER_MANAGER,
    }
}
