//! One mixed cluster: thirteen nodes in four pools, kubelets of five minors, kube-proxy in every way that it is met
//! in the field, virtual nodes, a kubeadm control plane.

use crate::control_planes::SINGLE;
use crate::support::objects::{
    Object, control_plane, gke_kube_proxy, kube_proxy, kube_proxy_image, node, pod,
};

/// By GKE's versions the cluster would be judged by GKE's rules.
const ARGUMENTS: [&str; 4] = ["--target", "1.38", "--policy", "upstream"];

/// The cluster; its apiserver is 1.37.2.
pub(crate) fn cluster() -> Vec<Object> {
    let mut objects = vec![
        node("cp-1", "v1.37.2").control_plane(),
        kube_proxy("cp-1", "v1.37.2"),
        // kube-proxy as a DaemonSet, one minor after the other.
        node("web-1", "v1.37.2").eks_pool("web"),
        kube_proxy("web-1", "v1.37.2"),
        node("web-2", "v1.36.5").eks_pool("web"),
        kube_proxy("web-2", "v1.36.5"),
        node("web-3", "v1.35.9").eks_pool("web"),
        kube_proxy("web-3", "v1.35.9"),
        // kube-proxy as a static pod; the second node's kubelet moved without it.
        node("gke-1", "v1.34.4-gke.1396000").gke_pool("default"),
        gke_kube_proxy("gke-1", "v1.34.4-gke.1396000"),
        node("gke-2", "v1.35.3-gke.1000").gke_pool("default"),
        gke_kube_proxy("gke-2", "v1.34.4-gke.1396000"),
        // No kube-proxy: Cilium stands in for it.
        node("bare-1", "v1.36.0").eks_pool("cilium"),
        node("bare-2", "v1.36.0").eks_pool("cilium").cordoned(),
        pod(
            "cilium-x7k2p",
            "bare-1",
            "cilium-agent",
            "quay.io/cilium/cilium:v1.18.0",
        )
        .label("k8s-app", "cilium"),
        // A digest that nothing resolves.
        node("odd-1", "v1.36.2").eks_pool("odd"),
        kube_proxy_image("odd-1", &format!("registry.k8s.io/kube-proxy@sha256:{:064x}", 1)),
        // Evicted: it holds its node and its image, and runs no more.
        node("odd-2", "v1.36.2").eks_pool("odd"),
        kube_proxy("odd-2", "v1.31.0").evicted(),
        // On its way out, beside the one that takes over.
        node("odd-3", "v1.36.2").eks_pool("odd"),
        kube_proxy("odd-3", "v1.36.2"),
        kube_proxy("odd-3", "v1.32.0")
            .with("/metadata/name", "kube-proxy-odd-3-old".into())
            .terminating(),
        // On its way out, and nothing has taken over yet.
        node("odd-4", "v1.33.1").eks_pool("odd"),
        kube_proxy("odd-4", "v1.33.1").terminating(),
        // Its image never came.
        node("odd-5", "v1.36.2").eks_pool("odd"),
        kube_proxy("odd-5", "v1.37.0").never_pulled(),
        // No node has taken it.
        kube_proxy("nowhere", "v1.30.0").pending(),
        // No kubelets of this cluster.
        node("aci", "v1.19.10-vk-azure-aci-1.6.2").label("type", "virtual-kubelet"),
        node("kwok-1", "kwok-v0.7.0").annotation("kwok.x-k8s.io/node", "fake"),
        // A look-alike in somebody's own namespace.
        kube_proxy("web-1", "v1.20.0").namespaced("tenant"),
    ];
    objects.extend(control_plane("cp-1", "v1.37.2"));
    objects
}

