//! Users who may not read everything: what is refused is a gap with its way out, and the rest is judged.

use serde_json::{Value, json};

use crate::control_planes::{PAIR, SINGLE};
use crate::support::control_plane::repository;
use crate::support::objects::{Object, bind, control_plane, grant, kube_proxy, node};
use crate::support::outcome::Program;
use crate::support::report::Report;

/// Legal for 1.38, but for one kubelet.
fn cluster() -> Vec<Object> {
    let mut objects = vec![
        node("cp-1", "v1.37.2").control_plane(),
        kube_proxy("cp-1", "v1.37.2"),
        node("old", "v1.34.0"),
    ];
    objects.extend(control_plane("cp-1", "v1.37.2"));
    objects
}

/// What was skipped, and whether the verdict hangs on it, without an order.
fn skipped(report: &Report) -> Vec<(String, bool)> {
    let mut gaps: Vec<_> = report
        .gaps()
        .into_iter()
        .map(|(capability, required, skipped)| {
            assert_eq!(capability, "versions");
            (skipped.join(","), required)
        })
        .collect();
    gaps.sort();
    gaps
}

fn gap_of<'a>(report: &'a Report, skipped: &str) -> &'a Value {
    let gaps = report.gap_values().iter();
    gaps.clone()
        .find(|gap| gap["skipped"] == json!([skipped]))
        .unwrap_or_else(|| panic!("no gap for {skipped} in {:#}", report.json))
}

/// The command that a user would paste, at a JSON pointer into a gap.
fn command<'a>(gap: &'a Value, pointer: &str) -> &'a str {
    let line = gap.pointer(pointer).and_then(Value::as_str);
    line.unwrap_or_else(|| panic!("no {pointer} in {gap:#}"))
}

/// The roles and bindings that the command of a gap's grant makes.
fn granted(gap: &Value) -> Vec<Object> {
    let (scope, namespace) = match gap["grant"]["namespace"].as_str() {
        Some(namespace) => ("", Some(namespace)),
        None => ("Cluster", None),
    };
    let line = command(gap, "/grant/command");
    let name = line.split_whitespace().nth(3).unwrap();
    ["Role", "RoleBinding"]
        .map(|kind| {
            Object::new(
                "rbac.authorization.k8s.io/v1",
                &format!("{scope}{kind}"),
                namespace,
                name,
            )
        })
        .to_vec()
}

#[test]
fn without_rights_everything_is_a_gap_and_the_printed_grants_mend_it() {
    let mut cluster = SINGLE.scenario(cluster());
    let user = cluster.user("nobody-in-particular");
    let skew = || Program::skew(&user).args(["--target", "1.38"]);

    let report = skew().report();
    assert_eq!(report.verdict(), ("unknown", Some(2)));
    let expected = [("leases", false), ("nodes", true), ("pods", true)];
    assert_eq!(
        skipped(&report),
        expected.map(|(kind, required)| (kind.to_owned(), required))
    );
    assert_eq!(report.findings(), []);
    // /version is everybody's.
    assert_eq!(report.text("/serverVersion"), "v1.37.2");

    for gap in report.gap_values() {
        // What verifies by hand is refused to this user and answers an administrator.
        let verify = command(gap, "/verify");
        assert_ne!(Program::shell(verify, &user).run().code, Some(0), "{verify}");
        Program::shell(verify, &cluster.admin()).run().success();
    }
    for kind in ["nodes", "pods", "leases"] {
        let gap = gap_of(&report, kind);
        let line = command(gap, "/grant/command");
        Program::shell(line, &cluster.admin()).run().success();
        cluster.adopt(granted(gap));
        let now = skew().report();
        assert!(
            !skipped(&now).iter().any(|(skipped, _)| skipped == kind),
            "{line}\nran, but {:#}",
            now.json
        );
    }
    let report = skew().report();
    assert_eq!(report.gaps(), []);
    assert_eq!(
        report.findings(),
        [("version-skew/kubelet-post-upgrade", "blocker", vec!["old"])]
    );
    assert_eq!(report.verdict(), ("blocked", Some(2)));
}

