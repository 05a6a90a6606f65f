//! Clusters that cannot be reached, and namespaces that hold no control plane: one clear error, or one clear gap.

use serde_json::json;

use crate::control_planes::SINGLE;
use crate::support::Kubeconfig;
use crate::support::control_plane::free_ports;
use crate::support::objects::{Object, control_plane, kube_proxy, node};
use crate::support::outcome::Program;

#[test]
fn nobody_listens() {
    let [port] = free_ports();
    let dead = SINGLE.admin_at(&format!("127.0.0.1:{port}"));
    let outcome = Program::skew(&dead).args(["--target", "1.38"]).run();
    outcome.is_error(1, &[&format!("127.0.0.1:{port}"), "refused", "kubectl"]);
}

#[test]
fn another_service_listens() {
    let etcd_like = crate::support::front::Ear::listen();
    let wrong = SINGLE.admin_at(&etcd_like.address);
    let outcome = Program::skew(&wrong).args(["--request-timeout", "2s"]).run();
    outcome.is_error(1, &[&etcd_like.address]);
}

#[test]
fn the_context_is_wrong() {
    let outcome = Program::skew(&SINGLE.admin()).args(["--context", "tset"]).run();
    outcome.is_error(1, &["tset", "test"]);
    let none = SINGLE
        .admin()
        .changed("no-current", |config| config["current-context"] = json!(""));
    Program::skew(&none).run().is_error(1, &["--context"]);
}

#[test]
fn there_is_no_kubeconfig() {
    let nowhere = Kubeconfig {
        path: SINGLE.directory().join("not-there.kubeconfig"),
    };
    Program::skew(&nowhere).run().is_error(1, &["kubeconfig"]);
    let arguments = ["--kubeconfig", nowhere.path.to_str().unwrap()];
    Program::skew_alone()
        .args(arguments)
        .run()
        .is_error(1, &["not-there.kubeconfig"]);
    Program::skew_alone().run().is_error(1, &["--kubeconfig"]);
}

#[test]
fn the_certificate_is_of_another_authority() {
    let stranger = SINGLE.admin().changed("no-authority", |config| {
        config["clusters"][0]["cluster"]
            .as_object_mut()
            .unwrap()
            .remove("certificate-authority");
    });
    Program::skew(&stranger).run().is_error(1, &["certificate"]);
}

#[test]
fn nobody_knows_the_user() {
    let anonymous = SINGLE.admin().changed("anonymous", |config| {
        config["users"][0]["user"] = json!({"token": "not-a-token-of-this-cluster"});
    });
    let outcome = Program::skew(&anonymous).args(["--target", "1.38"]).run();
    outcome.is_error(1, &["nauthorized"]);
    assert!(!outcome.stderr.contains("not-a-token"), "{outcome:#?}");
}

fn hosted(namespace: &str) -> Vec<Object> {
    control_plane("hosting-1", "v1.35.2")
        .into_iter()
        .map(|pod| pod.namespaced(namespace))
        .collect()
}

#[test]
fn a_namespace_with_a_hosted_control_plane_is_judged_alone() {
    let mut objects = vec![node("hosting-1", "v1.37.0"), kube_proxy("hosting-1", "v1.37.0")];
    objects.extend(hosted("customer-7"));
    let cluster = SINGLE.scenario(objects);
    let report = cluster
        .skew()
        .args(["-n", "customer-7", "--target", "1.36"])
        .report();
    assert_eq!(
        (
            report.text("/controlPlane/oldest"),
            report.text("/controlPlane/newest")
        ),
        ("1.35", "1.35")
    );
    assert_eq!(report.instances().len(), 3);
    assert_eq!(report.json["nodes"], json!([]));
    assert_eq!(report.gaps(), [("versions", true, vec!["nodes"])]);
    assert_eq!(report.verdict(), ("unknown", Some(2)));
}

#[test]
fn a_namespace_without_one_is_a_gap_that_names_it() {
    let cluster = SINGLE.scenario([node("a", "v1.37.0"), kube_proxy("a", "v1.37.0")]);
    let report = cluster
        .skew()
        .args(["-n", "kube-sytem", "--target", "1.38"])
        .report();
    assert_eq!(report.verdict(), ("unknown", Some(2)));
    let names_it = |gap: &serde_json::Value| gap["reason"].as_str().unwrap().contains("kube-sytem");
    let required: Vec<_> = report
        .gap_values()
        .iter()
        .filter(|gap| gap["required"] == true)
        .collect();
    assert!(required.iter().any(|gap| names_it(gap)), "{:#}", report.json);
    // kube-system by name is what is read anyway.
    let same = cluster
        .skew()
        .args(["-n", "kube-system", "--target", "1.38"])
        .report();
    assert_eq!(same.verdict(), ("ready", Some(0)));
}

/// A preflight on a control plane host must not stand in the way of mending it, and must stand in the way of nothing else.
#[test]
fn best_effort_passes_only_where_nobody_answers() {
    let [port] = free_ports();
    let dead = SINGLE.admin_at(&format!("127.0.0.1:{port}"));
    let outcome = Program::skew(&dead)
        .args(["--target", "1.38", "--best-effort"])
        .run();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stderr.starts_with("Warning: "), "{outcome:#?}");
    let refused = SINGLE.admin().changed("refused", |config| {
        config["users"][0]["user"] = json!({"token": "unknown"});
    });
    let outcome = Program::skew(&refused)
        .args(["--target", "1.38", "--best-effort"])
        .run();
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    let wrong = Program::skew(&dead)
        .args(["--context", "nowhere", "--best-effort"])
        .run();
    assert_eq!(wrong.code, Some(1), "{wrong:#?}");
}
