//! What a piece costs at least from anywhere on: what it would cost if it had its unit to itself. A table a kind of
//! piece, filled from the last time to the first. Pieces of one kind share it, so that it is made once for a cluster;
//! only what no kind covers (a node whose kubelet and static kube-proxy differ today, a pool of several versions, a
//! unit whose pods differ) has lines of its own.

use std::collections::HashMap;
use std::rc::Rc;

use super::model::{Cost, Model, NEVER};
use super::pieces::{Follows, Member, Part, Piece, Place, Runs, Unit};
use super::violations::Violations;
use crate::inventory::version::Minor;

/// The times in which something is allowed, a bit each.
pub(super) type Times = u64;

/// Bits that the number of updates has beside the cost that counts before them.
const UPDATES: u32 = 16;

/// The places along one side of a table: perhaps today's, then every minor.
#[derive(Clone, Copy)]
struct Axis {
    has_today: bool,
    base: u16,
    minors: usize,
}

impl Axis {
    fn len(self) -> usize {
        usize::from(self.has_today) + self.minors
    }

    fn index(self, place: Place) -> Option<usize> {
        match place {
            None => self.has_today.then_some(0),
            Some(minor) => {
                let minor = usize::from(minor.number().checked_sub(self.base)?);
                (minor < self.minors).then_some(minor + usize::from(self.has_today))
            }
        }
    }

    fn place(self, index: usize) -> Place {
        let minor = index.checked_sub(usize::from(self.has_today))?;
        Some(Minor::new(self.base + u16::try_from(minor).unwrap_or_default()))
    }
}

/// The least costs of one piece and one unit, or none.
struct Table {
    units: Axis,
    places: Axis,
    /// The least cost, and the least of what counts before the updates with the updates that it takes.
    least: Vec<(Cost, Cost)>,
}

impl Table {
    fn at(&self, time: usize, unit: Place, place: Place) -> Option<(Cost, Cost)> {
        let index = (time * self.units.len() + self.units.index(unit)?) * self.places.len();
        self.least.get(index + self.places.index(place)?).copied()
    }
}

/// What pieces have in common that have a table in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    /// Whether there is a unit, and whether it follows the apiservers.
    unit: Option<bool>,
    has_static: bool,
    is_planned: bool,
    in_rollout: bool,
    follows: Follows,
}

/// The bounds of every piece.
pub(super) struct Bounds {
    parts: Vec<Vec<PieceBounds>>,
}

/// One a unit, in the order of the piece's units; one where it has none.
type PieceBounds = Vec<PieceBound>;

/// What a piece costs at least, with one of its units to itself.
pub(super) struct PieceBound {
    kind: Option<Rc<Table>>,
    size: Cost,
    own: Option<Table>,
}

impl PieceBound {
    /// The least cost from a time and places on, and the least of what counts before the updates with the updates
    /// that it takes, in one number.
    pub(super) fn at(&self, time: usize, unit: Place, place: Place) -> (Cost, Cost) {
        if let Some(own) = self.own.as_ref().and_then(|own| own.at(time, unit, place)) {
            return own;
        }
        let shared = self.kind.as_ref().and_then(|kind| kind.at(time, unit, place));
        shared.map_or((0, 0), |shared| scaled(shared, self.size))
    }
}

fn scaled((least, few): (Cost, Cost), size: Cost) -> (Cost, Cost) {
    let updates = few & ((1 << UPDATES) - 1);
    let few = if few == NEVER {
        NEVER
    } else {
        (((few >> UPDATES) * size) << UPDATES) | updates
    };
    (if least == NEVER { NEVER } else { least * size }, few)
}

impl Bounds {
    /// The bounds where nodes are rolled and units updated only in these times.
    pub(super) fn new(model: &Model<'_>, rolls_in: Times, updates_in: Times) -> Self {
        let mut kinds: HashMap<Kind, Rc<Table>> = HashMap::new();
        let maker = Maker {
            model,
            minors: usize::from(model.top().number() - model.base.number()) + 1,
            rolls_in,
            updates_in,
        };
        let parts = model.cluster.parts.iter();
        Self {
            parts: parts
                .map(|part| {
                    part.pieces
                        .iter()
                        .map(|piece| maker.piece(&mut kinds, part, piece))
                        .collect()
                })
                .collect(),
        }
    }

    /// The bounds of a piece: one a unit that it has pods of, in their order; one where it has none.
    pub(super) fn of(&self, part: usize, piece: usize) -> &[PieceBound] {
        &self.parts[part][piece]
    }
}

/// What counts before the updates beside their number, as one number that compares so.
pub(super) const fn with_updates(before_updates: Cost, updates: Cost) -> Cost {
    (before_updates << UPDATES) + updates
}

/// The updates of such a number. With its unit to itself a piece may be cheaper than it is beside others; then that
/// says nothing of the updates.
pub(super) fn updates_of(number: Cost, before_updates: Cost) -> u32 {
    let updates = number & ((1 << UPDATES) - 1);
    if number >> UPDATES == before_updates {
        u32::try_from(updates).unwrap_or(u32::MAX)
    } else {
        0
    }
}

