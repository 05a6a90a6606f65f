//! The moves of the whole cluster: every class and workload by its own course, those that hold each other by a
//! search, and all of them put together into as few steps as they allow.

use std::collections::VecDeque;

use super::breach::{Breaches, Moment};
use super::cluster::{Class, Cluster, MovedBy};
use super::mover::{Course, Mover, Place, Scope};
use super::search::{Move, Movers, Part, Search};

/// With so few classes all is searched as one where anything is, so that not even a step is wasted.
const FEW: usize = 6;

/// Who cannot get past a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuck {
    /// A class.
    Class(usize),
    /// A workload.
    Unit(usize),
    /// Several that hold each other.
    Together,
}

/// The moves of each slot; or the slot that cannot be left, and who is stuck there.
pub(super) fn solve(
    scope: &Scope<'_>,
    cluster: &Cluster,
    movers: &Movers,
) -> Result<Vec<Vec<Move>>, (usize, Vec<Stuck>)> {
    let classes = courses(scope, &movers.classes, Stuck::Class);
    let units = courses(scope, &movers.units, Stuck::Unit);
    let (classes, units) = match (classes, units) {
        (Ok(classes), Ok(units)) => (classes, units),
        (Err(stuck), Ok(_)) | (Ok(_), Err(stuck)) => return Err(stuck),
        (Err(one), Err(other)) if one.0 == other.0 => return Err((one.0, [one.1, other.1].concat())),
        (Err(one), Err(other)) => return Err(if one.0 < other.0 { one } else { other }),
    };
    let parts = parts(cluster);
    let mut held: Vec<Part> = Vec::new();
    let mut free: Vec<Part> = Vec::new();
    for part in parts {
        let is_held = !part.units.is_empty() && holds(scope, cluster, &part, &classes, &units);
        if is_held { &mut held } else { &mut free }.push(part);
    }
    if !held.is_empty() && cluster.classes.len() <= FEW {
        held = vec![Part {
            classes: (0..cluster.classes.len()).collect(),
            units: (0..cluster.units.len()).collect(),
        }];
        free.clear();
    }
    let mut lists: Vec<Vec<Vec<Move>>> = free
        .iter()
        .map(|part| alone(scope, part, &classes, &units))
        .collect();
    for part in &held {
        let search = Search {
            scope,
            cluster,
            movers,
            part,
        };
        let moves = search
            .run()
            .ok_or_else(|| (scope.last(), vec![Stuck::Together]))?;
        lists.push(moves);
    }
    let in_slot = |slot: usize| lists.iter().filter_map(move |list| list.get(slot).cloned());
    Ok((0..scope.slots.len())
        .map(|slot| merge(in_slot(slot).collect()))
        .collect())
}

fn courses(
    scope: &Scope<'_>,
    movers: &[Mover],
    stuck: impl Fn(usize) -> Stuck,
) -> Result<Vec<Course>, (usize, Vec<Stuck>)> {
    let mut found = Vec::new();
    let mut at: Option<(usize, Vec<Stuck>)> = None;
    for (index, mover) in movers.iter().enumerate() {
        match mover.course(scope, 0, None) {
            Ok(course) => found.push(course),
            Err(slot) => match &mut at {
                Some((first, who)) if *first == slot => who.push(stuck(index)),
                Some((first, _)) if *first < slot => {}
                _ => at = Some((slot, vec![stuck(index)])),
            },
        }
    }
    at.map_or(Ok(found), Err)
}

/// Classes and units that have to do with each other; classes without a unit each by themselves.
fn parts(cluster: &Cluster) -> Vec<Part> {
    let mut of_unit: Vec<usize> = (0..cluster.units.len()).collect();
    let root = |of_unit: &[usize], mut unit: usize| {
        while of_unit[unit] != unit {
            unit = of_unit[unit];
        }
        unit
    };
    for class in &cluster.classes {
        let mut roots = units_of(class)
            .map(|unit| root(&of_unit, unit))
            .collect::<Vec<_>>();
        roots.sort_unstable();
        if let Some((&first, rest)) = roots.split_first() {
            for &other in rest {
                of_unit[other] = first;
            }
        }
    }
    let mut by_root: Vec<Part> = vec![Part::default(); cluster.units.len()];
    for unit in 0..cluster.units.len() {
        by_root[root(&of_unit, unit)].units.push(unit);
    }
    let mut alone = Vec::new();
    for (index, class) in cluster.classes.iter().enumerate() {
        match units_of(class).next() {
            Some(unit) => by_root[root(&of_unit, unit)].classes.push(index),
            None => alone.push(Part {
                classes: vec![index],
                units: Vec::new(),
            }),
        }
    }
    by_root.retain(|part| !part.units.is_empty());
    by_root.extend(alone);
    by_root
}

