//! The members of one object, each as its own text: what it is, and what is decoded further or not at all.

use std::borrow::Cow;
use std::ops::Range;

use super::ItemError;
use super::fields::Text;
use super::scan::{self, Stop};

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
    /// `info`, of the `cluster_version.json` of support bundles.
    pub info: Option<&'a str>,
    /// `message`, of an API server's refusal.
    pub message: Option<&'a str>,
    /// It has a `clientVersion`.
    pub has_client_version: bool,
    /// How many of `gitVersion` and `major` it has: both are an answer of `/version`.
    pub version_members: u8,
}

impl<'a> Parts<'a> {
    /// The members that are taken in; others need not be shown to it.
    pub(crate) const MEMBERS: [&'static str; 12] = [
        "kind",
        "apiVersion",
        "metadata",
        "spec",
        "status",
        "items",
        "serverVersion",
        "info",
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
            "info" => &mut self.info,
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

pub(super) fn syntax(text: &[u8], stop: Stop) -> ItemError {
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