struct Maker<'a> {
    model: &'a Model<'a>,
    minors: usize,
    rolls_in: Times,
    updates_in: Times,
}

impl Maker<'_> {
    fn piece(&self, kinds: &mut HashMap<Kind, Rc<Table>>, part: &Part, piece: &Piece) -> PieceBounds {
        if piece.units.is_empty() {
            return vec![self.bound(kinds, piece, None)];
        }
        let units = piece.units.iter();
        let bounds = units.map(|&index| {
            let alone = with_unit(piece, index);
            self.bound(kinds, &alone, Some(&part.units[index]))
        });
        bounds.collect()
    }

    fn bound(&self, kinds: &mut HashMap<Kind, Rc<Table>>, piece: &Piece, unit: Option<&Unit>) -> PieceBound {
        let kind = kind(piece, unit).map(|kind| {
            let shared = kinds.entry(kind).or_insert_with(|| {
                let (sample, unit) = self.sample(kind);
                Rc::new(self.table(&sample, unit.as_ref(), None))
            });
            Rc::clone(shared)
        });
        let is_covered =
            kind.is_some() && piece.start().is_some() && unit.is_none_or(|unit| unit.start().is_some());
        let own = (!is_covered).then(|| self.table(piece, unit, kind.as_deref()));
        PieceBound {
            kind,
            size: Cost::from(piece.size()),
            own,
        }
    }

    /// One node that has been moved, and its unit: what a kind stands for.
    fn sample(&self, kind: Kind) -> (Piece, Option<Unit>) {
        let low = self.model.base;
        let runs = Runs {
            kubelet: Some(low),
            statics: kind.has_static.then_some(low).into_iter().collect(),
            pods: kind.unit.map(|_| (0, low)).into_iter().collect(),
            in_rollout: kind.in_rollout,
            ..Runs::nothing()
        };
        let piece = Piece {
            members: vec![Member {
                runs,
                nodes: vec![0],
                stray: Vec::new(),
            }],
            units: kind.unit.map(|_| 0).into_iter().collect(),
            is_planned: kind.is_planned,
            follows: kind.follows,
        };
        let unit = kind.unit.map(|follows| Unit {
            name: String::new(),
            nodes: Vec::new(),
            unlisted: Vec::new(),
            excluded: Vec::new(),
            span: Some((low, low)),
            follows,
        });
        (piece, unit)
    }

    /// The table of a piece; what `kind` covers is taken from there.
    fn table(&self, piece: &Piece, unit: Option<&Unit>, kind: Option<&Table>) -> Table {
        let axis = |has_today: bool, is_there: bool| Axis {
            has_today,
            base: self.model.base.number(),
            minors: if is_there { self.minors } else { 0 },
        };
        let has_kubelet = piece.members.iter().any(|member| member.runs.kubelet.is_some());
        let mut table = Table {
            units: axis(unit.is_none_or(|unit| unit.start().is_none()), unit.is_some()),
            places: axis(piece.start().is_none() || !has_kubelet, has_kubelet),
            least: Vec::new(),
        };
        let times = self.model.last + 1;
        table.least = vec![(NEVER, NEVER); times * table.units.len() * table.places.len()];
        for time in (0..times).rev() {
            Filler {
                maker: self,
                piece,
                unit,
                kind,
                time,
                broken: self.broken(piece, &table, unit.is_some(), time),
            }
            .fill(&mut table);
        }
        table
    }

    /// What is broken at every place of a time, each member by itself.
    fn broken(&self, piece: &Piece, table: &Table, has_unit: bool, time: usize) -> Vec<Violations> {
        let mut broken = Vec::with_capacity(table.units.len() * table.places.len() * piece.members.len());
        for unit in 0..table.units.len() {
            let unit = [table.units.place(unit)];
            let units = if has_unit { &unit[..] } else { &[] };
            for place in 0..table.places.len() {
                let place = table.places.place(place);
                let is_reached = self.is_reached(unit[0], time) && self.is_reached(place, time);
                let judged = piece.members.iter().map(|member| {
                    if is_reached {
                        self.model.judge(member, place, units, time)
                    } else {
                        Violations::default()
                    }
                });
                broken.extend(judged);
            }
        }
        broken
    }

    /// Whether anything is at a place by that time.
    fn is_reached(&self, place: Place, time: usize) -> bool {
        place <= Some(self.model.newest.max(self.model.lo(time)))
    }
}

/// Fills the lines of one time.
struct Filler<'a> {
    maker: &'a Maker<'a>,
    piece: &'a Piece,
    unit: Option<&'a Unit>,
    kind: Option<&'a Table>,
    time: usize,
    broken: Vec<Violations>,
}

