//! Plans for real clusters, as a careful operator would write them on paper.

use serde_json::{Value, json};

use crate::control_planes::{PAIR, SINGLE};
use crate::support::objects::{Object, control_plane, gke_kube_proxy, kube_proxy, node};
use crate::support::report::Report;

fn control_plane_node() -> Vec<Object> {
    let mut objects = vec![
        node("cp-1", "v1.37.2").control_plane(),
        kube_proxy("cp-1", "v1.37.2"),
    ];
    objects.extend(control_plane("cp-1", "v1.37.2"));
    objects
}

/// A line a step: kind, from → to, the nodes that roll, those whose kube-proxy moves.
fn steps(report: &Report) -> Vec<String> {
    let names = |list: &Value| -> String {
        let names: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        format!("[{}]", names.join(" "))
    };
    let steps = report.json["plan"]["steps"].as_array().unwrap();
    steps
        .iter()
        .map(|step| {
            let text = |field: &str| step[field].as_str().unwrap();
            assert!(
                step["reason"]["text"]
                    .as_str()
                    .is_some_and(|words| !words.is_empty())
            );
            assert_eq!(step["drain"], text("kind") == "kubelets", "{step:#}");
            let hop = format!("{} {} → {}", text("kind"), text("from"), text("to"));
            match text("kind") {
                "kubelets" => format!("{hop} {} {}", names(&step["nodes"]), names(&step["kubeProxyOf"])),
                "kubeProxy" => format!("{hop} {}", names(&step["kubeProxyOf"])),
                _ => hop,
            }
        })
        .collect()
}

fn counts(report: &Report) -> [u64; 3] {
    ["hops", "nodeRolls", "kubeProxyUpdates"].map(|field| report.json["plan"][field].as_u64().unwrap())
}

/// Two nodes must move before the first hop for their kubelets and one for its static kube-proxy; each moves once.
#[test]
fn nodes_that_a_hop_would_strand_move_first_and_once() {
    let mut objects = control_plane_node();
    for (name, version) in [
        ("web-1", "v1.37.0"),
        ("web-2", "v1.36.4"),
        ("old-1", "v1.34.1"),
        ("old-2", "v1.34.1"),
    ] {
        objects.extend([
            node(name, version).eks_pool(&name[..3]),
            kube_proxy(name, "v1.36.4"),
        ]);
    }
    objects.extend([
        node("gke-1", "v1.35.2").gke_pool("gke"),
        gke_kube_proxy("gke-1", "v1.34.4"),
    ]);
    let cluster = SINGLE.scenario(objects);
    let report = cluster
        .skew()
        .args(["--target", "1.39", "--policy", "upstream"])
        .report();
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        steps(&report),
        [
            "kubelets 1.34 → 1.37 [gke-1 old-1 old-2] [gke-1]",
            "hop 1.37 → 1.38",
            "hop 1.38 → 1.39",
        ]
    );
    assert_eq!(counts(&report), [2, 3, 0]);
    let plan = &report.json["plan"];
    assert_eq!(
        plan["optional"],
        json!(["cp-1", "gke-1", "old-1", "old-2", "web-1", "web-2"])
    );
    assert_eq!(
        (&plan["unplanned"], &plan["remaining"], &plan["obstacle"]),
        (&json!([]), &json!([]), &json!(null))
    );
    assert_eq!(
        report.json["path"][0]["moveFirst"],
        json!(["gke-1", "old-1", "old-2"])
    );

    // Had they moved, nothing would be in the way.
    let assumed = ["--assume", "pool/old=1.37", "--assume", "node/gke-1=1.37"];
    let report = cluster
        .skew()
        .args(["--target", "1.39", "--policy", "upstream"])
        .args(assumed)
        .report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!(
        report.json["assumed"],
        json!([
            {"selector": "pool/old", "minor": "1.37", "nodes": ["old-1", "old-2"]},
            {"selector": "node/gke-1", "minor": "1.37", "nodes": ["gke-1"]},
        ])
    );
    assert_eq!(steps(&report), ["hop 1.37 → 1.38", "hop 1.38 → 1.39"]);
}

/// The yearly catch-up: three minors in a row without a node's roll, or with one where a kubelet starts a minor behind.
#[test]
fn three_minors_need_no_roll_and_one_more_needs_one() {
    let mut objects = control_plane_node();
    objects.extend([node("a", "v1.37.0"), kube_proxy("a", "v1.37.0")]);
    let mut cluster = SINGLE.scenario(objects);
    let report = cluster.skew().args(["--target", "1.40"]).report();
    assert_eq!(report.verdict(), ("ready", Some(0)));
    assert_eq!(
        steps(&report),
        ["hop 1.37 → 1.38", "hop 1.38 → 1.39", "hop 1.39 → 1.40"]
    );
    assert_eq!(counts(&report), [3, 0, 0]);

    cluster.add([node("b", "v1.36.0"), kube_proxy("b", "v1.37.0")]);
    let report = cluster.skew().args(["--target", "1.40"]).report();
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        steps(&report),
        [
            "hop 1.37 → 1.38",
            "hop 1.38 → 1.39",
            "kubelets 1.36 → 1.39 [b] []",
            "hop 1.39 → 1.40"
        ]
    );
    assert_eq!(counts(&report), [3, 1, 0]);
}

/// One DaemonSet is one update, whatever the number of its pods, and drains nobody.
#[test]
fn a_daemon_set_moves_at_once() {
    let mut objects = vec![node("cp-1", "v1.37.2").control_plane()];
    objects.extend(control_plane("cp-1", "v1.37.2"));
    objects.extend(["a", "b"].map(|name| node(name, "v1.37.0")));
    objects.extend(["a", "b", "cp-1"].map(|name| kube_proxy(name, "v1.34.9")));
    let cluster = SINGLE.scenario(objects);
    let report = cluster.skew().args(["--target", "1.38"]).report();
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        steps(&report),
        ["kubeProxy 1.34 → 1.37 [a b cp-1]", "hop 1.37 → 1.38"]
    );
    assert_eq!(counts(&report), [1, 0, 1]);
}

/// Half way through an upgrade: it is finished first, and what is out today then goes to the new minor in one roll.
#[test]
fn an_upgrade_under_way_is_mended_and_finished() {
    let cluster = PAIR.scenario([
        node("at-33", "v1.33.1"),
        kube_proxy("at-33", "v1.36.0"),
        node("at-34", "v1.34.1"),
        kube_proxy("at-34", "v1.36.0"),
    ]);
    let report = cluster.skew().args(["--target", "1.37"]).report();
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(
        steps(&report),
        ["hop 1.36 → 1.37", "kubelets 1.33 → 1.37 [at-33] []"]
    );
}
