//! The tags of digests: a node's list of images has the names by which each digest was pulled.

use std::collections::BTreeMap;

use crate::inventory::component::Component;
use crate::inventory::image::{Reference, Runs};
use crate::inventory::observed::ObservedNode;
use crate::inventory::version::Version;

/// The releases in the tags beside a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tagged {
    /// All of them one release.
    As(Version),
    /// Releases that differ.
    Differently,
}

impl Tagged {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::As(a), Self::As(b)) if a.release() == b.release() => {
                Self::As(if a.raw() <= b.raw() { a } else { b })
            }
            _ => Self::Differently,
        }
    }
}

/// The releases in the tags of an image, by what the image runs.
type Tags = BTreeMap<Runs, Tagged>;

fn add(tags: &mut Tags, runs: Runs, tagged: Tagged) {
    let tagged = match tags.remove(&runs) {
        Some(known) => known.and(tagged),
        None => tagged,
    };
    tags.insert(runs, tagged);
}

/// The digests in the image lists of a cluster's nodes.
#[derive(Debug, Default)]
pub(super) struct Digests<'a> {
    by_digest: BTreeMap<&'a str, Tags>,
}

impl<'a> Digests<'a> {
    /// Those of these nodes.
    pub(super) fn of(nodes: &'a [ObservedNode]) -> Self {
        let mut by_digest: BTreeMap<&str, Tags> = BTreeMap::new();
        for image in nodes.iter().flat_map(|node| &node.images) {
            let mut tags = Tags::new();
            let references = || image.iter().map(|name| Reference::parse(name));
            for reference in references() {
                if let (Some(runs), Some(version)) = (reference.runs(), reference.version()) {
                    add(&mut tags, runs, Tagged::As(version));
                }
            }
            for digest in references().filter_map(|reference| reference.digest) {
                let known = by_digest.entry(digest).or_default();
                for (runs, tagged) in &tags {
                    add(known, *runs, tagged.clone());
                }
            }
        }
        Self { by_digest }
    }

    /// The version of `component` behind a digest, where all tags beside it name the same release.
    pub(super) fn version(&self, digest: &str, component: Component) -> Option<Version> {
        let tags = self.by_digest.get(digest)?;
        let may_run = [Runs::One(component), Runs::Shared];
        let tagged = may_run.iter().filter_map(|runs| tags.get(runs)).cloned();
        match tagged.reduce(Tagged::and)? {
            Tagged::As(version) => Some(version),
            Tagged::Differently => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(images: &[&[&str]]) -> ObservedNode {
        ObservedNode {
            images: images
                .iter()
                .map(|names| names.iter().map(|name| (*name).to_owned()).collect())
                .collect(),
            ..ObservedNode::default()
        }
    }

    fn proxy(nodes: &[ObservedNode], digest: &str) -> Option<String> {
        Digests::of(nodes)
            .version(digest, Component::KubeProxy)
            .map(|version| version.raw().to_owned())
    }

    #[test]
    fn a_digest_is_what_a_node_pulled_it_as() {
        let nodes = [
            node(&[]),
            node(&[&["r.io/kube-proxy@sha256:ab", "r.io/kube-proxy:v1.33.1"]]),
        ];
        assert_eq!(proxy(&nodes, "sha256:ab").as_deref(), Some("v1.33.1"));
        assert_eq!(proxy(&nodes, "sha256:cd"), None);
    }

    #[test]
    fn nodes_that_disagree_tell_nothing() {
        let nodes = [
            node(&[&["r.io/kube-proxy@sha256:ab", "r.io/kube-proxy:v1.33.1"]]),
            node(&[&["r.io/kube-proxy@sha256:ab", "r.io/kube-proxy:v1.34.0"]]),
        ];
        assert_eq!(proxy(&nodes, "sha256:ab"), None);
    }

    #[test]
    fn a_mirrors_name_for_the_same_tag_is_no_disagreement_and_latest_tells_nothing() {
        let nodes = [
            node(&[&["r.io/kube-proxy@sha256:ab", "r.io/kube-proxy:latest"]]),
            node(&[&["m.io/kube-proxy-amd64@sha256:ab", "m.io/kube-proxy-amd64:v1.33.1"]]),
            node(&[&["r.io/kube-proxy@sha256:ab", "r.io/kube-proxy:v1.33.1"]]),
        ];
        assert_eq!(proxy(&nodes, "sha256:ab").as_deref(), Some("v1.33.1"));
    }

    #[test]
    fn only_a_tag_of_the_components_own_image_counts() {
        let nodes = [node(&[&[
            "r.io/x@sha256:ab",
            "r.io/kube-scheduler:v1.33.1",
            "r.io/x:v1.30.0",
        ]])];
        assert_eq!(proxy(&nodes, "sha256:ab"), None);
    }
}