impl Filler<'_> {
    fn fill(&self, table: &mut Table) {
        let first = self.time * table.units.len() * table.places.len();
        for unit in (0..table.units.len()).rev() {
            if !self.maker.is_reached(table.units.place(unit), self.time) {
                continue;
            }
            for place in (0..table.places.len()).rev() {
                if !self.maker.is_reached(table.places.place(place), self.time) {
                    continue;
                }
                let least = self.least(table, unit, place);
                table.least[first + unit * table.places.len() + place] = least;
            }
        }
    }

    /// Whether everything of the piece runs one minor there, and the unit too: what the kind's table says holds.
    fn is_covered(&self, unit: Place, place: Place) -> bool {
        let newest = self.piece.members.iter().map(|member| member.runs.kubelet).max();
        (self.unit.is_none() || unit.is_some())
            && newest.flatten().is_some_and(|newest| Some(newest) <= place)
    }

    fn may_change(&self, table: &Table, from: (usize, usize), to: (usize, usize)) -> bool {
        let members = self.piece.members.len();
        let first = |(unit, place): (usize, usize)| (unit * table.places.len() + place) * members;
        let (from, to) = (first(from), first(to));
        (0..members).all(|member| !self.broken[to + member].add_to(self.broken[from + member]))
    }

    fn least(&self, table: &Table, unit_index: usize, place_index: usize) -> (Cost, Cost) {
        let model = self.maker.model;
        let time = self.time;
        let (unit, place) = (table.units.place(unit_index), table.places.place(place_index));
        if let Some(kind) = self.kind.filter(|_| self.is_covered(unit, place)) {
            let size = Cost::from(self.piece.size());
            return kind
                .at(time, unit, place)
                .map_or((0, 0), |shared| scaled(shared, size));
        }
        let unit_places = [unit];
        let units = if self.unit.is_some() {
            &unit_places[..]
        } else {
            &[]
        };
        let (mut least, mut few) = self.stay(table, unit, place, units);
        let here = (unit_index, place_index);
        if self.maker.updates_in >> time & 1 == 1
            && let Some(of) = self.unit
        {
            for to in model.updates(of, unit, time) {
                let Some(index) = table.units.index(Some(to)) else {
                    continue;
                };
                let Some(next) = table.at(time, Some(to), place) else {
                    continue;
                };
                if next.0 != NEVER && self.may_change(table, here, (index, place_index)) {
                    least = least.min(next.0);
                    few = few.min(next.1 + 1);
                }
            }
        }
        if self.maker.rolls_in >> time & 1 == 1 {
            for (to, moved) in model.rolls(self.piece, place, time) {
                let Some(index) = table.places.index(Some(to)).filter(|&index| index > place_index) else {
                    continue;
                };
                let Some(next) = table.at(time, unit, Some(to)) else {
                    continue;
                };
                if next.0 != NEVER && self.may_change(table, here, (unit_index, index)) {
                    let cost = model.roll_cost(self.piece, time, (place, units), to, moved);
                    least = least.min(cost + next.0);
                    few = few.min(with_updates(model.scale.before_windows(cost), 0) + next.1);
                }
            }
        }
        (least, few)
    }

    /// The least cost where nothing moves before the hop.
    fn stay(&self, table: &Table, unit: Place, place: Place, units: &[Place]) -> (Cost, Cost) {
        let model = self.maker.model;
        let left = model.left(self.piece, place, units, self.time);
        let few = with_updates(model.scale.before_windows(left), 0);
        let Some(hop) = model.hop(self.time) else {
            let is_unfinished = self
                .unit
                .is_some_and(|of| model.is_unfinished(of, unit, self.time));
            return (left, few + Cost::from(is_unfinished));
        };
        let after = self.unit.map(|of| Model::unit_after(of, unit, hop));
        let Some(moved) = model.pass(self.piece, place, (units, after.as_slice()), self.time) else {
            return (NEVER, NEVER);
        };
        let next = table.at(self.time + 1, after.flatten(), moved);
        match next.unwrap_or((0, 0)) {
            (NEVER, _) => (NEVER, NEVER),
            (least, next_few) => (left + least, few + next_few),
        }
    }
}

/// The kind of a piece, where a kind covers it once it has been moved.
fn kind(piece: &Piece, unit: Option<&Unit>) -> Option<Kind> {
    let first = piece.members.first()?;
    let of = |member: &Member| Kind {
        unit: unit.map(|unit| unit.follows),
        has_static: !member.runs.statics.is_empty(),
        is_planned: piece.is_planned,
        in_rollout: member.runs.in_rollout,
        follows: piece.follows,
    };
    first.runs.kubelet?;
    let kind = of(first);
    let is_one = piece
        .members
        .iter()
        .all(|member| of(member) == kind && (unit.is_none() || !member.runs.pods.is_empty()));
    is_one.then_some(kind)
}

/// The piece as though it had pods of that unit alone.
pub(super) fn with_unit(piece: &Piece, unit: usize) -> Piece {
    let members = piece.members.iter().map(|member| {
        let mut member = member.clone();
        member.runs.pods.retain(|&(other, _)| other == unit);
        for (unit, _) in &mut member.runs.pods {
            *unit = 0;
        }
        member
    });
    Piece {
        members: members.collect(),
        units: vec![0],
        is_planned: piece.is_planned,
        follows: piece.follows,
    }
}
