//! The moves of the whole cluster: how far it gets, what each part costs by itself, the windows that all share, and
//! then each part's way within them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::bounds::{Bounds, Times, updates_of};
use super::choice::Chooser;
use super::hops::Hops;
use super::model::{Cost, Model, NEVER, Scale};
use super::options::Settings;
use super::pieces::{Cluster, Part, Place, Runs, Unit};
use super::search::{Counts, Move, Objective, Outcome, Question, Search, Way};
use super::violations::Skew;
use super::windows::Chosen;
use crate::inventory::version::Minor;

/// What is planned for.
pub(super) struct Task<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) hops: &'a Hops,
    pub(super) skew: &'a Skew<'a>,
    pub(super) settings: Settings,
    pub(super) target: Minor,
    /// The lowest minor that anything may be brought to, and the newest that anything runs today.
    pub(super) base: Minor,
    pub(super) newest: Minor,
}

/// The least ways of all parts.
pub(super) struct Solution {
    /// The last time; the hop after it is not made.
    pub(super) last: usize,
    /// A way a part.
    pub(super) ways: Vec<Way>,
    /// Whether there is no lesser one.
    pub(super) is_proved: bool,
    /// The node rolls that any needs at least.
    pub(super) lower_bound: usize,
    /// The part that has no way further, where the target is not reached.
    pub(super) stuck: Option<Stuck>,
}

/// A part that does not get further.
#[derive(Clone, Copy)]
pub(super) struct Stuck {
    /// Its place in the cluster.
    pub(super) part: usize,
    /// Whether that is certain, or the search was stopped.
    pub(super) is_certain: bool,
}

/// How much is looked at in one search, and in all: evaluations of the ways of one piece.
const WORK: u64 = 300_000;
const ALL_WORK: u64 = 2_500_000;

impl<'a> Task<'a> {
    pub(super) fn model(&self, last: usize) -> Model<'a> {
        let minors = usize::from(self.target.number() - self.base.number()) + 1;
        let times = self.hops.times.len();
        Model {
            cluster: self.cluster,
            hops: self.hops,
            skew: self.skew,
            settings: self.settings,
            target: self.target,
            base: self.base,
            newest: self.newest,
            last,
            is_whole: last + 1 == times && self.hops.obstacle.is_none(),
            scale: Scale::new(self.cluster, times, minors, self.settings.keep_rollback),
        }
    }

    /// The least moves that reach as far as can be reached.
    pub(super) fn solve(&self) -> Solution {
        let work = Cell::new(ALL_WORK);
        let mut last = self.hops.times.len() - 1;
        let mut stuck: Option<Stuck> = None;
        loop {
            let model = self.model(last);
            match Solver::new(&model, &work).run() {
                Ok(mut solution) => {
                    solution.is_proved &= stuck.is_none_or(|stuck| stuck.is_certain);
                    solution.stuck = stuck;
                    return solution;
                }
                Err(part) => {
                    last = last.saturating_sub(1);
                    stuck = Some(part);
                }
            }
        }
    }

    /// The windows and node rolls of the least moves to the target; `None` where it is not reached.
    pub(super) fn price(&self) -> Option<(usize, usize)> {
        let work = Cell::new(ALL_WORK);
        let model = self.model(self.hops.times.len() - 1);
        let mut solver = Solver::new(&model, &work);
        let parts = solver.cheapest_of_all().ok()?;
        let windows = Chooser::new(&solver, &parts)
            .fewest_windows()?
            .windows
            .count_ones();
        let rolls = parts.iter().map(|part| solver.rolls(part.counts)).sum();
        Some((usize::try_from(windows).unwrap_or(usize::MAX), rolls))
    }
}

/// Finds the ways of the parts up to one last time.
pub(super) struct Solver<'a> {
    pub(super) model: &'a Model<'a>,
    /// The bounds where everything may move at any time.
    bounds: Bounds,
    /// All times.
    pub(super) all: Times,
    work: &'a Cell<u64>,
    pub(super) is_proved: Cell<bool>,
    /// The ways that were found, a part each.
    found: RefCell<Vec<Vec<Found>>>,
}

/// A way that a part was found to have.
struct Found {
    rolls_in: Times,
    updates_in: Times,
    way: Way,
}

impl Found {
    /// Whether it is cheap enough and within these times.
    fn answers(&self, rolls_in: Times, updates_in: Times, at_most: Counts) -> bool {
        self.rolls_in & !rolls_in == 0 && self.updates_in & !updates_in == 0 && self.way.counts <= at_most
    }
}

/// What is known of a part before the windows are chosen.
#[derive(Clone, Copy)]
pub(super) struct Cheapest {
    pub(super) counts: Counts,
    /// The first part that is like this one but for the numbers of nodes, and whose way is this one's too.
    pub(super) like: usize,
    /// Whether there may be something cheaper, because the search was stopped.
    pub(super) is_rough: bool,
    /// Whether anything of it moves.
    pub(super) is_busy: bool,
}

