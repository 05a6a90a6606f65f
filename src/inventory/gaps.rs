//! The gaps that follow from an inventory as it stands: computed from it alone, so that an assumption or an
//! exclusion that changes it changes them too. Gaps that a refused or cut read left are `reading`'s.

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::Inventory;
use super::component::Component;
use super::gap::{Gap, GapReason};
use super::instance::{Instance, InstanceSource};
use super::namespace::COMPONENT_NAMESPACE;
use super::node::Node;
use super::read_gap::Resource;
use super::unread::{UnreadKind, UnreadPod, WhyUnread};

/// Adds the gaps that follow from the inventory as it stands, and sorts all: required first.
pub(super) fn add_derived(inventory: &mut Inventory) {
    // A `/version` that was not answered weighs as much as what it leaves unknown: where pods tell every
    // apiserver it is only said, and where nothing does it says so itself.
    let is_known = knows_server(inventory);
    let is_version = |gap: &Gap| gap.skipped() == Some(Resource::Version);
    let is_said = inventory.gaps.iter().any(is_version);
    for gap in inventory.gaps.iter_mut().filter(|gap| is_version(gap)) {
        gap.required = !is_known;
    }
    let derived = derive(inventory);
    inventory
        .gaps
        .extend(derived.into_iter().filter(|gap| !(is_said && is_version(gap))));
    let is_partial = inventory.has_any_version();
    for gap in &mut inventory.gaps {
        gap.partial = is_partial;
    }
    Gap::sort(&mut inventory.gaps);
    inventory.gaps.dedup();
}

/// Every gap that follows; callers sort.
pub(super) fn derive(inventory: &Inventory) -> Vec<Gap> {
    let mut reasons = Vec::new();
    reasons.extend(none_left_to_judge(inventory));
    reasons.extend(unread_kubelets(inventory));
    reasons.extend(unread_pods(inventory));
    reasons.extend(no_server_version(inventory));
    reasons.extend(too_few_apiservers(inventory));
    reasons.extend(absent_managers(inventory));
    reasons.into_iter().map(Gap::of).collect()
}

fn none_left_to_judge(inventory: &Inventory) -> Option<GapReason> {
    let is_none = !inventory.nodes.is_empty() && !inventory.nodes.iter().any(Node::is_judged);
    is_none.then(|| GapReason::NoNodeToJudge {
        excluded: inventory.nodes.iter().any(|node| node.excluded),
    })
}

fn unread_kubelets(inventory: &Inventory) -> Option<GapReason> {
    let nodes: Vec<(String, Option<String>)> = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged() && node.kubelet.version.is_none())
        .map(|node| (node.name.clone(), node.kubelet.raw.clone()))
        .collect();
    (!nodes.is_empty()).then_some(GapReason::KubeletsUnread { nodes })
}

/// One gap a component, weight and kind, with all its pods.
fn unread_pods(inventory: &Inventory) -> impl Iterator<Item = GapReason> {
    let out: BTreeSet<&str> = inventory
        .nodes
        .iter()
        .filter(|node| !node.is_judged())
        .map(|node| node.name.as_str())
        .collect();
    let mut groups: BTreeMap<(Component, bool, UnreadKind), Vec<UnreadPod>> = BTreeMap::new();
    for pod in &inventory.unread {
        // A control-plane component counts wherever it stands; a kube-proxy goes with its node.
        let goes_with_node = pod.component == Component::KubeProxy;
        if goes_with_node && pod.node.as_deref().is_some_and(|node| out.contains(node)) {
            continue;
        }
        groups
            .entry((pod.component, pod.required, pod.why.kind()))
            .or_default()
            .push(pod.clone());
    }
    groups.into_iter().map(|((component, _, kind), mut pods)| {
        pods.sort_by_cached_key(|pod| (pod.full_name(), pod.clone()));
        GapReason::PodsUnread {
            component,
            kind,
            pods,
        }
    })
}

fn apiservers(inventory: &Inventory) -> impl Iterator<Item = &Instance> {
    inventory
        .instances
        .iter()
        .filter(|instance| instance.component == Component::KubeApiserver)
}

/// Whether any kube-apiserver's version is known.
pub(super) fn knows_server(inventory: &Inventory) -> bool {
    apiservers(inventory).any(|instance| instance.effective().is_some())
}

fn no_server_version(inventory: &Inventory) -> Option<GapReason> {
    (!knows_server(inventory)).then(|| GapReason::NoServerVersion {
        reported: inventory.server_version.clone(),
        namespace: inventory.hosted.clone(),
    })
}

fn is_pod(instance: &Instance) -> bool {
    instance.from == InstanceSource::Pod || instance.image.is_some()
}

/// Leases say how many apiservers live; fewer seen than live is said.
fn too_few_apiservers(inventory: &Inventory) -> Option<GapReason> {
    let live = inventory.running.filter(|live| *live > 1)?;
    // An assumption speaks for all of them, and so does the ClusterOperator.
    let speaks_for_all = |instance: &Instance| {
        matches!(
            instance.from,
            InstanceSource::Assumed | InstanceSource::ClusterOperator
        )
    };
    if apiservers(inventory).any(speaks_for_all) {
        return None;
    }
    let of = |source| {
        apiservers(inventory)
            .filter(|instance| instance.from == source)
            .count()
    };
    let server_nodes = of(InstanceSource::ServerNode);
    let never_ran = inventory
        .unread
        .iter()
        .filter(|pod| pod.component == Component::KubeApiserver && pod.why == WhyUnread::NeverRan)
        .count();
    let pods = apiservers(inventory)
        .filter(|instance| is_pod(instance))
        .count()
        .saturating_sub(never_ran);
    let seen = if pods > 0 {
        pods + server_nodes
    } else {
        let answered = match inventory.connections {
            Some(connections) => connections.answered,
            None => of(InstanceSource::Version)
                .max(of(InstanceSource::Given))
                .max(usize::from(inventory.server_version.is_some())),
        };
        answered.max(server_nodes)
    };
    (seen < live).then_some(GapReason::FewerApiservers {
        live,
        seen,
        by_answers: pods == 0,
    })
}

/// Where apiservers are seen running, their controller-manager and scheduler should be too.
fn absent_managers(inventory: &Inventory) -> Vec<GapReason> {
    let is_seen = apiservers(inventory)
        .any(|instance| is_pod(instance) || instance.from == InstanceSource::ClusterOperator);
    if !is_seen && !inventory.lacks_operators {
        return Vec::new();
    }
    let is_there = |manager: Component| {
        inventory
            .instances
            .iter()
            .any(|instance| instance.component == manager)
    };
    // An operator that tells no version has a gap of its own, which says more.
    let is_said = |manager: Component| {
        inventory.gaps.iter().any(|gap| {
            matches!(
                &gap.reason,
                GapReason::OperatorVersionMissing { component } | GapReason::OperatorMissing { component }
                    if *component == manager
            )
        })
    };
    [Component::KubeControllerManager, Component::KubeScheduler]
        .into_iter()
        .filter(|manager| !is_there(*manager) && !is_said(*manager))
        .map(|component| {
            if inventory.lacks_operators {
                return GapReason::OperatorMissing { component };
            }
            let namespace = inventory.hosted.as_deref().unwrap_or(COMPONENT_NAMESPACE);
            GapReason::ManagerNotSeen {
                component,
                namespace: namespace.to_owned(),
            }
        })
        .collect()
}
