//! Platform policies: the policy that the platform which a cluster runs on puts in force. The rows are in
//! [`table`]; a company's own come from `policy_file`. Which limit binds is settled in [`super::skew_policy`].

pub mod table;

use std::borrow::Cow;

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

impl PolicyChoice {
    /// The choice of that name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "auto" => Some(Self::Auto),
            "upstream" => Some(Self::Upstream),
            name => platform(name).map(|platform| Self::Named(platform.name)),
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
