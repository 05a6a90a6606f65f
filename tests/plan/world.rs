//! A small cluster with the rules written out once more by hand, a search that tries every step, and a replay of a
//! finished plan. Nothing here asks the product's policy.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::observed::Owner;
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{
    Instance, InstanceSource, Inventory, KubeProxy, Kubelet, Node, ProxyUnit, Unread,
};
use kubectl_skew::plan::steps::{Plan, Reason, Step, StepKind};
use kubectl_skew::plan::{PlanOptions, check, plan};
use kubectl_skew::policy::skew_policy::Policy;

/// A node: its kubelet, and its kube-proxies with the workload that moves them (`None`: a static pod).
#[derive(Clone, Debug)]
pub(crate) struct TestNode {
    /// `None` where its version is unread.
    pub(crate) kubelet: Option<u16>,
    pub(crate) proxies: Vec<(u16, Option<usize>)>,
    /// It has one more kube-proxy, and what that runs is required and unread.
    pub(crate) is_unread: bool,
}

impl TestNode {
    pub(crate) fn new(kubelet: u16, proxies: Vec<(u16, Option<usize>)>) -> Self {
        Self {
            kubelet: Some(kubelet),
            proxies,
            is_unread: false,
        }
    }
}

/// A cluster and where it is to go.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) lo: u16,
    pub(crate) hi: u16,
    pub(crate) target: u16,
    pub(crate) nodes: Vec<TestNode>,
    /// kube-controller-managers.
    pub(crate) managers: Vec<u16>,
    pub(crate) step_one: bool,
}

/// The objective, in its order: what is out of policy before each hop that raises the newest apiserver and at the
/// end, node rolls, windows, workload updates, times with updates alone, how early the windows are and the updates
/// (the first decides), hops made after rolls, minors that rolls and that updates stay below the oldest apiserver.
pub(crate) type Cost = [u128; 10];

/// A state: everything that can move, and what has moved since the last hop.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State {
    lo: u16,
    hi: u16,
    kubelets: Vec<Option<u16>>,
    proxies: Vec<Vec<u16>>,
    managers: Vec<u16>,
    has_rolled: bool,
    has_updated: bool,
}

#[derive(Clone, Debug)]
enum Action {
    Roll(usize, u16),
    Update(usize, u16),
    Raise,
    Hop,
}

fn lag(own: u16) -> u16 {
    if own < 25 { 2 } else { 3 }
}

pub(crate) fn name(node: usize) -> String {
    format!("node-{node}")
}

impl World {
    fn start(&self) -> State {
        State {
            lo: self.lo,
            hi: self.hi,
            kubelets: self.nodes.iter().map(|node| node.kubelet).collect(),
            proxies: self
                .nodes
                .iter()
                .map(|node| node.proxies.iter().map(|proxy| proxy.0).collect())
                .collect(),
            managers: self.managers.clone(),
            has_rolled: false,
            has_updated: false,
        }
    }

    /// What is out of policy: a bit each for behind, newer and too far from its kubelet.
    fn broken(state: &State, lo: u16, hi: u16) -> Vec<u8> {
        let mut bits = Vec::new();
        let mut judge = |own: u16, lag: u16, kubelet: Option<u16>| {
            let apart = kubelet.is_some_and(|kubelet| own.abs_diff(kubelet) > lag);
            bits.push(u8::from(own + lag < hi) + 2 * u8::from(own > lo) + 4 * u8::from(apart));
        };
        for (kubelet, proxies) in state.kubelets.iter().zip(&state.proxies) {
            if let Some(kubelet) = kubelet {
                judge(*kubelet, lag(*kubelet), None);
            } else {
                // An unread kubelet breaks nothing that is known.
                judge(lo, lag(lo) + hi, None);
            }
            for proxy in proxies {
                judge(*proxy, lag(*proxy), *kubelet);
            }
        }
        for manager in &state.managers {
            judge(*manager, 1, None);
        }
        bits
    }

