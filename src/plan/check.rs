//! Replays a finished plan, state by state, half-hops included, and says whether it holds. It shares nothing with
//! the planner but the types of steps: it keeps every node and pod by itself, where the planner thinks in classes.

use std::collections::{BTreeMap, HashMap};

use super::PlanOptions;
use super::steps::{Plan, Step, StepKind, StepNote};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Inventory, KubeProxy, ProxyUnit, Unread};
use crate::policy::finding::RuleKey;
use crate::policy::standing::{Apiservers, Policy};

mod flags;

use flags::{Flags, Skew};

/// Why a plan does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A step cannot be done as it stands.
    #[error("step {step} cannot be done: {what}")]
    Impossible {
        /// The step, from 1.
        step: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A step breaks a rule that was not broken before it.
    #[error("step {step} puts {subject} out of policy ({rule:?})")]
    Anew {
        /// The step, from 1.
        step: usize,
        /// Whom.
        subject: String,
        /// The rule.
        rule: RuleKey,
    },
    /// A hop leaves somebody too far behind.
    #[error("step {step} leaves {subject} behind ({rule:?})")]
    Stranded {
        /// The step, from 1.
        step: usize,
        /// Whom.
        subject: String,
        /// The rule.
        rule: RuleKey,
    },
    /// It ends short of what it claims.
    #[error("the plan does not end as it says: {0}")]
    End(String),
}

/// Whether `plan` brings `inventory` as far as it says, and no state on the way breaks a rule that was not broken
/// before.
pub fn check(
    inventory: &Inventory,
    policy: &Policy,
    target: Minor,
    options: &PlanOptions,
    plan: &Plan,
) -> Result<(), Broken> {
    let Some(mut replay) = Replay::new(inventory, policy, options) else {
        let is_refusal = plan.steps.is_empty() && plan.obstacle.is_some();
        return if is_refusal {
            Ok(())
        } else {
            Err(Broken::End("no kube-apiserver's version is known".to_owned()))
        };
    };
    for (index, step) in plan.steps.iter().enumerate() {
        replay.step = index + 1;
        replay.take(step)?;
    }
    replay.end(target, plan)
}

/// A kube-proxy as it is replayed.
struct Pod {
    minor: Option<Minor>,
    /// `None` for a static pod.
    workload: Option<usize>,
}

/// A node as it is replayed; a kube-proxy without a listed node is one without a kubelet.
struct Host<'a> {
    name: &'a str,
    kubelet: Option<Minor>,
    pods: Vec<Pod>,
    is_planned: bool,
    in_rollout: bool,
}

struct Replay<'a> {
    policy: &'a Policy,
    options: &'a PlanOptions,
    step: usize,
    /// Binary and effective minor of each apiserver.
    apiservers: Vec<(Minor, Minor)>,
    /// The minCompatibility of today's apiservers, until they move.
    min_compatibility: Option<Minor>,
    managers: Vec<(Component, &'a str, Minor)>,
    hosts: Vec<Host<'a>>,
    by_name: HashMap<&'a str, usize>,
    workloads: BTreeMap<String, usize>,
    /// The hosts and the names of nodes of each workload.
    members: Vec<(Vec<usize>, Vec<String>)>,
    flags: Flags,
    rolls: usize,
    updates: usize,
    hops: usize,
}

