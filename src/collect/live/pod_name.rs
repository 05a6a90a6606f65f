//! The stem of a pod's name: what the pods of one template have in common. A list of names shows by it which pods run
//! the same images, so that one of them need be looked at.
//!
//! A Deployment's pods keep their `ReplicaSet`'s hash, so two templates are two stems. `DaemonSet`s and `StatefulSet`s
//! name their pods alike whatever the template: while one of them changes between images, the one pod that is looked
//! at may run the other image.

/// A pod's name.
#[derive(Clone, Debug)]
pub(super) struct PodName {
    name: Box<str>,
    stem_length: usize,
    suffix: Suffix,
}

/// What the pods of one template have in common in their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stem<'a> {
    text: &'a str,
    suffix: Suffix,
}

/// What followed the stem. Workloads of one name and of different kinds are different stems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suffix {
    Nothing,
    /// Generated for a `DaemonSet`, a `ReplicaSet` or a Job.
    Generated,
    /// A `StatefulSet`'s.
    Ordinal,
    /// A static pod's node.
    Node,
}

/// The letters and digits of which Kubernetes generates names: no vowels, nothing that looks like another.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// How many of them it appends.
const GENERATED: usize = 5;

/// A name that is generated is no longer than this; what is too long for it loses its end, the hyphen included.
const LONGEST_GENERATED: usize = 63;

impl PodName {
    /// The name of a pod that runs on `node`.
    pub(super) fn new(name: &str, node: Option<&str>) -> Self {
        let (stem, suffix) = split(name, node.unwrap_or_default());
        Self {
            name: name.into(),
            stem_length: stem.len(),
            suffix,
        }
    }

    /// The whole name.
    pub(super) fn as_str(&self) -> &str {
        &self.name
    }

    /// What it has in common with its siblings.
    pub(super) fn stem(&self) -> Stem<'_> {
        Stem {
            text: &self.name[..self.stem_length],
            suffix: self.suffix,
        }
    }
}

fn split<'a>(name: &'a str, node: &str) -> (&'a str, Suffix) {
    let before_hyphen = |rest: &'a str| rest.strip_suffix('-').filter(|stem| !stem.is_empty());
    if !node.is_empty()
        && let Some(stem) = name.strip_suffix(node).and_then(before_hyphen)
    {
        return (stem, Suffix::Node);
    }
    if let Some((rest, end)) = name.split_at_checked(name.len().saturating_sub(GENERATED))
        && end.len() == GENERATED
        && end.bytes().all(|byte| ALPHABET.contains(&byte))
    {
        if let Some(stem) = before_hyphen(rest) {
            return (stem, Suffix::Generated);
        }
        if name.len() == LONGEST_GENERATED {
            return (rest, Suffix::Generated);
        }
    }
    let without_digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match before_hyphen(without_digits) {
        Some(stem) if without_digits.len() < name.len() => (stem, Suffix::Ordinal),
        _ => (name, Suffix::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_what_was_generated_for_the_pod_alone() {
        let long = "a-daemon-set-whose-name-is-so-long-that-its-pods-names-are-cut";
        let cut = format!("{}x7k2p", &long[..58]);
        for (name, node, stem) in [
            ("kube-proxy-x7k2p", "n1", ("kube-proxy", Suffix::Generated)),
            // A ReplicaSet's hash stays: another template is another stem.
            (
                "ccm-6b8d7c9f5d-x7k2p",
                "n1",
                ("ccm-6b8d7c9f5d", Suffix::Generated),
            ),
            (
                "etcd-cp-1.example.com",
                "cp-1.example.com",
                ("etcd", Suffix::Node),
            ),
            (
                "kube-proxy-ip-10-0-0-7",
                "ip-10-0-0-7",
                ("kube-proxy", Suffix::Node),
            ),
            ("web-0", "n1", ("web", Suffix::Ordinal)),
            ("web-12", "", ("web", Suffix::Ordinal)),
            // Five digits of the alphabet may be either, and are generated far more often.
            ("web-24567", "", ("web", Suffix::Generated)),
            (&cut, "n1", (&long[..58], Suffix::Generated)),
            // 0, 1, 3 and vowels are in no generated part.
            ("web-x7k1p", "n1", ("web-x7k1p", Suffix::Nothing)),
            ("kube-proxy", "n1", ("kube-proxy", Suffix::Nothing)),
            ("metrics-server-v2", "n1", ("metrics-server-v2", Suffix::Nothing)),
            ("n1", "n1", ("n1", Suffix::Nothing)),
            ("-n1", "n1", ("-n1", Suffix::Nothing)),
            ("7", "", ("7", Suffix::Nothing)),
            ("x7k2p", "", ("x7k2p", Suffix::Nothing)),
            ("-x7k2p", "", ("-x7k2p", Suffix::Nothing)),
            ("größe", "", ("größe", Suffix::Nothing)),
            ("", "", ("", Suffix::Nothing)),
        ] {
            assert_eq!(split(name, node), stem, "{name} on {node}");
        }
    }

    #[test]
    fn workloads_of_one_name_and_two_kinds_are_two_stems() {
        let names = [
            ("ccm-x7k2p", None),
            ("ccm-0", None),
            ("ccm-n1", Some("n1")),
            ("ccm", None),
        ]
        .map(|(name, node)| PodName::new(name, node));
        for (at, name) in names.iter().enumerate() {
            assert_eq!(name.stem().text, "ccm");
            assert!(
                names[at + 1..].iter().all(|other| other.stem() != name.stem()),
                "{name:?}"
            );
        }
    }
}
