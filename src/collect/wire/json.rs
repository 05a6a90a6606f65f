//! JSON, down to the few fields that are read: one object from its text, the items of a list one by one, a
//! version answer, an API server's refusal. Used for live answers and for dumps alike.
//!
//! An object is split into its members first ([`Parts`]), and only the members that are wanted are decoded;
//! [`scan`] passes over the rest, checking its grammar. A field that is read and of an odd type makes that one
//! object unreadable ([`ItemError`] names it), never the list that holds it.

mod fields;
pub mod scan;

use std::borrow::Cow;
use std::ops::Range;

use jiff::Timestamp;

use crate::inventory::component_pod::{is_component_namespace, may_be_component};
use crate::inventory::image::names_component;
use crate::inventory::labels::{Wanted, is_virtual_taint};
use crate::inventory::observed::{
    ContainerStatus, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod,
    Owner, VersionAnswer,
};
use fields::{
    Entries, LeaseSpec, ListMetadata, Metadata, NodeSpec, NodeStatus, OperatorStatus, PodSpec, PodStatus,
    StatusAnswer, Text, VersionInfo,
};
use scan::Stop;

/// Why one object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// Its text is no JSON object.
    #[error("expected {expected} at byte {at}, found {found}")]
    Syntax {
        /// The offset in the object's text.
        at: usize,
        /// What could have stood there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A field that is read is of an odd type.
    #[error("{} cannot be read: odd {member}", .object.escape_debug())]
    Field {
        /// `Node NAME`, as far as it is known.
        object: String,
        /// The member that holds the field.
        member: &'static str,
        /// Which field, and what was expected.
        source: serde_json::Error,
    },
    /// A Pod without containers and without a label that tells its component.
    #[error("{} has no spec.containers", .object.escape_debug())]
    Bare {
        /// `Pod NAMESPACE/NAME`.
        object: String,
    },
    /// It has no `metadata.name`.
    #[error("a {kind} has no metadata.name")]
    Nameless {
        /// `Node`, `Pod` …
        kind: &'static str,
    },
}

impl ItemError {
    /// The object as gaps name it, `node/NAME` or `pod/NAMESPACE/NAME`, where its name is known.
    pub fn object(&self) -> Option<String> {
        let (Self::Field { object, .. } | Self::Bare { object }) = self else {
            return None;
        };
        // Without a name it reads "a Node …".
        let (kind, name) = object.split_once(' ')?;
        (kind != "a").then(|| format!("{}/{name}", kind.to_ascii_lowercase()))
    }
}

/// The members of an object that tell what it is, and those that hold what is read; each as its own text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts<'a> {
    /// `kind`; an empty one counts as none.
    pub kind: Option<Cow<'a, str>>,
    /// `apiVersion`; an empty one counts as none.
    pub api_version: Option<Cow<'a, str>>,
    /// `metadata`.
    pub metadata: Option<&'a str>,
    /// `spec`.
    pub spec: Option<&'a str>,
    /// `status`.
    pub status: Option<&'a str>,
    /// `items`.
    pub items: Option<&'a str>,
    /// `serverVersion`, of `kubectl version`.
    pub server_version: Option<&'a str>,
    /// `message`, of an API server's refusal.
    pub message: Option<&'a str>,
    /// It has a `clientVersion`.
    pub has_client_version: bool,
    /// How many of `gitVersion` and `major` it has: both are an answer of `/version`.
    pub version_members: u8,
}

impl<'a> Parts<'a> {
    /// The members that are taken in; others need not be shown to it.
    pub(crate) const MEMBERS: [&'static str; 11] = [
        "kind",
        "apiVersion",
        "metadata",
        "spec",
        "status",
        "items",
        "serverVersion",
        "message",
        "clientVersion",
        "gitVersion",
        "major",
    ];

    /// Splits the object that `text` is.
    pub fn of(text: &'a str) -> Result<Self, ItemError> {
        let mut parts = Self::default();
        let bytes = text.as_bytes();
        let end = scan::members(bytes, 0, |key, place| parts.member(text, &key, place))
            .map_err(|stop| syntax(bytes, stop))?;
        match scan::space(bytes, end) {
            end if end == bytes.len() => Ok(parts),
            end => Err(syntax(
                bytes,
                Stop::Bad {
                    at: end,
                    expected: "the end of the object",
                },
            )),
        }
    }

