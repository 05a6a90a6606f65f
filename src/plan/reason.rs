//! Why a step is in the plan: the rule that it mends or keeps.

use super::breach::{Breaches, Moment};
use super::mover::{Mover, Place};
use super::steps::Reason;
use super::timeline::Hop;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules::{self, Rule};
use crate::policy::skew_policy::Policy;

/// When something moves.
pub(super) struct When<'a> {
    /// The apiservers.
    pub(super) at: Moment,
    /// The hop after it.
    pub(super) hop: Option<&'a Hop>,
    /// The number of the step after the one that is explained.
    pub(super) next_step: usize,
}

/// Why something moves: what it breaks now, else what it would break at the hop, else the rollout, else because
/// something beside it moves.
pub(super) fn why(
    policy: &Policy,
    (mover, place): (&Mover, Place),
    has_pair: bool,
    when: &When<'_>,
    is_rollout: bool,
) -> Reason {
    let judge = |moment: Moment| mover.breaches(policy, place, moment);
    let component = |breaches: &Breaches| {
        if breaches.has_kubelet_behind() {
            Component::Kubelet
        } else {
            Component::KubeProxy
        }
    };
    let now = judge(when.at);
    if now.has_behind() {
        return Reason::MendToday {
            rule: behind_today(component(&now)),
        };
    }
    if has_pair {
        return Reason::MendToday {
            rule: &rules::kube_proxy_kubelet::RULE,
        };
    }
    if let Some(hop) = when.hop {
        let stranded = hop
            .passes
            .iter()
            .map(|&moment| (moment, judge(moment)))
            .find(|(_, breaches)| breaches.has_behind());
        if let Some((moment, stranded)) = stranded {
            let component = component(&stranded);
            let minor = mover.minors(place).min().unwrap_or(hop.from);
            return before_hop(policy, component, minor, hop.to, moment.hi);
        }
    }
    if is_rollout {
        return Reason::Rollout;
    }
    Reason::MakesWay { step: when.next_step }
}

/// That `component` at `minor` would be too far behind once the hop begins.
pub(super) fn before_hop(
    policy: &Policy,
    component: Component,
    minor: Minor,
    hop: Minor,
    newest: Minor,
) -> Reason {
    Reason::BeforeHop {
        rule: behind_after_hop(component),
        hop,
        component,
        minor,
        limit: policy
            .older(component, Component::KubeApiserver, minor, newest)
            .older,
    }
}

/// The reason that weighs most: of a step that moves several, the one to tell.
pub(super) fn first_reason(reasons: impl Iterator<Item = Reason>) -> Reason {
    let rank = |reason: &Reason| match reason {
        Reason::MendToday { rule } => (0, Some(rules::order(rule)), None),
        Reason::BeforeHop { rule, minor, .. } => (1, Some(rules::order(rule)), Some(*minor)),
        Reason::MakesWay { .. } => (2, None, None),
        Reason::Rollout => (3, None, None),
        Reason::FinishNodes { .. } => (4, None, None),
        Reason::FinishHop | Reason::Target { .. } => (5, None, None),
    };
    reasons.min_by_key(rank).unwrap_or(Reason::Rollout)
}

/// The rule that says that `component` is too far behind the newest apiserver today.
pub(super) fn behind_today(component: Component) -> &'static Rule {
    match component {
        Component::Kubelet => &rules::kubelet_current::RULE,
        Component::KubeProxy => &rules::kube_proxy_behind::RULE,
        other => rules::manager_behind::of(other),
    }
}

/// The rule that says that `component` is too far behind once the apiservers have made a hop.
pub(super) fn behind_after_hop(component: Component) -> &'static Rule {
    match component {
        Component::Kubelet => &rules::kubelet_post_upgrade::RULE,
        Component::KubeProxy => &rules::kube_proxy_post_upgrade::RULE,
        other => rules::manager_behind::of(other),
    }
}
