//! Small objects, and reading them through the public interface.

use std::path::PathBuf;

use kubectl_skew::collect::dump::{DumpError, DumpRequest, DumpSource, Input, observe};
use kubectl_skew::inventory::gap::{Gap, GapReason};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::{Listing, Observed};

/// A Node as JSON, without kind.
pub(crate) fn node(name: &str, kubelet: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","labels":{{"kubernetes.io/hostname":"{name}"}}}},"spec":{{}},"status":{{"conditions":[{{"type":"Ready","status":"True"}}],"nodeInfo":{{"kubeletVersion":"{kubelet}","operatingSystem":"linux"}}}}}}"#
    )
}

/// A kube-proxy Pod as JSON, without kind.
pub(crate) fn proxy(name: &str, node: &str, version: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"kube-system","labels":{{"k8s-app":"kube-proxy"}}}},"spec":{{"nodeName":"{node}","containers":[{{"name":"kube-proxy","image":"registry.k8s.io/kube-proxy:{version}"}}]}},"status":{{"phase":"Running"}}}}"#
    )
}

/// The same object with its kind.
pub(crate) fn with_kind(kind: &str, object: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"{kind}",{}"#, &object[1..])
}

/// A request for inputs of memory, under the names `0`, `1` …
pub(crate) fn request(texts: &[&[u8]]) -> DumpRequest {
    DumpRequest {
        inputs: texts
            .iter()
            .enumerate()
            .map(|(index, text)| Input::Bytes {
                name: index.to_string(),
                // Inputs of memory are those built into the binary: they live as long as it does.
                bytes: Box::leak(text.to_vec().into_boxed_slice()),
            })
            .collect(),
        hosted: None,
        wanted: Wanted::new([]),
        server_version: None,
    }
}

pub(crate) fn read_all(texts: &[&[u8]]) -> Result<(Observed, DumpSource), DumpError> {
    observe(&request(texts))
}

pub(crate) fn read(text: impl AsRef<[u8]>) -> Result<(Observed, DumpSource), DumpError> {
    read_all(&[text.as_ref()])
}

pub(crate) fn read_path(path: impl Into<PathBuf>) -> Result<(Observed, DumpSource), DumpError> {
    observe(&DumpRequest {
        inputs: vec![Input::Path(path.into())],
        ..request(&[])
    })
}

/// The error, with what caused it.
pub(crate) fn refused(text: impl AsRef<[u8]>) -> String {
    shown(&read(text).expect_err("this is not to be read"))
}

pub(crate) fn shown(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", shown(source)),
        None => error.to_string(),
    }
}

/// Names and kubelet versions.
pub(crate) fn kubelets(observed: &Observed) -> Vec<(String, String)> {
    observed
        .nodes
        .items()
        .iter()
        .map(|node| {
            (
                node.meta.name.clone(),
                node.kubelet_version.clone().unwrap_or_default(),
            )
        })
        .collect()
}

/// The names of the kept pods.
pub(crate) fn pods(observed: &Observed) -> Vec<String> {
    observed
        .pods
        .items()
        .iter()
        .map(|pod| pod.meta.name.clone())
        .collect()
}

/// How many objects a list held; `None` where there was none.
pub(crate) fn listed<T>(listing: &Listing<T>) -> Option<usize> {
    match listing {
        Listing::Read { listed, .. } => Some(*listed),
        Listing::NotAsked | Listing::Failed(_) => None,
    }
}

/// Every gap that reading left.
pub(crate) fn gaps(observed: &Observed) -> Vec<Gap> {
    let unread = observed.unread().into_iter();
    unread.map(|gap| Gap::of(GapReason::Read(gap))).collect()
}

/// Whether something that was read keeps a verdict from being ready.
pub(crate) fn is_incomplete(observed: &Observed) -> bool {
    gaps(observed).iter().any(|gap| gap.required)
}
