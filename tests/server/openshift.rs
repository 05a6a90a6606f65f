//! OpenShift hides its control plane behind digests; its operators tell what they have rolled out.

use serde_json::json;

use crate::control_planes::SINGLE;
use crate::support::objects::{Object, cluster_operator, cluster_operator_definition, grant, node};
use crate::support::outcome::Program;

fn nodes() -> [Object; 2] {
    let of = |name: &str| node(name, "v1.37.1").label("node.openshift.io/os_id", "rhel");
    [of("master-0").control_plane(), of("worker-0")]
}

fn operators(scheduler: &str, progressing: bool) -> Vec<Object> {
    vec![
        cluster_operator_definition(),
        cluster_operator("kube-apiserver", "1.37.2", false),
        cluster_operator("kube-controller-manager", "1.37.2", false),
        cluster_operator("kube-scheduler", scheduler, progressing),
    ]
}

const ARGUMENTS: [&str; 4] = ["--target", "1.38", "--policy", "upstream"];

#[test]
fn operators_tell_what_runs() {
    let cluster = SINGLE.scenario(nodes().into_iter().chain(operators("1.37.2", false)));
    let report = cluster.skew().args(ARGUMENTS).report();
    assert_eq!((report.verdict(), report.gaps()), (("ready", Some(0)), vec![]));
    let minors: Vec<_> = report
        .instances()
        .iter()
        .map(|one| (one[0].unwrap(), one[2].unwrap()))
        .collect();
    assert_eq!(
        minors,
        [
            ("kube-apiserver", "1.37"),
            ("kube-controller-manager", "1.37"),
            ("kube-scheduler", "1.37")
        ]
    );
}

#[test]
fn an_operator_that_lags_is_a_finding() {
    let cluster = SINGLE.scenario(nodes().into_iter().chain(operators("1.35.0-beta.2", false)));
    let report = cluster.skew().args(ARGUMENTS).report();
    assert_eq!(
        report.findings(),
        [
            ("version-skew/kube-scheduler-behind", "warning", vec![]),
            ("version-skew/kube-scheduler-post-upgrade", "warning", vec![])
        ]
    );
}

/// A component of which nothing is known is not passed over, whatever its operator says instead of a version.
#[test]
fn an_operator_without_a_version_leaves_the_verdict_unknown() {
    for version in ["", "4.24.3", "latest"] {
        let cluster = SINGLE.scenario(nodes().into_iter().chain(operators(version, false)));
        let report = cluster.skew().args(ARGUMENTS).report();
        assert_eq!(report.verdict(), ("unknown", Some(2)), "{version}");
        assert_eq!(report.gaps(), [("versions", true, vec![])], "{version}");
    }
}

/// Its version changes last: while it works, it tells what was.
#[test]
fn an_operator_at_work_is_a_gap() {
    let cluster = SINGLE.scenario(nodes().into_iter().chain(operators("1.37.2", true)));
    let report = cluster.skew().args(ARGUMENTS).report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    let gaps: Vec<_> = report
        .gap_values()
        .iter()
        .map(|gap| gap["required"] == true)
        .collect();
    assert_eq!(gaps, [false]);
    assert!(
        report.gap_values()[0]["reason"]
            .as_str()
            .unwrap()
            .contains("kube-scheduler"),
        "{:#}",
        report.json
    );
}

#[test]
fn refused_operators_are_a_gap_with_a_grant_and_missing_ones_are_none() {
    let user = "operator-blind";
    let rights = || {
        [("", "nodes"), ("", "pods"), ("coordination.k8s.io", "leases")]
            .into_iter()
            .flat_map(|(group, resource)| grant(user, None, group, resource))
    };
    let cluster = SINGLE.scenario(
        nodes()
            .into_iter()
            .chain(operators("1.37.2", false))
            .chain(rights()),
    );
    let report = Program::skew(&cluster.user(user)).args(ARGUMENTS).report();
    assert_eq!(report.gaps(), [("versions", false, vec!["clusteroperators"])]);
    assert_eq!(
        report.gap_values()[0]["grant"]["apiGroup"],
        json!("config.openshift.io")
    );
    drop(cluster);

    // MicroShift knows no operators at all.
    let cluster = SINGLE.scenario(nodes());
    let report = cluster.skew().args(ARGUMENTS).report();
    assert_eq!((report.verdict(), report.gaps()), (("ready", Some(0)), vec![]));
}
