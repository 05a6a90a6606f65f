//! Why a plan ends before its target: who stands in the way, which rule it would break, and why no
//! step moves it.

use super::breach::{Breaches, Moment};
use super::cluster::{Class, Cluster, MovedBy};
use super::mover::Scope;
use super::reason::behind_after_hop;
use super::search::Movers;
use super::solve::Stuck;
use super::steps::{Cause, Held, Obstacle};
use super::timeline::Hop;
use super::write::Places;
use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules::{self, Rule};

/// The obstacle at `hop`, which nobody of `stuck` bears; `places` is where all stand before it.
pub(super) fn of(
    inventory: &Inventory,
    cluster: &Cluster,
    movers: &Movers,
    scope: &Scope<'_>,
    hop: Option<&Hop>,
    stuck: &[Stuck],
    places: &Places,
) -> Obstacle {
    let at = hop.and_then(|hop| hop.passes.last()).copied();
    let at = at.unwrap_or_else(|| scope.slots[scope.last()].at);
    let subjects = stuck.iter().flat_map(|stuck| match stuck {
        Stuck::Class(class) => vec![*class],
        Stuck::Unit(unit) => of_unit(cluster, *unit),
        Stuck::Together => (0..cluster.classes.len()).collect(),
    });
    let is_together = stuck.contains(&Stuck::Together);
    let found = subjects
        .filter_map(|index| {
            let class = &cluster.classes[index];
            let (rule, component, minor) = breach(class, index, scope, places, at, is_together)?;
            let name = first_name(inventory, class)?;
            let cause = Cause::TooOld {
                component,
                minor: minor.unwrap_or(at.lo),
                newest: at.hi,
                held: held_by(class, movers, index, scope, places, component),
            };
            Some((name, rule, cause))
        })
        .min_by(|(one, ..), (other, ..)| one.cmp(other));
    let hop = hop.map(|hop| hop.to);
    match found {
        Some((object, rule, cause)) => Obstacle {
            hop,
            object: Some(object),
            rule: Some(rule),
            cause,
        },
        None => Obstacle {
            hop,
            object: None,
            rule: Some(&rules::kube_proxy_kubelet::RULE),
            cause: Cause::NoOrder { newest: at.hi },
        },
    }
}

/// The rule that a class would break, by which component and its minor; `None` where it is in nobody's way.
fn breach(
    class: &Class,
    index: usize,
    scope: &Scope<'_>,
    places: &Places,
    at: Moment,
    is_together: bool,
) -> Option<(&'static Rule, Component, Option<Minor>)> {
    let runs = &class.runs;
    let node = places.classes[index];
    let of_unit = |unit: usize| places.units[unit];
    let breaches = Breaches::of_class(scope.policy, runs, node, of_unit, at);
    let is_in_the_way = breaches.has_behind() || (is_together && breaches.has_pair());
    if !is_in_the_way {
        return None;
    }
    let (component, minor) = if breaches.has_kubelet_behind() {
        let minor = runs.kubelet.map(|minor| node.unwrap_or(minor));
        (Component::Kubelet, minor)
    } else {
        let proxies = runs.proxies.iter().map(|&(minor, moved_by)| {
            let moved = match moved_by {
                MovedBy::Node => node,
                MovedBy::Unit(unit) => places.units[unit],
            };
            moved.unwrap_or(minor)
        });
        (Component::KubeProxy, proxies.min())
    };
    let rule = if breaches.has_behind() {
        behind_after_hop(component)
    } else {
        &rules::kube_proxy_kubelet::RULE
    };
    Some((rule, component, minor))
}

/// Why no step helps.
fn held_by(
    class: &Class,
    movers: &Movers,
    index: usize,
    scope: &Scope<'_>,
    places: &Places,
    component: Component,
) -> Held {
    let lo = scope.slots[scope.last()].at.lo;
    let newest = |minors: &mut dyn Iterator<Item = Minor>| minors.max().filter(|&newest| newest > lo);
    let by_unit = class
        .runs
        .proxies
        .iter()
        .find_map(|&(_, moved_by)| match moved_by {
            MovedBy::Unit(unit) if component == Component::KubeProxy => {
                newest(&mut movers.units[unit].minors(places.units[unit]))
            }
            _ => None,
        });
    if let Some(minor) = by_unit {
        return Held::NewerPod { minor };
    }
    if class.runs.is_planned {
        return match newest(&mut movers.classes[index].minors(places.classes[index])) {
            Some(minor) => Held::NewerKubelet { minor },
            None => Held::NoStep,
        };
    }
    if class.nodes.is_empty() {
        Held::NotListed
    } else {
        Held::Unread
    }
}

fn of_unit(cluster: &Cluster, unit: usize) -> Vec<usize> {
    let moves = |class: &Class| {
        class
            .runs
            .proxies
            .iter()
            .any(|(_, by)| *by == MovedBy::Unit(unit))
    };
    (0..cluster.classes.len())
        .filter(|&index| moves(&cluster.classes[index]))
        .collect()
}

fn first_name(inventory: &Inventory, class: &Class) -> Option<String> {
    let nodes = class
        .nodes
        .iter()
        .filter_map(|&index| Some(inventory.nodes.get(index)?.name.as_str()));
    nodes
        .chain(class.stray.iter().map(String::as_str))
        .min()
        .map(str::to_owned)
}