    fn is_anew(now: &[u8], before: &[u8]) -> bool {
        now.iter().zip(before).any(|(now, before)| now & !before != 0)
    }

    /// Whether a kubelet or kube-proxy is too far behind; managers follow in the hop.
    fn is_stranded(&self, bits: &[u8]) -> bool {
        bits[..bits.len() - self.managers.len()]
            .iter()
            .any(|bits| bits & 1 != 0)
    }

    /// How many rules are broken, a node (or a manager) each.
    fn left(state: &State) -> u128 {
        let bits = Self::broken(state, state.lo, state.hi);
        let (nodes, managers) = bits.split_at(bits.len() - state.managers.len());
        let mut rest = nodes;
        let mut left = managers.iter().map(|bits| u128::from(bits.count_ones())).sum();
        for proxies in &state.proxies {
            let (kubelet, behind) = rest.split_first().expect("a kubelet");
            let (proxies, behind) = behind.split_at(proxies.len());
            rest = behind;
            let of_proxies = proxies.iter().fold(0, |all, bits| all | bits);
            left += u128::from(kubelet.count_ones() + of_proxies.count_ones());
        }
        left
    }

    /// A digit for the time of a state: the earlier, the more it weighs.
    fn early(&self, state: &State) -> u128 {
        64u128.pow(u32::from(self.target - state.lo))
    }

    /// The state after an action and what it costs; `None` where it may not be done.
    fn act(&self, state: &State, action: &Action) -> Option<(State, Cost)> {
        let mut next = state.clone();
        let mut cost = [0; 10];
        let before = Self::broken(state, state.lo, state.hi);
        match action {
            Action::Roll(node, to) => {
                let (node, to) = (*node, *to);
                let kubelet = state.kubelets[node].filter(|_| !self.nodes[node].is_unread)?;
                let proxies = self.nodes[node].proxies.iter().enumerate();
                let statics: Vec<usize> = proxies.filter(|(_, p)| p.1.is_none()).map(|(i, _)| i).collect();
                let changes = kubelet < to || statics.iter().any(|&i| state.proxies[node][i] != to);
                let is_far = self.step_one && to > kubelet + 1;
                if kubelet > to || !changes || is_far || to > state.lo {
                    return None;
                }
                next.kubelets[node] = Some(to);
                for i in statics {
                    next.proxies[node][i] = to;
                }
                cost[1] = 1;
                if !state.has_rolled {
                    (cost[2], cost[5]) = (1, self.early(state));
                }
                (cost[7], cost[8]) = (u128::from(self.target - state.lo), u128::from(state.lo - to));
                next.has_rolled = true;
            }
            Action::Update(unit, to) => {
                let mut pods = Vec::new();
                for (node, proxies) in self.nodes.iter().enumerate() {
                    for (i, proxy) in proxies.proxies.iter().enumerate() {
                        if proxy.1 == Some(*unit) {
                            pods.push(state.proxies[node][i]);
                            next.proxies[node][i] = *to;
                        }
                    }
                }
                if *to > state.lo || pods.iter().any(|pod| pod > to) || !pods.iter().any(|pod| pod < to) {
                    return None;
                }
                (cost[3], cost[6], cost[9]) = (1, self.early(state), u128::from(state.lo - to));
                next.has_updated = true;
            }
            Action::Raise => {
                if state.managers.iter().all(|&manager| manager >= state.lo) {
                    return None;
                }
                for manager in &mut next.managers {
                    *manager = (*manager).max(state.lo);
                }
            }
            Action::Hop => return self.hop(state, &before),
        }
        let now = Self::broken(&next, next.lo, next.hi);
        (!Self::is_anew(&now, &before)).then_some((next, cost))
    }

