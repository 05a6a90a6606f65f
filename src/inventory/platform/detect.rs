//! Which rows of the table a cluster shows, and by what.

use std::fmt;

use super::table::{PLATFORMS, Platform, Row, Sign};
use crate::inventory::observed::{ObservedNode, ObservedPod};

/// A platform that a cluster shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The platform.
    pub platform: Platform,
    /// What shows it.
    pub mark: Mark,
}

/// What shows a platform; of nodes and pods the first that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The version of the server.
    ServerVersion(String),
    /// The version of a node's kubelet.
    KubeletVersion {
        /// The version.
        version: String,
        /// The node.
        node: String,
    },
    /// Labels of a node.
    Labels {
        /// Their keys.
        keys: &'static [&'static str],
        /// The node.
        node: String,
    },
    /// An annotation of a node.
    NodeAnnotation {
        /// Its key.
        key: &'static str,
        /// The node.
        node: String,
    },
    /// An annotation of a pod.
    PodAnnotation {
        /// Its key.
        key: &'static str,
        /// The pod.
        pod: String,
    },
    /// The operating system of a node.
    OsImage {
        /// Its name.
        os_image: String,
        /// The node.
        node: String,
    },
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerVersion(version) => write!(f, "the server version {version}"),
            Self::KubeletVersion { version, node } => {
                write!(f, "the kubelet version {version} of node {node}")
            }
            Self::Labels { keys: [key], node } => write!(f, "the label {key} of node {node}"),
            Self::Labels { keys, node } => write!(f, "the labels {} of node {node}", keys.join(" and ")),
            Self::NodeAnnotation { key, node } => write!(f, "the annotation {key} of node {node}"),
            Self::PodAnnotation { key, pod } => write!(f, "the annotation {key} of pod {pod}"),
            Self::OsImage { os_image, node } => {
                write!(f, "the operating system {os_image} of node {node}")
            }
        }
    }
}

/// What a platform is looked for in.
pub(in crate::inventory) struct Seen<'a> {
    /// The version of the server.
    pub(in crate::inventory) server: Option<&'a str>,
    /// The cluster's own nodes, sorted by name: a virtual one shows another cluster's marks.
    pub(in crate::inventory) nodes: Vec<&'a ObservedNode>,
    /// The kube-apiserver pods that count, sorted by name.
    pub(in crate::inventory) apiservers: Vec<&'a ObservedPod>,
}

/// The platform whose skew limits hold, where it has any.
pub(in crate::inventory) fn distribution(seen: &Seen<'_>) -> Option<Detected> {
    first(seen, |row| !row.only_upgrades)
}

/// The platform that moves the control plane.
pub(in crate::inventory) fn platform(seen: &Seen<'_>) -> Option<Detected> {
    first(seen, |_| true)
}

fn first(seen: &Seen<'_>, may_be: impl Fn(&Row) -> bool) -> Option<Detected> {
    PLATFORMS.iter().filter(|row| may_be(row)).find_map(|row| {
        Some(Detected {
            platform: row.platform,
            mark: seen.mark_of(row)?,
        })
    })
}

impl Seen<'_> {
    fn mark_of(&self, row: &Row) -> Option<Mark> {
        let has_suffix = |version: &str| row.suffixes.iter().any(|suffix| suffix.is_in(version));
        let by_server = || {
            let version = self.server.filter(|version| has_suffix(version))?;
            Some(Mark::ServerVersion(version.to_owned()))
        };
        let by_kubelets = || {
            let version = |node: &ObservedNode| node.kubelet_version.clone().filter(|it| has_suffix(it));
            let node = self.first_of_most(|node| version(node).is_some())?;
            Some(Mark::KubeletVersion {
                version: version(node)?,
                node: node.meta.name.clone(),
            })
        };
        by_server()
            .or_else(by_kubelets)
            .or_else(|| row.signs.iter().find_map(|sign| self.mark(*sign)))
    }

    fn mark(&self, sign: Sign) -> Option<Mark> {
        match sign {
            Sign::Labels(keys) => {
                let node =
                    self.first_of_most(|node| keys.iter().all(|key| node.meta.label(key).is_some()))?;
                let node = node.meta.name.clone();
                Some(Mark::Labels { keys, node })
            }
            Sign::Annotation { key, unless } => {
                let node = self.first_of_most(|node| {
                    node.meta.has_annotation(key) && node.meta.label(unless).is_none()
                })?;
                let node = node.meta.name.clone();
                Some(Mark::NodeAnnotation { key, node })
            }
            Sign::ApiserverAnnotation(key) => {
                let pod = self.apiservers.iter().find(|pod| pod.meta.has_annotation(key))?;
                let pod = pod.meta.name.clone();
                Some(Mark::PodAnnotation { key, pod })
            }
            Sign::OsImage(start) => {
                let os_image = |node: &ObservedNode| node.os_image.clone().filter(|os| os.starts_with(start));
                let node = self.first_of_most(|node| os_image(node).is_some())?;
                Some(Mark::OsImage {
                    os_image: os_image(node)?,
                    node: node.meta.name.clone(),
                })
            }
        }
    }

    /// The first node that shows a mark, where at least half of them do: one node from elsewhere proves nothing about
    /// the rest.
    fn first_of_most(&self, shows: impl Fn(&ObservedNode) -> bool) -> Option<&ObservedNode> {
        let mut showing = self.nodes.iter().filter(|node| shows(node));
        let first = showing.next()?;
        (2 * (1 + showing.count()) >= self.nodes.len()).then_some(*first)
    }
}
