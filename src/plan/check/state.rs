//! The cluster as it is replayed: every node and every kube-proxy by itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::flags::{Flags, Skew};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, KubeProxy, ProxyUnit, Unread};
use crate::plan::PlanOptions;
use crate::policy::standing::{Apiservers, Policy};

/// A kube-proxy as it is replayed.
pub(super) struct Pod {
    pub(super) minor: Option<Minor>,
    /// `None` for a static pod.
    pub(super) workload: Option<usize>,
}

/// A node as it is replayed; a kube-proxy without a listed node is one without a kubelet.
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    pub(super) kubelet: Option<Minor>,
    pub(super) pods: Vec<Pod>,
    pub(super) is_planned: bool,
    pub(super) in_rollout: bool,
}

pub(super) struct Replay<'a> {
    pub(super) policy: &'a Policy,
    pub(super) options: &'a PlanOptions,
    pub(super) step: usize,
    /// Binary and effective minor of each apiserver.
    pub(super) apiservers: Vec<(Minor, Minor)>,
    /// The minCompatibility of today's apiservers, until they move.
    pub(super) min_compatibility: Option<Minor>,
    pub(super) managers: Vec<(Component, &'a str, Minor)>,
    pub(super) hosts: Vec<Host<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
    pub(super) workloads: BTreeMap<String, usize>,
    /// The hosts and the names of nodes of each workload.
    pub(super) members: Vec<(Vec<usize>, Vec<String>)>,
    pub(super) flags: Flags,
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
            .filter_map(|instance| Some((instance.component, instance.name.as_str(), instance.effective()?)));
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
            members: Vec::new(),
            flags: Flags::default(),
            rolls: 0,
            updates: 0,
            hops: 0,
        };
        replay.settle(inventory);
        replay.flags = replay.judged();
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
                pods,
                is_planned: kubelet.is_some() && !node.proxies.iter().any(is_unread),
                in_rollout,
            });
        }
        for proxy in &inventory.homeless_proxies {
            let pod = self.pod(proxy, self.hosts.len(), proxy.node.as_ref());
            self.hosts.push(Host {
                name: &proxy.pod,
                kubelet: None,
                pods: vec![pod],
                is_planned: false,
                in_rollout: false,
            });
        }
    }

    fn pod(&mut self, proxy: &KubeProxy, host: usize, node: Option<&String>) -> Pod {
        let workload = workload_of(proxy).map(|name| {
            let next = self.workloads.len();
            *self.workloads.entry(name).or_insert(next)
        });
        if let Some(workload) = workload {
            if workload == self.members.len() {
                self.members.push((Vec::new(), Vec::new()));
            }
            let (hosts, nodes) = &mut self.members[workload];
            if hosts.last() != Some(&host) {
                hosts.push(host);
            }
            if let Some(node) = node
                && nodes.last() != Some(node)
            {
                nodes.push(node.clone());
            }
        }
        Pod {
            minor: proxy.version.as_ref().map(Version::minor),
            workload,
        }
    }

    pub(super) fn span(&self) -> Apiservers {
        Apiservers::span(self.apiservers.iter().map(|&(_, effective)| effective))
            .expect("a replay starts with an apiserver and loses none")
    }

    pub(super) fn judged(&self) -> Flags {
        let mut skew = Skew::new(self.policy, self.span(), self.min_compatibility);
        Flags {
            hosts: self
                .hosts
                .iter()
                .map(|host| host_flags(host, &mut skew))
                .collect(),
            managers: self
                .managers
                .iter()
                .map(|&(component, _, minor)| skew.of(component, minor))
                .collect(),
            are_apart: self.are_apart(),
        }
    }

    /// Whether the apiservers are too far apart, by what they emulate or by their binaries.
    fn are_apart(&self) -> bool {
        let binaries = Apiservers::span(self.apiservers.iter().map(|&(binary, _)| binary));
        [Some(self.span()), binaries]
            .into_iter()
            .flatten()
            .any(|span| self.policy.is_spread(span.lo, span.hi))
    }
}

/// What a host breaks.
pub(super) fn host_flags(host: &Host<'_>, skew: &mut Skew<'_>) -> Vec<u8> {
    let first = host.kubelet.map_or(0, |minor| skew.of(Component::Kubelet, minor));
    let pods = host.pods.iter().map(|pod| {
        let Some(minor) = pod.minor else { return 0 };
        let pair = host.kubelet.map_or(0, |kubelet| skew.pair(minor, kubelet));
        skew.of(Component::KubeProxy, minor) | pair
    });
    std::iter::once(first).chain(pods).collect()
}

/// The workload that a kube-proxy moves with, by the name that a step's note gives it.
fn workload_of(proxy: &KubeProxy) -> Option<String> {
    match &proxy.unit {
        ProxyUnit::Static => None,
        ProxyUnit::Workload(owner) => Some(format!("{} {}", owner.kind, owner.name)),
        ProxyUnit::Lone => {
            let node = proxy.node.as_deref().unwrap_or_default();
            let beside_node = proxy
                .pod
                .strip_suffix(node)
                .and_then(|rest| rest.strip_suffix('-'));
            let beside_hash = || proxy.pod.rsplit_once('-').map(|(front, _)| front);
            let front = beside_node.or_else(beside_hash).unwrap_or(&proxy.pod);
            Some(format!("{front} (owner unknown)"))
        }
    }
}
