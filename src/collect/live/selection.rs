//! Which pods of a large namespace are read whole: those that can be a component's, and no other. What to ask for next
//! follows from the names of all pods and from what was answered so far; asking is [`pods`](super::pods)'s.
//!
//! Labels find most component pods. Of every other [stem](super::pod_name) one pod is asked for by name, and where it
//! turns out to run a component's image, all others of its stem too. What is found is what the whole list would have
//! given, but for a pod whose siblings of the same stem run another image ([`super::pod_name`] says when that happens).

use std::collections::{BTreeMap, BTreeSet};

use super::pod_name::PodName;
use super::request::encoded;
use crate::inventory::component_labels::label_selectors;
use crate::inventory::observed::ObservedPod;

/// With more stems than this to ask for, the whole list is quicker.
const MOST_STEMS: usize = 50;

/// No more pods than this are asked for by name.
const MOST_NAMES: usize = 2 * MOST_STEMS;

/// So many pods of a stem are asked for one by one; more of them by a label that they share.
const FEW: usize = 8;

/// Labels that the pods of one workload share.
const WORKLOAD_LABELS: [&str; 4] = ["k8s-app", "app", "app.kubernetes.io/name", "component"];

/// Selects pods of a namespace in a list, and in a watch as well.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Query {
    /// All pods.
    All,
    /// The pods that a label selector selects.
    Labelled(String),
    /// The pod of that name: a list, so that the right to list is enough.
    Named(String),
}

impl Query {
    /// Those that find the pods which a label shows to be a component's.
    pub(super) fn of_component_labels() -> Vec<Self> {
        label_selectors().into_iter().map(Self::Labelled).collect()
    }

    /// As parameters of a request.
    pub(super) fn parameters(&self) -> String {
        match self {
            Self::All => String::new(),
            Self::Labelled(selector) => format!("labelSelector={}", encoded(selector)),
            Self::Named(name) => format!("fieldSelector={}", encoded(&format!("metadata.name={name}"))),
        }
    }
}

/// A pod that was read.
#[expect(clippy::large_enum_variant, reason = "one at a time, taken apart at once")]
pub(super) enum Sighting {
    /// It may be a component's.
    Component(ObservedPod),
    /// It is none; its name.
    Other(Box<str>),
}

/// There are more stems, or more pods of a stem, than are worth asking for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {MOST_STEMS} workloads, or {MOST_NAMES} pods, would have to be asked for by name")]
pub(super) struct TooMany;

/// What is known so far.
#[derive(Default)]
pub(super) struct Selection {
    /// All names, sorted by stem.
    names: Vec<PodName>,
    pods: Vec<ObservedPod>,
    /// The name of every pod read, and its place in `pods` where it may be a component's.
    read: BTreeMap<Box<str>, Option<usize>>,
    asked: BTreeSet<Query>,
}

impl Selection {
    /// Begins with the names of all pods.
    pub(super) fn new(mut names: Vec<PodName>) -> Self {
        names.sort_unstable_by(|a, b| a.stem().cmp(&b.stem()).then_with(|| a.as_str().cmp(b.as_str())));
        names.dedup_by(|a, b| a.as_str() == b.as_str());
        Self {
            names,
            ..Self::default()
        }
    }

    /// Adds a pod. Of two copies, from lists of two moments, the newer one counts.
    pub(super) fn add(&mut self, sighting: Sighting) {
        let pod = match sighting {
            Sighting::Other(name) => {
                self.read.entry(name).or_insert(None);
                return;
            }
            Sighting::Component(pod) => pod,
        };
        match self.read.get(pod.meta.name.as_str()) {
            Some(Some(at)) if version(&self.pods[*at]) < version(&pod) => self.pods[*at] = pod,
            Some(Some(_)) => {}
            Some(None) | None => {
                self.read
                    .insert(pod.meta.name.as_str().into(), Some(self.pods.len()));
                self.pods.push(pod);
            }
        }
    }

