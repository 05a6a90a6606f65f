//! Platform policies: which platform a cluster runs on, and the policy that this puts in force. The rows are in
//! [`table`]; a company's own come from `policy_file`. Which limit binds is settled in [`super::skew_policy`].

pub mod table;

use std::borrow::Cow;
use std::str::FromStr;

use super::limits::SkewLimit;
use super::skew_policy::{Policy, PolicyKind, StricterLimit};
use crate::inventory::{Inventory, Node};
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

/// The label keys that tell a platform; a decoder has to keep them.
pub fn label_keys() -> impl Iterator<Item = &'static str> {
    PLATFORMS
        .iter()
        .flat_map(|platform| platform.labels.iter().copied())
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
    let (platform, words) = on_another(inventory)
        .or_else(|| by_server(inventory))
        .or_else(|| by_nodes(inventory))?;
    let mut policy = policy(platform, |row| row.confirmed);
    if policy.stricter.is_empty() {
        return None;
    }
    policy.detected_from = Some(words);
    Some(policy)
}

type Detected = (&'static Platform, String);

/// A platform on top of another shows the other's marks too, so its own labels are looked for first.
fn on_another(inventory: &Inventory) -> Option<Detected> {
    let platforms = PLATFORMS.iter().filter(|platform| platform.is_on_another);
    platforms
        .into_iter()
        .find_map(|platform| by_label(platform, inventory))
}

fn by_server(inventory: &Inventory) -> Option<Detected> {
    let version = inventory.server_version.as_deref()?;
    let platform = PLATFORMS.iter().find(|platform| has_suffix(platform, version))?;
    Some((platform, format!("the server version {version}")))
}

/// At least half of the nodes must show a platform's mark: one node from elsewhere tells nothing of the rest.
fn by_nodes(inventory: &Inventory) -> Option<Detected> {
    let by_version = PLATFORMS.iter().find_map(|platform| {
        let shows = |node: &&Node| {
            let version = node.kubelet.raw.as_deref();
            version.is_some_and(|version| has_suffix(platform, version))
        };
        let node = first_of_most(inventory, shows)?;
        let version = node.kubelet.raw.as_deref().unwrap_or_default();
        let words = format!("the kubelet version {version} of node {}", node.name);
        Some((platform, words))
    });
    by_version.or_else(|| {
        PLATFORMS
            .iter()
            .find_map(|platform| by_label(platform, inventory))
    })
}

fn by_label(platform: &'static Platform, inventory: &Inventory) -> Option<Detected> {
    let labels = platform.labels;
    if platform.needs_all_labels {
        let node = first_of_most(inventory, |node| {
            !labels.is_empty() && labels.iter().all(|key| has_label(node, key))
        })?;
        let words = format!("the labels {} of node {}", labels.join(" and "), node.name);
        return Some((platform, words));
    }
    let node = first_of_most(inventory, |node| labels.iter().any(|key| has_label(node, key)))?;
    let key = labels.iter().find(|key| has_label(node, key))?;
    Some((platform, format!("the label {key} of node {}", node.name)))
}

/// The first node of those that show a mark, where at least half of the nodes do.
fn first_of_most(inventory: &Inventory, shows: impl Fn(&&Node) -> bool) -> Option<&Node> {
    let showing = nodes(inventory).filter(&shows).count();
    (2 * showing >= nodes(inventory).count())
        .then(|| nodes(inventory).find(shows))
        .flatten()
}

/// The nodes that are this cluster's own: a virtual one shows another's marks.
fn nodes(inventory: &Inventory) -> impl Iterator<Item = &Node> {
    inventory.nodes.iter().filter(|node| node.virtual_node.is_none())
}

fn has_suffix(platform: &Platform, version: &str) -> bool {
    platform.suffixes.iter().any(|suffix| suffix.is_in(version))
}

fn has_label(node: &Node, key: &str) -> bool {
    node.labels.iter().any(|(label, _)| label == key)
}
