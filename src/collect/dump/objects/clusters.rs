//! Whether one input holds the objects of one cluster: what only different clusters show is an error, since a
//! verdict about both together is one about neither.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use crate::collect::dump::error::{At, DumpError, Escaped};
use crate::inventory::observed::VersionAnswer;
use crate::inventory::version::{Minor, Version};

/// The directory that must-gather writes objects without a namespace to.
const CLUSTER_SCOPED: &str = "cluster-scoped-resources";
/// Roots and uids beyond this many are not compared: an input of so many is an error before.
const MAX_COMPARED: usize = 64;

/// The signs of clusters that the input has shown.
#[derive(Default)]
pub(super) struct Clusters {
    /// The uids of the kube-system namespace, and where each stands first.
    uids: BTreeMap<String, At>,
    /// Directories that hold `cluster-scoped-resources`, in the order in which their first Node was met.
    roots: Vec<Root>,
    /// The root of each Node, by the hash of its name.
    nodes: HashMap<u64, usize>,
    hashes: RandomState,
}

/// One such directory.
struct Root {
    path: String,
    /// The root of the same cluster that came before, or its own index.
    same_as: usize,
}

impl Clusters {
    /// The kube-system namespace has this uid.
    pub(super) fn uid(&mut self, uid: String, at: At) {
        if self.uids.len() < MAX_COMPARED {
            self.uids.entry(uid).or_insert(at);
        }
    }

    /// A Node of this name stands in this file.
    pub(super) fn node(&mut self, name: &str, file: &str) {
        let Some(root) = root_of(file) else { return };
        let index = match self.roots.iter().position(|known| known.path == root) {
            Some(index) => index,
            None if self.roots.len() == MAX_COMPARED => return,
            None => {
                self.roots.push(Root {
                    path: root.to_owned(),
                    same_as: self.roots.len(),
                });
                self.roots.len() - 1
            }
        };
        let first = *self.nodes.entry(self.hashes.hash_one(name)).or_insert(index);
        let (one, other) = (self.first_of(first), self.first_of(index));
        self.roots[one.max(other)].same_as = one.min(other);
    }

    fn first_of(&self, mut index: usize) -> usize {
        while self.roots[index].same_as != index {
            index = self.roots[index].same_as;
        }
        index
    }

    /// Refuses the objects of two clusters.
    pub(super) fn check(&self) -> Result<(), DumpError> {
        let mut uids = self.uids.iter();
        if let (Some((first, first_at)), Some((second, second_at))) = (uids.next(), uids.next()) {
            return Err(DumpError::TwoClusters {
                sign: "the kube-system namespace has two uids".to_owned(),
                first: format!("{first} in {first_at}"),
                second: format!("{second} in {second_at}"),
                alone_first: Escaped(&first_at.file).to_string(),
                alone_second: Escaped(&second_at.file).to_string(),
            });
        }
        let mut own = (0..self.roots.len()).filter(|index| self.roots[*index].same_as == *index);
        if let (Some(first), Some(second)) = (own.next(), own.next()) {
            let path = |index: usize| Escaped(&self.roots[index].path).to_string();
            return Err(DumpError::TwoClusters {
                sign: format!("two directories with {CLUSTER_SCOPED} have no Node in common"),
                first: path(first),
                second: path(second),
                alone_first: path(first),
                alone_second: path(second),
            });
        }
        Ok(())
    }
}

/// The directory, or the archive with the directory in it, that `cluster-scoped-resources` stands in.
fn root_of(file: &str) -> Option<&str> {
    let at = file.rfind(CLUSTER_SCOPED)?;
    let root = &file[..at];
    let is_whole = file[at + CLUSTER_SCOPED.len()..].starts_with(['/', '\\'])
        && (root.is_empty() || root.ends_with(['/', '\\', ':']));
    let root = root.trim_end_matches(['/', '\\', ':']);
    is_whole.then_some(if root.is_empty() { "." } else { root })
}

/// Refuses two answers of `/version` that one cluster cannot give: more than a minor apart.
///
/// The answers that one snapshot holds came from one cluster, however far apart they are.
pub(super) fn check_versions(
    answers: &[(VersionAnswer, At)],
    snapshot: Option<(&[String], &At)>,
) -> Result<(), DumpError> {
    let minor = |version: &str| Some(version.parse::<Version>().ok()?.minor());
    let told = answers
        .iter()
        .map(|(answer, at)| (answer.git_version.as_str(), at));
    let mut of_files: Vec<(Minor, &str, &At)> = told
        .filter_map(|(version, at)| Some((minor(version)?, version, at)))
        .collect();
    of_files.sort_unstable();
    let mut pairs = Vec::new();
    pairs.extend(of_files.first().copied().zip(of_files.last().copied()));
    if let Some((versions, at)) = snapshot {
        for own in &of_files {
            let nearest = versions
                .iter()
                .filter_map(|version| Some((minor(version)?, version.as_str(), at)))
                .min_by_key(|(minor, _, _)| minor.distance(own.0));
            pairs.extend(nearest.map(|nearest| (*own, nearest)));
        }
    }
    match pairs.into_iter().find(|(one, other)| one.0.distance(other.0) > 1) {
        None => Ok(()),
        Some(((_, first, first_at), (_, second, second_at))) => Err(DumpError::TwoClusters {
            sign: "the server versions are more than one minor version apart".to_owned(),
            first: format!("{} in {first_at}", Escaped(first)),
            second: format!("{} in {second_at}", Escaped(second)),
            alone_first: Escaped(&first_at.file).to_string(),
            alone_second: Escaped(&second_at.file).to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_the_directory_that_must_gather_wrote() {
        for (file, root) in [
            ("a/b/cluster-scoped-resources/core/nodes/n.yaml", Some("a/b")),
            ("cluster-scoped-resources/core/nodes/n.yaml", Some(".")),
            (
                "m.tar.gz:x/cluster-scoped-resources/nodes.json",
                Some("m.tar.gz:x"),
            ),
            ("m.tar:cluster-scoped-resources/nodes.json", Some("m.tar")),
            ("a/cluster-scoped-resources.yaml", None),
            ("a/my-cluster-scoped-resources/n.yaml", None),
            ("nodes.yaml", None),
        ] {
            assert_eq!(root_of(file), root, "{file}");
        }
    }

    #[test]
    fn roots_that_share_a_node_through_a_third_are_one_cluster() {
        let mut clusters = Clusters::default();
        let file = |root: &str| format!("{root}/cluster-scoped-resources/n.yaml");
        clusters.node("a", &file("one"));
        clusters.node("b", &file("two"));
        assert!(clusters.check().is_err());
        clusters.node("a", &file("three"));
        clusters.node("b", &file("three"));
        assert!(clusters.check().is_ok());
    }
}
