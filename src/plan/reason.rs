//! Why a step is in the plan: what it mends, the later step that it makes way for, or the hop that it makes legal.

use super::model::Model;
use super::pieces::{Part, Piece, Place, Unit};
use super::steps::Reason;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules::{self, Rule};
use crate::policy::skew_policy::Policy;

/// The steps after the one that is explained, as far as they have to do with one piece or unit.
pub(super) struct Ahead<'a> {
    pub(super) time: usize,
    /// Where all units of the part are.
    pub(super) units: &'a [Place],
    /// Updates of the units of the piece until it is rolled again, or rolls of the pieces of the unit until it is
    /// updated again.
    pub(super) others: Vec<Later>,
    /// The step that moves it again.
    pub(super) again: Option<usize>,
}

/// A later step.
pub(super) struct Later {
    pub(super) number: usize,
    pub(super) time: usize,
    pub(super) to: Minor,
}

impl Ahead<'_> {
    /// The first of the other steps that cannot be done before this one; `is_blocked` says so of where it goes.
    fn makes_way(&self, is_blocked: impl Fn(Minor) -> bool) -> Option<&Later> {
        self.others.iter().find(|later| is_blocked(later.to))
    }

    /// The reason of several that hold: what is mended; a step of the same window, because the order is what matters
    /// there; the hop before which it is required; a later step; and what ends at the target.
    fn reason(
        &self,
        mended: Option<&'static Rule>,
        way: Option<&Later>,
        before_hop: Option<Reason>,
        ends: Option<Reason>,
    ) -> Option<Reason> {
        let mended = mended.map(|rule| Reason::MendToday { rule });
        let makes_way = |later: &Later| Reason::MakesWay { step: later.number };
        let now = way.filter(|later| later.time == self.time).map(makes_way);
        let again = self.again.map(|step| Reason::MakesWay { step });
        mended
            .or(now)
            .or(before_hop)
            .or_else(|| way.map(makes_way))
            .or(ends)
            .or(again)
    }
}

/// Why a piece is rolled from `place` to `to`.
pub(super) fn of_roll(
    model: &Model<'_>,
    (part, piece): (&Part, &Piece),
    (place, to): (Place, Minor),
    ahead: &Ahead<'_>,
) -> Option<Reason> {
    let Ahead { time, units, .. } = *ahead;
    let mended = piece.members.iter().find_map(|member| {
        let before = model.judge(member, place, units, time);
        let after = model.judge(member, Some(to), units, time);
        before.without(after).rules().next()
    });
    let kubelet = piece
        .members
        .iter()
        .filter_map(|member| Model::kubelet(member, place))
        .min()?;
    let way = ahead.makes_way(|proxy| model.skew.is_apart(proxy, kubelet));
    let stranded = raising(model, time).find_map(|(time, hop)| {
        let (component, minor) = stranded(model, piece, (place, units), time)?;
        Some(before_hop(model.skew.policy(), component, minor, hop))
    });
    let is_followed = piece.units.iter().any(|&unit| part.units[unit].follows);
    let apart = || {
        let hop = hops(model, time).find(|&hop| is_followed && model.skew.is_apart(hop, kubelet))?;
        Some(apart_after(
            model.skew.policy(),
            Component::Kubelet,
            (kubelet, hop, kubelet),
            hop,
        ))
    };
    let is_named = piece.members.iter().any(|member| member.runs.in_rollout);
    let rollout = (is_named && to == model.target).then_some(Reason::Rollout);
    ahead.reason(mended, way, stranded.or_else(apart), rollout.or(finishes(model)))
}

/// What of a piece would be too far behind in the middle of the hop after `time`, if it were not rolled any more.
fn stranded(
    model: &Model<'_>,
    piece: &Piece,
    (place, units): (Place, &[Place]),
    time: usize,
) -> Option<(Component, Minor)> {
    let moment = model.hops.half(time);
    let behind = piece.members.iter().filter_map(|member| {
        let kubelet = Model::kubelet(member, place)?;
        if model.skew.is_kubelet_behind(moment, kubelet) {
            return Some((Component::Kubelet, kubelet));
        }
        let statics = Model::proxies(member, place, units).take(member.runs.statics.len());
        let lowest = statics
            .filter(|&own| model.skew.is_proxy_behind(moment, own))
            .min()?;
        Some((Component::KubeProxy, lowest))
    });
    behind.min_by_key(|&(component, minor)| (minor, component))
}

