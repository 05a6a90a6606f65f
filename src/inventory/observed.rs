//! What a collector saw, as plain values: the few fields of Nodes, Pods, Leases, ClusterOperators and
//! `/version` that the product reads. Live lists in either encoding, dumps and the demo all end here, and
//! [`super::read`] starts here. Nothing is judged in this file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::namespace::COMPONENT_NAMESPACE;
use super::read_gap::{FilePlace, ReadFault, ReadGap, Resource, Sample, UnreadableObject};

/// A text that is not empty: an empty one counts as absent.
pub fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Everything seen of one cluster.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Where the objects come from; decides what an absence means.
    pub origin: Origin,
    /// The namespace asked for with `-n`, where it is another than kube-system: a hosted control plane.
    pub hosted: Option<String>,
    /// Answers of `/version`, one for each connection that got one; in a dump, its `kubectl version`.
    pub versions: Vec<VersionAnswer>,
    /// How many fresh connections were asked for `/version`, and how many answered.
    pub connections: Option<Connections>,
    /// `--server-version`: takes the place of `versions`.
    pub told_version: Option<String>,
    /// The Nodes.
    pub nodes: Listing<ObservedNode>,
    /// The Pods of the component namespaces.
    pub pods: Listing<ObservedPod>,
    /// The apiservers' identity Leases.
    pub leases: Listing<ObservedLease>,
    /// OpenShift's ClusterOperators; [`Listing::NotAsked`] on every other cluster, an empty whole list where the API is
    /// not there (MicroShift).
    pub operators: Listing<ObservedOperator>,
    /// The version of the local kubectl, raw, where it was asked for and answered.
    pub kubectl: Option<String>,
    /// What a collector could not read and belongs to no listing: a refused `/version`, a file that may have been cut.
    pub gaps: Vec<ReadGap>,
}

impl Observed {
    /// What the reads did not give. With a hosted control plane the hosting cluster's other objects play no part.
    pub fn unread(&self) -> Vec<ReadGap> {
        let hosted = non_empty(self.hosted.as_deref());
        let mut unread = self.gaps.clone();
        if hosted.is_none() {
            unread.extend(self.nodes.unread(Resource::Nodes, None));
            unread.extend(self.leases.unread(Resource::Leases, Some(COMPONENT_NAMESPACE)));
            unread.extend(self.operators.unread(Resource::ClusterOperators, None));
        }
        let namespace = hosted.unwrap_or(COMPONENT_NAMESPACE);
        unread.extend(self.pods.unread(Resource::Pods, Some(namespace)));
        unread
    }
}

/// Where the objects come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A live cluster.
    #[default]
    Live,
    /// Files.
    Files,
}

/// How asking for more `/version` answers went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Fresh connections tried, one after another; the connection of the first answer is none of them.
    pub tried: usize,
    /// Those that answered.
    pub answered: usize,
}

/// A list that was asked for.
#[derive(Clone, Debug, Default)]
pub enum Listing<T> {
    /// Nobody asked, and nothing follows from it.
    #[default]
    NotAsked,
    /// Refused, missing or failed.
    Failed(ReadFault),
    /// The list was read; with `cut`, only a part of it.
    Read {
        /// The objects that may matter: all Nodes, the Pods that may be component pods.
        items: Vec<T>,
        /// How many objects the list held in all, those passed over included; of Pods, those in the namespaces that
        /// components run in ([`is_component_namespace`](super::namespace::is_component_namespace)).
        listed: usize,
        /// Why the rest is missing, where it is.
        cut: Option<Cut>,
        /// Objects of the list that could not be read.
        broken: Sample<UnreadableObject>,
    },
}

/// Why a list is not whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cut {
    /// Reading it failed on the way.
    Fault(ReadFault),
    /// A file holds one page of it.
    OnePage(Option<FilePlace>),
}

impl<T> Listing<T> {
    /// The objects read, none where the list was not.
    pub fn items(&self) -> &[T] {
        match self {
            Self::Read { items, .. } => items,
            Self::NotAsked | Self::Failed(_) => &[],
        }
    }

    /// A whole list of these objects and nothing else.
    pub fn whole(items: Vec<T>) -> Self {
        Self::Read {
            listed: items.len(),
            items,
            cut: None,
            broken: Sample::default(),
        }
    }

    /// What reading it did not give.
    pub fn unread(&self, resource: Resource, namespace: Option<&str>) -> Vec<ReadGap> {
        let failed = |read: usize, fault: &ReadFault| ReadGap::Failed {
            resource,
            namespace: namespace.map(str::to_owned),
            read,
            fault: fault.clone(),
        };
        match self {
            Self::NotAsked => Vec::new(),
            Self::Failed(fault) => vec![failed(0, fault)],
            Self::Read {
                listed, cut, broken, ..
            } => {
                let cut = cut.as_ref().map(|cut| match cut {
                    Cut::Fault(fault) => failed(*listed, fault),
                    Cut::OnePage(at) => ReadGap::OnePage {
                        resource,
                        at: at.clone(),
                    },
                });
                let broken = (!broken.is_empty()).then(|| ReadGap::Unreadable {
                    resource,
                    namespace: namespace.map(str::to_owned),
                    objects: broken.clone(),
                });
                cut.into_iter().chain(broken).collect()
            }
        }
    }
}

