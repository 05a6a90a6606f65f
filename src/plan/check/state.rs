//! The cluster as it is replayed: every node and every kube-proxy by itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::flags::{self, Skew};
use crate::inventory::component::Component;
use crate::inventory::observed::Owner;
use crate::inventory::platform::Upgrade;
use crate::inventory::pool::PoolSource;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, KubeProxy, Node, ProxyUnit, Unread};
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
    /// How far it is from its kubelet where that is too far, else 0.
    pub(super) distance: u16,
}

/// A node as it is replayed; a kube-proxy without a listed node is one without a kubelet.
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    /// The node, where it is one.
    pub(super) node: Option<&'a Node>,
    pub(super) kubelet: Option<Minor>,
    /// What the kubelet breaks.
    pub(super) bits: u8,
    pub(super) pods: Vec<Pod>,
    pub(super) is_planned: bool,
    pub(super) in_rollout: bool,
    /// Whether an unread static kube-proxy keeps it from being known to run its apiserver's minor.
    pub(super) is_unsure: bool,
}

/// A manager as it is replayed.
pub(super) struct Manager<'a> {
    pub(super) component: Component,
    pub(super) name: &'a str,
    pub(super) minor: Minor,
    /// What it breaks.
    pub(super) bits: u8,
}

/// What the pods of a workload have in common.
#[derive(Default)]
pub(super) struct Workload<'a> {
    pub(super) hosts: Vec<usize>,
    pub(super) nodes: Vec<&'a str>,
    /// Whether the platform moves it in the hop.
    pub(super) follows: bool,
}