/// Why a unit is updated from `place` to where it is `after`; `pieces` are those on which it has pods.
pub(super) fn of_update(
    model: &Model<'_>,
    unit: &Unit,
    pieces: &[(&Piece, Place)],
    (place, after): (Place, &[Place]),
    ahead: &Ahead<'_>,
) -> Option<Reason> {
    let Ahead { time, units, .. } = *ahead;
    let mended = pieces.iter().find_map(|(piece, at)| {
        piece.members.iter().find_map(|member| {
            let before = model.judge(member, *at, units, time);
            before
                .without(model.judge(member, *at, after, time))
                .rules()
                .next()
        })
    });
    let (lowest, _) = unit.span_at(place)?;
    let policy = model.skew.policy();
    let way = ahead.makes_way(|kubelet| model.skew.is_apart(lowest, kubelet));
    let stranded = raising(model, time).find_map(|(time, hop)| {
        let is_stranded = model.skew.is_proxy_behind(model.hops.half(time), lowest);
        is_stranded.then(|| before_hop(policy, Component::KubeProxy, lowest, hop))
    });
    let is_bound = pieces.iter().any(|(piece, at)| model.is_bound(piece, *at, time));
    let apart = || {
        let hop = hops(model, time).find(|&hop| is_bound && model.skew.is_apart(lowest, hop))?;
        Some(apart_after(
            policy,
            Component::KubeProxy,
            (lowest, lowest, hop),
            hop,
        ))
    };
    ahead.reason(mended, way, stranded.or_else(apart), finishes(model))
}

fn finishes(model: &Model<'_>) -> Option<Reason> {
    let target = model.target;
    model
        .settings
        .finish_nodes
        .then_some(Reason::FinishNodes { target })
}

/// Where the hops from a time on go.
fn hops(model: &Model<'_>, time: usize) -> impl Iterator<Item = Minor> {
    (time..model.last).filter_map(move |time| Some(model.hop(time)?.to))
}

/// The times before hops that raise the newest apiserver, and where those go.
fn raising(model: &Model<'_>, time: usize) -> impl Iterator<Item = (usize, Minor)> {
    (time..model.last).filter_map(move |time| {
        let hop = model.hop(time)?;
        hop.half.is_some().then_some((time, hop.to))
    })
}

/// That `component` at `minor` would be too far behind once the hop begins.
pub(super) fn before_hop(policy: &Policy, component: Component, minor: Minor, hop: Minor) -> Reason {
    let limit = policy.older(component, Component::KubeApiserver, minor, hop);
    Reason::BeforeHop {
        rule: behind_after_hop(component),
        hop,
        component,
        minor,
        limit: limit.older,
    }
}

/// That a kubelet and a kube-proxy would be too far apart once one of them has moved with the hop.
fn apart_after(
    policy: &Policy,
    component: Component,
    (minor, proxy, kubelet): (Minor, Minor, Minor),
    hop: Minor,
) -> Reason {
    Reason::BeforeHop {
        rule: &rules::kube_proxy_kubelet::RULE,
        hop,
        component,
        minor,
        limit: policy.pair_limit(proxy, kubelet).older,
    }
}

/// The reason that weighs most: of a step that moves several, the one to tell.
pub(super) fn first(reasons: impl Iterator<Item = Reason>) -> Option<Reason> {
    reasons.min_by_key(|reason| match reason {
        Reason::MendToday { rule } => (0, Some(*rule), None, 0),
        Reason::BeforeHop { rule, hop, minor, .. } => (1, Some(*rule), Some((*hop, *minor)), 0),
        Reason::MakesWay { step } => (2, None, None, *step),
        Reason::Rollout => (3, None, None, 0),
        Reason::FinishNodes { .. } => (4, None, None, 0),
        Reason::FinishHop | Reason::Target { .. } => (5, None, None, 0),
    })
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