    /// Takes one member in; the text is that which the place is a part of.
    pub(crate) fn member(&mut self, text: &'a str, key: &str, place: Range<usize>) -> Result<(), Stop> {
        let at = place.start;
        let value = &text[place];
        let twice = Err(Stop::Bad {
            at,
            expected: "the members of an object once each",
        });
        let slot = match key {
            "kind" | "apiVersion" => {
                let word = serde_json::from_str::<Option<Text<'a>>>(value).map_err(|_| Stop::Bad {
                    at,
                    expected: "a string",
                })?;
                let word = word.and_then(Text::into_filled);
                let slot = if key == "kind" {
                    &mut self.kind
                } else {
                    &mut self.api_version
                };
                if slot.is_some() {
                    return twice;
                }
                *slot = word;
                return Ok(());
            }
            "metadata" => &mut self.metadata,
            "spec" => &mut self.spec,
            "status" => &mut self.status,
            "items" => &mut self.items,
            "serverVersion" => &mut self.server_version,
            "message" => &mut self.message,
            "clientVersion" => {
                self.has_client_version = true;
                return Ok(());
            }
            "gitVersion" | "major" => {
                self.version_members += 1;
                return Ok(());
            }
            _ => return Ok(()),
        };
        if slot.is_some() {
            return twice;
        }
        if value != "null" {
            *slot = Some(value);
        }
        Ok(())
    }
}

fn syntax(text: &[u8], stop: Stop) -> ItemError {
    let (at, expected) = match stop {
        Stop::More => (text.len(), "the rest of the object"),
        Stop::Bad { at, expected } => (at, expected),
    };
    ItemError::Syntax {
        at,
        expected,
        found: found(text, at),
    }
}

/// What stands at that offset, in words for an error.
pub(crate) fn found(text: &[u8], at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(16)]);
    match shown.chars().next() {
        None => "the end".to_owned(),
        Some('\n' | '\r') => "the end of the line".to_owned(),
        Some(first) => format!("\"{}\"", first.escape_debug()),
    }
}

/// Decodes one member; an absent one reads as an empty one.
fn decode<'a, T: serde::Deserialize<'a> + Default>(
    object: impl FnOnce() -> String,
    member: &'static str,
    text: Option<&'a str>,
) -> Result<T, ItemError> {
    text.map_or_else(
        || Ok(T::default()),
        |text| {
            serde_json::from_str(text).map_err(|source| ItemError::Field {
                object: object(),
                member,
                source,
            })
        },
    )
}

impl<'a> Text<'a> {
    /// The text, where it is not empty.
    fn into_filled(self) -> Option<Cow<'a, str>> {
        let text = self.into_inner();
        (!text.is_empty()).then_some(text)
    }
}

/// The owned text of a field, where it is there and not empty.
fn filled(text: Option<Text<'_>>) -> Option<String> {
    text.and_then(Text::into_filled).map(Cow::into_owned)
}

fn label(kind: &str, metadata: &Metadata<'_>) -> String {
    match (&metadata.namespace, &metadata.name) {
        (Some(namespace), Some(name)) => {
            format!("{kind} {}/{}", namespace.as_str(), name.as_str())
        }
        (None, Some(name)) => format!("{kind} {}", name.as_str()),
        (_, None) => format!("a {kind} without a name"),
    }
}

/// The wanted ones of labels or annotations, sorted; of one key told twice the last counts, as everywhere.
fn kept(pairs: fields::Pairs<'_>, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = Vec::new();
    for (key, value) in pairs.0 {
        if !wanted(key.as_str()) {
            continue;
        }
        match kept.iter_mut().find(|(known, _)| known == key.as_str()) {
            Some((_, known)) => value.as_str().clone_into(known),
            None => kept.push((key.as_str().to_owned(), value.as_str().to_owned())),
        }
    }
    kept.sort();
    kept
}

