//! What each piece and unit may do in a time and at a hop, and what that costs: the rules of movement that both the
//! bounds in `alone` and the search in `search` go by.

use super::hops::{Hop, Hops};
use super::options::Settings;
use super::pieces::{Cluster, Follows, Member, Piece, Place, Unit};
use super::steps::StepKind;
use super::violations::{Skew, Violations};
use crate::inventory::version::Minor;

/// A cluster, the times that are planned for, and how.
pub(super) struct Model<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) hops: &'a Hops,
    pub(super) skew: &'a Skew<'a>,
    pub(super) settings: Settings,
    pub(super) target: Minor,
    /// The lowest minor that a roll or an update may bring anything to.
    pub(super) base: Minor,
    /// The newest that anything runs today.
    pub(super) newest: Minor,
    /// The last time; the hop after it is not made.
    pub(super) last: usize,
    /// Whether the last time is the target's.
    pub(super) is_whole: bool,
    pub(super) scale: Scale,
}

/// A cost as one number: of two ways the lesser is the better. From the top: rules that stay broken, counted at each
/// hop that raises the newest apiserver and at the end; nodes that do not get where they are to end; rolls that could
/// wait until a hop needs them (`--keep-rollback`); rolls; hops that are made after a roll; minors that a roll stays
/// below the oldest apiserver. Each field has room for all nodes of the cluster, so that sums of costs compare as
/// their fields do, one after the other.
pub(super) type Cost = u128;

/// Not possible at any cost.
pub(super) const NEVER: Cost = Cost::MAX;

/// Where the fields of a [`Cost`] begin.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    early: u32,
    rolls: u32,
    needless: u32,
    unfinished: u32,
    broken: u32,
}

/// How many rolls a node is reckoned with at most, on the average.
const MOST_ROLLS: u64 = 64;

impl Scale {
    /// The scale for so many nodes and times, and rolls over so many minors.
    pub(super) fn new(cluster: &Cluster, times: usize, minors: usize, keep_rollback: bool) -> Self {
        let pieces = cluster.parts.iter().flat_map(|part| &part.pieces);
        let nodes: u64 = pieces.map(Piece::size).sum();
        let units: usize = cluster.parts.iter().map(|part| part.units.len()).sum();
        let units = u64::try_from(units).unwrap_or(u64::MAX);
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        let minors = u64::try_from(minors).unwrap_or(u64::MAX);
        let bits = |most: u64| u64::BITS - most.leading_zeros();
        let mut most_rolls = MOST_ROLLS;
        loop {
            let rolls = nodes.saturating_add(1).saturating_mul(most_rolls);
            let early = bits(rolls.saturating_mul(minors));
            let rolls_at = early + bits(rolls.saturating_mul(times));
            let needless = rolls_at + bits(rolls);
            let unfinished = needless + if keep_rollback { bits(rolls) } else { 0 };
            let broken = unfinished + bits(nodes.saturating_add(units));
            let all = broken + bits(nodes.saturating_mul(5).saturating_mul(times));
            if all < Cost::BITS || most_rolls == 1 {
                return Self {
                    early,
                    rolls: rolls_at,
                    needless,
                    unfinished,
                    broken,
                };
            }
            most_rolls /= 2;
        }
    }

    /// The part of a cost that counts before the number of windows.
    pub(super) const fn before_windows(self, cost: Cost) -> Cost {
        cost >> self.rolls
    }

    /// The part that counts after the updates.
    pub(super) const fn after_updates(self, cost: Cost) -> Cost {
        cost & ((1 << self.rolls) - 1)
    }

    /// The rolls of the part before the windows.
    pub(super) fn rolls(self, before_windows: Cost) -> usize {
        let mask = (1 << (self.needless - self.rolls)) - 1;
        usize::try_from(before_windows & mask).unwrap_or(usize::MAX)
    }

    const fn broken(self, number: u64) -> Cost {
        (number as Cost) << self.broken
    }

    const fn unfinished(self, number: u64) -> Cost {
        (number as Cost) << self.unfinished
    }
}