    /// What to ask for next; nothing where everything is known.
    pub(super) fn next(&mut self) -> Result<Vec<Query>, TooMany> {
        let mut queries = BTreeSet::new();
        let mut stems = 0;
        for siblings in self.names.chunk_by(|a, b| a.stem() == b.stem()) {
            let read = |name: &PodName| self.read.get(name.as_str());
            let unread = siblings
                .iter()
                .filter(|name| read(name).is_none())
                .map(|name| Query::Named(name.as_str().to_owned()))
                // A pod that was asked for and did not come is gone.
                .filter(|query| !self.asked.contains(query));
            if let Some(component) = siblings.iter().find_map(|name| *read(name)?) {
                let unread: Vec<_> = unread.take(MOST_NAMES + 1).collect();
                let by_label = workload(&self.pods[component]).filter(|query| !self.asked.contains(query));
                match by_label {
                    Some(query) if unread.len() > FEW => queries.extend([query]),
                    _ => queries.extend(unread),
                }
            } else if siblings.iter().all(|name| read(name).is_none()) {
                let first = unread.take(1).next();
                stems += usize::from(first.is_some());
                queries.extend(first);
            }
        }
        self.asked.extend(queries.iter().cloned());
        let named = self.asked.iter().filter(|query| matches!(query, Query::Named(_)));
        if stems > MOST_STEMS || named.count() > MOST_NAMES {
            return Err(TooMany);
        }
        Ok(queries.into_iter().collect())
    }

    /// The pods that may be a component's, and how many pods there are in all.
    pub(super) fn finish(self) -> (Vec<ObservedPod>, usize) {
        let known = self
            .names
            .iter()
            .filter(|name| self.read.contains_key(name.as_str()));
        let listed = self.names.len() + self.read.len() - known.count();
        (self.pods, listed)
    }
}

/// When a pod was written; versions of one cluster's objects can be compared.
fn version(pod: &ObservedPod) -> Option<u64> {
    pod.meta.resource_version.as_deref()?.parse().ok()
}

