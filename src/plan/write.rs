//! From moves to a plan: steps with their nodes, pools, reasons and notes, and what is left at the end.

use std::collections::HashMap;

use super::model::Model;
use super::options::PlanOptions;
use super::order::{self, Done, Places};
use super::pieces::{Member, Piece, Place, may_meet_older_apiserver};
use super::reason::{self, Ahead, Later, behind_today};
use super::search::Way;
use super::steps::{GoingBack, Plan, Reason, Remaining, Step, StepKind, StepNote, StepPool};
use crate::inventory::component::Component;
use crate::inventory::platform::Platform;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, Node, ProxyUnit};
use crate::policy::finding::RuleKey;
use crate::policy::rules::node_runtime::{ENDS, ends_before};

/// What a step does, before it is written.
enum Doing {
    Managers(Step),
    Moves(Done),
    Hop,
}

/// Writes the plan of the ways of all parts.
pub(super) struct Writer<'a> {
    inventory: &'a Inventory,
    model: &'a Model<'a>,
    options: &'a PlanOptions,
    places: Vec<Places>,
    of_pool: HashMap<&'a Option<String>, usize>,
    plan: Plan,
}

impl<'a> Writer<'a> {
    /// Begins with everything where it is today.
    pub(super) fn new(inventory: &'a Inventory, model: &'a Model<'a>, options: &'a PlanOptions) -> Self {
        let mut of_pool = HashMap::new();
        for node in inventory.nodes.iter().filter(|node| node.is_judged()) {
            *of_pool.entry(&node.pool).or_default() += 1;
        }
        Self {
            inventory,
            model,
            options,
            places: start(model),
            of_pool,
            plan: Plan::default(),
        }
    }

    /// Where everything is now.
    pub(super) fn places(&self) -> &[Places] {
        &self.places
    }

    /// Writes all steps.
    pub(super) fn steps(&mut self, ways: &[Way]) {
        let doings = self.doings(ways);
        let mut window = None;
        let mut time = 0;
        for (number, (at, doing)) in (1..).zip(&doings) {
            if *at != time {
                (time, window) = (*at, None);
            }
            let is_roll = |(other, doing): &(usize, Doing)| {
                *other == time && matches!(doing, Doing::Moves(Done::Rolled { .. }))
            };
            if window.is_none() && doings.iter().any(is_roll) {
                self.plan.windows += 1;
                window = Some(self.plan.windows);
            }
            let step = match doing {
                Doing::Managers(step) => step.clone(),
                Doing::Moves(Done::Rolled { to, pieces }) => {
                    self.roll(time, *to, pieces, &doings[number..], number)
                }
                Doing::Moves(Done::Updated { to, unit }) => {
                    self.update(time, *to, *unit, &doings[number..], number)
                }
                Doing::Hop => self.hop(time),
            };
            let window = window.filter(|_| matches!(doing, Doing::Moves(_)));
            self.plan.steps.push(Step {
                number,
                window,
                ..step
            });
            if doings
                .get(number)
                .is_none_or(|(_, next)| matches!(next, Doing::Hop))
            {
                self.price_way_back();
            }
        }
    }

    /// What is done, in order, each with its time.
    fn doings(&self, ways: &[Way]) -> Vec<(usize, Doing)> {
        let mut places = start(self.model);
        let mut doings = Vec::new();
        for time in 0..=self.model.last {
            let hop = self.model.hop(time);
            // A manager is not raised for a hop that is not made.
            let managers = self.model.hops.times[time].managers.iter();
            let managers =
                managers.filter(|step| hop.is_some() || matches!(step.reason, Reason::MendToday { .. }));
            doings.extend(managers.map(|step| (time, Doing::Managers(step.clone()))));
            let moves: Vec<_> = ways.iter().map(|way| &way.moves[time][..]).collect();
            for done in order::steps(self.model, time, &moves, &places) {
                take(&mut places, &done);
                doings.push((time, Doing::Moves(done)));
            }
            if hop.is_some() {
                pass(self.model, &mut places, time);
                doings.push((time, Doing::Hop));
            }
        }
        doings
    }

