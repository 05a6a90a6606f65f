//! Why a plan ends before its target: what is in the way, which rule it would break, and why no step moves it.

use super::bounds::Bounds;
use super::model::{Model, NEVER};
use super::order::Places;
use super::pieces::{Member, Part, Piece, Place};
use super::reason::behind_after_hop;
use super::solve::{Stuck, Task};
use super::steps::{Cause, Held, Obstacle};
use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules;

/// The obstacle at the hop after the last time of `model`; `places` is where everything of the stuck part is then.
pub(super) fn of(
    inventory: &Inventory,
    task: &Task<'_>,
    model: &Model<'_>,
    stuck: Stuck,
    places: &Places,
) -> Obstacle {
    let hop = model.hops.times[model.last].hop.as_ref();
    let newest = hop.map_or_else(|| model.lo(model.last), |hop| hop.to);
    let obstacle = |object, rule, cause| Obstacle {
        hop: hop.map(|hop| hop.to),
        object,
        rule,
        cause,
    };
    if !stuck.is_certain {
        return obstacle(None, None, Cause::SearchStopped);
    }
    let part = &model.cluster.parts[stuck.part];
    let alone = stuck_alone(task, model.last + 1, stuck.part);
    let is_meant = |index: usize| alone.is_empty() || alone.contains(&index);
    let behind = (0..part.pieces.len())
        .filter(|&index| is_meant(index))
        .flat_map(|index| {
            let piece = &part.pieces[index];
            let place = places.pieces[index];
            piece.members.iter().filter_map(move |member| {
                let (component, minor, held) = behind(model, part, (piece, member), (place, &places.units))?;
                Some((first_name(inventory, member)?, component, minor, held))
            })
        });
    if let Some((name, component, minor, held)) = behind.min_by(|(one, ..), (other, ..)| one.cmp(other)) {
        let cause = Cause::TooOld {
            component,
            minor,
            newest,
            held,
        };
        return obstacle(Some(name), Some(behind_after_hop(component)), cause);
    }
    let names = (0..part.pieces.len())
        .filter(|&index| is_meant(index))
        .flat_map(|index| &part.pieces[index].members);
    let first = names.filter_map(|member| first_name(inventory, member)).min();
    obstacle(
        first,
        Some(&rules::kube_proxy_kubelet::RULE),
        Cause::NoOrder { newest },
    )
}

/// The pieces that do not get past the hop even with their units to themselves.
fn stuck_alone(task: &Task<'_>, last: usize, part: usize) -> Vec<usize> {
    let model = task.model(last);
    let all = (1 << (last + 1)) - 1;
    let bounds = Bounds::new(&model, all, all);
    let of = &task.cluster.parts[part];
    let units: Vec<Place> = of.units.iter().map(super::pieces::Unit::start).collect();
    let is_stuck = |index: &usize| {
        let piece = &of.pieces[*index];
        let mut of_units = bounds.of(part, *index).iter().enumerate();
        of_units.any(|(position, bound)| {
            let unit = piece.units.get(position).and_then(|&unit| units[unit]);
            bound.at(0, unit, piece.start()).0 == NEVER
        })
    };
    (0..of.pieces.len()).filter(is_stuck).collect()
}

/// What of a member would be too far behind while the hop is under way, and why nothing makes it newer.
fn behind(
    model: &Model<'_>,
    part: &Part,
    (piece, member): (&Piece, &Member),
    (place, units): (Place, &[Place]),
) -> Option<(Component, Minor, Held)> {
    let time = model.last;
    let half = model.hops.half(time);
    let lo = model.lo(time);
    let is_bound = model.is_bound(piece, place, time);
    let held = |kubelet: Option<Minor>| match kubelet {
        _ if !piece.is_planned && member.nodes.is_empty() => Held::NotListed,
        _ if !piece.is_planned => Held::Unread,
        Some(minor) if minor > lo => Held::NewerKubelet { minor },
        _ => Held::NoStep,
    };
    let kubelet = Model::kubelet(member, place);
    if let Some(own) = kubelet.filter(|&own| !is_bound && model.skew.is_kubelet_behind(half, own)) {
        return Some((Component::Kubelet, own, held(kubelet)));
    }
    let statics = Model::proxies(member, place, units).take(member.runs.statics.len());
    let lowest = statics
        .filter(|&own| !is_bound && model.skew.is_proxy_behind(half, own))
        .min();
    if let Some(own) = lowest {
        return Some((Component::KubeProxy, own, held(kubelet)));
    }
    let pods = member
        .runs
        .pods
        .iter()
        .map(|&(unit, minor)| (unit, units[unit].unwrap_or(minor)));
    let (unit, own) = pods
        .filter(|&(_, own)| model.skew.is_proxy_behind(half, own))
        .min_by_key(|(_, own)| *own)?;
    let newest = part.units[unit].span_at(units[unit]).map(|(_, high)| high);
    let held = match newest.filter(|&newest| newest > lo) {
        Some(minor) => Held::NewerPod { minor },
        None => Held::NoStep,
    };
    Some((Component::KubeProxy, own, held))
}

fn first_name(inventory: &Inventory, member: &Member) -> Option<String> {
    let nodes = member
        .nodes
        .iter()
        .filter_map(|&node| Some(&inventory.nodes.get(node)?.name));
    nodes.chain(&member.stray).min().cloned()
}
