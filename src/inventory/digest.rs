//! Digests that nodes know the tag of: a node's list of images ties each digest to the names it was pulled by.

use std::collections::BTreeMap;

use super::component::Component;
use super::image::Reference;
use super::observed::ObservedNode;
use super::version::Version;

/// What the nodes of a cluster know of digests.
#[derive(Debug, Default)]
pub(super) struct Digests<'a> {
    /// Digest → the tagged names of component images that stand beside it, on any node.
    names: BTreeMap<&'a str, Vec<Reference<'a>>>,
}

impl<'a> Digests<'a> {
    /// What these nodes know.
    pub(super) fn of(nodes: &'a [ObservedNode]) -> Self {
        let mut names: BTreeMap<&str, Vec<Reference>> = BTreeMap::new();
        for image in nodes.iter().flat_map(|node| &node.images) {
            let references = || image.iter().map(|name| Reference::parse(name));
            let tagged: Vec<_> = references()
                .filter(|reference| reference.runs().is_some() && reference.version().is_some())
                .collect();
            for digest in references().filter_map(|reference| reference.digest) {
                let known = names.entry(digest).or_default();
                for reference in &tagged {
                    // A big cluster says the same thousands of times.
                    if !known
                        .iter()
                        .any(|one| one.path == reference.path && one.tag == reference.tag)
                    {
                        known.push(*reference);
                    }
                }
            }
        }
        Self { names }
    }

    /// The version of `component` behind a digest, where all that know it tell the same release.
    pub(super) fn version(&self, digest: &str, component: Component) -> Option<Version> {
        let mut versions: Vec<Version> = self
            .names
            .get(digest)?
            .iter()
            .filter(|reference| reference.may_run(component))
            .filter_map(Reference::version)
            .collect();
        versions.sort_by(|a, b| a.raw().cmp(b.raw()));
        let first = versions.first()?;
        versions
            .iter()
            .all(|version| version.release() == first.release())
            .then(|| first.clone())
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