    fn piece(&self, (part, piece): (usize, usize)) -> &'a Piece {
        &self.model.cluster.parts[part].pieces[piece]
    }

    fn roll(
        &mut self,
        time: usize,
        to: Minor,
        pieces: &[(usize, usize)],
        ahead: &[(usize, Doing)],
        number: usize,
    ) -> Step {
        let reasons = pieces
            .iter()
            .filter_map(|&(part, piece)| self.why_roll(time, to, (part, piece), ahead, number));
        let reason = reason::first(reasons);
        let mut kubelets = Vec::new();
        let mut statics = Vec::new();
        let mut members = Vec::new();
        let mut at_to = Vec::new();
        for &(part, piece) in pieces {
            let place = self.places[part].pieces[piece];
            let moved = self.piece((part, piece)).members.iter();
            for member in moved.filter(|member| Model::moves(member, place, to)) {
                let own = Model::proxies(member, place, &self.places[part].units);
                statics.extend(own.take(member.runs.statics.len()).min());
                members.extend_from_slice(&member.nodes);
                match Model::kubelet(member, place) {
                    Some(kubelet) if kubelet < to => kubelets.push(kubelet),
                    _ => at_to.extend_from_slice(&member.nodes),
                }
            }
        }
        for &(part, piece) in pieces {
            self.places[part].pieces[piece] = Some(to);
        }
        let lowest = kubelets.iter().copied().min();
        let from = lowest.or_else(|| statics.iter().copied().min()).unwrap_or(to);
        let nodes = self.in_order(members);
        self.plan.node_rolls += nodes.len();
        let mut notes = self.notes(&nodes, lowest, to);
        if lowest.is_some() && !at_to.is_empty() {
            notes.push(StepNote::KubeProxyOnly(sorted(names(
                &self.in_order(at_to),
                |_| true,
            ))));
        }
        let is_static = |node: &&Node| node.proxies.iter().any(|proxy| proxy.unit == ProxyUnit::Static);
        Step {
            kube_proxy_of: sorted(names(&nodes, is_static)),
            pools: self.pools(&nodes),
            drain: nodes.iter().any(|node| !node.fargate),
            notes,
            nodes: names(&nodes, |_| true),
            ..Step::new(StepKind::Kubelets, from, to, reason.unwrap_or(Reason::Rollout))
        }
    }

    fn why_roll(
        &self,
        time: usize,
        to: Minor,
        (part, piece): (usize, usize),
        ahead: &[(usize, Doing)],
        number: usize,
    ) -> Option<Reason> {
        let own = self.piece((part, piece));
        let mut others = Vec::new();
        let mut again = None;
        for (number, (time, doing)) in (number + 1..).zip(ahead) {
            let time = *time;
            match doing {
                Doing::Moves(Done::Rolled { pieces, .. }) if pieces.contains(&(part, piece)) => {
                    again = Some(number);
                    break;
                }
                Doing::Moves(Done::Updated { to, unit }) if unit.0 == part && own.units.contains(&unit.1) => {
                    others.push(Later {
                        number,
                        time,
                        to: *to,
                    });
                }
                _ => {}
            }
        }
        let units = &self.places[part].units;
        let ahead = Ahead {
            time,
            units,
            others,
            again,
        };
        let place = self.places[part].pieces[piece];
        reason::of_roll(
            self.model,
            (&self.model.cluster.parts[part], own),
            (place, to),
            &ahead,
        )
    }

    fn update(
        &mut self,
        time: usize,
        to: Minor,
        (part, unit): (usize, usize),
        ahead: &[(usize, Doing)],
        number: usize,
    ) -> Step {
        let own = &self.model.cluster.parts[part].units[unit];
        let place = self.places[part].units[unit];
        let reason = self.why_update(time, to, (part, unit), ahead, number);
        let from = own.span_at(place).map_or(to, |(low, _)| low);
        self.places[part].units[unit] = Some(to);
        let on = self.in_order(own.nodes.clone());
        let mut unlisted = sorted(own.unlisted.clone());
        unlisted.dedup();
        let nodes: Vec<String> = on.iter().map(|node| node.name.clone()).chain(unlisted).collect();
        let excluded = (!own.excluded.is_empty()).then(|| StepNote::Excluded(own.excluded.clone()));
        self.plan.kube_proxy_updates += 1;
        Step {
            nodes: nodes.clone(),
            kube_proxy_of: sorted(nodes),
            pools: self.pools(&on),
            component: Some(Component::KubeProxy),
            workload: Some(own.name.clone()),
            notes: excluded.into_iter().collect(),
            ..Step::new(StepKind::KubeProxy, from, to, reason.unwrap_or(Reason::Rollout))
        }
    }

    fn why_update(
        &self,
        time: usize,
        to: Minor,
        (part, unit): (usize, usize),
        ahead: &[(usize, Doing)],
        number: usize,
    ) -> Option<Reason> {
        let of = &self.model.cluster.parts[part];
        let mut others = Vec::new();
        let mut again = None;
        for (number, (time, doing)) in (number + 1..).zip(ahead) {
            let time = *time;
            match doing {
                Doing::Moves(Done::Updated { unit: other, .. }) if *other == (part, unit) => {
                    again = Some(number);
                    break;
                }
                Doing::Moves(Done::Rolled { to, pieces }) => {
                    let is_on = |&(other, piece): &(usize, usize)| {
                        other == part && of.pieces[piece].units.contains(&unit)
                    };
                    others.extend(pieces.iter().any(is_on).then_some(Later {
                        number,
                        time,
                        to: *to,
                    }));
                }
                _ => {}
            }
        }
        let Places { pieces, units } = &self.places[part];
        let on = of
            .pieces
            .iter()
            .zip(pieces)
            .filter(|(piece, _)| piece.units.contains(&unit));
        let on: Vec<(&Piece, Place)> = on.map(|(piece, place)| (piece, *place)).collect();
        let mut after = units.clone();
        after[unit] = Some(to);
        let ahead = Ahead {
            time,
            units,
            others,
            again,
        };
        reason::of_update(self.model, &of.units[unit], &on, (units[unit], &after), &ahead)
    }

    fn hop(&mut self, time: usize) -> Step {
        let hop = self.model.hop(time).expect("it is made");
        let before = self
            .places
            .iter()
            .map(|places| places.pieces.clone())
            .collect::<Vec<_>>();
        let mut moved = Vec::new();
        let mut with_unit = Vec::new();
        let mut workloads = Vec::new();
        for part in &self.model.cluster.parts {
            for unit in part
                .units
                .iter()
                .filter(|unit| unit.follows && hop.kind == StepKind::Hop)
            {
                workloads.push(unit.name.clone());
                with_unit.extend(
                    unit.nodes
                        .iter()
                        .filter_map(|&node| Some(self.inventory.nodes.get(node)?.name.clone())),
                );
                with_unit.extend(unit.unlisted.iter().cloned());
            }
        }
        pass(self.model, &mut self.places, time);
        let parts = self
            .model
            .cluster
            .parts
            .iter()
            .zip(before.iter().zip(&self.places));
        for (part, (before, after)) in parts {
            for (piece, (before, after)) in part.pieces.iter().zip(before.iter().zip(&after.pieces)) {
                if before != after {
                    moved.extend(piece.members.iter().flat_map(|member| &member.nodes));
                }
            }
        }
        let nodes = self.in_order(moved);
        let is_static = |node: &&Node| node.proxies.iter().any(|proxy| proxy.unit == ProxyUnit::Static);
        let mut kube_proxy_of = names(&nodes, is_static);
        kube_proxy_of.append(&mut with_unit);
        let mut kube_proxy_of = sorted(kube_proxy_of);
        kube_proxy_of.dedup();
        let is_kubeadm = self.is_platform(Platform::Kubeadm);
        let early = (is_kubeadm && !workloads.is_empty() && hop.to < Minor::new(28))
            .then_some(StepNote::KubeProxyWithFirstApiserver);
        let older = sorted(names(&nodes, |node| may_meet_older_apiserver(node, hop.to)));
        let older = (!older.is_empty()).then_some(StepNote::MayMeetOlderApiserver(older));
        self.plan.hops += usize::from(hop.kind == StepKind::Hop);
        let reason = if hop.half.is_some() {
            Reason::Target {
                target: self.model.target,
            }
        } else {
            Reason::FinishHop
        };
        Step {
            pools: self.pools(&nodes),
            nodes: names(&nodes, |_| true),
            kube_proxy_of,
            workload: (workloads.len() == 1).then(|| workloads.swap_remove(0)),
            notes: early.into_iter().chain(older).collect(),
            ..Step::new(hop.kind, hop.from, hop.to, reason)
        }
    }

    fn is_platform(&self, platform: Platform) -> bool {
        self.inventory
            .platform
            .as_ref()
            .is_some_and(|found| found.platform == platform)
    }

    /// What going back from the last hop costs now: everything that is newer than the minor before it goes first.
    fn price_way_back(&mut self) {
        let Some(hop) = self
            .plan
            .steps
            .iter_mut()
            .rev()
            .find(|step| step.kind == StepKind::Hop)
        else {
            return;
        };
        let from = hop.from;
        let mut node_rolls = 0;
        let mut kube_proxy_updates = 0;
        for (part, places) in self.model.cluster.parts.iter().zip(&self.places) {
            for (piece, &place) in part.pieces.iter().zip(&places.pieces) {
                // Bound nodes go back with their apiserver.
                if matches!(piece.follows, super::pieces::Follows::Apiserver(_)) && place >= Some(hop.to) {
                    continue;
                }
                let is_above = |member: &&Member| {
                    let statics =
                        Model::proxies(member, place, &places.units).take(member.runs.statics.len());
                    Model::kubelet(member, place)
                        .into_iter()
                        .chain(statics)
                        .any(|minor| minor > from)
                };
                node_rolls += piece
                    .members
                    .iter()
                    .filter(is_above)
                    .map(|member| member.nodes.len())
                    .sum::<usize>();
            }
            let units = part.units.iter().zip(&places.units);
            let above =
                units.filter(|(unit, place)| unit.span_at(**place).is_some_and(|(_, high)| high > from));
            kube_proxy_updates += above.count();
        }
        hop.going_back = Some(match self.inventory.min_compatibility {
            Some(min_compatibility) if min_compatibility > from => {
                GoingBack::NotPossible { min_compatibility }
            }
            _ => GoingBack::Possible {
                node_rolls,
                kube_proxy_updates,
            },
        });
    }

    /// The nodes of these places in the inventory in the order in which they are moved: control-plane nodes, then
    /// pool by pool, by name.
    fn in_order(&self, places: Vec<usize>) -> Vec<&'a Node> {
        let nodes = places
            .into_iter()
            .filter_map(|place| self.inventory.nodes.get(place));
        let mut nodes: Vec<&Node> = nodes.collect();
        nodes.sort_by_cached_key(|node| {
            (
                !is_control_plane(node),
                node.pool.is_none(),
                &node.pool,
                &node.name,
            )
        });
        nodes
    }

    /// The pools of these nodes, in their order.
    fn pools(&self, nodes: &[&Node]) -> Vec<StepPool> {
        let mut pools: Vec<StepPool> = Vec::new();
        let mut known: HashMap<&Option<String>, usize> = HashMap::new();
        for node in nodes {
            let index = *known.entry(&node.pool).or_insert_with(|| {
                pools.push(StepPool {
                    name: node.pool.clone(),
                    nodes: 0,
                    of: self.of_pool.get(&node.pool).copied().unwrap_or_default(),
                });
                pools.len() - 1
            });
            pools[index].nodes += 1;
        }
        pools
    }

    /// What to know about the nodes of a roll; `from` is their lowest kubelet, where one moves.
    fn notes(&self, nodes: &[&Node], from: Option<Minor>, to: Minor) -> Vec<StepNote> {
        let rollout = self.options.rollout_names();
        let is_far = |node: &&Node| {
            let kubelet = node.kubelet.version.as_ref().map(Version::minor);
            kubelet.is_some_and(|kubelet| to > kubelet.next())
        };
        let anew = if self.is_platform(Platform::Kubeadm) && from.is_some_and(|from| to > from.next()) {
            names(nodes, is_far)
        } else {
            Vec::new()
        };
        let notes: [(fn(Vec<String>) -> StepNote, Vec<String>); 5] = [
            (
                StepNote::NotInRollout,
                names(nodes, |node| rollout.leave_out(node)),
            ),
            (StepNote::Fargate, names(nodes, |node| node.fargate)),
            (StepNote::Cordoned, names(nodes, |node| node.cordoned)),
            (StepNote::NotReady, names(nodes, |node| node.ready == Some(false))),
            (StepNote::JoinAnew, anew),
        ];
        let notes = notes.into_iter().filter(|(_, nodes)| !nodes.is_empty());
        notes
            .map(|(note, nodes)| note(sorted(nodes)))
            .chain(runtimes(nodes, from.unwrap_or(to), to))
            .collect()
    }

    /// What is left at the end. Beside an obstacle nothing is optional.
    pub(super) fn finish(mut self, is_stopped: bool) -> Plan {
        let mut optional = Vec::new();
        let mut remaining = self.managers_out_of_policy();
        for (part, places) in self.model.cluster.parts.iter().zip(&self.places) {
            for (piece, &place) in part.pieces.iter().zip(&places.pieces) {
                for member in &piece.members {
                    let proxies = Model::proxies(member, place, &places.units);
                    let mut minors = Model::kubelet(member, place).into_iter().chain(proxies);
                    if piece.is_planned && minors.any(|minor| minor < self.model.target) {
                        optional.extend(&member.nodes);
                    }
                    let judged = self.model.judge(member, place, &places.units, self.model.last);
                    // A kube-proxy beside it keeps an unfinished node from the target.
                    let unfinished = (!is_stopped
                        && self.is_unfinished(piece, member, (place, &places.units)))
                    .then_some(RuleKey::KubeProxyKubelet);
                    for rule in judged.rules().chain(unfinished) {
                        let nodes = member
                            .nodes
                            .iter()
                            .filter_map(|&node| self.inventory.nodes.get(node));
                        let objects = nodes.map(|node| &node.name).chain(&member.stray);
                        remaining.extend(objects.map(|object| Remaining {
                            object: object.clone(),
                            rule,
                        }));
                    }
                }
            }
        }
        if !is_stopped {
            self.plan.optional = sorted(names(&self.in_order(optional), |_| true));
        }
        let unplanned = self.in_order(self.model.cluster.unplanned.clone());
        self.plan.unplanned = sorted(names(&unplanned, |_| true));
        remaining.sort_unstable();
        remaining.dedup();
        self.plan.remaining = remaining;
        self.plan
    }

    /// Whether a member is to end at the target, and does not.
    fn is_unfinished(&self, piece: &Piece, member: &Member, (place, units): (Place, &[Place])) -> bool {
        let target = self.model.target;
        let finishes = self.model.settings.finish_nodes;
        let lags = || {
            let proxies = Model::proxies(member, place, units);
            Model::kubelet(member, place)
                .into_iter()
                .chain(proxies)
                .any(|minor| minor < target)
        };
        let ends = piece.is_planned && (finishes || member.runs.in_rollout);
        ends && (Model::moves(member, place, target) || finishes && lags())
    }

    fn managers_out_of_policy(&self) -> Vec<Remaining> {
        let at = self.model.hops.times[self.model.last].at;
        let policy = self.model.skew.policy();
        let mut remaining = Vec::new();
        for manager in self
            .model
            .hops
            .managers
            .get(self.model.last)
            .into_iter()
            .flatten()
        {
            let rules = [
                (manager.minor > at.lo, RuleKey::ManagerNewer(manager.component)),
                (
                    at.is_behind(policy, manager.component, manager.minor),
                    behind_today(manager.component),
                ),
            ];
            let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
            remaining.extend(broken.map(|(_, rule)| Remaining {
                object: manager.name.clone(),
                rule,
            }));
        }
        remaining
    }
}