/// Lower bounds of one part: of each piece, of each unit's updates, and of all.
pub(super) struct Lowest {
    pub(super) pieces: Vec<Cost>,
    pub(super) units: Vec<u32>,
    pub(super) counts: Counts,
    after_updates: Cost,
}

impl<'a> Solver<'a> {
    fn new(model: &'a Model<'a>, work: &'a Cell<u64>) -> Self {
        let all: Times = (1 << (model.last + 1)) - 1;
        let mut found = Vec::new();
        found.resize_with(model.cluster.parts.len(), Vec::new);
        Self {
            bounds: Bounds::new(model, all, all),
            model,
            all,
            work,
            is_proved: Cell::new(true),
            found: RefCell::new(found),
        }
    }

    fn run(&mut self) -> Result<Solution, Stuck> {
        let parts = self.cheapest_of_all()?;
        let (chosen, targets) = Chooser::new(self, &parts).choose();
        let bounds = Bounds::new(self.model, chosen.windows, chosen.updates_in());
        let mut ways: Vec<Way> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let target = targets[index];
            // A part that costs what its pieces cost by themselves costs so whatever their numbers.
            let shared = ways.get(part.like).filter(|way| {
                part.like != index && way.after_updates == self.lowest_by(&bounds, part.like).after_updates
            });
            ways.push(match shared {
                Some(way) => way.clone(),
                None if part.is_busy && !part.is_rough => self.best(&bounds, index, chosen, target),
                None => self.take(index, chosen, target),
            });
        }
        let lower_bound = (0..parts.len())
            .map(|part| self.rolls(self.lowest(part).counts))
            .sum();
        Ok(Solution {
            last: self.model.last,
            ways,
            is_proved: self.is_proved.get(),
            lower_bound,
            stuck: None,
        })
    }

    pub(super) fn part(&self, part: usize) -> &'a Part {
        &self.model.cluster.parts[part]
    }

    /// The node rolls in what counts.
    pub(super) fn rolls(&self, counts: Counts) -> usize {
        self.model.scale.rolls(counts.before_windows)
    }

    /// What every part costs if it may move at any time.
    fn cheapest_of_all(&mut self) -> Result<Vec<Cheapest>, Stuck> {
        let mut known: HashMap<_, usize> = HashMap::new();
        let mut parts: Vec<Cheapest> = Vec::new();
        for index in 0..self.model.cluster.parts.len() {
            let like = *known.entry(shape(self.part(index))).or_insert(index);
            let lowest = self.lowest(index).counts;
            // Where each piece has what it has by itself, so it has beside more or fewer nodes.
            let is_shared = like != index && parts[like].counts == self.lowest(like).counts;
            parts.push(if is_shared {
                Cheapest {
                    counts: lowest,
                    ..parts[like]
                }
            } else {
                self.cheapest(index, lowest)?
            });
        }
        Ok(parts)
    }

    fn cheapest(&self, part: usize, lowest: Counts) -> Result<Cheapest, Stuck> {
        let question = |at_most: Option<Counts>, objective: Objective| Question {
            rolls_in: self.all,
            updates_in: self.all,
            at_most,
            objective,
        };
        let search = |question: &Question| self.search(&self.bounds, part, question);
        // Mostly a part costs no more than its pieces do by themselves.
        let mut outcome = search(&question(Some(lowest), Objective::Counts));
        if matches!(outcome, Outcome::NoWay) {
            outcome = search(&question(None, Objective::Counts));
        }
        let is_rough = matches!(outcome, Outcome::Stopped);
        if is_rough {
            self.is_proved.set(false);
            outcome = search(&question(None, Objective::Any));
        }
        let stuck = |is_certain: bool| Err(Stuck { part, is_certain });
        match outcome {
            Outcome::Found(way) => Ok(Cheapest {
                counts: way.counts,
                like: part,
                is_rough,
                is_busy: self.keep(part, way),
            }),
            Outcome::NoWay => stuck(true),
            Outcome::Stopped => stuck(false),
        }
    }

    /// Searches a part.
    fn search(&self, bounds: &Bounds, part: usize, question: &Question) -> Outcome {
        let is_any = question.objective == Objective::Any;
        let allowed = if is_any { WORK } else { WORK.min(self.work.get()) };
        let work = Cell::new(allowed);
        let outcome = Search {
            model: self.model,
            bounds,
            part,
            work: &work,
        }
        .run(question);
        let done = allowed - work.get();
        self.work.set(self.work.get().saturating_sub(done));
        outcome
    }

    /// Keeps a way; whether it moves anything.
    fn keep(&self, part: usize, way: Way) -> bool {
        let (rolls_in, updates_in) = times_of(&way);
        self.found.borrow_mut()[part].push(Found {
            rolls_in,
            updates_in,
            way,
        });
        rolls_in | updates_in != 0
    }

    /// The times of the rolls and of the updates of the cheapest way of a part.
    pub(super) fn times_of_cheapest(&self, part: usize) -> (Times, Times) {
        let found = self.found.borrow();
        found[part]
            .first()
            .map_or((0, 0), |found| (found.rolls_in, found.updates_in))
    }

    /// The cheapest way of a part within these times, if it costs at most so much; `None` where the search was
    /// stopped.
    pub(super) fn within(
        &self,
        part: usize,
        rolls_in: Times,
        updates_in: Times,
        at_most: Counts,
    ) -> Option<Result<Counts, NoWay>> {
        let question = Question {
            rolls_in,
            updates_in,
            at_most: Some(at_most),
            objective: Objective::Counts,
        };
        match self.search(&self.bounds, part, &question) {
            Outcome::Found(way) => {
                let counts = way.counts;
                self.keep(part, way);
                Some(Ok(counts))
            }
            Outcome::NoWay => Some(Err(NoWay)),
            Outcome::Stopped => None,
        }
    }

    /// Whether a part has a way within these times that costs at most so much; `None` where the search was stopped.
    pub(super) fn has_way(
        &self,
        part: usize,
        rolls_in: Times,
        updates_in: Times,
        at_most: Counts,
    ) -> Option<bool> {
        let answers = |found: &Found| found.answers(rolls_in, updates_in, at_most);
        if self.found.borrow()[part].iter().any(answers) {
            return Some(true);
        }
        let found = self.within(part, rolls_in, updates_in, at_most)?;
        Some(found.is_ok())
    }

    /// The bounds where everything may move at any time.
    pub(super) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What each piece of a part, and the part, cost at least.
    pub(super) fn lowest(&self, part: usize) -> Lowest {
        self.lowest_by(&self.bounds, part)
    }

    fn lowest_by(&self, bounds: &Bounds, part: usize) -> Lowest {
        let of = self.part(part);
        let scale = self.model.scale;
        let start: Vec<Place> = of.units.iter().map(Unit::start).collect();
        let mut units = vec![0; of.units.len()];
        let mut pieces = Vec::with_capacity(of.pieces.len());
        let mut sum: Cost = 0;
        for (index, piece) in of.pieces.iter().enumerate() {
            let of_units = bounds
                .of(part, index)
                .iter()
                .enumerate()
                .map(|(position, bound)| {
                    let unit = piece.units.get(position).and_then(|&unit| start[unit]);
                    bound.at(0, unit, piece.start())
                });
            let of_units: Vec<(Cost, Cost)> = of_units.collect();
            let least = of_units.iter().map(|(least, _)| *least).max().unwrap_or_default();
            let least = if least == NEVER { 0 } else { least };
            let before_windows = scale.before_windows(least);
            pieces.push(before_windows);
            sum += least;
            for (&unit, (_, few)) in piece.units.iter().zip(of_units) {
                units[unit] = updates_of(few, before_windows).max(units[unit]);
            }
        }
        Lowest {
            counts: Counts {
                before_windows: scale.before_windows(sum),
                updates: units.iter().sum(),
            },
            after_updates: scale.after_updates(sum),
            pieces,
            units,
        }
    }

    /// The way of a part within the chosen times.
    fn best(&self, bounds: &Bounds, part: usize, chosen: Chosen, at_most: Counts) -> Way {
        let question = Question {
            rolls_in: chosen.windows,
            updates_in: chosen.updates_in(),
            at_most: Some(at_most),
            objective: Objective::Whole,
        };
        match self.search(bounds, part, &question) {
            Outcome::Found(way) => way,
            Outcome::NoWay | Outcome::Stopped => {
                self.is_proved.set(false);
                self.take(part, chosen, at_most)
            }
        }
    }

    /// A way within the chosen times that was found before: when they were chosen, each part had one.
    fn take(&self, part: usize, chosen: Chosen, at_most: Counts) -> Way {
        let found = self.found.borrow();
        let answers = |found: &&Found| found.answers(chosen.windows, chosen.updates_in(), at_most);
        let way = found[part].iter().find(answers).map(|found| found.way.clone());
        way.unwrap_or_else(|| Way {
            counts: at_most,
            after_updates: 0,
            moves: vec![Vec::new(); self.model.last + 1],
        })
    }
}

/// There is no way so cheap.
pub(super) struct NoWay;

/// The times in which nodes are rolled, and those in which units are updated.
fn times_of(way: &Way) -> (Times, Times) {
    let in_times = |is_such: fn(&Move) -> bool| {
        let times = (0..)
            .zip(&way.moves)
            .filter(|(_, moves)| moves.iter().any(is_such));
        times.fold(0, |all: Times, (time, _)| all | 1 << time)
    };
    (
        in_times(|moved| matches!(moved, Move::Roll { .. })),
        in_times(|moved| matches!(moved, Move::Update { .. })),
    )
}

/// Of each unit the oldest and newest pod and whether it follows the apiservers; of each piece what its members run.
type Shape<'a> = (Vec<(Option<(Minor, Minor)>, bool)>, Vec<Vec<&'a Runs>>);

/// What a part is but for the numbers of nodes.
fn shape(part: &Part) -> Shape<'_> {
    let units = part.units.iter().map(|unit| (unit.span, unit.follows));
    let pieces = part
        .pieces
        .iter()
        .map(|piece| piece.members.iter().map(|member| &member.runs).collect());
    (units.collect(), pieces.collect())
}
