//! A company's own policy, from a file that the command line has read: YAML or JSON, one limit a row, as the
//! platforms' tables have them. A limit looser than upstream's changes nothing, as the stricter one binds.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::limits::{POLICY_URL, SkewLimit};
use super::skew_policy::{Policy, PolicyKind, ServerMinors, StricterLimit};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};

/// Why a policy file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFileError {
    /// There is nothing in it.
    #[error("the policy file {file} is empty: it takes a name and a list of limits")]
    Empty {
        /// The file.
        file: String,
    },
    /// Something in it is wrong.
    #[error("the policy file {file}, line {line}, column {column}: {reason}")]
    At {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong.
        reason: String,
    },
    /// Something in it is wrong, and no place can be told.
    #[error("the policy file {file}: {reason}")]
    Whole {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

/// A policy file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(title = "kubectl-skew policy file")]
struct PolicyFile {
    /// What the policy is called in reports.
    name: Name,
    /// Where it is published.
    source: Option<String>,
    /// Its limits; of several that speak of the same case the strictest binds.
    limits: Limits,
}

/// The limits of a policy, at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<Limit>")]
#[schemars(with = "Vec<Limit>", extend("minItems" = 1))]
struct Limits(Vec<Limit>);

impl TryFrom<Vec<Limit>> for Limits {
    type Error = &'static str;

    fn try_from(limits: Vec<Limit>) -> Result<Self, Self::Error> {
        if limits.is_empty() {
            return Err("limits is an empty list: a policy without a limit is upstream's");
        }
        Ok(Self(limits))
    }
}

/// How far behind a component may be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "LimitFields")]
#[schemars(with = "LimitFields")]
struct Limit(LimitFields);

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LimitFields {
    /// The component that is judged.
    component: Judged,
    /// What it is measured against: kube-apiserver, or for kube-proxy also the kubelet of its node.
    #[serde(default)]
    reference: Reference,
    /// How many minors older it may be; against the kubelet, how far apart either way.
    older: Older,
    /// The first of the component's own minors that the limit speaks of, such as "1.25".
    from: Option<MinorText>,
    /// The last of them.
    to: Option<MinorText>,
    /// The first server minor that the limit speaks of; for a limit against the kubelet, the kubelet's minor.
    server_from: Option<MinorText>,
    /// The last of them.
    server_to: Option<MinorText>,
    /// Where the limit is published, where that is another place than the policy's.
    source: Option<String>,
    /// When it was last read or changed.
    date: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Judged {
    Kubelet,
    KubeProxy,
    KubeControllerManager,
    KubeScheduler,
    CloudControllerManager,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Reference {
    #[default]
    KubeApiserver,
    Kubelet,
}

/// A number of minors.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(with = "u16", extend("maximum" = MOST))]
struct Older(u16);

/// More than that is a typo.
const MOST: u16 = 20;

impl<'de> Deserialize<'de> for Older {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl serde::de::Visitor<'_> for Number {
            type Value = Older;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number of minors from 0 to {MOST}")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Older, E> {
                match u16::try_from(number) {
                    Ok(number) if number <= MOST => Ok(Older(number)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Unsigned(number), &self)),
                }
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Older, E> {
                match u64::try_from(number) {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(serde::de::Unexpected::Signed(number), &self)),
                }
            }
        }

        deserializer.deserialize_any(Number)
    }
}

/// A policy's name: short, printable, and none of the words that `--policy` gives another meaning.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("minLength" = 1, "maxLength" = 63))]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if name.is_empty() || name.chars().count() > 63 || name.chars().any(char::is_control) {
            return Err("name takes 1 to 63 printable characters".to_owned());
        }
        if super::platforms::names().any(|known| known.eq_ignore_ascii_case(&name)) {
            return Err(format!(
                "the name {name} is taken: --policy {name} means another policy"
            ));
        }
        Ok(Self(name))
    }
}

/// A minor as text; a bare number would lose the last zero of 1.30.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^1\\.(0|[1-9][0-9]*)$"))]
struct MinorText(Minor);

impl TryFrom<String> for MinorText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("\"{}\" is no minor such as \"1.30\"", text.escape_debug());
        let version: Version = text.parse().map_err(|_| wrong())?;
        let minor = version.minor();
        if minor.to_string() == text {
            Ok(Self(minor))
        } else {
            Err(wrong())
        }
    }
}

