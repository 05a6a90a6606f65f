//! The moves of the whole cluster: how far it gets, what each part costs by itself, the windows that all share, and
//! then each part's way within them.

use std::cell::Cell;
use std::cell::RefCell;

use super::bounds::{Bounds, Times, updates_of};
use super::hops::Hops;
use super::model::{Cost, Model, NEVER, Scale};
use super::options::Settings;
use super::pieces::{Cluster, Part, Place, Unit};
use super::search::{Counts, Move, Objective, Outcome, Question, Search, Way};
use super::violations::Skew;
use super::windows::{self, Chosen, Cut};
use crate::inventory::version::Minor;

/// What is planned for.
pub(super) struct Task<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) hops: &'a Hops,
    pub(super) skew: &'a Skew<'a>,
    pub(super) settings: Settings,
    pub(super) target: Minor,
    /// The lowest minor that anything may be brought to, and the newest that anything runs.
    pub(super) base: Minor,
    pub(super) top: Minor,
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

/// How many choices of windows are tried where windows and updates pull in different directions.
const MOST_TRADES: usize = 300;

impl<'a> Task<'a> {
    pub(super) fn model(&self, last: usize) -> Model<'a> {
        let minors = usize::from(self.target.number() - self.base.number()) + 1;
        Model {
            cluster: self.cluster,
            hops: self.hops,
            skew: self.skew,
            settings: self.settings,
            target: self.target,
            base: self.base,
            last,
            is_whole: last + 1 == self.hops.times.len() && self.hops.obstacle.is_none(),
            scale: Scale::new(
                self.cluster,
                self.hops.times.len(),
                minors,
                self.settings.keep_rollback,
            ),
        }
    }

    /// The least moves that reach as far as can be reached.
    pub(super) fn solve(&self) -> Solution {
        let work = Cell::new(ALL_WORK);
        let mut last = self.hops.times.len() - 1;
        let mut stuck = None;
        loop {
            let model = self.model(last);
            match Solver::new(&model, self.top, &work).run() {
                Ok(mut solution) => {
                    solution.is_proved &= stuck.is_none_or(|stuck: Stuck| stuck.is_certain);
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
}

impl Task<'_> {
    /// The windows and node rolls of the least moves to the target; `None` where it is not reached.
    pub(super) fn price(&self) -> Option<(usize, usize)> {
        let work = Cell::new(ALL_WORK);
        let model = self.model(self.hops.times.len() - 1);
        Solver::new(&model, self.top, &work).price()
    }
}

struct Solver<'a> {
    model: &'a Model<'a>,
    /// The bounds where everything may move at any time.
    bounds: Bounds,
    top: Minor,
    all: Times,
    work: &'a Cell<u64>,
    is_proved: Cell<bool>,
    /// The ways that were found, a part each.
    found: RefCell<Vec<Vec<Found>>>,
}

/// A way that a part was found to have.
struct Found {
    counts: Counts,
    rolls_in: Times,
    updates_in: Times,
    way: Way,
}

impl<'a> Solver<'a> {
    fn new(model: &'a Model<'a>, top: Minor, work: &'a Cell<u64>) -> Self {
        let all: Times = (1 << (model.last + 1)) - 1;
        Self {
            bounds: Bounds::new(model, top, all, all),
            model,
            top,
            all,
            work,
            is_proved: Cell::new(true),
            found: RefCell::new(Vec::new()),
        }
    }

    fn rolls(&self, counts: Counts) -> usize {
        self.model.scale.rolls(counts.before_windows)
    }

    /// What every part costs, and those that move anything.
    fn cheapest_of_all(&self) -> Result<(Vec<Counts>, Vec<usize>), Stuck> {
        let parts = 0..self.model.cluster.parts.len();
        let targets = parts
            .clone()
            .map(|part| self.cheapest(part))
            .collect::<Result<_, _>>()?;
        Ok((targets, parts.filter(|&part| self.moves_anything(part)).collect()))
    }

    fn price(&self) -> Option<(usize, usize)> {
        let (targets, busy) = self.cheapest_of_all().ok()?;
        let any_updates = targets.iter().map(|&counts| with_any_updates(counts));
        let chosen = self.meet(
            &busy,
            &mut Vec::new(),
            None,
            true,
            &any_updates.collect::<Vec<_>>(),
        )?;
        let windows = usize::try_from(chosen.windows.count_ones()).unwrap_or(usize::MAX);
        Some((
            windows,
            targets.into_iter().map(|counts| self.rolls(counts)).sum(),
        ))
    }

    fn run(&self) -> Result<Solution, Stuck> {
        let parts = &self.model.cluster.parts;
        let (targets, busy) = self.cheapest_of_all()?;
        let (chosen, targets) = self.choose(&busy, targets);
        let bounds = Bounds::new(self.model, self.top, chosen.windows, chosen.updates_in());
        let mut ways = Vec::with_capacity(targets.len());
        for (part, target) in targets.iter().enumerate() {
            ways.push(if busy.contains(&part) {
                self.best(&bounds, part, chosen, *target)
            } else {
                self.take(part, chosen, *target).unwrap_or_else(|| Way {
                    counts: *target,
                    moves: vec![Vec::new(); self.model.last + 1],
                })
            });
        }
        let lower_bound = if self.is_proved.get() {
            targets.iter().map(|&target| self.rolls(target)).sum()
        } else {
            (0..parts.len())
                .map(|part| self.rolls(self.lowest(part).counts))
                .sum()
        };
        Ok(Solution {
            last: self.model.last,
            ways,
            is_proved: self.is_proved.get(),
            lower_bound,
            stuck: None,
        })
    }

    fn part(&self, part: usize) -> &Part {
        &self.model.cluster.parts[part]
    }

    fn search(&self, bounds: &Bounds, part: usize, pieces: Option<&[usize]>, question: &Question) -> Outcome {
        let everything: Vec<usize> = (0..self.part(part).pieces.len()).collect();
        let is_any = question.objective == Objective::Any;
        let allowed = if is_any { WORK } else { WORK.min(self.work.get()) };
        let work = Cell::new(allowed);
        let outcome = Search {
            model: self.model,
            bounds,
            part,
            pieces: pieces.unwrap_or(&everything),
            work: &work,
        }
        .run(question);
        let done = allowed - work.get();
        self.work.set(self.work.get().saturating_sub(done));
        outcome
    }

    /// What the part costs if it may move at any time.
    fn cheapest(&self, part: usize) -> Result<Counts, Stuck> {
        let question = Question {
            rolls_in: self.all,
            updates_in: self.all,
            at_most: None,
            objective: Objective::Counts,
        };
        let way = match self.search(&self.bounds, part, None, &question) {
            Outcome::Found(way) => way,
            Outcome::NoWay => {
                return Err(Stuck {
                    part,
                    is_certain: true,
                });
            }
            Outcome::Stopped => {
                { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
                let question = Question {
                    objective: Objective::Any,
                    ..question
                };
                match self.search(&self.bounds, part, None, &question) {
                    Outcome::Found(way) => way,
                    Outcome::NoWay => {
                        return Err(Stuck {
                            part,
                            is_certain: true,
                        });
                    }
                    Outcome::Stopped => {
                        return Err(Stuck {
                            part,
                            is_certain: false,
                        });
                    }
                }
            }
        };
        let counts = way.counts;
        self.keep(part, way);
        Ok(counts)
    }

    fn keep(&self, part: usize, way: Way) {
        let in_times = |is_such: fn(&Move) -> bool| {
            let times = (0..)
                .zip(&way.moves)
                .filter(|(_, moves)| moves.iter().any(is_such));
            times.fold(0, |all: Times, (time, _)| all | 1 << time)
        };
        let mut found = self.found.borrow_mut();
        if found.len() <= part {
            found.resize_with(part + 1, Vec::new);
        }
        found[part].push(Found {
            counts: way.counts,
            rolls_in: in_times(|moved| matches!(moved, Move::Roll { .. })),
            updates_in: in_times(|moved| matches!(moved, Move::Update { .. })),
            way,
        });
    }

    fn moves_anything(&self, part: usize) -> bool {
        self.found.borrow()[part]
            .iter()
            .any(|found| found.rolls_in | found.updates_in != 0)
    }

    /// A way that was found already and is cheap enough within these times.
    fn known(found: &Found, rolls_in: Times, updates_in: Times, at_most: Counts) -> bool {
        found.rolls_in & !rolls_in == 0 && found.updates_in & !updates_in == 0 && found.counts <= at_most
    }

    fn take(&self, part: usize, chosen: Chosen, at_most: Counts) -> Option<Way> {
        let mut found = self.found.borrow_mut();
        let (rolls_in, updates_in) = (chosen.windows, chosen.updates_in());
        let known = found[part]
            .iter()
            .position(|found| Self::known(found, rolls_in, updates_in, at_most))?;
        Some(found[part].swap_remove(known).way)
    }

    /// Whether the part has a way within these times that costs at most so much.
    fn has_way(&self, part: usize, rolls_in: Times, updates_in: Times, at_most: Counts) -> bool {
        let is_known =
            (self.found.borrow()[part].iter()).any(|found| Self::known(found, rolls_in, updates_in, at_most));
        if is_known {
            return true;
        }
        let question = Question {
            rolls_in,
            updates_in,
            at_most: Some(at_most),
            objective: Objective::Counts,
        };
        match self.search(&self.bounds, part, None, &question) {
            Outcome::Found(way) => {
                self.keep(part, way);
                true
            }
            Outcome::NoWay => false,
            Outcome::Stopped => {
                { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
                false
            }
        }
    }

    /// The windows and the times with updates alone, and what each part costs within them.
    fn choose(&self, busy: &[usize], targets: Vec<Counts>) -> (Chosen, Vec<Counts>) {
        let everything = Chosen {
            windows: self.all,
            alone: 0,
        };
        let mut cuts = Vec::new();
        let by_rolls: Vec<Counts> = targets.iter().copied().map(with_any_updates).collect();
        let Some(fewest) = self.meet(busy, &mut cuts, None, true, &by_rolls) else {
            return (everything, targets);
        };
        let windows = fewest.windows.count_ones();
        match self.meet(busy, &mut cuts, None, false, &targets) {
            Some(chosen) if chosen.windows.count_ones() == windows => (chosen, targets),
            Some(_) => self.trade(busy, fewest, &cuts, targets),
            None => (everything, targets),
        }
    }

    /// Where the fewest windows cost more updates than the parts need by themselves: of all choices of so few windows
    /// the one with the fewest updates, then the fewest times with updates alone, then the latest.
    fn trade(
        &self,
        busy: &[usize],
        first: Chosen,
        cuts: &[Cut],
        targets: Vec<Counts>,
    ) -> (Chosen, Vec<Counts>) {
        let cuts: Vec<Cut> = cuts.iter().copied().filter(|cut| cut.updates == 0).collect();
        let (candidates, are_all) = windows::choices(
            &cuts,
            self.model.last + 1,
            first.windows.count_ones(),
            MOST_TRADES,
        );
        if !are_all {
            { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
        }
        let mut best: Option<(u32, Vec<(Times, Vec<Counts>)>)> = None;
        for windows in candidates {
            let Some(counts) = self.within(busy, windows, &targets) else {
                continue;
            };
            let updates = counts.iter().map(|counts| counts.updates).sum();
            match &mut best {
                Some((fewest, _)) if *fewest < updates => {}
                Some((fewest, ties)) if *fewest == updates => ties.push((windows, counts)),
                _ => best = Some((updates, vec![(windows, counts)])),
            }
        }
        let ties = best.into_iter().flat_map(|(_, ties)| ties);
        let chosen = ties.filter_map(|(windows, counts)| {
            let chosen = self.meet(busy, &mut Vec::new(), Some(windows), false, &counts)?;
            Some((chosen, counts))
        });
        let fewest = chosen.min_by_key(|(chosen, _)| chosen.alone.count_ones());
        fewest.unwrap_or_else(|| {
            { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
            let everything = Chosen {
                windows: self.all,
                alone: 0,
            };
            (everything, targets)
        })
    }

    /// What the parts cost with these windows and updates at any time; `None` where one needs another window.
    fn within(&self, busy: &[usize], windows: Times, targets: &[Counts]) -> Option<Vec<Counts>> {
        let mut counts = targets.to_vec();
        for &part in busy {
            let question = Question {
                rolls_in: windows,
                updates_in: self.all,
                at_most: Some(with_any_updates(targets[part])),
                objective: Objective::Counts,
            };
            match self.search(&self.bounds, part, None, &question) {
                Outcome::Found(way) => {
                    counts[part] = way.counts;
                    self.keep(part, way);
                }
                Outcome::NoWay => return None,
                Outcome::Stopped => {
                    { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
                    return None;
                }
            }
        }
        Some(counts)
    }

    /// The fewest times in which every part has its way; `None` where they are not found.
    fn meet(
        &self,
        busy: &[usize],
        cuts: &mut Vec<Cut>,
        fixed: Option<Times>,
        update_always: bool,
        targets: &[Counts],
    ) -> Option<Chosen> {
        let times = self.model.last + 1;
        loop {
            let Some(chosen) = windows::fewest(cuts, times, fixed) else {
                { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
                return None;
            };
            let updates_in = if update_always {
                self.all
            } else {
                chosen.updates_in()
            };
            let failing = busy
                .iter()
                .find(|&&part| !self.has_way(part, chosen.windows, updates_in, targets[part]));
            let Some(&part) = failing else { return Some(chosen) };
            if !self.is_proved.get() {
                return None;
            }
            cuts.push(self.cut(part, chosen, targets[part], update_always));
        }
    }

    /// What a part that fails with what was chosen asks for.
    fn cut(&self, part: usize, chosen: Chosen, target: Counts, update_always: bool) -> Cut {
        let times = self.model.last + 1;
        let pieces = self.part(part).pieces.len();
        let updates_in = if update_always {
            self.all
        } else {
            chosen.updates_in()
        };
        let lowest = self.lowest(part);
        // Where one piece fails by itself, its cut is the sharper and sooner found.
        let culprit = (0..pieces).filter(|_| pieces > 1).find(|&piece| {
            let at_most = self.share(part, piece, &lowest, target);
            self.fails_alone(part, piece, at_most, chosen.windows, updates_in)
        });
        match culprit {
            Some(piece) => {
                let at_most = self.share(part, piece, &lowest, target);
                windows::cut(chosen, times, |rolls_in, updates_in| {
                    self.fails_alone(part, piece, at_most, rolls_in, updates_in)
                })
            }
            None => windows::cut(chosen, times, |rolls_in, updates_in| {
                !self.has_way(part, rolls_in, updates_in, target)
            }),
        }
    }

    fn fails_alone(
        &self,
        part: usize,
        piece: usize,
        at_most: Counts,
        rolls_in: Times,
        updates_in: Times,
    ) -> bool {
        let question = Question {
            rolls_in,
            updates_in,
            at_most: Some(at_most),
            objective: Objective::Counts,
        };
        matches!(
            self.search(&self.bounds, part, Some(&[piece]), &question),
            Outcome::NoWay
        )
    }

    /// What each piece of a part, and the part, cost at least.
    fn lowest(&self, part: usize) -> Lowest {
        let of = self.part(part);
        let units: Vec<Place> = of.units.iter().map(Unit::start).collect();
        let mut lowest = Lowest {
            pieces: Vec::new(),
            units: vec![0; of.units.len()],
            counts: Counts {
                before_windows: 0,
                updates: 0,
            },
        };
        for (index, piece) in of.pieces.iter().enumerate() {
            let bound = self
                .bounds
                .at((part, index), &piece.units, 0, &units, piece.start());
            let before_windows = if bound.least == NEVER {
                0
            } else {
                self.model.scale.before_windows(bound.least)
            };
            lowest.pieces.push(before_windows);
            lowest.counts.before_windows += before_windows;
            for (&unit, few) in piece.units.iter().zip(bound.updates) {
                lowest.units[unit] = lowest.units[unit].max(updates_of(few, before_windows));
            }
        }
        lowest.counts.updates = lowest.units.iter().sum();
        lowest
    }

    /// What a piece may cost where all the others cost what they cost at least.
    fn share(&self, part: usize, piece: usize, lowest: &Lowest, target: Counts) -> Counts {
        let others: Cost = lowest.counts.before_windows - lowest.pieces[piece];
        let own_units = &self.part(part).pieces[piece].units;
        let units = lowest.units.iter().enumerate();
        let other_units = units
            .filter(|(unit, _)| !own_units.contains(unit))
            .map(|(_, few)| *few);
        Counts {
            before_windows: target.before_windows.saturating_sub(others),
            updates: target.updates.saturating_sub(other_units.sum()),
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
        match self.search(bounds, part, None, &question) {
            Outcome::Found(way) => way,
            Outcome::NoWay | Outcome::Stopped => {
                { eprintln!("unproved {}", line!()); self.is_proved.set(false); }
                // Some way within these times was found before; which, does not matter any more.
                self.take(part, chosen, at_most).unwrap_or(Way {
                    counts: at_most,
                    moves: vec![Vec::new(); self.model.last + 1],
                })
            }
        }
    }
}

const fn with_any_updates(counts: Counts) -> Counts {
    Counts {
        updates: u32::MAX,
        ..counts
    }
}

/// Lower bounds of one part.
struct Lowest {
    pieces: Vec<Cost>,
    units: Vec<u32>,
    counts: Counts,
}
