//! From moves to a plan: steps with their nodes, pools, reasons and notes.

use super::left;
use super::model::Model;
use super::nodes::Nodes;
use super::order::{self, Done, Places};
use super::pieces::{Follows, Member, Piece, Place, Unit};
use super::reason::{self, Ahead, Later};
use super::search::Way;
use super::steps::{GoingBack, Plan, Reason, Step, StepKind, StepNote};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;

/// What a step does, before it is written.
enum Doing {
    Managers(Step),
    Moves(Done),
    Hop,
}

/// Writes the plan of the ways of all parts.
pub(super) struct Writer<'a> {
    model: &'a Model<'a>,
    nodes: &'a Nodes<'a>,
    places: Vec<Places>,
    plan: Plan,
}

impl<'a> Writer<'a> {
    /// Begins with everything where it is today.
    pub(super) fn new(model: &'a Model<'a>, nodes: &'a Nodes<'a>) -> Self {
        Self {
            model,
            nodes,
            places: start(model),
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
        let mut rolled = Rolled::default();
        for &(part, piece) in pieces {
            let place = self.places[part].pieces[piece];
            let moved = self.piece((part, piece)).members.iter();
            for member in moved.filter(|member| Model::moves(member, place, to)) {
                rolled.add(member, (place, to), &self.places[part].units);
            }
            self.places[part].pieces[piece] = Some(to);
        }
        let nodes = self.nodes.in_turn(rolled.nodes);
        self.plan.node_rolls += nodes.len();
        let from = rolled.kubelet.or(rolled.kube_proxy).unwrap_or(to);
        Step {
            kube_proxy_of: self.nodes.with_static(&nodes),
            pools: self.nodes.pools(&nodes),
            drain: nodes.iter().any(|&node| !self.nodes.get(node).fargate),
            notes: self
                .nodes
                .notes_on_roll(&nodes, (rolled.kubelet, to), &rolled.at_to, &rolled.far),
            nodes: self.nodes.names(&nodes),
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
        let on = self.nodes.in_turn(own.nodes.clone());
        let mut nodes = self.nodes.names(&on);
        nodes.extend(distinct(own.unlisted.clone()));
        let excluded = (!own.excluded.is_empty()).then(|| StepNote::Excluded(own.excluded.clone()));
        self.plan.kube_proxy_updates += 1;
        Step {
            kube_proxy_of: distinct(nodes.clone()),
            nodes,
            pools: self.nodes.pools(&on),
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
        pass(self.model, &mut self.places, time);
        let mut nodes = Vec::new();
        let mut kube_proxy_of = Vec::new();
        let mut workloads = Vec::new();
        for ((part, before), after) in self.model.cluster.parts.iter().zip(&before).zip(&self.places) {
            for ((piece, before), after) in part.pieces.iter().zip(before).zip(&after.pieces) {
                if before != after {
                    nodes.extend(piece.members.iter().flat_map(|member| &member.nodes));
                }
            }
            for unit in part
                .units
                .iter()
                .filter(|unit| unit.follows && hop.kind == StepKind::Hop)
            {
                workloads.push(unit.name.clone());
                kube_proxy_of.extend(self.nodes.names(&unit.nodes));
                kube_proxy_of.extend(unit.unlisted.iter().cloned());
            }
        }
        let nodes = self.nodes.in_turn(nodes);
        kube_proxy_of.extend(self.nodes.with_static(&nodes));
        self.plan.hops += usize::from(hop.kind == StepKind::Hop);
        let target = self.model.target;
        let reason = hop.half.map_or(Reason::FinishHop, |_| Reason::Target { target });
        Step {
            pools: self.nodes.pools(&nodes),
            notes: self.nodes.notes_on_hop(&nodes, hop.to, !workloads.is_empty()),
            nodes: self.nodes.names(&nodes),
            kube_proxy_of: distinct(kube_proxy_of),
            workload: (workloads.len() == 1).then(|| workloads.swap_remove(0)),
            ..Step::new(hop.kind, hop.from, hop.to, reason)
        }
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
                if matches!(piece.follows, Follows::Apiserver(_)) && place >= Some(hop.to) {
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
        hop.going_back = Some(match self.model.cluster.min_compatibility {
            Some(min_compatibility) if min_compatibility > from => {
                GoingBack::NotPossible { min_compatibility }
            }
            _ => GoingBack::Possible {
                node_rolls,
                kube_proxy_updates,
            },
        });
    }

    /// The plan, with what is left at the end.
    pub(super) fn finish(mut self, is_stopped: bool) -> Plan {
        left::add(&mut self.plan, self.model, self.nodes, &self.places, is_stopped);
        self.plan
    }
}

/// What a roll moves.
#[derive(Default)]
struct Rolled {
    nodes: Vec<usize>,
    /// The lowest kubelet that moves, and the lowest static kube-proxy.
    kubelet: Option<Minor>,
    kube_proxy: Option<Minor>,
    /// Nodes whose kubelet is there already, and those whose kubelet moves further than one minor.
    at_to: Vec<usize>,
    far: Vec<usize>,
}

impl Rolled {
    fn add(&mut self, member: &Member, (place, to): (Place, Minor), units: &[Place]) {
        let lowest =
            |known: &mut Option<Minor>, minor: Minor| *known = Some(known.map_or(minor, |it| it.min(minor)));
        self.nodes.extend_from_slice(&member.nodes);
        for minor in Model::proxies(member, place, units).take(member.runs.statics.len()) {
            lowest(&mut self.kube_proxy, minor);
        }
        match Model::kubelet(member, place).filter(|&kubelet| kubelet < to) {
            Some(kubelet) => lowest(&mut self.kubelet, kubelet),
            None => self.at_to.extend_from_slice(&member.nodes),
        }
        if Model::kubelet(member, place).is_some_and(|kubelet| to > kubelet.next()) {
            self.far.extend_from_slice(&member.nodes);
        }
    }
}

/// The names, sorted and each once.
fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

fn start(model: &Model<'_>) -> Vec<Places> {
    let parts = model.cluster.parts.iter();
    let places = parts.map(|part| Places {
        pieces: part.pieces.iter().map(Piece::start).collect(),
        units: part.units.iter().map(Unit::start).collect(),
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
            .map(|(unit, place)| Model::unit_after(unit, *place, hop))
            .collect();
        for (piece, place) in part.pieces.iter().zip(&mut places.pieces) {
            *place = model
                .pass(piece, *place, (&places.units, &after), time)
                .unwrap_or(*place);
        }
        places.units = after;
    }
}