impl Model<'_> {
    /// The newest minor that anything runs at any time.
    pub(super) fn top(&self) -> Minor {
        self.newest.max(self.target)
    }

    /// The hop after `time`, where it is made.
    pub(super) fn hop(&self, time: usize) -> Option<&Hop> {
        let hop = self.hops.times.get(time)?.hop.as_ref();
        hop.filter(|_| time < self.last)
    }

    /// The oldest apiserver.
    pub(super) fn lo(&self, time: usize) -> Minor {
        self.hops.times[time].at.lo
    }

    /// The kubelet of a member at `place`; one that is newer than the place of its piece is not part of that.
    pub(super) fn kubelet(member: &Member, place: Place) -> Option<Minor> {
        let kubelet = member.runs.kubelet?;
        Some(place.map_or(kubelet, |place| kubelet.max(place)))
    }

    fn is_moved(member: &Member, place: Place) -> Place {
        place.filter(|&place| member.runs.kubelet.is_some_and(|kubelet| kubelet <= place))
    }

    /// What the kube-proxies of a member run: static ones first.
    pub(super) fn proxies<'m>(
        member: &'m Member,
        place: Place,
        units: &'m [Place],
    ) -> impl Iterator<Item = Minor> + 'm {
        let moved = Self::is_moved(member, place);
        let statics = member
            .runs
            .statics
            .iter()
            .map(move |&minor| moved.unwrap_or(minor));
        let pods = member.runs.pods.iter();
        statics.chain(pods.map(move |&(unit, minor)| units[unit].unwrap_or(minor)))
    }

    /// What a member breaks at a moment.
    pub(super) fn judge(&self, member: &Member, place: Place, units: &[Place], moment: usize) -> Violations {
        let kubelet = Self::kubelet(member, place);
        self.skew
            .judge(kubelet, Self::proxies(member, place, units), moment)
    }

    /// Whether a change in a time breaks nothing anew.
    pub(super) fn may_change(
        &self,
        piece: &Piece,
        time: usize,
        from: (Place, &[Place]),
        to: (Place, &[Place]),
    ) -> bool {
        piece.members.iter().all(|member| {
            let before = self.judge(member, from.0, from.1, time);
            !self.judge(member, to.0, to.1, time).add_to(before)
        })
    }

    /// Where a roll may bring a piece from `place`, lowest first, and how many nodes it moves.
    pub(super) fn rolls(
        &self,
        piece: &Piece,
        place: Place,
        time: usize,
    ) -> impl Iterator<Item = (Minor, u64)> {
        let kubelets = piece
            .members
            .iter()
            .filter_map(|member| Self::kubelet(member, place));
        let lowest = kubelets.min().filter(|_| piece.is_planned);
        let lo = self.lo(time);
        let minors = lowest.into_iter().flat_map(move |lowest| {
            let highest = if self.settings.node_step_one {
                lo.min(lowest.next())
            } else {
                lo
            };
            lowest.max(self.base).number()..=highest.number()
        });
        minors.map(Minor::new).filter_map(move |to| {
            let moved = piece
                .members
                .iter()
                .filter(|member| Self::moves(member, place, to));
            let moved = moved.map(Member::size).sum();
            (moved > 0).then_some((to, moved))
        })
    }

    /// Whether a roll of its piece from `place` to `to` moves a member.
    pub(super) fn moves(member: &Member, place: Place, to: Minor) -> bool {
        let Some(kubelet) = Self::kubelet(member, place) else {
            return false;
        };
        let moved = Self::is_moved(member, place);
        let mut statics = member.runs.statics.iter().map(|&minor| moved.unwrap_or(minor));
        kubelet < to || kubelet == to && statics.any(|minor| minor != to)
    }

    /// What a roll costs that moves so many nodes.
    pub(super) fn roll_cost(
        &self,
        piece: &Piece,
        time: usize,
        from: (Place, &[Place]),
        to: Minor,
        moved: u64,
    ) -> Cost {
        let moved = Cost::from(moved);
        let early = Cost::from(u64::try_from(self.last - time).unwrap_or(u64::MAX));
        let low = Cost::from(to.distance(self.lo(time)));
        let mut cost = moved * (low + (early << self.scale.early) + (1 << self.scale.rolls));
        if self.settings.keep_rollback && !self.is_needed_now(piece, time, from) {
            cost += moved << self.scale.needless;
        }
        cost
    }

    /// Whether a roll cannot wait for a later time: it mends something, ends at the target, or the next hop would
    /// leave the piece, or a unit that it holds, too far behind.
    fn is_needed_now(&self, piece: &Piece, time: usize, (place, units): (Place, &[Place])) -> bool {
        let Some(hop) = self.hop(time) else {
            return true;
        };
        let is_broken = |member: &Member| !self.judge(member, place, units, time).is_empty();
        if piece.members.iter().any(is_broken) {
            return true;
        }
        if hop.half.is_none() {
            return false;
        }
        let half = self.hops.half(time);
        piece.members.iter().any(|member| {
            let kubelet = Self::kubelet(member, place);
            let statics = Self::proxies(member, place, units).take(member.runs.statics.len());
            self.skew.judge(kubelet, statics, half).has_behind()
                || member.runs.pods.iter().any(|&(unit, minor)| {
                    let own = units[unit].unwrap_or(minor);
                    let lo = self.lo(time);
                    let mut above = (own.number() + 1..=lo.number()).map(Minor::new);
                    let is_near = |to: Minor| kubelet.is_none_or(|kubelet| !self.skew.is_apart(to, kubelet));
                    self.skew.is_proxy_behind(half, own)
                        && !above.any(|to| !self.skew.is_proxy_behind(half, to) && is_near(to))
                })
        })
    }

    /// Where an update may bring a unit from `place`, lowest first.
    pub(super) fn updates(
        &self,
        unit: &Unit,
        place: Place,
        time: usize,
    ) -> impl Iterator<Item = Minor> + use<> {
        let span = unit.span_at(place).filter(|_| !unit.follows);
        let lo = self.lo(time);
        let base = self.base;
        let minors = span
            .into_iter()
            .flat_map(move |(low, high)| high.max(low.next()).max(base).number()..=lo.number());
        minors.map(Minor::new)
    }

    /// Where a unit is after the hop.
    pub(super) fn unit_after(unit: &Unit, place: Place, hop: &Hop) -> Place {
        if unit.follows && hop.kind == StepKind::Hop {
            Some(hop.to)
        } else {
            place
        }
    }

    /// Whether a piece runs the minor of its own apiserver, with which it moves.
    pub(super) fn is_bound(&self, piece: &Piece, place: Place, time: usize) -> bool {
        match piece.follows {
            Follows::Apiserver(own) => place == Some(own.max(self.lo(time))),
            Follows::Nothing | Follows::Platform => false,
        }
    }

    /// Where a piece is after the hop.
    fn after(&self, piece: &Piece, place: Place, time: usize, hop: &Hop) -> Place {
        if hop.kind != StepKind::Hop {
            return place;
        }
        match piece.follows {
            Follows::Apiserver(own) if self.is_bound(piece, place, time) => Some(own.max(hop.to)),
            Follows::Platform => {
                let kubelet = piece
                    .members
                    .first()
                    .and_then(|member| Self::kubelet(member, place));
                let is_reached = kubelet.is_some_and(|kubelet| kubelet <= hop.to);
                if is_reached { Some(hop.to) } else { place }
            }
            Follows::Apiserver(_) | Follows::Nothing => place,
        }
    }

    /// Where a piece is after the hop, while the units go from `before` to `after`; `None` where the hop is not legal
    /// for it.
    pub(super) fn pass(
        &self,
        piece: &Piece,
        place: Place,
        (before, after): (&[Place], &[Place]),
        time: usize,
    ) -> Option<Place> {
        let hop = self.hop(time)?;
        let moved = self.after(piece, place, time, hop);
        let is_bound = self.is_bound(piece, place, time);
        let is_legal = piece.members.iter().all(|member| {
            if hop.half.is_some() {
                // Bound nodes are held to their own apiserver.
                let half = self.judge(member, place, before, self.hops.half(time));
                let half = if is_bound {
                    half.exempt(member.runs.statics.len())
                } else {
                    half
                };
                if half.has_behind() || self.is_pushed_apart(member, (place, before), (moved, after)) {
                    return false;
                }
            }
            let today = self.judge(member, place, before, time);
            !self.judge(member, moved, after, time + 1).add_to(today)
        });
        is_legal.then_some(moved)
    }

    /// Whether a pair that is too far apart gets further apart.
    fn is_pushed_apart(&self, member: &Member, from: (Place, &[Place]), to: (Place, &[Place])) -> bool {
        let (Some(kubelet), Some(moved)) = (Self::kubelet(member, from.0), Self::kubelet(member, to.0))
        else {
            return false;
        };
        let proxies = Self::proxies(member, from.0, from.1).zip(Self::proxies(member, to.0, to.1));
        let mut apart = proxies.filter(|&(proxy, _)| self.skew.is_apart(proxy, kubelet));
        apart.any(|(proxy, after)| after.distance(moved) > proxy.distance(kubelet))
    }

    /// What counts at the end of a time: rules that are still broken before a hop that raises the newest apiserver or
    /// at the end, and there what is not where it is to end.
    pub(super) fn left(&self, piece: &Piece, place: Place, units: &[Place], time: usize) -> Cost {
        let hop = self.hop(time);
        if hop.is_some_and(|hop| hop.half.is_none()) {
            return 0;
        }
        let broken = piece.members.iter().map(|member| {
            let broken = self.judge(member, place, units, time);
            broken.count() * member.size()
        });
        let mut cost = self.scale.broken(broken.sum());
        if hop.is_none() && self.is_whole && piece.is_planned {
            let late = piece.members.iter().filter(|member| {
                let ends = self.settings.finish_nodes || member.runs.in_rollout;
                ends && Self::moves(member, place, self.target)
            });
            cost += self.scale.unfinished(late.map(Member::size).sum());
        }
        cost
    }

    /// Whether a unit is to end at the target and does not.
    pub(super) fn is_unfinished(&self, unit: &Unit, place: Place, time: usize) -> bool {
        let is_below = |(low, _): (Minor, Minor)| low < self.target;
        let ends = self.hop(time).is_none() && self.is_whole && self.settings.finish_nodes;
        ends && unit.span_at(place).is_some_and(is_below)
    }

    /// What an unfinished unit costs.
    pub(super) const fn unfinished_unit(&self) -> Cost {
        self.scale.unfinished(1)
    }
}
