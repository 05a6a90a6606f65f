//! The least work for one part of the cluster: the best course of its units, over all courses.
//!
//! A label of the search is the beginning of a course: the time, and where each unit is. Once that is fixed, the
//! pieces have nothing to do with each other, and each has for every place the least cost to be there. So a label
//! holds all ways of all pieces, and a step of the search moves a unit or makes the hop; nodes are rolled in passing.
//! The estimate of what is still to come is that of `bounds`: each piece with its unit to itself. It is exact but
//! where pieces pull a unit in different directions, so the search mostly walks straight to the end.
//!
//! Of two labels at one time with the units at the same places, the one whose ways all cost as much or more is
//! dropped. A part with one unit has as many kinds of labels as there are times and minors, whatever its nodes.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::rc::Rc;

use super::bounds::{Bounds, PieceBound, Times, updates_of, with_updates};
use super::model::{Cost, Model, NEVER};
use super::pieces::{Part, Piece, Place};
use crate::inventory::version::Minor;

/// Something that moves in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// A piece is rolled.
    Roll {
        /// Which of the part's.
        piece: usize,
        /// Where to.
        to: Minor,
    },
    /// A unit is updated.
    Update {
        /// Which of the part's.
        unit: usize,
        /// Where to.
        to: Minor,
    },
}

/// What a way costs in total, as far as it decides about windows: what counts before them, then updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Counts {
    /// Of a [`Cost`], what counts before the number of windows.
    pub(super) before_windows: Cost,
    /// kube-proxy updates.
    pub(super) updates: u32,
}

/// A way to the end.
#[derive(Clone)]
pub(super) struct Way {
    /// What it costs.
    pub(super) counts: Counts,
    /// What counts after the updates, where that was asked for.
    pub(super) after_updates: Cost,
    /// The moves of each time, in their order.
    pub(super) moves: Vec<Vec<Move>>,
}

/// How a search ends.
pub(super) enum Outcome {
    /// With the least way.
    Found(Way),
    /// There is none, or none so cheap.
    NoWay,
    /// The work that is allowed is done.
    Stopped,
}

/// What is asked of a search.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The times in which nodes may be rolled.
    pub(super) rolls_in: Times,
    /// The times in which units may be updated.
    pub(super) updates_in: Times,
    /// What it may cost at most.
    pub(super) at_most: Option<Counts>,
    /// What decides.
    pub(super) objective: Objective,
}

/// What decides between two ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Objective {
    /// The counts alone.
    Counts,
    /// The counts, then late updates, late rolls and high minors.
    Whole,
    /// Whatever is found first: there is no telling that it is the least.
    Any,
}

/// A search of one part.
pub(super) struct Search<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) bounds: &'a Bounds,
    /// The part's place in the cluster.
    pub(super) part: usize,
    /// How much work is left to be done.
    pub(super) work: &'a Cell<u64>,
}

/// More times than any path has.
const MOST_TIMES: usize = 48;

/// The work of keeping the ways of a piece, in evaluations of one.
const KEEPING: u64 = 16;

#[derive(Clone, Copy)]
enum Event {
    Start,
    Update { unit: usize, to: Minor },
    Hop,
}

/// The beginning of a course.
struct Label {
    time: usize,
    units: Rc<[Place]>,
    /// For each piece the ways to be somewhere.
    ways: Vec<Rc<Ways>>,
    updates: u32,
    /// The updates of each time.
    late: [u8; MOST_TIMES],
    unit_cost: Cost,
    unit_low: u32,
    parent: usize,
    event: Event,
    rank: Rank,
    is_beaten: bool,
}

/// The ways of one piece, by place.
struct Ways {
    reached: Vec<Reached>,
    /// The least cost to the end.
    least: Cost,
    /// The least updates of each of its units to the end.
    updates: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Reached {
    place: Place,
    cost: Cost,
    /// From where: a place of the same label by a roll, else of the label before it.
    from: Place,
    is_roll: bool,
}

/// What a label costs at least, in the order that counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    counts: Counts,
    late: [u8; MOST_TIMES],
    after_updates: Cost,
    unit_low: u32,
}

