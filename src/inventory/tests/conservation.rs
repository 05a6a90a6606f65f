//! Nothing that was read is lost, counted twice or dependent on the order in which it came.

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::sample::select;

use super::build::*;
use crate::inventory::component::Component;
use crate::inventory::component_pod::{claims, may_be_component};
use crate::inventory::gap::Gap;
use crate::inventory::observed::{
    ContainerStatus, Cut, Listing, Meta, Observed, ObservedContainer, ObservedLease, ObservedNode,
    ObservedPod, Origin, Owner, VersionAnswer,
};
use crate::inventory::read_gap::{ReadFault, Sample};
use crate::inventory::{InstanceSource, Inventory};

/// Component pods on the one side: each component of each pod.
fn claimed(observed: &Observed) -> usize {
    observed
        .pods
        .items()
        .iter()
        .map(|pod| claims(pod, observed.hosted.as_deref()).len())
        .sum()
}

/// On the other: instances told by a pod, kube-proxies, and pods set aside.
fn accounted(inventory: &Inventory) -> usize {
    let instances = inventory
        .instances
        .iter()
        .filter(|instance| instance.from == InstanceSource::Pod || instance.image.is_some())
        .count();
    let proxies: usize = inventory.nodes.iter().map(|node| node.proxies.len()).sum();
    instances + proxies + inventory.stray_proxies.len() + inventory.set_aside.len()
}

/// Whether each unread half is named by some gap.
fn unread_is_said(inventory: &Inventory) -> bool {
    let objects: Vec<String> = inventory.gaps.iter().flat_map(Gap::objects).collect();
    let is_named = |name: &str| objects.iter().any(|object| object.ends_with(name));
    let proxies = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged())
        .flat_map(|node| &node.proxies)
        .chain(&inventory.stray_proxies)
        .filter(|proxy| proxy.version.is_none())
        .all(|proxy| is_named(&proxy.pod));
    let kubelets = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged() && node.kubelet.version.is_none())
        .all(|node| is_named(&node.name));
    let instances = inventory
        .instances
        .iter()
        .filter(|instance| {
            instance.version.is_none() && instance.component != Component::CloudControllerManager
        })
        .all(|instance| is_named(&instance.name));
    proxies && kubelets && instances
}

#[test]
fn ended_pods_of_one_name_stand_in_one_order() {
    let ended =
        |node: &str| proxy("kube-proxy-x", node, "registry.k8s.io/kube-proxy:v1.35.0").phase("Failed");
    let read = |pods| inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], pods)).set_aside;
    let nodes = |pods| read(pods).into_iter().map(|pod| pod.node).collect::<Vec<_>>();
    let wanted = [Some("a".to_owned()), Some("b".to_owned())];
    assert_eq!(nodes(vec![ended("a"), ended("b")]), wanted);
    assert_eq!(nodes(vec![ended("b"), ended("a")]), wanted);
}

#[test]
fn a_mixed_cluster_loses_nothing() {
    let image = "registry.k8s.io/kube-proxy:v1.35.0";
    let observed = cluster(
        "v1.36.0",
        vec![
            node("a", "v1.36.0").role("control-plane"),
            node("b", "v1.35.0"),
            node("c", "garbage"),
            node("v", "v1.19.10-vk-azure-aci-1.4.16"),
        ],
        vec![
            static_pod(Component::KubeApiserver, "a", "v1.36.0"),
            static_pod(Component::KubeControllerManager, "a", "v1.36.0"),
            static_pod(Component::KubeScheduler, "a", "nightly"),
            proxy("one", "a", image),
            proxy("old", "b", image).deleting(),
            proxy("new", "b", image),
            proxy("evicted", "b", image).phase("Failed"),
            proxy("pulling", "c", image).never_ran(),
            proxy("lost", "gone", image),
            proxy("virtual", "v", image),
            pod("coredns-x").label("k8s-app", "kube-dns").on("a"),
        ],
    );
    assert_eq!(claimed(&observed), 10);
    let inventory = inventory(observed);
    assert_eq!(accounted(&inventory), 10);
    assert_eq!(inventory.nodes.len(), 4);
    assert_eq!(inventory.set_aside.len(), 3);
    assert!(unread_is_said(&inventory));
}

