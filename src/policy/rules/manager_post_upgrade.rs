//! `version-skew/<manager>-post-upgrade`: a controller-manager, scheduler or cloud-controller-manager behind the
//! kube-apiservers, which the next hop would leave too far behind.

use super::distance::{self, Against};
use super::rule::{About, Allows, Context, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::evidence::Evidence;
use crate::policy::verdict::Severity;

/// The rule for kube-controller-manager.
pub static KUBE_CONTROLLER_MANAGER: Rule = rule(
    Component::KubeControllerManager,
    "version-skew/kube-controller-manager-post-upgrade",
);
/// The rule for kube-scheduler.
pub static KUBE_SCHEDULER: Rule = rule(
    Component::KubeScheduler,
    "version-skew/kube-scheduler-post-upgrade",
);
/// The rule for cloud-controller-manager.
pub static CLOUD_CONTROLLER_MANAGER: Rule = rule(
    Component::CloudControllerManager,
    "version-skew/cloud-controller-manager-post-upgrade",
);

const fn rule(component: Component, name: &'static str) -> Rule {
    Rule {
        name,
        component: Some(component),
        severities: &[Severity::Warning],
        about: About::Target,
        what: "Instances behind the oldest kube-apiserver that would be too far behind once the newest kube-apiserver \
               is upgraded.",
        why: "kube-apiserver is upgraded before these components. One that was left behind by the upgrade before is \
              then two minor versions behind, and may use APIs that are removed.",
        allows: Allows::ByTable(Component::KubeApiserver, Side::Older),
        remedy: "Upgrade this component to the minor of the oldest kube-apiserver before kube-apiserver is upgraded.",
        source: "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        judge: |rule, context| {
            let evidence = judge(rule, context);
            evidence
                .map(|evidence| (Severity::Warning, evidence))
                .into_iter()
                .collect()
        },
    }
}

/// The next minor of the newest kube-apiserver is the one that leaves them behind, however far the target is.
fn judge(rule: &Rule, context: &Context<'_>) -> Option<Evidence> {
    let apiservers = context.apiservers?;
    if context.target? <= apiservers.hi {
        return None;
    }
    let next = Against::Coming(apiservers.hi.next());
    // One at the oldest kube-apiserver's minor follows while the running upgrade is completed.
    distance::behind_among(rule, context, next, |minor| minor < apiservers.lo)
}

/// The rule for a manager.
pub fn of(manager: Component) -> &'static Rule {
    match manager {
        Component::KubeScheduler => &KUBE_SCHEDULER,
        Component::CloudControllerManager => &CLOUD_CONTROLLER_MANAGER,
        _ => &KUBE_CONTROLLER_MANAGER,
    }
}