/// A plan's state, step by step.
pub(super) struct Replay<'a> {
    pub(super) policy: &'a Policy,
    pub(super) options: &'a PlanOptions,
    pub(super) upgrade: Option<Upgrade>,
    pub(super) step: usize,
    /// Binary and effective minor of each apiserver.
    pub(super) apiservers: Vec<(Minor, Minor)>,
    /// The minCompatibility of today's apiservers, until they move.
    pub(super) min_compatibility: Option<Minor>,
    pub(super) managers: Vec<Manager<'a>>,
    pub(super) hosts: Vec<Host<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
    pub(super) by_workload: BTreeMap<String, usize>,
    by_owner: HashMap<&'a Owner, usize>,
    pub(super) workloads: Vec<Workload<'a>>,
    /// Whether the apiservers are too far apart.
    pub(super) are_apart: bool,
    pub(super) rolls: usize,
    pub(super) updates: usize,
    pub(super) hops: usize,
    pub(super) windows: usize,
    /// Whether a node was rolled since the last hop.
    pub(super) in_window: bool,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        inventory: &'a Inventory,
        policy: &'a Policy,
        options: &'a PlanOptions,
    ) -> Option<Self> {
        let instances = inventory.instances.iter().filter(|instance| instance.judged);
        let apiservers = instances
            .clone()
            .filter(|instance| instance.component == Component::KubeApiserver);
        let apiservers = apiservers.filter_map(|instance| {
            let effective = instance.effective()?;
            Some((
                instance.version.as_ref().map_or(effective, Version::minor),
                effective,
            ))
        });
        let apiservers: Vec<(Minor, Minor)> = apiservers.collect();
        let managers = instances.filter(|instance| instance.component.is_manager());
        let managers = managers.filter_map(|instance| {
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
            upgrade: inventory.platform.as_ref().map(|found| found.platform.upgrade()),
            step: 0,
            apiservers,
            min_compatibility: inventory.min_compatibility,
            managers: managers.collect(),
            hosts: Vec::new(),
            by_name: HashMap::new(),
            by_workload: BTreeMap::new(),
            by_owner: HashMap::new(),
            workloads: Vec::new(),
            are_apart: false,
            rolls: 0,
            updates: 0,
            hops: 0,
            windows: 0,
            in_window: false,
        };
        replay.settle(inventory);
        let mut skew = replay.skew();
        for host in &mut replay.hosts {
            host.judge(&mut skew, true, false);
        }
        for manager in &mut replay.managers {
            manager.bits = skew.of(manager.component, manager.minor);
        }
        replay.are_apart = replay.is_spread();
        Some(replay)
    }

    /// Takes in the nodes and the kube-proxies without one.
    fn settle(&mut self, inventory: &'a Inventory) {
        let listed: HashSet<&String> = self.options.rollout.iter().flatten().collect();
        for node in inventory.nodes.iter().filter(|node| node.is_judged()) {
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
                node: Some(node),
                kubelet,
                bits: 0,
                is_unsure: pods
                    .iter()
                    .any(|pod| pod.workload.is_none() && pod.minor.is_none()),
                pods,
                is_planned: kubelet.is_some() && !node.proxies.iter().any(is_unread),
                in_rollout: listed.contains(&node.name) || node.aliases.iter().any(|a| listed.contains(a)),
            });
        }
        for proxy in &inventory.stray_proxies {
            let pod = self.pod(proxy, self.hosts.len(), proxy.node.as_ref());
            self.hosts.push(Host {
                name: &proxy.pod,
                node: None,
                kubelet: None,
                bits: 0,
                pods: vec![pod],
                is_planned: false,
                in_rollout: false,
                is_unsure: false,
            });
        }
        let today = self.span().lo;
        for index in 0..self.workloads.len() {
            let hosts = self.workloads[index].hosts.iter().map(|&host| &self.hosts[host]);
            let pods = hosts.flat_map(|host| &host.pods);
            let mut minors = pods
                .filter(|pod| pod.workload == Some(index))
                .filter_map(|pod| pod.minor);
            let first = minors.next();
            let is_level = first == Some(today) && minors.all(|minor| minor == today);
            self.workloads[index].follows &= is_level;
        }
    }

    fn pod(&mut self, proxy: &'a KubeProxy, host: usize, node: Option<&'a String>) -> Pod {
        let workload = self.workload(proxy);
        if let Some(workload) = workload {
            let of = &mut self.workloads[workload];
            if of.hosts.last() != Some(&host) {
                of.hosts.push(host);
            }
            of.nodes.extend(
                node.map(String::as_str)
                    .filter(|node| of.nodes.last() != Some(node)),
            );
        }
        Pod {
            minor: proxy.version.as_ref().map(Version::minor),
            workload,
            bits: 0,
            distance: 0,
        }
    }

    /// The workload that a kube-proxy moves with; known by the name that a step gives it.
    fn workload(&mut self, proxy: &'a KubeProxy) -> Option<usize> {
        let (name, follows) = match &proxy.unit {
            ProxyUnit::Static => return None,
            ProxyUnit::Workload(owner) => {
                if let Some(&known) = self.by_owner.get(owner) {
                    return Some(known);
                }
                let moved = self.upgrade.map_or(&[][..], |upgrade| upgrade.kube_proxies);
                let follows = owner.kind == "DaemonSet" && moved.contains(&owner.name.as_str());
                (format!("{} {}", owner.kind, owner.name), follows)
            }
            ProxyUnit::Lone => (name_of_lone(proxy), false),
        };
        let workloads = &mut self.workloads;
        let index = *self.by_workload.entry(name).or_insert_with(|| {
            workloads.push(Workload {
                follows,
                ..Workload::default()
            });
            workloads.len() - 1
        });
        if let ProxyUnit::Workload(owner) = &proxy.unit {
            self.by_owner.insert(owner, index);
        }
        Some(index)
    }

    pub(super) fn span(&self) -> Apiservers {
        Apiservers::span(self.apiservers.iter().map(|&(_, effective)| effective))
            .expect("a replay starts with an apiserver and loses none")
    }

    /// The policy against the apiservers as they are.
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

    /// Whether nodes take one minor a roll.
    pub(super) fn is_step_one(&self) -> bool {
        let asked = self.options.node_step_one;
        asked.unwrap_or_else(|| self.upgrade.is_some_and(|upgrade| upgrade.one_minor_a_roll))
    }

    /// Whether every node and kube-proxy is to end at the target.
    pub(super) fn finishes(&self) -> bool {
        let asked = self.options.finish_nodes;
        asked.unwrap_or_else(|| self.upgrade.is_some_and(|upgrade| upgrade.lag_only_under_way))
    }

    /// The pool with which a host is rolled.
    pub(super) fn whole_pool(&self, host: &Host<'a>) -> Option<&'a str> {
        let node = host
            .node
            .filter(|node| host.is_planned && node.binding.is_none_or(|it| it.apiserver.is_none()))?;
        let is_rolled_whole = match (self.options.whole_pools, node.pool_source?) {
            (Some(false), _) | (_, PoolSource::Role) => false,
            (_, PoolSource::NodeGroup) => true,
            (asked, PoolSource::Label) => asked.is_some(),
        };
        let by_platform = self.upgrade.is_some_and(|upgrade| upgrade.moves_nodes);
        node.pool.as_deref().filter(|_| is_rolled_whole && !by_platform)
    }
}

