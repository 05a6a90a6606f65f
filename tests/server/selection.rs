//! A kube-system of more than one page on a real kube-apiserver: the pods that are selected are those that the whole
//! list gives, over random namespaces.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use crate::control_planes::SINGLE;
use crate::support::control_plane::Scenario;
use crate::support::objects::{Object, grant, kube_proxy, node, pod};
use crate::support::outcome::Program;

/// How a workload names its pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    DaemonSet,
    Deployment,
    StatefulSet,
    Static,
    Bare,
}

#[derive(Clone, Debug)]
struct Workload {
    kind: Kind,
    name: &'static str,
    label: Option<(&'static str, &'static str)>,
    image: &'static str,
    /// Of a component another version: a roll is under way.
    rolled: &'static str,
    pods: usize,
}

const KINDS: [Kind; 5] = [
    Kind::DaemonSet,
    Kind::Deployment,
    Kind::StatefulSet,
    Kind::Static,
    Kind::Bare,
];

const NODES: usize = 12;

const IMAGES: [(&str, &str); 8] = [
    (
        "registry.k8s.io/kube-proxy:v1.36.1",
        "registry.k8s.io/kube-proxy:v1.37.0",
    ),
    (
        "registry.k8s.io/kube-scheduler:v1.36.1",
        "registry.k8s.io/kube-scheduler:v1.35.2",
    ),
    (
        "rancher/hardened-kubernetes:v1.36.1-rke2r1",
        "rancher/hardened-kubernetes:v1.36.2-rke2r1",
    ),
    (
        "registry.k8s.io/cloud-pv-vsphere/cloud-provider-vsphere:v1.36.0",
        "registry.k8s.io/cloud-pv-vsphere/cloud-provider-vsphere:v1.35.0",
    ),
    (
        "hetznercloud/hcloud-cloud-controller-manager:v1.29.0",
        "hetznercloud/hcloud-cloud-controller-manager:v1.30.0",
    ),
    (
        "example.com/oke-public-kube-proxy:7",
        "example.com/oke-public-kube-proxy:8",
    ),
    ("quay.io/cilium/cilium:v1.19.0", "quay.io/cilium/cilium:v1.19.1"),
    (
        "registry.k8s.io/coredns/coredns:v1.13.1",
        "registry.k8s.io/coredns/coredns:v1.14.0",
    ),
];

const LABELS: [Option<(&str, &str)>; 9] = [
    None,
    Some(("component", "kube-scheduler")),
    Some(("component", "controllermanager")),
    Some(("k8s-app", "kube-proxy")),
    Some(("k8s-app", "kube-proxy-worker")),
    Some(("k8s-app", "openstack-cloud-controller-manager")),
    Some(("k8s-app", "cilium")),
    Some(("role", "proxy")),
    Some(("app", "net")),
];

const NAMES: [&str; 9] = [
    "kube-proxy",
    "kube-scheduler",
    "kube-proxy-worker",
    "ccm",
    "cilium",
    "cilium-operator",
    "coredns",
    "net",
    "a-name-so-long-that-the-names-of-its-pods-lose-their-last-hyphen",
];

fn workload() -> impl Strategy<Value = Workload> {
    (
        select(&KINDS),
        select(&NAMES),
        select(&LABELS),
        select(&IMAGES),
        1..NODES,
    )
        .prop_map(|(kind, name, label, (image, rolled), pods)| Workload {
            kind,
            name,
            label,
            image,
            rolled,
            pods: if kind == Kind::Bare { 1 } else { pods },
        })
}

fn node_name(index: usize) -> String {
    format!("ip-10-0-0-{index}.example")
}

/// Five letters as the apiserver generates them.
fn generated(index: usize) -> String {
    let letters = b"bcdfghjklmnpqrstvwxz2456789";
    (0..5)
        .map(|at| char::from(letters[(index * 7 + at * (3 + index)) % letters.len()]))
        .collect()
}

