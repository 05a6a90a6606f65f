//! Each rule, made to fire on a real server of 1.37.2: by key, severity and node names.

use crate::control_planes::SINGLE;
use crate::support::objects::{Object, control_plane, control_plane_pod, kube_proxy, node, pod};

/// A healthy cluster of one control plane node and one worker, and what is odd about this one.
fn with(odd: impl IntoIterator<Item = Object>) -> Vec<Object> {
    let mut objects = healthy("cp-1");
    objects.extend([node("worker", "v1.37.2"), kube_proxy("worker", "v1.37.2")]);
    objects.extend(odd);
    objects
}

fn healthy(cp: &str) -> Vec<Object> {
    let mut objects = vec![node(cp, "v1.37.2").control_plane(), kube_proxy(cp, "v1.37.2")];
    objects.extend(control_plane(cp, "v1.37.2"));
    objects
}

/// Asserts that exactly these findings come, and no gap.
fn judged(objects: Vec<Object>, arguments: &[&str], expected: &[(&str, &str, &[&str])]) {
    let cluster = SINGLE.scenario(objects);
    let report = cluster.skew().args(arguments).report();
    let expected: Vec<_> = expected
        .iter()
        .map(|(key, severity, nodes)| (*key, *severity, nodes.to_vec()))
        .collect();
    assert_eq!(report.findings(), expected);
    assert_eq!(report.gaps(), []);
}

#[test]
fn a_healthy_cluster_has_no_finding() {
    let cluster = SINGLE.scenario(with([]));
    let report = cluster.skew().args(["--target", "1.38"]).report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!(report.findings(), []);
    assert_eq!(report.gaps(), []);
    assert_eq!(report.json["inPolicy"], true);
    let today = cluster.skew().report();
    assert_eq!(
        (today.code, &today.json["inPolicy"], &today.json["target"]),
        (Some(0), &true.into(), &().into())
    );
}

#[test]
fn kubelets_too_old_for_the_target() {
    judged(
        with([node("b", "v1.34.9"), node("a", "v1.34.1-eks-3a10415")]),
        &["--target", "1.38"],
        &[("version-skew/kubelet-post-upgrade", "blocker", &["a", "b"])],
    );
}

#[test]
fn kube_proxies_too_old_for_the_target() {
    judged(
        with([node("a", "v1.37.2"), kube_proxy("a", "v1.34.9")]),
        &["--target", "1.38"],
        &[("version-skew/kube-proxy-post-upgrade", "blocker", &["a"])],
    );
}

#[test]
fn components_older_than_today_allows() {
    judged(
        with([
            node("a", "v1.33.9"),
            kube_proxy("a", "v1.36.0"),
            node("b", "v1.34.0"),
            kube_proxy("b", "v1.33.0"),
        ]),
        &[],
        &[
            ("version-skew/kube-proxy-behind", "warning", &["b"]),
            ("version-skew/kubelet-current", "warning", &["a"]),
        ],
    );
}

#[test]
fn components_newer_than_the_apiserver() {
    judged(
        with([
            node("a", "v1.38.0"),
            kube_proxy("a", "v1.37.0"),
            node("b", "v1.37.0"),
            kube_proxy("b", "v1.38.0"),
        ]),
        &["--target", "1.38"],
        &[
            ("version-skew/kube-proxy-newer", "warning", &["b"]),
            ("version-skew/kubelet-newer-than-apiserver", "warning", &["a"]),
        ],
    );
}

#[test]
fn a_pair_too_far_apart() {
    judged(
        with([node("a", "v1.38.0"), kube_proxy("a", "v1.34.0")]),
        &[],
        &[
            ("version-skew/kube-proxy-kubelet/a", "warning", &["a"]),
            ("version-skew/kubelet-newer-than-apiserver", "warning", &["a"]),
        ],
    );
}

