//! From what was seen to what it means: every node and every component pod becomes a node, an instance, a
//! kube-proxy or a gap, or is set aside with the reason; every read that was refused, cut or empty becomes a gap
//! of the weight that the policy gives it.

use std::collections::{BTreeMap, BTreeSet};

use super::answers::{self, Answer};
use super::control_plane::{self, Sources};
use super::digest::Digests;
use super::leases::live_leases;
use super::operators::{self, OperatorVersion};
use super::pods::{self, Counting, Pods};
use super::{bound_nodes, nodes};
use crate::inventory::cluster::Inventory;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, GapReason};
use crate::inventory::gaps;
use crate::inventory::kube_proxy::KubeProxy;
use crate::inventory::namespace::{COMPONENT_NAMESPACE, is_evidence_of_reading, is_openshift_control_plane};
use crate::inventory::node::Node;
use crate::inventory::observed::{Listing, Observed, ObservedPod, Origin, non_empty};
use crate::inventory::platform;
use crate::inventory::unread::UnreadPod;

/// The options of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// `--pool-label`: the label whose value is a node's pool, before every platform's own.
    pub pool_label: Option<String>,
}

/// Reads an inventory out of what was seen. Total: whatever was seen, there is an inventory of it, and the order
/// in which it was seen plays no part.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what was seen of thousands of objects is given back once it is read"
)]
pub fn read(observed: Observed, options: &ReadOptions) -> Inventory {
    let hosted = non_empty(observed.hosted.as_deref());
    let mut nodes = match hosted {
        // The nodes that are listed are the hosting cluster's.
        Some(_) => Vec::new(),
        None => sorted_nodes(&observed, options),
    };
    let operators = match hosted {
        Some(_) => BTreeMap::new(),
        None => operators::operator_versions(observed.operators.items()),
    };
    let digests = Digests::of(observed.nodes.items());
    let pods = pods_of(&observed, &digests, &nodes, &operators);
    let given = non_empty(observed.told_version.as_deref());
    // With a hosted control plane `/version` is the hosting cluster's.
    let versions = match (hosted, given) {
        (None, None) => observed.versions.as_slice(),
        _ => &[],
    };
    let answers = answers::answers(versions, given);
    let running = match hosted {
        Some(_) => None,
        None => live_leases(observed.leases.items()),
    };
    let instances = control_plane::instances(&Sources {
        pods: &pods.counting,
        answers: &answers,
        running,
        nodes: &nodes,
        operators: &operators,
    });

    let adopted = control_plane::adopted(&pods.counting, &answers, running);
    let mut unread = unread_pods(&pods.counting, &answers, adopted);
    let stray_proxies = pair(&mut nodes, &pods);
    let answered = answers.iter().map(Answer::effective).collect();
    bound_nodes::settle(&mut nodes, &instances, answered);
    let server_version = given
        .map(str::to_owned)
        .or_else(|| answers.first().map(|answer| answer.version.raw().to_owned()))
        .or_else(|| versions.iter().map(|answer| answer.git_version.clone()).min());
    let seen = seen_platforms(&observed, hosted, &nodes, &pods, server_version.as_deref());
    let (distribution, platform) = (platform::distribution(&seen), platform::platform(&seen));
    unread.extend(only_ended(&nodes, pods.ended_proxies));
    unread.sort();

    let mut set_aside = pods.set_aside;
    set_aside.sort();
    let has_component_pod = !pods.counting.is_empty() || !set_aside.is_empty();
    let mut inventory = Inventory {
        origin: observed.origin,
        hosted: hosted.map(str::to_owned),
        server_version,
        instances,
        nodes,
        stray_proxies,
        gaps: Vec::new(),
        set_aside,
        unread,
        lacks_operators: operators.is_empty() && has_openshift_control_plane(&observed, hosted),
        running,
        connections: observed.connections,
        min_compatibility: answers::min_compatibility(versions),
        kubectl: observed.kubectl.as_deref().and_then(|raw| raw.parse().ok()),
        distribution,
        platform,
    };
    inventory.gaps = gaps_of_reading(&observed, has_component_pod, &operators);
    gaps::add_derived(&mut inventory);
    inventory
}