const NODES: [&str; 5] = ["a", "b", "c", "gone", ""];
const VERSIONS: [&str; 10] = [
    "v1.36.0",
    "v1.33.1+k3s1",
    "v1.32.0+rke2r1",
    "",
    "garbage",
    "v1.19.10-vk-azure-aci-1.4.16",
    "v2.5.21",
    "v1.99999999999999999999.0",
    "1.36",
    "é",
];
const IMAGES: [&str; 14] = [
    "registry.k8s.io/kube-proxy:v1.35.0",
    "registry.k8s.io/kube-proxy:latest",
    "registry.k8s.io/kube-proxy@sha256:ab",
    "x/oke-public-kube-proxy@sha256:ab",
    "registry.k8s.io/kube-apiserver:v1.36.0",
    "registry.k8s.io/kube-apiserver@sha256:ab",
    "registry.k8s.io/kube-controller-manager:v1.36.0",
    "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.31.8",
    "k8s.gcr.io/hyperkube:v1.15.1",
    "registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.0",
    "hetznercloud/hcloud-cloud-controller-manager:v1.20.0",
    "nginx",
    "",
    "@:/",
];
const LABELS: [(&str, &str); 10] = [
    ("component", "kube-apiserver"),
    ("component", "kube-scheduler"),
    ("k8s-app", "kube-proxy"),
    ("k8s-app", "kube-proxy-worker"),
    ("role", "proxy"),
    ("k8s-app", "kube-dns"),
    ("app", "kube-apiserver"),
    ("node-role.kubernetes.io/control-plane", ""),
    ("type", "virtual-kubelet"),
    ("agentpool", "web"),
];

fn labels() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(
        select(&LABELS[..]).prop_map(|(k, v)| (k.to_owned(), v.to_owned())),
        0..3,
    )
}

fn any_node() -> impl Strategy<Value = ObservedNode> {
    (
        select(&NODES[..]),
        prop::option::of(select(&VERSIONS[..])),
        prop::option::of(select(&["True", "False", ""][..])),
        labels(),
        prop::collection::vec(
            prop::collection::vec(select(&IMAGES[..]).prop_map(str::to_owned), 0..3),
            0..3,
        ),
    )
        .prop_map(|(name, version, ready, labels, images)| ObservedNode {
            meta: Meta {
                name: name.to_owned(),
                labels,
                ..Meta::default()
            },
            kubelet_version: version.map(str::to_owned),
            ready: ready.map(str::to_owned),
            images,
            ..ObservedNode::default()
        })
}

fn any_status() -> impl Strategy<Value = ContainerStatus> {
    (
        select(&["kube-proxy", "main"][..]),
        any::<[bool; 4]>(),
        0..2_u32,
        prop::option::of(select(&IMAGES[..])),
    )
        .prop_map(
            |(name, [waiting, running, terminated, has_last_state], restarts, id)| ContainerStatus {
                name: name.to_owned(),
                image: None,
                image_id: id.map(str::to_owned),
                restarts,
                waiting,
                running,
                terminated,
                has_last_state,
            },
        )
}

fn any_pod() -> impl Strategy<Value = ObservedPod> {
    let containers = prop::collection::vec(
        (
            select(&["kube-proxy", "kube-apiserver", "main"][..]),
            prop::option::of(select(&IMAGES[..])),
            prop::collection::vec(
                select(&["--emulated-version=1.35", "--emulated-version", "kube=1.35", "x"][..]),
                0..3,
            ),
        )
            .prop_map(|(name, image, arguments)| ObservedContainer {
                name: name.to_owned(),
                image: image.map(str::to_owned),
                arguments: arguments.into_iter().map(str::to_owned).collect(),
            }),
        0..3,
    );
    (
        "(kube-proxy|kube-apiserver|kube-scheduler|x)-[a-d]",
        select(
            &[
                "kube-system",
                "tenants",
                "openshift-kube-apiserver",
                "default",
                "",
            ][..],
        ),
        labels(),
        select(&NODES[..]),
        prop::option::of(select(&["Running", "Pending", "Failed", "Succeeded", ""][..])),
        containers,
        prop::option::of(prop::collection::vec(any_status(), 0..2)),
        any::<bool>(),
        prop::option::of(select(&["Node", "DaemonSet"][..])),
    )
        .prop_map(
            |(name, namespace, labels, on, phase, containers, statuses, deleting, owner)| ObservedPod {
                meta: Meta {
                    name,
                    namespace: Some(namespace.to_owned()),
                    labels,
                    deleting,
                    owner: owner.map(|kind| Owner {
                        kind: kind.to_owned(),
                        name: "o".to_owned(),
                    }),
                    ..Meta::default()
                },
                node: Some(on.to_owned()),
                has_status: phase.is_some() || statuses.is_some(),
                phase: phase.map(str::to_owned),
                containers,
                statuses,
            },
        )
}

