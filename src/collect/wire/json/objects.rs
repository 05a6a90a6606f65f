//! The objects that are judged: Nodes, Pods, Leases and ClusterOperators, each from its text or its parts.

use jiff::Timestamp;

use super::fields::{
    self, Entries, LeaseSpec, Metadata, NodeSpec, NodeStatus, OperatorStatus, PodSpec, PodStatus, Text,
};
use super::{ItemError, Parts, decode, filled, label, meta};
use crate::inventory::component_pod::{is_component_namespace, may_be_component};
use crate::inventory::image::names_component;
use crate::inventory::labels::{Wanted, is_virtual_taint};
use crate::inventory::observed::{
    ContainerStatus, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod,
};
use crate::inventory::platform::shows_platform;

/// A Node, and the newest moment at which its kubelet reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenNode {
    /// The Node.
    pub node: ObservedNode,
    /// The newest `lastHeartbeatTime` of its conditions.
    pub heartbeat: Option<Timestamp>,
}

/// The Node whose text this is.
pub fn node(text: &str, wanted: &Wanted) -> Result<ObservedNode, ItemError> {
    node_of(&Parts::of(text)?, wanted).map(|seen| seen.node)
}

/// The Node that these parts are of.
pub fn node_of(parts: &Parts<'_>, wanted: &Wanted) -> Result<SeenNode, ItemError> {
    let metadata: Metadata<'_> = decode(|| "a Node".to_owned(), "metadata", parts.metadata)?;
    let name = label("Node", &metadata);
    let meta = meta("Node", metadata, wanted)?;
    let spec: NodeSpec<'_> = decode(|| name.clone(), "spec", parts.spec)?;
    let status: NodeStatus<'_> = decode(|| name.clone(), "status", parts.status)?;
    let info = status.node_info.unwrap_or_default();
    let conditions = status.conditions.0;
    let ready = conditions
        .iter()
        .find(|c| c.kind.as_ref().map(Text::as_str) == Some("Ready"))
        .and_then(|c| c.status.as_ref())
        .map(|status| status.as_str().to_owned())
        .filter(|status| !status.is_empty());
    let heartbeat = conditions
        .iter()
        .filter_map(|c| c.last_heartbeat_time.as_ref()?.as_str().parse().ok())
        .max();
    let mut node = ObservedNode {
        meta,
        cordoned: spec.unschedulable.unwrap_or(false),
        taints: spec
            .taints
            .0
            .into_iter()
            .filter_map(|taint| filled(taint.key))
            .filter(|key| is_virtual_taint(key))
            .collect(),
        ready,
        kubelet_version: filled(info.kubelet_version),
        runtime_version: filled(info.container_runtime_version),
        os: filled(info.operating_system),
        os_image: info
            .os_image
            .and_then(|text| shows_platform(text.as_str()))
            .map(str::to_owned),
        hostname: status
            .addresses
            .0
            .into_iter()
            .find(|a| a.kind.as_ref().map(Text::as_str) == Some("Hostname"))
            .and_then(|a| filled(a.address)),
        images: status.images.0.into_iter().filter_map(tied).collect(),
    };
    node.shrink();
    Ok(SeenNode { node, heartbeat })
}

/// The names of a component's image that tie a digest to a tag.
fn tied(image: fields::Image<'_>) -> Option<Vec<String>> {
    let names = image.names.0;
    let is_digest = |name: &Text<'_>| name.as_str().contains('@');
    let ties = names.iter().any(|name| names_component(name.as_str()))
        && names.iter().any(is_digest)
        && !names.iter().all(is_digest);
    ties.then(|| names.into_iter().filter_map(|name| filled(Some(name))).collect())
}

/// What a Pod turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, taken apart at once")]
pub enum SeenPod {
    /// It stands in a namespace where components do not run.
    Elsewhere,
    /// It stands where components run and is none; another copy of it may be one.
    PassedOver(Meta),
    /// It may be a component's pod.
    Kept(ObservedPod),
}

/// The Pod whose text this is, where it may be a component's.
pub fn pod(text: &str, wanted: &Wanted, hosted: Option<&str>) -> Result<Option<ObservedPod>, ItemError> {
    match pod_of(&Parts::of(text)?, wanted, hosted)? {
        SeenPod::Kept(pod) => Ok(Some(pod)),
        SeenPod::Elsewhere | SeenPod::PassedOver(_) => Ok(None),
    }
}