#[test]
fn with_rights_on_nodes_alone_kubelets_are_judged() {
    let mut objects = cluster();
    objects.extend(grant("nodes-only", None, "", "nodes"));
    let cluster = SINGLE.scenario(objects);
    let report = Program::skew(&cluster.user("nodes-only"))
        .args(["--target", "1.38"])
        .report();
    assert_eq!(
        report.findings(),
        [("version-skew/kubelet-post-upgrade", "blocker", vec!["old"])]
    );
    assert_eq!(
        skipped(&report),
        [("leases".to_owned(), false), ("pods".to_owned(), true)]
    );
    assert_eq!(report.verdict(), ("blocked", Some(2)));
    assert_eq!(report.node("old")["kubelet"]["minor"], "1.34");
}

/// A refused read never passes for an empty one: take the blocker away, and the verdict is unknown, in every format.
#[test]
fn a_refused_read_is_never_ready() {
    let mut objects = vec![node("a", "v1.37.0")];
    objects.extend(grant("half", None, "", "nodes"));
    let cluster = SINGLE.scenario(objects);
    let user = cluster.user("half");
    for format in [
        "table", "wide", "json", "yaml", "junit", "sarif", "markdown", "csv", "html", "name",
    ] {
        let outcome = Program::skew(&user)
            .args(["--target", "1.38", "-o", format])
            .run();
        assert_eq!(outcome.code, Some(2), "{format}: {outcome:#?}");
    }
}

#[test]
fn the_shipped_rules_are_enough_and_none_is_too_many() {
    let rules = repository().join("plugin-manifest/rbac.yaml");
    let mut cluster = PAIR.scenario([node("a", "v1.36.1"), kube_proxy("a", "v1.36.1")]);
    let made = cluster
        .kubectl()
        .args(["apply", "-o", "json", "-f"])
        .arg(&rules)
        .run()
        .success();
    let made: Value = serde_json::from_str(&made).unwrap();
    let made: Vec<_> = made["items"]
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(Object::from_json)
        .collect();
    // Nobody here would finish the deletion of a namespace.
    cluster.adopt(made.iter().filter(|object| object.kind() != "Namespace").cloned());
    let roles: Vec<_> = made
        .into_iter()
        .filter(|object| object.kind().ends_with("Role"))
        .collect();
    cluster.add(roles.iter().map(|role| bind("reader", role)));
    let user = cluster.user("reader");
    let skew = || Program::skew(&user).args(["--target", "next"]).report();

    let report = skew();
    assert_eq!((report.gaps(), report.verdict()), (vec![], ("ready", Some(0))));
    for (resource, required) in [("nodes", true), ("pods", true), ("leases", false)] {
        let tells = |rule: &Value| rule["resources"] == json!([resource]);
        let role = roles
            .iter()
            .find(|role| role.json["rules"].as_array().unwrap().iter().any(tells));
        let role = role.unwrap_or_else(|| panic!("no rule for {resource} alone"));
        let patch = |rules: Vec<&Value>| {
            let patch = json!({"rules": rules}).to_string();
            let namespace = role.namespace().unwrap_or("default");
            let words = [
                "patch",
                role.kind(),
                role.name(),
                "-n",
                namespace,
                "--type=merge",
                "-p",
                &patch,
            ];
            cluster.kubectl().args(words).run().success();
        };
        let all = role.json["rules"].as_array().unwrap();
        patch(all.iter().filter(|rule| !tells(rule)).collect());
        let report = skew();
        assert_eq!(
            skipped(&report),
            [(resource.to_owned(), required)],
            "without {resource}"
        );
        assert_eq!(report.gap_values()[0]["grant"]["resource"], resource);
        patch(all.iter().collect());
    }
}
