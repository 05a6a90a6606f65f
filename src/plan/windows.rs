//! In which times nodes are rolled and units updated. All parts of the cluster share the windows, and nothing else:
//! with the windows fixed, each finds its own least way.
//!
//! Which times are needed is found from refusals. A part that finds no way as cheap as its cheapest in the times that
//! it was given asks for one more of some others; that is a [`Cut`], and holds for every choice of times. The fewest
//! and latest times that meet all cuts so far are tried next, until every part finds its way. What was chosen is then
//! the least of all choices, because it is the least of those that meet some of what all must meet.

use super::bounds::Times;

/// What every choice of times must meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Nodes are rolled in one of these …
    pub(super) rolls: Times,
    /// … or units updated, or nodes rolled, in one of these.
    pub(super) updates: Times,
}

/// A choice of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The windows.
    pub(super) windows: Times,
    /// Times with updates alone.
    pub(super) alone: Times,
}

impl Chosen {
    /// The times in which units may be updated.
    pub(super) const fn updates_in(self) -> Times {
        self.windows | self.alone
    }
}

/// More cuts, or more ways to meet some of them, than this are not looked at.
const MOST_CUTS: usize = 120;
const MOST_WAYS: usize = 2_000;

/// The fewest windows, then the fewest times with updates alone, then the latest of each, that meet all cuts; `None`
/// where that is too much to be found. `fixed` are windows that are settled.
pub(super) fn fewest(cuts: &[Cut], times: usize, fixed: Option<Times>) -> Option<Chosen> {
    let cuts = needed(cuts);
    let cuts = cuts.as_slice();
    if cuts.len() > MOST_CUTS {
        return None;
    }
    let met_by = |in_time: &dyn Fn(&Cut) -> bool| {
        let met = (0..).zip(cuts).filter(|(_, cut)| in_time(cut));
        met.fold(0u128, |all, (index, _)| all | 1 << index)
    };
    let mut ways: Vec<Picked> = vec![Picked::default()];
    for time in 0..times {
        let here: Times = 1 << time;
        let place: Times = 1 << (times - 1 - time);
        let as_window = met_by(&|cut| (cut.rolls | cut.updates) & here != 0);
        let as_alone = met_by(&|cut| cut.updates & here != 0);
        // What is not met by now will not be.
        let due = met_by(&|cut| (cut.rolls | cut.updates) >> time >> 1 == 0);
        let is_fixed = fixed.is_some_and(|fixed| fixed & here != 0);
        let mut next: Vec<Picked> = Vec::new();
        for way in ways {
            let as_window = Picked {
                met: way.met | as_window,
                windows: way.windows + 1,
                of_windows: way.of_windows | place,
                ..way
            };
            let as_alone = Picked {
                met: way.met | as_alone,
                alone: way.alone + 1,
                of_alone: way.of_alone | place,
                ..way
            };
            let offered = if is_fixed {
                [Some(as_window), None, None]
            } else {
                [
                    Some(way),
                    Some(as_window).filter(|with| fixed.is_none() && with.met != way.met),
                    Some(as_alone).filter(|with| with.met != way.met),
                ]
            };
            for offered in offered.into_iter().flatten().filter(|way| way.met & due == due) {
                if !next.iter().any(|known| known.beats(&offered)) {
                    next.retain(|known| !offered.beats(known));
                    next.push(offered);
                }
            }
        }
        if next.len() > MOST_WAYS {
            return None;
        }
        ways = next;
    }
    let best = ways.into_iter().min_by_key(Picked::order)?;
    let back = |places: Times| {
        let set = (0..times).filter(|time| places >> (times - 1 - time) & 1 == 1);
        set.fold(0, |all: Times, time| all | 1 << time)
    };
    Some(Chosen {
        windows: back(best.of_windows),
        alone: back(best.of_alone),
    })
}

/// Times that are picked, up to some time.
#[derive(Clone, Copy, Default)]
struct Picked {
    /// The cuts that they meet.
    met: u128,
    windows: u32,
    alone: u32,
    /// The windows and the times alone as numbers of which the least is the latest.
    of_windows: Times,
    of_alone: Times,
}

impl Picked {
    const fn order(&self) -> (u32, u32, Times, Times) {
        (self.windows, self.alone, self.of_windows, self.of_alone)
    }

    /// Whether whatever is picked later, the other is no better.
    fn beats(&self, other: &Self) -> bool {
        other.met & !self.met == 0 && self.order() <= other.order()
    }
}

/// The cuts that no other includes: what meets those meets all.
fn needed(cuts: &[Cut]) -> Vec<Cut> {
    let is_within = |inner: &Cut, outer: &Cut| {
        (inner.rolls | inner.updates) & !(outer.rolls | outer.updates) == 0
            && inner.updates & !outer.updates == 0
    };
    let mut needed: Vec<Cut> = Vec::new();
    for cut in cuts {
        if !needed.iter().any(|other| is_within(other, cut)) {
            needed.retain(|other| !is_within(cut, other));
            needed.push(*cut);
        }
    }
    needed
}

/// The choices of so many windows that meet the cuts, the latest first, at most so many; and whether those are all.
pub(super) fn choices(cuts: &[Cut], times: usize, windows: u32, at_most: usize) -> (Vec<Times>, bool) {
    let mut found = Vec::new();
    // Windows that are chosen, and the first time that is open.
    let mut open: Vec<(Times, usize)> = vec![(0, 0)];
    while let Some((chosen, first)) = open.pop() {
        if chosen.count_ones() == windows {
            if cuts.iter().all(|cut| cut.rolls & chosen != 0) {
                found.push(chosen);
            }
            if found.len() == at_most {
                return (found, open.is_empty());
            }
            continue;
        }
        let passed: Times = (1 << first) - 1;
        let is_lost = |cut: &&Cut| cut.rolls & chosen == 0 && cut.rolls & !passed == 0;
        if cuts.iter().any(|cut| is_lost(&cut)) {
            continue;
        }
        // The latest is taken from the top.
        open.extend((first..times).map(|time| (chosen | 1 << time, time + 1)));
    }
    (found, true)
}

/// What is asked for by something that fails with what was chosen; `fails` says so of any other choice: rolls in the
/// first times, updates in the second.
pub(super) fn cut(chosen: Chosen, times: usize, fails: impl Fn(Times, Times) -> bool) -> Cut {
    let all: Times = (1 << times) - 1;
    let (windows, updates) = (chosen.windows, chosen.updates_in());
    if fails(windows, all) {
        let most = widened(windows, times, |windows| fails(windows, all));
        return Cut {
            rolls: all & !most,
            updates: 0,
        };
    }
    if fails(updates, updates) {
        let most = widened(updates, times, |both| fails(both, both));
        return Cut {
            rolls: 0,
            updates: all & !most,
        };
    }
    let most_updates = widened(updates, times, |updates| fails(windows, updates));
    let most_windows = widened(windows, times, |windows| fails(windows, windows | most_updates));
    Cut {
        rolls: all & !most_windows,
        updates: all & !(most_updates | most_windows),
    }
}

/// The times with as many of the first and then as many of the last as still fail.
fn widened(times: Times, number: usize, fails: impl Fn(Times) -> bool) -> Times {
    let first = |count: usize| times | ((1 << count) - 1);
    let with_first = first(most(number, |count| fails(first(count))));
    let last = |count: usize| with_first | (((1 << count) - 1) << (number - count));
    last(most(number, |count| fails(last(count))))
}

/// The most for which it fails; it does for none.
fn most(number: usize, fails: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, number);
    while low < high {
        let middle = usize::midpoint(low, high + 1);
        if fails(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
