//! Which steps of the plan mend a finding: those that upgrade what it names, until it would no longer be found.

use std::collections::BTreeMap;

use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::plan::steps::{Step, StepKind};
use crate::policy::evidence::{Behind, Evidence, Limit, Pair, Subject};
use crate::policy::finding::Finding;
use crate::policy::skew_policy::Policy;

/// The numbers of those steps, from 1.
pub(super) fn steps(finding: &Finding, steps: &[Step], inventory: &Inventory, policy: &Policy) -> Vec<usize> {
    match &finding.evidence {
        Evidence::Behind(behind) if behind.component.is_manager() => managers(behind, steps),
        Evidence::Behind(behind) => nodes(behind, steps),
        Evidence::Newer(newer) => hops(steps, newer.groups.last().map(|group| group.minor)),
        Evidence::Spread(spread) => {
            let allowed = match spread.limit {
                Limit::Minors { allowed, .. } => allowed,
                Limit::MinCompatibility { .. } => 0,
            };
            hops(steps, Some(spread.newest.older_by(allowed)))
        }
        Evidence::Pair(apart) => pair(apart, steps, inventory, policy),
        Evidence::Client(_)
        | Evidence::Path(_)
        | Evidence::Runtime(_)
        | Evidence::UnreadableKubelets(_)
        | Evidence::VirtualNodes(_)
        | Evidence::WithoutKubeProxy(_)
        | Evidence::LeftBehind(_)
        | Evidence::UnknownNames(_)
        | Evidence::NoPlan(_) => Vec::new(),
    }
}

/// The nodes on which a step moves that component, sorted.
fn moved(step: &Step, component: Component) -> &[String] {
    match (component, step.kind) {
        (Component::KubeProxy, _) => &step.kube_proxy_of,
        (_, StepKind::Hop | StepKind::Kubelets) => &step.nodes,
        (_, StepKind::KubeProxy | StepKind::ControlPlane | StepKind::Emulation) => &[],
    }
}

fn nodes(behind: &Behind, steps: &[Step]) -> Vec<usize> {
    let mut missing: BTreeMap<&str, Minor> = BTreeMap::new();
    for group in &behind.groups {
        for node in group.subjects.iter().filter_map(Subject::node) {
            let within = missing.entry(node).or_insert(group.within);
            *within = group.within.max(*within);
        }
    }
    let mut numbers = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let before = missing.len();
        let mut is_moved = false;
        for node in moved(step, behind.component) {
            if let Some(within) = missing.get(node.as_str()) {
                is_moved = true;
                if step.to >= *within {
                    missing.remove(node.as_str());
                }
            }
        }
        if is_moved {
            numbers.push(number);
        }
        if before > 0 && missing.is_empty() {
            break;
        }
    }
    numbers
}

fn managers(behind: &Behind, steps: &[Step]) -> Vec<usize> {
    let within = behind.groups.iter().map(|group| group.within).max();
    let raises = |step: &Step| {
        step.kind == StepKind::ControlPlane && step.component.is_none_or(|moved| moved == behind.component)
    };
    let mut numbers = Vec::new();
    for (number, step) in (1..).zip(steps).filter(|(_, step)| raises(step)) {
        numbers.push(number);
        if within.is_some_and(|within| step.to >= within) {
            return numbers;
        }
    }
    if numbers.is_empty() {
        hops(steps, within)
    } else {
        numbers
    }
}

/// The hops until the oldest kube-apiserver is at `minor`.
fn hops(steps: &[Step], minor: Option<Minor>) -> Vec<usize> {
    let Some(minor) = minor else {
        return Vec::new();
    };
    let mut numbers = Vec::new();
    for (number, step) in (1..).zip(steps) {
        if matches!(step.kind, StepKind::Hop | StepKind::Emulation) {
            numbers.push(number);
            if step.to >= minor {
                break;
            }
        }
    }
    numbers
}

fn pair(apart: &Pair, steps: &[Step], inventory: &Inventory, policy: &Policy) -> Vec<usize> {
    let found = inventory
        .nodes
        .binary_search_by(|node| node.name.cmp(&apart.node));
    let Some(node) = found.ok().and_then(|index| inventory.nodes.get(index)) else {
        return Vec::new();
    };
    let moves = |step: &Step, component| moved(step, component).binary_search(&node.name).is_ok();
    let mut kubelet = apart.kubelet;
    let versions = node.proxies.iter().filter_map(|proxy| proxy.version.as_ref());
    let mut proxies: Vec<Minor> = versions.map(Version::minor).collect();
    let mut numbers = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let (moves_kubelet, moves_proxy) =
            (moves(step, Component::Kubelet), moves(step, Component::KubeProxy));
        if !moves_kubelet && !moves_proxy {
            continue;
        }
        numbers.push(number);
        if moves_kubelet {
            kubelet = kubelet.max(step.to);
        }
        if moves_proxy {
            proxies.iter_mut().for_each(|minor| *minor = step.to.max(*minor));
        }
        if proxies.iter().all(|proxy| !policy.is_pair_apart(*proxy, kubelet)) {
            break;
        }
    }
    numbers
}
