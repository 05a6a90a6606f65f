//! Where the objects of a report stand in its input, for the formats that point at a place.

use std::collections::BTreeMap;

use crate::collect::location::Location;
use crate::report::Source;

/// The locations of a source, by object.
pub(super) struct Locations<'a> {
    by_object: BTreeMap<&'a str, &'a Location>,
    /// Pods by their names alone, as instances name them: those of the namespace that components run in come first.
    pods: BTreeMap<&'a str, &'a Location>,
}

impl<'a> Locations<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let mut pods = BTreeMap::new();
        let is_elsewhere = |place: &&Location| !place.object.starts_with("pod/kube-system/");
        let (elsewhere, here): (Vec<&Location>, Vec<&Location>) =
            source.locations.iter().partition(is_elsewhere);
        for place in here.into_iter().chain(elsewhere) {
            if let Some(name) = pod_name(&place.object) {
                pods.entry(name).or_insert(place);
            }
        }
        let by_object = source
            .locations
            .iter()
            .map(|place| (place.object.as_str(), place));
        Self {
            by_object: by_object.collect(),
            pods,
        }
    }

    /// The place of `node/NAME`, `pod/NAMESPACE/NAME` or `pod/NAME`. What names no namespace, the object or its
    /// place, is told by the name.
    pub(super) fn of(&self, object: &str) -> Option<&'a Location> {
        let exact = || self.by_object.get(object).copied();
        let by_name = || {
            let name = object.strip_prefix("pod/")?;
            match name.split_once('/') {
                Some((_, name)) => self.by_object.get(format!("pod/{name}").as_str()),
                None => self.pods.get(name),
            }
            .copied()
        };
        exact().or_else(by_name)
    }
}

/// The name of a pod, with its namespace or without.
fn pod_name(object: &str) -> Option<&str> {
    let name = object.strip_prefix("pod/")?;
    Some(name.split_once('/').map_or(name, |(_, name)| name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Mode;

    #[test]
    fn a_pod_is_found_by_its_namespace_and_without_it_in_kube_system_first() {
        let place = |object: &str, line| Location {
            object: object.to_owned(),
            file: "d.json".to_owned(),
            line,
        };
        let source = Source {
            mode: Mode::Files,
            context: None,
            api_server: None,
            kubectl_flags: String::new(),
            files: Vec::new(),
            skipped: 0,
            captured_at: None,
            age_seconds: None,
            locations: vec![
                place("node/a", 1),
                place("pod/apps/etcd", 2),
                place("pod/kube-system/etcd", 3),
                place("pod/bare", 4),
            ],
        };
        let locations = Locations::new(&source);
        let line = |object| locations.of(object).map(|place| place.line);
        assert_eq!(line("node/a"), Some(1));
        assert_eq!(line("pod/apps/etcd"), Some(2));
        assert_eq!(line("pod/kube-system/etcd"), Some(3));
        assert_eq!(line("pod/etcd"), Some(3));
        assert_eq!(line("pod/kube-system/bare"), Some(4));
        assert_eq!(line("pod/other/etcd"), None);
        assert_eq!(line("pod/other"), None);
        assert_eq!(line("component/kubectl"), None);
    }
}
