//! The real kubectl runs the product as its plug-in; standard output holds the report and nothing else.

use crate::control_planes::SINGLE;
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
fn kubectl_runs_it_from_path() {
    let cluster = SINGLE.scenario(cluster());
    let direct = cluster.skew().args(["--target", "1.39", "-o", "json"]).run();
    let plugin = cluster
        .kubectl()
        .args(["skew", "--target", "1.39", "-o", "json"])
        .run();
    assert_eq!((&plugin.stdout, plugin.code), (&direct.stdout, direct.code));
    assert_eq!(plugin.report().verdict(), ("ready", Some(0)));
}

/// kubectl hands its exit code on.
#[test]
fn kubectl_passes_the_gate_on() {
    let mut objects = cluster();
    objects.push(node("old", "v1.30.0"));
    let cluster = SINGLE.scenario(objects);
    assert_eq!(
        cluster.kubectl().args(["skew", "--target", "1.38"]).run().code,
        Some(2)
    );
    assert_eq!(
        cluster.kubectl().args(["skew", "--target", "banana"]).run().code,
        Some(1)
    );
    assert_eq!(
        cluster
            .kubectl()
            .args(["skew", "--target", "1.38", "--fail-on", "never"])
            .run()
            .code,
        Some(0)
    );
}

#[test]
fn help_and_errors_speak_of_kubectl_skew() {
    let nobody = SINGLE.user("nobody");
    for program in [
        Program::kubectl(&nobody).args(["skew", "--help"]),
        Program::skew(&nobody).arg("--help"),
    ] {
        let help = program.run();
        let text = format!("{}{}", help.stdout, help.stderr);
        assert_eq!(help.code, Some(0));
        assert!(
            text.contains("kubectl skew") && !text.contains("kubectl-skew ["),
            "{text}"
        );
    }
}

/// Every format of a cluster with gaps and findings parses whole, whatever is said beside it.
#[test]
fn warnings_go_to_standard_error_alone() {
    let cluster = SINGLE.scenario(crate::mixed::cluster());
    let user = cluster.user("nobody");
    for program in [cluster.skew(), Program::skew(&user)] {
        let outcome = program.args(["--target", "1.38", "-o", "json", "-v=8"]).run();
        assert!(!outcome.stderr.is_empty());
        assert!(outcome.stdout.starts_with('{') && outcome.stdout.trim_end().ends_with('}'));
        outcome.report();
    }
    let table = cluster.skew().args(["--target", "1.38"]).run();
    assert!(
        table.stdout.contains("BLOCKED") || table.stdout.contains("blocked"),
        "{table:#?}"
    );
    assert_eq!(table.stderr, "");
}

/// What each level of `-v` adds stands in kubectl's words; and no level shows a credential.
#[test]
fn requests_are_shown_as_kubectl_shows_them() {
    let cluster = SINGLE.scenario(cluster());
    let token = "t0psecret-token-of-nobody";
    for (level, marks) in [
        ("5", &[][..]),
        (
            "6",
            &[
                "\"Response\" verb=\"GET\" url=\"https://",
                " status=\"200 OK\"",
                " milliseconds=",
            ],
        ),
        (
            "7",
            &[
                "\"Request\" verb=\"GET\" url=\"https://",
                " headers=<",
                "Authorization: Bearer <masked>",
            ],
        ),
        (
            "8",
            &[
                "\"Response Body\" body=",
                "Audit-Id: ",
                "\"Request\" verb=\"GET\" url=\"https://",
            ],
        ),
    ] {
        let level = format!("-v={level}");
        let login = format!("--token={token}");
        for program in [
            cluster.kubectl().arg("version"),
            cluster.skew().args(["--target", "1.38"]),
        ] {
            let outcome = program.args([level.as_str(), login.as_str()]).run();
            for mark in marks {
                assert!(
                    outcome.stderr.contains(mark),
                    "{level} lacks {mark}: {outcome:#?}"
                );
            }
            assert!(
                level != "-v=5" || !outcome.stderr.contains("https://"),
                "{outcome:#?}"
            );
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(!said.contains(token), "{level}: {outcome:#?}");
        }
    }
    let outcome = cluster.skew().args(["--target", "1.38", "-v=8"]).run();
    assert!(
        outcome.stderr.contains("\t  \"gitVersion\": \"v1.37."),
        "{outcome:#?}"
    );
    assert!(
        outcome.stderr.contains(" encoding=\"protobuf\" items="),
        "{outcome:#?}"
    );
}

/// Reading is all it does: after a run the server holds the same objects at the same revisions.
#[test]
fn nothing_is_changed_in_the_cluster() {
    let cluster = SINGLE.scenario(cluster());
    let revisions = || {
        let columns = "custom-columns=K:.kind,N:.metadata.name,R:.metadata.resourceVersion";
        let get = [
            "get",
            "nodes,pods,clusterroles,roles,clusterrolebindings,namespaces",
            "-A",
            "-o",
            columns,
        ];
        cluster.kubectl().args(get).run().success()
    };
    let before = revisions();
    cluster.skew().args(["--target", "1.39"]).report();
    assert_eq!(revisions(), before);
}
