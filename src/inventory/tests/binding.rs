//! Control-plane nodes that move with their kube-apiserver, and those that only look so.

use super::build::{NodeWords as _, PodWords as _, cluster, inventory, named, node, proxy, static_pod};
use crate::inventory::Inventory;
use crate::inventory::assumption::assume;
use crate::inventory::binding::BindingKind;
use crate::inventory::component::Component;
use crate::inventory::observed::{Listing, ObservedNode, ObservedPod};
use crate::inventory::version::Minor;

const OWNER_KIND: &str = "cluster.x-k8s.io/owner-kind";
const GROUP: &str = "kops.k8s.io/instancegroup";

fn annotated(mut node: ObservedNode, key: &str, value: &str) -> ObservedNode {
    node.meta.annotations.push((key.to_owned(), value.to_owned()));
    node
}

fn not_ready(mut node: ObservedNode) -> ObservedNode {
    node.ready = Some("Unknown".to_owned());
    node
}

/// A kube-apiserver on a node, which its kubelet runs.
fn apiserver(node: &str, tag: &str) -> ObservedPod {
    static_pod(Component::KubeApiserver, node, tag)
}

/// The only node of a cluster at 1.36.4.
fn only(node: ObservedNode) -> Inventory {
    inventory(cluster("v1.36.4", vec![node], Vec::new()))
}

fn kind(inventory: &Inventory) -> Option<BindingKind> {
    inventory.nodes[0].binding.map(|binding| binding.kind)
}

#[test]
fn each_platform_marks_the_nodes_that_move_with_their_apiserver() {
    let plain = |version: &str| node("a", version);
    for (seen, want) in [
        (
            plain("v1.36.4+k3s1").role("control-plane"),
            BindingKind::OneBinary,
        ),
        (plain("v1.36.4+rke2r1").role("master"), BindingKind::OneBinary),
        (
            not_ready(plain("v1.36.4+k3s1").role("control-plane")),
            BindingKind::OneBinary,
        ),
        (
            plain("v1.36.4").labelled(
                "node.kubernetes.io/microk8s-controlplane",
                "microk8s-controlplane",
            ),
            BindingKind::OneBinary,
        ),
        (
            plain("v1.36.4+k0s").labelled("node.k0sproject.io/role", "control-plane"),
            BindingKind::OneBinary,
        ),
        (
            plain("v1.36.4")
                .labelled(GROUP, "control-plane-a")
                .role("control-plane"),
            BindingKind::KopsMachine,
        ),
        (
            annotated(plain("v1.36.4"), OWNER_KIND, "KubeadmControlPlane"),
            BindingKind::ClusterApiMachine,
        ),
    ] {
        let inventory = only(seen);
        assert_eq!(kind(&inventory), Some(want));
        assert!(inventory.nodes[0].is_bound(), "{want:?}");
    }
}

#[test]
fn other_nodes_of_the_same_platforms_move_like_any() {
    let plain = |version: &str| node("a", version);
    for seen in [
        plain("v1.36.4+k3s1"),
        plain("v1.36.4+k3s1").role("etcd"),
        plain("v1.36.4").role("control-plane"),
        plain("v1.36.4+k0s").role("control-plane"),
        plain("v1.36.4").labelled("node.k0sproject.io/role", "control-plane"),
        plain("v1.36.4+k0s").labelled("node.k0sproject.io/role", "worker"),
        plain("v1.36.4").labelled(GROUP, "nodes-a").role("node"),
        annotated(plain("v1.36.4"), OWNER_KIND, "MachineSet"),
        plain("v1.36.4+k3s1")
            .role("control-plane")
            .labelled("type", "virtual-kubelet"),
    ] {
        let inventory = only(seen);
        assert_eq!(kind(&inventory), None);
        assert!(!inventory.nodes[0].is_bound());
    }
}

/// A control-plane machine of kOps, whose kube-apiserver and kube-proxy are static pods.
fn machine(kubelet: &str, apiserver_tag: &str, proxy_tag: &str) -> Inventory {
    let machine = node("a", kubelet).labelled(GROUP, "cp").role("control-plane");
    let proxy = proxy(
        "kube-proxy-a",
        "a",
        &format!("registry.k8s.io/kube-proxy:{proxy_tag}"),
    );
    let pods = vec![apiserver("a", apiserver_tag), proxy.owned_by("Node", "a")];
    inventory(cluster("v1.36.4", vec![machine], pods))
}

