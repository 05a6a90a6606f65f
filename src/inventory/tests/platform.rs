//! What shows a platform: whose limits hold, and what moves the control plane.

use super::build::{NodeWords as _, cluster, inventory, node, static_pod};
use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::observed::ObservedNode;
use crate::inventory::platform::Detected;

const KUBEADM: &str = "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint";
const CLUSTER_API: &str = "cluster.x-k8s.io/cluster-name";

fn annotated(mut node: ObservedNode, key: &str) -> ObservedNode {
    node.meta.annotations.push((key.to_owned(), "x".to_owned()));
    node
}

fn talos(mut node: ObservedNode) -> ObservedNode {
    node.os_image = Some("Talos".to_owned());
    node
}

fn name(detected: Option<&Detected>) -> Option<&'static str> {
    detected.map(|detected| detected.platform.name())
}

/// Whose limits hold, and what moves the control plane.
fn both(inventory: &Inventory) -> (Option<&'static str>, Option<&'static str>) {
    (
        name(inventory.distribution.as_ref()),
        name(inventory.platform.as_ref()),
    )
}

#[test]
fn versions_and_labels_show_a_distribution() {
    let labelled = |version: &str, keys: &[&str]| {
        keys.iter()
            .fold(node("n1", version), |node, key| node.labelled(key, "x"))
    };
    for (server, node, want, mark) in [
        (
            "v1.36.4+k0s.0",
            labelled("v1.36.4+k0s", &[]),
            "k0s",
            "the server version v1.36.4+k0s.0",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4+k0s", &[]),
            "k0s",
            "the kubelet version v1.36.4+k0s of node n1",
        ),
        (
            "v1.35.1-gke.1396000",
            labelled("v1.35.1-gke.1", &[]),
            "gke",
            "the server version v1.35.1-gke.1396000",
        ),
        (
            "v1.35.1",
            labelled("v1.35.1", &["cloud.google.com/gke-nodepool"]),
            "gke",
            "the label cloud.google.com/gke-nodepool of node n1",
        ),
        (
            "v1.17.11+IKS",
            labelled("v1.17.11+IKS", &[]),
            "iks",
            "the server version v1.17.11+IKS",
        ),
        (
            "v1.34.1-aliyun.1",
            labelled("v1.34.1-aliyun.1", &[]),
            "ack",
            "the server version v1.34.1-aliyun.1",
        ),
        (
            "v1.29.6+aadf0a5",
            labelled("v1.29.6+aadf0a5", &[]),
            "openshift",
            "the server version v1.29.6+aadf0a5",
        ),
        (
            "v1.29.6",
            labelled("v1.29.6", &["node.openshift.io/os_id"]),
            "openshift",
            "the label node.openshift.io/os_id of node n1",
        ),
        (
            "v1.29.6+aadf0a5",
            labelled(
                "v1.29.6+aadf0a5",
                &[
                    "ibm-cloud.kubernetes.io/worker-pool-name",
                    "node.openshift.io/os_id",
                ],
            ),
            "roks",
            "the labels ibm-cloud.kubernetes.io/worker-pool-name and node.openshift.io/os_id of node n1",
        ),
        (
            "v1.29.6+aadf0a5",
            labelled("v1.29.6+aadf0a5", &["hypershift.openshift.io/nodePool"]),
            "hypershift",
            "the label hypershift.openshift.io/nodePool of node n1",
        ),
        (
            "v1.36.4+k3s1",
            labelled("v1.36.4+k3s1", &[]),
            "k3s",
            "the server version v1.36.4+k3s1",
        ),
        (
            "v1.36.4+rke2r1",
            labelled("v1.36.4", &[]),
            "rke2",
            "the server version v1.36.4+rke2r1",
        ),
        (
            "v1.36.4-eks-3a10415",
            labelled("v1.36.4", &[]),
            "eks",
            "the server version v1.36.4-eks-3a10415",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4", &["kubernetes.azure.com/cluster"]),
            "aks",
            "the label kubernetes.azure.com/cluster of node n1",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4", &["doks.digitalocean.com/node-pool"]),
            "doks",
            "the label doks.digitalocean.com/node-pool of node n1",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4", &["lke.linode.com/pool-id"]),
            "lke",
            "the label lke.linode.com/pool-id of node n1",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4", &["kops.k8s.io/instancegroup"]),
            "kops",
            "the label kops.k8s.io/instancegroup of node n1",
        ),
        (
            "v1.36.4",
            labelled("v1.36.4", &["worker.gardener.cloud/pool"]),
            "gardener",
            "the label worker.gardener.cloud/pool of node n1",
        ),
    ] {
        let inventory = inventory(cluster(server, vec![node], Vec::new()));
        assert_eq!(both(&inventory), (Some(want), Some(want)), "{server}");
        let detected = inventory.distribution.as_ref().unwrap();
        assert_eq!(detected.mark.to_string(), mark);
    }
}

