//! Kubernetes' objects in protobuf: messages that name only the fields read, so that everything else is
//! skipped without being built. Field numbers are those of the public `generated.proto` files of
//! `k8s.io/api/core/v1`, `k8s.io/api/coordination/v1` and `k8s.io/apimachinery/pkg/apis/meta/v1`.
//!
//! Texts are bytes here and become text at the end: a broken name must not take its object away. An empty
//! text counts as absent, because protobuf writes one where JSON leaves the field out.
//!
//! Longer than most files: a message and what is read of it change together.

use bytes::Bytes;
use jiff::Timestamp;
use prost::{DecodeError, Message};

use crate::inventory::component_pod::may_be_component;
use crate::inventory::image::names_component;
use crate::inventory::labels::{Wanted, is_virtual_taint};
use crate::inventory::observed::{
    ContainerStatus, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedPod, Owner,
};
use crate::inventory::platform::shows_platform;
use crate::inventory::read_gap::{Malformed, bounded};

// meta/v1

/// `ListMeta`.
#[derive(Clone, PartialEq, Message)]
pub struct ListMeta {
    /// The token of the next page; empty on the last.
    #[prost(bytes = "bytes", tag = "3")]
    pub r#continue: Bytes,
}

/// `Status`: what a refused request is answered with.
#[derive(Clone, PartialEq, Message)]
pub struct Status {
    /// What went wrong, for people.
    #[prost(bytes = "bytes", tag = "3")]
    pub message: Bytes,
    /// What went wrong, in one word.
    #[prost(bytes = "bytes", tag = "4")]
    pub reason: Bytes,
    /// The HTTP status.
    #[prost(int32, tag = "6")]
    pub code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct ObjectMeta {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    namespace: Bytes,
    #[prost(bytes = "bytes", tag = "5")]
    uid: Bytes,
    #[prost(bytes = "bytes", tag = "6")]
    resource_version: Bytes,
    #[prost(message, optional, tag = "9")]
    deletion_timestamp: Option<Presence>,
    #[prost(message, repeated, tag = "11")]
    labels: Vec<Entry>,
    #[prost(message, repeated, tag = "12")]
    annotations: Vec<Entry>,
    #[prost(message, repeated, tag = "13")]
    owner_references: Vec<OwnerReference>,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(bytes = "bytes", tag = "1")]
    key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    value: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct OwnerReference {
    #[prost(bytes = "bytes", tag = "1")]
    kind: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    name: Bytes,
    #[prost(bool, tag = "6")]
    controller: bool,
}

/// A message of which only its being there counts.
#[derive(Clone, PartialEq, Message)]
struct Presence {}

#[derive(Clone, PartialEq, Message)]
struct MicroTime {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

// core/v1

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    spec: Option<NodeSpec>,
    #[prost(message, optional, tag = "3")]
    status: Option<NodeStatus>,
}

#[derive(Clone, PartialEq, Message)]
struct NodeSpec {
    #[prost(bool, tag = "4")]
    unschedulable: bool,
    #[prost(message, repeated, tag = "5")]
    taints: Vec<Taint>,
}

#[derive(Clone, PartialEq, Message)]
struct Taint {
    #[prost(bytes = "bytes", tag = "1")]
    key: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct NodeStatus {
    #[prost(message, repeated, tag = "4")]
    conditions: Vec<Typed>,
    #[prost(message, repeated, tag = "5")]
    addresses: Vec<Typed>,
    #[prost(message, optional, tag = "7")]
    node_info: Option<NodeSystemInfo>,
    #[prost(message, repeated, tag = "8")]
    images: Vec<ContainerImage>,
}

/// `NodeCondition` and `NodeAddress`: a type and what it says.
#[derive(Clone, PartialEq, Message)]
struct Typed {
    #[prost(bytes = "bytes", tag = "1")]
    r#type: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    says: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct NodeSystemInfo {
    #[prost(bytes = "bytes", tag = "5")]
    os_image: Bytes,
    #[prost(bytes = "bytes", tag = "6")]
    container_runtime_version: Bytes,
    #[prost(bytes = "bytes", tag = "7")]
    kubelet_version: Bytes,
    #[prost(bytes = "bytes", tag = "9")]
    operating_system: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct ContainerImage {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    names: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Pod {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    spec: Option<PodSpec>,
    #[prost(message, optional, tag = "3")]
    status: Option<PodStatus>,
}

#[derive(Clone, PartialEq, Message)]
struct PodSpec {
    #[prost(message, repeated, tag = "2")]
    containers: Vec<Container>,
    #[prost(bytes = "bytes", tag = "10")]
    node_name: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Container {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    image: Bytes,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    command: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    args: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct PodStatus {
    #[prost(bytes = "bytes", tag = "1")]
    phase: Bytes,
    #[prost(message, repeated, tag = "8")]
    container_statuses: Vec<WireContainerStatus>,
    #[prost(bytes = "bytes", tag = "9")]
    qos_class: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct WireContainerStatus {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(message, optional, tag = "2")]
    state: Option<ContainerState>,
    #[prost(message, optional, tag = "3")]
    last_state: Option<ContainerState>,
    #[prost(int32, tag = "5")]
    restart_count: i32,
    #[prost(bytes = "bytes", tag = "6")]
    image: Bytes,
    #[prost(bytes = "bytes", tag = "7")]
    image_id: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct ContainerState {
    #[prost(message, optional, tag = "1")]
    waiting: Option<Presence>,
    #[prost(message, optional, tag = "2")]
    running: Option<Presence>,
    #[prost(message, optional, tag = "3")]
    terminated: Option<Presence>,
}

// coordination/v1

#[derive(Clone, PartialEq, Message)]
struct Lease {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    spec: Option<LeaseSpec>,
}

#[derive(Clone, PartialEq, Message)]
struct LeaseSpec {
    #[prost(message, optional, tag = "4")]
    renew_time: Option<MicroTime>,
}

/// Why one object could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// It breaks the encoding.
    #[error("it breaks the protobuf encoding: {0}")]
    Encoding(#[from] DecodeError),
    /// It has no name.
    #[error("it has no metadata.name")]
    Nameless,
    /// A Pod without containers and without a label that tells its component.
    #[error("it has no spec.containers")]
    Bare,
}

impl From<ItemError> for Malformed {
    fn from(error: ItemError) -> Self {
        match error {
            ItemError::Encoding(error) => Self::Encoding {
                detail: bounded(&error.to_string()),
            },
            ItemError::Nameless => Self::Nameless,
            ItemError::Bare => Self::NoContainers,
        }
    }
}

/// Decodes a Node.
pub fn node(bytes: Bytes, wanted: &Wanted) -> Result<ObservedNode, ItemError> {
    let Node {
        metadata,
        spec,
        status,
    } = Node::decode(bytes)?;
    let spec = spec.unwrap_or_default();
    let status = status.unwrap_or_default();
    let info = status.node_info.unwrap_or_default();
    let says = |list: &[Typed], name: &str| {
        list.iter()
            .find(|entry| entry.r#type == name.as_bytes())
            .and_then(|entry| text(&entry.says))
    };
    let mut node = ObservedNode {
        meta: meta(metadata, wanted)?,
        cordoned: spec.unschedulable,
        taints: spec
            .taints
            .iter()
            .filter_map(|taint| text(&taint.key))
            .filter(|key| is_virtual_taint(key))
            .collect(),
        ready: says(&status.conditions, "Ready"),
        kubelet_version: text(&info.kubelet_version),
        runtime_version: text(&info.container_runtime_version),
        os: text(&info.operating_system),
        os_image: std::str::from_utf8(&info.os_image)
            .ok()
            .and_then(shows_platform)
            .map(str::to_owned),
        hostname: says(&status.addresses, "Hostname"),
        images: status.images.iter().filter_map(component_image).collect(),
    };
    node.shrink();
    Ok(node)
}

/// Decodes a Pod, or passes over it where it cannot be a component's; `hosted` is the namespace of `-n`.
pub fn pod(bytes: Bytes, wanted: &Wanted, hosted: Option<&str>) -> Result<Option<ObservedPod>, ItemError> {
    let Pod {
        metadata,
        spec,
        status,
    } = Pod::decode(bytes)?;
    let spec = spec.unwrap_or_default();
    let meta = meta(metadata, wanted)?;
    let images = spec
        .containers
        .iter()
        .filter_map(|it| std::str::from_utf8(&it.image).ok());
    if !may_be_component(
        meta.namespace.as_deref(),
        &meta.name,
        &meta.labels,
        images,
        hosted,
    ) {
        // Without containers nothing tells what it runs.
        return if spec.containers.is_empty() {
            Err(ItemError::Bare)
        } else {
            Ok(None)
        };
    }
    let status = status.unwrap_or_default();
    let statuses: Vec<_> = status.container_statuses.iter().map(container_status).collect();
    let mut pod = ObservedPod {
        meta,
        node: text(&spec.node_name),
        has_status: !(status.phase.is_empty() && status.qos_class.is_empty() && statuses.is_empty()),
        phase: text(&status.phase),
        containers: spec.containers.iter().map(container).collect(),
        statuses: (!statuses.is_empty()).then_some(statuses),
    };
    pod.shrink();
    Ok(Some(pod))
}

/// Decodes a Lease.
pub fn lease(bytes: Bytes) -> Result<ObservedLease, ItemError> {
    let Lease { metadata, spec } = Lease::decode(bytes)?;
    let renewed = spec
        .and_then(|spec| spec.renew_time)
        .and_then(|time| Timestamp::new(time.seconds, time.nanos).ok());
    Ok(ObservedLease {
        meta: meta(metadata, &Wanted::default())?,
        renewed,
    })
}

/// The name of an object that does not decode as a whole, where at least its metadata does.
pub fn name_of(bytes: Bytes) -> Option<String> {
    #[derive(Clone, PartialEq, Message)]
    struct Named {
        #[prost(bytes = "bytes", tag = "1")]
        metadata: Bytes,
    }
    #[derive(Clone, PartialEq, Message)]
    struct Name {
        #[prost(bytes = "bytes", tag = "1")]
        name: Bytes,
    }
    let named = Named::decode(bytes).ok()?;
    text(&Name::decode(named.metadata).ok()?.name)
}

fn container(container: &Container) -> ObservedContainer {
    ObservedContainer {
        name: lossy(&container.name),
        image: text(&container.image),
        arguments: container
            .command
            .iter()
            .chain(&container.args)
            .map(lossy)
            .collect(),
    }
}

fn container_status(status: &WireContainerStatus) -> ContainerStatus {
    let state = status.state.clone().unwrap_or_default();
    let last = status.last_state.clone().unwrap_or_default();
    ContainerStatus {
        name: lossy(&status.name),
        image: text(&status.image),
        image_id: text(&status.image_id),
        restarts: u32::try_from(status.restart_count).unwrap_or(0),
        waiting: state.waiting.is_some(),
        running: state.running.is_some(),
        terminated: state.terminated.is_some(),
        has_last_state: last != ContainerState::default(),
    }
}

fn meta(metadata: Option<ObjectMeta>, wanted: &Wanted) -> Result<Meta, ItemError> {
    let metadata = metadata.unwrap_or_default();
    let owner = metadata
        .owner_references
        .iter()
        .find(|owner| owner.controller)
        .or(metadata.owner_references.first())
        .map(|owner| Owner {
            kind: lossy(&owner.kind),
            name: lossy(&owner.name),
        });
    Ok(Meta {
        name: text(&metadata.name).ok_or(ItemError::Nameless)?,
        namespace: text(&metadata.namespace),
        uid: text(&metadata.uid),
        resource_version: text(&metadata.resource_version),
        labels: entries(&metadata.labels, |key| wanted.label(key)),
        annotations: entries(&metadata.annotations, |key| wanted.annotation(key)),
        deleting: metadata.deletion_timestamp.is_some(),
        owner,
    })
}

fn entries(entries: &[Entry], keep: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut kept: Vec<_> = entries
        .iter()
        .filter(|entry| std::str::from_utf8(&entry.key).is_ok_and(&keep))
        .map(|entry| (lossy(&entry.key), lossy(&entry.value)))
        .collect();
    kept.sort();
    kept
}

/// The names of an image that ties a digest to a tag of a component's image.
fn component_image(image: &ContainerImage) -> Option<Vec<String>> {
    let is_digest = |name: &Bytes| name.contains(&b'@');
    if !image.names.iter().any(is_digest) || image.names.iter().all(is_digest) {
        return None;
    }
    let names: Vec<String> = image.names.iter().filter_map(text).collect();
    names.iter().any(|name| names_component(name)).then_some(names)
}

fn text(bytes: &Bytes) -> Option<String> {
    (!bytes.is_empty()).then(|| lossy(bytes))
}

fn lossy(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
