//! The clusters of `tests/cases`, served live: what the selection of pods gives is what the whole list gives.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubectl_skew::collect::dump::{self, DumpRequest, Input};
use kubectl_skew::collect::save::save;
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::{Listing, Observed};
use serde_json::{Value, json};

use crate::selection::{Read, shown};
use crate::server::{Reply, Server, page_of, parameter};
use crate::{in_parallel, read_in_pages};

/// The dump of a case; `None` where it is none that can be read.
fn observed(folder: &Path) -> Option<Observed> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let request = DumpRequest {
        inputs: files
            .filter(|path| !path.ends_with("case.yaml"))
            .map(Input::Path)
            .collect(),
        hosted: None,
        wanted: Wanted::default(),
        server_version: None,
    };
    Some(dump::observe(&request).ok()?.0)
}

/// The component pods of kube-system as an API server writes them, and others between them.
fn pods(mut observed: Observed) -> Vec<Value> {
    observed.nodes = Listing::default();
    observed.leases = Listing::default();
    observed.operators = Listing::default();
    let mut saved = Vec::new();
    save(&observed, false, &mut saved).unwrap();
    let mut saved: Value = serde_json::from_slice(&saved).unwrap();
    let mut pods = saved["items"].as_array_mut().unwrap().split_off(0);
    let namespace = |pod: &Value| {
        pod["metadata"]["namespace"]
            .as_str()
            .unwrap_or("kube-system")
            .to_owned()
    };
    pods.retain(|pod| namespace(pod) == "kube-system");
    for (at, pod) in pods.iter_mut().enumerate() {
        pod["metadata"]["namespace"] = "kube-system".into();
        pod["metadata"]["resourceVersion"] = at.to_string().into();
    }
    for workload in ["aa-agent", "cilium", "kube-dns", "zz-agent"] {
        for letter in ["b", "c", "d"] {
            pods.push(json!({
                "metadata": {"name": format!("{workload}-bbbb{letter}"), "namespace": "kube-system", "labels": {"app": workload}},
                "spec": {"nodeName": "n", "containers": [{"name": "main", "image": format!("r.io/{workload}:v1")}]},
                "status": {"phase": "Running"},
            }));
        }
    }
    pods.sort_by_key(name);
    pods
}

fn name(pod: &Value) -> String {
    pod["metadata"]["name"].as_str().unwrap().to_owned()
}

fn is_selected(pod: &Value, target: &str) -> bool {
    let label = |selector: String| {
        let (key, values) = selector.split_once(" in ").or(selector.split_once('=')).unwrap();
        let own = pod["metadata"]["labels"][key].as_str();
        let values = values.trim_matches(['(', ')']);
        own.is_some_and(|own| values.split(',').any(|value| value == own))
    };
    let by_name = |selector: String| selector == format!("metadata.name={}", name(pod));
    parameter(target, "labelSelector").is_none_or(label)
        && parameter(target, "fieldSelector").is_none_or(by_name)
}

fn answer(target: &str, pods: &[Value]) -> Reply {
    if Read::of(target).is_none() {
        return Reply::of(404, "text/plain", "404 page not found\n");
    }
    let selected: Vec<_> = pods.iter().filter(|pod| is_selected(pod, target)).collect();
    let (range, next) = page_of(target, selected.len());
    let page = &selected[range];
    let body = if Read::of(target) == Some(Read::Names) {
        let row = |pod: &&Value| json!({"cells": [name(pod), pod["spec"]["nodeName"]]});
        json!({"kind": "Table", "metadata": {"continue": next}, "columnDefinitions": [{"name": "Name"}, {"name": "Node"}],
               "rows": page.iter().map(row).collect::<Vec<_>>()})
    } else {
        json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": next}, "items": page})
    };
    Reply::json(200, body.to_string())
}

#[test]
fn every_case_is_read_alike_both_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let folders: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    assert!(folders.len() > 30);
    in_parallel(folders, |folder| {
        let Some(observed) = observed(&folder) else { return };
        let pods = pods(observed);
        let every_pod = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&every_pod);
        let server = Server::start(move |target| {
            let is_next_page = Read::of(target) == Some(Read::Whole);
            counter.fetch_add(usize::from(is_next_page), Ordering::SeqCst);
            answer(target, &pods)
        });
        let whole = read_in_pages(&server, 0).unwrap();
        for pages in [1, 4] {
            let selected = read_in_pages(&server, pages).unwrap();
            assert_eq!(
                shown(&selected),
                shown(&whole),
                "{} in pages of {pages}",
                folder.display()
            );
        }
    });
}
