//! Makes [`observed`](crate::inventory::observed) values of objects, whatever their encoding: each member of an object
//! is decoded when it is wanted, and an object that turns out to be of no interest is decoded no further.

use bytes::Bytes;
use jiff::Timestamp;
use prost::Message;
use serde::de::DeserializeOwned;

use super::objects::{
    Condition, Container, ContainerImage, ContainerState, ContainerStatus, Entry, LeaseSpec, NodeSpec,
    NodeStatus, ObjectMeta, OperatorStatus, PodSpec, PodStatus, Time,
};
use crate::inventory::component_pod::may_be_component;
use crate::inventory::image::names_component;
use crate::inventory::labels::{Wanted, is_virtual_taint};
use crate::inventory::namespace::is_component_namespace;
use crate::inventory::observed::{
    self, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod, Owner,
};
use crate::inventory::platform::shows_platform;
use crate::inventory::read_gap::{Malformed, UnreadableObject, bounded};

/// A member of an object in its encoding.
pub trait Encoded: Sized {
    /// Decodes the member, or tells why it cannot be.
    fn decode<M: Message + Default + DeserializeOwned>(self) -> Result<M, String>;

    /// Whether it holds nothing.
    fn is_empty(&self) -> bool;
}

/// The members of an object that are read, none of them decoded; one that is absent reads as an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Members<E> {
    pub(super) metadata: Option<E>,
    pub(super) spec: Option<E>,
    pub(super) status: Option<E>,
}

/// An object of which nothing can be decoded.
pub fn undecodable(error: &dyn std::fmt::Display) -> Box<UnreadableObject> {
    let detail = bounded(&error.to_string());
    Box::new(UnreadableObject {
        namespace: None,
        name: None,
        malformed: Malformed::Encoding { detail },
        at: None,
    })
}

/// A Node, and the newest moment at which its kubelet reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenNode {
    /// The Node.
    pub node: ObservedNode,
    /// The newest `lastHeartbeatTime` of its conditions.
    pub heartbeat: Option<Timestamp>,
}

/// What a Pod turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenPod {
    /// It stands in a namespace where components do not run.
    Elsewhere,
    /// It stands where components run and is none.
    PassedOver(Meta),
    /// It may be a component's pod.
    Kept(ObservedPod),
}

impl SeenPod {
    /// The Pod, where it may be a component's.
    pub fn kept(self) -> Option<ObservedPod> {
        match self {
            Self::Kept(pod) => Some(pod),
            Self::Elsewhere | Self::PassedOver(_) => None,
        }
    }
}

/// A Lease: whether it is an apiserver's, and when its holder renewed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLease {
    /// The Lease, where it is the identity of an apiserver in `kube-system`.
    pub identity: Option<ObservedLease>,
    /// `spec.renewTime`.
    pub renewed: Option<Timestamp>,
}

/// The label of the Leases by which apiservers tell that they live.
const IDENTITY: (&str, &str) = ("apiserver.kubernetes.io/identity", "kube-apiserver");

/// An object on the way to what is kept of it: its metadata is decoded and tells its name.
struct Reading<E> {
    metadata: ObjectMeta,
    spec: Option<E>,
    status: Option<E>,
}

