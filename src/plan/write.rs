//! From moves to a plan: steps with their nodes, reasons and notes, and what is left at the end.

use std::collections::BTreeMap;

use super::PlanOptions;
use super::breach::{Breaches, Moment};
use super::cluster::{Cluster, MovedBy};
use super::mover::{Mover, Place, Scope};
use super::obstacle;
use super::reason::{first_reason, why};
use super::search::{Move, Movers};
use super::solve::{Stuck, solve};
use super::steps::{Obstacle, Plan, Reason, Step, StepKind, StepNote};
use super::timeline::{Hop, Timeline};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node, ProxyUnit};
use crate::policy::rules;
use crate::policy::runtimes::ends_before;
use crate::policy::skew_policy::Policy;

/// The plan for `cluster`, as far towards `target` as a legal one goes.
pub(super) fn written(
    inventory: &Inventory,
    policy: &Policy,
    target: Minor,
    options: &PlanOptions,
    cluster: &Cluster,
) -> Plan {
    let timeline = Timeline::new(cluster, policy, target);
    let movers = Movers {
        classes: cluster.classes.iter().map(Mover::nodes).collect(),
        units: Mover::units(cluster),
    };
    let mut last = timeline.slots.len() - 1;
    let mut is_whole = timeline.obstacle.is_none();
    let mut stuck: Option<(Option<usize>, Vec<Stuck>)> = None;
    loop {
        let scope = Scope {
            policy,
            slots: &timeline.slots[..=last],
            is_whole,
            node_step_one: options.node_step_one,
            target,
        };
        match solve(&scope, cluster, &movers) {
            Ok(moves) => {
                let mut writer = Writer::new(inventory, cluster, &movers, &scope, options);
                writer.steps(&moves);
                let obstacle = match &stuck {
                    Some((hop, who)) => {
                        let hop = hop.and_then(|slot| timeline.slots[slot].hop.as_ref());
                        Some(obstacle::of(
                            inventory,
                            cluster,
                            &movers,
                            &scope,
                            hop,
                            who,
                            &writer.places,
                        ))
                    }
                    None => timeline.obstacle.clone(),
                };
                return writer.finish(&timeline, obstacle);
            }
            Err((slot, who)) => {
                let hop = if slot < last {
                    Some(slot)
                } else {
                    last.checked_sub(1)
                };
                last = hop.unwrap_or(0);
                stuck = Some((hop, who));
                is_whole = false;
            }
        }
    }
}

/// Where everything stands while the steps are written.
pub(super) struct Places {
    /// A place a class.
    pub(super) classes: Vec<Place>,
    /// A place a unit.
    pub(super) units: Vec<Place>,
}

struct Writer<'a> {
    inventory: &'a Inventory,
    cluster: &'a Cluster,
    movers: &'a Movers,
    scope: &'a Scope<'a>,
    options: &'a PlanOptions,
    places: Places,
    plan: Plan,
}

impl<'a> Writer<'a> {
    fn new(
        inventory: &'a Inventory,
        cluster: &'a Cluster,
        movers: &'a Movers,
        scope: &'a Scope<'a>,
        options: &'a PlanOptions,
    ) -> Self {
        Self {
            inventory,
            cluster,
            movers,
            scope,
            options,
            places: Places {
                classes: vec![None; cluster.classes.len()],
                units: vec![None; cluster.units.len()],
            },
            plan: Plan::default(),
        }
    }

    fn steps(&mut self, moves: &[Vec<Move>]) {
        for (number, slot) in self.scope.slots.iter().enumerate() {
            let hop = slot.hop.as_ref().filter(|_| number < self.scope.last());
            // A manager is not raised for a hop that is not made.
            let is_wanted = |step: &&Step| hop.is_some() || matches!(step.reason, Reason::MendToday { .. });
            self.plan
                .steps
                .extend(slot.managers.iter().filter(is_wanted).cloned());
            for made in moves.get(number).into_iter().flatten() {
                let step = match made {
                    Move::Roll { to, classes } => self.roll(slot.at, hop, *to, classes),
                    Move::Update { to, unit } => self.update(slot.at, hop, *to, *unit),
                };
                self.plan.steps.push(step);
            }
            if let Some(hop) = hop {
                self.plan.hops += usize::from(hop.kind == StepKind::Hop);
                self.plan.steps.push(hop_step(hop, self.scope.target));
            }
        }
    }