#[test]
fn managers_too_old() {
    let mut objects = with([]);
    objects.retain(|object| !object.name().contains("manager") && !object.name().contains("scheduler"));
    objects.push(control_plane_pod("kube-controller-manager", "cp-1", "v1.35.1"));
    objects.push(control_plane_pod("kube-scheduler", "cp-1", "v1.35.1"));
    judged(
        objects,
        &["--target", "1.38"],
        &[
            (
                "version-skew/kube-controller-manager-behind",
                "warning",
                &["cp-1"],
            ),
            (
                "version-skew/kube-controller-manager-post-upgrade",
                "warning",
                &["cp-1"],
            ),
            ("version-skew/kube-scheduler-behind", "warning", &["cp-1"]),
            ("version-skew/kube-scheduler-post-upgrade", "warning", &["cp-1"]),
        ],
    );
}

/// A manager newer than the oldest apiserver blocks; beside an apiserver as new on its own node it warns.
#[test]
fn managers_newer_than_an_apiserver() {
    let newer = |cp: &str, apiserver: &str| {
        vec![
            node(cp, "v1.37.2").control_plane(),
            kube_proxy(cp, "v1.37.2"),
            control_plane_pod("kube-apiserver", cp, apiserver),
            control_plane_pod("kube-controller-manager", cp, "v1.38.0"),
            control_plane_pod("kube-scheduler", cp, "v1.38.0"),
        ]
    };
    let mut moved_together = with([]);
    moved_together.extend(newer("cp-2", "v1.38.0"));
    judged(
        moved_together,
        &["--target", "1.38"],
        &[
            ("version-skew/kube-controller-manager-newer", "warning", &["cp-2"]),
            ("version-skew/kube-scheduler-newer", "warning", &["cp-2"]),
        ],
    );
    let mut moved_ahead = with([]);
    moved_ahead.extend(newer("cp-2", "v1.37.2"));
    judged(
        moved_ahead,
        &["--target", "1.38"],
        &[
            ("version-skew/kube-controller-manager-newer", "blocker", &["cp-2"]),
            ("version-skew/kube-scheduler-newer", "blocker", &["cp-2"]),
        ],
    );
}

#[test]
fn a_cloud_controller_manager_that_follows_kubernetes_minors() {
    let manager = |version: &str| {
        let image = format!("registry.k8s.io/provider-aws/cloud-controller-manager:{version}");
        pod(
            "aws-cloud-controller-manager-x",
            "cp-1",
            "aws-cloud-controller-manager",
            &image,
        )
        .label("k8s-app", "aws-cloud-controller-manager")
        .of_daemon_set("aws-cloud-controller-manager")
    };
    judged(
        with([manager("v1.38.0")]),
        &["--target", "1.38"],
        &[(
            "version-skew/cloud-controller-manager-newer",
            "blocker",
            &["cp-1"],
        )],
    );
    judged(
        with([manager("v1.35.0")]),
        &["--target", "1.38"],
        &[
            (
                "version-skew/cloud-controller-manager-behind",
                "warning",
                &["cp-1"],
            ),
            (
                "version-skew/cloud-controller-manager-post-upgrade",
                "warning",
                &["cp-1"],
            ),
        ],
    );
}

#[test]
fn apiservers_too_far_apart() {
    let mut objects = with([
        node("cp-2", "v1.35.1").control_plane(),
        kube_proxy("cp-2", "v1.35.1"),
    ]);
    objects.push(control_plane_pod("kube-apiserver", "cp-2", "v1.35.1"));
    let cluster = SINGLE.scenario(objects);
    let report = cluster.skew().report();
    let (severity, nodes) = report.finding("version-skew/apiserver-ha-spread").unwrap();
    assert_eq!((severity, nodes), ("warning", vec!["cp-1", "cp-2"]));
    // Everything at 1.37 is newer than the older apiserver.
    let (severity, nodes) = report
        .finding("version-skew/kubelet-newer-than-apiserver")
        .unwrap();
    assert_eq!((severity, nodes), ("warning", vec!["cp-1", "worker"]));
}

#[test]
fn a_kubelet_whose_version_is_none() {
    let cluster = SINGLE.scenario(with([node("a", "N/A")]));
    let report = cluster.skew().args(["--target", "1.38"]).report();
    assert_eq!(
        report.findings(),
        [("version-skew/kubelet-unparseable", "info", vec!["a"])]
    );
    assert_eq!(report.gaps(), [("versions", true, vec![])]);
    assert_eq!(report.gap_values()[0]["objects"], serde_json::json!(["node/a"]));
    assert_eq!(report.verdict(), ("unknown", Some(2)));
    let allowed = cluster
        .skew()
        .args(["--target", "1.38", "--allow-incomplete"])
        .report();
    assert_eq!(allowed.verdict(), ("unknown", Some(0)));
}

