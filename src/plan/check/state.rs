//! The cluster as it is replayed: every node and every kube-proxy by itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::flags::{self, Skew};
use crate::inventory::component::Component;
use crate::inventory::observed::Owner;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, KubeProxy, ProxyUnit, Unread};
use crate::plan::PlanOptions;
use crate::policy::apiservers::Apiservers;
use crate::policy::skew_policy::Policy;

/// A kube-proxy as it is replayed.
pub(super) struct Pod {
    pub(super) minor: Option<Minor>,
    /// `None` for a static pod.
    pub(super) workload: Option<usize>,
    /// What it breaks.
    pub(super) bits: u8,
}

/// A node as it is replayed; a kube-proxy without a listed node is one without a kubelet.
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    pub(super) kubelet: Option<Minor>,
    /// What the kubelet breaks.
    pub(super) bits: u8,
    pub(super) pods: Vec<Pod>,
    pub(super) is_node: bool,
    pub(super) is_planned: bool,
    pub(super) in_rollout: bool,
}

/// A manager as it is replayed.
pub(super) struct Manager<'a> {
    pub(super) component: Component,
    pub(super) name: &'a str,
    pub(super) minor: Minor,
    /// What it breaks.
    pub(super) bits: u8,
}

/// A plan's state, step by step.
pub(super) struct Replay<'a> {
    pub(super) policy: &'a Policy,
    pub(super) options: &'a PlanOptions,
    pub(super) step: usize,
    /// Binary and effective minor of each apiserver.
    pub(super) apiservers: Vec<(Minor, Minor)>,
    /// The minCompatibility of today's apiservers, until they move.
    pub(super) min_compatibility: Option<Minor>,
    pub(super) managers: Vec<Manager<'a>>,
    pub(super) hosts: Vec<Host<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
    pub(super) workloads: BTreeMap<String, usize>,
    by_owner: HashMap<&'a Owner, usize>,
    /// The hosts and the names of nodes of each workload.
    pub(super) members: Vec<(Vec<usize>, Vec<&'a str>)>,
    /// Whether the apiservers are too far apart.
    pub(super) are_apart: bool,
    pub(super) rolls: usize,
    pub(super) updates: usize,
    pub(super) hops: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        inventory: &'a Inventory,
        policy: &'a Policy,
        options: &'a PlanOptions,
    ) -> Option<Self> {
        let apiservers: Vec<(Minor, Minor)> = inventory
            .instances
            .iter()
            .filter(|instance| instance.judged && instance.component == Component::KubeApiserver)
            .filter_map(|instance| {
                let effective = instance.effective()?;
                Some((
                    instance.version.as_ref().map_or(effective, Version::minor),
                    effective,
                ))
            })
            .collect();
        let managers = inventory
            .instances
            .iter()
            .filter(|instance| instance.judged && instance.component.is_manager())
            .filter_map(|instance| {
                Some(Manager {
                    component: instance.component,
                    name: &instance.name,
                    minor: instance.effective()?,
                    bits: 0,
                })
            });
        Apiservers::span(apiservers.iter().map(|&(_, effective)| effective))?;
        let mut replay = Self {
            policy,
            options,
            step: 0,
            apiservers,
            min_compatibility: inventory.min_compatibility,
            managers: managers.collect(),
            hosts: Vec::new(),
            by_name: HashMap::new(),
            workloads: BTreeMap::new(),
            by_owner: HashMap::new(),
            members: Vec::new(),
            are_apart: false,
            rolls: 0,
            updates: 0,
            hops: 0,
        };
        replay.settle(inventory);
        let mut skew = replay.skew();
        for host in &mut replay.hosts {
            host.judge(&mut skew, true);
        }
        for manager in &mut replay.managers {
            manager.bits = skew.of(manager.component, manager.minor);
        }
        replay.are_apart = replay.is_spread();
        Some(replay)
    }

    /// Takes in the nodes and the kube-proxies without one.
    fn settle(&mut self, inventory: &'a Inventory) {
        let options = self.options;
        let listed: HashSet<&String> = options.rollout.iter().flatten().collect();
        for node in &inventory.nodes {
            let in_rollout = listed.contains(&node.name) || node.aliases.iter().any(|a| listed.contains(a));
            if !node.is_judged() {
                continue;
            }
            let host = self.hosts.len();
            let pods = node
                .proxies
                .iter()
                .map(|proxy| self.pod(proxy, host, Some(&node.name)));
            let pods: Vec<Pod> = pods.collect();
            let kubelet = node.kubelet.version.as_ref().map(Version::minor);
            let is_unread =
                |proxy: &KubeProxy| proxy.version.is_none() && proxy.unread == Some(Unread::Required);
            self.by_name.insert(&node.name, host);
            self.hosts.push(Host {
                name: &node.name,
                kubelet,
                bits: 0,
                pods,
                is_node: true,
                is_planned: kubelet.is_some() && !node.proxies.iter().any(is_unread),
                in_rollout,
            });
        }
        for proxy in &inventory.stray_proxies {
            let pod = self.pod(proxy, self.hosts.len(), proxy.node.as_ref());
            self.hosts.push(Host {
                name: &proxy.pod,
                kubelet: None,
                bits: 0,
                pods: vec![pod],
                is_node: false,
                is_planned: false,
                in_rollout: false,
            });
        }
    }

    fn pod(&mut self, proxy: &'a KubeProxy, host: usize, node: Option<&'a String>) -> Pod {
        let workload = self.workload(proxy);
        if let Some(workload) = workload {
            if workload == self.members.len() {
                self.members.push((Vec::new(), Vec::new()));
            }
            let (hosts, nodes) = &mut self.members[workload];
            if hosts.last() != Some(&host) {
                hosts.push(host);
            }
            nodes.extend(node.map(String::as_str).filter(|node| nodes.last() != Some(node)));
        }
        Pod {
            minor: proxy.version.as_ref().map(Version::minor),
            workload,
            bits: 0,
        }
    }

    /// The workload that a kube-proxy moves with; known by the name that a step's note gives it.
    fn workload(&mut self, proxy: &'a KubeProxy) -> Option<usize> {
        let next = self.workloads.len();
        match &proxy.unit {
            ProxyUnit::Static => None,
            ProxyUnit::Workload(owner) => {
                let workloads = &mut self.workloads;
                Some(*self.by_owner.entry(owner).or_insert_with(|| {
                    let name = format!("{} {}", owner.kind, owner.name);
                    *workloads.entry(name).or_insert(next)
                }))
            }
            ProxyUnit::Lone => Some(*self.workloads.entry(name_of_lone(proxy)).or_insert(next)),
        }
    }

    pub(super) fn span(&self) -> Apiservers {
        Apiservers::span(self.apiservers.iter().map(|&(_, effective)| effective))
            .expect("a replay starts with an apiserver and loses none")
    }

    /// The policy against the apiservers as they stand.
    pub(super) fn skew(&self) -> Skew<'a> {
        Skew::new(self.policy, self.span(), self.min_compatibility)
    }

    /// Whether the apiservers are too far apart, by what they emulate or by their binaries.
    pub(super) fn is_spread(&self) -> bool {
        let binaries = Apiservers::span(self.apiservers.iter().map(|&(binary, _)| binary));
        [Some(self.span()), binaries]
            .into_iter()
            .flatten()
            .any(|span| self.policy.is_spread(span.lo, span.hi))
    }
}

