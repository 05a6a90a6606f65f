//! The answers of `/version`: one counts once, whoever gave it.

use super::emulation;
use crate::inventory::instance::InstanceSource;
use crate::inventory::observed::{VersionAnswer, non_empty};
use crate::inventory::version::{Minor, Version};

/// One answer of `/version` that is a Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The binary's version.
    pub(super) version: Version,
    /// The minor it emulates, where another than the binary's.
    pub(super) emulated: Option<Minor>,
    /// Whether it reports an emulated minor at all: servers below 1.33 and older kubectls leave it out.
    pub(super) reports_emulation: bool,
    /// What gave it.
    pub(super) from: InstanceSource,
}

impl Answer {
    /// The minor that the policy judges.
    pub(super) fn effective(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.version.minor())
    }
}

/// The answers, each once, oldest first.
pub(super) fn answers(versions: &[VersionAnswer], given: Option<&str>) -> Vec<Answer> {
    let mut answers: Vec<Answer> = match given.and_then(|given| non_empty(Some(given))) {
        Some(given) => given
            .parse()
            .map(|version| Answer {
                version,
                emulated: None,
                reports_emulation: false,
                from: InstanceSource::Given,
            })
            .into_iter()
            .collect(),
        None => versions
            .iter()
            .filter_map(|answer| {
                let version: Version = answer.git_version.parse().ok()?;
                let emulated = answer
                    .emulation
                    .as_ref()
                    .and_then(|(major, minor)| emulation::of_numbers(major, minor));
                Some(Answer {
                    emulated: emulated.filter(|minor| *minor < version.minor()),
                    reports_emulation: emulated.is_some(),
                    version,
                    from: InstanceSource::Version,
                })
            })
            .collect(),
    };
    let key = |answer: &Answer| {
        (
            answer.version.release().clone(),
            answer.emulated,
            answer.version.raw().to_owned(),
            answer.reports_emulation,
        )
    };
    answers.sort_by_key(key);
    answers.dedup_by(|later, first| {
        let is_same = (&later.version, later.emulated) == (&first.version, first.emulated);
        first.reports_emulation |= is_same && later.reports_emulation;
        is_same
    });
    answers
}

/// The highest minCompatibility minor of these answers.
pub(super) fn min_compatibility(versions: &[VersionAnswer]) -> Option<Minor> {
    versions
        .iter()
        .filter_map(|answer| answer.min_compatibility.as_ref())
        .filter_map(|(major, minor)| emulation::of_numbers(major, minor))
        .max()
}

/// The minor that servers of that very binary emulate; where they differ, the oldest.
pub(super) fn emulation_of(version: Option<&Version>, answers: &[Answer]) -> Option<Minor> {
    let version = version?;
    answers
        .iter()
        .filter(|answer| is_same_binary(version, &answer.version))
        .filter_map(|answer| answer.emulated)
        .min()
}

/// Whether two texts name one release; one without a patch matches all of its minor.
pub(super) fn is_same_binary(a: &Version, b: &Version) -> bool {
    let has_patch = |version: &Version| version.raw().split('.').count() > 2;
    if has_patch(a) && has_patch(b) {
        a.release() == b.release()
    } else {
        a.minor() == b.minor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_once_each_and_only_as_kubernetes_versions() {
        let answer = |git: &str, emulation: Option<(&str, &str)>| VersionAnswer {
            git_version: git.to_owned(),
            emulation: emulation.map(|(a, b)| (a.to_owned(), b.to_owned())),
            min_compatibility: None,
        };
        let seen = [
            answer("v1.37.0", Some(("1", "37"))),
            answer("v1.37.0", Some(("1", "36"))),
            answer("v1.37.0", None),
            answer("v1.36.2", None),
            answer("v0.0.0-master+$Format", None),
            answer("", None),
        ];
        let short: Vec<_> = answers(&seen, None)
            .into_iter()
            .map(|answer| (answer.version.raw().to_owned(), answer.emulated))
            .collect();
        assert_eq!(
            short,
            [
                ("v1.36.2".to_owned(), None),
                ("v1.37.0".to_owned(), None),
                ("v1.37.0".to_owned(), Some(Minor::new(36))),
            ]
        );
        let given = answers(&seen, Some("1.30.1"));
        assert_eq!(given.len(), 1);
        assert_eq!(given[0].from, InstanceSource::Given);
    }
}
