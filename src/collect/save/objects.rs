//! Objects as a snapshot writes them: the fields that are read, in the form that Kubernetes gives them.

use serde_json::{Map, Value, json};

use crate::inventory::observed::{
    ContainerStatus, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod,
};

/// A member that is there only where it says something.
fn put(object: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}

fn pairs(pairs: &[(String, String)]) -> Option<Value> {
    let map: Map<String, Value> = pairs
        .iter()
        .map(|(key, value)| (key.clone(), json!(value)))
        .collect();
    (!map.is_empty()).then_some(Value::Object(map))
}

fn meta(meta: &Meta) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(meta.name));
    put(&mut object, "namespace", meta.namespace.clone());
    put(&mut object, "uid", meta.uid.clone());
    put(&mut object, "resourceVersion", meta.resource_version.clone());
    put(&mut object, "labels", pairs(&meta.labels));
    put(&mut object, "annotations", pairs(&meta.annotations));
    // It was observed: without this and a uid it could be a manifest.
    object.insert("creationTimestamp".to_owned(), json!("1970-01-01T00:00:00Z"));
    // When it was deleted is not read, only that it was.
    put(
        &mut object,
        "deletionTimestamp",
        meta.deleting.then_some("1970-01-01T00:00:00Z"),
    );
    let owner = meta.owner.as_ref().map(|owner| {
        json!([{"apiVersion": "", "kind": owner.kind, "name": owner.name, "uid": "", "controller": true}])
    });
    put(&mut object, "ownerReferences", owner);
    Value::Object(object)
}

pub(super) fn node(node: &ObservedNode) -> Value {
    let mut spec = Map::new();
    put(&mut spec, "unschedulable", node.cordoned.then_some(true));
    let taints: Vec<Value> = node
        .taints
        .iter()
        .map(|key| json!({"key": key, "effect": "NoSchedule"}))
        .collect();
    put(&mut spec, "taints", (!taints.is_empty()).then_some(taints));
    let mut info = Map::new();
    put(&mut info, "kubeletVersion", node.kubelet_version.clone());
    put(&mut info, "containerRuntimeVersion", node.runtime_version.clone());
    put(&mut info, "operatingSystem", node.os.clone());
    put(&mut info, "osImage", node.os_image.clone());
    let mut status = Map::new();
    let ready = node
        .ready
        .as_ref()
        .map(|ready| json!([{"type": "Ready", "status": ready}]));
    put(&mut status, "conditions", ready);
    let hostname = node
        .hostname
        .as_ref()
        .map(|name| json!([{"type": "Hostname", "address": name}]));
    put(&mut status, "addresses", hostname);
    let images: Vec<Value> = node.images.iter().map(|names| json!({"names": names})).collect();
    put(&mut status, "images", (!images.is_empty()).then_some(images));
    status.insert("nodeInfo".to_owned(), Value::Object(info));
    json!({"apiVersion": "v1", "kind": "Node", "metadata": meta(&node.meta), "spec": spec, "status": status})
}

pub(super) fn pod(pod: &ObservedPod) -> Value {
    let mut spec = Map::new();
    put(&mut spec, "nodeName", pod.node.clone());
    let containers: Vec<Value> = pod.containers.iter().map(container).collect();
    spec.insert("containers".to_owned(), Value::Array(containers));
    let mut object = Map::new();
    object.insert("apiVersion".to_owned(), json!("v1"));
    object.insert("kind".to_owned(), json!("Pod"));
    object.insert("metadata".to_owned(), meta(&pod.meta));
    object.insert("spec".to_owned(), Value::Object(spec));
    if pod.has_status {
        let mut status = Map::new();
        // A status that says nothing that is read is a status all the same.
        status.insert("conditions".to_owned(), json!([]));
        put(&mut status, "phase", pod.phase.clone());
        let statuses = pod
            .statuses
            .as_ref()
            .map(|statuses| statuses.iter().map(container_status).collect::<Vec<_>>());
        put(&mut status, "containerStatuses", statuses);
        object.insert("status".to_owned(), Value::Object(status));
    }
    Value::Object(object)
}

fn container(container: &ObservedContainer) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(container.name));
    put(&mut object, "image", container.image.clone());
    let command = arguments(&container.arguments);
    put(&mut object, "command", (!command.is_empty()).then_some(command));
    Value::Object(object)
}

/// The arguments that are read; the others may hold what is nobody's business. That there were any is read too.
fn arguments(all: &[String]) -> Vec<String> {
    const FLAG: &str = "--emulated-version";
    let mut words = all.iter().flat_map(|argument| argument.split_whitespace());
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == FLAG {
            kept.push(word.to_owned());
            kept.extend(words.next().map(ToOwned::to_owned));
        } else if word.starts_with(FLAG) {
            kept.push(word.to_owned());
        }
    }
    if !all.is_empty() {
        kept.insert(0, "component".to_owned());
    }
    kept
}

fn container_status(status: &ContainerStatus) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(status.name));
    object.insert("ready".to_owned(), json!(status.running));
    object.insert("restartCount".to_owned(), json!(status.restarts));
    put(&mut object, "image", status.image.clone());
    put(&mut object, "imageID", status.image_id.clone());
    let mut state = Map::new();
    put(&mut state, "waiting", status.waiting.then(|| json!({})));
    put(&mut state, "running", status.running.then(|| json!({})));
    put(
        &mut state,
        "terminated",
        status.terminated.then(|| json!({"exitCode": 0})),
    );
    put(&mut object, "state", (!state.is_empty()).then_some(state));
    let last = status
        .has_last_state
        .then(|| json!({"terminated": {"exitCode": 0}}));
    put(&mut object, "lastState", last);
    Value::Object(object)
}

pub(super) fn lease(lease: &ObservedLease) -> Value {
    let mut spec = Map::new();
    // A Lease keeps microseconds, and kubectl reads no other form.
    let renewed = lease.renewed.map(|time| format!("{time:.6}"));
    put(&mut spec, "renewTime", renewed);
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta(&lease.meta), "spec": spec,
    })
}

pub(super) fn operator(operator: &ObservedOperator) -> Value {
    let versions: Vec<Value> = operator
        .versions
        .iter()
        .map(|(name, version)| json!({"name": name, "version": version}))
        .collect();
    let progressing = if operator.progressing { "True" } else { "False" };
    json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": meta(&operator.meta),
        "status": {"versions": versions, "conditions": [{"type": "Progressing", "status": progressing}]},
    })
}
