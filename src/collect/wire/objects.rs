//! Kubernetes' objects down to the fields that are read and saved, each named once: its number is the one in
//! protobuf, its name, in camel case, the one in JSON. All other fields are skipped without being built.
//!
//! The numbers are those of the public `generated.proto` files of `k8s.io/api/core/v1`, `k8s.io/api/coordination/v1`
//! and `k8s.io/apimachinery/pkg/apis/meta/v1`. Texts are bytes: a page's own in protobuf, and one that is no UTF-8
//! must not take its object away. An empty one is absent, because protobuf writes one where JSON leaves the field
//! out. Everything may be absent or null in JSON; what is there must be of its type.

use bytes::Bytes;
use prost::Message;
use serde::{Deserialize, Serialize};

use super::json_values::{list, map, or_default, text, texts, time};

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ObjectMeta {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) name: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) namespace: Bytes,
    #[prost(bytes = "bytes", tag = "5")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) uid: Bytes,
    #[prost(bytes = "bytes", tag = "6")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) resource_version: Bytes,
    #[prost(message, optional, tag = "8")]
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub(crate) creation_timestamp: Option<Time>,
    #[prost(message, optional, tag = "9")]
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub(crate) deletion_timestamp: Option<Time>,
    #[prost(message, repeated, tag = "11")]
    #[serde(with = "map", skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<Entry>,
    #[prost(message, repeated, tag = "12")]
    #[serde(with = "map", skip_serializing_if = "Vec::is_empty")]
    pub(crate) annotations: Vec<Entry>,
    #[prost(message, repeated, tag = "13")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) owner_references: Vec<OwnerReference>,
}

/// An entry of a map of texts.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Entry {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) value: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct OwnerReference {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) kind: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    #[serde(with = "text")]
    pub(crate) name: Bytes,
    #[prost(bool, tag = "6")]
    #[serde(deserialize_with = "or_default")]
    pub(crate) controller: bool,
}

/// `Time` and `MicroTime`; in JSON a text.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Time {
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(crate) nanos: i32,
}

/// An object of which only that it is there counts.
#[derive(Clone, Copy, PartialEq, Message, Deserialize, Serialize)]
pub(crate) struct Presence {}

/// What a list says of itself.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct ListMeta {
    /// The token of the next page; empty on the last.
    #[prost(bytes = "bytes", tag = "3")]
    #[serde(with = "text")]
    pub(crate) r#continue: Bytes,
}

/// What an API server answers instead of what was asked for.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct Status {
    #[prost(bytes = "bytes", tag = "3")]
    #[serde(with = "text")]
    pub(crate) message: Bytes,
    /// `Forbidden`, `Expired` …
    #[prost(bytes = "bytes", tag = "4")]
    #[serde(with = "text")]
    pub(crate) reason: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct NodeSpec {
    #[prost(bool, tag = "4")]
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub(crate) unschedulable: bool,
    #[prost(message, repeated, tag = "5")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) taints: Vec<Taint>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Taint {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) key: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeStatus {
    #[prost(message, repeated, tag = "4")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
    #[prost(message, repeated, tag = "5")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) addresses: Vec<NodeAddress>,
    #[prost(message, required, tag = "7")]
    #[serde(deserialize_with = "or_default")]
    pub(crate) node_info: NodeSystemInfo,
    #[prost(message, repeated, tag = "8")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<ContainerImage>,
}

/// A condition of a Node or a ClusterOperator; the numbers are a Node's.
#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Condition {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) r#type: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(with = "text")]
    pub(crate) status: Bytes,
    #[prost(message, optional, tag = "3")]
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub(crate) last_heartbeat_time: Option<Time>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct NodeAddress {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) r#type: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(with = "text")]
    pub(crate) address: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeSystemInfo {
    #[prost(bytes = "bytes", tag = "5")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) os_image: Bytes,
    #[prost(bytes = "bytes", tag = "6")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) container_runtime_version: Bytes,
    #[prost(bytes = "bytes", tag = "7")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) kubelet_version: Bytes,
    #[prost(bytes = "bytes", tag = "9")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) operating_system: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct ContainerImage {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    #[serde(with = "texts")]
    pub(crate) names: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodSpec {
    #[prost(message, repeated, tag = "2")]
    #[serde(deserialize_with = "list")]
    pub(crate) containers: Vec<Container>,
    #[prost(bytes = "bytes", tag = "10")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) node_name: Bytes,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Container {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) image: Bytes,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    #[serde(with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    #[serde(with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodStatus {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) phase: Bytes,
    #[prost(message, repeated, tag = "8")]
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) container_statuses: Vec<ContainerStatus>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContainerStatus {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) name: Bytes,
    #[prost(message, required, tag = "2")]
    #[serde(deserialize_with = "or_default")]
    pub(crate) state: ContainerState,
    #[prost(message, required, tag = "3")]
    #[serde(deserialize_with = "or_default")]
    pub(crate) last_state: ContainerState,
    #[prost(int32, tag = "5")]
    #[serde(deserialize_with = "or_default")]
    pub(crate) restart_count: i32,
    #[prost(bytes = "bytes", tag = "6")]
    #[serde(with = "text", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) image: Bytes,
    #[prost(bytes = "bytes", tag = "7")]
    #[serde(with = "text", rename = "imageID", skip_serializing_if = "Bytes::is_empty")]
    pub(crate) image_id: Bytes,
}

#[derive(Clone, Copy, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct ContainerState {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<Presence>,
    #[prost(message, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) running: Option<Presence>,
    #[prost(message, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) terminated: Option<Presence>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LeaseSpec {
    #[prost(message, optional, tag = "4")]
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub(crate) renew_time: Option<Time>,
}

/// Of a `ClusterOperator`: a custom resource, which has no protobuf; the numbers are nobody's.
#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct OperatorStatus {
    #[prost(message, repeated, tag = "1")]
    #[serde(deserialize_with = "list")]
    pub(crate) conditions: Vec<Condition>,
    #[prost(message, repeated, tag = "2")]
    #[serde(deserialize_with = "list")]
    pub(crate) versions: Vec<OperandVersion>,
}

#[derive(Clone, PartialEq, Message, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct OperandVersion {
    #[prost(bytes = "bytes", tag = "1")]
    #[serde(with = "text")]
    pub(crate) name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    #[serde(with = "text")]
    pub(crate) version: Bytes,
}

/// What `/version` answers, in JSON alone.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct VersionInfo {
    #[serde(with = "text")]
    pub(crate) major: Bytes,
    #[serde(with = "text")]
    pub(crate) minor: Bytes,
    #[serde(with = "text")]
    pub(crate) git_version: Bytes,
    #[serde(with = "text")]
    pub(crate) emulation_major: Bytes,
    #[serde(with = "text")]
    pub(crate) emulation_minor: Bytes,
    #[serde(with = "text")]
    pub(crate) min_compatibility_major: Bytes,
    #[serde(with = "text")]
    pub(crate) min_compatibility_minor: Bytes,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(claim: &bool) -> bool {
    !claim
}
