//! Leases, answers and servers, each rule by the smallest example.

use super::*;
use crate::inventory::observed::Meta;

fn lease(renewed: &str) -> ObservedLease {
    ObservedLease {
        meta: Meta::default(),
        renewed: Some(renewed.parse().unwrap()),
    }
}

#[test]
fn a_lease_lives_a_minute_beyond_the_newest_renewal_whatever_the_clock_here() {
    let leases = [
        lease("2001-01-01T00:01:00Z"),
        lease("2001-01-01T00:00:00Z"),
        lease("2000-12-31T23:59:59Z"),
        ObservedLease {
            meta: Meta::default(),
            renewed: None,
        },
    ];
    assert_eq!(live_leases(&leases), Some(2));
    assert_eq!(live_leases(&leases[3..]), None);
    assert_eq!(live_leases(&[]), None);
}

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
    let told = answers(&seen, Some("1.30.1"));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].from, InstanceSource::Told);
}

#[test]
fn an_operator_tells_the_entry_of_its_own_name() {
    let operator = |name: &str, versions: &[(&str, &str)], progressing| ObservedOperator {
        meta: Meta {
            name: name.to_owned(),
            ..Meta::default()
        },
        versions: versions
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect(),
        progressing,
    };
    let words = operator_words(&[
        operator(
            "kube-scheduler",
            &[("operator", "4.7.16"), ("kube-scheduler", "1.20.0-beta.2")],
            false,
        ),
        operator("kube-apiserver", &[("operator", "4.7.16")], true),
        operator("dns", &[("dns", "1.20.0")], false),
    ]);
    assert_eq!(words.len(), 2);
    let scheduler = &words[&Component::KubeScheduler];
    assert_eq!(
        scheduler.version.as_ref().map(Version::raw),
        Some("1.20.0-beta.2")
    );
    let apiserver = &words[&Component::KubeApiserver];
    assert_eq!(
        (apiserver.version.as_ref(), apiserver.is_progressing),
        (None, true)
    );
}
