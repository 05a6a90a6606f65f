//! Which pod is a component's, which container tells its version, and which pods count.

use super::build::*;
use crate::inventory::ProxyUnit;
use crate::inventory::WhySetAside;
use crate::inventory::component::Component;
use crate::inventory::observed::{ContainerStatus, Owner};
use crate::inventory::version::Minor;

fn one_proxy(pod: crate::inventory::observed::ObservedPod) -> Vec<(String, Option<String>)> {
    let inventory = inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], vec![pod]));
    proxies(&inventory, "a")
}

#[test]
fn a_kube_proxy_is_found_however_its_platform_labels_it() {
    for (name, pod, want) in [
        (
            "kubeadm",
            proxy("p", "a", "registry.k8s.io/kube-proxy:v1.35.1"),
            "v1.35.1",
        ),
        (
            "GKE: a static pod by its component label",
            pod("kube-proxy-gke-a")
                .label("component", "kube-proxy")
                .on("a")
                .container("kube-proxy", "gke.gcr.io/kube-proxy-amd64:v1.30.5-gke.1014001"),
            "v1.30.5-gke.1014001",
        ),
        (
            "Gardener: role=proxy, a sidecar before it",
            pod("kube-proxy-pool1-v1.32.4-abcde")
                .label("app", "kubernetes")
                .label("role", "proxy")
                .on("a")
                .container("conntrack-fix", "x/alpine-conntrack:3.21.2")
                .container("kube-proxy", "registry.k8s.io/kube-proxy:v1.32.4"),
            "v1.32.4",
        ),
        (
            "ACK: label and container are named after the pool",
            pod("kube-proxy-worker-abcde")
                .label("k8s-app", "kube-proxy-worker")
                .on("a")
                .container(
                    "kube-proxy-worker",
                    "r.example:5000/acs/kube-proxy:v1.34.1-aliyun.1",
                ),
            "v1.34.1-aliyun.1",
        ),
        (
            "Windows",
            pod("kube-proxy-windows-abcde")
                .label("k8s-app", "kube-proxy-windows")
                .on("a")
                .container(
                    "kube-proxy",
                    "sigwindowstools/kube-proxy:v1.24.2-flannel-hostprocess",
                ),
            "v1.24.2-flannel-hostprocess",
        ),
        (
            "no label and no telling name: the image decides",
            pod("np-7xk")
                .on("a")
                .container("main", "linode/kube-proxy-amd64:v1.25.6"),
            "v1.25.6",
        ),
        (
            "RKE2: an image for all, the label tells",
            pod("kube-proxy-a")
                .label("component", "kube-proxy")
                .on("a")
                .container(
                    "kube-proxy",
                    "index.docker.io/rancher/hardened-kubernetes:v1.21.3-rke2r1-build20210721",
                ),
            "v1.21.3-rke2r1-build20210721",
        ),
        (
            "hyperkube: the container's name tells",
            pod("proxy-x")
                .on("a")
                .container("kube-proxy", "quay.io/coreos/hyperkube:v1.7.6_coreos.0"),
            "v1.7.6+coreos.0",
        ),
    ] {
        let found: Vec<_> = one_proxy(pod).into_iter().map(|(_, version)| version).collect();
        assert_eq!(found, [Some(want.to_owned())], "{name}");
    }
}