    fn breaches(&self, class: usize, moment: Moment) -> Breaches {
        let runs = &self.cluster.classes[class].runs;
        let of_unit = |unit: usize| self.places.units[unit];
        Breaches::of_class(
            self.scope.policy,
            runs,
            self.places.classes[class],
            of_unit,
            moment,
        )
    }

    fn roll(&mut self, at: Moment, hop: Option<&Hop>, to: Minor, classes: &[usize]) -> Step {
        let is_broken = self.is_anything_broken(at);
        let reasons = classes.iter().map(|&class| {
            let mover = &self.movers.classes[class];
            let place = self.places.classes[class];
            let judge = |moment: Moment| mover.breaches(self.scope.policy, place, moment);
            let has_pair = self.breaches(class, at).has_pair();
            let is_rollout = self.cluster.classes[class].runs.in_rollout && to == self.scope.target;
            why(judge, has_pair, at, hop, is_rollout, is_broken)
        });
        let reason = first_reason(reasons);
        let kubelets = classes.iter().filter_map(|&class| {
            let kubelet = self.cluster.classes[class].runs.kubelet?;
            Some(self.places.classes[class].unwrap_or(kubelet))
        });
        let lowest = kubelets.min().filter(|&lowest| lowest < to);
        let all = classes
            .iter()
            .flat_map(|&class| self.movers.classes[class].minors(self.places.classes[class]));
        let from = lowest.or_else(|| all.min()).unwrap_or(to);
        for &class in classes {
            self.places.classes[class] = Some(to);
        }
        let members = classes
            .iter()
            .flat_map(|&class| &self.cluster.classes[class].nodes);
        let nodes = self.in_order(members.copied().collect());
        self.plan.node_rolls += nodes.len();
        let is_static = |node: &&Node| node.proxies.iter().any(|proxy| proxy.unit == ProxyUnit::Static);
        Step {
            kind: StepKind::Kubelets,
            from,
            to,
            kube_proxy_of: names(&nodes, is_static),
            component: None,
            drain: nodes.iter().any(|node| !node.fargate),
            reason,
            notes: self.notes(&nodes, lowest.unwrap_or(from), to),
            nodes: names(&nodes, |_| true),
        }
    }

