//! A step is taken: whether it can be done as it stands, and whether it breaks a rule that was not broken before.

use std::collections::HashSet;

use super::Broken;
use super::flags::{self, Skew};
use super::state::{Manager, Replay};
use crate::inventory::version::Minor;
use crate::plan::steps::{Step, StepKind};
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
            let is_spread = self.are_apart || self.policy.is_spread(half.lo, half.hi);
            self.pass(Skew::new(self.policy, half, None), true, is_spread)?;
        }
        for index in moves {
            let (binary, effective) = &mut self.apiservers[index];
            *effective = step.to;
            *binary = (*binary).max(step.to);
        }
        self.pass(self.skew(), raises_newest, self.is_spread())?;
        for manager in &mut self.managers {
            manager.minor = manager.minor.max(step.to);
        }
        self.judge_managers(&self.skew())
    }

    fn roll(&mut self, step: &Step) -> Result<(), Broken> {
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        let distinct: HashSet<&String> = step.nodes.iter().collect();
        if step.nodes.is_empty() || distinct.len() != step.nodes.len() {
            return Err(self.impossible("its nodes are none, or not all different"));
        }
        let mut skew = self.skew();
        let mut from: Option<Minor> = None;
        let mut lowest: Option<Minor> = None;
        let mut with_static: Vec<&str> = Vec::new();
        for name in &step.nodes {
            let host = self.by_name.get(name.as_str()).copied();
            let Some(index) = host.filter(|&host| self.hosts[host].is_planned) else {
                return Err(self.impossible(format!("node {name} is not one to be planned for")));
            };
            let host = &mut self.hosts[index];
            let kubelet = host.kubelet.expect("a planned node has a kubelet that was read");
            let (mut low, mut high) = (kubelet, kubelet);
            let mut has_static = false;
            for pod in host.pods.iter_mut().filter(|pod| pod.workload.is_none()) {
                has_static = true;
                if let Some(minor) = &mut pod.minor {
                    (low, high) = (low.min(*minor), high.max(*minor));
                    *minor = step.to;
                }
            }
            host.kubelet = Some(step.to);
            let is_up = low < step.to && high <= step.to;
            let is_far = self.options.node_step_one == Some(true) && step.to > kubelet.next();
            if !is_up || is_far {
                return Err(self.impossible(format!("node {name} does not go to {} from {kubelet}", step.to)));
            }
            with_static.extend(has_static.then_some(name.as_str()));
            from = from.into_iter().chain([kubelet]).min();
            lowest = lowest.into_iter().chain([low]).min();
            self.judge_host(index, &mut skew)?;
        }
        let from = from.filter(|&from| from < step.to).or(lowest);
        with_static.sort_unstable();
        if from != Some(step.from) || *step.kube_proxy_of != with_static {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        self.rolls += step.nodes.len();
        Ok(())
    }

    fn update(&mut self, step: &Step) -> Result<(), Broken> {
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        let named = step.workload.as_ref();
        let named = named.and_then(|name| self.workloads.get(name).copied());
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
        let mut said: Vec<&str> = step.kube_proxy_of.iter().map(String::as_str).collect();
        said.sort_unstable();
        if !is_up || minors.iter().min() != Some(&step.from) || said != nodes {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        let mut skew = self.skew();
        for host in members {
            let pods = self.hosts[host].pods.iter_mut();
            for pod in pods.filter(|pod| pod.workload == Some(workload) && pod.minor.is_some()) {
                pod.minor = Some(step.to);
            }
            self.judge_host(host, &mut skew)?;
        }
        self.updates += 1;
        Ok(())
    }

    fn raise(&mut self, step: &Step) -> Result<(), Broken> {
        let lagging =
            |manager: &&mut Manager<'_>| Some(manager.component) == step.component && manager.minor < step.to;
        let moved = self.managers.iter_mut().filter(lagging);
        let lowest = moved
            .map(|manager| std::mem::replace(&mut manager.minor, step.to))
            .min();
        if lowest != Some(step.from) || step.to > self.span().lo {
            return Err(self.impossible("no manager moves as it says"));
        }
        self.judge_managers(&self.skew())
    }

    fn anew(&self, subject: &str, rule: RuleKey) -> Broken {
        Broken::Anew {
            step: self.step,
            subject: subject.to_owned(),
            rule,
        }
    }

    /// Judges one host again after it moved.
    fn judge_host(&mut self, host: usize, skew: &mut Skew<'_>) -> Result<(), Broken> {
        match self.hosts[host].judge(skew, true) {
            Some((component, bits)) => Err(self.anew(self.hosts[host].name, flags::rule(component, bits))),
            None => Ok(()),
        }
    }

    fn judge_managers(&mut self, skew: &Skew<'_>) -> Result<(), Broken> {
        for index in 0..self.managers.len() {
            let manager = &mut self.managers[index];
            let now = skew.of(manager.component, manager.minor);
            let anew = now & !manager.bits;
            manager.bits = now;
            if anew != 0 {
                let manager = &self.managers[index];
                return Err(self.anew(manager.name, flags::manager_rule(manager.component, anew)));
            }
        }
        Ok(())
    }

    /// Goes on to other apiservers.
    fn pass(&mut self, mut skew: Skew<'_>, is_hop: bool, is_spread: bool) -> Result<(), Broken> {
        for index in 0..self.hosts.len() {
            let host = &mut self.hosts[index];
            let anew = host.judge(&mut skew, false);
            if let Some(component) = host.behind().filter(|_| is_hop) {
                return Err(Broken::Stranded {
                    step: self.step,
                    subject: host.name.to_owned(),
                    rule: flags::behind(component),
                });
            }
            if let Some((component, bits)) = anew {
                return Err(self.anew(self.hosts[index].name, flags::rule(component, bits)));
            }
        }
        self.judge_managers(&skew)?;
        if is_spread && !self.are_apart {
            return Err(self.anew("kube-apiserver", RuleKey::ApiserverHaSpread));
        }
        self.are_apart = is_spread;
        Ok(())
    }
}