impl<E: Encoded> Members<E> {
    /// The Node whose members these are.
    pub fn node(self, wanted: &Wanted) -> Result<SeenNode, Box<UnreadableObject>> {
        let mut object = self.begin()?;
        let meta = object.meta(wanted)?;
        let NodeSpec {
            unschedulable,
            taints,
        } = object.spec()?;
        let NodeStatus {
            conditions,
            addresses,
            node_info: info,
            images,
        } = object.status()?;
        let mut node = ObservedNode {
            meta,
            cordoned: unschedulable,
            taints: taints
                .iter()
                .filter_map(|taint| text(&taint.key))
                .filter(|key| is_virtual_taint(key))
                .collect(),
            ready: condition(&conditions, "Ready").and_then(|ready| text(&ready.status)),
            kubelet_version: text(&info.kubelet_version),
            runtime_version: text(&info.container_runtime_version),
            os: text(&info.operating_system),
            os_image: std::str::from_utf8(&info.os_image)
                .ok()
                .and_then(shows_platform)
                .map(str::to_owned),
            hostname: addresses
                .iter()
                .find(|address| address.r#type == "Hostname")
                .and_then(|address| text(&address.address)),
            images: images.iter().filter_map(component_image).collect(),
        };
        node.shrink();
        let heartbeats = conditions.iter().filter_map(|it| it.last_heartbeat_time);
        Ok(SeenNode {
            node,
            heartbeat: heartbeats.filter_map(Time::timestamp).max(),
        })
    }

    /// The Pod whose members these are, where it may be a component's; `hosted` is the namespace of `-n`.
    pub fn pod(self, wanted: &Wanted, hosted: Option<&str>) -> Result<SeenPod, Box<UnreadableObject>> {
        let mut object = self.begin()?;
        if !is_component_namespace(text(&object.metadata.namespace).as_deref(), hosted) {
            return Ok(SeenPod::Elsewhere);
        }
        let meta = object.meta(wanted)?;
        let PodSpec {
            containers,
            node_name,
        } = object.spec()?;
        let images = containers
            .iter()
            .filter_map(|container| std::str::from_utf8(&container.image).ok());
        if !may_be_component(
            meta.namespace.as_deref(),
            &meta.name,
            &meta.labels,
            images,
            hosted,
        ) {
            // Without containers nothing tells what it runs: it was cut or trimmed, and may be anything.
            return if containers.is_empty() {
                Err(object.error(Malformed::NoContainers))
            } else {
                Ok(SeenPod::PassedOver(meta))
            };
        }
        let status: PodStatus = object.status()?;
        let statuses: Vec<_> = status.container_statuses.iter().map(container_status).collect();
        let mut pod = ObservedPod {
            meta,
            node: text(&node_name),
            // A manifest as it lies on a disk has `status: {}`: that is none.
            has_status: status != PodStatus::default(),
            phase: text(&status.phase),
            containers: containers.iter().map(container).collect(),
            statuses: (!statuses.is_empty()).then_some(statuses),
        };
        pod.shrink();
        Ok(SeenPod::Kept(pod))
    }

    /// The Lease whose members these are.
    pub fn lease(self) -> Result<SeenLease, Box<UnreadableObject>> {
        let mut object = self.begin()?;
        let meta = object.meta(&Wanted::new([IDENTITY.0.to_owned()]))?;
        let LeaseSpec { renew_time } = object.spec()?;
        let renewed = renew_time.and_then(Time::timestamp);
        let is_identity = meta.label(IDENTITY.0) == Some(IDENTITY.1)
            && meta
                .namespace
                .as_deref()
                .is_none_or(|namespace| namespace == "kube-system");
        let identity = is_identity.then_some(ObservedLease { meta, renewed });
        Ok(SeenLease { identity, renewed })
    }

    /// The `ClusterOperator` whose members these are.
    pub fn operator(self) -> Result<ObservedOperator, Box<UnreadableObject>> {
        let mut object = self.begin()?;
        let meta = object.meta(&Wanted::default())?;
        let OperatorStatus { conditions, versions } = object.status()?;
        Ok(ObservedOperator {
            meta,
            progressing: condition(&conditions, "Progressing").is_some_and(|it| it.status == "True"),
            versions: versions
                .iter()
                .filter_map(|entry| Some((text(&entry.name)?, text(&entry.version)?)))
                .collect(),
        })
    }

    /// The name of an object that no cluster has: without status, node, uid and creation time.
    pub fn manifest(self) -> Option<String> {
        if self.status.is_some_and(|status| !status.is_empty()) {
            return None;
        }
        let metadata: ObjectMeta = self.metadata?.decode().ok()?;
        let is_given = !metadata.uid.is_empty() || metadata.creation_timestamp.is_some();
        let spec: PodSpec = self.spec.map_or(Ok(PodSpec::default()), E::decode).ok()?;
        (!is_given && spec.node_name.is_empty())
            .then(|| text(&metadata.name))
            .flatten()
    }

    /// The name and the uid of an object that has both.
    pub fn name_and_uid(self) -> Option<(String, String)> {
        let metadata: ObjectMeta = self.metadata?.decode().ok()?;
        text(&metadata.name).zip(text(&metadata.uid))
    }

    fn begin(self) -> Result<Reading<E>, Box<UnreadableObject>> {
        let mut object = Reading {
            metadata: ObjectMeta::default(),
            spec: self.spec,
            status: self.status,
        };
        object.metadata = object.decode("metadata", self.metadata)?;
        Ok(object)
    }
}

impl<E: Encoded> Reading<E> {
    fn error(&self, malformed: Malformed) -> Box<UnreadableObject> {
        Box::new(UnreadableObject {
            namespace: text(&self.metadata.namespace),
            name: text(&self.metadata.name),
            malformed,
            at: None,
        })
    }