/// What selects the pods of the workload that a pod is of.
fn workload(pod: &ObservedPod) -> Option<Query> {
    WORKLOAD_LABELS.into_iter().find_map(|key| {
        let value = pod.meta.label(key).filter(|value| !value.is_empty())?;
        Some(Query::Labelled(format!("{key}={value}")))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::inventory::component_pod::may_be_component;
    use crate::inventory::observed::{Meta, ObservedContainer};

    /// A workload: how it names its pods, its name, a label, an image, and how many pods it has.
    type Workload = (
        usize,
        &'static str,
        Option<(&'static str, &'static str)>,
        &'static str,
        usize,
    );

    const NAMES: [&str; 8] = [
        "kube-proxy",
        "kube-scheduler",
        "ccm",
        "cilium",
        "coredns",
        "cilium-operator",
        "kube-proxy-windows",
        "a-name-so-long-that-the-names-of-its-pods-lose-their-last-hyphen",
    ];

    const IMAGES: [&str; 7] = [
        "registry.k8s.io/kube-proxy:v1.36.1",
        "registry.k8s.io/kube-scheduler:v1.36.1",
        "rancher/hardened-kubernetes:v1.36.1-rke2r1",
        "registry.k8s.io/cloud-pv-vsphere/cloud-provider-vsphere:v1.36.0",
        "example.com/oke-public-kube-proxy@sha256:ab",
        "quay.io/cilium/cilium:v1.19.0",
        "registry.k8s.io/coredns/coredns:v1.13.1",
    ];

    const LABELS: [Option<(&str, &str)>; 8] = [
        None,
        Some(("component", "kube-scheduler")),
        Some(("k8s-app", "kube-proxy")),
        Some(("k8s-app", "kube-proxy-windows")),
        Some(("k8s-app", "cilium")),
        Some(("component", "controllermanager")),
        Some(("role", "proxy")),
        Some(("app", "ccm")),
    ];

    /// Names as Kubernetes' controllers give them.
    fn pod_name(kind: usize, name: &str, index: usize) -> String {
        let generated: String = (0..5)
            .map(|at| char::from(b"bcdfghjklmnpqrstvwxz2456789"[(index * 7 + at * (3 + index)) % 27]))
            .collect();
        match kind {
            // A DaemonSet, whose pods' names are cut where they are too long.
            0 => format!("{}{generated}", &format!("{name}-")[..(name.len() + 1).min(58)]),
            // Two ReplicaSets of one Deployment.
            1 => format!("{}-6b8d7c9f5d-{generated}", &name[..name.len().min(40)]),
            2 => format!("{}-7c5ddbdf54-{generated}", &name[..name.len().min(40)]),
            3 => format!("{name}-{index}"),
            4 => format!("{name}-node-{index}"),
            _ => name.to_owned(),
        }
    }

    fn pods(workloads: &[Workload]) -> Vec<ObservedPod> {
        let mut pods: BTreeMap<String, ObservedPod> = BTreeMap::new();
        let mut templates = BTreeSet::new();
        for (kind, name, label, image, count) in workloads {
            if !templates.insert((kind, name)) {
                continue;
            }
            for index in 0..if *kind > 4 { 1 } else { *count } {
                let name = pod_name(*kind, name, index);
                let labels = label
                    .iter()
                    .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
                let pod = ObservedPod {
                    meta: Meta {
                        name: name.clone(),
                        namespace: Some("kube-system".to_owned()),
                        resource_version: Some(index.to_string()),
                        labels: labels.collect(),
                        ..Meta::default()
                    },
                    node: Some(format!("node-{index}")),
                    containers: vec![ObservedContainer {
                        name: "main".to_owned(),
                        image: Some((*image).to_owned()),
                        arguments: Vec::new(),
                    }],
                    ..ObservedPod::default()
                };
                pods.insert(name, pod);
            }
        }
        pods.into_values().collect()
    }

    fn sighting(pod: &ObservedPod) -> Sighting {
        let images = pod
            .containers
            .iter()
            .filter_map(|container| container.image.as_deref());
        let namespace = pod.meta.namespace.as_deref();
        if may_be_component(namespace, &pod.meta.name, &pod.meta.labels, images, None) {
            Sighting::Component(pod.clone())
        } else {
            Sighting::Other(pod.meta.name.as_str().into())
        }
    }

    fn answer(pods: &[ObservedPod], query: &Query) -> Vec<Sighting> {
        let selects = |pod: &&ObservedPod| match query {
            Query::All => true,
            Query::Named(name) => pod.meta.name == *name,
            Query::Labelled(selector) => {
                let (key, values) = selector.split_once(" in ").or(selector.split_once('=')).unwrap();
                let values = values.trim_matches(['(', ')']);
                pod.meta
                    .label(key)
                    .is_some_and(|value| values.split(',').any(|one| one == value))
            }
        };
        pods.iter().filter(selects).map(sighting).collect()
    }

    /// The pods that are selected, and what was asked for beside the labels.
    fn selected(listed: &[ObservedPod], now: &[ObservedPod]) -> Result<(Selection, Vec<Query>), TooMany> {
        let names = listed
            .iter()
            .map(|pod| PodName::new(&pod.meta.name, pod.node.as_deref()));
        let mut selection = Selection::new(names.collect());
        for query in Query::of_component_labels() {
            for pod in answer(now, &query) {
                selection.add(pod);
            }
        }
        let mut asked = Vec::new();
        loop {
            let queries = selection.next()?;
            if queries.is_empty() {
                return Ok((selection, asked));
            }
            for query in queries {
                for pod in answer(now, &query) {
                    selection.add(pod);
                }
                asked.push(query);
            }
        }
    }

    fn names(pods: Vec<ObservedPod>) -> BTreeSet<String> {
        pods.into_iter().map(|pod| pod.meta.name).collect()
    }

    fn components(pods: &[ObservedPod]) -> BTreeSet<String> {
        let component = |pod: &&ObservedPod| matches!(sighting(pod), Sighting::Component(_));
        names(pods.iter().filter(component).cloned().collect())
    }

    fn workload() -> impl Strategy<Value = Workload> {
        use prop::sample::select;
        (
            0..6_usize,
            select(&NAMES),
            select(&LABELS),
            select(&IMAGES),
            0..30_usize,
        )
    }

    proptest! {
        #[test]
        fn the_selection_finds_what_the_whole_list_gives(workloads in prop::collection::vec(workload(), 0..20)) {
            let pods = pods(&workloads);
            if let Ok((selection, _)) = selected(&pods, &pods) {
                let (found, listed) = selection.finish();
                prop_assert_eq!(listed, pods.len());
                prop_assert_eq!(names(found), components(&pods));
            } else {
                // Only many pods without a label that they share are too many.
                prop_assert!(pods.len() > MOST_STEMS);
            }
        }

        #[test]
        fn pods_that_come_and_go_meanwhile_are_no_trouble(
            before in prop::collection::vec(workload(), 0..6),
            after in prop::collection::vec(workload(), 0..6),
        ) {
            let (before, after) = (pods(&before), pods(&after));
            if let Ok((selection, _)) = selected(&before, &after) {
                let found = names(selection.finish().0);
                prop_assert!(found.is_subset(&components(&after)));
            }
        }
    }

    const KUBE_PROXY: &str = "registry.k8s.io/kube-proxy:v1.36.1";

    #[test]
    fn one_pod_of_a_stem_is_asked_for_and_the_rest_by_a_label_that_they_share() {
        let pods = pods(&[
            (
                0,
                "cilium",
                Some(("k8s-app", "cilium")),
                "quay.io/cilium/cilium:v1.19.0",
                20,
            ),
            (0, "net", Some(("app", "net")), KUBE_PROXY, 20),
            (4, "lone", None, KUBE_PROXY, 3),
        ]);
        let (selection, asked) = selected(&pods, &pods).unwrap();
        assert_eq!(names(selection.finish().0).len(), 23);
        let by_label: Vec<_> = asked
            .iter()
            .filter(|query| matches!(query, Query::Labelled(_)))
            .map(Query::parameters)
            .collect();
        assert_eq!(by_label, ["labelSelector=app%3Dnet"]);
        assert_eq!(asked.len(), 1 + 1 + 1 + 3, "{asked:?}");
    }

    #[test]
    fn too_many_stems_are_not_asked_for() {
        let workloads: Vec<_> = (0..=MOST_STEMS)
            .map(|index| format!("workload-{}", char::from(b'a' + u8::try_from(index).unwrap())))
            .collect();
        let pod = |name: &String| PodName::new(name, None);
        let ask = |count: usize| Selection::new(workloads[..count].iter().map(pod).collect()).next();
        assert_eq!(ask(MOST_STEMS).map(|queries| queries.len()), Ok(MOST_STEMS));
        assert_eq!(ask(MOST_STEMS + 1), Err(TooMany));
    }

    #[test]
    fn of_two_copies_the_newer_one_counts() {
        let pod = |node: &str, version: &str| {
            let mut pod = pods(&[(5, "kube-proxy", None, KUBE_PROXY, 1)]).remove(0);
            pod.node = Some(node.to_owned());
            pod.meta.resource_version = Some(version.to_owned());
            Sighting::Component(pod)
        };
        for (first, second) in [(("old", "9"), ("new", "10")), (("new", "10"), ("old", "9"))] {
            let mut selection = Selection::new(vec![PodName::new("kube-proxy", None)]);
            selection.add(pod(first.0, first.1));
            selection.add(pod(second.0, second.1));
            let (found, listed) = selection.finish();
            let nodes: Vec<_> = found.iter().map(|pod| pod.node.as_deref()).collect();
            assert_eq!((nodes, listed), (vec![Some("new")], 1));
        }
    }
}
