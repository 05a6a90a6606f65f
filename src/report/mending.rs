//! Which steps of the plan mend a finding: those that upgrade what it names, until it would no longer be found.

use std::collections::{BTreeSet, HashMap};

use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::plan::steps::{Step, StepKind};
use crate::policy::evidence::{Behind, Evidence, Limit, Pair, Subject};
use crate::policy::skew_policy::Policy;

/// What the steps of a plan move, by node.
pub(super) struct Mending<'a> {
    steps: &'a [Step],
    kubelets: HashMap<&'a str, Vec<&'a Step>>,
    kube_proxies: HashMap<&'a str, Vec<&'a Step>>,
    inventory: &'a Inventory,
    policy: &'a Policy,
}

impl<'a> Mending<'a> {
    pub(super) fn new(steps: &'a [Step], inventory: &'a Inventory, policy: &'a Policy) -> Self {
        let mut kubelets: HashMap<&str, Vec<&Step>> = HashMap::new();
        let mut kube_proxies: HashMap<&str, Vec<&Step>> = HashMap::new();
        for step in steps {
            if matches!(step.kind, StepKind::Hop | StepKind::Kubelets) {
                for node in &step.nodes {
                    kubelets.entry(node).or_default().push(step);
                }
            }
            for node in &step.kube_proxy_of {
                kube_proxies.entry(node).or_default().push(step);
            }
        }
        Self {
            steps,
            kubelets,
            kube_proxies,
            inventory,
            policy,
        }
    }

    /// The numbers of the steps that mend what the evidence shows.
    pub(super) fn steps(&self, evidence: &Evidence) -> Vec<usize> {
        match evidence {
            Evidence::Behind(behind) if behind.component.is_manager() => self.managers(behind),
            Evidence::Behind(behind) => self.nodes(behind),
            Evidence::Newer(newer) => self.hops(newer.groups.last().map(|group| group.minor)),
            Evidence::Spread(spread) => {
                let allowed = match spread.limit {
                    Limit::Minors { allowed, .. } => allowed,
                    Limit::MinCompatibility { .. } => 0,
                };
                self.hops(Some(spread.newest.older_by(allowed)))
            }
            Evidence::Pair(apart) => self.pair(apart),
            Evidence::Client(_)
            | Evidence::Path(_)
            | Evidence::Runtime(_)
            | Evidence::UnreadableKubelets(_)
            | Evidence::VirtualNodes(_)
            | Evidence::WithoutKubeProxy(_)
            | Evidence::LeftBehind(_)
            | Evidence::UnknownNames(_)
            | Evidence::NoLegalPlan(_) => Vec::new(),
        }
    }

    fn moved(&self, component: Component, node: &str) -> &[&'a Step] {
        let moved = match component {
            Component::KubeProxy => &self.kube_proxies,
            _ => &self.kubelets,
        };
        moved.get(node).map_or(&[], Vec::as_slice)
    }

    fn nodes(&self, behind: &Behind) -> Vec<usize> {
        let mut numbers = BTreeSet::new();
        for group in &behind.groups {
            for node in group.subjects.iter().filter_map(Subject::node) {
                for step in self.moved(behind.component, node) {
                    numbers.insert(step.number);
                    if step.to >= group.within {
                        break;
                    }
                }
            }
        }
        numbers.into_iter().collect()
    }

    fn managers(&self, behind: &Behind) -> Vec<usize> {
        let within = behind.groups.iter().map(|group| group.within).max();
        let raises = |step: &&Step| {
            step.kind == StepKind::ControlPlane
                && step.component.is_none_or(|moved| moved == behind.component)
        };
        let raising = self.steps.iter().filter(raises);
        let numbers = until(raising, within);
        if numbers.is_empty() {
            self.hops(within)
        } else {
            numbers
        }
    }

    /// The hops until the oldest kube-apiserver is at `minor`.
    fn hops(&self, minor: Option<Minor>) -> Vec<usize> {
        let hops = self.steps.iter();
        until(
            hops.filter(|step| matches!(step.kind, StepKind::Hop | StepKind::Emulation)),
            minor,
        )
    }

    fn pair(&self, apart: &Pair) -> Vec<usize> {
        let nodes = &self.inventory.nodes;
        let found = nodes.binary_search_by(|node| node.name.cmp(&apart.node));
        let Some(node) = found.ok().and_then(|index| nodes.get(index)) else {
            return Vec::new();
        };
        let mut kubelet = apart.kubelet;
        let versions = node.proxies.iter().filter_map(|proxy| proxy.version.as_ref());
        let mut proxies: Vec<Minor> = versions.map(Version::minor).collect();
        let of_kubelet = self.moved(Component::Kubelet, &node.name);
        let of_proxies = self.moved(Component::KubeProxy, &node.name);
        let numbers: BTreeSet<usize> = of_kubelet
            .iter()
            .chain(of_proxies)
            .map(|step| step.number)
            .collect();
        let mut mending = Vec::new();
        for number in numbers {
            mending.push(number);
            if let Some(step) = of_kubelet.iter().find(|step| step.number == number) {
                kubelet = kubelet.max(step.to);
            }
            if let Some(step) = of_proxies.iter().find(|step| step.number == number) {
                for proxy in &mut proxies {
                    *proxy = step.to.max(*proxy);
                }
            }
            if !proxies
                .iter()
                .any(|proxy| self.policy.is_pair_apart(*proxy, kubelet))
            {
                break;
            }
        }
        mending
    }
}

/// The numbers of these steps until one reaches `minor`.
fn until<'a>(steps: impl Iterator<Item = &'a Step>, minor: Option<Minor>) -> Vec<usize> {
    let mut numbers = Vec::new();
    for step in steps {
        numbers.push(step.number);
        if minor.is_some_and(|minor| step.to >= minor) {
            break;
        }
    }
    numbers
}
