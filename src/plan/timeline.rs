//! The hops from today's apiservers to the target, and the managers that go with them. Nodes and kube-proxies
//! move in the slots between hops; when is for `mover` and `search` to find.

use super::breach::Moment;
use super::cluster::{Apiserver, Cluster, Manager};
use super::reason::{before_hop, behind_today};
use super::steps::{Cause, Held, Obstacle, Reason, Step, StepKind};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules;
use crate::policy::skew_policy::Policy;

/// A time at which nodes may move: the apiservers stand still.
pub(super) struct Slot {
    /// The apiservers.
    pub(super) at: Moment,
    /// Managers that are raised at its beginning.
    pub(super) managers: Vec<Step>,
    /// What ends it; `None` for the last.
    pub(super) hop: Option<Hop>,
}

/// The oldest apiservers move one minor.
pub(super) struct Hop {
    /// From …
    pub(super) from: Minor,
    /// … to.
    pub(super) to: Minor,
    /// A hop, or only emulation.
    pub(super) kind: StepKind,
    /// The moments that it passes: half of the apiservers moved, where that is one; then all.
    pub(super) passes: Vec<Moment>,
    /// Whether the newest apiserver moves too; otherwise an upgrade under way is finished.
    pub(super) raises_newest: bool,
}

/// The slots up to the target, and what the managers make of it.
pub(super) struct Timeline {
    /// At least one.
    pub(super) slots: Vec<Slot>,
    /// Managers as they are at the end of each slot.
    pub(super) managers: Vec<Vec<Manager>>,
    /// The hop that a manager stands in the way of: the slots end before it.
    pub(super) obstacle: Option<Obstacle>,
}

impl Timeline {
    /// The slots of `cluster` up to `target`.
    pub(super) fn new(cluster: &Cluster, policy: &Policy, target: Minor) -> Self {
        let mut timeline = Self {
            slots: Vec::new(),
            managers: Vec::new(),
            obstacle: None,
        };
        let mut apiservers = cluster.apiservers.clone();
        let mut managers = cluster.managers.clone();
        let mut at = Moment {
            lo: cluster.today.lo,
            hi: cluster.today.hi,
            min_compatibility: cluster.min_compatibility,
        };
        loop {
            let hop = (at.lo < target && at.hi <= target).then(|| next_hop(&mut apiservers, at));
            let steps = raise(policy, &mut managers, at, hop.as_ref());
            timeline.obstacle = hop
                .as_ref()
                .and_then(|hop| manager_in_the_way(policy, &managers, at, hop));
            let hop = hop.filter(|_| timeline.obstacle.is_none());
            let after = hop.as_ref().and_then(|hop| hop.passes.last().copied());
            timeline.managers.push(managers.clone());
            timeline.slots.push(Slot {
                at,
                managers: steps,
                hop,
            });
            let Some(after) = after else { return timeline };
            at = after;
            for manager in &mut managers {
                manager.minor = manager.minor.max(at.lo);
            }
        }
    }
}

/// The hop from `at`; moves `apiservers`.
fn next_hop(apiservers: &mut [Apiserver], at: Moment) -> Hop {
    let to = at.lo.next();
    let raises_newest = at.hi < to;
    let moved = apiservers.iter_mut().filter(|apiserver| apiserver.effective < to);
    let mut kind = StepKind::Emulation;
    for apiserver in moved {
        if apiserver.binary < to {
            kind = StepKind::Hop;
        }
        apiserver.effective = to;
        apiserver.binary = apiserver.binary.max(to);
    }
    let moment = |lo, hi| Moment {
        lo,
        hi,
        min_compatibility: None,
    };
    let hi = at.hi.max(to);
    let half = raises_newest.then(|| moment(at.lo, hi));
    Hop {
        from: at.lo,
        to,
        kind,
        passes: half.into_iter().chain([moment(to, hi)]).collect(),
        raises_newest,
    }
}

/// Raises the managers of each component that would not bear the hop, or that a step can bring back into policy.
fn raise(policy: &Policy, managers: &mut [Manager], at: Moment, hop: Option<&Hop>) -> Vec<Step> {
    let mut steps = Vec::new();
    for component in Component::MANAGERS {
        let lagging = |manager: &&mut Manager| manager.component == component && manager.minor < at.lo;
        let mut from: Option<Minor> = None;
        let mut is_broken_today = false;
        let mut is_stranded = false;
        for manager in managers.iter_mut().filter(lagging) {
            from = Some(from.map_or(manager.minor, |lowest| lowest.min(manager.minor)));
            is_broken_today |=
                at.is_behind(policy, component, manager.minor) && !at.is_behind(policy, component, at.lo);
            is_stranded |= hop.is_some_and(|hop| {
                hop.raises_newest
                    && hop
                        .passes
                        .iter()
                        .any(|m| m.is_behind(policy, component, manager.minor))
            });
        }
        let reason = match hop {
            _ if is_broken_today => Reason::MendToday {
                rule: behind_today(component),
            },
            Some(hop) if is_stranded => before_hop(
                policy,
                component,
                from.unwrap_or(at.lo),
                hop.to,
                at.hi.max(hop.to),
            ),
            _ => continue,
        };
        let Some(from) = from else { continue };
        for manager in managers.iter_mut().filter(lagging) {
            manager.minor = at.lo;
        }
        steps.push(Step {
            component: Some(component),
            ..Step::new(StepKind::ControlPlane, from, at.lo, reason)
        });
    }
    steps
}

/// The manager that a hop would put out of policy though it has been raised as far as it may.
fn manager_in_the_way(policy: &Policy, managers: &[Manager], at: Moment, hop: &Hop) -> Option<Obstacle> {
    let manager = managers.iter().find(|manager| {
        hop.raises_newest
            && hop.passes.iter().any(|m| {
                m.is_behind(policy, manager.component, manager.minor)
                    && manager.minor < m.lo.max(at.lo.next())
            })
    })?;
    Some(Obstacle {
        hop: Some(hop.to),
        object: Some(manager.name.clone()),
        rule: Some(rules::manager_behind::of(manager.component)),
        cause: Cause::TooOld {
            component: manager.component,
            minor: manager.minor,
            newest: hop.to,
            held: Held::Raised,
        },
    })
}