fn pods_of(workload: &Workload) -> impl Iterator<Item = Object> {
    (0..workload.pods).map(|index| {
        let Workload { kind, name, .. } = workload;
        let node = node_name(index);
        let is_rolled = index % 3 == 0;
        let pod_name = match kind {
            Kind::DaemonSet => {
                let base = format!("{name}-");
                format!("{}{}", &base[..base.len().min(58)], generated(index))
            }
            Kind::Deployment => {
                let hash = if is_rolled { "7c5ddbdf54" } else { "6b8d7c9f5d" };
                format!("{}-{hash}-{}", &name[..name.len().min(46)], generated(index))
            }
            Kind::StatefulSet => format!("{}-{index}", &name[..name.len().min(60)]),
            Kind::Static => format!("{name}-{node}"),
            Kind::Bare => (*name).to_owned(),
        };
        let image = if is_rolled {
            workload.rolled
        } else {
            workload.image
        };
        let mut object = pod(&pod_name, &node, "main", image);
        if let Some((key, value)) = workload.label {
            object = object.label(key, value);
        }
        match kind {
            Kind::DaemonSet => object.of_daemon_set(name),
            Kind::Static => object.static_pod(),
            Kind::Deployment | Kind::StatefulSet | Kind::Bare => object,
        }
    })
}

fn nodes() -> impl Iterator<Item = Object> {
    (0..NODES).map(|index| node(&node_name(index), "v1.36.1"))
}

/// The report of a run and what it printed about its requests.
fn report(program: Program, pages: &str) -> (String, String) {
    let outcome = program
        .args(["--target", "1.38", "-o", "json", "-v=6", "--chunk-size", pages])
        .run();
    assert!(matches!(outcome.code, Some(0 | 2)), "{outcome:#?}");
    (outcome.stdout, outcome.stderr)
}

/// Compares the reports of both ways of reading; tells whether the pods were selected.
fn is_selected(cluster: &Scenario<'_>, pages: &str) -> bool {
    let (whole, _) = report(cluster.skew(), "0");
    let (selected, requests) = report(cluster.skew(), pages);
    assert_eq!(selected, whole, "{requests}");
    requests.contains("includeObject=None") && !requests.contains("Reading every pod")
}

#[test]
fn random_namespaces_are_judged_as_by_their_whole_list() {
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let selected = std::cell::Cell::new(0);
    runner
        .run(&prop::collection::vec(workload(), 1..14), |mut workloads| {
            workloads.sort_by_key(|workload| (workload.kind, workload.name));
            workloads.dedup_by_key(|workload| (workload.kind, workload.name));
            let cluster = SINGLE.scenario(nodes().chain(workloads.iter().flat_map(pods_of)));
            selected.set(selected.get() + usize::from(is_selected(&cluster, "7")));
            Ok(())
        })
        .unwrap();
    assert!(
        selected.get() >= 6,
        "in {} of 12 clusters pods were selected",
        selected.get()
    );
}

/// By name means a list with a field selector: who may list may read so.
#[test]
fn the_right_to_list_is_enough() {
    let user = "lists-only";
    let rights = [("", "nodes"), ("", "pods"), ("coordination.k8s.io", "leases")];
    let objects = nodes()
        .chain((0..NODES).map(|index| kube_proxy(&node_name(index), "v1.36.1")))
        .chain((0..3).map(|index| {
            pod(
                &format!("vsphere-cpi-{index}"),
                &node_name(index),
                "main",
                IMAGES[3].0,
            )
        }))
        .chain(
            rights
                .into_iter()
                .flat_map(|(group, resource)| grant(user, None, group, resource)),
        );
    let cluster = SINGLE.scenario(objects);
    let (_, requests) = report(Program::skew(&cluster.user(user)), "2");
    for index in 0..3 {
        let by_name = format!("fieldSelector=metadata.name%3Dvsphere-cpi-{index}");
        assert!(requests.contains(&by_name), "{requests}");
    }
    assert!(
        !requests.contains("Reading every pod") && !requests.contains("403"),
        "{requests}"
    );
    assert!(is_selected(&cluster, "2"));
}