#[derive(PartialEq, Eq)]
struct Entry {
    rank: Rank,
    /// Of equal ranks the furthest is looked at first.
    time: usize,
    label: usize,
    any: bool,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let furthest = self.time.cmp(&other.time);
        let least = other.rank.cmp(&self.rank);
        let newest = self.label.cmp(&other.label);
        if self.any {
            furthest.then(least).then(newest)
        } else {
            least.then(furthest).then(newest)
        }
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Search<'_> {
    /// The least way that the question allows.
    pub(super) fn run(&self, question: &Question) -> Outcome {
        let mut run = Run {
            search: self,
            part: &self.model.cluster.parts[self.part],
            question,
            labels: Vec::new(),
            open: BinaryHeap::new(),
            known: HashMap::new(),
        };
        run.start();
        loop {
            if self.work.get() == 0 {
                return Outcome::Stopped;
            }
            let Some(entry) = run.open.pop() else {
                return Outcome::NoWay;
            };
            let label = entry.label;
            if run.labels[label].time > self.model.last {
                return Outcome::Found(Way {
                    counts: entry.rank.counts,
                    after_updates: entry.rank.after_updates,
                    moves: run.moves(label),
                });
            }
            if !run.labels[label].is_beaten {
                run.expand(label);
            }
        }
    }
}

struct Run<'a> {
    search: &'a Search<'a>,
    part: &'a Part,
    question: &'a Question,
    labels: Vec<Label>,
    open: BinaryHeap<Entry>,
    known: HashMap<(usize, Rc<[Place]>), Vec<usize>>,
}

