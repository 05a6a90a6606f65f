//! The path: for each minor on the way to the target, what the move there would say with the nodes as they
//! are today. What the least work is that makes the way legal is in the plan.

use std::collections::BTreeSet;

use crate::inventory::component::Component;
use crate::inventory::gap::Capability;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Instance, Inventory};
use crate::policy::assessment::Assessment;
use crate::policy::finding::{CellState, RuleKey, Severity, Verdict};
use crate::policy::question::Question;
use crate::policy::rules;
use crate::policy::standing::{Apiservers, Policy};
use crate::report::{PathHop, TargetKind};

/// The hops to the target; none without a target that is a hop, or without a server version.
pub fn path(
    inventory: &Inventory,
    policy: &Policy,
    _question: &Question,
    assessment: &Assessment,
) -> Vec<PathHop> {
    let (Some(target), Some(today)) = (&assessment.target, assessment.apiservers) else {
        return Vec::new();
    };
    if !matches!(target.kind, TargetKind::Hop(_)) {
        return Vec::new();
    }
    let cluster = Cluster::new(inventory, policy, assessment, today);
    let (mut before, fixed) = cluster.today();
    let hops = assessment.columns.iter().enumerate().map(|(index, &to)| {
        let after = cluster.at(to);
        let key = |rule: &RuleKey| rules::rule(*rule).map_or("", |rule| rule.name).to_owned();
        let mut added: Vec<String> = after.difference(&before).map(key).collect();
        let mut resolved: Vec<String> = before.difference(&after).map(key).collect();
        added.sort_unstable();
        resolved.sort_unstable();
        let hop = PathHop {
            from: index.checked_sub(1).map_or(today.lo, |i| assessment.columns[i]),
            to,
            verdict: cluster.verdict(to),
            added,
            resolved,
            carried: fixed + after.intersection(&before).count(),
            move_first: cluster.move_first(index, to),
        };
        before = after;
        hop
    });
    hops.collect()
}

/// What the path asks about the cluster at every minor, gathered once.
struct Cluster<'a> {
    inventory: &'a Inventory,
    policy: &'a Policy,
    assessment: &'a Assessment,
    today: Apiservers,
    kubelets: BTreeSet<Minor>,
    proxies: BTreeSet<Minor>,
}

impl<'a> Cluster<'a> {
    fn new(
        inventory: &'a Inventory,
        policy: &'a Policy,
        assessment: &'a Assessment,
        today: Apiservers,
    ) -> Self {
        let judged = || inventory.nodes.iter().filter(|node| node.is_judged());
        let kubelets = judged().filter_map(|node| node.kubelet.version.as_ref());
        let proxies = judged()
            .flat_map(|node| &node.proxies)
            .chain(&inventory.stray_proxies)
            .filter_map(|proxy| proxy.version.as_ref());
        Self {
            inventory,
            policy,
            assessment,
            today,
            kubelets: kubelets.map(Version::minor).collect(),
            proxies: proxies.map(Version::minor).collect(),
        }
    }

    /// The rules that speak today and may say otherwise at another minor, and how many findings never change on
    /// the way: those about the nodes alone.
    fn today(&self) -> (BTreeSet<RuleKey>, usize) {
        let mut moving = BTreeSet::new();
        let mut fixed = 0;
        for finding in &self.assessment.findings {
            match finding.rule {
                RuleKey::KubeletPostUpgrade
                | RuleKey::KubeProxyPostUpgrade
                | RuleKey::UpgradePath
                | RuleKey::NodeRuntime
                | RuleKey::RolloutLeftBehind
                | RuleKey::RolloutUnknownNode => {}
                RuleKey::KubeProxyKubelet
                | RuleKey::KubeletUnparseable
                | RuleKey::VirtualNodes
                | RuleKey::KubeProxyMissing => fixed += 1,
                rule => {
                    moving.insert(rule);
                }
            }
        }
        (moving, fixed)
    }

