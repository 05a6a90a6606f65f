//! `--target`: what it may be, and what is refused before anybody is asked.

use crate::control_planes::SINGLE;
use crate::support::front::Ear;
use crate::support::objects::{Object, control_plane, kube_proxy, node};
use crate::support::outcome::Program;

fn cluster() -> Vec<Object> {
    let mut objects = vec![
        node("cp-1", "v1.37.2").control_plane(),
        kube_proxy("cp-1", "v1.37.2"),
    ];
    objects.extend(control_plane("cp-1", "v1.37.2"));
    objects
}

#[test]
fn refused_before_any_request() {
    let ear = Ear::listen();
    let nobody = SINGLE.admin_at(&ear.address);
    for (arguments, words) in [
        (vec!["--target", "1.4"], vec!["1.4", "1.40", "quote"]),
        (vec!["--target", "1.15"], vec!["1.15", "1.16"]),
        (vec!["--target", "2.0"], vec!["2.0"]),
        (vec!["--target", "banana"], vec!["banana", "1.37"]),
        (vec!["--target", ""], vec!["--target"]),
        (vec!["--target", "+0"], vec!["+0"]),
        (vec!["--target", "1"], vec!["1"]),
        (vec!["--target", "1.37.x"], vec!["1.37.x"]),
        (vec!["--tarjet", "1.37"], vec!["--tarjet", "--target"]),
        (vec!["-o", "xml"], vec!["xml", "--output", "--help"]),
        (vec!["--fail-on", "sometimes"], vec!["sometimes", "blocker"]),
    ] {
        let outcome = Program::skew(&nobody).args(&arguments).run();
        outcome.is_error(1, &words);
    }
    assert_eq!(ear.heard(), 0);
}

#[test]
fn words_and_steps() {
    let cluster = SINGLE.scenario(cluster());
    for (target, resolved, path) in [
        ("next", "1.38", vec!["1.38"]),
        ("+1", "1.38", vec!["1.38"]),
        ("+2", "1.39", vec!["1.38", "1.39"]),
        ("v1.38.4-eks-3a10415", "1.38", vec!["1.38"]),
    ] {
        let report = cluster.skew().args(["--target", target]).report();
        assert_eq!(
            (report.text("/target"), report.verdict()),
            (resolved, ("ready", Some(0))),
            "{target}"
        );
        let hops = report.json["path"].as_array().unwrap();
        let hops: Vec<_> = hops.iter().map(|hop| hop["to"].as_str().unwrap()).collect();
        assert_eq!(hops, path, "{target}");
    }
}

#[test]
fn a_target_that_is_no_move() {
    let cluster = SINGLE.scenario(cluster());
    for target in ["1.37", "1.36", "1.20", "1.37.2", "1.37.1", "1.37.0"] {
        let report = cluster.skew().args(["--target", target]).report();
        assert_eq!(report.verdict(), ("unknown", Some(2)), "{target}");
        assert_eq!(report.gaps(), [("target", true, vec![])], "{target}");
        assert_eq!(report.findings(), [], "{target}");
        let allowed = cluster
            .skew()
            .args(["--target", target, "--allow-incomplete"])
            .report();
        assert_eq!(allowed.verdict(), ("unknown", Some(2)), "{target}");
        let never = cluster
            .skew()
            .args(["--target", target, "--fail-on", "never"])
            .report();
        assert_eq!(never.verdict(), ("unknown", Some(0)), "{target}");
    }
}

#[test]
fn a_patch_of_the_minor_that_runs() {
    let mut objects = cluster();
    objects.push(node("old", "v1.34.0"));
    let cluster = SINGLE.scenario(objects);
    let report = cluster.skew().args(["--target", "1.37.5"]).report();
    assert_eq!(report.text("/target"), "1.37.5");
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!((report.findings(), report.gaps()), (vec![], vec![]));
    assert_eq!(report.json["path"], serde_json::json!([]));
    assert_eq!(report.json["laggingKubelets"], serde_json::json!([]));
}

#[test]
fn a_target_too_far_to_be_meant() {
    let cluster = SINGLE.scenario(cluster());
    let outcome = cluster.skew().args(["--target", "1.58"]).run();
    outcome.is_error(1, &["1.58", "1.37"]);
    let furthest = cluster.skew().args(["--target", "1.57"]).report();
    assert_eq!(furthest.code, Some(2));
}

#[test]
fn without_a_target_today_is_what_counts() {
    let mut objects = cluster();
    objects.push(node("old", "v1.33.0"));
    let cluster = SINGLE.scenario(objects);
    let report = cluster.skew().report();
    assert_eq!((report.code, &report.json["inPolicy"]), (Some(2), &false.into()));
    assert_eq!(
        report.findings(),
        [("version-skew/kubelet-current", "warning", vec!["old"])]
    );
    assert_eq!(
        cluster.skew().args(["--fail-on", "blocker"]).report().code,
        Some(0)
    );
    let row = report.node("old");
    let preview: Vec<_> = row["hops"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["minor"].as_str().unwrap())
        .collect();
    assert_eq!(preview, ["1.38", "1.39", "1.40"]);
    assert_eq!(
        (&report.json["path"], &report.json["plan"]),
        (&serde_json::json!([]), &().into())
    );
}
