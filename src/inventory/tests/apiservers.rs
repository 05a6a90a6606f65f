//! The apiservers: what tells each, how many there are, what they emulate.

use super::build::*;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, GapReason};
use crate::inventory::observed::{Connections, Listing, Observed, Origin};
use crate::inventory::read_gap::{Resource, Sample};

const APISERVER: Component = Component::KubeApiserver;

fn kubeadm(tags: &[&str]) -> Observed {
    let pods = tags
        .iter()
        .zip(["a", "b", "c"])
        .flat_map(|(tag, on)| {
            [
                static_pod(APISERVER, on, tag),
                static_pod(Component::KubeControllerManager, on, tag),
                static_pod(Component::KubeScheduler, on, tag),
            ]
        })
        .collect();
    cluster("v1.36.2", vec![node("a", "v1.36.2")], pods)
}

/// The gap about fewer kube-apiservers seen than live.
fn fewer(live: usize, seen: usize, by_answers: bool) -> Gap {
    Gap::new(
        false,
        GapReason::FewerApiservers {
            live,
            seen,
            by_answers,
        },
    )
}

#[test]
fn pods_and_version_are_one_where_they_agree_and_two_where_they_do_not() {
    let one = inventory(kubeadm(&["v1.36.2"]));
    assert_eq!(apiservers(&one), ["kube-apiserver-a v1.36.2 pod"]);
    assert_eq!(one.gaps, []);

    let moving = inventory(kubeadm(&["v1.37.0", "v1.36.2"]));
    assert_eq!(
        apiservers(&moving),
        ["kube-apiserver-a v1.37.0 pod", "kube-apiserver-b v1.36.2 pod"]
    );

    let unseen = inventory(kubeadm(&["v1.37.0", "v1.37.0"]));
    assert_eq!(
        apiservers(&unseen),
        [
            "kube-apiserver-a v1.37.0 pod",
            "kube-apiserver-b v1.37.0 pod",
            "v1.36.2 v1.36.2 version",
        ]
    );
    assert_eq!(unseen.server_version.as_deref(), Some("v1.36.2"));
}

#[test]
fn all_different_answers_count() {
    let mut observed = cluster("v1.37.0", vec![node("a", "v1.36.0")], Vec::new());
    observed.versions = vec![version("v1.37.0"), version("v1.36.4"), version("v1.37.0")];
    observed.leases = leases(3);
    observed.connections = Some(Connections {
        tried: 3,
        answered: 3,
    });
    let inventory = inventory(observed);
    assert_eq!(
        apiservers(&inventory),
        ["v1.36.4 v1.36.4 version", "v1.37.0 v1.37.0 version"]
    );
    assert_eq!(inventory.running, Some(3));
    assert_eq!(inventory.gaps, [], "hidden managers are no gap");
}

#[test]
fn fewer_answers_or_pods_than_live_leases_is_an_optional_gap() {
    let mut observed = cluster("v1.36.4", vec![node("a", "v1.36.0")], Vec::new());
    observed.leases = leases(3);
    observed.connections = Some(Connections {
        tried: 3,
        answered: 2,
    });
    let answers = inventory(observed.clone());
    assert_eq!(answers.gaps, [fewer(3, 2, true)]);

    observed.connections = None;
    observed.origin = Origin::Files;
    observed.pods = Listing::Read {
        items: Vec::new(),
        listed: 4,
        cut: None,
        broken: Sample::default(),
    };
    assert_eq!(
        inventory(observed).gaps,
        [fewer(3, 1, true)],
        "a dump holds one answer"
    );

    let mut pods = kubeadm(&["v1.36.2"]);
    pods.leases = leases(2);
    assert_eq!(inventory(pods).gaps, [fewer(2, 1, false)]);

    let mut joined = kubeadm(&["v1.36.2"]);
    if let Listing::Read { items, .. } = &mut joined.nodes {
        items.push(node("s", "v1.36.2+k3s1").role("control-plane"));
    }
    joined.leases = leases(2);
    assert_eq!(inventory(joined).gaps, [], "a pod and a server node are two");

    let mut whole = kubeadm(&["v1.36.2", "v1.36.2"]);
    whole.leases = leases(2);
    assert_eq!(inventory(whole).gaps, []);
}

#[test]
fn stale_leases_and_none_at_all_are_no_gap() {
    let mut observed = cluster("v1.36.4", vec![node("a", "v1.36.0")], Vec::new());
    assert_eq!(inventory(observed.clone()).running, None);
    observed.leases = Listing::whole(vec![
        lease("new", "2026-01-01T01:00:00Z"),
        lease("stale", "2026-01-01T00:58:00Z"),
    ]);
    let inventory = inventory(observed);
    assert_eq!(inventory.running, Some(1));
    assert_eq!(inventory.gaps, []);
}