impl Host<'_> {
    /// The static kube-proxies that were read.
    pub(super) fn statics(&self) -> impl Iterator<Item = Minor> {
        self.pods
            .iter()
            .filter(|pod| pod.workload.is_none())
            .filter_map(|pod| pod.minor)
    }

    /// Whether kubelet and static kube-proxies run the minor of the host's own apiserver.
    pub(super) fn is_bound(&self, lo: Minor) -> bool {
        let own = self
            .node
            .and_then(|node| node.binding)
            .and_then(|binding| binding.apiserver);
        own.map(|own| own.max(lo)).is_some_and(|own| {
            self.kubelet == Some(own) && !self.is_unsure && self.statics().all(|minor| minor == own)
        })
    }

    /// Whether a roll to a minor changes anything: a kubelet is not rolled back, a static kube-proxy goes with it.
    pub(super) fn differs_from(&self, minor: Minor) -> bool {
        self.kubelet.is_some_and(|kubelet| {
            kubelet < minor || (kubelet == minor && self.statics().any(|own| own != minor))
        })
    }

    /// Brings the kubelet and the static kube-proxies to a minor.
    pub(super) fn bring_to(&mut self, minor: Minor) {
        self.kubelet = Some(minor);
        self.is_unsure = false;
        let statics = self.pods.iter_mut().filter(|pod| pod.workload.is_none());
        for own in statics.filter_map(|pod| pod.minor.as_mut()) {
            *own = minor;
        }
    }

    /// Judges it again; the first of kubelet and kube-proxies that breaks a rule anew, and what it breaks. Pairs are
    /// only looked at where something on the host has moved. A host that is bound is held to its own apiserver: its
    /// kubelet and static kube-proxies break nothing.
    pub(super) fn judge(
        &mut self,
        skew: &mut Skew<'_>,
        has_moved: bool,
        is_exempt: bool,
    ) -> Option<(Component, u8)> {
        let mut anew = None;
        if !is_exempt {
            let now = self.kubelet.map_or(0, |minor| skew.kubelet(minor));
            if now & !self.bits != 0 {
                anew = Some((Component::Kubelet, now & !self.bits));
            }
            self.bits = now;
        }
        for pod in &mut self.pods {
            let Some(minor) = pod.minor else { continue };
            if is_exempt && pod.workload.is_none() {
                continue;
            }
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

    /// Keeps how far kube-proxies are from the kubelet where that is too far.
    pub(super) fn note_distances(&mut self) {
        for pod in &mut self.pods {
            let is_apart = flags::of_pair(pod.bits) != 0;
            let pair = pod.minor.zip(self.kubelet).filter(|_| is_apart);
            pod.distance = pair.map_or(0, |(minor, kubelet)| minor.distance(kubelet));
        }
    }

    /// Whether one of them has got further from the kubelet since.
    pub(super) fn is_pushed_apart(&self) -> bool {
        let mut pods = self.pods.iter().filter(|pod| pod.distance != 0);
        pods.any(|pod| {
            let pair = pod.minor.zip(self.kubelet);
            pair.is_some_and(|(minor, kubelet)| minor.distance(kubelet) > pod.distance)
        })
    }

    /// What of it is too far behind.
    pub(super) fn behind(&self, is_exempt: bool) -> Option<Component> {
        if !is_exempt && flags::is_behind(self.bits) {
            return Some(Component::Kubelet);
        }
        let mut judged = self
            .pods
            .iter()
            .filter(|pod| !is_exempt || pod.workload.is_some());
        judged
            .any(|pod| flags::is_behind(pod.bits))
            .then_some(Component::KubeProxy)
    }

    /// Whether anything that a step may move is below a minor; `with_workloads` counts kube-proxies of workloads too.
    pub(super) fn is_below(&self, minor: Minor, with_workloads: bool) -> bool {
        let pods = self
            .pods
            .iter()
            .filter(|pod| with_workloads || pod.workload.is_none());
        let mut minors = self.kubelet.into_iter().chain(pods.filter_map(|pod| pod.minor));
        minors.any(|own| own < minor)
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
