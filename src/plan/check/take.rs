//! A step is taken: whether it can be done as it stands, and whether it breaks a rule that was not broken before.

use super::Broken;
use super::flags::{self, Flags, Skew};
use super::state::{Replay, host_flags};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::plan::steps::{Step, StepKind, StepNote};
use crate::policy::finding::RuleKey;
use crate::policy::standing::Apiservers;

impl Replay<'_> {
    fn impossible(&self, what: impl Into<String>) -> Broken {
        Broken::Impossible {
            step: self.step,
            what: what.into(),
        }
    }

    pub(super) fn take(&mut self, step: &Step) -> Result<(), Broken> {
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
}