    /// The rules that speak once all apiservers are at `minor`, or above it where they are already.
    fn at(&self, minor: Minor) -> BTreeSet<RuleKey> {
        let at = Apiservers {
            lo: minor,
            hi: minor.max(self.today.hi),
        };
        let mut holds = BTreeSet::new();
        // What is behind today stays behind: no node moves, and the newest apiserver only goes up.
        for rule in [RuleKey::KubeletCurrent, RuleKey::KubeProxyBehind] {
            if self
                .assessment
                .findings
                .iter()
                .any(|finding| finding.rule == rule)
            {
                holds.insert(rule);
            }
        }
        if self.is_stranded(Component::Kubelet, minor) {
            holds.insert(RuleKey::KubeletPostUpgrade);
        }
        if self.is_stranded(Component::KubeProxy, minor) {
            holds.insert(RuleKey::KubeProxyPostUpgrade);
        }
        if self.has_newer(Component::Kubelet, &self.kubelets, minor) {
            holds.insert(RuleKey::KubeletNewerThanApiserver);
        }
        if self.has_newer(Component::KubeProxy, &self.proxies, minor) {
            holds.insert(RuleKey::KubeProxyNewer);
        }
        // The managers follow the apiservers inside each hop, so none is behind after it; a newer one waits.
        for manager in Component::MANAGERS {
            let minors = self.instances(manager).filter_map(Instance::effective).collect();
            if self.has_newer(manager, &minors, minor) {
                holds.insert(RuleKey::ManagerNewer(manager));
            }
        }
        let binaries = self
            .instances(Component::KubeApiserver)
            .filter_map(|instance| instance.version.as_ref());
        if self.policy.is_spread(at.lo, at.hi)
            || rules::apiserver_ha_spread::is_spread_from(self.policy, binaries, minor)
        {
            holds.insert(RuleKey::ApiserverHaSpread);
        }
        let kubectl = self
            .inventory
            .kubectl
            .as_ref()
            .filter(|_| self.inventory.hosted.is_none());
        if kubectl.is_some_and(|own| rules::kubectl_client::is_outside(self.policy, own.minor(), at)) {
            holds.insert(RuleKey::KubectlClient);
        }
        holds
    }

    fn instances(&self, component: Component) -> impl Iterator<Item = &'a Instance> {
        let instances = self.inventory.instances.iter();
        instances.filter(move |instance| instance.component == component && instance.judged)
    }

    fn has_newer(&self, component: Component, minors: &BTreeSet<Minor>, lo: Minor) -> bool {
        let newest = minors.last();
        newest.is_some_and(|newest| self.policy.is_newer(component, *newest, lo))
    }

    /// Whether `--target` of that minor is a hop at all: below today's newest apiserver it is not.
    fn is_target(&self, minor: Minor) -> bool {
        minor >= self.today.hi
    }

    /// Whether the move to `minor` would leave any of the component too far behind.
    fn is_stranded(&self, component: Component, minor: Minor) -> bool {
        let minors = match component {
            Component::Kubelet => &self.kubelets,
            _ => &self.proxies,
        };
        self.is_target(minor)
            && minors
                .iter()
                .any(|own| self.policy.is_behind(component, *own, minor))
    }

    /// What `--target` of that minor would say.
    fn verdict(&self, minor: Minor) -> Verdict {
        let stranded =
            self.is_stranded(Component::Kubelet, minor) || self.is_stranded(Component::KubeProxy, minor);
        let blocked_today = self.assessment.findings.iter().any(|finding| {
            finding.severity == Severity::Blocker
                && !matches!(
                    finding.rule,
                    RuleKey::KubeletPostUpgrade | RuleKey::KubeProxyPostUpgrade
                )
        });
        let unread = self
            .assessment
            .gaps
            .iter()
            .any(|gap| gap.required && gap.capability() == Capability::Versions);
        if stranded || blocked_today {
            Verdict::Blocked
        } else if unread || !self.is_target(minor) {
            Verdict::Unknown
        } else {
            Verdict::Ready
        }
    }

    /// The nodes of the findings that forbid the move to `minor`.
    fn move_first(&self, column: usize, minor: Minor) -> Vec<String> {
        if !self.is_target(minor) {
            return Vec::new();
        }
        let nodes = self.inventory.nodes.iter().zip(&self.assessment.rows);
        let mut names: Vec<&str> = nodes
            .filter(|(_, row)| {
                row.hops
                    .get(column)
                    .is_some_and(|cell| cell.state == CellState::Behind)
            })
            .map(|(node, _)| node.name.as_str())
            .collect();
        names.extend(self.inventory.stray_proxies.iter().filter_map(|proxy| {
            let own = proxy.version.as_ref()?.minor();
            let is_behind = self.policy.is_behind(Component::KubeProxy, own, minor);
            proxy.node.as_deref().filter(|_| is_behind)
        }));
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }
}
