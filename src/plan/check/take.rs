//! A step is taken: whether it can be done as it stands, and whether it breaks a rule that was not broken before.

use std::collections::HashSet;

use super::Broken;
use super::flags::{self, Skew};
use super::state::{Manager, Replay};
use crate::inventory::version::Minor;
use crate::plan::steps::{Step, StepKind};
use crate::policy::apiservers::Apiservers;
use crate::policy::rules::{self, Rule};

impl Replay<'_> {
    fn impossible(&self, what: impl Into<String>) -> Broken {
        Broken::Impossible {
            step: self.step,
            what: what.into(),
        }
    }

    pub(super) fn take(&mut self, step: &Step) -> Result<(), Broken> {
        if step.number != self.step {
            return Err(self.impossible("it has another number"));
        }
        match step.kind {
            StepKind::Hop | StepKind::Emulation => self.hop(step),
            StepKind::Kubelets => self.roll(step),
            StepKind::KubeProxy => self.update(step),
            StepKind::ControlPlane => self.raise(step),
        }
    }

    fn hop(&mut self, step: &Step) -> Result<(), Broken> {
        let before = self.span();
        if step.from != before.lo || step.to != before.lo.next() || step.window.is_some() {
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
        self.in_window = false;
        self.min_compatibility = None;
        let bound: Vec<bool> = self.hosts.iter().map(|host| host.is_bound(before.lo)).collect();
        let raises_newest = step.to > before.hi;
        if raises_newest {
            // Half of the apiservers have moved: whichever they are, the oldest is where it was.
            let half = Apiservers {
                lo: before.lo,
                hi: step.to,
            };
            let is_spread = self.are_apart || self.policy.is_spread(half.lo, half.hi);
            self.pass(Skew::new(self.policy, half, None), Some(&bound), false, is_spread)?;
        }
        for index in moves {
            let (binary, effective) = &mut self.apiservers[index];
            *effective = step.to;
            *binary = (*binary).max(step.to);
        }
        for host in &mut self.hosts {
            host.note_distances();
        }
        let has_moved = self.follow(step, &bound)?;
        if raises_newest && let Some(host) = self.hosts.iter().find(|host| host.is_pushed_apart()) {
            return Err(self.anew(host.name, &rules::kube_proxy_kubelet::RULE));
        }
        let nobody = vec![false; self.hosts.len()];
        self.pass(
            self.skew(),
            raises_newest.then_some(&nobody),
            has_moved,
            self.is_spread(),
        )?;
        for manager in &mut self.managers {
            manager.minor = manager.minor.max(step.to);
        }
        self.judge_managers(&self.skew())
    }

    /// Moves what moves with the apiservers in a hop; whether anything did.
    fn follow(&mut self, step: &Step, bound: &[bool]) -> Result<bool, Broken> {
        let is_hop = step.kind == StepKind::Hop;
        let by_platform = self.upgrade.is_some_and(|upgrade| upgrade.moves_nodes);
        let mut nodes = HashSet::new();
        let mut proxies = HashSet::new();
        for (host, &is_bound) in self.hosts.iter_mut().zip(bound) {
            let is_own = host
                .node
                .is_some_and(|node| node.binding.is_some_and(|it| it.apiserver.is_some()));
            let moves = is_hop && (is_bound || (by_platform && !is_own)) && host.kubelet.is_some();
            if moves && host.differs_from(step.to) {
                host.bring_to(step.to);
                nodes.insert(host.name);
                proxies.extend(
                    host.pods
                        .iter()
                        .any(|pod| pod.workload.is_none())
                        .then_some(host.name),
                );
            }
        }
        for index in 0..self.workloads.len() {
            if is_hop && self.workloads[index].follows {
                self.bring_workload(index, step.to);
                proxies.extend(self.workloads[index].nodes.iter().copied());
            }
        }
        let said_nodes: HashSet<&str> = step.nodes.iter().map(String::as_str).collect();
        let said_proxies: HashSet<&str> = step.kube_proxy_of.iter().map(String::as_str).collect();
        if said_nodes != nodes || said_proxies != proxies {
            return Err(self.impossible("what it says to move with the control plane is not what moves"));
        }
        Ok(!nodes.is_empty() || !proxies.is_empty())
    }

    fn bring_workload(&mut self, workload: usize, to: Minor) {
        for &host in &self.workloads[workload].hosts {
            let pods = self.hosts[host].pods.iter_mut();
            for pod in pods.filter(|pod| pod.workload == Some(workload)) {
                pod.minor = pod.minor.map(|_| to);
            }
        }
    }

    fn enter_window(&mut self, step: &Step) -> Result<(), Broken> {
        let is_roll = step.kind == StepKind::Kubelets;
        if is_roll && !self.in_window {
            self.windows += 1;
            self.in_window = true;
        }
        // An update before the first roll of a window has its number all the same.
        let is_right = match step.window {
            Some(window) => {
                window == self.windows || (!is_roll && !self.in_window && window == self.windows + 1)
            }
            None => !is_roll && !self.in_window,
        };
        if is_right {
            Ok(())
        } else {
            Err(self.impossible("it is not in that window"))
        }
    }

    fn roll(&mut self, step: &Step) -> Result<(), Broken> {
        self.enter_window(step)?;
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        let distinct: HashSet<&str> = step.nodes.iter().map(String::as_str).collect();
        if step.nodes.is_empty() || distinct.len() != step.nodes.len() {
            return Err(self.impossible("its nodes are none, or not all different"));
        }
        self.roll_whole_pools(step, &distinct)?;
        let mut skew = self.skew();
        let mut from: Option<Minor> = None;
        let mut lowest: Option<Minor> = None;
        let mut with_static: Vec<&str> = Vec::new();
        for name in &step.nodes {
            let host = self.by_name.get(name.as_str()).copied();
            let Some(index) = host.filter(|&host| self.hosts[host].is_planned) else {
                return Err(self.impossible(format!("node {name} is not one to be planned for")));
            };
            let is_one = self.is_step_one();
            let host = &mut self.hosts[index];
            let kubelet = host.kubelet.expect("a planned node has a kubelet that was read");
            let is_far = is_one && step.to > kubelet.next();
            if is_far || !host.differs_from(step.to) {
                return Err(self.impossible(format!("node {name} does not go to {} from {kubelet}", step.to)));
            }
            if host.pods.iter().any(|pod| pod.workload.is_none()) {
                with_static.push(name);
            }
            from = from
                .into_iter()
                .chain([kubelet])
                .filter(|&own| own < step.to)
                .min();
            lowest = lowest.into_iter().chain(host.statics()).min();
            host.bring_to(step.to);
            self.judge_host(index, &mut skew)?;
        }
        with_static.sort_unstable();
        if from.or(lowest) != Some(step.from) || *step.kube_proxy_of != with_static {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        self.rolls += step.nodes.len();
        Ok(())
    }

    /// Where one node of a pool that is rolled as a whole moves, all do that are below.
    fn roll_whole_pools(&self, step: &Step, nodes: &HashSet<&str>) -> Result<(), Broken> {
        let hosts = step
            .nodes
            .iter()
            .filter_map(|name| self.by_name.get(name.as_str()));
        let pools: HashSet<&str> = hosts
            .filter_map(|&host| self.whole_pool(&self.hosts[host]))
            .collect();
        let left_out = self.hosts.iter().find(|host| {
            let is_in_pool = self.whole_pool(host).is_some_and(|pool| pools.contains(pool));
            let is_newer = host.kubelet.is_some_and(|kubelet| kubelet > step.to);
            is_in_pool && !is_newer && host.is_below(step.to, false) && !nodes.contains(host.name)
        });
        match left_out {
            Some(host) => Err(self.impossible(format!(
                "it leaves out {} of a pool that is rolled whole",
                host.name
            ))),
            None => Ok(()),
        }
    }

    fn update(&mut self, step: &Step) -> Result<(), Broken> {
        self.enter_window(step)?;
        if step.to > self.span().lo {
            return Err(self.impossible(format!("{} is newer than the oldest kube-apiserver", step.to)));
        }
        let named = step.workload.as_ref();
        let named = named.and_then(|name| self.by_workload.get(name).copied());
        let Some(workload) = named.filter(|&workload| !self.workloads[workload].follows) else {
            return Err(self.impossible("it names no workload that is there and that no hop moves"));
        };
        let hosts = self.workloads[workload].hosts.clone();
        let mut nodes = self.workloads[workload].nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        let minors: Vec<Minor> = hosts
            .iter()
            .flat_map(|&host| &self.hosts[host].pods)
            .filter(|pod| pod.workload == Some(workload))
            .filter_map(|pod| pod.minor)
            .collect();
        let is_up =
            minors.iter().all(|&minor| minor <= step.to) && minors.iter().any(|&minor| minor < step.to);
        let mut said: Vec<&str> = step.nodes.iter().map(String::as_str).collect();
        said.sort_unstable();
        if !is_up || minors.iter().min() != Some(&step.from) || *step.kube_proxy_of != nodes || said != nodes
        {
            return Err(self.impossible("what it says to move is not what moves"));
        }
        self.bring_workload(workload, step.to);
        let mut skew = self.skew();
        for host in hosts {
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
        if lowest != Some(step.from) || step.to > self.span().lo || step.window.is_some() {
            return Err(self.impossible("no manager moves as it says"));
        }
        self.judge_managers(&self.skew())
    }

    fn anew(&self, subject: &str, rule: &'static Rule) -> Broken {
        Broken::Anew {
            step: self.step,
            subject: subject.to_owned(),
            rule,
        }
    }

    /// Judges one host again after it moved.
    fn judge_host(&mut self, host: usize, skew: &mut Skew<'_>) -> Result<(), Broken> {
        match self.hosts[host].judge(skew, true, false) {
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
                let rules = flags::rules(manager.component, anew);
                return Err(self.anew(
                    manager.name,
                    rules
                        .into_iter()
                        .next()
                        .unwrap_or(&rules::apiserver_ha_spread::RULE),
                ));
            }
        }
        Ok(())
    }

    /// Goes on to other apiservers. `raising` is given in a hop that raises the newest: nothing may be too far behind
    /// it; the hosts that it marks are held to their own apiserver.
    fn pass(
        &mut self,
        mut skew: Skew<'_>,
        raising: Option<&Vec<bool>>,
        has_moved: bool,
        is_spread: bool,
    ) -> Result<(), Broken> {
        for index in 0..self.hosts.len() {
            let is_exempt = raising.is_some_and(|exempt| exempt[index]);
            let host = &mut self.hosts[index];
            let anew = host.judge(&mut skew, has_moved, is_exempt);
            if let Some(component) = host.behind(is_exempt).filter(|_| raising.is_some()) {
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
            return Err(self.anew("kube-apiserver", &rules::apiserver_ha_spread::RULE));
        }
        self.are_apart = is_spread;
        Ok(())
    }
}