impl Run<'_> {
    fn start(&mut self) {
        let units: Rc<[Place]> = self.part.units.iter().map(super::pieces::Unit::start).collect();
        let mut ways = Vec::new();
        for position in 0..self.part.pieces.len() {
            let place = self.piece(position).start();
            let first = Reached {
                place,
                cost: 0,
                from: place,
                is_roll: false,
            };
            let Some(found) = self.ways(position, 0, &units, std::iter::once(first), NEVER) else {
                return;
            };
            ways.push(Rc::new(found));
        }
        self.push(Label {
            time: 0,
            units,
            ways,
            updates: 0,
            late: [0; MOST_TIMES],
            unit_cost: 0,
            unit_low: 0,
            parent: 0,
            event: Event::Start,
            rank: Rank::lowest(),
            is_beaten: false,
        });
    }

    fn piece(&self, position: usize) -> &Piece {
        &self.part.pieces[position]
    }

    /// The ways of a piece at a time, with the rolls that may follow them; `None` where none leads to the end. Those
    /// that cost more than `at_most` to the end are left out.
    fn ways(
        &self,
        position: usize,
        time: usize,
        units: &[Place],
        reached: impl Iterator<Item = Reached>,
        at_most: Cost,
    ) -> Option<Ways> {
        let search = self.search;
        search.work.set(search.work.get().saturating_sub(1));
        let mut adding = Adding {
            run: self,
            piece: self.piece(position),
            bounds: search.bounds.of(search.part, position),
            time,
            units,
            at_most,
            found: Ways {
                reached: Vec::new(),
                least: NEVER,
                updates: Vec::new(),
            },
            few: Vec::new(),
        };
        adding.few = vec![NEVER; adding.piece.units.len()];
        for reached in reached {
            adding.add(reached, || true);
        }
        if time <= search.model.last && self.question.rolls_in >> time & 1 == 1 && adding.piece.is_planned {
            adding.roll();
        }
        adding.end()
    }

    fn expand(&mut self, index: usize) {
        self.hop(index);
        let (time, units) = (self.labels[index].time, Rc::clone(&self.labels[index].units));
        if self.question.updates_in >> time & 1 == 0 {
            return;
        }
        for unit in 0..self.part.units.len() {
            let targets = self
                .search
                .model
                .updates(&self.part.units[unit], units[unit], time);
            for to in targets {
                self.update(index, unit, to);
            }
        }
    }

    /// How much more a piece may cost than it does at least.
    fn slack(&self, index: usize) -> Cost {
        let label = &self.labels[index];
        self.question.at_most.map_or(NEVER, |most| {
            most.before_windows
                .saturating_sub(label.rank.counts.before_windows)
        })
    }

    fn at_most(&self, ways: &Ways, slack: Cost) -> Cost {
        self.search
            .model
            .scale
            .before_windows(ways.least)
            .saturating_add(slack)
    }

    fn update(&mut self, index: usize, unit: usize, to: Minor) {
        let label = &self.labels[index];
        let (model, time) = (self.search.model, label.time);
        let slack = self.slack(index);
        let mut units = label.units.to_vec();
        units[unit] = Some(to);
        let units: Rc<[Place]> = units.into();
        let mut ways = Vec::with_capacity(label.ways.len());
        for (position, old) in label.ways.iter().enumerate() {
            let piece = self.piece(position);
            if !piece.units.contains(&unit) {
                ways.push(Rc::clone(old));
                continue;
            }
            let may_stay = |way: &&Reached| {
                model.may_change(piece, time, (way.place, &label.units), (way.place, &units))
            };
            let stay = old.reached.iter().filter(may_stay).map(|way| Reached {
                from: way.place,
                is_roll: false,
                ..*way
            });
            let at_most = self.at_most(old, slack);
            let Some(found) = self.ways(position, time, &units, stay, at_most) else {
                return;
            };
            ways.push(Rc::new(found));
        }
        let is_whole = self.question.objective == Objective::Whole;
        let mut late = label.late;
        late[time] = late[time].saturating_add(u8::from(is_whole));
        let low = if is_whole { to.distance(model.lo(time)) } else { 0 };
        let label = Label {
            time,
            units,
            ways,
            updates: label.updates + 1,
            late,
            unit_cost: label.unit_cost,
            unit_low: label.unit_low + u32::from(low),
            parent: index,
            event: Event::Update { unit, to },
            rank: Rank::lowest(),
            is_beaten: false,
        };
        self.push(label);
    }

    /// The hop, or the end.
    fn hop(&mut self, index: usize) {
        let label = &self.labels[index];
        let (model, time) = (self.search.model, label.time);
        let slack = self.slack(index);
        let hop = model.hop(time);
        let units: Rc<[Place]> = match hop {
            Some(hop) => {
                let units = self.part.units.iter().zip(label.units.iter());
                units
                    .map(|(unit, place)| Model::unit_after(unit, *place, hop))
                    .collect()
            }
            None => Rc::clone(&label.units),
        };
        let mut ways = Vec::with_capacity(label.ways.len());
        for (position, old) in label.ways.iter().enumerate() {
            let piece = self.piece(position);
            let passed = old.reached.iter().filter_map(|way| {
                let place = match hop {
                    Some(_) => model.pass(piece, way.place, (&label.units, &units), time)?,
                    None => way.place,
                };
                Some(Reached {
                    place,
                    cost: way.cost + model.left(piece, way.place, &label.units, time),
                    from: way.place,
                    is_roll: false,
                })
            });
            let at_most = self.at_most(old, slack);
            let Some(found) = self.ways(position, time + 1, &units, passed, at_most) else {
                return;
            };
            ways.push(Rc::new(found));
        }
        let units_now = self.part.units.iter().zip(label.units.iter());
        let unfinished = units_now.filter(|(unit, place)| model.is_unfinished(unit, **place, time));
        let unfinished = unfinished.count();
        let label = Label {
            time: time + 1,
            units,
            ways,
            updates: label.updates,
            late: label.late,
            unit_cost: label.unit_cost
                + model.unfinished_unit() * Cost::try_from(unfinished).unwrap_or_default(),
            unit_low: label.unit_low,
            parent: index,
            event: Event::Hop,
            rank: Rank::lowest(),
            is_beaten: false,
        };
        self.push(label);
    }

    fn push(&mut self, mut label: Label) {
        let Some(rank) = self.rank(&label) else { return };
        if self.question.at_most.is_some_and(|most| rank.counts > most) {
            return;
        }
        label.rank = rank.clone();
        let key = (label.time, Rc::clone(&label.units));
        let known = self.known.entry(key).or_default();
        if known.iter().any(|&other| beats(&self.labels[other], &label)) {
            return;
        }
        known.retain(|&other| {
            let is_beaten = beats(&label, &self.labels[other]);
            self.labels[other].is_beaten |= is_beaten;
            !is_beaten
        });
        let index = self.labels.len();
        known.push(index);
        let new = match self.labels.get(label.parent) {
            Some(parent) => {
                let pairs = label.ways.iter().zip(&parent.ways);
                pairs.filter(|(own, old)| !Rc::ptr_eq(own, old)).count()
            }
            None => label.ways.len(),
        };
        let work = KEEPING * u64::try_from(new + 1).unwrap_or(u64::MAX);
        self.search.work.set(self.search.work.get().saturating_sub(work));
        self.open.push(Entry {
            rank,
            time: label.time,
            label: index,
            any: self.question.objective == Objective::Any,
        });
        self.labels.push(label);
    }

    /// What a label costs at least to the end.
    fn rank(&self, label: &Label) -> Option<Rank> {
        let scale = self.search.model.scale;
        let mut cost = label.unit_cost;
        let mut updates = vec![0u32; self.part.units.len()];
        for (position, ways) in label.ways.iter().enumerate() {
            if ways.least == NEVER {
                return None;
            }
            cost += ways.least;
            for (&unit, &few) in self.piece(position).units.iter().zip(&ways.updates) {
                updates[unit] = updates[unit].max(few);
            }
        }
        let is_whole = self.question.objective == Objective::Whole;
        Some(Rank {
            counts: Counts {
                before_windows: scale.before_windows(cost),
                updates: label.updates + updates.iter().sum::<u32>(),
            },
            late: label.late,
            after_updates: if is_whole { scale.after_updates(cost) } else { 0 },
            unit_low: label.unit_low,
        })
    }

    /// The moves that lead to a label, by time.
    fn moves(&self, end: usize) -> Vec<Vec<Move>> {
        let mut chain = vec![end];
        while let Some(&index) = chain.last()
            && !matches!(self.labels[index].event, Event::Start)
        {
            chain.push(self.labels[index].parent);
        }
        chain.reverse();
        let rolls = self.rolls(&chain);
        let mut moves: Vec<Vec<Move>> = vec![Vec::new(); self.search.model.last + 1];
        for (index, rolls) in chain.into_iter().zip(rolls) {
            let label = &self.labels[index];
            let Some(moves) = moves.get_mut(label.time) else {
                continue;
            };
            if let Event::Update { unit, to } = label.event {
                moves.push(Move::Update { unit, to });
            }
            moves.extend(rolls);
        }
        moves
    }

    /// The rolls within each label of a chain.
    fn rolls(&self, chain: &[usize]) -> Vec<Vec<Move>> {
        let mut rolls: Vec<Vec<Move>> = vec![Vec::new(); chain.len()];
        for position in 0..self.part.pieces.len() {
            let of = |at: usize| &self.labels[chain[at]].ways[position];
            let mut at = chain.len() - 1;
            let Some(end) = of(at).reached.iter().min_by_key(|way| way.cost) else {
                continue;
            };
            let mut place = end.place;
            loop {
                let ways = of(at);
                // Ways that an update left alone are those of the label before it.
                let is_old = at > 0 && Rc::ptr_eq(ways, of(at - 1));
                if !is_old {
                    while let Some(way) = ways.at(place) {
                        place = way.from;
                        if !way.is_roll {
                            break;
                        }
                        rolls[at].extend(way.place.map(|to| Move::Roll { piece: position, to }));
                    }
                }
                let Some(before) = at.checked_sub(1) else { break };
                at = before;
            }
        }
        for rolls in &mut rolls {
            rolls.reverse();
        }
        rolls
    }
}