#[test]
fn look_alikes_are_no_component() {
    for (name, pod) in [
        (
            "another namespace",
            proxy("kube-proxy-x", "a", "registry.k8s.io/kube-proxy:v1.20.0").namespace("default"),
        ),
        (
            "another program called proxy",
            pod("kube-proxy-x").on("a").container("proxy", "nginx:1.25"),
        ),
        (
            "a role of its own",
            pod("squid-x")
                .label("app", "squid")
                .label("role", "proxy")
                .on("a")
                .container("squid", "squid:6.1"),
        ),
        (
            "a second scheduler on the image of the first",
            pod("user-scheduler-x")
                .label("component", "user-scheduler")
                .on("a")
                .container("kube-scheduler", "registry.k8s.io/kube-scheduler:v1.20.0"),
        ),
        (
            "a second scheduler of one's own",
            pod("my-scheduler-x")
                .label("component", "scheduler")
                .label("tier", "control-plane")
                .on("a")
                .container("kube-second-scheduler", "gcr.io/p/my-kube-scheduler:1.0"),
        ),
        (
            "scheduler-plugins beside the scheduler",
            pod("scheduler-plugins-scheduler-x")
                .label("component", "scheduler")
                .on("a")
                .container(
                    "scheduler-plugins-scheduler",
                    "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.20.0",
                ),
        ),
        (
            "an image for all under another container's name",
            pod("x").on("a").container("kubelet", "hyperkube:v1.15.0"),
        ),
    ] {
        let inventory = inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], vec![pod]));
        assert_eq!(proxies(&inventory, "a"), [], "{name}");
        assert_eq!(inventory.instances.len(), 1, "{name}: /version alone");
        assert_eq!(inventory.gaps, [], "{name}");
    }
}

#[test]
fn a_sidecar_never_tells_the_version() {
    let apiserver = pod("kube-apiserver-a")
        .label("k8s-app", "kube-apiserver")
        .on("a")
        .container(
            "healthcheck",
            "registry.k8s.io/kops/kube-apiserver-healthcheck:1.34.0-beta.1",
        )
        .container("kube-apiserver", "registry.k8s.io/kube-apiserver-arm64:v1.35.0");
    let inventory = inventory(cluster("v1.35.0", vec![node("a", "v1.35.0")], vec![apiserver]));
    assert_eq!(apiservers(&inventory), ["kube-apiserver-a v1.35.0 pod"]);
}

#[test]
fn scheduler_plugins_in_the_schedulers_place_count_by_their_own_rule() {
    let scheduler = pod("kube-scheduler-a")
        .label("component", "kube-scheduler")
        .on("a")
        .container(
            "kube-scheduler",
            "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.31.8",
        );
    let inventory = inventory(cluster("v1.31.8", vec![node("a", "v1.31.8")], vec![scheduler]));
    let schedulers = of(&inventory, Component::KubeScheduler);
    assert_eq!(schedulers[0].effective(), Some(Minor::new(31)));
    assert!(schedulers[0].judged);
}

#[test]
fn a_named_pod_on_the_components_image_needs_no_label() {
    let inventory = inventory(cluster(
        "v1.35.0",
        vec![node("a", "v1.35.0")],
        vec![
            pod("kube-controller-manager-a")
                .on("a")
                .container("kcm", "registry.k8s.io/kube-controller-manager:v1.34.2"),
        ],
    ));
    let managers = of(&inventory, Component::KubeControllerManager);
    assert_eq!(managers.len(), 1);
    assert_eq!(managers[0].effective(), Some(Minor::new(34)));
}

#[test]
fn two_live_kube_proxies_on_a_node_are_both_there() {
    let inventory = inventory(cluster(
        "v1.21.3",
        vec![node("a", "v1.21.3+rke2r1")],
        vec![
            proxy("b", "a", "rancher/hardened-kube-proxy:v1.21.2"),
            proxy("a", "a", "rancher/hardened-kubernetes:v1.21.3"),
        ],
    ));
    assert_eq!(
        proxies(&inventory, "a"),
        [
            ("a".to_owned(), Some("v1.21.3".to_owned())),
            ("b".to_owned(), Some("v1.21.2".to_owned())),
        ]
    );
}

