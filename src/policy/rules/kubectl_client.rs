//! `version-skew/kubectl-client`: the local kubectl too far from a kube-apiserver.

use super::rule::{About, Allows, Context, Rule, Side};
use crate::inventory::component::Component;
use crate::policy::apiservers::Apiservers;
use crate::policy::evidence::{Client, Evidence, Limit};
use crate::policy::limits::{self, UPSTREAM};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/kubectl-client",
    component: Some(Component::Kubectl),
    severities: &[Severity::Info],
    about: About::Today,
    what: "The kubectl that runs this plugin, against the oldest and the newest kube-apiserver.",
    why: "A kubectl too far from the kube-apiserver that answers may send or print fields wrongly, and while an \
          upgrade is running any kube-apiserver may answer. It changes nothing in the cluster, so it fails no gate.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::EitherWay),
    remedy: "Use a kubectl of the control plane's minor. Keep a second one at hand while the upgrade runs.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubectl",
    judge: |_, context| {
        judge(context)
            .map(|client| (Severity::Info, client))
            .into_iter()
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Option<Evidence> {
    // This kubectl does not talk to a hosted control plane.
    if context.inventory.hosted.is_some() {
        return None;
    }
    let kubectl = context.inventory.kubectl.as_ref()?;
    let Apiservers { lo, hi } = context.apiservers?;
    let (own, policy) = (kubectl.minor(), context.policy);
    let is_outside =
        policy.is_newer(Component::Kubectl, own, lo) || policy.is_behind(Component::Kubectl, own, hi);
    if !is_outside {
        return None;
    }
    let row = limits::limit(UPSTREAM, Component::Kubectl, Component::KubeApiserver, own)?;
    let (oldest, newest) = (hi.older_by(row.older), lo.newer_by(row.newer));
    let limit = policy.older(Component::Kubectl, Component::KubeApiserver, own, hi);
    Some(Evidence::Client(Client {
        version: kubectl.raw().to_owned(),
        minor: own,
        oldest: lo,
        newest: hi,
        limit: Limit::of(policy, limit),
        fitting: (oldest <= newest).then_some((oldest, newest)),
    }))
}
