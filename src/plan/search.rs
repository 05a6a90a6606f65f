//! The least work for nodes and kube-proxy workloads that hold each other: where a kube-proxy may not move alone
//! because a kubelet beside it is too far off, and the other way round. A best-first search over what the classes
//! and workloads run; the estimate is what each would cost alone, which is exact for all that do not hold each
//! other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::breach::{Breaches, Moment};
use super::cluster::Cluster;
use super::cost::Cost;
use super::mover::{Mover, Place, Scope};
use crate::inventory::version::Minor;

/// How many states are looked at before the search takes the first legal way rather than the cheapest.
const PATIENCE: usize = 20_000;

/// Something that moves in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Classes are rolled, all to one minor.
    Roll {
        /// Where to.
        to: Minor,
        /// The classes.
        classes: Vec<usize>,
    },
    /// A workload is updated.
    Update {
        /// Where to.
        to: Minor,
        /// The unit.
        unit: usize,
    },
}

/// A part of the cluster that is searched by itself: nothing of it holds anything outside.
#[derive(Clone, Default)]
pub(super) struct Part {
    /// Its classes.
    pub(super) classes: Vec<usize>,
    /// Its units.
    pub(super) units: Vec<usize>,
}

/// The movers of a cluster.
pub(super) struct Movers {
    /// One a class.
    pub(super) classes: Vec<Mover>,
    /// One a unit.
    pub(super) units: Vec<Mover>,
}

/// Where everything of a part stands.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    slot: usize,
    classes: Vec<Place>,
    units: Vec<Place>,
    /// The roll that a further class may still join.
    open: Option<(Minor, usize)>,
}

struct Visit {
    state: State,
    cost: Cost,
    parent: Option<usize>,
    made: Option<Made>,
}

#[derive(Clone, Copy)]
enum Made {
    Roll { class: usize, to: Minor },
    Update { unit: usize, to: Minor },
    Hop,
}

/// What each subject would cost alone from a slot and a place on; `None` where it cannot get to the end.
type Estimates = HashMap<(bool, usize, usize, Place), Option<Cost>>;

/// A search of one part.
pub(super) struct Search<'a> {
    /// What is planned for.
    pub(super) scope: &'a Scope<'a>,
    /// The cluster.
    pub(super) cluster: &'a Cluster,
    /// Its movers.
    pub(super) movers: &'a Movers,
    /// The part.
    pub(super) part: &'a Part,
}

