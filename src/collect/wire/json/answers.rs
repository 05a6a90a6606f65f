//! What an API server says around its objects: its version, the head of a list, a refusal.

use super::fields::{ListMetadata, StatusAnswer, Text, VersionInfo};
use super::parts::{found, syntax};
use super::{ItemError, Parts, decode, filled, scan};
use crate::inventory::observed::VersionAnswer;

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
