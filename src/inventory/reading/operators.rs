//! OpenShift's ClusterOperators, which report the versions of its control plane.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::inventory::component::Component;
use crate::inventory::observed::ObservedOperator;
use crate::inventory::version::Version;

/// The components whose version a ClusterOperator of the same name reports.
pub(super) const OPERATORS: [Component; 3] = [
    Component::KubeApiserver,
    Component::KubeControllerManager,
    Component::KubeScheduler,
];

/// What a ClusterOperator reports about its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperatorVersion {
    /// The version, where the entry of the operator's own name is one.
    pub(super) version: Option<Version>,
    /// It is moving, and its version changes last.
    pub(super) is_progressing: bool,
}

/// What the ClusterOperators of the control plane report.
pub(super) fn operator_versions(operators: &[ObservedOperator]) -> BTreeMap<Component, OperatorVersion> {
    let mut versions: BTreeMap<Component, OperatorVersion> = BTreeMap::new();
    for operator in operators {
        let Some(component) = OPERATORS
            .into_iter()
            .find(|component| component.name() == operator.meta.name)
        else {
            continue;
        };
        let own = OperatorVersion {
            version: operator
                .versions
                .iter()
                .filter(|(name, _)| *name == operator.meta.name)
                .filter_map(|(_, version)| version.parse().ok())
                .min_by(by_release),
            is_progressing: operator.progressing,
        };
        // The same operator twice is for collectors to settle; here the older version is the careful choice.
        let known = versions.entry(component).or_insert_with(|| own.clone());
        known.is_progressing |= own.is_progressing;
        known.version = match (known.version.take(), own.version) {
            (Some(a), Some(b)) => Some(if by_release(&a, &b).is_le() { a } else { b }),
            _ => None,
        };
    }
    versions
}

fn by_release(a: &Version, b: &Version) -> Ordering {
    a.release().cmp(b.release()).then_with(|| a.raw().cmp(b.raw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::observed::Meta;

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
        let versions = operator_versions(&[
            operator(
                "kube-scheduler",
                &[("operator", "4.7.16"), ("kube-scheduler", "1.20.0-beta.2")],
                false,
            ),
            operator("kube-apiserver", &[("operator", "4.7.16")], true),
            operator("dns", &[("dns", "1.20.0")], false),
        ]);
        assert_eq!(versions.len(), 2);
        let scheduler = &versions[&Component::KubeScheduler];
        assert_eq!(
            scheduler.version.as_ref().map(Version::raw),
            Some("1.20.0-beta.2")
        );
        let apiserver = &versions[&Component::KubeApiserver];
        assert_eq!(
            (apiserver.version.as_ref(), apiserver.is_progressing),
            (None, true)
        );
    }
}
