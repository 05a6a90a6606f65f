//! From what was seen to what it means: every node and every component pod becomes a node, an instance, a
//! kube-proxy or a gap, or is set aside with the reason; every read that was refused, cut or empty becomes a gap
//! of the weight that the policy gives it.

use std::collections::{BTreeMap, BTreeSet};

use super::component::Component;
use super::component_pod::{COMPONENT_NAMESPACE, is_openshift_control_plane, non_empty};
use super::control_plane::{self, Answer, OperatorWord, Sources};
use super::digest::Digests;
use super::gap::{Gap, Skipped};
use super::gaps::{self, quoted};
use super::observed::{Listing, Observed, ObservedPod, Origin};
use super::pods::{self, Counting, Pods};
use super::unread::UnreadPod;
use super::{Instance, InstanceSource, Inventory, KubeProxy, Node, binding, node, platform};

/// What a reading is told beside what was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// `--pool-label`: the label whose value is a node's pool, before every platform's own.
    pub pool_label: Option<String>,
}

/// Reads an inventory out of what was seen. Total: whatever was seen, there is an inventory of it, and the order
/// in which it was seen plays no part.
pub fn read(mut observed: Observed, options: &ReadOptions) -> Inventory {
    let hosted = non_empty(observed.hosted.as_deref());
    let mut nodes = match hosted {
        // The nodes that are listed are the hosting cluster's.
        Some(_) => Vec::new(),
        None => sorted_nodes(&observed, options),
    };
    let operators = match hosted {
        Some(_) => BTreeMap::new(),
        None => control_plane::operator_words(observed.operators.items()),
    };
    let digests = Digests::of(observed.nodes.items());
    let pods = pods_of(&observed, &digests, &nodes, &operators);
    let told = non_empty(observed.told_version.as_deref());
    // With a hosted control plane `/version` is the hosting cluster's.
    let versions = match (hosted, told) {
        (None, None) => observed.versions.as_slice(),
        _ => &[],
    };
    let answers = control_plane::answers(versions, told);
    let running = match hosted {
        Some(_) => None,
        None => control_plane::live_leases(observed.leases.items()),
    };
    let instances = control_plane::instances(&Sources {
        pods: &pods.counting,
        answers: &answers,
        running,
        nodes: &nodes,
        operators: &operators,
    });

    let mut unread = unread_pods(&pods.counting, &instances, &answers);
    let stray_proxies = pair(&mut nodes, &pods);
    binding::settle(&mut nodes, &instances, &answers);
    let server_version = told
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
        lacks_operators: lacks_operators(&observed, hosted),
        running,
        connections: observed.connections,
        min_compatibility: control_plane::min_compatibility(versions),
        kubectl: observed.kubectl.as_deref().and_then(|raw| raw.parse().ok()),
        distribution,
        platform,
    };
    inventory.gaps = std::mem::take(&mut observed.gaps);
    inventory
        .gaps
        .extend(gaps_of_reading(&observed, has_component_pod, &operators));
    for gap in &mut inventory.gaps {
        fill(gap, inventory.hosted.as_deref());
    }
    add_derived(&mut inventory);
    inventory
}

