//! One piece with one of its units to itself: whether it has a way within given times, and between which times each of
//! its rolls and updates lies on every way that costs so little. What such a piece asks for, its part asks for.

use super::bounds::{PieceBound, Times, updates_of, with_unit};
use super::model::{Cost, Model, NEVER};
use super::pieces::{Part, Piece, Place, Unit};
use super::search::Counts;

/// A piece and its unit, or none.
pub(super) struct Alone<'a> {
    model: &'a Model<'a>,
    piece: Piece,
    unit: Option<&'a Unit>,
    bound: &'a PieceBound,
}

/// The first and the last time in which the first roll may be, then the second …; the same of updates.
#[derive(Default)]
pub(super) struct Spans {
    pub(super) rolls: Vec<(usize, usize)>,
    pub(super) updates: Vec<(usize, usize)>,
}

/// Somewhere on a way.
#[derive(Clone, Copy)]
struct State {
    unit: Place,
    place: Place,
    cost: Cost,
    updates: u32,
}

impl<'a> Alone<'a> {
    /// The piece with the unit at that position of its units.
    pub(super) fn new(
        model: &'a Model<'a>,
        part: &'a Part,
        piece: &'a Piece,
        position: usize,
        bound: &'a PieceBound,
    ) -> Self {
        let unit = piece.units.get(position);
        Self {
            model,
            piece: unit.map_or_else(|| piece.clone(), |&unit| with_unit(piece, unit)),
            unit: unit.map(|&unit| &part.units[unit]),
            bound,
        }
    }

    /// The spans over all ways within these times that cost at most so much; `None` where there is none. Updates are
    /// not counted where they may be any number.
    pub(super) fn spans(&self, rolls_in: Times, updates_in: Times, at_most: Counts) -> Option<Spans> {
        let start = State {
            unit: self.unit.and_then(Unit::start),
            place: self.piece.start(),
            cost: 0,
            updates: 0,
        };
        let mut seen = Seen::default();
        let mut states: Vec<State> = Vec::new();
        self.add(&mut states, 0, start, at_most);
        for time in 0..=self.model.last {
            let mut next = 0;
            while let Some(&state) = states.get(next) {
                if updates_in >> time & 1 == 1 {
                    self.update(&mut states, time, state, at_most);
                }
                if rolls_in >> time & 1 == 1 {
                    self.roll(&mut states, time, state, at_most);
                }
                next += 1;
            }
            for state in &states {
                seen.note(self.rolls(state), time, |seen| &mut seen.rolls);
                seen.note(state.updates, time, |seen| &mut seen.updates);
            }
            if time == self.model.last {
                break;
            }
            let mut after = Vec::new();
            for state in states {
                self.hop(&mut after, time, state, at_most);
            }
            states = after;
        }
        let is_reached = |state: &State| {
            let cost = state.cost
                + self
                    .model
                    .left(&self.piece, state.place, &self.units(state.unit), self.model.last);
            self.model.scale.before_windows(cost) <= at_most.before_windows
        };
        let mut spans = states.iter().any(is_reached).then(|| seen.spans())?;
        // There may be more than there must be; of those that may be, nothing is asked.
        let (least, few) = self.bound.at(0, start.unit, start.place);
        let updates = updates_of(few, self.model.scale.before_windows(least));
        let rolls = self.rolls(&State { cost: least, ..start });
        spans.rolls.truncate(usize::try_from(rolls).unwrap_or(usize::MAX));
        spans
            .updates
            .truncate(usize::try_from(updates).unwrap_or(usize::MAX));
        Some(spans)
    }

    fn units(&self, unit: Place) -> Vec<Place> {
        self.unit.map(|_| unit).into_iter().collect()
    }

    /// How often the nodes of a state have been rolled; 0 where not all are rolled at once.
    fn rolls(&self, state: &State) -> u32 {
        if self.piece.members.len() > 1 {
            return 0;
        }
        let rolls = self
            .model
            .scale
            .rolls(self.model.scale.before_windows(state.cost));
        let size = usize::try_from(self.piece.size()).unwrap_or(usize::MAX).max(1);
        u32::try_from(rolls / size).unwrap_or(u32::MAX)
    }