    fn decode<M>(&self, member: &'static str, encoded: Option<E>) -> Result<M, Box<UnreadableObject>>
    where
        M: Message + Default + DeserializeOwned,
    {
        encoded
            .map_or_else(|| Ok(M::default()), E::decode)
            .map_err(|detail| {
                self.error(Malformed::Field {
                    member: member.to_owned(),
                    detail: bounded(&detail),
                })
            })
    }

    fn spec<M: Message + Default + DeserializeOwned>(&mut self) -> Result<M, Box<UnreadableObject>> {
        let spec = self.spec.take();
        self.decode("spec", spec)
    }

    fn status<M: Message + Default + DeserializeOwned>(&mut self) -> Result<M, Box<UnreadableObject>> {
        let status = self.status.take();
        self.decode("status", status)
    }

    fn meta(&self, wanted: &Wanted) -> Result<Meta, Box<UnreadableObject>> {
        let metadata = &self.metadata;
        let owners = &metadata.owner_references;
        let owner = owners.iter().find(|owner| owner.controller).or(owners.first());
        Ok(Meta {
            name: text(&metadata.name).ok_or_else(|| self.error(Malformed::Nameless))?,
            namespace: text(&metadata.namespace),
            uid: text(&metadata.uid),
            resource_version: text(&metadata.resource_version),
            labels: entries(&metadata.labels, |key| wanted.label(key)),
            annotations: entries(&metadata.annotations, |key| wanted.annotation(key)),
            deleting: metadata.deletion_timestamp.is_some(),
            owner: owner.map(|owner| Owner {
                kind: lossy(&owner.kind),
                name: lossy(&owner.name),
            }),
        })
    }
}

impl Time {
    /// The moment that a text tells; one that is no moment is there all the same.
    pub(super) fn parse(text: &[u8]) -> Self {
        let timestamp = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<Timestamp>().ok());
        timestamp.map_or(
            Self {
                seconds: i64::MIN,
                nanos: 0,
            },
            Self::from,
        )
    }

    /// The moment, where it is one.
    pub(super) fn timestamp(self) -> Option<Timestamp> {
        Timestamp::new(self.seconds, self.nanos).ok()
    }
}

impl From<Timestamp> for Time {
    fn from(timestamp: Timestamp) -> Self {
        Self {
            seconds: timestamp.as_second(),
            nanos: timestamp.subsec_nanosecond(),
        }
    }
}

/// The text, where it is not empty.
pub(super) fn text(bytes: &Bytes) -> Option<String> {
    (!bytes.is_empty()).then(|| lossy(bytes))
}

fn lossy(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn condition<'a>(conditions: &'a [Condition], wanted: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.r#type == wanted)
}

/// The wanted entries, sorted; of one key told twice the last counts, as everywhere.
fn entries(entries: &[Entry], wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let is_wanted = |entry: &&Entry| std::str::from_utf8(&entry.key).is_ok_and(&wanted);
    let mut kept: Vec<_> = entries
        .iter()
        .rev()
        .filter(is_wanted)
        .map(|entry| (lossy(&entry.key), lossy(&entry.value)))
        .collect();
    kept.sort_by(|(one, _), (other, _)| one.cmp(other));
    kept.dedup_by(|(one, _), (other, _)| one == other);
    kept
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

fn container_status(status: &ContainerStatus) -> observed::ContainerStatus {
    observed::ContainerStatus {
        name: lossy(&status.name),
        image: text(&status.image),
        image_id: text(&status.image_id),
        restarts: u32::try_from(status.restart_count).unwrap_or(0),
        waiting: status.state.waiting.is_some(),
        running: status.state.running.is_some(),
        terminated: status.state.terminated.is_some(),
        has_last_state: status.last_state != ContainerState::default(),
    }
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