impl Host<'_> {
    /// Judges it again; the first of kubelet and kube-proxies that breaks a rule anew, and what it breaks. Pairs are
    /// only looked at where something on the host has moved.
    pub(super) fn judge(&mut self, skew: &mut Skew<'_>, has_moved: bool) -> Option<(Component, u8)> {
        let mut anew = None;
        let now = self.kubelet.map_or(0, |minor| skew.kubelet(minor));
        if now & !self.bits != 0 {
            anew = Some((Component::Kubelet, now & !self.bits));
        }
        self.bits = now;
        for pod in &mut self.pods {
            let Some(minor) = pod.minor else { continue };
            let pair = match self.kubelet {
                Some(kubelet) if has_moved => skew.pair(minor, kubelet),
                _ => flags::of_pair(pod.bits),
            };
            let now = skew.kube_proxy(minor) | pair;
            if now & !pod.bits != 0 && anew.is_none() {
                anew = Some((Component::KubeProxy, now & !pod.bits));
            }
            pod.bits = now;
        }
        anew
    }

    /// What of it is too far behind.
    pub(super) fn behind(&self) -> Option<Component> {
        if flags::is_behind(self.bits) {
            return Some(Component::Kubelet);
        }
        let is_behind = self.pods.iter().any(|pod| flags::is_behind(pod.bits));
        is_behind.then_some(Component::KubeProxy)
    }
}

/// A pod without an owner is known by what its name begins with.
fn name_of_lone(proxy: &KubeProxy) -> String {
    let node = proxy.node.as_deref().unwrap_or_default();
    let beside_node = proxy
        .pod
        .strip_suffix(node)
        .and_then(|rest| rest.strip_suffix('-'));
    let beside_hash = || proxy.pod.rsplit_once('-').map(|(front, _)| front);
    let front = beside_node.or_else(beside_hash).unwrap_or(&proxy.pod);
    format!("{front} (owner unknown)")
}
