//! What goes with the plugin: the rendered manifest is the template's, and the rights are those that a report asks for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[cfg(unix)]
#[test]
fn the_manifest_is_rendered_from_the_template() {
    let rendered = Command::new(path("krew/render"))
        .arg("--unreleased")
        .output()
        .unwrap();
    assert!(rendered.status.success(), "{rendered:?}");
    let rendered = String::from_utf8(rendered.stdout).unwrap();
    let committed = std::fs::read_to_string(path("plugin-manifest/skew.yaml")).unwrap();
    let without_sums = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.trim_start().starts_with("sha256: "))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(without_sums(&committed), without_sums(&rendered));
    let version = concat!("\n  version: v", env!("CARGO_PKG_VERSION"), "\n");
    assert!(committed.contains(version), "{version}");
}

/// A cluster that answers `/version` and refuses every list.
fn refusing_server() -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in server.incoming() {
            let connection = connection.unwrap();
            std::thread::spawn(move || refuse(connection));
        }
    });
    address
}

fn refuse(connection: TcpStream) {
    let mut requests = BufReader::new(connection.try_clone().unwrap());
    let mut connection = connection;
    loop {
        let mut first = String::new();
        if requests.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut header = String::new();
        while requests.read_line(&mut header).unwrap_or(0) > 2 {
            header.clear();
        }
        let (status, body) = if first.starts_with("GET /version") {
            ("200 OK", r#"{"major":"1","minor":"37","gitVersion":"v1.37.2"}"#)
        } else {
            (
                "403 Forbidden",
                r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden: User \"reader\" cannot list"}"#,
            )
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if connection.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// A rule as `NAMESPACE GROUP/RESOURCE VERBS`; the namespace of a rule of the whole cluster is `*`.
fn asked_for(grant: &str) -> String {
    let words: Vec<&str> = grant.split(" && ").next().unwrap().split(' ').collect();
    let value = |flag: &str| words.iter().find_map(|word| word.strip_prefix(flag));
    let namespace = words
        .iter()
        .position(|word| *word == "-n")
        .map_or("*", |at| words[at + 1]);
    let resource = value("--resource=").unwrap();
    let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
    format!("{namespace} {group}/{resource} {}", value("--verb=").unwrap())
}

#[test]
fn the_rights_are_those_that_a_report_asks_for() {
    let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .args(["--server", &refusing_server(), "-o", "json"])
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("KUBECONFIG")
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let asked: BTreeSet<String> = report["notAssessed"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|gap| gap["grant"]["command"].as_str())
        .map(asked_for)
        .collect();
    assert_eq!(asked.len(), 3, "{asked:?}");

    let mut given = BTreeSet::new();
    let mut for_openshift = BTreeSet::new();
    for document in std::fs::read_to_string(path("plugin-manifest/rbac.yaml"))
        .unwrap()
        .split("\n---\n")
    {
        let object: Value = serde_saphyr::from_str(document).unwrap();
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or("*");
        for rule in object["rules"].as_array().into_iter().flatten() {
            let list = |field: &str| {
                let words = rule[field].as_array().unwrap().iter();
                words
                    .map(|word| word.as_str().unwrap())
                    .collect::<Vec<_>>()
                    .join(",")
            };
            let rule = format!(
                "{namespace} {}/{} {}",
                list("apiGroups"),
                list("resources"),
                list("verbs")
            );
            let is_openshifts = object["metadata"]["name"] == "kubectl-skew-openshift";
            let set = if is_openshifts {
                &mut for_openshift
            } else {
                &mut given
            };
            set.insert(rule);
        }
    }
    assert_eq!(given, asked);
    assert_eq!(
        for_openshift,
        BTreeSet::from(["* config.openshift.io/clusteroperators list".to_owned()])
    );
}