    /// What leaving a time costs.
    fn leave(state: &State, is_counted: bool) -> Cost {
        let mut cost = [0; 10];
        if is_counted {
            cost[0] = Self::left(state);
        }
        cost[4] = u128::from(state.has_updated && !state.has_rolled);
        cost
    }

    fn hop(&self, state: &State, before: &[u8]) -> Option<(State, Cost)> {
        if state.lo >= self.target {
            return None;
        }
        let to = state.lo + 1;
        let mut moments = vec![(to, state.hi.max(to))];
        if state.hi < to {
            moments.insert(0, (state.lo, to));
        }
        let mut last = before.to_vec();
        for (lo, hi) in moments {
            let now = Self::broken(state, lo, hi);
            if Self::is_anew(&now, &last) || (state.hi < to && self.is_stranded(&now)) {
                return None;
            }
            last = now;
        }
        let mut next = state.clone();
        (next.lo, next.hi) = (to, state.hi.max(to));
        for manager in &mut next.managers {
            *manager = (*manager).max(to);
        }
        (next.has_rolled, next.has_updated) = (false, false);
        Some((next, Self::leave(state, state.hi < to)))
    }

    /// What the end costs, where the state is what the plan is for.
    fn end(&self, state: &State) -> Option<Cost> {
        let is_there = state.lo == self.target && state.hi == self.target;
        is_there.then(|| Self::leave(state, true))
    }

    fn units(&self) -> usize {
        let units = self
            .nodes
            .iter()
            .flat_map(|node| &node.proxies)
            .filter_map(|proxy| proxy.1);
        units.max().map_or(0, |unit| unit + 1)
    }

    fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = vec![Action::Hop, Action::Raise];
        let lowest = state
            .kubelets
            .iter()
            .flatten()
            .chain(state.proxies.iter().flatten())
            .min();
        for to in *lowest.unwrap_or(&state.lo)..=state.lo {
            actions.extend((0..self.units()).map(|unit| Action::Update(unit, to)));
            actions.extend((0..self.nodes.len()).map(|node| Action::Roll(node, to)));
        }
        actions
    }

    /// The least cost of any legal way to the target, found by trying all; `None` where there is none.
    pub(crate) fn least(&self) -> Option<Cost> {
        let mut known: HashMap<State, Cost> = HashMap::new();
        // An end is entered as a state of its own, so that what it leaves counts before it is taken.
        let mut open = BinaryHeap::from([Reverse(([0; 10], false, self.start()))]);
        while let Some(Reverse((cost, is_end, state))) = open.pop() {
            if is_end {
                return Some(cost);
            }
            if known.get(&state).is_some_and(|known| *known <= cost) {
                continue;
            }
            if let Some(left) = self.end(&state) {
                open.push(Reverse((add(cost, left), true, state.clone())));
            }
            for action in self.actions(&state) {
                if let Some((next, more)) = self.act(&state, &action) {
                    let cost = add(cost, more);
                    if known.get(&next).is_none_or(|known| *known > cost) {
                        open.push(Reverse((cost, false, next)));
                    }
                }
            }
            known.insert(state, cost);
        }
        None
    }

    /// What a step does, one after the other.
    fn doing(&self, step: &Step) -> Option<Vec<Action>> {
        let to = step.to.number();
        Some(match step.kind {
            StepKind::Hop | StepKind::Emulation => vec![Action::Hop],
            StepKind::ControlPlane => vec![Action::Raise],
            StepKind::Kubelets => {
                let nodes = step.nodes.iter();
                let nodes = nodes.map(|n| (0..self.nodes.len()).find(|&i| name(i) == *n));
                let nodes: Vec<usize> = nodes.collect::<Option<_>>()?;
                nodes.into_iter().map(|node| Action::Roll(node, to)).collect()
            }
            StepKind::KubeProxy => {
                let is_named = |unit: &usize| {
                    step.workload.as_deref() == Some(format!("DaemonSet kube-proxy-{unit}").as_str())
                };
                let unit = (0..self.units()).find(is_named)?;
                let on = |node: &TestNode| node.proxies.iter().any(|proxy| proxy.1 == Some(unit));
                let nodes = (0..self.nodes.len()).filter(|&index| on(&self.nodes[index]));
                if nodes.map(name).collect::<Vec<_>>() != step.kube_proxy_of {
                    return None;
                }
                vec![Action::Update(unit, to)]
            }
        })
    }

    /// What the steps cost; `None` where one of them may not be done or they do not get to the target.
    pub(crate) fn replay<'a>(&self, steps: impl IntoIterator<Item = &'a Step>) -> Option<Cost> {
        let mut state = self.start();
        let mut cost = [0; 10];
        for step in steps {
            for action in self.doing(step)? {
                let (next, more) = self.act(&state, &action)?;
                let is_hop = matches!(action, Action::Hop);
                if is_hop && next.lo != step.to.number() {
                    return None;
                }
                state = next;
                cost = add(cost, more);
            }
        }
        Some(add(cost, self.end(&state)?))
    }

    pub(crate) fn options(&self) -> PlanOptions {
        PlanOptions {
            node_step_one: Some(self.step_one),
            ..PlanOptions::default()
        }
    }

    pub(crate) fn inventory(&self) -> Inventory {
        let nodes = self.nodes.iter().enumerate().map(|(index, node)| Node {
            proxies: node
                .proxies
                .iter()
                .enumerate()
                .map(|(pod, &(minor, unit))| {
                    kube_proxy(&format!("kube-proxy-{index}-{pod}"), &name(index), minor, unit)
                })
                .collect(),
            kubelet: node.kubelet.map_or_else(Kubelet::default, kubelet),
            ..self::node(&name(index), 0)
        });
        let nodes = nodes
            .zip(&self.nodes)
            .enumerate()
            .map(|(index, (mut built, node))| {
                if node.is_unread {
                    let mut unread = kube_proxy("kube-proxy-unread", &name(index), 0, None);
                    (unread.version, unread.unread) = (None, Some(Unread::Required));
                    built.proxies.push(unread);
                }
                built
            });
        let mut instances = vec![instance(Component::KubeApiserver, "a", self.lo)];
        if self.hi > self.lo {
            instances.push(instance(Component::KubeApiserver, "b", self.hi));
        }
        for (index, &minor) in self.managers.iter().enumerate() {
            instances.push(instance(
                Component::KubeControllerManager,
                &format!("kcm-{index}"),
                minor,
            ));
        }
        Inventory {
            instances,
            nodes: nodes.collect(),
            ..Inventory::default()
        }
    }

    /// Plans, and holds the plan against the least work, the checker and the replay.
    pub(crate) fn verify(&self) {
        let inventory = self.inventory();
        let policy = Policy::upstream();
        let target = Minor::new(self.target);
        let options = self.options();
        let made = plan(&inventory, &policy, target, &options)
            .plan()
            .expect("enough was read");
        let checked = check::check(&inventory, &policy, target, &options, &made);
        assert_eq!(checked, Ok(()), "{self:?}\n{}", summary(&made).join("\n"));
        let least = self.least();
        if let Some(obstacle) = &made.obstacle {
            assert_eq!(
                least,
                None,
                "{self:?}\n{}\n{obstacle:?}",
                summary(&made).join("\n")
            );
            // The hop that it names is the first that nothing makes legal.
            let hop = obstacle.hop.map_or(self.target, Minor::number);
            let first = World {
                target: hop,
                ..self.clone()
            };
            assert_eq!(first.least(), None, "{self:?}\n{obstacle:?}");
            assert!(obstacle.object.is_some(), "{self:?}\n{obstacle:?}");
            return;
        }
        let cost = self.replay(&made.steps);
        assert!(made.proved, "{self:?}");
        assert_eq!(cost, least, "{self:?}\n{}", summary(&made).join("\n"));
        let cost = cost.expect("the least work is there");
        for drop in 0..made.steps.len() {
            let kept = made
                .steps
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != drop)
                .map(|(_, step)| step);
            let without = self.replay(kept);
            let is_missed = without.is_none_or(|without| without[0] > cost[0]);
            assert!(
                is_missed,
                "{self:?}: step {drop} is not needed\n{}",
                summary(&made).join("\n")
            );
        }
        for swap in 1..made.steps.len() {
            let mut swapped = made.clone();
            swapped.steps.swap(swap - 1, swap);
            renumber(&mut swapped);
            let is_legal = self.replay(&swapped.steps).is_some();
            let checked = check::check(&inventory, &policy, target, &options, &swapped);
            assert_eq!(
                checked.is_ok(),
                is_legal,
                "{self:?}\n{}\n{checked:?}",
                summary(&swapped).join("\n")
            );
        }
    }
}

