//! Platform policies: the policy that the platform which a cluster runs on puts in force. The rows are in
//! [`table`]; a company's own come from `policy_file`. Which limit binds is settled in [`super::skew_policy`].

pub mod table;

use std::borrow::Cow;
use std::str::FromStr;

use super::limits::SkewLimit;
use super::skew_policy::{Policy, PolicyKind, StricterLimit};
use crate::inventory::Inventory;
use table::{PLATFORMS, Platform, Row};

/// `--policy`, or the policy of a `--policy-file`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PolicyChoice {
    /// The platform's, where it is told by the cluster and its source is confirmed; else upstream's.
    #[default]
    Auto,
    /// Upstream's.
    Upstream,
    /// A platform's, by name, rows of unconfirmed source included.
    Named(&'static str),
    /// One from a file.
    File(Policy),
}

/// There is no policy of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no policy \"{}\"{}: give one of {}",
    .name.escape_debug(),
    .nearest.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default(),
    names().collect::<Vec<_>>().join(", ")
)]
pub struct UnknownPolicy {
    /// What was asked for.
    pub name: String,
    /// The name nearest to it.
    pub nearest: Option<&'static str>,
}

impl FromStr for PolicyChoice {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            "auto" => Ok(Self::Auto),
            "upstream" => Ok(Self::Upstream),
            _ => match platform(text) {
                Some(platform) => Ok(Self::Named(platform.name)),
                None => Err(UnknownPolicy {
                    name: text.to_owned(),
                    nearest: nearest(text),
                }),
            },
        }
    }
}

/// Every name that `--policy` takes.
pub fn names() -> impl Iterator<Item = &'static str> {
    ["auto", "upstream"]
        .into_iter()
        .chain(PLATFORMS.iter().map(|platform| platform.name))
}

/// The policy in force for this cluster.
pub fn choose(choice: &PolicyChoice, inventory: &Inventory) -> Policy {
    match choice {
        PolicyChoice::Auto => detect(inventory).unwrap_or_default(),
        PolicyChoice::Upstream => Policy::upstream(),
        PolicyChoice::Named(name) => {
            platform(name).map_or_else(Policy::upstream, |platform| policy(platform, |_| true))
        }
        PolicyChoice::File(policy) => policy.clone(),
    }
}

fn platform(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.name == name)
}

fn nearest(text: &str) -> Option<&'static str> {
    let distance = |name: &str| strsim::damerau_levenshtein(text, name);
    names()
        .min_by_key(|name| distance(name))
        .filter(|name| distance(name) <= 2 && distance(name) < name.len())
}

/// A platform's policy with those of its rows.
fn policy(platform: &Platform, rows: impl Fn(&Row) -> bool) -> Policy {
    let stricter = platform
        .rows
        .iter()
        .filter(|row| rows(row))
        .map(|row| StricterLimit {
            limit: SkewLimit {
                component: row.component,
                reference: row.reference,
                older: row.older,
                newer: 0,
                from: crate::inventory::version::Minor::new(0),
                to: None,
                source: Cow::Borrowed(row.source),
            },
            server: row.server,
            date: Cow::Borrowed(row.date),
        });
    Policy {
        name: platform.name.to_owned(),
        source: platform.source.to_owned(),
        kind: if platform.rows.is_empty() {
            PolicyKind::Upstream
        } else {
            PolicyKind::Platform
        },
        detected_from: None,
        stricter: stricter.collect(),
    }
}

/// The policy of the platform that the cluster shows, where that has confirmed rows.
fn detect(inventory: &Inventory) -> Option<Policy> {
    let detected = inventory.distribution.as_ref()?;
    let mut policy = policy(platform(detected.platform.name())?, |row| row.confirmed);
    policy.detected_from = Some(detected.mark.to_string());
    (!policy.stricter.is_empty()).then_some(policy)
}