impl LimitFields {
    /// Refuses a limit that no cluster could keep in an upgrade.
    fn keepable(&self) -> Result<(), String> {
        let Older(older) = self.older;
        let is_manager = !matches!(self.component, Judged::Kubelet | Judged::KubeProxy);
        let why = if self.reference == Reference::Kubelet {
            "kube-proxy and the kubelet of its node are not upgraded at the same moment"
        } else if is_manager {
            "kube-apiserver is upgraded first, and this component is 1 minor version behind until it follows"
        } else {
            return Ok(());
        };
        if older == 0 {
            return Err(format!(
                "older is 0, which no cluster can keep in an upgrade: {why}; give 1 or more"
            ));
        }
        Ok(())
    }
}

impl TryFrom<LimitFields> for Limit {
    type Error = String;

    fn try_from(limit: LimitFields) -> Result<Self, String> {
        if limit.reference == Reference::Kubelet && limit.component != Judged::KubeProxy {
            return Err("only kube-proxy is measured against the kubelet".to_owned());
        }
        limit.keepable()?;
        let ends = [(limit.from, limit.to), (limit.server_from, limit.server_to)];
        for (from, to) in ends {
            if let (Some(MinorText(from)), Some(MinorText(to))) = (from, to)
                && from > to
            {
                return Err(format!(
                    "from {from} to {to} is no range: the first is above the last"
                ));
            }
        }
        Ok(Self(limit))
    }
}

/// Reads a policy file's text; `file` is its name in errors.
pub fn from_text(file: &str, text: &str) -> Result<Policy, PolicyFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(PolicyFileError::Empty {
            file: file.to_owned(),
        });
    }
    let parsed: PolicyFile = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| of_json(file, &error))?
    } else {
        serde_saphyr::from_str(text).map_err(|error| of_yaml(file, &error))?
    };
    Ok(policy(parsed))
}

/// The JSON Schema of a policy file, as `policy_file.schema.json` publishes it.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(PolicyFile).to_value()
}

fn of_json(file: &str, error: &serde_json::Error) -> PolicyFileError {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    at(
        file,
        u64::try_from(error.line()).unwrap_or(u64::MAX),
        u64::try_from(error.column()).unwrap_or(u64::MAX),
        words.strip_suffix(&place).unwrap_or(&words),
    )
}

fn of_yaml(file: &str, error: &serde_saphyr::Error) -> PolicyFileError {
    let error = error.without_snippet();
    let words = error.to_string();
    let words = words.lines().next().unwrap_or_default();
    match error.location() {
        Some(location) => {
            let place = format!(" at line {}, column {}", location.line(), location.column());
            let words = words.strip_suffix(&place).unwrap_or(words);
            at(file, location.line(), location.column(), words)
        }
        None => PolicyFileError::Whole {
            file: file.to_owned(),
            reason: words.to_owned(),
        },
    }
}

fn at(file: &str, line: u64, column: u64, reason: &str) -> PolicyFileError {
    PolicyFileError::At {
        file: file.to_owned(),
        line,
        column,
        reason: reason.to_owned(),
    }
}

fn policy(file: PolicyFile) -> Policy {
    let source = file.source.unwrap_or_else(|| POLICY_URL.to_owned());
    let stricter = file
        .limits
        .0
        .into_iter()
        .map(|Limit(limit)| stricter(limit, &source));
    Policy {
        name: file.name.0,
        kind: PolicyKind::Custom,
        stricter: stricter.collect(),
        detected_from: None,
        source,
    }
}

fn stricter(limit: LimitFields, source: &str) -> StricterLimit {
    let minor = |text: Option<MinorText>| text.map(|MinorText(minor)| minor);
    StricterLimit {
        limit: SkewLimit {
            component: match limit.component {
                Judged::Kubelet => Component::Kubelet,
                Judged::KubeProxy => Component::KubeProxy,
                Judged::KubeControllerManager => Component::KubeControllerManager,
                Judged::KubeScheduler => Component::KubeScheduler,
                Judged::CloudControllerManager => Component::CloudControllerManager,
            },
            reference: match limit.reference {
                Reference::KubeApiserver => Component::KubeApiserver,
                Reference::Kubelet => Component::Kubelet,
            },
            older: limit.older.0,
            newer: 0,
            from: minor(limit.from).unwrap_or(Minor::new(0)),
            to: minor(limit.to),
            source: Cow::Owned(limit.source.unwrap_or_else(|| source.to_owned())),
        },
        server: ServerMinors::Every {
            from: minor(limit.server_from).unwrap_or(Minor::new(0)),
            to: minor(limit.server_to),
            modulus: 1,
            remainder: 0,
        },
        date: Cow::Owned(limit.date.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
