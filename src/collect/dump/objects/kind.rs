//! What an object of a dump is: by its own kind, by its list's, or by its form where neither tells.

use super::collector::TypeMeta;
use crate::collect::dump::DumpRequest;
use crate::collect::dump::copies::is_uid;
use crate::collect::dump::size::HeapSize;
use crate::collect::wire::json::Parts;
use crate::collect::wire::{SeenLease, SeenNode, SeenPod};
use crate::inventory::observed::{ObservedOperator, VersionAnswer};
use crate::inventory::read_gap::UnreadableObject;

/// What an object is, and what was read of it.
#[derive(Debug)]
pub(super) enum Seen {
    Node(SeenNode),
    Pod(SeenPod),
    Lease(SeenLease),
    Operator(ObservedOperator),
    Version(VersionAnswer),
    /// The uid of the kube-system namespace: of the cluster, that is.
    ClusterUid(String),
    /// A Node or a Pod as it is written down to be made, not as a cluster has it.
    Manifest(Kind, String),
    /// What an API server said instead of an answer.
    Refusal(String),
    /// A Node, a Pod … that cannot be read.
    Broken(Kind, Box<UnreadableObject>),
    /// Something that is not read.
    Other,
    /// An object without a kind whose form tells none.
    Shapeless,
}

/// The kinds that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Pod,
    Lease,
    Operator,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Node, Self::Pod, Self::Lease, Self::Operator];

    /// Whether it is of what is judged, not of what is said about it.
    pub(super) const fn is_judged(self) -> bool {
        matches!(self, Self::Node | Self::Pod)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Pod => "Pod",
            Self::Lease => "Lease",
            Self::Operator => "ClusterOperator",
        }
    }
}

impl Seen {
    /// How much memory it takes, about.
    pub(super) fn size(&self) -> usize {
        size_of_val(self)
            + match self {
                Self::Node(seen) => seen.node.heap_size(),
                Self::Pod(SeenPod::Kept(pod)) => pod.heap_size(),
                Self::Pod(SeenPod::PassedOver(meta)) => meta.heap_size(),
                Self::Operator(operator) => operator.heap_size(),
                _ => 0,
            }
    }
}

/// The kind that is read under that name and group.
pub(super) fn kind_of(kind: &str, api_version: Option<&str>) -> Option<Kind> {
    let group = |group: &str| api_version.is_none_or(|api| api.starts_with(group));
    match kind {
        "Node" if matches!(api_version, None | Some("v1")) => Some(Kind::Node),
        "Pod" if matches!(api_version, None | Some("v1")) => Some(Kind::Pod),
        "Lease" if group("coordination.k8s.io/") => Some(Kind::Lease),
        "ClusterOperator" if group("config.openshift.io/") => Some(Kind::Operator),
        _ => None,
    }
}

/// The uid of the kube-system namespace, which names the cluster.
fn cluster_uid(parts: &Parts<'_>) -> Option<String> {
    let (name, uid) = parts.members().name_and_uid()?;
    (name == "kube-system" && is_uid(&uid)).then_some(uid)
}

/// The kind that the form of an object without one tells.
fn shape(parts: &Parts<'_>) -> Option<Kind> {
    if parts.looks_like_node() {
        Some(Kind::Node)
    } else if parts.looks_like_pod() {
        Some(Kind::Pod)
    } else {
        None
    }
}

/// Reads an object as what it is.
pub(super) fn read(request: &DumpRequest, parts: &Parts<'_>, type_meta: &TypeMeta) -> Seen {
    let api_version = parts.api_version.as_deref().or(type_meta.api_version.as_deref());
    let of_list = type_meta
        .kind
        .as_deref()
        .map(|kind| kind.strip_suffix("List").unwrap_or(kind));
    // Its own kind counts, else the list's; items of a plain List, and objects that stand alone, are told by
    // their form.
    let told = parts.kind.as_deref().or(of_list.filter(|kind| !kind.is_empty()));
    let kind = match told {
        Some("Status") if parts.kind.is_some() => {
            return Seen::Refusal(parts.message().unwrap_or_else(|| "no reason told".to_owned()));
        }
        Some("Namespace") if matches!(api_version, None | Some("v1")) => {
            return cluster_uid(parts).map_or(Seen::Other, Seen::ClusterUid);
        }
        Some(kind) => kind_of(kind, api_version),
        None if matches!(api_version, None | Some("v1")) => match shape(parts) {
            Some(kind) => Some(kind),
            None => return Seen::Shapeless,
        },
        None => None,
    };
    let Some(kind) = kind else {
        return Seen::Other;
    };
    if matches!(kind, Kind::Node | Kind::Pod)
        && let Some(name) = parts.members().manifest()
    {
        return Seen::Manifest(kind, name);
    }
    let wanted = &request.wanted;
    let seen = match kind {
        Kind::Node => parts.members().node(wanted).map(Seen::Node),
        Kind::Pod => parts
            .members()
            .pod(wanted, request.hosted.as_deref())
            .map(Seen::Pod),
        Kind::Lease => parts.members().lease().map(Seen::Lease),
        Kind::Operator => parts.members().operator().map(Seen::Operator),
    };
    seen.unwrap_or_else(|error| Seen::Broken(kind, error))
}
