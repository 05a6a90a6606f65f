//! Which pods of a large namespace are read whole: those that can be a component's, and no other. What to ask for next
//! follows from the names of all pods and from what was answered so far; asking is [`pods`](super::pods)'s.
//!
//! Labels find most component pods. Of every other [stem](super::pod_name) one pod is asked for by name, and where it
//! turns out to run a component's image, all others of its stem too. What is found is what the whole list would have
//! given, but for a pod whose siblings of the same stem run another image ([`super::pod_name`] says when that happens).

use std::collections::{BTreeMap, BTreeSet};

use super::pod_name::PodName;
use super::request::encoded;
use crate::inventory::component_pod::label_selectors;
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
