//! A worker that a rollout forgot, by the policy of k0s: warned of while it is legal, refused where it no longer is.

use std::sync::LazyLock;

use crate::support::objects::{Object, kube_proxy, node};
use crate::support::{ControlPlane, Server};

/// The cluster after the controllers' move to 1.36.
static AT_1_36: LazyLock<ControlPlane> = LazyLock::new(|| ControlPlane::start(&[Server::of("1.36")]));

/// Before it: the same binary emulates 1.35.
static AT_1_35: LazyLock<ControlPlane> = LazyLock::new(|| {
    ControlPlane::start(&[Server {
        emulated: Some("1.35"),
        ..Server::of("1.36")
    }])
});

fn workers(versions: [(&str, &str); 3]) -> Vec<Object> {
    versions
        .into_iter()
        .flat_map(|(name, version)| [node(name, version), kube_proxy(name, "v1.35.4")])
        .collect()
}

#[test]
fn the_rollout_warns_of_the_worker_that_it_leaves_out() {
    let cluster = AT_1_35.scenario(workers([
        ("worker-1", "v1.35.4+k0s.0"),
        ("worker-2", "v1.35.4+k0s.0"),
        ("forgotten", "v1.35.4+k0s.0"),
    ]));
    let names = "worker-1,worker-2,worker-9";
    let report = cluster
        .skew()
        .args(["--policy", "k0s", "--target", "1.36", "--rollout", names])
        .args(["--kubectl-version", "v1.35.4"])
        .report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!(
        report.findings(),
        [
            ("rollout/left-behind", "warning", vec!["forgotten"]),
            ("rollout/unknown-node", "warning", vec!["worker-9"]),
        ]
    );
    let left = &report.json["findings"][0];
    let words = format!("{} {}", left["title"], left["detail"]);
    assert!(
        words.contains("1.37"),
        "the first minor that will be refused: {words}"
    );
    let lagging = report.json["laggingKubelets"].as_array().unwrap();
    let lagging: Vec<_> = lagging
        .iter()
        .map(|one| (one["node"].as_str().unwrap(), one["version"].as_str().unwrap()))
        .collect();
    assert_eq!(
        lagging,
        [
            ("forgotten", "v1.35.4+k0s.0"),
            ("worker-1", "v1.35.4+k0s.0"),
            ("worker-2", "v1.35.4+k0s.0"),
        ]
    );
}

#[test]
fn the_next_minor_is_refused_because_of_it() {
    let cluster = AT_1_36.scenario(workers([
        ("worker-1", "v1.36.3+k0s.0"),
        ("worker-2", "v1.36.3+k0s.0"),
        ("forgotten", "v1.35.4+k0s.0"),
    ]));
    let report = cluster.skew().args(["--target", "1.37"]).report();
    // k0s says itself by its version suffixes.
    assert_eq!(report.text("/policy/name"), "k0s");
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        report.finding("version-skew/kubelet-post-upgrade"),
        Some(("blocker", vec!["forgotten"]))
    );
    let refused = report.json["findings"].as_array().unwrap();
    let refused = refused
        .iter()
        .find(|one| one["key"] == "version-skew/kubelet-post-upgrade")
        .unwrap();
    assert_eq!(refused["versions"], serde_json::json!(["v1.35.4+k0s.0"]));
    let words = refused["detail"].as_str().unwrap();
    assert!(
        words.contains("k0s") && words.contains("upstream"),
        "who refused, and who would not: {words}"
    );
    // Upstream bears it.
    let upstream = cluster
        .skew()
        .args(["--target", "1.37", "--policy", "upstream"])
        .report();
    assert_eq!(upstream.verdict(), ("ready", Some(0)));
}

#[test]
fn a_patch_move_strands_nobody() {
    let cluster = AT_1_36.scenario(workers([
        ("worker-1", "v1.36.3+k0s.0"),
        ("worker-2", "v1.36.3+k0s.0"),
        ("forgotten", "v1.35.4+k0s.0"),
    ]));
    let report = cluster
        .skew()
        .args(["--target", "1.36.9", "--rollout", "worker-1,worker-2"])
        .report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!(report.findings(), []);
    assert_eq!(report.json["laggingKubelets"], serde_json::json!([]));
    let older = cluster.skew().args(["--target", "1.36.1"]).report();
    assert_eq!(
        (older.verdict(), older.gaps()),
        (("unknown", Some(2)), vec![("target", true, vec![])])
    );
}