/// One answer of `/version`, as its text has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionAnswer {
    /// `gitVersion`; where absent, `v` + `major.minor`.
    pub git_version: String,
    /// `emulationMajor`.`emulationMinor`, where given.
    pub emulation: Option<(String, String)>,
    /// `minCompatibilityMajor`.`minCompatibilityMinor`, where given.
    pub min_compatibility: Option<(String, String)>,
}

/// Metadata that both Nodes and Pods have. An empty text counts as absent in every field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: Option<String>,
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.resourceVersion`.
    pub resource_version: Option<String>,
    /// The wanted labels ([`super::labels`]), sorted by key.
    pub labels: Vec<(String, String)>,
    /// The wanted annotations, sorted by key.
    pub annotations: Vec<(String, String)>,
    /// `metadata.deletionTimestamp` is set.
    pub deleting: bool,
    /// The controlling owner, or the first.
    pub owner: Option<Owner>,
}

impl Meta {
    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    fn shrink(&mut self) {
        self.labels.shrink_to_fit();
        self.annotations.shrink_to_fit();
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    /// Whether an annotation is there.
    pub fn has_annotation(&self, key: &str) -> bool {
        self.annotation(key).is_some()
    }
}

/// An owner reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// `kind`: DaemonSet, Node, ReplicaSet …
    pub kind: String,
    /// `name`.
    pub name: String,
}

/// A Node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedNode {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.unschedulable`.
    pub cordoned: bool,
    /// The keys of `spec.taints` that show a virtual node.
    pub taints: Vec<String>,
    /// The status of the Ready condition: `True`, `False`, `Unknown`; `None` where there is no such condition.
    pub ready: Option<String>,
    /// `status.nodeInfo.kubeletVersion`.
    pub kubelet_version: Option<String>,
    /// `status.nodeInfo.containerRuntimeVersion`.
    pub runtime_version: Option<String>,
    /// `status.nodeInfo.operatingSystem`.
    pub os: Option<String>,
    /// The start of `status.nodeInfo.osImage`, where it shows a platform
    /// ([`shows_platform`](super::platform::shows_platform)).
    pub os_image: Option<String>,
    /// The address of type Hostname.
    pub hostname: Option<String>,
    /// Names of component images on the node that tie a digest to a tag: each entry holds all names of one image.
    pub images: Vec<Vec<String>>,
}

/// A Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedPod {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.nodeName`.
    pub node: Option<String>,
    /// `status.phase`.
    pub phase: Option<String>,
    /// Whether the object had a status at all; a trimmed dump has none.
    pub has_status: bool,
    /// `spec.containers`, in order; init containers do not count and are not here.
    pub containers: Vec<ObservedContainer>,
    /// `status.containerStatuses`; `None` where absent.
    pub statuses: Option<Vec<ContainerStatus>>,
}

impl ObservedNode {
    /// Gives back the room that its lists have beyond their length: thousands of Nodes are kept.
    pub fn shrink(&mut self) {
        self.meta.shrink();
        self.taints.shrink_to_fit();
        self.images.shrink_to_fit();
    }
}

impl ObservedPod {
    /// Gives back the room that its lists have beyond their length: thousands of Pods are kept.
    pub fn shrink(&mut self) {
        self.meta.shrink();
        self.containers.shrink_to_fit();
        for container in &mut self.containers {
            container.arguments.shrink_to_fit();
        }
        if let Some(statuses) = &mut self.statuses {
            statuses.shrink_to_fit();
        }
    }
}

/// A container of a Pod's spec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedContainer {
    /// `name`.
    pub name: String,
    /// `image`.
    pub image: Option<String>,
    /// `command` and `args` after one another.
    pub arguments: Vec<String>,
}

/// What runs of a container.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the states as Kubernetes writes them, of which a broken object may hold several"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerStatus {
    /// `name`.
    pub name: String,
    /// `image`, as the runtime reports it.
    pub image: Option<String>,
    /// `imageID`.
    pub image_id: Option<String>,
    /// `restartCount`.
    pub restarts: u32,
    /// `state.waiting` is set.
    pub waiting: bool,
    /// `state.running` is set.
    pub running: bool,
    /// `state.terminated` is set.
    pub terminated: bool,
    /// `lastState` holds something.
    pub has_last_state: bool,
}

/// An identity Lease of an apiserver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedLease {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.renewTime`.
    pub renewed: Option<Timestamp>,
}

/// A ClusterOperator of OpenShift.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedOperator {
    /// Its metadata.
    pub meta: Meta,
    /// `status.versions`: name and version.
    pub versions: Vec<(String, String)>,
    /// The condition Progressing is True.
    pub progressing: bool,
}
