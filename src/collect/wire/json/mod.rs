//! Objects in JSON, of live answers and of dumps: [`Parts`] takes an object apart into its members without decoding
//! them, [`answers`] reads what a server says around its objects.

mod answers;

use serde::de::{Deserializer, IgnoredAny};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::json_values::or_default;
use super::read::{Encoded, Members, SeenPod, undecodable};
use crate::inventory::labels::Wanted;
use crate::inventory::observed::{ObservedLease, ObservedNode, ObservedOperator};
use crate::inventory::read_gap::UnreadableObject;
pub use answers::{ListHead, Refusal, list, refusal, version};

/// The largest member that is decoded. etcd stores some 1.5 MiB of an object, and a list's element of three characters
/// becomes a struct of a hundred bytes.
const MAX_MEMBER: usize = 2 << 20;

impl Encoded for &str {
    fn decode<M: prost::Message + Default + DeserializeOwned>(self) -> Result<M, String> {
        if self.len() > MAX_MEMBER {
            return Err(format!("more than {MAX_MEMBER} bytes"));
        }
        serde_json::from_str::<Option<M>>(self)
            .map(Option::unwrap_or_default)
            .map_err(|error| error.to_string())
    }

    fn is_empty(&self) -> bool {
        let inner = self.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        inner.is_some_and(|inner| inner.trim_ascii().is_empty())
    }
}

/// The members of an object that tell what it is, and those that hold what is read, undecoded.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Parts<'a> {
    /// `kind`; an empty one counts as none.
    #[serde(deserialize_with = "filled")]
    pub kind: Option<String>,
    /// `apiVersion`; an empty one counts as none.
    #[serde(deserialize_with = "filled")]
    pub api_version: Option<String>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    spec: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
    /// `serverVersion`, of `kubectl version`.
    #[serde(borrow)]
    pub server_version: Option<&'a RawValue>,
    /// `info`, of the `cluster_version.json` of support bundles.
    #[serde(borrow)]
    info: Option<&'a RawValue>,
    /// `message`, of an API server's refusal.
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    /// It has a `clientVersion`.
    #[serde(deserialize_with = "is_there", rename = "clientVersion")]
    pub has_client_version: bool,
    #[serde(deserialize_with = "is_there", rename = "gitVersion")]
    has_git_version: bool,
    #[serde(deserialize_with = "is_there", rename = "major")]
    has_major: bool,
}

/// The keys of a member that show what an object without a kind is.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Shape {
    #[serde(deserialize_with = "is_there")]
    node_info: bool,
    #[serde(deserialize_with = "is_there")]
    containers: bool,
    #[serde(deserialize_with = "is_there")]
    git_version: bool,
}

impl<'a> Parts<'a> {
    /// Takes an object apart.
    pub fn of(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Whether it is an answer of `/version`.
    pub fn is_version(&self) -> bool {
        self.has_git_version && self.has_major
    }

    /// Whether it holds a list's items.
    pub fn is_list(&self) -> bool {
        self.items.is_some_and(|items| items.get().starts_with('['))
    }

    /// `info`, where it is an answer of `/version`.
    pub fn info_version(&self) -> Option<&'a str> {
        self.info
            .filter(|info| shape(Some(info)).git_version)
            .map(RawValue::get)
    }

    /// `message`, where it is a text.
    pub fn message(&self) -> Option<String> {
        serde_json::from_str(self.message?.get()).ok()
    }

    /// Whether its form is a Node's.
    pub fn looks_like_node(&self) -> bool {
        shape(self.status).node_info
    }

    /// Whether its form is a Pod's.
    pub fn looks_like_pod(&self) -> bool {
        shape(self.spec).containers
    }

    /// What is read of it, once it is known what it is.
    pub fn members(&self) -> Members<&'a str> {
        Members {
            metadata: self.metadata.map(RawValue::get),
            spec: self.spec.map(RawValue::get),
            status: self.status.map(RawValue::get),
        }
    }
}

/// The Node whose text this is.
pub fn node(text: &str, wanted: &Wanted) -> Result<ObservedNode, Box<UnreadableObject>> {
    members(text)?.node(wanted).map(|seen| seen.node)
}

/// The Pod whose text this is; `hosted` is the namespace of `-n`.
pub fn pod(text: &str, wanted: &Wanted, hosted: Option<&str>) -> Result<SeenPod, Box<UnreadableObject>> {
    members(text)?.pod(wanted, hosted)
}

/// The apiserver's identity Lease whose text this is; `None` where it is another Lease.
pub fn lease(text: &str) -> Result<Option<ObservedLease>, Box<UnreadableObject>> {
    members(text)?.lease().map(|seen| seen.identity)
}

/// The `ClusterOperator` whose text this is.
pub fn operator(text: &str) -> Result<ObservedOperator, Box<UnreadableObject>> {
    members(text)?.operator()
}

fn members(text: &str) -> Result<Members<&str>, Box<UnreadableObject>> {
    Parts::of(text)
        .map(|parts| parts.members())
        .map_err(|error| undecodable(&error))
}

/// What a member's own keys show; a member of another type than an object shows nothing.
fn shape(member: Option<&RawValue>) -> Shape {
    member
        .and_then(|member| serde_json::from_str(member.get()).ok())
        .unwrap_or_default()
}

/// A text that is not empty.
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text: String = or_default(deserializer)?;
    Ok((!text.is_empty()).then_some(text))
}

fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

#[cfg(test)]
mod tests;