fn start(model: &Model<'_>) -> Vec<Places> {
    let parts = model.cluster.parts.iter();
    let places = parts.map(|part| Places {
        pieces: part.pieces.iter().map(Piece::start).collect(),
        units: part.units.iter().map(super::pieces::Unit::start).collect(),
    });
    places.collect()
}

fn take(places: &mut [Places], done: &Done) {
    match done {
        Done::Rolled { to, pieces } => {
            for &(part, piece) in pieces {
                places[part].pieces[piece] = Some(*to);
            }
        }
        Done::Updated {
            to,
            unit: (part, unit),
        } => places[*part].units[*unit] = Some(*to),
    }
}

/// Makes the hop after `time`.
fn pass(model: &Model<'_>, places: &mut [Places], time: usize) {
    let Some(hop) = model.hop(time) else { return };
    for (part, places) in model.cluster.parts.iter().zip(places) {
        let units = part.units.iter().zip(&places.units);
        let after: Vec<Place> = units
            .map(|(unit, place)| model.unit_after(unit, *place, hop))
            .collect();
        for (piece, place) in part.pieces.iter().zip(&mut places.pieces) {
            *place = model
                .pass(piece, *place, (&places.units, &after), time)
                .unwrap_or(*place);
        }
        places.units = after;
    }
}

/// The container runtimes that end between the minors of a roll, and on which of its nodes.
fn runtimes(nodes: &[&Node], from: Minor, to: Minor) -> impl Iterator<Item = StepNote> {
    ENDS.iter()
        .filter(move |end| from < end.kubelet)
        .filter_map(move |end| {
            let is_met = |node: &&Node| {
                ends_before(node, to).any(|met| (met.kind, met.kubelet) == (end.kind, end.kubelet))
            };
            let nodes = sorted(names(nodes, is_met));
            (!nodes.is_empty()).then_some(StepNote::Runtime {
                kind: end.kind,
                kubelet: end.kubelet,
                change: end.what,
                nodes,
            })
        })
}

fn is_control_plane(node: &Node) -> bool {
    let mut roles = node.roles.iter();
    roles.any(|role| matches!(role.as_str(), "control-plane" | "master"))
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names
}

fn names(nodes: &[&Node], holds: impl Fn(&&Node) -> bool) -> Vec<String> {
    let held = nodes.iter().filter(|node| holds(node));
    held.map(|node| node.name.clone()).collect()
}
