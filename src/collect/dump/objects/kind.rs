//! What an object of a dump is: by its own kind, by its list's, or by its form where neither tells.

use super::collector::TypeMeta;
use crate::collect::dump::DumpRequest;
use crate::collect::wire::json::{self, ItemError, Parts, SeenLease, SeenNode, SeenPod, scan};
use crate::inventory::observed::{ObservedOperator, VersionAnswer};

/// What an object is, and what was read of it.
#[derive(Debug)]
pub(super) enum Seen {
    Node(SeenNode),
    Pod(SeenPod),
    Lease(SeenLease),
    Operator(ObservedOperator),
    Version(VersionAnswer),
    /// What an API server said instead of an answer.
    Refusal(String),
    /// A Node, a Pod … that cannot be read.
    Broken(Kind, ItemError),
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

/// The kind that the form of an object without one tells.
fn shape(parts: &Parts<'_>) -> Option<Kind> {
    let has = |text: Option<&str>, wanted: &str| {
        let mut found = false;
        if let Some(text) = text {
            // A member of another type than an object shows nothing; its grammar was checked before.
            let _ = scan::members(text.as_bytes(), 0, |key, _| {
                found |= key == wanted;
                Ok(())
            });
        }
        found
    };
    if has(parts.status, "nodeInfo") {
        Some(Kind::Node)
    } else if has(parts.spec, "containers") {
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
            let message = parts.message.and_then(|text| serde_json::from_str(text).ok());
            return Seen::Refusal(message.unwrap_or_else(|| "no reason told".to_owned()));
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
    let wanted = &request.wanted;
    let seen = match kind {
        Kind::Node => json::node_of(parts, wanted).map(Seen::Node),
        Kind::Pod => json::pod_of(parts, wanted, request.hosted.as_deref()).map(Seen::Pod),
        Kind::Lease => json::lease_of(parts).map(Seen::Lease),
        Kind::Operator => json::operator_of(parts).map(Seen::Operator),
    };
    seen.unwrap_or_else(|error| Seen::Broken(kind, error))
}
