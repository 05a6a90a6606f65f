//! From moves to a plan: steps with their nodes, reasons and notes, and what is left at the end.

use std::collections::HashMap;

use super::PlanOptions;
use super::breach::{Breaches, Moment};
use super::cluster::{Cluster, MovedBy};
use super::mover::{Mover, Place, Scope};
use super::obstacle;
use super::reason::{When, behind_today, first_reason, why};
use super::search::{Move, Movers};
use super::solve::{Stuck, solve};
use super::steps::{Obstacle, Plan, Reason, Remaining, Step, StepKind, StepNote, StepPool};
use super::timeline::{Hop, Timeline};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, Node, ProxyUnit};
use crate::policy::rules;
use crate::policy::runtimes::{ENDS, ends_before};
use crate::policy::skew_policy::Policy;

/// A note about some nodes.
type Note = fn(Vec<String>) -> StepNote;

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
    of_pool: HashMap<&'a Option<String>, usize>,
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
            of_pool: inventory.nodes.iter().filter(|node| node.is_judged()).fold(
                HashMap::new(),
                |mut of_pool, node| {
                    *of_pool.entry(&node.pool).or_default() += 1;
                    of_pool
                },
            ),
            plan: Plan::default(),
        }
    }

    fn steps(&mut self, moves: &[Vec<Move>]) {
        for (number, slot) in self.scope.slots.iter().enumerate() {
            let hop = slot.hop.as_ref().filter(|_| number < self.scope.last());
            // A manager is not raised for a hop that is not made.
            let is_wanted = |step: &&Step| hop.is_some() || matches!(step.reason, Reason::MendToday { .. });
            for step in slot.managers.iter().filter(is_wanted) {
                self.push(step.clone(), None);
            }
            let made = moves.get(number).map_or(&[][..], Vec::as_slice);
            let is_window = made.iter().any(|made| matches!(made, Move::Roll { .. }));
            self.plan.windows += usize::from(is_window);
            let window = is_window.then_some(self.plan.windows);
            for made in made {
                let step = match made {
                    Move::Roll { to, classes } => self.roll(slot.at, hop, *to, classes),
                    Move::Update { to, unit } => self.update(slot.at, hop, *to, *unit),
                };
                self.push(step, window);
            }
            if let Some(hop) = hop {
                self.plan.hops += usize::from(hop.kind == StepKind::Hop);
                self.push(hop_step(hop, self.scope.target), None);
            }
        }
    }

    fn push(&mut self, mut step: Step, window: Option<usize>) {
        step.number = self.plan.steps.len() + 1;
        step.window = window;
        self.plan.steps.push(step);
    }

    fn when<'h>(&self, at: Moment, hop: Option<&'h Hop>) -> When<'h> {
        When {
            at,
            hop,
            next_step: self.plan.steps.len() + 2,
        }
    }

    /// The pools of these nodes, in their order.
    fn pools(&self, nodes: &[&Node]) -> Vec<StepPool> {
        let mut pools: Vec<StepPool> = Vec::new();
        for node in nodes {
            match pools.iter_mut().find(|pool| pool.name == node.pool) {
                Some(pool) => pool.nodes += 1,
                None => pools.push(StepPool {
                    name: node.pool.clone(),
                    nodes: 1,
                    of: self.of_pool.get(&node.pool).copied().unwrap_or_default(),
                }),
            }
        }
        pools
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
        let when = self.when(at, hop);
        let reasons = classes.iter().map(|&class| {
            let mover = &self.movers.classes[class];
            let place = self.places.classes[class];
            let has_pair = self.breaches(class, at).has_pair();
            let is_rollout = self.cluster.classes[class].runs.in_rollout && to == self.scope.target;
            why(self.scope.policy, (mover, place), has_pair, &when, is_rollout)
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
        let mut nodes = self.in_order(members.copied().collect());
        nodes.sort_by_key(|node| (!is_control_plane(node), node.pool.is_none(), &node.pool));
        self.plan.node_rolls += nodes.len();
        let is_static = |node: &&Node| node.proxies.iter().any(|proxy| proxy.unit == ProxyUnit::Static);
        let at_to = |node: &&Node| {
            let kubelet = node.kubelet.version.as_ref().map(Version::minor);
            kubelet == Some(to) && lowest.is_some()
        };
        let mut notes = self.notes(&nodes, lowest.unwrap_or(from), to);
        let only = sorted(names(&nodes, at_to));
        if !only.is_empty() {
            notes.push(StepNote::KubeProxyOnly(only));
        }
        Step {
            kube_proxy_of: sorted(names(&nodes, is_static)),
            pools: self.pools(&nodes),
            drain: nodes.iter().any(|node| !node.fargate),
            notes,
            nodes: names(&nodes, |_| true),
            ..Step::new(StepKind::Kubelets, from, to, reason)
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
        let notes: [(Note, Vec<String>); 4] = [
            (StepNote::NotInRollout, left_out),
            (StepNote::Fargate, names(nodes, |node| node.fargate)),
            (StepNote::Cordoned, names(nodes, |node| node.cordoned)),
            (StepNote::NotReady, names(nodes, |node| node.ready == Some(false))),
        ];
        let notes = notes.into_iter().filter(|(_, nodes)| !nodes.is_empty());
        notes
            .map(|(note, nodes)| note(sorted(nodes)))
            .chain(runtimes(nodes, from, to))
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
        let when = self.when(at, hop);
        let reason = why(self.scope.policy, (mover, place), has_pair, &when, false);
        let from = mover.minors(place).min().unwrap_or(to);
        self.places.units[unit] = Some(to);
        let pods = &self.cluster.units[unit];
        let mut on = self.in_order(pods.nodes.clone());
        on.sort_by_key(|node| (!is_control_plane(node), node.pool.is_none(), &node.pool));
        let listed = on.iter();
        let mut unlisted = sorted(pods.unlisted.clone());
        unlisted.dedup();
        let nodes: Vec<String> = listed.map(|node| node.name.clone()).chain(unlisted).collect();
        self.plan.kube_proxy_updates += 1;
        Step {
            nodes: nodes.clone(),
            kube_proxy_of: sorted(nodes),
            pools: self.pools(&on),
            component: Some(Component::KubeProxy),
            workload: Some(pods.name.clone()),
            ..Step::new(StepKind::KubeProxy, from, to, reason)
        }
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
            let nodes = self.in_order(class.nodes.clone());
            for rule in self.breaches(index, at).rules() {
                let objects = names(&nodes, |_| true)
                    .into_iter()
                    .chain(class.stray.iter().cloned());
                remaining.extend(objects.map(|object| Remaining { object, rule }));
            }
        }
        for manager in timeline.managers.get(last).into_iter().flatten() {
            let broken = [
                (manager.minor > at.lo, rules::manager_newer::of(manager.component)),
                (
                    at.is_behind(self.scope.policy, manager.component, manager.minor),
                    behind_today(manager.component),
                ),
            ];
            let broken = broken.into_iter().filter(|(is_broken, _)| *is_broken);
            remaining.extend(broken.map(|(_, rule)| Remaining {
                object: manager.name.clone(),
                rule,
            }));
        }
        if obstacle.is_none() {
            self.plan.optional = names(&self.in_order(optional), |_| true);
        }
        self.plan.unplanned = names(&self.in_order(self.cluster.unplanned.clone()), |_| true);
        remaining.sort_unstable();
        remaining.dedup();
        self.plan.remaining = remaining;
        self.plan.obstacle = obstacle;
        self.plan
    }
}

fn hop_step(hop: &Hop, target: Minor) -> Step {
    let reason = if hop.raises_newest {
        Reason::Target { target }
    } else {
        Reason::FinishHop
    };
    Step::new(hop.kind, hop.from, hop.to, reason)
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
    nodes
        .iter()
        .filter(|node| holds(node))
        .map(|node| node.name.clone())
        .collect()
}