#[test]
fn a_node_is_bound_while_kubelet_and_static_kube_proxy_run_the_minor_of_its_own_apiserver() {
    for (kubelet, apiserver, proxy, is_bound) in [
        ("v1.36.4", "v1.36.2", "v1.36.0", true),
        ("v1.35.4", "v1.35.2", "v1.35.0", true),
        ("v1.35.4", "v1.36.2", "v1.36.0", false),
        ("v1.36.4", "v1.36.2", "v1.35.0", false),
        ("v1.36.4", "v1.36.2", "latest", false),
        ("unknown", "v1.36.2", "v1.36.0", false),
    ] {
        let inventory = machine(kubelet, apiserver, proxy);
        assert_eq!(
            inventory.nodes[0].is_bound(),
            is_bound,
            "{kubelet} {apiserver} {proxy}"
        );
    }
}

#[test]
fn a_kube_proxy_of_a_daemon_set_does_not_matter() {
    let machine = node("a", "v1.36.4").labelled(GROUP, "cp").role("control-plane");
    let pods = vec![
        apiserver("a", "v1.36.4"),
        proxy("p", "a", "registry.k8s.io/kube-proxy:v1.35.0"),
    ];
    let inventory = inventory(cluster("v1.36.4", vec![machine], pods));
    assert!(inventory.nodes[0].is_bound());
}

#[test]
fn the_own_apiserver_counts_by_the_minor_it_emulates() {
    let machine = |kubelet: &str| {
        let machine = node("a", kubelet).labelled(GROUP, "cp").role("control-plane");
        let apiserver = apiserver("a", "v1.37.0").argument("--emulated-version=1.36");
        inventory(cluster("v1.37.0", vec![machine], vec![apiserver]))
    };
    assert!(machine("v1.36.4").nodes[0].is_bound());
    assert!(!machine("v1.37.0").nodes[0].is_bound());
}

#[test]
fn where_no_pod_shows_the_own_apiserver_version_tells_it() {
    let down = not_ready(node("down", "v1.35.4+k3s1").role("control-plane"));
    let up = node("up", "v1.36.4+k3s1").role("control-plane");
    let mut seen = cluster("v1.36.4+k3s1", vec![down, up], Vec::new());
    let read = inventory(seen.clone());
    assert_eq!(
        named(&read, "down").binding.and_then(|binding| binding.apiserver),
        Some(Minor::new(36))
    );
    assert!(!named(&read, "down").is_bound(), "it lags behind");
    // In the middle of an upgrade both minors answer.
    seen.versions.push(super::build::version("v1.35.4+k3s1"));
    assert!(named(&inventory(seen), "down").is_bound());
}

#[test]
fn without_any_version_the_servers_that_are_seen_stand_in() {
    let down = not_ready(node("down", "v1.36.4+k3s1").role("control-plane"));
    let up = node("up", "v1.36.4+k3s1").role("control-plane");
    let mut seen = cluster("", vec![down.clone(), up], Vec::new());
    seen.versions.clear();
    assert!(named(&inventory(seen), "down").is_bound());
    let mut alone = cluster("", vec![down], Vec::new());
    alone.versions.clear();
    assert!(!named(&inventory(alone), "down").is_bound());
}

#[test]
fn what_is_assumed_of_a_server_or_of_all_apiservers_moves_the_bond() {
    let server = node("a", "v1.36.4+k3s1").role("control-plane");
    let microk8s = node("b", "v1.36.4").labelled("node.kubernetes.io/microk8s-controlplane", "x");
    let read = inventory(cluster("v1.36.4+k3s1", vec![server, microk8s], Vec::new()));
    let bound = |assumption: &str| {
        let (inventory, _) = assume(read.clone(), &[assumption.parse().unwrap()]).unwrap();
        inventory
            .nodes
            .iter()
            .map(super::super::node::Node::is_bound)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        bound("node/a=1.35"),
        [true, true],
        "a server's apiserver is its kubelet's"
    );
    assert_eq!(bound("node/b=1.35"), [true, false], "the kubelet of b alone");
    assert_eq!(bound("kube-apiserver=1.37"), [false, false]);
}

#[test]
fn a_hosted_control_plane_has_no_nodes() {
    let server = node("a", "v1.36.4+k3s1").role("control-plane");
    let mut seen = cluster("v1.36.4", vec![server], Vec::new());
    seen.hosted = Some("tenant".to_owned());
    seen.nodes = Listing::whole(Vec::new());
    assert!(inventory(seen).nodes.is_empty());
}