#[test]
fn a_pod_being_deleted_counts_until_another_has_run_on_its_node() {
    let old = || proxy("old", "a", "x/kube-proxy:v1.35.0").deleting();
    let new = || proxy("new", "a", "x/kube-proxy:v1.36.0");
    let read = |pods| inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], pods));

    let replaced = read(vec![old(), new()]);
    assert_eq!(
        proxies(&replaced, "a"),
        [("new".to_owned(), Some("v1.36.0".to_owned()))]
    );
    assert_eq!(set_aside(&replaced), [("kube-system/old", WhySetAside::Replaced)]);

    let alone = read(vec![old()]);
    assert_eq!(
        proxies(&alone, "a"),
        [("old".to_owned(), Some("v1.35.0".to_owned()))]
    );

    let pulling = read(vec![old(), new().never_ran()]);
    assert_eq!(
        proxies(&pulling, "a"),
        [
            ("new".to_owned(), None),
            ("old".to_owned(), Some("v1.35.0".to_owned())),
        ],
        "the new one has not run yet"
    );

    let both = read(vec![old(), new().deleting()]);
    assert_eq!(proxies(&both, "a").len(), 2);

    let elsewhere = read(vec![old(), proxy("new", "b", "x/kube-proxy:v1.36.0")]);
    assert_eq!(proxies(&elsewhere, "a").len(), 1);
}

#[test]
fn ended_and_unscheduled_pods_do_not_count() {
    let inventory = inventory(cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0")],
        vec![
            proxy("evicted", "a", "x/kube-proxy:v1.30.0").phase("Failed"),
            proxy("done", "a", "x/kube-proxy:v1.30.0").phase("Succeeded"),
            proxy("live", "a", "x/kube-proxy:v1.36.0"),
            pod("waiting")
                .label("k8s-app", "kube-proxy")
                .container("kube-proxy", "x/kube-proxy:v1.27.1")
                .phase("Pending"),
        ],
    ));
    assert_eq!(
        proxies(&inventory, "a"),
        [("live".to_owned(), Some("v1.36.0".to_owned()))]
    );
    assert_eq!(
        set_aside(&inventory),
        [
            ("kube-system/done", WhySetAside::Ended),
            ("kube-system/evicted", WhySetAside::Ended),
            ("kube-system/waiting", WhySetAside::Unscheduled),
        ]
    );
    assert_eq!(inventory.gaps, []);
}

#[test]
fn what_shows_that_a_container_has_run_makes_its_pod_count() {
    let status = |change: fn(&mut ContainerStatus)| {
        let mut pod = proxy("p", "a", "x/kube-proxy:v1.35.0").never_ran();
        for status in pod.statuses.iter_mut().flatten() {
            change(status);
        }
        one_proxy(pod)[0].1.is_some()
    };
    assert!(!status(|_| {}), "pulling for the first time");
    assert!(status(|s| s.has_last_state = true), "crashed before");
    assert!(status(|s| s.restarts = 3), "restarted");
    assert!(status(|s| s.image_id = Some("x@sha256:ab".to_owned())), "pulled");
    assert!(status(|s| {
        s.waiting = false;
        s.running = true;
    }));

    let mut bare = proxy("p", "a", "x/kube-proxy:v1.35.0").phase("Pending");
    bare.statuses = None;
    assert_eq!(
        one_proxy(bare),
        [("p".to_owned(), None)],
        "pending without statuses"
    );
    let mut trimmed = proxy("p", "a", "x/kube-proxy:v1.35.0");
    trimmed.statuses = None;
    trimmed.phase = None;
    trimmed.has_status = false;
    assert_eq!(
        one_proxy(trimmed),
        [("p".to_owned(), Some("v1.35.0".to_owned()))],
        "a dump without statuses"
    );
}

#[test]
fn a_kube_proxy_moves_with_what_owns_it() {
    let unit = |pod| {
        let inventory = inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], vec![pod]));
        named(&inventory, "a").proxies[0].unit.clone()
    };
    let image = "x/kube-proxy:v1.36.0";
    assert_eq!(
        unit(proxy("p", "a", image)),
        ProxyUnit::Workload(Owner {
            kind: "DaemonSet".to_owned(),
            name: "kube-proxy".to_owned()
        })
    );
    assert_eq!(
        unit(proxy("p", "a", image).owned_by("Node", "a")),
        ProxyUnit::Static
    );
    let mut mirror = proxy("p", "a", image);
    mirror.meta.owner = None;
    assert_eq!(unit(mirror.clone()), ProxyUnit::Lone);
    mirror
        .meta
        .annotations
        .push(("kubernetes.io/config.mirror".to_owned(), "0".to_owned()));
    assert_eq!(unit(mirror), ProxyUnit::Static);
}

