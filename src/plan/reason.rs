//! Why a step is in the plan: the rule that it mends or keeps. The words are in `words`.

use super::breach::{Breaches, Moment};
use super::steps::Reason;
use super::timeline::Hop;
use super::words;
use crate::inventory::component::Component;
use crate::policy::rules;

/// Why something moves: what it breaks now, else what it would break at the hop, else the rollout, else because
/// something beside it moves.
pub(super) fn why(
    judge: impl Fn(Moment) -> Breaches,
    has_pair: bool,
    at: Moment,
    hop: Option<&Hop>,
    is_rollout: bool,
    is_anything_broken: bool,
) -> Reason {
    let component = |breaches: &Breaches| {
        if breaches.has_kubelet_behind() {
            Component::Kubelet
        } else {
            Component::KubeProxy
        }
    };
    let now = judge(at);
    if now.has_behind() {
        return Reason::MendToday {
            rule: words::behind_today(component(&now)),
        };
    }
    let pair = &rules::kube_proxy_kubelet::RULE;
    if has_pair {
        return Reason::MendToday { rule: pair };
    }
    if let Some(hop) = hop {
        let stranded = hop.passes.iter().copied().map(&judge).find(Breaches::has_behind);
        if let Some(stranded) = stranded {
            let rule = words::behind_after_hop(component(&stranded));
            return Reason::BeforeHop { rule, hop: hop.to };
        }
    }
    match hop {
        _ if is_rollout => Reason::Rollout,
        Some(hop) if !is_anything_broken => Reason::BeforeHop {
            rule: pair,
            hop: hop.to,
        },
        _ => Reason::MendToday { rule: pair },
    }
}

/// The reason that weighs most: of a step that moves several, the one to tell.
pub(super) fn first_reason(reasons: impl Iterator<Item = Reason>) -> Reason {
    let rank = |reason: &Reason| match reason {
        Reason::MendToday { rule } => (0, Some(rules::order(rule))),
        Reason::BeforeHop { rule, .. } => (1, Some(rules::order(rule))),
        Reason::Rollout => (2, None),
        Reason::FinishHop | Reason::Target { .. } => (3, None),
    };
    reasons.min_by_key(rank).unwrap_or(Reason::Rollout)
}
