//! The hops from today's apiservers to the target, and the managers that go with them. Between two hops is a *time*
//! in which nodes and kube-proxies may move; what moves in which is found in `search` and `windows`.

use super::pieces::{Apiserver, Cluster, Manager};
use super::reason::{before_hop, behind_today};
use super::steps::{Cause, Held, Obstacle, Reason, Step, StepKind};
use super::violations::Moment;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules;
use crate::policy::skew_policy::Policy;

/// A time in which the apiservers do not move.
pub(super) struct Time {
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
    /// When some have moved and some have not, and the newest is newer than before. `None` where the newest does not
    /// move: an upgrade under way is finished, and nothing is further behind than it was.
    pub(super) half: Option<Moment>,
}

/// The times up to the target, and what the managers make of them.
pub(super) struct Hops {
    /// At least one.
    pub(super) times: Vec<Time>,
    /// Managers as they are at the end of each time.
    pub(super) managers: Vec<Vec<Manager>>,
    /// The hop that a manager is in the way of: the times end before it.
    pub(super) obstacle: Option<Obstacle>,
}

impl Hops {
    /// The times of `cluster` up to `target`.
    pub(super) fn new(cluster: &Cluster, policy: &Policy, target: Minor) -> Self {
        let mut hops = Self {
            times: Vec::new(),
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
            hops.obstacle = hop
                .as_ref()
                .and_then(|hop| manager_in_the_way(policy, &managers, at, hop));
            let hop = hop.filter(|_| hops.obstacle.is_none());
            let after = hop.as_ref().map(|hop| hop.after(at));
            hops.managers.push(managers.clone());
            hops.times.push(Time {
                at,
                managers: steps,
                hop,
            });
            let Some(after) = after else { return hops };
            at = after;
            for manager in &mut managers {
                manager.minor = manager.minor.max(at.lo);
            }
        }
    }

    /// Every moment of them: the times, then the middle of each hop (for a hop that has none, the time before it).
    pub(super) fn moments(&self) -> Vec<Moment> {
        let middles = self.times.iter().map(|time| {
            let half = time.hop.as_ref().and_then(|hop| hop.half);
            half.unwrap_or(time.at)
        });
        self.times.iter().map(|time| time.at).chain(middles).collect()
    }

    /// The place among the moments of the middle of the hop after `time`.
    pub(super) fn half(&self, time: usize) -> usize {
        self.times.len() + time
    }
}

impl Hop {
    fn after(&self, before: Moment) -> Moment {
        Moment {
            lo: self.to,
            hi: before.hi.max(self.to),
            min_compatibility: None,
        }
    }

    /// The moments that it passes.
    fn passes(&self, before: Moment) -> impl Iterator<Item = Moment> {
        self.half.into_iter().chain([self.after(before)])
    }
}

/// The hop from `at`; moves `apiservers`.
fn next_hop(apiservers: &mut [Apiserver], at: Moment) -> Hop {
    let to = at.lo.next();
    let mut kind = StepKind::Emulation;
    for apiserver in apiservers.iter_mut().filter(|apiserver| apiserver.effective < to) {
        if apiserver.binary < to {
            kind = StepKind::Hop;
        }
        apiserver.effective = to;
        apiserver.binary = apiserver.binary.max(to);
    }
    Hop {
        from: at.lo,
        to,
        kind,
        half: (at.hi < to).then_some(Moment {
            lo: at.lo,
            hi: to,
            min_compatibility: None,
        }),
    }
}

/// Raises the managers of each component that would not bear the hop, or that a step can bring back into policy.
fn raise(policy: &Policy, managers: &mut [Manager], at: Moment, hop: Option<&Hop>) -> Vec<Step> {
    let mut steps = Vec::new();
    if hop.is_some_and(|hop| hop.half.is_none()) {
        // The managers follow the apiservers in the hop, and nothing gets further behind before.
        return steps;
    }
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
                hop.passes(at)
                    .any(|moment| moment.is_behind(policy, component, manager.minor))
            });
        }
        let reason = match hop {
            _ if is_broken_today => Reason::MendToday {
                rule: behind_today(component),
            },
            Some(hop) if is_stranded => before_hop(policy, component, from.unwrap_or(at.lo), hop.to),
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
        hop.half.is_some()
            && hop.passes(at).any(|moment| {
                moment.is_behind(policy, manager.component, manager.minor) && manager.minor < hop.to
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
