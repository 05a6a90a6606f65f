//! `version-skew/<manager>-newer`: a controller-manager, scheduler or cloud-controller-manager newer than the
//! oldest kube-apiserver.

use super::distance::{self, Judged};
use super::rule::{About, Allows, Context, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::verdict::Severity;

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
        name,
        component: Some(component),
        severities: &[Severity::Blocker, Severity::Warning],
        about: About::Today,
        what: "Instances newer than the oldest kube-apiserver, whatever the target. A warning where each has a \
               kube-apiserver at least as new on its own node; a blocker where not, and always for a hosted control \
               plane.",
        why: "Installers such as kubeadm and kOps connect these components to the kube-apiserver of their own node. \
              Behind a load balancer they may reach any of them, the oldest too, and request what that one does not \
              serve.",
        allows: Allows::ByTable(Component::KubeApiserver, Side::Newer),
        remedy: "Complete the running upgrade: upgrade the older kube-apiservers. Where no upgrade is running, set \
                 this component back to the minor of the oldest kube-apiserver.",
        source: "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        judge: |rule, context| {
            let newer = distance::newer(rule, context);
            newer
                .map(|(newer, evidence)| (severity(context, &newer), evidence))
                .into_iter()
                .collect()
        },
    }
}

fn severity(context: &Context<'_>, newer: &[Judged<'_>]) -> Severity {
    let has_its_own = |manager: &Judged<'_>| {
        manager.node.is_some()
            && distance::instances(context, Component::KubeApiserver)
                .any(|apiserver| apiserver.node == manager.node && apiserver.minor >= manager.minor)
    };
    if context.inventory.hosted.is_none() && newer.iter().all(has_its_own) {
        Severity::Warning
    } else {
        Severity::Blocker
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
