//! `version-skew/kubectl-client`: the local kubectl outside what every kube-apiserver bears.

use super::{About, Context, Rule};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::finding::{Finding, RuleKey, Severity};
use crate::policy::standing::{Apiservers, Policy};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubectlClient,
    name: "version-skew/kubectl-client",
    component: Some(Component::Kubectl),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "The kubectl that runs this plugin, against the oldest and the newest kube-apiserver.",
    why: "A kubectl too far from the kube-apiserver that answers may send or print fields wrongly, and while an \
          upgrade is under way any kube-apiserver may answer.",
    limit: "kubectl may be 1 minor older or newer than kube-apiserver: not below the newest less 1, not above the \
            oldest plus 1.",
    remedy: "Use a kubectl of the minor that the control plane runs; keep a second one at hand for the time of the \
             upgrade.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubectl",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    // A hosted control plane is not what this kubectl talks to.
    if context.inventory.hosted.is_some() {
        return Vec::new();
    }
    let (Some(kubectl), Some(apiservers)) = (&context.inventory.kubectl, context.apiservers) else {
        return Vec::new();
    };
    let own = kubectl.minor();
    if !is_outside(context.policy, own, apiservers) {
        return Vec::new();
    }
    let Apiservers { lo, hi } = apiservers;
    let seen = if lo == hi {
        format!("kube-apiserver {lo}")
    } else {
        format!("kube-apiservers {lo} to {hi}")
    };
    let title = format!("kubectl {own} is too far from {seen}");
    let (from, to) = (hi.older_by(1), lo.next());
    let allowed = if from > to {
        "no kubectl fits all of them".to_owned()
    } else {
        format!("the policy allows kubectl {from} to {to}")
    };
    let mut finding = rule.finding(
        Severity::Warning,
        title,
        format!("the local kubectl is {kubectl}: {allowed}"),
    );
    finding.versions = vec![kubectl.raw().to_owned()];
    vec![finding]
}

/// Whether a kubectl at `own` is outside what these kube-apiservers bear.
pub(crate) fn is_outside(policy: &Policy, own: Minor, apiservers: Apiservers) -> bool {
    policy.is_newer(Component::Kubectl, own, apiservers.lo)
        || policy.is_behind(Component::Kubectl, own, apiservers.hi)
}
