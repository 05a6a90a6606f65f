//! The nodes of a step as an operator reads them: in which order they are moved, their pools, and what to know about
//! them.

use std::collections::HashMap;

use super::options::PlanOptions;
use super::pieces::may_meet_older_apiserver;
use super::steps::{StepNote, StepPool};
use crate::inventory::platform::Platform;
use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node, ProxyUnit};
use crate::policy::runtimes::{ENDS, ends_before};

/// What makes a note of names.
type Note = fn(Vec<String>) -> StepNote;

/// The nodes of an inventory; a node is its place there.
pub(super) struct Nodes<'a> {
    inventory: &'a Inventory,
    options: &'a PlanOptions,
    /// The rank of each node by name, and that in which nodes are moved: control-plane nodes, then pool by pool.
    by_name: Vec<usize>,
    by_turn: Vec<usize>,
    /// The pool of each node, and the pools with their judged nodes.
    pool_of: Vec<usize>,
    pools: Vec<(&'a Option<String>, usize)>,
}

impl<'a> Nodes<'a> {
    /// The nodes of `inventory`.
    pub(super) fn new(inventory: &'a Inventory, options: &'a PlanOptions) -> Self {
        let nodes = &inventory.nodes;
        let mut known: HashMap<&Option<String>, usize> = HashMap::new();
        let mut pools: Vec<(&Option<String>, usize)> = Vec::new();
        let mut pool_of = Vec::with_capacity(nodes.len());
        for node in nodes {
            let pool = *known.entry(&node.pool).or_insert_with(|| {
                pools.push((&node.pool, 0));
                pools.len() - 1
            });
            pools[pool].1 += usize::from(node.is_judged());
            pool_of.push(pool);
        }
        let mut names: Vec<usize> = (0..nodes.len()).collect();
        names.sort_by(|&one, &other| nodes[one].name.cmp(&nodes[other].name));
        let mut turns = names.clone();
        let pool = |node: usize| (nodes[node].pool.is_none(), &nodes[node].pool);
        turns.sort_by(|&one, &other| {
            let workers = (!is_control_plane(&nodes[one])).cmp(&!is_control_plane(&nodes[other]));
            workers.then_with(|| pool(one).cmp(&pool(other)))
        });
        Self {
            inventory,
            options,
            by_name: ranks(&names),
            by_turn: ranks(&turns),
            pool_of,
            pools,
        }
    }

