//! What is unread, how it weighs, and what the gap says.

use super::build::*;
use crate::inventory::Inventory;
use crate::inventory::Unread;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, GapReason};
use crate::inventory::observed::{Listing, ObservedPod};
use crate::inventory::unread::WhyUnread;

fn kubeadm_with(pods: Vec<ObservedPod>) -> Inventory {
    let control_plane = [
        Component::KubeApiserver,
        Component::KubeControllerManager,
        Component::KubeScheduler,
    ]
    .map(|component| static_pod(component, "a", "v1.36.0"));
    inventory(cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0"), node("b", "v1.36.0")],
        control_plane.into_iter().chain(pods).collect(),
    ))
}

/// Why each pod of a gap is unread.
fn whys(gap: &Gap) -> Vec<WhyUnread> {
    match &gap.reason {
        GapReason::PodsUnread { pods, .. } => pods.iter().map(|pod| pod.why).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_clean_cluster_has_no_gap() {
    let inventory = kubeadm_with(vec![proxy("p", "a", "registry.k8s.io/kube-proxy:v1.36.0")]);
    assert_eq!(inventory.gaps, []);
    assert_eq!(inventory.unread, []);
}

#[test]
fn an_image_named_like_the_component_must_tell_its_version() {
    for image in [
        "registry.k8s.io/kube-proxy:latest",
        "registry.k8s.io/kube-proxy",
        "registry.k8s.io/kube-proxy@sha256:ab",
        "registry.k8s.io/kube-proxy-amd64:v0.0.0-master",
        "rancher/hardened-kubernetes:dev",
        "k8s.gcr.io/hyperkube@sha256:ab",
    ] {
        let inventory = kubeadm_with(vec![proxy("p", "a", image)]);
        assert_eq!(inventory.gaps.len(), 1, "{image}");
        let gap = &inventory.gaps[0];
        assert!(gap.required, "{image}");
        assert!(gap.partial);
        assert_eq!(gap.component(), Some(Component::KubeProxy));
        assert_eq!(gap.objects(), ["pod/kube-system/p"]);
        assert_eq!(named(&inventory, "a").proxies[0].unread, Some(Unread::Required));
    }
}

#[test]
fn a_kube_proxy_on_a_vendors_image_is_said_and_weighs_nothing() {
    let oke = "iad.ocir.io/id9y6mi8tcky/oke-public-kube-proxy@sha256:1755";
    let by_role = pod("q")
        .label("role", "proxy")
        .on("b")
        .container("proxy", "vendor.example/net/proxy:7.2");
    let inventory = kubeadm_with(vec![proxy("p2", "a", oke), proxy("p1", "b", oke), by_role]);
    assert_eq!(inventory.gaps.len(), 1);
    let gap = &inventory.gaps[0];
    assert!(!gap.required);
    assert_eq!(
        gap.objects(),
        ["pod/kube-system/p1", "pod/kube-system/p2", "pod/kube-system/q"]
    );
    assert_eq!(
        whys(gap),
        [WhyUnread::ByDigest, WhyUnread::ByDigest, WhyUnread::OtherName]
    );
    assert_eq!(named(&inventory, "a").proxies[0].unread, Some(Unread::Optional));
    assert_eq!(named(&inventory, "a").proxies[0].version, None);
}

#[test]
fn an_unread_control_plane_component_is_required_whatever_its_image() {
    for image in [
        "vendor.example/ctl/manager:v1.36.0",
        "vendor.example/x@sha256:ab",
        "registry.k8s.io/kube-scheduler:latest",
    ] {
        let mut scheduler = static_pod(Component::KubeScheduler, "b", "x");
        scheduler.containers[0].image = Some(image.to_owned());
        let inventory = kubeadm_with(vec![scheduler]);
        assert_eq!(required(&inventory).len(), 1, "{image}");
        assert_eq!(inventory.gaps[0].component(), Some(Component::KubeScheduler));
        let unread = of(&inventory, Component::KubeScheduler)[1];
        assert_eq!((unread.version.as_ref(), unread.judged), (None, false));
    }
}

#[test]
fn one_gap_a_component_and_class() {
    let inventory = kubeadm_with(vec![
        proxy("required-1", "a", "registry.k8s.io/kube-proxy:latest"),
        proxy("required-2", "b", "registry.k8s.io/kube-proxy:edge"),
        proxy("optional-1", "a", "x/oke-public-kube-proxy@sha256:ab"),
        static_pod(Component::KubeScheduler, "b", "nightly"),
    ]);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| {
            (
                gap.component().map(Component::name),
                gap.required,
                gap.objects().len(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (Some("kube-scheduler"), true, 1),
            (Some("kube-proxy"), true, 2),
            (Some("kube-proxy"), false, 1),
        ]
    );
}

#[test]
fn a_digest_is_resolved_by_the_images_of_any_node() {
    let digest = "iad.ocir.io/x/oke-public-kube-proxy@sha256:1755";
    let read = |nodes| inventory(cluster("v1.33.0", nodes, vec![proxy("p", "a", digest)]));
    let knows = |name: &str, tag: &str| {
        node(name, "v1.33.0").with_image(&[digest, &format!("registry.k8s.io/kube-proxy:{tag}")])
    };
    let resolved = read(vec![node("a", "v1.33.0"), knows("b", "v1.32.5")]);
    assert_eq!(
        proxies(&resolved, "a"),
        [("p".to_owned(), Some("v1.32.5".to_owned()))]
    );
    assert_eq!(resolved.gaps, []);
    let disputed = read(vec![knows("a", "v1.31.0"), knows("b", "v1.32.5")]);
    assert_eq!(proxies(&disputed, "a"), [("p".to_owned(), None)]);
    assert_eq!(optional(&disputed).len(), 1);
}

#[test]
fn what_the_runtime_pulled_tells_where_the_tag_does_not() {
    let mut pod = proxy("p", "a", "registry.k8s.io/kube-proxy:latest");
    for status in pod.statuses.iter_mut().flatten() {
        status.image_id = Some("registry.k8s.io/kube-proxy@sha256:ab".to_owned());
    }
    let knows = node("a", "v1.33.0").with_image(&[
        "registry.k8s.io/kube-proxy@sha256:ab",
        "registry.k8s.io/kube-proxy:v1.33.1",
    ]);
    let inventory = inventory(cluster("v1.33.0", vec![knows], vec![pod]));
    assert_eq!(
        proxies(&inventory, "a"),
        [("p".to_owned(), Some("v1.33.1".to_owned()))]
    );
}

#[test]
fn what_has_never_run_tells_only_what_is_wanted() {
    let image = "registry.k8s.io/kube-proxy:v1.35.0";
    let inventory = kubeadm_with(vec![
        proxy("p", "a", image).never_ran(),
        proxy("q", "b", "registry.k8s.io/kube-proxy:latest").never_ran(),
        static_pod(Component::KubeControllerManager, "b", "v1.37.0").never_ran(),
    ]);
    assert_eq!(proxies(&inventory, "a"), [("p".to_owned(), None)]);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| {
            (
                gap.component().map(Component::name),
                gap.required,
                gap.objects().len(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (Some("kube-controller-manager"), true, 1),
            (Some("kube-proxy"), false, 2),
        ]
    );
    assert_eq!(whys(optional(&inventory)[0]), [WhyUnread::NeverRan; 2]);
}

#[test]
fn a_node_with_ended_kube_proxies_only_is_an_optional_gap() {
    let image = "gcr.io/google_containers/kube-proxy:v1.36.0";
    let ended = |name: &str, on: &str| proxy(name, on, image).phase("Failed");
    let inventory = kubeadm_with(vec![
        ended("evicted-a", "a"),
        ended("evicted-b", "b"),
        proxy("live-b", "b", image),
        ended("evicted-gone", "gone"),
    ]);
    assert_eq!(inventory.gaps.len(), 1);
    let gap = &inventory.gaps[0];
    assert!(!gap.required);
    assert_eq!(gap.objects(), ["pod/kube-system/evicted-a"]);
    assert_eq!(whys(gap), [WhyUnread::Ended]);
}

#[test]
fn an_unread_kubelet_is_a_required_gap_and_a_virtual_node_is_none() {
    let mut silent = node("silent", "");
    silent.kubelet_version = None;
    let inventory = inventory(cluster(
        "v1.36.0",
        vec![
            node("ok", "v1.36.0"),
            silent,
            node("hollow", "v0.0.0-master+a34f1e483104b"),
            node("kwok-node-0", "kwok-v0.7.0"),
            node("kwok-node-1", "kwok-v0.7.0").labelled("type", "virtual-kubelet"),
        ],
        Vec::new(),
    ));
    assert_eq!(inventory.gaps.len(), 1);
    let gap = &inventory.gaps[0];
    assert!(gap.required);
    assert_eq!(gap.component(), Some(Component::Kubelet));
    assert_eq!(gap.objects(), ["node/hollow", "node/kwok-node-0", "node/silent"]);
    let reported = |name: &str, raw: Option<&str>| (name.to_owned(), raw.map(str::to_owned));
    assert_eq!(
        gap.reason,
        GapReason::KubeletsUnread {
            nodes: vec![
                reported("hollow", Some("v0.0.0-master+a34f1e483104b")),
                reported("kwok-node-0", Some("kwok-v0.7.0")),
                reported("silent", None),
            ]
        }
    );
}

#[test]
fn apiservers_without_a_manager_are_an_optional_gap_each() {
    let apiserver = || static_pod(Component::KubeApiserver, "a", "v1.36.0");
    let read = |pods| inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], pods));
    let alone = read(vec![apiserver()]);
    let said: Vec<_> = alone
        .gaps
        .iter()
        .map(|gap| (gap.component(), gap.required))
        .collect();
    assert_eq!(
        said,
        [
            (Some(Component::KubeControllerManager), false),
            (Some(Component::KubeScheduler), false),
        ]
    );
    let ended = read(vec![
        apiserver(),
        static_pod(Component::KubeControllerManager, "a", "v1.36.0").phase("Failed"),
        static_pod(Component::KubeScheduler, "a", "v1.36.0"),
    ]);
    assert_eq!(ended.gaps.len(), 1);
    assert_eq!(read(Vec::new()).gaps, [], "a hidden control plane");
    assert_eq!(
        read(vec![proxy("p", "a", "x/kube-proxy:v1.36.0")]).gaps,
        [],
        "kube-proxies tell nothing of the control plane"
    );
}

#[test]
fn no_kube_proxy_anywhere_is_healthy() {
    let mut observed = cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0")],
        vec![pod("cilium-x").label("k8s-app", "cilium").on("a")],
    );
    observed.leases = Listing::NotAsked;
    assert_eq!(inventory(observed).gaps, []);
}