#[test]
fn a_mixed_cluster_is_judged_node_by_node() {
    let cluster = SINGLE.scenario(cluster());
    let report = cluster.skew().args(ARGUMENTS).report();
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        report.findings(),
        [
            (
                "version-skew/kube-proxy-post-upgrade",
                "blocker",
                vec!["gke-1", "gke-2", "odd-4"]
            ),
            (
                "version-skew/kubelet-post-upgrade",
                "blocker",
                vec!["gke-1", "odd-4"]
            ),
            ("version-skew/kube-proxy-behind", "warning", vec!["odd-4"]),
            ("version-skew/kubelet-current", "warning", vec!["odd-4"]),
            ("version-skew/virtual-nodes", "info", vec!["aci", "kwok-1"]),
        ]
    );
    let mut gaps: Vec<_> = report
        .gap_values()
        .iter()
        .map(|gap| (gap["objects"].to_string(), gap["required"].as_bool().unwrap()))
        .collect();
    gaps.sort();
    assert_eq!(
        gaps,
        [
            (r#"["pod/kube-system/kube-proxy-odd-1"]"#.to_owned(), true),
            (r#"["pod/kube-system/kube-proxy-odd-2"]"#.to_owned(), false),
            (r#"["pod/kube-system/kube-proxy-odd-5"]"#.to_owned(), false),
        ]
    );
    assert_eq!(
        report.instances(),
        [
            [
                Some("kube-apiserver"),
                Some("cp-1"),
                Some("1.37"),
                None,
                Some("pod")
            ],
            [
                Some("kube-controller-manager"),
                Some("cp-1"),
                Some("1.37"),
                None,
                Some("pod")
            ],
            [
                Some("kube-scheduler"),
                Some("cp-1"),
                Some("1.37"),
                None,
                Some("pod")
            ],
        ]
    );
}

#[test]
fn every_row_of_the_mixed_cluster_tells_what_runs() {
    let cluster = SINGLE.scenario(cluster());
    let report = cluster.skew().args(ARGUMENTS).report();
    // Node, pool, kubelet, kube-proxies that count (`?` unread), pair distance, good until, now, at 1.38.
    let rows = [
        "aci         null      1.19  -     null  null  notJudged  notJudged",
        "bare-1      cilium    1.36  -     null  1.39  ok         ok",
        "bare-2      cilium    1.36  -     null  1.39  ok         ok",
        "cp-1        control-plane  1.37  1.37  0     1.40  ok         ok",
        "gke-1       default   1.34  1.34  0     1.37  atLimit    behind",
        "gke-2       default   1.35  1.34  1     1.37  atLimit    behind",
        "kwok-1      null      null  -     null  null  notJudged  notJudged",
        "odd-1       odd       1.36  ?     null  1.39  unknown    unknown",
        "odd-2       odd       1.36  -     null  1.39  ok         ok",
        "odd-3       odd       1.36  1.36  0     1.39  ok         ok",
        "odd-4       odd       1.33  1.33  0     1.36  behind     behind",
        "odd-5       odd       1.36  ?     null  1.39  ok         ok",
        "web-1       web       1.37  1.37  0     1.40  ok         ok",
        "web-2       web       1.36  1.36  0     1.39  ok         ok",
        "web-3       web       1.35  1.35  0     1.38  ok         atLimit",
    ];
    let mut told: Vec<_> = report.json["nodes"].as_array().unwrap().iter().map(row).collect();
    told.sort();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(told, rows);
    assert_eq!(report.node("bare-2")["cordoned"], true);
}

fn row(node: &serde_json::Value) -> String {
    let word = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let proxies = node["kubeProxy"].as_array().unwrap();
    let proxies: Vec<_> = proxies
        .iter()
        .map(|proxy| proxy["minor"].as_str().unwrap_or("?"))
        .collect();
    [
        word(&node["name"]),
        word(&node["pool"]),
        word(&node["kubelet"]["minor"]),
        if proxies.is_empty() {
            "-".to_owned()
        } else {
            proxies.join(",")
        },
        word(&node["pairDistance"]),
        word(&node["goodUntil"]),
        word(&node["now"]["state"]),
        word(&node["hops"][0]["state"]),
    ]
    .join(" ")
}

/// Every node and every component pod that kubectl lists is a row, an instance, or stands in a gap.
#[test]
fn nothing_read_is_lost() {
    let cluster = SINGLE.scenario(cluster());
    let report = cluster.skew().args(ARGUMENTS).report();
    let names = |arguments: &[&str]| -> Vec<String> {
        let listed = cluster
            .kubectl()
            .args(arguments)
            .args(["-o", "name"])
            .run()
            .success();
        listed.lines().map(str::to_owned).collect()
    };
    let mut rows: Vec<_> = report.json["nodes"].as_array().unwrap().iter().collect();
    rows.sort_by_key(|row| row["name"].as_str());
    let rows: Vec<_> = rows
        .iter()
        .map(|row| format!("node/{}", row["name"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, names(&["get", "nodes"]));

    let mut told: Vec<String> = report.json["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row["kubeProxy"].as_array().unwrap())
        .map(|proxy| proxy["pod"].as_str().unwrap())
        .chain(
            report.json["controlPlane"]["instances"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["name"].as_str().unwrap()),
        )
        .map(|name| format!("pod/{}", name.rsplit('/').next().unwrap()))
        .chain(
            report
                .gap_values()
                .iter()
                .flat_map(|gap| gap["objects"].as_array().unwrap())
                .map(|object| object.as_str().unwrap().replace("kube-system/", "")),
        )
        .collect();
    told.sort();
    told.dedup();
    let listed = names(&["get", "pods", "-n", "kube-system"]);
    // What runs no more, or does not run yet, is neither; the rules say so of exactly these.
    let passed_over = [
        "pod/cilium-x7k2p",
        "pod/kube-proxy-nowhere",
        "pod/kube-proxy-odd-3-old",
    ];
    let listed: Vec<_> = listed
        .into_iter()
        .filter(|pod| !passed_over.contains(&pod.as_str()))
        .collect();
    assert_eq!(told, listed);
}