    pub(super) fn get(&self, node: usize) -> &'a Node {
        &self.inventory.nodes[node]
    }

    /// The nodes in the order in which they are moved.
    pub(super) fn in_turn(&self, mut nodes: Vec<usize>) -> Vec<usize> {
        nodes.sort_unstable_by_key(|&node| self.by_turn[node]);
        nodes
    }

    /// Their names, in their order.
    pub(super) fn names(&self, nodes: &[usize]) -> Vec<String> {
        nodes.iter().map(|&node| self.get(node).name.clone()).collect()
    }

    /// The names of those that are such, sorted.
    pub(super) fn sorted(&self, nodes: &[usize], is_such: impl Fn(&Node) -> bool) -> Vec<String> {
        let mut such: Vec<usize> = nodes
            .iter()
            .copied()
            .filter(|&node| is_such(self.get(node)))
            .collect();
        such.sort_unstable_by_key(|&node| self.by_name[node]);
        self.names(&such)
    }

    /// The names of those with a static kube-proxy, sorted.
    pub(super) fn with_static(&self, nodes: &[usize]) -> Vec<String> {
        self.sorted(nodes, |node| {
            let mut proxies = node.proxies.iter();
            proxies.any(|proxy| proxy.unit == ProxyUnit::Static)
        })
    }

    /// Their pools, in their order.
    pub(super) fn pools(&self, nodes: &[usize]) -> Vec<StepPool> {
        let mut counts = vec![0; self.pools.len()];
        let mut order = Vec::new();
        for &node in nodes {
            let pool = self.pool_of[node];
            if counts[pool] == 0 {
                order.push(pool);
            }
            counts[pool] += 1;
        }
        let pools = order.into_iter().map(|pool| StepPool {
            name: self.pools[pool].0.clone(),
            nodes: counts[pool],
            of: self.pools[pool].1,
        });
        pools.collect()
    }

    pub(super) fn is_on(&self, platform: Platform) -> bool {
        self.inventory
            .platform
            .as_ref()
            .is_some_and(|found| found.platform == platform)
    }

    /// What to know about a roll of nodes to a minor: the lowest kubelet that moves, those whose kubelet is there
    /// already, and those whose kubelet moves further than one minor.
    pub(super) fn notes_on_roll(
        &self,
        nodes: &[usize],
        (from, to): (Option<Minor>, Minor),
        at_to: &[usize],
        far: &[usize],
    ) -> Vec<StepNote> {
        let rollout = self.options.rollout_names();
        let is_kubeadm = self.is_on(Platform::Kubeadm);
        let notes: [(Note, Vec<String>); 6] = [
            (
                StepNote::NotInRollout,
                self.sorted(nodes, |node| rollout.leave_out(node)),
            ),
            (StepNote::Fargate, self.sorted(nodes, |node| node.fargate)),
            (StepNote::Cordoned, self.sorted(nodes, |node| node.cordoned)),
            (
                StepNote::NotReady,
                self.sorted(nodes, |node| node.ready == Some(false)),
            ),
            (StepNote::JoinAnew, self.sorted(far, |_| is_kubeadm)),
            (StepNote::KubeProxyOnly, self.sorted(at_to, |_| from.is_some())),
        ];
        let notes = notes.into_iter().filter(|(_, nodes)| !nodes.is_empty());
        let notes = notes.map(|(note, nodes)| note(nodes));
        notes
            .chain(self.runtimes(nodes, from.unwrap_or(to), to))
            .collect()
    }

    /// The container runtimes that end between the minors of a roll, and on which of its nodes.
    fn runtimes(&self, nodes: &[usize], from: Minor, to: Minor) -> impl Iterator<Item = StepNote> {
        let ends = ENDS
            .iter()
            .filter(move |end| from < end.kubelet && end.kubelet <= to);
        ends.filter_map(move |end| {
            let is_met = |node: &Node| {
                ends_before(node, to).any(|met| (met.kind, met.kubelet) == (end.kind, end.kubelet))
            };
            let nodes = self.sorted(nodes, is_met);
            (!nodes.is_empty()).then_some(StepNote::Runtime {
                kind: end.kind,
                kubelet: end.kubelet,
                change: end.what,
                nodes,
            })
        })
    }

    /// What to know about a hop that brings nodes along.
    pub(super) fn notes_on_hop(&self, nodes: &[usize], to: Minor, moves_workload: bool) -> Vec<StepNote> {
        let is_early = self.is_on(Platform::Kubeadm) && moves_workload && to < KUBE_PROXY_WITH_LAST;
        let early = is_early.then_some(StepNote::KubeProxyWithFirstApiserver);
        let older = self.sorted(nodes, |node| may_meet_older_apiserver(node, to));
        let older = (!older.is_empty()).then_some(StepNote::MayMeetOlderApiserver(older));
        early.into_iter().chain(older).collect()
    }
}

/// The first minor in which kubeadm moves kube-proxy with the last kube-apiserver.
const KUBE_PROXY_WITH_LAST: Minor = Minor::new(28);

/// The place of each in an order.
fn ranks(order: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; order.len()];
    for (rank, &node) in order.iter().enumerate() {
        ranks[node] = rank;
    }
    ranks
}

fn is_control_plane(node: &Node) -> bool {
    let mut roles = node.roles.iter();
    roles.any(|role| matches!(role.as_str(), "control-plane" | "master"))
}
