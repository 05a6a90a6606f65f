//! The order of the moves of one time, all parts together, in as few steps as they allow: nodes that go to one minor
//! are one step, unless an update must come between them.

use std::collections::BTreeMap;

use super::model::Model;
use super::pieces::Place;
use super::search::Move;
use crate::inventory::version::Minor;

/// Something done in one step.
pub(super) enum Done {
    /// Pieces are rolled, each of a part.
    Rolled {
        /// Where to.
        to: Minor,
        /// The part and the piece.
        pieces: Vec<(usize, usize)>,
    },
    /// A unit is updated.
    Updated {
        /// Where to.
        to: Minor,
        /// The part and the unit.
        unit: (usize, usize),
    },
}

/// What a part does between two of its updates.
#[derive(Default)]
struct Phase {
    /// The update with which it begins.
    update: Option<(usize, Minor)>,
    /// The pieces that are rolled, by where to.
    rolls: BTreeMap<Minor, Vec<usize>>,
}

/// Where the pieces and units of a part are at the beginning of the time.
pub(super) struct Places {
    pub(super) pieces: Vec<Place>,
    pub(super) units: Vec<Place>,
}

/// The steps of one time, of the moves of each part.
pub(super) fn steps(model: &Model<'_>, time: usize, moves: &[&[Move]], places: &[Places]) -> Vec<Done> {
    let mut parts: Vec<Vec<Phase>> = Vec::with_capacity(moves.len());
    for (part, moves) in moves.iter().enumerate() {
        let mut phases = phases(moves);
        join(model, time, part, &places[part], &mut phases);
        phases.reverse();
        parts.push(phases);
    }
    let mut steps = Vec::new();
    loop {
        update(&mut parts, &mut steps, |phases| {
            phases.iter().any(|phase| !phase.rolls.is_empty())
        });
        let lowest = parts
            .iter()
            .filter_map(|phases| phases.last()?.rolls.keys().next());
        let Some(&to) = lowest.min() else { break };
        let mut pieces = Vec::new();
        for (part, phases) in parts.iter_mut().enumerate() {
            let rolled = phases.last_mut().and_then(|phase| phase.rolls.remove(&to));
            pieces.extend(rolled.into_iter().flatten().map(|piece| (part, piece)));
        }
        steps.push(Done::Rolled { to, pieces });
    }
    update(&mut parts, &mut steps, |_| true);
    steps
}

/// Does the updates whose turn it is, of the parts that are to have theirs.
fn update(parts: &mut [Vec<Phase>], steps: &mut Vec<Done>, is_due: impl Fn(&[Phase]) -> bool) {
    for (part, phases) in parts.iter_mut().enumerate() {
        while let Some(phase) = phases.last() {
            match phase.update {
                Some((unit, to)) if is_due(phases) => {
                    steps.push(Done::Updated {
                        to,
                        unit: (part, unit),
                    });
                    if let Some(phase) = phases.last_mut() {
                        phase.update = None;
                    }
                }
                None if phase.rolls.is_empty() => {
                    phases.pop();
                }
                _ => break,
            }
        }
    }
}

fn phases(moves: &[Move]) -> Vec<Phase> {
    let mut phases = vec![Phase::default()];
    for moved in moves {
        match *moved {
            Move::Update { unit, to } => phases.push(Phase {
                update: Some((unit, to)),
                ..Phase::default()
            }),
            Move::Roll { piece, to } => {
                if let Some(phase) = phases.last_mut() {
                    phase.rolls.entry(to).or_default().push(piece);
                }
            }
        }
    }
    phases
}

/// Lets pieces wait for others that go to the same minor after a later update, where they may.
fn join(model: &Model<'_>, time: usize, part: usize, places: &Places, phases: &mut [Phase]) {
    let mut units = vec![places.units.clone()];
    for phase in phases.iter().skip(1) {
        let mut next = units.last().cloned().unwrap_or_default();
        if let Some((unit, to)) = phase.update {
            next[unit] = Some(to);
        }
        units.push(next);
    }
    for from in (0..phases.len()).rev() {
        let targets: Vec<Minor> = phases[from].rolls.keys().copied().collect();
        for to in targets {
            let Some(later) = (from + 1..phases.len()).find(|&later| phases[later].rolls.contains_key(&to))
            else {
                continue;
            };
            let may_wait = |&piece: &usize| {
                let place = before(phases, from, piece, to, places.pieces[piece]);
                let piece_of = &model.cluster.parts[part].pieces[piece];
                let moves_between = (from..=later).any(|phase| {
                    let mut rolls = phases[phase].rolls.iter();
                    rolls.any(|(other, pieces)| (phase, *other) != (from, to) && pieces.contains(&piece))
                });
                let may_stay = (from..later).all(|phase| {
                    model.may_change(piece_of, time, (place, &units[phase]), (place, &units[phase + 1]))
                });
                let last = &units[later];
                !moves_between
                    && may_stay
                    && model.may_change(piece_of, time, (place, last), (Some(to), last))
            };
            if phases[from].rolls[&to].iter().all(may_wait) {
                let waiting = phases[from].rolls.remove(&to).unwrap_or_default();
                phases[later].rolls.entry(to).or_default().extend(waiting);
            }
        }
    }
}

/// Where a piece is before it is rolled to `to` in a phase.
fn before(phases: &[Phase], phase: usize, piece: usize, to: Minor, start: Place) -> Place {
    let earlier = phases[..=phase].iter().flat_map(|phase| &phase.rolls);
    let rolls = earlier.filter(|&(&other, pieces)| other < to && pieces.contains(&piece));
    rolls.map(|(&other, _)| other).max().or(start)
}
