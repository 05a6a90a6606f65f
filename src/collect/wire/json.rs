//! JSON, down to the few fields that are read: one object from its text, the items of a list one by one, a
//! version answer, an API server's refusal. Used for live answers and for dumps alike.
//!
//! An object is split into its members first ([`Parts`]), and only the members that are wanted are decoded;
//! [`scan`] passes over the rest, checking its grammar. A field that is read and of an odd type makes that one
//! object unreadable ([`ItemError`] names it), never the list that holds it. [`objects`] are what is judged,
//! [`answers`] what a server says around them.

mod answers;
mod fields;
mod objects;
mod parts;
pub mod scan;

use std::borrow::Cow;

use crate::inventory::labels::Wanted;
use crate::inventory::observed::{Meta, Owner};
use crate::inventory::read_gap::{Malformed, bounded};
pub use answers::{ListHead, Refusal, list, refusal, version};
use fields::{Metadata, Text};
pub use objects::{
    SeenLease, SeenNode, SeenPod, lease, lease_of, node, node_of, operator, operator_of, pod, pod_of,
};
pub use parts::Parts;
pub(crate) use parts::found;

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
    /// The namespace and the name, where they are known.
    pub(in crate::collect) fn full_name(&self) -> (Option<&str>, Option<&str>) {
        let (Self::Field { object, .. } | Self::Bare { object }) = self else {
            return (None, None);
        };
        // Without a name it reads "a Node …".
        match object.split_once(' ') {
            None | Some(("a", _)) => (None, None),
            Some((_, name)) => match name.split_once('/') {
                Some((namespace, name)) => (Some(namespace), Some(name)),
                None => (None, Some(name)),
            },
        }
    }
}

impl From<ItemError> for Malformed {
    fn from(error: ItemError) -> Self {
        match error {
            ItemError::Syntax { expected, found, at } => Self::Encoding {
                detail: bounded(&format!("expected {expected} at byte {at}, found {found}")),
            },
            ItemError::Field { member, source, .. } => Self::Field {
                member: member.to_owned(),
                detail: bounded(&source.to_string()),
            },
            ItemError::Bare { .. } => Self::NoContainers,
            ItemError::Nameless { .. } => Self::Nameless,
        }
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

#[cfg(test)]
mod tests;