fn meta(kind: &'static str, metadata: Metadata<'_>, wanted: &Wanted) -> Result<Meta, ItemError> {
    let owners = metadata.owner_references.0;
    let owner = owners
        .iter()
        .find(|owner| owner.controller == Some(true))
        .or_else(|| owners.first())
        .map(|owner| Owner {
            kind: owner
                .kind
                .as_ref()
                .map_or_else(String::new, |t| t.as_str().to_owned()),
            name: owner
                .name
                .as_ref()
                .map_or_else(String::new, |t| t.as_str().to_owned()),
        });
    Ok(Meta {
        name: filled(metadata.name).ok_or(ItemError::Nameless { kind })?,
        namespace: filled(metadata.namespace),
        uid: filled(metadata.uid),
        resource_version: filled(metadata.resource_version),
        labels: kept(metadata.labels, |key| wanted.label(key)),
        annotations: kept(metadata.annotations, |key| wanted.annotation(key)),
        deleting: metadata.deletion_timestamp.0,
        owner,
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
    let node = ObservedNode {
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
        hostname: status
            .addresses
            .0
            .into_iter()
            .find(|a| a.kind.as_ref().map(Text::as_str) == Some("Hostname"))
            .and_then(|a| filled(a.address)),
        images: status.images.0.into_iter().filter_map(tied).collect(),
    };
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
    /// It stands where components run and is none.
    PassedOver,
    /// It may be a component's pod.
    Kept(ObservedPod),
}

/// The Pod whose text this is, where it may be a component's.
pub fn pod(text: &str, wanted: &Wanted, hosted: Option<&str>) -> Result<Option<ObservedPod>, ItemError> {
    match pod_of(&Parts::of(text)?, wanted, hosted)? {
        SeenPod::Kept(pod) => Ok(Some(pod)),
        SeenPod::Elsewhere | SeenPod::PassedOver => Ok(None),
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
            _ => Ok(SeenPod::PassedOver),
        };
    }
    let status: Option<PodStatus<'_>> = decode(|| name.clone(), "status", parts.status)?;
    // A manifest as it lies on a disk has `status: {}`: that is none.
    let has_status = parts
        .status
        .is_some_and(|text| serde_json::from_str::<fields::Filled>(text).is_ok_and(|filled| filled.0));
    let status = status.unwrap_or_default();
    Ok(SeenPod::Kept(ObservedPod {
        meta,
        node: filled(spec.node_name),
        phase: filled(status.phase),
        has_status,
        containers: spec.containers.0.into_iter().map(container).collect(),
        statuses: status
            .container_statuses
            .map(|statuses| statuses.0.into_iter().map(container_status).collect()),
    }))
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
pub(crate) const IDENTITY: (&str, &str) = ("apiserver.kubernetes.io/identity", "kube-apiserver");

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

/// What `/version` answered; the text may also be the `serverVersion` of `kubectl version`.
///
/// `None` where it tells no version at all.
pub fn version(text: &str) -> Result<Option<VersionAnswer>, ItemError> {
    let info: Option<VersionInfo<'_>> = decode(|| "the server version".to_owned(), "version", Some(text))?;
    let info = info.unwrap_or_default();
    let both = |major: Option<Text<'_>>, minor: Option<Text<'_>>| Some((filled(major)?, filled(minor)?));
    let numbers = both(info.major, info.minor);
    let git_version =
        filled(info.git_version).or_else(|| numbers.map(|(major, minor)| format!("v{major}.{minor}")));
    Ok(git_version.map(|git_version| VersionAnswer {
        git_version,
        emulation: both(info.emulation_major, info.emulation_minor),
        min_compatibility: both(info.min_compatibility_major, info.min_compatibility_minor),
    }))
}

/// What a list says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListHead {
    /// `kind`.
    pub kind: Option<String>,
    /// `apiVersion`.
    pub api_version: Option<String>,
    /// `metadata.continue`: the rest of the list is to be had with it.
    pub next: Option<String>,
    /// `metadata.resourceVersion`.
    pub resource_version: Option<String>,
    /// `metadata.remainingItemCount`.
    pub remaining: Option<u64>,
}

impl ListHead {
    /// What the members of a list beside its items say.
    pub(crate) fn of(parts: &Parts<'_>) -> Result<Self, ItemError> {
        let metadata: Option<ListMetadata<'_>> =
            decode(|| "the list".to_owned(), "metadata", parts.metadata)?;
        let metadata = metadata.unwrap_or_default();
        Ok(Self {
            kind: parts.kind.as_deref().map(ToOwned::to_owned),
            api_version: parts.api_version.as_deref().map(ToOwned::to_owned),
            next: filled(metadata.next),
            resource_version: filled(metadata.resource_version),
            remaining: metadata.remaining_item_count,
        })
    }
}

/// Reads a page of a list: every item's text goes to `each`, null ones are passed over.
pub fn list(bytes: &[u8], mut each: impl FnMut(&str)) -> Result<ListHead, ItemError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ItemError::Syntax {
        at: error.valid_up_to(),
        expected: "UTF-8",
        found: found(bytes, error.valid_up_to()),
    })?;
    let parts = Parts::of(text)?;
    let head = ListHead::of(&parts)?;
    if let Some(items) = parts.items {
        scan::elements(items.as_bytes(), 0, |place| {
            let item = &items[place];
            if item != "null" {
                each(item);
            }
            Ok(())
        })
        .map_err(|stop| syntax(items.as_bytes(), stop))?;
    }
    Ok(head)
}

/// What an API server answers instead of what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// `message`.
    pub message: Option<String>,
    /// `reason`: `Forbidden`, `Expired` …
    pub reason: Option<String>,
    /// `code`.
    pub code: Option<u16>,
}

/// The `Status` that this text is; `None` where it is something else.
pub fn refusal(bytes: &[u8]) -> Option<Refusal> {
    let text = std::str::from_utf8(bytes).ok()?;
    let parts = Parts::of(text).ok()?;
    (parts.kind.as_deref() == Some("Status")).then_some(())?;
    let status: StatusAnswer<'_> = serde_json::from_str(text).ok()?;
    Some(Refusal {
        message: filled(status.message),
        reason: filled(status.reason),
        code: status.code,
    })
}

#[cfg(test)]
mod tests;