fn listing<T: Clone + std::fmt::Debug + 'static>(
    items: impl Strategy<Value = T> + 'static,
    most: usize,
) -> impl Strategy<Value = Listing<T>> {
    prop_oneof![
        1 => Just(Listing::NotAsked),
        1 => Just(Listing::Failed(ReadFault::Cut)),
        8 => (prop::collection::vec(items, 0..most), any::<bool>()).prop_map(|(items, is_cut)| Listing::Read {
            listed: items.len(),
            items,
            cut: is_cut.then_some(Cut::Fault(ReadFault::Cut)),
            broken: Sample::default(),
        }),
    ]
}

fn any_answer() -> impl Strategy<Value = VersionAnswer> {
    let numbers = || prop::option::of((select(&["1", "2", ""][..]), select(&["36", "27+", "", "x"][..])));
    let owned = |pair: Option<(&str, &str)>| pair.map(|(a, b)| (a.to_owned(), b.to_owned()));
    (select(&VERSIONS[..]), numbers(), numbers()).prop_map(move |(git, emulation, floor)| VersionAnswer {
        git_version: git.to_owned(),
        emulation: owned(emulation),
        min_compatibility: owned(floor),
    })
}

fn any_lease() -> impl Strategy<Value = ObservedLease> {
    prop::option::of(select(&[i64::MIN, 0, 30, 61, 4_000][..])).prop_map(|second| ObservedLease {
        meta: Meta::default(),
        renewed: second.map(|s| Timestamp::from_second(s).unwrap_or(Timestamp::MIN)),
    })
}

fn any_observed() -> impl Strategy<Value = Observed> {
    (
        listing(any_node(), 5),
        listing(any_pod(), 9),
        prop::collection::vec(any_answer(), 0..3),
        listing(any_lease(), 4),
        prop::option::of(Just("tenants".to_owned())),
        prop::option::of(select(&VERSIONS[..]).prop_map(str::to_owned)),
        any::<bool>(),
    )
        .prop_map(
            |(nodes, pods, versions, leases, hosted, told_version, is_dump)| Observed {
                origin: if is_dump { Origin::Files } else { Origin::Live },
                hosted,
                versions,
                told_version,
                nodes,
                pods,
                leases,
                ..Observed::default()
            },
        )
}

fn reversed<T: Clone>(listing: &Listing<T>) -> Listing<T> {
    let mut listing = listing.clone();
    if let Listing::Read { items, .. } = &mut listing {
        items.reverse();
    }
    listing
}

proptest! {
    #[test]
    fn whatever_was_seen_is_accounted_for(observed in any_observed()) {
        let claimed = claimed(&observed);
        let nodes = if observed.hosted.is_some() { 0 } else { observed.nodes.items().len() };
        let inventory = inventory(observed);
        prop_assert_eq!(inventory.nodes.len(), nodes);
        prop_assert_eq!(accounted(&inventory), claimed);
        prop_assert!(unread_is_said(&inventory), "{:#?}", inventory);
    }

    #[test]
    fn the_order_in_which_it_came_plays_no_part(observed in any_observed()) {
        let mut other = observed.clone();
        other.nodes = reversed(&observed.nodes);
        other.pods = reversed(&observed.pods);
        other.leases = reversed(&observed.leases);
        other.versions.reverse();
        prop_assert_eq!(format!("{:?}", inventory(observed)), format!("{:?}", inventory(other)));
    }

    #[test]
    fn nothing_unseen_is_silent(observed in any_observed()) {
        let seen = observed.clone();
        let inventory = inventory(observed);
        let is_required = inventory.gaps.iter().any(|gap| gap.required);
        let is_whole = |is_cut: bool| !is_cut;
        let whole_nodes = match &seen.nodes {
            Listing::Read { items, cut, .. } => is_whole(cut.is_some()) && !items.is_empty(),
            Listing::NotAsked | Listing::Failed(_) => false,
        };
        let whole_pods = match &seen.pods {
            Listing::Read { cut, .. } => is_whole(cut.is_some()),
            Listing::NotAsked | Listing::Failed(_) => false,
        };
        let knows_server = inventory
            .instances
            .iter()
            .any(|instance| instance.component == Component::KubeApiserver && instance.version.is_some());
        prop_assert!(is_required || (whole_nodes && whole_pods && knows_server && seen.hosted.is_none()));
    }

    #[test]
    fn a_decoder_keeps_every_pod_that_is_a_component(pod in any_pod(), is_hosted in any::<bool>()) {
        let hosted = is_hosted.then_some("tenants");
        let images: Vec<&str> = pod.containers.iter().filter_map(|c| c.image.as_deref()).collect();
        let namespace = pod.meta.namespace.as_deref().filter(|n| !n.is_empty());
        let is_kept = may_be_component(namespace, &pod.meta.name, &pod.meta.labels, images.into_iter(), hosted);
        prop_assert!(is_kept || claims(&pod, hosted).is_empty());
    }
}