/// Numbers steps and windows anew after their order has changed.
fn renumber(plan: &mut Plan) {
    let mut time = 0;
    let times: Vec<usize> = plan
        .steps
        .iter()
        .map(|step| {
            time += usize::from(step.kind.moves_apiservers());
            time
        })
        .collect();
    let mut windows: Vec<usize> = plan
        .steps
        .iter()
        .zip(&times)
        .filter(|(step, _)| step.kind == StepKind::Kubelets)
        .map(|(_, time)| *time)
        .collect();
    windows.dedup();
    plan.windows = windows.len();
    for (number, (step, time)) in (1..).zip(plan.steps.iter_mut().zip(&times)) {
        let moves_nodes = matches!(step.kind, StepKind::Kubelets | StepKind::KubeProxy);
        let window = windows
            .iter()
            .position(|window| window == time)
            .map(|window| window + 1);
        step.number = number;
        step.window = window.filter(|_| moves_nodes);
        step.reason = Reason::FinishHop;
    }
}

fn add(one: Cost, other: Cost) -> Cost {
    std::array::from_fn(|index| one[index] + other[index])
}

pub(crate) fn node(name: &str, kubelet: u16) -> Node {
    Node {
        name: name.to_owned(),
        ready: Some(true),
        kubelet: self::kubelet(kubelet),
        ..Node::default()
    }
}

fn kubelet(minor: u16) -> Kubelet {
    let raw = format!("v1.{minor}.0");
    Kubelet {
        version: raw.parse().ok(),
        raw: Some(raw),
    }
}

pub(crate) fn kube_proxy(pod: &str, node: &str, minor: u16, unit: Option<usize>) -> KubeProxy {
    KubeProxy {
        pod: pod.to_owned(),
        node: Some(node.to_owned()),
        version: format!("v1.{minor}.0").parse().ok(),
        unread: None,
        image: None,
        unit: match unit {
            None => ProxyUnit::Static,
            Some(unit) => ProxyUnit::Workload(Owner {
                kind: "DaemonSet".to_owned(),
                name: format!("kube-proxy-{unit}"),
            }),
        },
    }
}

pub(crate) fn instance(component: Component, name: &str, minor: u16) -> Instance {
    Instance {
        component,
        name: name.to_owned(),
        node: None,
        version: format!("v1.{minor}.0").parse().ok(),
        emulated: None,
        from: InstanceSource::Pod,
        image: None,
        judged: true,
    }
}

/// A line a step.
pub(crate) fn summary(plan: &Plan) -> Vec<String> {
    plan.steps
        .iter()
        .map(|step| {
            let what = step
                .component
                .map_or(String::new(), |component| format!(" {component}"));
            let nodes = if step.nodes.is_empty() {
                String::new()
            } else {
                format!(" [{}]", step.nodes.join(" "))
            };
            format!("{}{what} {} → {}{nodes}", step.kind.name(), step.from, step.to)
        })
        .collect()
}