#[test]
fn what_the_user_tells_takes_the_place_of_version_and_pods_still_count() {
    let mut observed = kubeadm(&["v1.36.2"]);
    observed.versions = vec![emulating("v1.30.0", "29", "28")];
    observed.told_version = Some("v1.37.0".to_owned());
    let told = inventory(observed.clone());
    assert_eq!(
        apiservers(&told),
        ["kube-apiserver-a v1.36.2 pod", "v1.37.0 v1.37.0 told"]
    );
    assert_eq!(told.server_version.as_deref(), Some("v1.37.0"));
    assert_eq!(told.min_compatibility, None);
    observed.told_version = Some("1.36".to_owned());
    assert_eq!(
        apiservers(&inventory(observed)),
        ["kube-apiserver-a v1.36.2 pod"],
        "a bare minor stands for every patch of it"
    );
}

#[test]
fn a_single_unread_apiserver_is_what_version_says() {
    let by_digest = |on: &str| {
        let mut pod = static_pod(APISERVER, on, "x");
        pod.containers[0].image = Some("registry.k8s.io/kube-apiserver@sha256:ab".to_owned());
        pod
    };
    let managers = || {
        vec![
            static_pod(Component::KubeControllerManager, "a", "v1.36.2"),
            static_pod(Component::KubeScheduler, "a", "v1.36.2"),
        ]
    };
    let read = |apiservers: Vec<_>, live: usize| {
        let mut observed = cluster("v1.36.2", vec![node("a", "v1.36.2")], managers());
        if let Listing::Read { items, .. } = &mut observed.pods {
            items.extend(apiservers);
        }
        observed.leases = leases(live);
        inventory(observed)
    };
    for live in [0, 1] {
        let single = read(vec![by_digest("a")], live);
        assert_eq!(apiservers(&single), ["kube-apiserver-a v1.36.2 version"]);
        assert_eq!(single.gaps, []);
    }
    let several_live = read(vec![by_digest("a")], 2);
    assert_eq!(required(&several_live).len(), 1);
    let two = read(vec![by_digest("a"), by_digest("b")], 0);
    assert_eq!(required(&two)[0].objects().len(), 2);
    assert_eq!(
        apiservers(&two),
        [
            "kube-apiserver-a ? pod",
            "kube-apiserver-b ? pod",
            "v1.36.2 v1.36.2 version",
        ]
    );
    let waiting = read(vec![by_digest("a").never_ran()], 0);
    assert_eq!(required(&waiting).len(), 1, "what has never run answers nobody");
}

#[test]
fn server_nodes_of_k3s_run_an_apiserver_of_their_kubelets_version() {
    let server = |name: &str, version: &str| node(name, version).role("control-plane");
    let mut down = server("server-4", "v1.20.0+k3s1");
    down.ready = Some("Unknown".to_owned());
    let nodes = vec![
        server("server-1", "v1.26.13+k3s1"),
        server("server-2", "v1.23.17+k3s1"),
        node("etcd-1", "v1.22.0+k3s1").role("etcd"),
        node("agent-1", "v1.23.17+k3s1"),
        down,
    ];
    let mut observed = cluster("v1.26.13+k3s1", nodes, Vec::new());
    let known = inventory(observed.clone());
    let want = [
        "server-1 v1.26.13+k3s1 serverNode",
        "server-2 v1.23.17+k3s1 serverNode",
    ];
    assert_eq!(apiservers(&known), want);
    observed.versions.clear();
    let alone = inventory(observed);
    assert_eq!(apiservers(&alone), want);
    assert_eq!(alone.gaps, [], "they tell the server version");
}

#[test]
fn an_apiserver_pod_on_an_rke2_node_speaks_for_it() {
    let observed = cluster(
        "v1.32.3+rke2r1",
        vec![
            node("a", "v1.32.3+rke2r1").role("control-plane"),
            node("b", "v1.31.7+rke2r1").role("control-plane"),
        ],
        vec![static_pod(APISERVER, "a", "v1.32.3-rke2r1-build20250312")],
    );
    assert_eq!(
        apiservers(&inventory(observed)),
        [
            "b v1.31.7+rke2r1 serverNode",
            "kube-apiserver-a v1.32.3-rke2r1-build20250312 pod",
        ]
    );
}

#[test]
fn nowhere_else_does_a_node_tell_an_apiserver() {
    let mut observed = cluster("", vec![node("a", "v1.18.8").role("master")], Vec::new());
    observed.versions.clear();
    let inventory = inventory(observed);
    assert_eq!(apiservers(&inventory), Vec::<String>::new());
    let gaps = required(&inventory);
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0].skipped(), Some(Resource::Version));
}