#[test]
fn what_only_upgrades_is_a_platform_and_sets_no_limits() {
    let mut apiserver = static_pod(Component::KubeApiserver, "n1", "v1.36.4");
    let read = inventory(cluster(
        "v1.36.4",
        vec![node("n1", "v1.36.4")],
        vec![apiserver.clone()],
    ));
    assert_eq!(both(&read), (None, None));

    apiserver
        .meta
        .annotations
        .push((KUBEADM.to_owned(), "192.0.2.1:6443".to_owned()));
    let nodes = vec![node("n1", "v1.36.4")];
    let read = inventory(cluster("v1.36.4", nodes, vec![apiserver.clone()]));
    assert_eq!(both(&read), (None, Some("kubeadm")));
    assert_eq!(
        read.platform.unwrap().mark.to_string(),
        format!("the annotation {KUBEADM} of pod kube-apiserver-n1")
    );

    let read = inventory(cluster("v1.36.4", vec![talos(node("n1", "v1.36.4"))], Vec::new()));
    assert_eq!(both(&read), (None, Some("talos")));
    assert_eq!(
        read.platform.unwrap().mark.to_string(),
        "the operating system Talos of node n1"
    );

    let nodes = vec![annotated(node("n1", "v1.36.4"), CLUSTER_API)];
    let read = inventory(cluster("v1.36.4", nodes, vec![apiserver]));
    assert_eq!(both(&read), (None, Some("cluster-api")), "before kubeadm");
}

#[test]
fn of_several_the_one_that_moves_the_control_plane_is_the_platform() {
    let capi = |version: &str| annotated(node("n1", version), CLUSTER_API);
    for (node, want) in [
        (capi("v1.36.4+k0s"), (Some("k0s"), Some("cluster-api"))),
        (capi("v1.36.4+rke2r1"), (Some("rke2"), Some("cluster-api"))),
        // EKS Anywhere shows the suffix of EKS.
        (capi("v1.33.1-eks-1-33-4"), (Some("eks"), Some("cluster-api"))),
        (talos(capi("v1.36.4")), (None, Some("cluster-api"))),
        // Rancher makes machines of Cluster API, and moves what runs on them itself.
        (
            capi("v1.36.4+rke2r1").labelled("rke.cattle.io/machine", "x"),
            (Some("rke2"), Some("rke2")),
        ),
        // Hosted control planes of OpenShift do too.
        (
            capi("v1.36.4+aadf0a5").labelled("hypershift.openshift.io/nodePool", "x"),
            (Some("hypershift"), Some("hypershift")),
        ),
        (
            node("n1", "v1.21.5-eks-1-21-7").labelled("kops.k8s.io/instancegroup", "nodes"),
            (Some("kops"), Some("kops")),
        ),
    ] {
        let version = node.kubelet_version.clone().unwrap();
        let inventory = inventory(cluster("v1.36.4", vec![node], Vec::new()));
        assert_eq!(both(&inventory), want, "{version}");
    }
}

#[test]
fn one_node_from_elsewhere_does_not_speak_for_the_rest() {
    let mixed = |others: usize| {
        let plain = (0..others).map(|at| node(&format!("plain-{at}"), "v1.36.4"));
        let odd = std::iter::once(node("odd", "v1.36.4-gke.1000"));
        both(&inventory(cluster(
            "v1.36.4",
            odd.chain(plain).collect(),
            Vec::new(),
        )))
        .0
    };
    assert_eq!(mixed(1), Some("gke"));
    assert_eq!(mixed(2), None);
    let of_another = node("other", "v1.30.0-gke.1").labelled("liqo.io/type", "virtual-node");
    let read = inventory(cluster("v1.36.4", vec![of_another], Vec::new()));
    assert_eq!(
        both(&read),
        (None, None),
        "a virtual node shows another cluster's version"
    );
}

#[test]
fn the_nodes_of_the_hosting_cluster_show_nothing_of_a_hosted_control_plane() {
    let mut seen = cluster("v1.36.4-gke.1", vec![node("n1", "v1.36.4-gke.1")], Vec::new());
    seen.hosted = Some("tenant".to_owned());
    assert_eq!(both(&inventory(seen)), (None, None));
}

#[test]
fn a_version_that_shows_nothing_shows_nothing() {
    for version in [
        "v1.36.4",
        "v1.21.2-13+d2965f0db10712",
        "v1.22.3-3+9ec7c40",
        "v1.28.7+vmware.1",
    ] {
        let read = inventory(cluster(version, vec![node("n1", version)], Vec::new()));
        assert_eq!(both(&read), (None, None), "{version}");
    }
}
