//! Chooses the times that all parts share: asks each part for what it needs, and `windows` for the fewest times that
//! meet all that was asked.

use super::alone::{self, Alone};
use super::bounds::Times;
use super::search::Counts;
use super::solve::{Cheapest, Solver};
use super::windows::{self, Chosen, Cut};

/// How many choices of windows are tried where windows and updates pull in different directions.
const MOST_TRADES: usize = 300;

/// Chooses for the parts of a solver.
pub(super) struct Chooser<'a> {
    solver: &'a Solver<'a>,
    /// The parts that are asked: those that move something, one of those that are alike.
    asked: Vec<usize>,
    parts: &'a [Cheapest],
    /// What is asked for before anything is tried.
    first: Vec<Cut>,
}

/// Windows, and what each part costs with them.
type Trade = (Times, Vec<Counts>);

/// Whether updates are held to times too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Updates {
    AtAnyTime,
    Held,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(solver: &'a Solver<'a>, parts: &'a [Cheapest]) -> Self {
        let is_asked =
            |&part: &usize| parts[part].is_busy && parts[part].like == part && !parts[part].is_rough;
        let mut first = Vec::new();
        // A part whose cheapest way is not known keeps the way that it has.
        for part in (0..parts.len()).filter(|&part| parts[part].is_rough) {
            let (rolls, updates) = solver.times_of_cheapest(part);
            let times = |times: Times| {
                (0..=solver.model.last)
                    .map(|time| 1 << time)
                    .filter(move |time| times & time != 0)
            };
            first.extend(times(rolls).map(|rolls| Cut { rolls, updates: 0 }));
            first.extend(times(updates).map(|updates| Cut { rolls: 0, updates }));
        }
        Self {
            solver,
            asked: (0..parts.len()).filter(is_asked).collect(),
            parts,
            first,
        }
    }

    fn everything(&self) -> Chosen {
        Chosen {
            windows: self.solver.all,
            alone: 0,
        }
    }

    fn targets(&self, updates: Updates) -> Vec<Counts> {
        let counts = self.parts.iter().map(|part| part.counts);
        counts
            .map(|counts| match updates {
                Updates::AtAnyTime => with_any_updates(counts),
                Updates::Held => counts,
            })
            .collect()
    }

    /// The fewest windows in which each part has a way that costs what it costs at any time.
    pub(super) fn fewest_windows(&self) -> Option<Chosen> {
        let mut cuts: Vec<Cut> = self
            .first
            .iter()
            .copied()
            .filter(|cut| cut.updates == 0)
            .collect();
        self.meet(
            &mut cuts,
            None,
            Updates::AtAnyTime,
            &self.targets(Updates::AtAnyTime),
        )
    }

    /// The windows and the times with updates alone, and what each part costs within them.
    pub(super) fn choose(&self) -> (Chosen, Vec<Counts>) {
        let targets = self.targets(Updates::Held);
        let any = self.targets(Updates::AtAnyTime);
        let mut of_rolls = self.of_rolls();
        let fewest = self.meet(&mut of_rolls, None, Updates::AtAnyTime, &any);
        let mut cuts = [&self.first[..], &of_rolls].concat();
        // Mostly the windows that the updates let be chosen are as few as those that the rolls ask for.
        let both = self.meet(&mut cuts, None, Updates::Held, &targets);
        match (fewest, both) {
            (Some(fewest), Some(both)) if fewest.windows.count_ones() < both.windows.count_ones() => {
                self.trade(fewest, &of_rolls, targets)
            }
            (Some(_), Some(both)) => (both, targets),
            (_, both) => {
                self.solver.is_proved.set(false);
                (both.unwrap_or_else(|| self.everything()), targets)
            }
        }
    }

    fn of_rolls(&self) -> Vec<Cut> {
        self.first
            .iter()
            .copied()
            .filter(|cut| cut.updates == 0)
            .collect()
    }

    /// Where the fewest windows cost more updates than the parts need by themselves: of all choices of so few windows
    /// the one with the fewest updates, then the fewest times with updates alone, then the latest.
    fn trade(&self, first: Chosen, cuts: &[Cut], targets: Vec<Counts>) -> (Chosen, Vec<Counts>) {
        let times = self.solver.model.last + 1;
        let (candidates, are_all) = windows::choices(cuts, times, first.windows.count_ones(), MOST_TRADES);
        if !are_all {
            self.solver.is_proved.set(false);
        }
        let mut best: Option<(u32, Vec<Trade>)> = None;
        for windows in candidates {
            let Some(counts) = self.within(windows, &targets) else {
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
            let chosen = self.meet(&mut self.first.clone(), Some(windows), Updates::Held, &counts)?;
            Some((chosen, counts))
        });
        let fewest = chosen.min_by_key(|(chosen, _)| chosen.alone.count_ones());
        fewest.unwrap_or_else(|| {
            self.solver.is_proved.set(false);
            (self.everything(), targets)
        })
    }

    /// What the parts cost with these windows and updates at any time; `None` where one needs another window.
    fn within(&self, windows: Times, targets: &[Counts]) -> Option<Vec<Counts>> {
        let mut counts = targets.to_vec();
        for &part in &self.asked {
            let at_most = with_any_updates(targets[part]);
            let Some(found) = self.solver.within(part, windows, self.solver.all, at_most) else {
                self.solver.is_proved.set(false);
                return None;
            };
            counts[part] = found.ok()?;
        }
        // Those that are alike cost as many updates more as the one that was asked.
        for (part, known) in self.parts.iter().enumerate() {
            counts[part].updates = counts[known.like].updates;
        }
        Some(counts)
    }

    /// The fewest times in which every part has its way; `None` where they are not found.
    fn meet(
        &self,
        cuts: &mut Vec<Cut>,
        fixed: Option<Times>,
        updates: Updates,
        targets: &[Counts],
    ) -> Option<Chosen> {
        let times = self.solver.model.last + 1;
        loop {
            let chosen = windows::fewest(cuts, times, fixed)?;
            let updates_in = match updates {
                Updates::AtAnyTime => self.solver.all,
                Updates::Held => chosen.updates_in(),
            };
            let mut failing = None;
            for &part in &self.asked {
                if !self
                    .solver
                    .has_way(part, chosen.windows, updates_in, targets[part])?
                {
                    // Once something new is asked for, the next choice may suit the others too.
                    failing = Some(part);
                    break;
                }
            }
            let Some(part) = failing else { return Some(chosen) };
            cuts.extend(self.cuts(part, (chosen, updates_in), targets[part]));
        }
    }

    /// What a part that fails with what was chosen asks for.
    fn cuts(&self, part: usize, (chosen, updates_in): (Chosen, Times), target: Counts) -> Vec<Cut> {
        let times = self.solver.model.last + 1;
        // Where one piece fails even by itself, what it asks for is the sharper and sooner found.
        let culprit = self
            .alone(part, target)
            .find(|(alone, at_most)| alone.spans(chosen.windows, updates_in, *at_most).is_none());
        let Some((alone, at_most)) = culprit else {
            return vec![windows::cut(chosen, times, |rolls_in, updates_in| {
                self.solver.has_way(part, rolls_in, updates_in, target) == Some(false)
            })];
        };
        let spans = alone
            .spans(self.solver.all, self.solver.all, at_most)
            .unwrap_or_default();
        let rolls = spans.rolls.into_iter().map(|span| Cut {
            rolls: alone::times(span),
            updates: 0,
        });
        let updates = spans.updates.into_iter().map(|span| Cut {
            rolls: 0,
            updates: alone::times(span),
        });
        let cuts: Vec<Cut> = rolls.chain(updates).collect();
        let is_met = |cut: &Cut| cut.rolls & chosen.windows != 0 || cut.updates & updates_in != 0;
        if cuts.iter().all(is_met) {
            return vec![windows::cut(chosen, times, |rolls_in, updates_in| {
                alone.spans(rolls_in, updates_in, at_most).is_none()
            })];
        }
        cuts
    }

    /// Each piece of a part with each of its units, and what it may cost where everything else costs what it costs at
    /// least.
    fn alone(&self, part: usize, target: Counts) -> impl Iterator<Item = (Alone<'a>, Counts)> {
        let lowest = self.solver.lowest(part);
        let of = self.solver.part(part);
        let pairs = of.pieces.iter().enumerate().flat_map(|(piece, of_piece)| {
            (0..of_piece.units.len().max(1)).map(move |position| (piece, position))
        });
        let solver = self.solver;
        pairs.map(move |(piece, position)| {
            let others = lowest.counts.before_windows - lowest.pieces[piece];
            let own = of.pieces[piece]
                .units
                .get(position)
                .map_or(0, |&unit| lowest.units[unit]);
            let at_most = Counts {
                before_windows: target.before_windows.saturating_sub(others),
                updates: match target.updates {
                    u32::MAX => u32::MAX,
                    updates => updates.saturating_sub(lowest.counts.updates - own),
                },
            };
            let bound = &solver.bounds().of(part, piece)[position];
            (
                Alone::new(solver.model, of, &of.pieces[piece], position, bound),
                at_most,
            )
        })
    }
}

const fn with_any_updates(counts: Counts) -> Counts {
    Counts {
        updates: u32::MAX,
        ..counts
    }
}