/// The nodes by name, and of one name by all else that they are.
fn sorted_nodes(observed: &Observed, options: &ReadOptions) -> Vec<Node> {
    let seen = observed.nodes.items().iter();
    let mut nodes: Vec<Node> = seen
        .map(|seen| nodes::node(seen, options.pool_label.as_deref()))
        .collect();
    nodes.sort_by(|a, b| {
        a.name
            .cmp(&b.name)
            .then_with(|| format!("{a:?}").cmp(&format!("{b:?}")))
    });
    nodes
}

/// What shows the platforms: with a hosted control plane its own pods alone.
fn seen_platforms<'a>(
    observed: &'a Observed,
    hosted: Option<&str>,
    nodes: &[Node],
    pods: &Pods<'a>,
    server: Option<&'a str>,
) -> platform::Seen<'a> {
    let own: BTreeSet<&str> = nodes
        .iter()
        .filter(|node| node.virtual_node.is_none())
        .map(|node| node.name.as_str())
        .collect();
    let seen = observed.nodes.items().iter();
    let mut nodes: Vec<_> = seen
        .filter(|node| hosted.is_none() && own.contains(node.meta.name.as_str()))
        .collect();
    nodes.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    let counting = pods.counting.iter();
    let mut apiservers: Vec<_> = counting
        .filter(|pod| pod.claim.component == Component::KubeApiserver)
        .map(|pod| pod.pod)
        .collect();
    apiservers.sort_by(|a, b| a.meta.name.cmp(&b.meta.name));
    platform::Seen {
        server,
        nodes,
        apiservers,
    }
}

/// The component pods whose version, or whose emulation, is unknown.
fn unread_pods(counting: &[Counting<'_>], answers: &[Answer], adopted: Option<&Answer>) -> Vec<UnreadPod> {
    let unread = |pod: &Counting<'_>| {
        let adopted = adopted.filter(|_| pod.claim.component == Component::KubeApiserver);
        match adopted {
            None if control_plane::is_emulation_reported(pod, answers) => None,
            None => pod.unread(),
            // The version of a single apiserver is known from `/version`; its flag may still be unread.
            Some(answer) if answer.reports_emulation => None,
            Some(_) => pod.unread_emulation(),
        }
    };
    counting.iter().filter_map(unread).collect()
}

/// Whether a dump holds the pods of OpenShift's control plane.
fn has_openshift_control_plane(observed: &Observed, hosted: Option<&str>) -> bool {
    let is_control_plane =
        |pod: &ObservedPod| is_openshift_control_plane(pod.meta.namespace.as_deref(), hosted);
    observed.origin == Origin::Files && observed.pods.items().iter().any(is_control_plane)
}

fn pods_of<'a>(
    observed: &'a Observed,
    digests: &Digests<'_>,
    nodes: &[Node],
    operators: &BTreeMap<Component, OperatorVersion>,
) -> Pods<'a> {
    let virtual_nodes = nodes
        .iter()
        .filter(|node| node.virtual_node.is_some())
        .map(|node| node.name.as_str())
        .collect();
    let reported = operators
        .iter()
        .filter(|(_, operator)| operator.version.is_some())
        .map(|(component, _)| *component)
        .collect();
    pods::pods(
        observed.pods.items(),
        non_empty(observed.hosted.as_deref()),
        digests,
        &virtual_nodes,
        &reported,
    )
}