    /// Adds a state that may lead to the end for so little, unless one that is as good is there.
    fn add(&self, states: &mut Vec<State>, time: usize, mut state: State, at_most: Counts) -> bool {
        let (least, few) = self.bound.at(time, state.unit, state.place);
        if least == NEVER {
            return false;
        }
        let scale = self.model.scale;
        let before = scale.before_windows(state.cost + least);
        if before > at_most.before_windows {
            return false;
        }
        if at_most.updates == u32::MAX {
            state.updates = 0;
        } else if before == at_most.before_windows {
            let few = updates_of(few, scale.before_windows(least));
            if state.updates + few > at_most.updates {
                return false;
            }
        }
        let is_as_good = |known: &State| {
            (known.unit, known.place) == (state.unit, state.place)
                && known.cost == state.cost
                && known.updates == state.updates
        };
        let is_new = !states.iter().any(is_as_good);
        if is_new {
            states.push(state);
        }
        is_new
    }

    fn update(&self, states: &mut Vec<State>, time: usize, state: State, at_most: Counts) {
        let Some(unit) = self.unit else { return };
        let before = self.units(state.unit);
        for to in self.model.updates(unit, state.unit, time) {
            let after = [Some(to)];
            let updated = State {
                unit: Some(to),
                updates: state.updates + 1,
                ..state
            };
            let from = (state.place, before.as_slice());
            if self.is_cheap(time, &updated, at_most)
                && self
                    .model
                    .may_change(&self.piece, time, from, (state.place, &after))
            {
                self.add(states, time, updated, at_most);
            }
        }
    }

    fn roll(&self, states: &mut Vec<State>, time: usize, state: State, at_most: Counts) {
        let units = self.units(state.unit);
        for (to, moved) in self.model.rolls(&self.piece, state.place, time) {
            let place = Some(to);
            let from = (state.place, units.as_slice());
            let cost = self.model.roll_cost(&self.piece, time, from, to, moved);
            let rolled = State {
                place,
                cost: state.cost + cost - self.model.scale.after_updates(cost),
                ..state
            };
            if place > state.place
                && self.is_cheap(time, &rolled, at_most)
                && self.model.may_change(&self.piece, time, from, (place, &units))
            {
                self.add(states, time, rolled, at_most);
            }
        }
    }

    fn is_cheap(&self, time: usize, state: &State, at_most: Counts) -> bool {
        let (least, _) = self.bound.at(time, state.unit, state.place);
        least != NEVER && self.model.scale.before_windows(state.cost + least) <= at_most.before_windows
    }

    fn hop(&self, after: &mut Vec<State>, time: usize, state: State, at_most: Counts) {
        let Some(hop) = self.model.hop(time) else { return };
        let before = self.units(state.unit);
        let unit = self
            .unit
            .and_then(|unit| Model::unit_after(unit, state.unit, hop));
        let units = self.units(unit);
        let Some(place) = self.model.pass(&self.piece, state.place, (&before, &units), time) else {
            return;
        };
        let passed = State {
            unit,
            place,
            cost: state.cost + self.model.left(&self.piece, state.place, &before, time),
            ..state
        };
        self.add(after, time + 1, passed, at_most);
    }
}

/// In which times something has happened so often.
#[derive(Default)]
struct Seen {
    rolls: Vec<Option<(usize, usize)>>,
    updates: Vec<Option<(usize, usize)>>,
}

impl Seen {
    fn note(&mut self, number: u32, time: usize, of: impl Fn(&mut Self) -> &mut Vec<Option<(usize, usize)>>) {
        let number = usize::try_from(number).unwrap_or_default();
        let seen = of(self);
        if seen.len() <= number {
            seen.resize(number + 1, None);
        }
        let (first, _) = seen[number].unwrap_or((time, time));
        seen[number] = Some((first, time));
    }

    fn spans(&self) -> Spans {
        // The next comes when there is first one more, and no later than there was last one less.
        let of = |seen: &[Option<(usize, usize)>]| {
            let pairs = seen.windows(2).map_while(|pair| Some((pair[1]?.0, pair[0]?.1)));
            pairs.collect()
        };
        Spans {
            rolls: of(&self.rolls),
            updates: of(&self.updates),
        }
    }
}

/// The times from the first to the last.
pub(super) fn times((first, last): (usize, usize)) -> Times {
    let until = |time: usize| (1 << time) - 1;
    until(last + 1) & !until(first)
}
