//! What moves in one piece and how it would move if nothing else were there: a class of nodes with their static
//! kube-proxies, or a kube-proxy workload. As late as possible and then as high as possible is the least work
//! for each alone; `search` is for those that hold each other.

use super::breach::{Breaches, Moment};
use super::cluster::{Class, Cluster, MovedBy};
use super::cost::Cost;
use super::timeline::Slot;
use crate::inventory::version::Minor;
use crate::policy::skew_policy::Policy;

/// The slots that are planned for, and by which policy.
pub(super) struct Scope<'a> {
    /// The policy.
    pub(super) policy: &'a Policy,
    /// The slots; the hop of the last is not made.
    pub(super) slots: &'a [Slot],
    /// Whether the last slot is the target's.
    pub(super) is_whole: bool,
    /// `--node-step one`.
    pub(super) node_step_one: bool,
    /// The target.
    pub(super) target: Minor,
}

impl Scope<'_> {
    /// The last slot.
    pub(super) fn last(&self) -> usize {
        self.slots.len().saturating_sub(1)
    }

    /// How many hops are made after `slot`.
    pub(super) fn hops_after(&self, slot: usize) -> u64 {
        u64::try_from(self.last().saturating_sub(slot)).unwrap_or(u64::MAX)
    }

    /// Whether a subject gets from `slot` to the next legally; `breaches` tells what it breaks at a moment.
    pub(super) fn may_pass(&self, slot: usize, mut breaches: impl FnMut(Moment) -> Breaches) -> bool {
        let Some(this) = self.slots.get(slot) else {
            return false;
        };
        let mut before = breaches(this.at);
        match &this.hop {
            Some(hop) if slot < self.last() => hop.passes.iter().all(|&moment| {
                let now = breaches(moment);
                let is_broken = now.add_to(&before) || (hop.raises_newest && now.has_behind());
                before = now;
                !is_broken
            }),
            _ => !self.is_whole || !before.has_behind(),
        }
    }
}

/// What moves in one piece. Where it stands is an `Option<Minor>`: as it is today, or all of it at one minor.
pub(super) struct Mover {
    kubelet: Option<Minor>,
    proxies: Vec<Minor>,
    /// What each counts for: the kubelet first.
    weights: Vec<u64>,
    /// How many nodes it stands for.
    size: u64,
    is_unit: bool,
    is_movable: bool,
    in_rollout: bool,
}

/// Where a mover stands.
pub(super) type Place = Option<Minor>;

/// How a mover moves alone: where it goes in each slot.
pub(super) struct Course {
    /// The moves of each slot.
    pub(super) moves: Vec<Vec<Minor>>,
    /// What they cost, and what stays broken.
    pub(super) cost: Cost,
}

impl Mover {
    /// The nodes of a class with what a roll of them moves.
    pub(super) fn nodes(class: &Class) -> Self {
        let proxies: Vec<Minor> = class
            .runs
            .proxies
            .iter()
            .filter(|(_, moved_by)| *moved_by == MovedBy::Node)
            .map(|&(minor, _)| minor)
            .collect();
        Self {
            kubelet: class.runs.kubelet,
            weights: vec![class.size(); proxies.len() + 1],
            proxies,
            size: class.size(),
            is_unit: false,
            is_movable: class.runs.is_planned,
            in_rollout: class.runs.in_rollout,
        }
    }

    /// Each unit's pods.
    pub(super) fn units(cluster: &Cluster) -> Vec<Self> {
        let mut pods = vec![std::collections::BTreeMap::<Minor, u64>::new(); cluster.units.len()];
        for class in &cluster.classes {
            for &(minor, moved_by) in &class.runs.proxies {
                if let MovedBy::Unit(unit) = moved_by {
                    *pods[unit].entry(minor).or_default() += class.size();
                }
            }
        }
        pods.into_iter()
            .map(|pods| Self {
                kubelet: None,
                weights: std::iter::once(0).chain(pods.values().copied()).collect(),
                is_movable: !pods.is_empty(),
                proxies: pods.into_keys().collect(),
                size: 1,
                is_unit: true,
                in_rollout: false,
            })
            .collect()
    }

    /// The minors that it runs at `place`.
    pub(super) fn minors(&self, place: Place) -> impl Iterator<Item = Minor> {
        self.kubelet
            .iter()
            .chain(&self.proxies)
            .map(move |&minor| place.unwrap_or(minor))
    }