/// The ways of one piece while they are found.
struct Adding<'a> {
    run: &'a Run<'a>,
    piece: &'a Piece,
    bounds: &'a [PieceBound],
    time: usize,
    units: &'a [Place],
    at_most: Cost,
    found: Ways,
    few: Vec<Cost>,
}

impl Adding<'_> {
    /// What a way costs to the end at least; the updates that this takes are kept.
    fn price_to_end(&mut self, place: Place, cost: Cost) -> Cost {
        let model = self.run.search.model;
        if self.time > model.last {
            return cost;
        }
        let mut least = 0;
        let before = with_updates(model.scale.before_windows(cost), 0);
        for (position, bound) in self.bounds.iter().enumerate() {
            let unit = self.piece.units.get(position).and_then(|&unit| self.units[unit]);
            let (own, few) = bound.at(self.time, unit, place);
            least = least.max(own);
            if let Some(known) = self.few.get_mut(position).filter(|_| own != NEVER) {
                *known = (*known).min(before + few);
            }
        }
        if least == NEVER { NEVER } else { cost + least }
    }

    /// Adds a way where it is the cheapest to its place, leads to the end, and is legal.
    fn add(&mut self, reached: Reached, is_legal: impl FnOnce() -> bool) {
        let known = self
            .found
            .reached
            .binary_search_by_key(&reached.place, |way| way.place);
        if known.is_ok_and(|known| self.found.reached[known].cost <= reached.cost) {
            return;
        }
        let to_end = self.price_to_end(reached.place, reached.cost);
        let scale = self.run.search.model.scale;
        if to_end == NEVER || scale.before_windows(to_end) > self.at_most || !is_legal() {
            return;
        }
        self.found.least = self.found.least.min(to_end);
        match known {
            Ok(known) => self.found.reached[known] = reached,
            Err(at) => self.found.reached.insert(at, reached),
        }
    }

    /// Adds the rolls that may follow; a roll only goes up, so each way is final when its turn comes.
    fn roll(&mut self) {
        let model = self.run.search.model;
        let (piece, time, units) = (self.piece, self.time, self.units);
        let mut next = 0;
        while let Some(&way) = self.found.reached.get(next) {
            for (to, moved) in model.rolls(piece, way.place, time) {
                let place = Some(to);
                if place <= way.place {
                    continue;
                }
                let mut cost = model.roll_cost(piece, time, (way.place, units), to, moved);
                if self.run.question.objective != Objective::Whole {
                    cost -= model.scale.after_updates(cost);
                }
                let reached = Reached {
                    place,
                    cost: way.cost + cost,
                    from: way.place,
                    is_roll: true,
                };
                self.add(reached, || {
                    model.may_change(piece, time, (way.place, units), (place, units))
                });
            }
            next += 1;
        }
    }

    fn end(self) -> Option<Ways> {
        if self.found.reached.is_empty() {
            return None;
        }
        let search = self.run.search;
        let before = search.model.scale.before_windows(self.found.least);
        let is_end = self.time > search.model.last;
        let few = self
            .few
            .into_iter()
            .map(|few| if is_end { 0 } else { updates_of(few, before) });
        Some(Ways {
            updates: few.collect(),
            ..self.found
        })
    }
}

impl Ways {
    fn at(&self, place: Place) -> Option<&Reached> {
        let at = self.reached.binary_search_by_key(&place, |way| way.place).ok()?;
        self.reached.get(at)
    }

    /// Whether each way is as cheap as the other's to the same place.
    fn beat(&self, other: &Self) -> bool {
        other
            .reached
            .iter()
            .all(|way| self.at(way.place).is_some_and(|own| own.cost <= way.cost))
    }
}

/// Whether whatever follows the other label costs no less than if it followed the one.
fn beats(one: &Label, other: &Label) -> bool {
    let by_units =
        (one.updates, one.late)
            .cmp(&(other.updates, other.late))
            .then(if one.unit_low <= other.unit_low {
                Ordering::Equal
            } else {
                Ordering::Greater
            });
    by_units != Ordering::Greater
        && one.unit_cost <= other.unit_cost
        && one
            .ways
            .iter()
            .zip(&other.ways)
            .all(|(one, other)| Rc::ptr_eq(one, other) || one.beat(other))
}

impl Rank {
    const fn lowest() -> Self {
        Self {
            counts: Counts {
                before_windows: 0,
                updates: 0,
            },
            late: [0; MOST_TIMES],
            after_updates: 0,
            unit_low: 0,
        }
    }
}