    /// The nodes of these places in the inventory, by name.
    fn in_order(&self, mut places: Vec<usize>) -> Vec<&'a Node> {
        // The inventory is sorted by name: numbers are sorted sooner than names.
        places.sort_unstable();
        let nodes = places.iter().filter_map(|&place| self.inventory.nodes.get(place));
        let mut nodes: Vec<&Node> = nodes.collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        nodes
    }

    fn notes(&self, nodes: &[&Node], from: Minor, to: Minor) -> Vec<StepNote> {
        let rollout = self.options.rollout_names();
        let left_out = match self.options.rollout {
            Some(_) => names(nodes, |node| !rollout.names(node)),
            None => Vec::new(),
        };
        let notes = [
            StepNote::NotInRollout(left_out),
            StepNote::Fargate(names(nodes, |node| node.fargate)),
            StepNote::Cordoned(names(nodes, |node| node.cordoned)),
            StepNote::NotReady(names(nodes, |node| !node.ready)),
        ];
        let is_said = |note: &StepNote| match note {
            StepNote::NotInRollout(nodes)
            | StepNote::Fargate(nodes)
            | StepNote::Cordoned(nodes)
            | StepNote::NotReady(nodes)
            | StepNote::Runtime { nodes, .. } => !nodes.is_empty(),
            StepNote::Workload(_) => true,
        };
        notes
            .into_iter()
            .chain(runtimes(nodes, from, to))
            .filter(is_said)
            .collect()
    }

    fn update(&mut self, at: Moment, hop: Option<&Hop>, to: Minor, unit: usize) -> Step {
        let mover = &self.movers.units[unit];
        let place = self.places.units[unit];
        let has_pair = self.cluster.classes.iter().enumerate().any(|(index, class)| {
            class
                .runs
                .proxies
                .iter()
                .any(|(_, moved_by)| *moved_by == MovedBy::Unit(unit))
                && self.breaches(index, at).has_pair()
        });
        let judge = |moment: Moment| mover.breaches(self.scope.policy, place, moment);
        let reason = why(judge, has_pair, at, hop, false, self.is_anything_broken(at));
        let from = mover.minors(place).min().unwrap_or(to);
        self.places.units[unit] = Some(to);
        let pods = &self.cluster.units[unit];
        let listed = pods
            .nodes
            .iter()
            .filter_map(|&index| self.inventory.nodes.get(index));
        let mut nodes: Vec<String> = listed
            .map(|node| node.name.clone())
            .chain(pods.unlisted.iter().cloned())
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        self.plan.kube_proxy_updates += 1;
        Step {
            kind: StepKind::KubeProxy,
            from,
            to,
            kube_proxy_of: nodes.clone(),
            nodes,
            component: Some(Component::KubeProxy),
            drain: false,
            reason,
            notes: vec![StepNote::Workload(pods.name.clone())],
        }
    }

    fn is_anything_broken(&self, at: Moment) -> bool {
        (0..self.cluster.classes.len()).any(|class| !self.breaches(class, at).is_empty())
    }

    fn finish(mut self, timeline: &Timeline, obstacle: Option<Obstacle>) -> Plan {
        let last = self.scope.last();
        let at = self.scope.slots[last].at;
        let target = self.scope.target;
        let mut optional = Vec::new();
        let mut remaining = Vec::new();
        for (index, class) in self.cluster.classes.iter().enumerate() {
            let node = self.places.classes[index];
            let proxies = class.runs.proxies.iter().map(|&(minor, moved_by)| {
                let moved = match moved_by {
                    MovedBy::Node => node,
                    MovedBy::Unit(unit) => self.places.units[unit],
                };
                moved.unwrap_or(minor)
            });
            let minors: Vec<Minor> = class
                .runs
                .kubelet
                .map(|minor| node.unwrap_or(minor))
                .into_iter()
                .chain(proxies)
                .collect();
            if class.runs.is_planned && minors.iter().any(|&minor| minor < target) {
                optional.extend(&class.nodes);
            }
            // What is newer than the apiservers here and not newer than the target is cured by hops to come.
            let breaches = self.breaches(index, at);
            let is_newest = minors.iter().any(|&minor| minor > target);
            if is_newest || breaches.has_behind() || breaches.has_pair() {
                remaining.extend(names(&self.in_order(class.nodes.clone()), |_| true));
                remaining.extend(class.stray.iter().cloned());
            }
        }
        let managers = timeline.managers.get(last).map_or(&[][..], Vec::as_slice);
        let newer = managers.iter().filter(|manager| manager.minor > target);
        let newest = newer.clone().next();
        remaining.extend(newer.map(|manager| manager.name.clone()));
        remaining.extend(
            managers
                .iter()
                .filter(|manager| at.is_behind(self.scope.policy, manager.component, manager.minor))
                .map(|manager| manager.name.clone()),
        );
        let newer_manager = newest.map(|manager| Obstacle {
            hop: None,
            node: Some(manager.name.clone()),
            rule: Some(rules::manager_newer::of(manager.component)),
            detail: format!(
                "{} {} runs {}, which is newer than the target {target}: it is not rolled back",
                manager.component, manager.name, manager.minor
            ),
        });
        self.plan.optional = names(&self.in_order(optional), |_| true);
        self.plan.unplanned = names(&self.in_order(self.cluster.unplanned.clone()), |_| true);
        remaining.sort_unstable();
        remaining.dedup();
        self.plan.remaining = remaining;
        self.plan.obstacle = obstacle.or(newer_manager);
        self.plan
    }
}

fn hop_step(hop: &Hop, target: Minor) -> Step {
    Step {
        kind: hop.kind,
        from: hop.from,
        to: hop.to,
        nodes: Vec::new(),
        kube_proxy_of: Vec::new(),
        component: None,
        drain: false,
        reason: if hop.raises_newest {
            Reason::Target { target }
        } else {
            Reason::FinishHop
        },
        notes: Vec::new(),
    }
}

/// The container runtimes that end between the minors of a roll, and on which of its nodes.
fn runtimes(nodes: &[&Node], from: Minor, to: Minor) -> impl Iterator<Item = StepNote> {
    let mut ends: BTreeMap<(Minor, String), Vec<String>> = BTreeMap::new();
    for node in nodes {
        for end in ends_before(node, to).filter(|end| from < end.kubelet) {
            let kind = format!("{}, from kubelet {} on {}", end.kind, end.kubelet, end.what);
            ends.entry((end.kubelet, kind))
                .or_default()
                .push(node.name.clone());
        }
    }
    ends.into_iter()
        .map(|((_, kind), nodes)| StepNote::Runtime { kind, nodes })
}

fn names(nodes: &[&Node], holds: impl Fn(&&Node) -> bool) -> Vec<String> {
    nodes
        .iter()
        .filter(|node| holds(node))
        .map(|node| node.name.clone())
        .collect()
}