/// Puts each kube-proxy on its node; gives back those whose node is not listed.
fn pair(nodes: &mut [Node], pods: &Pods<'_>) -> Vec<KubeProxy> {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        place.entry(node.name.clone()).or_insert(at);
    }
    let mut stray = Vec::new();
    for pod in &pods.counting {
        if pod.claim.component != Component::KubeProxy {
            continue;
        }
        match pod.node().and_then(|node| place.get(node)) {
            Some(at) => {
                // There is one on nearly every node; room for three more on each would be megabytes.
                nodes[*at].proxies.reserve_exact(1);
                nodes[*at].proxies.push(pod.kube_proxy());
            }
            None => stray.push(pod.kube_proxy()),
        }
    }
    let key = |proxy: &KubeProxy| {
        (
            proxy.pod.clone(),
            proxy.node.clone(),
            proxy.image.clone(),
            proxy.version.as_ref().map(|version| version.raw().to_owned()),
            proxy.unread,
            proxy.unit.clone(),
        )
    };
    for node in nodes {
        node.proxies.sort_by_cached_key(key);
    }
    stray.sort_by_cached_key(key);
    stray
}

/// The ended kube-proxies of nodes that have no others.
fn only_ended(nodes: &[Node], ended: Vec<UnreadPod>) -> impl Iterator<Item = UnreadPod> {
    let bare: BTreeSet<String> = nodes
        .iter()
        .filter(|node| node.proxies.is_empty())
        .map(|node| node.name.clone())
        .collect();
    ended
        .into_iter()
        .filter(move |pod| pod.node.as_ref().is_some_and(|node| bare.contains(node)))
}

/// The gaps that refused, cut, broken and empty reads leave.
fn gaps_of_reading(
    observed: &Observed,
    has_component_pod: bool,
    operators: &BTreeMap<Component, OperatorVersion>,
) -> Vec<Gap> {
    let hosted = non_empty(observed.hosted.as_deref());
    let namespace = || hosted.unwrap_or(COMPONENT_NAMESPACE).to_owned();
    let mut reasons: Vec<GapReason> = observed.unread().into_iter().map(GapReason::Read).collect();
    if hosted.is_some() {
        reasons.push(GapReason::HostedNodes);
        if !has_component_pod && matches!(observed.pods, Listing::Read { .. }) {
            reasons.push(GapReason::NoComponentPods {
                namespace: namespace(),
            });
        }
    } else {
        reasons.extend(has_no_nodes(&observed.nodes).then_some(GapReason::NoNodes));
        reasons.extend(
            operators
                .iter()
                .filter_map(|(component, operator)| operator_gap(*component, operator)),
        );
        let missing = operators::OPERATORS
            .into_iter()
            .filter(|component| !operators.is_empty() && !operators.contains_key(component));
        reasons.extend(missing.map(|component| GapReason::OperatorMissing { component }));
    }
    reasons.extend(has_no_pods(observed, hosted).then(|| GapReason::NoPods {
        namespace: namespace(),
    }));
    reasons.into_iter().map(Gap::of).collect()
}

fn has_no_nodes<T>(nodes: &Listing<T>) -> bool {
    match nodes {
        Listing::NotAsked => true,
        Listing::Failed(_) => false,
        Listing::Read {
            items, broken, cut, ..
        } => items.is_empty() && broken.is_empty() && cut.is_none(),
    }
}

fn has_no_pods(observed: &Observed, hosted: Option<&str>) -> bool {
    match &observed.pods {
        Listing::NotAsked => true,
        Listing::Failed(_) => false,
        // A live namespace without pods is a control plane that is hidden; a dump without them was taken without.
        Listing::Read { listed, items, .. } => {
            let apart = items
                .iter()
                .filter(|pod| !is_evidence_of_reading(non_empty(pod.meta.namespace.as_deref()), hosted));
            observed.origin == Origin::Files && hosted.is_none() && *listed <= apart.count()
        }
    }
}

/// What an operator leaves open. While it works, its version was true a moment ago; where it reports none, its
/// component is as unread as one whose pods show no version.
fn operator_gap(component: Component, operator: &OperatorVersion) -> Option<GapReason> {
    match (&operator.version, operator.is_progressing) {
        (None, _) => Some(GapReason::OperatorVersionMissing { component }),
        (Some(version), true) => Some(GapReason::OperatorProgressing {
            component,
            version: version.raw().to_owned(),
        }),
        (Some(_), false) => None,
    }
}
