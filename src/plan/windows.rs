//! In which times nodes are rolled and units updated. All parts of the cluster share the windows, and nothing else:
//! with the windows fixed, each finds its own least way.
//!
//! Which times are needed is found from refusals. A part that finds no way as cheap as its cheapest in the times that
//! it was given asks for one more of some others; that is a [`Cut`], and holds for every choice of times. The fewest
//! and latest times that meet all cuts so far are tried next, until every part finds its way. What was chosen is then
//! the least of all choices, because it is the least of those that meet some of what all must meet.

use std::collections::BTreeMap;

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
const MOST_WAYS: usize = 50_000;

/// The fewest windows, then the fewest times with updates alone, then the latest of each, that meet all cuts; `None`
/// where that is too much to be found. `fixed` are windows that are settled.
pub(super) fn fewest(cuts: &[Cut], times: usize, fixed: Option<Times>) -> Option<Chosen> {
    if cuts.len() > MOST_CUTS {
        return None;
    }
    let met_by = |in_time: &dyn Fn(&Cut) -> bool| {
        let met = (0..).zip(cuts).filter(|(_, cut)| in_time(cut));
        met.fold(0u128, |all, (index, _)| all | 1 << index)
    };
    // By what is met: how many windows, how many times alone, and both as numbers of which the least is the latest.
    let mut ways: BTreeMap<u128, (u32, u32, Times, Times)> = BTreeMap::from([(0, (0, 0, 0, 0))]);
    for time in 0..times {
        let here: Times = 1 << time;
        let place: Times = 1 << (times - 1 - time);
        let as_window = met_by(&|cut| (cut.rolls | cut.updates) & here != 0);
        let as_alone = met_by(&|cut| cut.updates & here != 0);
        let mut next: BTreeMap<u128, (u32, u32, Times, Times)> = BTreeMap::new();
        let mut offer = |met: u128, way: (u32, u32, Times, Times)| {
            let known = next.entry(met).or_insert(way);
            *known = way.min(*known);
        };
        let is_fixed = fixed.is_some_and(|fixed| fixed & here != 0);
        for (met, (windows, alone, of_windows, of_alone)) in ways {
            if is_fixed {
                offer(met | as_window, (windows, alone, of_windows | place, of_alone));
                continue;
            }
            offer(met, (windows, alone, of_windows, of_alone));
            if fixed.is_none() && as_window & !met != 0 {
                offer(
                    met | as_window,
                    (windows + 1, alone, of_windows | place, of_alone),
                );
            }
            if as_alone & !met != 0 {
                offer(met | as_alone, (windows, alone + 1, of_windows, of_alone | place));
            }
        }
        if next.len() > MOST_WAYS {
            return None;
        }
        ways = next;
    }
    let all = (0..cuts.len()).fold(0u128, |all, index| all | 1 << index);
    let &(_, _, windows, alone) = ways.get(&all)?;
    let back = |places: Times| {
        let set = (0..times).filter(|time| places >> (times - 1 - time) & 1 == 1);
        set.fold(0, |all: Times, time| all | 1 << time)
    };
    Some(Chosen {
        windows: back(windows),
        alone: back(alone),
    })
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
