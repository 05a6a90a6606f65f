//! Control planes of two minors: an upgrade half done, and a binary that emulates the minor before its own.

use std::sync::LazyLock;

use crate::control_planes::PAIR;
use crate::support::objects::{Object, control_plane_pod, kube_proxy, node};
use crate::support::report::Report;
use crate::support::{ControlPlane, Server};

static EMULATING: LazyLock<ControlPlane> = LazyLock::new(|| {
    ControlPlane::start(&[Server {
        emulated: Some("1.36"),
        ..Server::of("1.37")
    }])
});

/// Workers at the edges of what a 1.36 and a 1.37 allow together: not newer than 1.36, not older than 1.34.
fn workers() -> Vec<Object> {
    let mut objects = Vec::new();
    for (name, version) in [
        ("at-33", "v1.33.1"),
        ("at-34", "v1.34.1"),
        ("at-36", "v1.36.1"),
        ("at-37", "v1.37.1"),
    ] {
        objects.extend([node(name, version), kube_proxy(name, version)]);
    }
    objects
}

fn held_to_both(report: &Report) {
    assert_eq!(
        (
            report.text("/controlPlane/oldest"),
            report.text("/controlPlane/newest")
        ),
        ("1.36", "1.37")
    );
    assert_eq!(
        report.findings(),
        [
            ("version-skew/kube-proxy-behind", "warning", vec!["at-33"]),
            ("version-skew/kube-proxy-newer", "warning", vec!["at-37"]),
            ("version-skew/kubelet-current", "warning", vec!["at-33"]),
            (
                "version-skew/kubelet-newer-than-apiserver",
                "warning",
                vec!["at-37"]
            ),
        ]
    );
    assert_eq!(report.json["inPolicy"], false);
}

#[test]
fn two_minors_are_seen_by_leases_and_fresh_connections() {
    let cluster = PAIR.scenario(workers());
    let report = cluster.skew().report();
    held_to_both(&report);
    assert_eq!(report.json["controlPlane"]["running"], 2);
    let minors: Vec<_> = report
        .instances()
        .iter()
        .map(|one| (one[2].unwrap(), one[4].unwrap()))
        .collect();
    assert_eq!(minors, [("1.36", "version"), ("1.37", "version")]);
    assert_eq!(report.gaps(), []);
}

#[test]
fn two_minors_are_seen_by_their_pods() {
    let mut objects = workers();
    for (name, version) in [("cp-36", "v1.36.3"), ("cp-37", "v1.37.2")] {
        objects.push(node(name, "v1.36.3").control_plane());
        objects.extend(
            ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]
                .map(|component| control_plane_pod(component, name, version)),
        );
    }
    let cluster = PAIR.scenario(objects);
    let report = cluster.skew().report();
    assert_eq!(
        (
            report.text("/controlPlane/oldest"),
            report.text("/controlPlane/newest")
        ),
        ("1.36", "1.37")
    );
    for (key, nodes) in [
        ("kubelet-newer-than-apiserver", "at-37"),
        ("kubelet-current", "at-33"),
        ("kube-controller-manager-newer", "cp-37"),
        ("kube-scheduler-newer", "cp-37"),
    ] {
        let found = report.finding(&format!("version-skew/{key}"));
        assert_eq!(found, Some(("warning", vec![nodes])), "{key}");
    }
    let apiservers: Vec<_> = report
        .instances()
        .into_iter()
        .filter(|one| one[0] == Some("kube-apiserver"))
        .map(|one| (one[1].unwrap(), one[2].unwrap()))
        .collect();
    assert_eq!(apiservers, [("cp-36", "1.36"), ("cp-37", "1.37")]);
    assert_eq!(report.gaps(), []);
}

/// `next` finishes the upgrade under way, and the half-hop is judged by what it leaves behind.
#[test]
fn the_next_target_finishes_the_upgrade() {
    let cluster = PAIR.scenario([node("a", "v1.36.1"), kube_proxy("a", "v1.36.1")]);
    let report = cluster.skew().args(["--target", "next"]).report();
    assert_eq!(
        (report.text("/target"), report.verdict()),
        ("1.37", ("ready", Some(0)))
    );
    assert_eq!((report.findings(), report.gaps()), (vec![], vec![]));
    let older = cluster.skew().args(["--target", "1.36"]).report();
    assert_eq!(older.verdict(), ("unknown", Some(2)));
    assert_eq!(older.gaps(), [("target", true, vec![])]);
}

#[test]
fn an_emulated_minor_is_shown_and_used() {
    let cluster = EMULATING.scenario([
        node("a", "v1.37.0"),
        kube_proxy("a", "v1.36.0"),
        node("b", "v1.33.0"),
    ]);
    let report = cluster.skew().args(["--target", "1.37"]).report();
    assert_eq!(report.text("/serverVersion"), "v1.37.2");
    assert_eq!(
        (
            report.text("/controlPlane/oldest"),
            report.text("/controlPlane/newest")
        ),
        ("1.36", "1.36")
    );
    assert_eq!(report.text("/controlPlane/minCompatibility"), "1.35");
    assert_eq!(
        report.instances(),
        [[
            Some("kube-apiserver"),
            None,
            Some("1.37"),
            Some("1.36"),
            Some("version")
        ]]
    );
    assert_eq!(
        report.findings(),
        [
            ("version-skew/kubelet-post-upgrade", "blocker", vec!["b"]),
            ("version-skew/kubelet-newer-than-apiserver", "warning", vec!["a"]),
        ]
    );
    let next = cluster.skew().args(["--target", "next"]).report();
    assert_eq!(next.text("/target"), "1.37");
}