/// The nodes by name, and of one name by all else that they are.
fn sorted_nodes(observed: &Observed, options: &ReadOptions) -> Vec<Node> {
    let seen = observed.nodes.items().iter();
    let mut nodes: Vec<Node> = seen
        .map(|seen| node::node(seen, options.pool_label.as_deref()))
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

/// The component pods whose version, or whose emulation, nothing tells.
fn unread_pods(counting: &[Counting<'_>], instances: &[Instance], answers: &[Answer]) -> Vec<UnreadPod> {
    // A single apiserver that `/version` speaks for is read after all.
    let is_adopted = instances.iter().any(|instance| {
        instance.component == Component::KubeApiserver
            && instance.image.is_some()
            && instance.from != InstanceSource::Pod
    });
    counting
        .iter()
        .filter(|pod| !control_plane::is_emulation_told(pod, answers))
        .filter_map(Counting::unread)
        .filter(|pod| !(is_adopted && pod.component == Component::KubeApiserver))
        .collect()
}

/// Whether a dump holds the pods of OpenShift's control plane, and not the operators that tell its versions.
fn lacks_operators(observed: &Observed, hosted: Option<&str>) -> bool {
    let is_control_plane =
        |pod: &ObservedPod| is_openshift_control_plane(pod.meta.namespace.as_deref(), hosted);
    observed.origin == Origin::Files
        && observed.operators.items().is_empty()
        && observed.pods.items().iter().any(is_control_plane)
}

/// Adds the gaps that follow from the inventory as it stands, and sorts all: required first.
pub(super) fn add_derived(inventory: &mut Inventory) {
    // A `/version` that was not answered weighs as much as what it leaves unknown: where pods tell every
    // apiserver it is only said, and where nothing does it says so itself.
    let is_known = gaps::knows_server(inventory);
    let is_version = |gap: &Gap| gap.skipped.contains(&Skipped::Version);
    let is_said = inventory.gaps.iter().any(is_version);
    for gap in inventory.gaps.iter_mut().filter(|gap| is_version(gap)) {
        gap.required = !is_known;
    }
    let derived = gaps::derive(inventory);
    inventory
        .gaps
        .extend(derived.into_iter().filter(|gap| !(is_said && is_version(gap))));
    inventory
        .gaps
        .sort_by(|a, b| b.required.cmp(&a.required).then_with(|| a.cmp(b)));
    inventory.gaps.dedup();
}

fn pods_of<'a>(
    observed: &'a Observed,
    digests: &Digests<'_>,
    nodes: &[Node],
    operators: &BTreeMap<Component, OperatorWord>,
) -> Pods<'a> {
    let virtual_nodes = nodes
        .iter()
        .filter(|node| node.virtual_node.is_some())
        .map(|node| node.name.as_str())
        .collect();
    let tell = operators
        .iter()
        .filter(|(_, word)| word.version.is_some())
        .map(|(component, _)| *component)
        .collect();
    pods::pods(
        observed.pods.items(),
        non_empty(observed.hosted.as_deref()),
        digests,
        &virtual_nodes,
        &tell,
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
    operators: &BTreeMap<Component, OperatorWord>,
) -> Vec<Gap> {
    let hosted = non_empty(observed.hosted.as_deref());
    let mut gaps = Vec::new();
    if let Some(namespace) = hosted {
        gaps.push(hosted_nodes());
        if !has_component_pod && matches!(observed.pods, Listing::Read { .. }) {
            gaps.push(empty_namespace(namespace));
        }
    } else {
        gaps.extend(listing_gaps(&observed.nodes, Skipped::Nodes, true));
        gaps.extend(no_nodes(&observed.nodes));
        gaps.extend(listing_gaps(&observed.leases, Skipped::Leases, false));
        gaps.extend(listing_gaps(
            &observed.operators,
            Skipped::ClusterOperators,
            false,
        ));
        gaps.extend(
            operators
                .iter()
                .filter_map(|(component, word)| operator_gap(*component, word)),
        );
    }
    gaps.extend(listing_gaps(&observed.pods, Skipped::Pods, true));
    gaps.extend(no_pods(observed, hosted));
    gaps
}

/// What a listing that was refused, cut or partly broken says, at the weight of its kind.
fn listing_gaps<T>(listing: &Listing<T>, kind: Skipped, required: bool) -> Vec<Gap> {
    match listing {
        Listing::NotAsked => Vec::new(),
        Listing::Failed(gap) => {
            let mut gap = gap.clone();
            gap.required = required;
            if !gap.skipped.contains(&kind) {
                gap.skipped.push(kind);
            }
            if kind == Skipped::Nodes && !gap.reason.contains("kubelet skew was not assessed") {
                gap.reason.push_str(": kubelet skew was not assessed");
            }
            vec![gap]
        }
        Listing::Read { cut, broken, .. } => cut
            .iter()
            .chain(broken)
            .cloned()
            .map(|mut gap| {
                gap.required = required;
                gap
            })
            .collect(),
    }
}

fn no_nodes<T>(nodes: &Listing<T>) -> Option<Gap> {
    let is_none = match nodes {
        Listing::NotAsked => true,
        Listing::Failed(_) => false,
        Listing::Read {
            items, broken, cut, ..
        } => items.is_empty() && broken.is_empty() && cut.is_none(),
    };
    is_none.then(|| Gap {
        skipped: vec![Skipped::Nodes],
        ..Gap::versions(true, "no nodes are listed: kubelet skew was not assessed")
    })
}

fn no_pods(observed: &Observed, hosted: Option<&str>) -> Option<Gap> {
    let is_none = match &observed.pods {
        Listing::NotAsked => true,
        Listing::Failed(_) => false,
        // A live namespace without pods is a control plane that is hidden; a dump without them was taken without.
        Listing::Read { listed, items, .. } => {
            observed.origin == Origin::Files && hosted.is_none() && *listed == 0 && items.is_empty()
        }
    };
    let namespace = hosted.unwrap_or(COMPONENT_NAMESPACE);
    is_none.then(|| Gap {
        skipped: vec![Skipped::Pods],
        ..Gap::versions(
            true,
            format!(
                "there are no pods of namespace {namespace} to read: kube-proxy and control-plane skew were not assessed"
            ),
        )
    })
}

fn hosted_nodes() -> Gap {
    Gap {
        skipped: vec![Skipped::Nodes],
        verify: Some("kubectl --kubeconfig HOSTED-CLUSTER-KUBECONFIG get nodes -o wide".to_owned()),
        ..Gap::versions(
            true,
            "the nodes of a hosted control plane are seen from its own cluster only: kubelet skew was not assessed; run kubectl skew with the hosted cluster's own kubeconfig",
        )
    }
}

fn empty_namespace(namespace: &str) -> Gap {
    Gap {
        skipped: vec![Skipped::Pods],
        verify: Some(format!("kubectl -n {} get pods -o wide", quoted(namespace))),
        ..Gap::versions(
            true,
            format!(
                "namespace {namespace} holds no pod of a control-plane component; check the name given with -n"
            ),
        )
    }
}

/// What an operator leaves open. While it works, what it tells was true a moment ago; where it tells nothing, its
/// component is as unread as one whose pods show no version, but for the apiservers, which answer themselves.
fn operator_gap(component: Component, word: &OperatorWord) -> Option<Gap> {
    let is_unread = word.version.is_none() && component != Component::KubeApiserver;
    let reason = match (&word.version, word.is_progressing) {
        (None, _) => {
            format!("ClusterOperator {component} tells no Kubernetes version in an entry of its own name")
        }
        (Some(version), true) => format!(
            "ClusterOperator {component} is progressing, and the version it tells ({version}) changes last: newer instances may run"
        ),
        (Some(_), false) => return None,
    };
    Some(Gap {
        component: Some(component),
        objects: vec![format!("clusteroperator/{component}")],
        verify: Some(format!("kubectl get clusteroperator {component} -o yaml")),
        ..Gap::versions(is_unread, reason)
    })
}

/// The command that verifies by hand, where the collector gave none.
fn fill(gap: &mut Gap, hosted: Option<&str>) {
    gap.objects.sort();
    gap.skipped.sort();
    gap.skipped.dedup();
    if gap.verify.is_some() {
        return;
    }
    let namespace = quoted(hosted.unwrap_or(COMPONENT_NAMESPACE));
    gap.verify = gap.skipped.first().map(|kind| match kind {
        Skipped::Nodes => "kubectl get nodes -o wide".to_owned(),
        Skipped::Pods => format!("kubectl -n {namespace} get pods -o wide"),
        Skipped::Leases => format!(
            "kubectl -n {COMPONENT_NAMESPACE} get leases -l apiserver.kubernetes.io/identity=kube-apiserver"
        ),
        Skipped::Version => "kubectl version".to_owned(),
        Skipped::ClusterOperators => "kubectl get clusteroperators".to_owned(),
    });
}
