//! What an API server says around its objects: its version, the head of a list, a refusal.

use std::fmt;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::json_values::or_default;
use super::super::objects::{ListMeta, Status, VersionInfo};
use super::super::read::text;
use super::filled;
use crate::inventory::observed::VersionAnswer;

/// What `/version` answered; the text may also be the `serverVersion` of `kubectl version`.
///
/// `None` where it tells no version at all.
pub fn version(answer: &str) -> Result<Option<VersionAnswer>, serde_json::Error> {
    let info: Option<VersionInfo> = serde_json::from_str(answer)?;
    let info = info.unwrap_or_default();
    let both = |major: &Bytes, minor: &Bytes| Some((text(major)?, text(minor)?));
    let numbers = both(&info.major, &info.minor).map(|(major, minor)| format!("v{major}.{minor}"));
    Ok(text(&info.git_version)
        .or(numbers)
        .map(|git_version| VersionAnswer {
            git_version,
            emulation: both(&info.emulation_major, &info.emulation_minor),
            min_compatibility: both(&info.min_compatibility_major, &info.min_compatibility_minor),
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
}

/// A list with its items undecoded; they may be left out.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Page<'a> {
    #[serde(deserialize_with = "filled")]
    kind: Option<String>,
    #[serde(deserialize_with = "filled")]
    api_version: Option<String>,
    #[serde(deserialize_with = "or_default")]
    metadata: ListMeta,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
}

impl ListHead {
    /// What the members of a list beside its items say.
    pub(crate) fn of(list: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(list).map(Page::head)
    }
}

impl Page<'_> {
    fn head(self) -> ListHead {
        ListHead {
            kind: self.kind,
            api_version: self.api_version,
            next: text(&self.metadata.r#continue),
        }
    }
}

/// Reads a page of a list: every item's text goes to `each`, null ones are passed over.
pub fn list(bytes: &[u8], each: impl FnMut(&str)) -> Result<ListHead, serde_json::Error> {
    let page: Page<'_> = serde_json::from_slice(bytes)?;
    if let Some(items) = page.items {
        serde_json::Deserializer::from_str(items.get()).deserialize_seq(Items(each))?;
    }
    Ok(page.head())
}

struct Items<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for Items<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<Option<&RawValue>>()? {
            if let Some(item) = item {
                (self.0)(item.get());
            }
        }
        Ok(())
    }
}

/// What an API server answers instead of what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// `message`.
    pub message: Option<String>,
    /// `reason`: `Forbidden`, `Expired` …
    pub reason: Option<String>,
}

/// The `Status` that this text is; `None` where it is something else.
pub fn refusal(bytes: &[u8]) -> Option<Refusal> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow)]
        kind: std::borrow::Cow<'a, str>,
    }
    let Kind { kind } = serde_json::from_slice(bytes).ok()?;
    (kind == "Status").then_some(())?;
    let status: Status = serde_json::from_slice(bytes).ok()?;
    Some(Refusal {
        message: text(&status.message),
        reason: text(&status.reason),
    })
}