/// The Pod that these parts are of, where it may be a component's; `hosted` is the namespace of `-n`.
pub fn pod_of(parts: &Parts<'_>, wanted: &Wanted, hosted: Option<&str>) -> Result<SeenPod, ItemError> {
    let metadata: Metadata<'_> = decode(|| "a Pod".to_owned(), "metadata", parts.metadata)?;
    let namespace = metadata.namespace.as_ref().map(Text::as_str);
    if !is_component_namespace(namespace.filter(|text| !text.is_empty()), hosted) {
        return Ok(SeenPod::Elsewhere);
    }
    let name = label("Pod", &metadata);
    let meta = meta("Pod", metadata, wanted)?;
    let spec: PodSpec<'_> = decode(|| name.clone(), "spec", parts.spec)?;
    let images = spec
        .containers
        .0
        .iter()
        .filter_map(|container| container.image.as_ref().map(Text::as_str));
    let namespace = meta.namespace.as_deref();
    if !may_be_component(namespace, &meta.name, &meta.labels, images, hosted) {
        // Without containers nothing tells what it runs: it was cut or trimmed, and may be anything.
        return match spec.containers.0.as_slice() {
            [] => Err(ItemError::Bare { object: name }),
            _ => Ok(SeenPod::PassedOver(meta)),
        };
    }
    let status: Option<PodStatus<'_>> = decode(|| name.clone(), "status", parts.status)?;
    // A manifest as it lies on a disk has `status: {}`: that is none.
    let has_status = parts
        .status
        .is_some_and(|text| serde_json::from_str::<fields::Filled>(text).is_ok_and(|filled| filled.0));
    let status = status.unwrap_or_default();
    let mut pod = ObservedPod {
        meta,
        node: filled(spec.node_name),
        phase: filled(status.phase),
        has_status,
        containers: spec.containers.0.into_iter().map(container).collect(),
        statuses: status
            .container_statuses
            .map(|statuses| statuses.0.into_iter().map(container_status).collect()),
    };
    pod.shrink();
    Ok(SeenPod::Kept(pod))
}

fn texts(entries: Entries<Text<'_>>) -> impl Iterator<Item = String> {
    entries.0.into_iter().map(|text| text.into_inner().into_owned())
}

fn container(container: fields::Container<'_>) -> ObservedContainer {
    ObservedContainer {
        name: filled(container.name).unwrap_or_default(),
        image: filled(container.image),
        arguments: texts(container.command).chain(texts(container.args)).collect(),
    }
}

fn container_status(status: fields::Status<'_>) -> ContainerStatus {
    let state = status.state.unwrap_or_default();
    ContainerStatus {
        name: filled(status.name).unwrap_or_default(),
        image: filled(status.image),
        image_id: filled(status.image_id),
        restarts: u32::try_from(status.restart_count.unwrap_or(0).max(0)).unwrap_or(u32::MAX),
        waiting: state.waiting.0,
        running: state.running.0,
        terminated: state.terminated.0,
        has_last_state: status.last_state.0,
    }
}

/// The label of the Leases by which apiservers tell that they live.
const IDENTITY: (&str, &str) = ("apiserver.kubernetes.io/identity", "kube-apiserver");

/// A Lease: whether it is an apiserver's, and when its holder renewed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLease {
    /// The Lease, where it is the identity of an apiserver in `kube-system`.
    pub identity: Option<ObservedLease>,
    /// `spec.renewTime`.
    pub renewed: Option<Timestamp>,
}

/// The apiserver's identity Lease whose text this is; `None` where it is another Lease.
pub fn lease(text: &str) -> Result<Option<ObservedLease>, ItemError> {
    lease_of(&Parts::of(text)?).map(|seen| seen.identity)
}

/// The Lease that these parts are of.
pub fn lease_of(parts: &Parts<'_>) -> Result<SeenLease, ItemError> {
    let metadata: Metadata<'_> = decode(|| "a Lease".to_owned(), "metadata", parts.metadata)?;
    let name = label("Lease", &metadata);
    let wanted = Wanted::new([IDENTITY.0.to_owned()]);
    let meta = meta("Lease", metadata, &wanted)?;
    let spec: LeaseSpec<'_> = decode(|| name.clone(), "spec", parts.spec)?;
    let renewed = spec.renew_time.and_then(|time| time.as_str().parse().ok());
    let is_identity = meta.label(IDENTITY.0) == Some(IDENTITY.1)
        && meta
            .namespace
            .as_deref()
            .is_none_or(|namespace| namespace == "kube-system");
    let identity = is_identity.then_some(ObservedLease { meta, renewed });
    Ok(SeenLease { identity, renewed })
}

/// The `ClusterOperator` whose text this is.
pub fn operator(text: &str) -> Result<ObservedOperator, ItemError> {
    operator_of(&Parts::of(text)?)
}

/// The `ClusterOperator` that these parts are of.
pub fn operator_of(parts: &Parts<'_>) -> Result<ObservedOperator, ItemError> {
    let metadata: Metadata<'_> = decode(|| "a ClusterOperator".to_owned(), "metadata", parts.metadata)?;
    let name = label("ClusterOperator", &metadata);
    let meta = meta("ClusterOperator", metadata, &Wanted::default())?;
    let status: OperatorStatus<'_> = decode(|| name.clone(), "status", parts.status)?;
    let is = |text: &Option<Text<'_>>, word: &str| text.as_ref().map(Text::as_str) == Some(word);
    Ok(ObservedOperator {
        meta,
        progressing: status
            .conditions
            .0
            .iter()
            .any(|c| is(&c.kind, "Progressing") && is(&c.status, "True")),
        versions: status
            .versions
            .0
            .into_iter()
            .filter_map(|entry| Some((filled(entry.name)?, filled(entry.version)?)))
            .collect(),
    })
}