#[test]
fn a_kube_proxy_of_an_unlisted_node_is_stray() {
    let inventory = inventory(cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0")],
        vec![proxy("p", "gone", "x/kube-proxy:v1.33.0")],
    ));
    assert_eq!(proxies(&inventory, "a"), []);
    assert_eq!(inventory.stray_proxies.len(), 1);
    assert_eq!(inventory.stray_proxies[0].node.as_deref(), Some("gone"));
}

#[test]
fn pods_of_a_virtual_node_go_with_it() {
    let inventory = inventory(cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0"), node("v", "v1.19.10-vk-azure-aci-1.4.16")],
        vec![proxy("p", "v", "x/kube-proxy:latest")],
    ));
    assert_eq!(
        set_aside(&inventory),
        [("kube-system/p", WhySetAside::OnVirtualNode)]
    );
    assert_eq!(inventory.gaps, []);
}

#[test]
fn a_cloud_controller_manager_is_found_by_its_image_and_judged_where_it_follows_kubernetes() {
    let read = |pod| {
        let inventory = inventory(cluster("v1.31.0", vec![node("a", "v1.31.0")], vec![pod]));
        let clouds: Vec<_> = of(&inventory, Component::CloudControllerManager)
            .into_iter()
            .map(|instance| (instance.effective().map(Minor::number), instance.judged))
            .collect();
        (
            clouds,
            inventory.gaps.iter().map(|gap| gap.required).collect::<Vec<_>>(),
        )
    };
    let cloud = |image: &str| {
        pod("aws-cloud-controller-manager-x")
            .label("k8s-app", "aws-cloud-controller-manager")
            .on("a")
            .container("aws-cloud-controller-manager", image)
            .ran()
    };
    let follows = "registry.k8s.io/provider-aws/cloud-controller-manager";
    assert_eq!(
        read(cloud(&format!("{follows}:v1.30.2"))),
        (vec![(Some(30), true)], vec![])
    );
    assert_eq!(
        read(cloud(&format!("{follows}:latest"))),
        (vec![(None, false)], vec![false])
    );
    assert_eq!(
        read(cloud(&format!("{follows}:v1.30.2")).never_ran()),
        (vec![(None, false)], vec![false])
    );
    assert_eq!(
        read(cloud("hetznercloud/hcloud-cloud-controller-manager:v1.20.0")),
        (vec![(None, false)], vec![]),
        "its own numbering is no gap"
    );
}

#[test]
fn an_image_for_all_runs_what_the_pods_name_says_where_nothing_else_does() {
    let image = "rancher/hardened-kubernetes:v1.21.3-rke2r1";
    for (name, component) in [
        ("kube-apiserver-a", Component::KubeApiserver),
        ("kube-scheduler-a", Component::KubeScheduler),
    ] {
        let pod = pod(name).on("a").container("main", image);
        let read = inventory(cluster("", vec![node("a", "v1.21.3")], vec![pod]));
        let versions: Vec<_> = of(&read, component)
            .iter()
            .filter_map(|instance| instance.version.as_ref())
            .map(ToString::to_string)
            .collect();
        assert_eq!(versions, ["v1.21.3-rke2r1"], "{name}");
    }
}

#[test]
fn a_release_of_scheduler_plugins_itself_is_unread() {
    for image in [
        "registry.k8s.io/scheduler-plugins/kube-scheduler:v1.35.0",
        "mirror.example/k8s/scheduler-plugins/kube-scheduler:v1.35.0",
    ] {
        let mut scheduler = static_pod(Component::KubeScheduler, "a", "v1.36.0");
        scheduler.containers[0].image = Some(image.to_owned());
        let read = inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], vec![scheduler]));
        assert_eq!(of(&read, Component::KubeScheduler)[0].effective(), None);
        assert_eq!(required(&read)[0].component(), Some(Component::KubeScheduler));
    }
}