impl<'a> Replay<'a> {
    fn new(inventory: &'a Inventory, policy: &'a Policy, options: &'a PlanOptions) -> Option<Self> {
        let apiservers: Vec<(Minor, Minor)> = inventory
            .instances
            .iter()
            .filter(|instance| instance.component == Component::KubeApiserver)
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
        let names = |node: &crate::inventory::Node| {
            self.options.rollout.as_ref().is_some_and(|rollout| {
                rollout
                    .iter()
                    .any(|name| *name == node.name || node.aliases.contains(name))
            })
        };
        let rollout: Vec<bool> = inventory.nodes.iter().map(names).collect();
        for (node, in_rollout) in inventory.nodes.iter().zip(rollout) {
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

    fn span(&self) -> Apiservers {
        Apiservers::span(self.apiservers.iter().map(|&(_, effective)| effective))
            .expect("a replay starts with an apiserver and loses none")
    }

    fn judged(&self) -> Flags {
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

    fn impossible(&self, what: impl Into<String>) -> Broken {
        Broken::Impossible {
            step: self.step,
            what: what.into(),
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), Broken> {
        match step.kind {
            StepKind::Hop | StepKind::Emulation => self.hop(step),
            StepKind::Kubelets => self.roll(step),
            StepKind::KubeProxy => self.update(step),
            StepKind::ControlPlane => self.raise(step),
        }
    }

    fn hop(&mut self, step: &Step) -> Result<(), Broken> {
        let before = self.span();
        if step.from != before.lo || step.to != before.lo.next() {
            return Err(self.impossible(format!("the oldest kube-apiserver is at {}", before.lo)));
        }
        let moves: Vec<usize> = (0..self.apiservers.len())
            .filter(|&index| self.apiservers[index].1 < step.to)
            .collect();
        let needs_binary = moves.iter().any(|&index| self.apiservers[index].0 < step.to);
        if needs_binary != (step.kind == StepKind::Hop) {
            return Err(self.impossible("it takes emulation for a new binary, or the other way round"));
        }
        self.hops += usize::from(needs_binary);
        self.min_compatibility = None;
        let raises_newest = step.to > before.hi;
        if raises_newest {
            // Half of the apiservers have moved: whichever they are, the oldest is where it was.
            let half = Apiservers {
                lo: before.lo,
                hi: step.to,
            };
            let mut skew = Skew::new(self.policy, half, None);
            let flags = Flags {
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
                are_apart: self.flags.are_apart || self.policy.is_spread(half.lo, half.hi),
            };
            self.advance(flags, true)?;
        }
        for index in moves {
            let (binary, effective) = &mut self.apiservers[index];
            *effective = step.to;
            *binary = (*binary).max(step.to);
        }
        self.advance(self.judged(), raises_newest)?;
        for (_, _, minor) in &mut self.managers {
            *minor = (*minor).max(step.to);
        }
        self.advance(self.judged(), false)
    }

    fn roll(&mut self, step: &Step) -> Result<(), Broken> {
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        if step.nodes.is_empty() || !step.nodes.is_sorted_by(|a, b| a < b) {
            return Err(self.impossible("its nodes are none, or not in order"));
        }
        let mut skew = Skew::new(self.policy, self.span(), self.min_compatibility);
        let mut from: Option<Minor> = None;
        let mut lowest: Option<Minor> = None;
        let mut with_static = Vec::new();
        for name in &step.nodes {
            let host = self.by_name.get(name.as_str()).copied();
            let Some(index) = host.filter(|&host| self.hosts[host].is_planned) else {
                return Err(self.impossible(format!("node {name} is not one to be planned for")));
            };
            let host = &mut self.hosts[index];
            let kubelet = host.kubelet.expect("a planned node has a kubelet that was read");
            let static_pods = host.pods.iter().filter(|pod| pod.workload.is_none());
            if static_pods.clone().next().is_some() {
                with_static.push(name.clone());
            }
            let own: Vec<Minor> = std::iter::once(kubelet)
                .chain(static_pods.filter_map(|pod| pod.minor))
                .collect();
            let is_up = own.iter().all(|&minor| minor <= step.to) && own.iter().any(|&minor| minor < step.to);
            let is_far = self.options.node_step_one && step.to > kubelet.next();
            if !is_up || is_far {
                return Err(self.impossible(format!("node {name} does not go to {} from {kubelet}", step.to)));
            }
            from = from.into_iter().chain([kubelet]).min();
            lowest = lowest.into_iter().chain(own).min();
            host.kubelet = Some(step.to);
            for pod in host
                .pods
                .iter_mut()
                .filter(|pod| pod.workload.is_none() && pod.minor.is_some())
            {
                pod.minor = Some(step.to);
            }
            self.advance_host(index, &mut skew)?;
        }
        let from = from.filter(|&from| from < step.to).or(lowest);
        if from != Some(step.from) || with_static != step.kube_proxy_of {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        self.rolls += step.nodes.len();
        Ok(())
    }

    fn update(&mut self, step: &Step) -> Result<(), Broken> {
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        let named = step.notes.iter().find_map(|note| match note {
            StepNote::Workload(name) => self.workloads.get(name).copied(),
            _ => None,
        });
        let Some(workload) = named else {
            return Err(self.impossible("it names no workload that is there"));
        };
        let (members, mut nodes) = self.members[workload].clone();
        nodes.sort_unstable();
        nodes.dedup();
        let minors: Vec<Minor> = members
            .iter()
            .flat_map(|&host| &self.hosts[host].pods)
            .filter(|pod| pod.workload == Some(workload))
            .filter_map(|pod| pod.minor)
            .collect();
        let is_up =
            minors.iter().all(|&minor| minor <= step.to) && minors.iter().any(|&minor| minor < step.to);
        if !is_up || minors.iter().min() != Some(&step.from) || nodes != step.kube_proxy_of {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        let mut skew = Skew::new(self.policy, self.span(), self.min_compatibility);
        for host in members {
            let pods = self.hosts[host].pods.iter_mut();
            for pod in pods.filter(|pod| pod.workload == Some(workload) && pod.minor.is_some()) {
                pod.minor = Some(step.to);
            }
            self.advance_host(host, &mut skew)?;
        }
        self.updates += 1;
        Ok(())
    }

    fn raise(&mut self, step: &Step) -> Result<(), Broken> {
        let lagging = |&&mut (component, _, minor): &&mut (Component, &str, Minor)| {
            Some(component) == step.component && minor < step.to
        };
        let lowest = self
            .managers
            .iter_mut()
            .filter(lagging)
            .map(|&mut (_, _, minor)| minor)
            .min();
        if lowest != Some(step.from) || step.to > self.span().lo {
            return Err(self.impossible("no manager moves as it says"));
        }
        for (_, _, minor) in self.managers.iter_mut().filter(lagging) {
            *minor = step.to;
        }
        self.advance(self.judged(), false)
    }

    /// Judges one host again after it moved.
    fn advance_host(&mut self, host: usize, skew: &mut Skew<'_>) -> Result<(), Broken> {
        let now = host_flags(&self.hosts[host], skew);
        if let Some(rule) = flags::anew(&now, &self.flags.hosts[host]) {
            return Err(Broken::Anew {
                step: self.step,
                subject: self.hosts[host].name.to_owned(),
                rule,
            });
        }
        self.flags.hosts[host] = now;
        Ok(())
    }

    /// Goes on to a state in which anything may have changed.
    fn advance(&mut self, now: Flags, is_hop: bool) -> Result<(), Broken> {
        let step = self.step;
        for (index, (now, before)) in now.hosts.iter().zip(&self.flags.hosts).enumerate() {
            let subject = || self.hosts[index].name.to_owned();
            if let Some(rule) = flags::behind(now).filter(|_| is_hop) {
                let subject = subject();
                return Err(Broken::Stranded { step, subject, rule });
            }
            if let Some(rule) = flags::anew(now, before) {
                let subject = subject();
                return Err(Broken::Anew { step, subject, rule });
            }
        }
        for (index, (now, before)) in now.managers.iter().zip(&self.flags.managers).enumerate() {
            let (component, name, _) = self.managers[index];
            if now & !before != 0 {
                return Err(Broken::Anew {
                    step,
                    subject: name.to_owned(),
                    rule: flags::manager_rule(component, now & !before),
                });
            }
        }
        if now.are_apart && !self.flags.are_apart {
            return Err(Broken::Anew {
                step,
                subject: "kube-apiserver".to_owned(),
                rule: RuleKey::ApiserverHaSpread,
            });
        }
        self.flags = now;
        Ok(())
    }

    fn end(&self, target: Minor, plan: &Plan) -> Result<(), Broken> {
        let counted = (self.hops, self.rolls, self.updates);
        let said = (plan.hops, plan.node_rolls, plan.kube_proxy_updates);
        if counted != said {
            return Err(Broken::End(format!("it counts {said:?}, and has {counted:?}")));
        }
        let below = |host: &&Host<'_>| {
            let minors = host
                .kubelet
                .into_iter()
                .chain(host.pods.iter().filter_map(|pod| pod.minor));
            host.is_planned && minors.into_iter().any(|minor| minor < target)
        };
        let named = |hosts: &mut dyn Iterator<Item = &Host<'_>>| {
            let mut names: Vec<String> = hosts.map(|host| host.name.to_owned()).collect();
            names.sort_unstable();
            names
        };
        if named(&mut self.hosts.iter().filter(below)) != plan.optional {
            return Err(Broken::End("other nodes are below the target".to_owned()));
        }
        let nodes = self.by_name.values().map(|&host| &self.hosts[host]);
        if named(&mut nodes.filter(|host| !host.is_planned)) != plan.unplanned {
            return Err(Broken::End("other nodes could not be planned for".to_owned()));
        }
        if plan.obstacle.is_some() {
            return Ok(());
        }
        if self.span() != Apiservers::all_at(target) {
            return Err(Broken::End(format!("the apiservers do not all reach {target}")));
        }
        let blocked = self
            .flags
            .hosts
            .iter()
            .position(|flags| flags::behind(flags).is_some());
        if let Some(host) = blocked {
            return Err(Broken::End(format!(
                "{} is too old for {target}",
                self.hosts[host].name
            )));
        }
        let blocked = self.flags.managers.iter().position(|&flags| flags != 0);
        if let Some(index) = blocked {
            return Err(Broken::End(format!(
                "{} is out of policy",
                self.managers[index].1
            )));
        }
        let late = self.hosts.iter().find(|host| {
            let is_below =
                |pod: &Pod| pod.workload.is_none() && pod.minor.is_some_and(|minor| minor < target);
            let is_late =
                host.kubelet.is_some_and(|kubelet| kubelet < target) || host.pods.iter().any(is_below);
            host.is_planned && host.in_rollout && is_late
        });
        match late {
            Some(host) => Err(Broken::End(format!(
                "the rollout does not bring {} to {target}",
                host.name
            ))),
            None => Ok(()),
        }
    }
}

fn host_flags(host: &Host<'_>, skew: &mut Skew<'_>) -> Vec<u8> {
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