fn units_of(class: &Class) -> impl Iterator<Item = usize> {
    class
        .runs
        .proxies
        .iter()
        .filter_map(|&(_, moved_by)| match moved_by {
            MovedBy::Unit(unit) => Some(unit),
            MovedBy::Node => None,
        })
}

/// Whether the courses that everything of a part takes alone do not go together.
fn holds(scope: &Scope<'_>, cluster: &Cluster, part: &Part, classes: &[Course], units: &[Course]) -> bool {
    part.classes.iter().any(|&index| {
        let class = &cluster.classes[index];
        let mut node: Place = None;
        let mut of_units: Vec<(usize, Place)> = units_of(class).map(|unit| (unit, None)).collect();
        of_units.dedup();
        scope.slots.iter().enumerate().any(|(number, slot)| {
            let judge = |node: Place, of_units: &[(usize, Place)], moment: Moment| {
                let of_unit = |unit| of_units.iter().find(|(other, _)| *other == unit)?.1;
                Breaches::of_class(scope.policy, &class.runs, node, of_unit, moment)
            };
            let mut before = judge(node, &of_units, slot.at);
            let mut is_held = false;
            for &to in &classes[index].moves[number] {
                node = Some(to);
                let now = judge(node, &of_units, slot.at);
                is_held |= now.add_to(&before);
                before = now;
            }
            for position in 0..of_units.len() {
                for &to in &units[of_units[position].0].moves[number] {
                    of_units[position].1 = Some(to);
                    let now = judge(node, &of_units, slot.at);
                    is_held |= now.add_to(&before);
                    before = now;
                }
            }
            is_held || before.has_pair() || !scope.may_pass(number, |moment| judge(node, &of_units, moment))
        })
    })
}

/// The moves of a part whose courses go together: in each slot the rolls, then the updates.
fn alone(scope: &Scope<'_>, part: &Part, classes: &[Course], units: &[Course]) -> Vec<Vec<Move>> {
    (0..scope.slots.len())
        .map(|slot| {
            let rolls = part.classes.iter().map(|&class| {
                let moves = classes[class].moves[slot].iter();
                moves
                    .map(|&to| Move::Roll {
                        to,
                        classes: vec![class],
                    })
                    .collect()
            });
            let updates = part.units.iter().flat_map(|&unit| {
                let moves = units[unit].moves[slot].iter();
                moves.map(move |&to| Move::Update { to, unit })
            });
            let mut moves = merge(rolls.collect());
            moves.extend(updates);
            moves
        })
        .collect()
}

/// One list of moves that keeps the order of each, rolls to one minor made together.
fn merge(lists: Vec<Vec<Move>>) -> Vec<Move> {
    let mut lists: Vec<VecDeque<Move>> = lists.into_iter().map(VecDeque::from).collect();
    let mut merged = Vec::new();
    loop {
        let holds_rolls = |list: &VecDeque<Move>| list.iter().any(|made| matches!(made, Move::Roll { .. }));
        let first = lists
            .iter_mut()
            .find(|list| matches!(list.front(), Some(Move::Update { .. })) && holds_rolls(list));
        if let Some(update) = first.and_then(VecDeque::pop_front) {
            merged.push(update);
            continue;
        }
        let lowest = lists.iter().filter_map(|list| match list.front() {
            Some(Move::Roll { to, .. }) => Some(*to),
            _ => None,
        });
        let Some(to) = lowest.min() else { break };
        let mut together = Vec::new();
        for list in &mut lists {
            if let Some(Move::Roll { to: other, classes }) = list.front_mut()
                && *other == to
            {
                together.append(classes);
                list.pop_front();
            }
        }
        together.sort_unstable();
        merged.push(Move::Roll {
            to,
            classes: together,
        });
    }
    let mut updates: Vec<Move> = lists.into_iter().flatten().collect();
    updates.sort_by_key(|made| match made {
        Move::Update { unit, .. } => *unit,
        Move::Roll { .. } => 0,
    });
    merged.extend(updates);
    merged
}