    /// What it breaks at `place`, by itself.
    pub(super) fn breaches(&self, policy: &Policy, place: Place, moment: Moment) -> Breaches {
        let proxies = self.proxies.iter().map(|&minor| place.unwrap_or(minor));
        Breaches::of(
            policy,
            self.kubelet.map(|minor| place.unwrap_or(minor)),
            proxies,
            moment,
        )
    }

    /// Where one step may bring it from `place`, the highest first: never down, never past the oldest apiserver.
    pub(super) fn reach(&self, scope: &Scope<'_>, slot: usize, place: Place) -> Vec<Minor> {
        let (Some(low), Some(high)) = (self.minors(place).min(), self.minors(place).max()) else {
            return Vec::new();
        };
        let Some(slot) = scope.slots.get(slot).filter(|_| self.is_movable) else {
            return Vec::new();
        };
        let highest = match self.kubelet.map(|minor| place.unwrap_or(minor)) {
            Some(kubelet) if scope.node_step_one => slot.at.lo.min(kubelet.next()),
            _ => slot.at.lo,
        };
        (high.number()..=highest.number())
            .rev()
            .map(Minor::new)
            .filter(|&to| to > low)
            .collect()
    }

    /// Whether it has got where the rollout brings it.
    pub(super) fn has_arrived(&self, scope: &Scope<'_>, slot: usize, place: Place) -> bool {
        slot < scope.last()
            || !scope.is_whole
            || !self.in_rollout
            || !self.is_movable
            || self.minors(place).min().is_none_or(|low| low >= scope.target)
    }

    /// What a step to `to` in `slot` costs.
    pub(super) fn cost_of(&self, scope: &Scope<'_>, slot: usize, to: Minor) -> Cost {
        let lo = scope.slots.get(slot).map_or(to, |slot| slot.at.lo);
        let early = scope.hops_after(slot);
        let low = u64::from(to.distance(lo));
        if self.is_unit {
            Cost {
                updates: 1,
                steps: 1,
                early_updates: early,
                low_updates: low,
                ..Cost::default()
            }
        } else {
            Cost {
                rolls: self.size,
                early: early.saturating_mul(self.size),
                low: low.saturating_mul(self.size),
                ..Cost::default()
            }
        }
    }

    /// The least work from `place` at the beginning of `slot` to the end, alone; the slot that it cannot leave
    /// where there is none.
    pub(super) fn course(&self, scope: &Scope<'_>, slot: usize, place: Place) -> Result<Course, usize> {
        let mut place = place;
        let mut cost = Cost::default();
        let mut moves = vec![Vec::new(); slot];
        for slot in slot..=scope.last() {
            let (made, broken) = self.least(scope, slot, place).ok_or(slot)?;
            for &to in &made {
                cost = cost + self.cost_of(scope, slot, to);
            }
            place = made.last().copied().or(place);
            cost.breaches = cost.breaches.saturating_add(broken);
            moves.push(made);
        }
        Ok(Course { moves, cost })
    }

    /// The fewest steps of one slot that break the least at its end and let the next hop pass, the highest of
    /// those; and what is then still broken.
    fn least(&self, scope: &Scope<'_>, slot: usize, place: Place) -> Option<(Vec<Minor>, u64)> {
        let at = scope.slots.get(slot)?.at;
        let mut best: Option<(Vec<Minor>, u64)> = None;
        let mut consider = |made: &[Minor]| {
            let place = made.last().copied().or(place);
            let passes = scope.may_pass(slot, |moment| self.breaches(scope.policy, place, moment))
                && self.has_arrived(scope, slot, place);
            let broken = self
                .breaches(scope.policy, place, at)
                .weigh(self.weights.iter().copied());
            let is_better = best
                .as_ref()
                .is_none_or(|(other, least)| (broken, made.len()) < (*least, other.len()));
            if passes && is_better {
                best = Some((made.to_vec(), broken));
            }
        };
        consider(&[]);
        let is_legal = |from: Place, to: Minor| {
            let before = self.breaches(scope.policy, from, at);
            !self.breaches(scope.policy, Some(to), at).add_to(&before)
        };
        if scope.node_step_one && !self.is_unit {
            let mut chain = Vec::new();
            let mut here = place;
            while let Some(&to) = self
                .reach(scope, slot, here)
                .first()
                .filter(|&&to| is_legal(here, to))
            {
                chain.push(to);
                here = Some(to);
                consider(&chain);
            }
        } else {
            for to in self.reach(scope, slot, place) {
                if is_legal(place, to) {
                    consider(&[to]);
                }
            }
        }
        best
    }
}
