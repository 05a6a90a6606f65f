//! Protobuf and JSON on the wire, live and saved, are one cluster and one report.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::{io::BufRead, io::BufReader};

use serde_json::{Map, Value, json};

use crate::control_planes::SINGLE;
use crate::mixed;
use crate::support::Kubeconfig;
use crate::support::control_plane::{Scenario, binaries};
use crate::support::front::JsonOnly;
use crate::support::outcome::Program;

/// A `kubectl proxy`, which ends with this value.
struct Proxy {
    child: Child,
    address: String,
}

impl Proxy {
    fn start(cluster: &Scenario<'_>) -> Self {
        let mut child = Command::new(binaries("1.37").join("kubectl"))
            .args(["proxy", "--port=0"])
            .env("KUBECONFIG", cluster.admin().path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        Self { child, address }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The report without what tells where it comes from.
pub(crate) fn judgement(mut report: Value) -> Value {
    for field in ["source", "kubectl"] {
        assert!(
            report.as_object_mut().unwrap().remove(field).is_some(),
            "no {field}"
        );
    }
    for instance in report["controlPlane"]["instances"].as_array_mut().unwrap() {
        assert!(instance.as_object_mut().unwrap().remove("from").is_some());
    }
    report
}

/// Asserts that two reports are the same; names the places where they are not.
pub(crate) fn assert_same(one: &Value, other: &Value, what: &str) {
    let mut places = Vec::new();
    differences(one, other, "", &mut places);
    assert!(places.is_empty(), "{what}:\n{}", places.join("\n"));
}

fn differences(one: &Value, other: &Value, place: &str, places: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for key in keys {
                let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                differences(&of(one), &of(other), &format!("{place}/{key}"), places);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(one, other, &format!("{place}/{index}"), places);
            }
        }
        (one, other) if one == other => {}
        (one, other) => places.push(format!("{place}: {one} and {other}")),
    }
}

#[test]
fn a_server_that_answers_json_gives_the_same_report() {
    let cluster = SINGLE.scenario(mixed::cluster());
    let proxy = Proxy::start(&cluster);
    let gateway = JsonOnly::start(proxy.address.clone());
    let through = Kubeconfig::write(
        &cluster.directory().join("gateway.kubeconfig"),
        &json!({"server": format!("http://{}", gateway.address)}),
        &json!({}),
    );
    for pages in ["500", "3"] {
        let arguments = ["--target", "1.38", "--chunk-size", pages];
        let mut protobuf = cluster.skew().args(arguments).report().json;
        let mut json = Program::skew(&through).args(arguments).report().json;
        for report in [&mut protobuf, &mut json] {
            report["source"]["apiServer"] = Value::Null;
        }
        assert_same(&json, &protobuf, pages);
    }
    assert!(gateway.wishes() > 0, "protobuf was never asked for");
}

#[test]
fn what_kubectl_saves_is_judged_like_the_cluster() {
    let cluster = SINGLE.scenario(mixed::cluster());
    let live = judgement(cluster.skew().args(["--target", "1.38"]).report().json);
    for format in ["json", "yaml"] {
        let get = ["get", "nodes,pods,leases", "-A", "-o", format];
        let objects = save(
            &cluster,
            &format!("objects.{format}"),
            cluster.kubectl().args(get),
        );
        let version = save(
            &cluster,
            &format!("version.{format}"),
            cluster.kubectl().args(["version", "-o", format]),
        );
        let dump = Program::skew_alone()
            .args(["-f", &objects, "-f", &version, "--target", "1.38"])
            .report();
        assert_same(&judgement(dump.json), &live, format);
    }
}

#[test]
fn what_save_writes_is_judged_like_the_cluster() {
    let cluster = SINGLE.scenario(mixed::cluster());
    let live = judgement(cluster.skew().args(["--target", "1.38"]).report().json);
    let path = cluster.directory().join("saved.json");
    cluster.skew().arg("save").arg(&path).run().success();
    let saved = Program::skew_alone()
        .args(["--target", "1.38", "-f"])
        .arg(&path)
        .report();
    assert_same(&judgement(saved.json), &live, "saved");
    // It is a List that kubectl reads.
    let names = cluster
        .kubectl()
        .args(["get", "-o", "name", "-f"])
        .arg(&path)
        .run();
    assert!(names.stdout.contains("node/web-1"), "{names:#?}");

    let redacted = cluster.directory().join("redacted.json");
    cluster
        .skew()
        .args(["save", "--redact"])
        .arg(&redacted)
        .run()
        .success();
    let text = std::fs::read_to_string(&redacted).unwrap();
    for name in ["web-1", "gke-2", "odd-4", "cp-1"] {
        assert!(!text.contains(name), "{name} is in the redacted snapshot");
    }
    let hidden = Program::skew_alone()
        .args(["--target", "1.38", "-f"])
        .arg(&redacted)
        .report();
    let counts = |report: &Value| -> Vec<(String, usize)> {
        let findings = report["findings"].as_array().unwrap().iter();
        findings
            .map(|one| (one["key"].to_string(), one["nodes"].as_array().unwrap().len()))
            .collect()
    };
    assert_eq!(counts(&hidden.json), counts(&live));
}

/// Writes what a program prints to a file of the scenario.
pub(crate) fn save(cluster: &Scenario<'_>, name: &str, program: Program) -> String {
    let path = cluster.directory().join(name);
    std::fs::write(&path, program.run().success()).unwrap();
    path.to_str().unwrap().to_owned()
}