impl Search<'_> {
    /// The moves of each slot; `None` where there is no legal way to the last slot's end.
    pub(super) fn run(&self) -> Option<Vec<Vec<Move>>> {
        match self.best_first(false) {
            Outcome::Found(moves) => Some(moves),
            Outcome::NoWay => None,
            Outcome::OutOfPatience => match self.best_first(true) {
                Outcome::Found(moves) => Some(moves),
                Outcome::NoWay | Outcome::OutOfPatience => None,
            },
        }
    }

    fn best_first(&self, is_hasty: bool) -> Outcome {
        let mut estimates = Estimates::new();
        let mut visits: Vec<Visit> = Vec::new();
        let mut least: HashMap<State, Cost> = HashMap::new();
        let mut open = BinaryHeap::new();
        let start = State {
            slot: 0,
            classes: vec![None; self.part.classes.len()],
            units: vec![None; self.part.units.len()],
            open: None,
        };
        let mut next = vec![Visit {
            state: start,
            cost: Cost::default(),
            parent: None,
            made: None,
        }];
        let mut looked_at = 0;
        loop {
            for visit in next.drain(..) {
                let Some(ahead) = self.estimate(&mut estimates, &visit.state) else {
                    continue;
                };
                if least.get(&visit.state).is_some_and(|cost| *cost <= visit.cost) {
                    continue;
                }
                least.insert(visit.state.clone(), visit.cost);
                let rank = if is_hasty { ahead } else { visit.cost + ahead };
                // Of equal ways the one that was found last is looked at first: it is nearest to the end.
                open.push((Reverse(rank), visits.len()));
                visits.push(visit);
            }
            let Some((_, index)) = open.pop() else {
                return Outcome::NoWay;
            };
            let visit = &visits[index];
            if visit.state.slot > self.scope.last() {
                return Outcome::Found(self.moves(&visits, index));
            }
            if least.get(&visit.state).is_some_and(|cost| *cost < visit.cost) {
                continue;
            }
            looked_at += 1;
            if looked_at > PATIENCE {
                return Outcome::OutOfPatience;
            }
            next = self.successors(visit, index);
        }
    }

    fn estimate(&self, known: &mut Estimates, state: &State) -> Option<Cost> {
        if state.slot > self.scope.last() {
            return Some(Cost::default());
        }
        let mut alone = |is_unit: bool, index: usize, mover: &Mover, place: Place| {
            *known
                .entry((is_unit, index, state.slot, place))
                .or_insert_with(|| mover.course(self.scope, state.slot, place).ok().map(|c| c.cost))
        };
        let mut sum = Cost::default();
        for (position, &class) in self.part.classes.iter().enumerate() {
            sum = sum + alone(false, class, &self.movers.classes[class], state.classes[position])?;
        }
        for (position, &unit) in self.part.units.iter().enumerate() {
            sum = sum + alone(true, unit, &self.movers.units[unit], state.units[position])?;
        }
        Some(sum)
    }

    /// What the class at `position` breaks, kube-proxies of its units included.
    fn breaches(&self, state: &State, position: usize, moment: Moment) -> Breaches {
        let runs = &self.cluster.classes[self.part.classes[position]].runs;
        let of_unit = |unit: usize| {
            let position = self.part.units.iter().position(|&other| other == unit)?;
            state.units[position]
        };
        Breaches::of_class(self.scope.policy, runs, state.classes[position], of_unit, moment)
    }

    fn adds_breach(&self, before: &State, after: &State, positions: impl IntoIterator<Item = usize>) -> bool {
        let Some(slot) = self.scope.slots.get(before.slot) else {
            return true;
        };
        positions.into_iter().any(|position| {
            self.breaches(after, position, slot.at)
                .add_to(&self.breaches(before, position, slot.at))
        })
    }

    fn successors(&self, visit: &Visit, parent: usize) -> Vec<Visit> {
        let state = &visit.state;
        let slot = state.slot;
        let mut next = Vec::new();
        let mut push = |state: State, cost: Cost, made: Made| {
            next.push(Visit {
                state,
                cost: visit.cost + cost,
                parent: Some(parent),
                made: Some(made),
            });
        };
        for (position, &unit) in self.part.units.iter().enumerate().rev() {
            let mover = &self.movers.units[unit];
            for to in mover.reach(self.scope, slot, state.units[position]) {
                let mut after = state.clone();
                after.units[position] = Some(to);
                after.open = None;
                if !self.adds_breach(state, &after, 0..self.part.classes.len()) {
                    push(
                        after,
                        mover.cost_of(self.scope, slot, to),
                        Made::Update { unit, to },
                    );
                }
            }
        }
        for (position, &class) in self.part.classes.iter().enumerate().rev() {
            let mover = &self.movers.classes[class];
            for to in mover.reach(self.scope, slot, state.classes[position]) {
                let joins = state.open.is_some_and(|(open, _)| open == to);
                if joins && state.open.is_some_and(|(_, last)| last >= position) {
                    continue;
                }
                let mut after = state.clone();
                after.classes[position] = Some(to);
                after.open = Some((to, position));
                if !self.adds_breach(state, &after, [position]) {
                    let mut cost = mover.cost_of(self.scope, slot, to);
                    cost.steps = u64::from(!joins);
                    push(after, cost, Made::Roll { class, to });
                }
            }
        }
        if let Some(cost) = self.pass(state) {
            let after = State {
                slot: slot + 1,
                open: None,
                ..state.clone()
            };
            push(after, cost, Made::Hop);
        }
        next
    }

    /// What leaving the slot costs; `None` where it is not legal.
    fn pass(&self, state: &State) -> Option<Cost> {
        let slot = self.scope.slots.get(state.slot)?;
        let mut broken = 0u64;
        for (position, &class) in self.part.classes.iter().enumerate() {
            let passes = self
                .scope
                .may_pass(state.slot, |moment| self.breaches(state, position, moment));
            let mover = &self.movers.classes[class];
            if !passes || !mover.has_arrived(self.scope, state.slot, state.classes[position]) {
                return None;
            }
            let size = self.cluster.classes[class].size();
            let weight = self
                .breaches(state, position, slot.at)
                .weigh(std::iter::repeat(size));
            broken = broken.saturating_add(weight);
        }
        Some(Cost {
            breaches: broken,
            ..Cost::default()
        })
    }

    fn moves(&self, visits: &[Visit], end: usize) -> Vec<Vec<Move>> {
        let mut made = Vec::new();
        let mut at = Some(end);
        while let Some(visit) = at.and_then(|index| visits.get(index)) {
            made.extend(visit.made);
            at = visit.parent;
        }
        let mut slots: Vec<Vec<Move>> = vec![Vec::new()];
        for made in made.into_iter().rev() {
            let slot = slots.last_mut().expect("there is a slot from the start");
            match made {
                Made::Hop => slots.push(Vec::new()),
                Made::Update { unit, to } => slot.push(Move::Update { to, unit }),
                Made::Roll { class, to } => match slot.last_mut() {
                    Some(Move::Roll { to: last, classes }) if *last == to && !classes.contains(&class) => {
                        classes.push(class);
                    }
                    _ => slot.push(Move::Roll {
                        to,
                        classes: vec![class],
                    }),
                },
            }
        }
        slots.truncate(self.scope.slots.len());
        slots
    }
}

enum Outcome {
    Found(Vec<Vec<Move>>),
    NoWay,
    OutOfPatience,
}
