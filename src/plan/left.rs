//! What a plan leaves at its end: nodes below the target, nodes that could not be planned for, and what is out of
//! policy still.

use super::model::Model;
use super::nodes::Nodes;
use super::order::Places;
use super::pieces::{Member, Piece, Place};
use super::reason::behind_today;
use super::steps::{Plan, Remaining};
use crate::policy::rules;

/// Adds to a plan what it leaves where everything is at the end. Beside an obstacle nothing is optional.
pub(super) fn add(
    plan: &mut Plan,
    model: &Model<'_>,
    nodes: &Nodes<'_>,
    places: &[Places],
    is_stopped: bool,
) {
    let mut optional = Vec::new();
    let mut remaining = managers(model);
    for (part, places) in model.cluster.parts.iter().zip(places) {
        for (piece, &place) in part.pieces.iter().zip(&places.pieces) {
            for member in &piece.members {
                if piece.is_planned && lags(model, member, (place, &places.units)) {
                    optional.extend(&member.nodes);
                }
                let judged = model.judge(member, place, &places.units, model.last);
                // A kube-proxy beside it keeps an unfinished node from the target.
                let unfinished = (!is_stopped && is_unfinished(model, piece, member, (place, &places.units)))
                    .then_some(&rules::kube_proxy_kubelet::RULE);
                for rule in judged.rules().chain(unfinished) {
                    let names = nodes
                        .names(&member.nodes)
                        .into_iter()
                        .chain(member.stray.iter().cloned());
                    remaining.extend(names.map(|object| Remaining { object, rule }));
                }
            }
        }
    }
    remaining.sort_unstable();
    remaining.dedup();
    plan.remaining = remaining;
    plan.unplanned = nodes.sorted(&model.cluster.unplanned, |_| true);
    plan.optional = nodes.sorted(&optional, |_| !is_stopped);
}

/// Whether anything of a member is below the target.
fn lags(model: &Model<'_>, member: &Member, (place, units): (Place, &[Place])) -> bool {
    let proxies = Model::proxies(member, place, units);
    let mut minors = Model::kubelet(member, place).into_iter().chain(proxies);
    minors.any(|minor| minor < model.target)
}

/// Whether a member is to end at the target, and does not.
fn is_unfinished(model: &Model<'_>, piece: &Piece, member: &Member, at: (Place, &[Place])) -> bool {
    let finishes = model.settings.finish_nodes;
    let ends = piece.is_planned && (finishes || member.runs.in_rollout);
    ends && (Model::moves(member, at.0, model.target) || finishes && lags(model, member, at))
}

/// The managers that are out of policy at the end.
fn managers(model: &Model<'_>) -> Vec<Remaining> {
    let at = model.hops.times[model.last].at;
    let policy = model.skew.policy();
    let mut remaining = Vec::new();
    for manager in &model.hops.managers[model.last] {
        let rules = [
            (manager.minor > at.lo, rules::manager_newer::of(manager.component)),
            (
                at.is_behind(policy, manager.component, manager.minor),
                behind_today(manager.component),
            ),
        ];
        let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
        remaining.extend(broken.map(|(_, rule)| Remaining {
            object: manager.name.clone(),
            rule,
        }));
    }
    remaining
}