#[test]
fn other_clusters_control_planes_are_ignored_until_asked_for() {
    let hosted_pod = |component: Component, tag: &str| {
        let name = component.name();
        pod(&format!("{name}-5fcb7f4bff-abcde"))
            .namespace("shoot--example--ha")
            .label("app", "kubernetes")
            .on("seed-1")
            .container(name, &format!("k8s.gcr.io/{name}:{tag}"))
            .argument("--v=2")
            .ran()
    };
    let pods = vec![
        hosted_pod(APISERVER, "v1.21.10"),
        hosted_pod(Component::KubeControllerManager, "v1.21.10"),
        hosted_pod(Component::KubeScheduler, "v1.21.10"),
    ];
    let mut observed = cluster("v1.24.3", vec![node("seed-1", "v1.24.3")], pods);
    let seed = inventory(observed.clone());
    assert_eq!(apiservers(&seed), ["v1.24.3 v1.24.3 version"]);
    assert_eq!(seed.gaps, []);

    observed.hosted = Some("shoot--example--ha".to_owned());
    observed.leases = leases(3);
    let hosted = inventory(observed.clone());
    assert_eq!(
        apiservers(&hosted),
        ["kube-apiserver-5fcb7f4bff-abcde v1.21.10 pod"]
    );
    assert_eq!(hosted.nodes, []);
    assert_eq!(hosted.running, None);
    assert_eq!(required(&hosted).len(), 1);
    assert_eq!(required(&hosted)[0].skipped(), Some(Resource::Nodes));
    assert_eq!(required(&hosted)[0].reason, GapReason::HostedNodes);

    observed.hosted = Some("shoot--example--typo".to_owned());
    let typo = inventory(observed);
    let said = GapReason::NoComponentPods {
        namespace: "shoot--example--typo".to_owned(),
    };
    assert!(required(&typo).iter().any(|gap| gap.reason == said));
    assert!(typo.instances.is_empty());
}

#[test]
fn a_hosted_control_plane_in_one_pod_is_several_instances() {
    let mut observed = cluster(
        "v1.36.0",
        Vec::new(),
        vec![
            pod("tenant-7d4f")
                .namespace("tenants")
                .container("kube-apiserver", "registry.k8s.io/kube-apiserver:v1.33.0")
                .container("kube-scheduler", "registry.k8s.io/kube-scheduler:v1.33.0")
                .container("kube-controller-manager", "x/release@sha256:ab")
                .ran(),
            pod("kube-controller-manager-1")
                .namespace("tenants")
                .container("kube-controller-manager", "x/release@sha256:ab")
                .ran(),
        ],
    );
    observed.hosted = Some("tenants".to_owned());
    let inventory = inventory(observed);
    assert_eq!(apiservers(&inventory), ["tenant-7d4f v1.33.0 pod"]);
    assert_eq!(of(&inventory, Component::KubeScheduler).len(), 1);
    let unread: Vec<_> = required(&inventory)
        .iter()
        .filter_map(|gap| gap.component())
        .collect();
    assert_eq!(
        unread,
        [Component::KubeControllerManager],
        "by digest is not silence"
    );
}

#[test]
fn kube_proxies_beside_a_hosted_control_plane_are_ignored() {
    let kube_proxy =
        proxy("kube-proxy-x", "seed-1", "registry.k8s.io/kube-proxy:v1.20.0").namespace("tenants");
    let apiserver = static_pod(APISERVER, "seed-1", "v1.33.0").namespace("tenants");
    let read = |pods| {
        let mut observed = cluster("v1.36.0", Vec::new(), pods);
        observed.hosted = Some("tenants".to_owned());
        inventory(observed)
    };
    let beside = read(vec![apiserver, kube_proxy.clone()]);
    assert_eq!(beside.stray_proxies, []);
    assert_eq!(apiservers(&beside), ["kube-apiserver-seed-1 v1.33.0 pod"]);
    let said = GapReason::NoComponentPods {
        namespace: "tenants".to_owned(),
    };
    let alone = read(vec![kube_proxy]);
    assert!(
        alone.gaps.iter().any(|gap| gap.reason == said),
        "{:?}",
        alone.gaps
    );
}

#[test]
fn a_digest_of_a_hosted_control_plane_may_be_known_to_the_hosting_nodes() {
    let mut apiserver = static_pod(APISERVER, "seed-1", "v1").namespace("tenants");
    apiserver.containers[0].image = Some("r.io/kube-apiserver@sha256:ab".to_owned());
    let seed = node("seed-1", "v1.36.0")
        .with_image(&["r.io/kube-apiserver@sha256:ab", "r.io/kube-apiserver:v1.33.1"]);
    let mut observed = cluster("v1.36.0", vec![seed], vec![apiserver]);
    observed.hosted = Some("tenants".to_owned());
    assert_eq!(
        apiservers(&inventory(observed)),
        ["kube-apiserver-seed-1 v1.33.1 pod"]
    );
}