#[test]
fn a_node_of_a_pool_that_lacks_its_kube_proxy() {
    let pool = |name: &str| node(name, "v1.37.2").eks_pool("web");
    judged(
        with([
            pool("a"),
            pool("b"),
            pool("c"),
            kube_proxy("a", "v1.37.2"),
            kube_proxy("c", "v1.37.2"),
        ]),
        &["--target", "1.38"],
        &[("version-skew/kube-proxy-missing", "info", &["b"])],
    );
}

#[test]
fn a_target_several_minors_away() {
    let cluster = SINGLE.scenario(with([]));
    let report = cluster.skew().args(["--target", "1.40"]).report();
    assert_eq!(report.finding("version-skew/upgrade-path").unwrap().0, "info");
    let hops: Vec<_> = report.json["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hop| {
            [&hop["from"], &hop["to"], &hop["verdict"]].map(|field| field.as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(
        hops,
        [
            ["1.37", "1.38", "ready"],
            ["1.38", "1.39", "ready"],
            ["1.39", "1.40", "ready"]
        ]
    );
    assert_eq!(report.verdict(), ("ready", Some(0)));
}

#[test]
fn a_runtime_that_ends_on_the_way() {
    let old = node("a", "v1.37.2").with(
        "/status/nodeInfo/containerRuntimeVersion",
        "containerd://1.7.28".into(),
    );
    judged(
        with([old]),
        &["--target", "1.38"],
        &[("node-runtime/containerd", "info", &["a"])],
    );
}

#[test]
fn a_kubectl_outside_its_range() {
    let cluster = SINGLE.scenario(with([]));
    for (version, expected) in [
        ("v1.35.4", true),
        ("v1.36.0", false),
        ("v1.38.1", false),
        ("v1.39.0", true),
    ] {
        let report = cluster.skew().args(["--kubectl-version", version]).report();
        let found = report.finding("version-skew/kubectl-client");
        assert_eq!(
            found.map(|(severity, _)| severity),
            expected.then_some("info"),
            "{version}"
        );
    }
    let own = cluster.skew().report();
    assert_eq!(
        (own.text("/kubectl/version"), own.text("/kubectl/minor")),
        ("v1.37.2", "1.37")
    );
}

#[test]
fn a_digest_is_resolved_by_the_node_that_knows_its_tag() {
    let digest = format!("registry.k8s.io/kube-proxy@sha256:{:064x}", 7);
    let knows = node("a", "v1.36.1").holding(&[&digest, "registry.k8s.io/kube-proxy:v1.36.1"]);
    let pod = crate::support::objects::kube_proxy_image("b", &digest);
    let cluster = SINGLE.scenario(with([knows, node("b", "v1.36.1"), pod]));
    let report = cluster.skew().args(["--target", "1.38"]).report();
    assert_eq!(report.node("b")["kubeProxy"][0]["minor"], "1.36");
    assert_eq!(report.gaps(), []);
    assert_eq!(report.verdict(), ("ready", Some(0)));
}

/// k3s runs its apiserver inside the server's own process, so the node tells it.
#[test]
fn k3s_servers_tell_their_apiservers() {
    let cluster = SINGLE.scenario([
        node("server-1", "v1.37.2+k3s1").control_plane(),
        node("server-2", "v1.36.4+k3s1").control_plane(),
        node("agent-1", "v1.37.2+k3s1"),
        node("agent-2", "v1.36.4+k3s1"),
    ]);
    let report = cluster.skew().args(["--policy", "upstream"]).report();
    assert_eq!(
        (
            report.text("/controlPlane/oldest"),
            report.text("/controlPlane/newest")
        ),
        ("1.36", "1.37")
    );
    assert_eq!(
        report.findings(),
        [(
            "version-skew/kubelet-newer-than-apiserver",
            "warning",
            vec!["agent-1", "server-1"]
        )]
    );
    assert_eq!(report.gaps(), []);
}
