//! Objects as a snapshot writes them: the fields that are read, in the form that Kubernetes gives them.

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;

use crate::collect::wire::objects::{
    Condition, Container, ContainerImage, ContainerState, ContainerStatus, Entry, LeaseSpec, NodeAddress,
    NodeSpec, NodeStatus, NodeSystemInfo, ObjectMeta, OperandVersion, OperatorStatus, OwnerReference,
    PodSpec, PodStatus, Presence, Taint,
};
use crate::inventory::observed::{
    self, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod,
};

/// An object of a List.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    api_version: &'static str,
    kind: &'static str,
    metadata: ObjectMeta,
    #[serde(flatten)]
    body: Body,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body {
    Node { spec: NodeSpec, status: NodeStatus },
    Pod { spec: PodSpec, status: PodStatus },
    Lease { spec: LeaseSpec },
    Operator { status: OperatorStatus },
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn filled(text: Option<&String>) -> Bytes {
    text.map(|text| bytes(text)).unwrap_or_default()
}

fn entries(pairs: &[(String, String)]) -> Vec<Entry> {
    let entry = |(key, value): &(String, String)| Entry {
        key: bytes(key),
        value: bytes(value),
    };
    pairs.iter().map(entry).collect()
}

fn meta(meta: &Meta) -> ObjectMeta {
    let owner = meta.owner.iter().map(|owner| OwnerReference {
        kind: bytes(&owner.kind),
        name: bytes(&owner.name),
        controller: true,
    });
    ObjectMeta {
        name: bytes(&meta.name),
        namespace: filled(meta.namespace.as_ref()),
        uid: filled(meta.uid.as_ref()),
        resource_version: filled(meta.resource_version.as_ref()),
        // When it was made and deleted is not read, only that it was. Without this and a uid it could be a manifest.
        creation_timestamp: Some(Timestamp::UNIX_EPOCH.into()),
        deletion_timestamp: meta.deleting.then(|| Timestamp::UNIX_EPOCH.into()),
        labels: entries(&meta.labels),
        annotations: entries(&meta.annotations),
        owner_references: owner.collect(),
    }
}

fn condition(name: &'static str, status: &str) -> Condition {
    Condition {
        r#type: Bytes::from_static(name.as_bytes()),
        status: bytes(status),
        last_heartbeat_time: None,
    }
}

pub(super) fn node(node: &ObservedNode) -> Item {
    let hostname = node.hostname.iter().map(|name| NodeAddress {
        r#type: Bytes::from_static(b"Hostname"),
        address: bytes(name),
    });
    let images = node.images.iter().map(|names| ContainerImage {
        names: names.iter().map(|name| bytes(name)).collect(),
    });
    let status = NodeStatus {
        conditions: node.ready.iter().map(|ready| condition("Ready", ready)).collect(),
        addresses: hostname.collect(),
        node_info: NodeSystemInfo {
            os_image: filled(node.os_image.as_ref()),
            container_runtime_version: filled(node.runtime_version.as_ref()),
            kubelet_version: filled(node.kubelet_version.as_ref()),
            operating_system: filled(node.os.as_ref()),
        },
        images: images.collect(),
    };
    let spec = NodeSpec {
        unschedulable: node.cordoned,
        taints: node.taints.iter().map(|key| Taint { key: bytes(key) }).collect(),
    };
    Item {
        api_version: "v1",
        kind: "Node",
        metadata: meta(&node.meta),
        body: Body::Node { spec, status },
    }
}

pub(super) fn pod(pod: &ObservedPod) -> Item {
    let spec = PodSpec {
        containers: pod.containers.iter().map(container).collect(),
        node_name: filled(pod.node.as_ref()),
    };
    let statuses = pod.statuses.iter().flatten();
    let status = PodStatus {
        phase: filled(pod.phase.as_ref()),
        container_statuses: statuses.map(container_status).collect(),
    };
    Item {
        api_version: "v1",
        kind: "Pod",
        metadata: meta(&pod.meta),
        body: Body::Pod { spec, status },
    }
}

fn container(container: &ObservedContainer) -> Container {
    Container {
        name: bytes(&container.name),
        image: filled(container.image.as_ref()),
        command: arguments(&container.arguments)
            .into_iter()
            .map(Bytes::from)
            .collect(),
        args: Vec::new(),
    }
}

/// The arguments that are read; the others may hold what is nobody's business. That there were any is read too.
pub(super) fn arguments(all: &[String]) -> Vec<String> {
    const FLAG: &str = "--emulated-version";
    let mut words = all.iter().flat_map(|argument| argument.split_whitespace());
    let mut kept = Vec::new();
    if !all.is_empty() {
        kept.push("component".to_owned());
    }
    while let Some(word) = words.next() {
        if word.starts_with(FLAG) {
            kept.push(word.to_owned());
            if word == FLAG {
                kept.extend(words.next().map(str::to_owned));
            }
        }
    }
    kept
}

fn container_status(status: &observed::ContainerStatus) -> ContainerStatus {
    let is = |state: bool| state.then_some(Presence {});
    ContainerStatus {
        name: bytes(&status.name),
        state: ContainerState {
            waiting: is(status.waiting),
            running: is(status.running),
            terminated: is(status.terminated),
        },
        last_state: ContainerState {
            terminated: is(status.has_last_state),
            ..ContainerState::default()
        },
        restart_count: i32::try_from(status.restarts).unwrap_or(i32::MAX),
        image: filled(status.image.as_ref()),
        image_id: filled(status.image_id.as_ref()),
    }
}

pub(super) fn lease(lease: &ObservedLease) -> Item {
    let spec = LeaseSpec {
        renew_time: lease.renewed.map(Into::into),
    };
    Item {
        api_version: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: meta(&lease.meta),
        body: Body::Lease { spec },
    }
}

pub(super) fn operator(operator: &ObservedOperator) -> Item {
    let version = |(name, version): &(String, String)| OperandVersion {
        name: bytes(name),
        version: bytes(version),
    };
    let progressing = if operator.progressing { "True" } else { "False" };
    let status = OperatorStatus {
        conditions: vec![condition("Progressing", progressing)],
        versions: operator.versions.iter().map(version).collect(),
    };
    Item {
        api_version: "config.openshift.io/v1",
        kind: "ClusterOperator",
        metadata: meta(&operator.meta),
        body: Body::Operator { status },
    }
}
