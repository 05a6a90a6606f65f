//! What a plan costs: the objective, in the order in which it counts.

use std::ops::Add;

/// The objective: of two plans the lesser is the better. The order of the fields is the order in which they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// What is still out of policy at the end of each slot: what a step can mend is mended first.
    pub(super) breaches: u64,
    /// Node rolls.
    pub(super) rolls: u64,
    /// kube-proxy workload updates.
    pub(super) updates: u64,
    /// Hops that are made after a node's roll, summed: each as late as possible.
    pub(super) early: u64,
    /// Minors that rolls stay under the oldest apiserver, summed: as high as it allows.
    pub(super) low: u64,
    /// Steps.
    pub(super) steps: u64,
    /// As `early`, of workload updates.
    pub(super) early_updates: u64,
    /// As `low`, of workload updates.
    pub(super) low_updates: u64,
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            breaches: self.breaches.saturating_add(other.breaches),
            rolls: self.rolls.saturating_add(other.rolls),
            updates: self.updates.saturating_add(other.updates),
            early: self.early.saturating_add(other.early),
            low: self.low.saturating_add(other.low),
            steps: self.steps.saturating_add(other.steps),
            early_updates: self.early_updates.saturating_add(other.early_updates),
            low_updates: self.low_updates.saturating_add(other.low_updates),
        }
    }
}
