//! What reading a cluster or a file left behind, as evidence: what was asked for and what went wrong. The server's and
//! the file's own texts stand in fields of their own, bounded, and are trusted by nobody. A snapshot holds these as they
//! stand here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::component::Component;
use super::namespace::OPENSHIFT_PROXY_NAMESPACE;

/// What a reader asks a cluster for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resource {
    /// Nodes.
    Nodes,
    /// Pods.
    Pods,
    /// Leases.
    Leases,
    /// `/version`.
    Version,
    /// ClusterOperators.
    ClusterOperators,
}

impl Resource {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Nodes,
        Self::Pods,
        Self::Leases,
        Self::Version,
        Self::ClusterOperators,
    ];

    /// Its name in the output and in RBAC.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Pods => "pods",
            Self::Leases => "leases",
            Self::Version => "version",
            Self::ClusterOperators => "clusteroperators",
        }
    }

    /// What one of its objects is called.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Nodes => "node",
            Self::Pods => "pod",
            Self::Leases => "lease",
            Self::Version => "version",
            Self::ClusterOperators => "clusteroperator",
        }
    }

    /// Its API group, empty for the core.
    pub(super) const fn group(self) -> &'static str {
        match self {
            Self::Nodes | Self::Pods | Self::Version => "",
            Self::Leases => "coordination.k8s.io",
            Self::ClusterOperators => "config.openshift.io",
        }
    }
}

/// Something that a read did not give.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReadGap {
    /// A read that was refused or failed; with `read` above zero it broke off after so many objects.
    Failed {
        /// What was asked for.
        resource: Resource,
        /// The namespace it was asked for in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        namespace: Option<String>,
        /// How many objects had come.
        read: usize,
        /// What went wrong.
        fault: ReadFault,
    },
    /// A file holds one page of a longer list.
    OnePage {
        /// The list's resource.
        resource: Resource,
        /// Where the list stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<FilePlace>,
    },
    /// A file may have been cut.
    FileMayBeCut {
        /// Where it ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<FilePlace>,
        /// What shows it.
        sign: CutSign,
    },
    /// The input holds more than one server version.
    SeveralServerVersions {
        /// The versions, each with its place; `None` where it is a snapshot that has its own.
        answers: Sample<(Option<String>, Option<FilePlace>)>,
    },
    /// Objects that cannot be read.
    Unreadable {
        /// Their resource.
        resource: Resource,
        /// The namespace of the list that they stood in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        namespace: Option<String>,
        /// The first of them.
        objects: Sample<UnreadableObject>,
    },
}

/// What shows that a file may have been cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CutSign {
    /// Its last line has no end.
    LastLineUnended,
    /// Its last object says less than a whole one.
    LastObjectShort,
}

impl ReadGap {
    /// Whose versions are unread, where it is one component's.
    pub(super) fn component(&self) -> Option<Component> {
        let (Self::Failed {
            resource, namespace, ..
        }
        | Self::Unreadable {
            resource, namespace, ..
        }) = self
        else {
            return None;
        };
        match resource {
            Resource::Nodes => Some(Component::Kubelet),
            Resource::Leases | Resource::Version => Some(Component::KubeApiserver),
            Resource::Pods if is_openshift_proxy(namespace.as_deref()) => Some(Component::KubeProxy),
            Resource::Pods | Resource::ClusterOperators => None,
        }
    }

    /// What was not read at all.
    pub(super) fn skipped(&self) -> Option<Resource> {
        match self {
            // One page says of itself that the list was not read.
            Self::Failed {
                resource, read: 0, ..
            }
            | Self::OnePage { resource, .. } => Some(*resource),
            _ => None,
        }
    }

    /// Whether objects of that resource may be missing from what was read.
    pub(super) fn leaves_out(&self, wanted: Resource) -> bool {
        match self {
            Self::Failed { resource, .. }
            | Self::OnePage { resource, .. }
            | Self::Unreadable { resource, .. } => *resource == wanted,
            Self::FileMayBeCut { .. } => matches!(wanted, Resource::Nodes | Resource::Pods),
            Self::SeveralServerVersions { .. } => false,
        }
    }

    /// Whether the verdict is unknown because of it.
    pub(super) fn is_required(&self) -> bool {
        match self {
            Self::Failed {
                resource, namespace, ..
            }
            | Self::Unreadable {
                resource, namespace, ..
            } => match resource {
                Resource::Nodes => true,
                Resource::Pods => !is_openshift_proxy(namespace.as_deref()),
                Resource::Leases | Resource::Version | Resource::ClusterOperators => false,
            },
            Self::OnePage { .. } | Self::FileMayBeCut { .. } | Self::SeveralServerVersions { .. } => true,
        }
    }

    /// The objects concerned, as far as they are kept.
    pub(super) fn objects(&self) -> Vec<String> {
        match self {
            Self::Unreadable {
                resource, objects, ..
            } => objects
                .first()
                .iter()
                .filter_map(|object| object.full_name(*resource))
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn is_openshift_proxy(namespace: Option<&str>) -> bool {
    namespace == Some(OPENSHIFT_PROXY_NAMESPACE)
}

/// Why a read gave nothing, or not all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReadFault {
    /// An answer of the API that is no success.
    Status {
        /// The HTTP status.
        code: u16,
        /// The server's reason in one word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The server's message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// The user that the server names; never taken from a file.
        #[serde(skip)]
        user: Option<String>,
    },
    /// An answer that is not of the Kubernetes API.
    NotKubernetes {
        /// The HTTP status.
        code: u16,
        /// Its `Content-Type`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content_type: Option<String>,
        /// The title of the page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// A redirect to another server.
    OtherServer {
        /// The HTTP status.
        code: u16,
        /// Scheme, host and port of the other server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    },
    /// An answer that cannot be read.
    Garbled {
        /// What is wrong with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The connection ended before the answer did.
    Cut,
    /// No whole answer within the time of one request.
    TimedOut(Duration),
    /// The time for the whole run was up.
    RunTimedOut(Duration),
    /// The continue token ran out so many times.
    Expired(u32),
    /// There was no connection.
    NoConnection {
        /// What is known of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FilePlace {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
}

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Malformed {
    /// It has no `metadata.name`.
    Nameless,
    /// A Pod without containers and without a label that tells its component.
    NoContainers,
    /// A field of that member is of another type than it should be.
    Field {
        /// The member: `metadata`, `spec` …
        member: String,
        /// Which field, what was expected, and what the file has instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// It breaks its encoding.
    Encoding {
        /// How.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// It shows no kind, and its form none either.
    NoKind,
}

/// An object that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnreadableObject {
    /// Its namespace, where that much was readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name, where that much was readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is wrong with it.
    pub malformed: Malformed,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<FilePlace>,
}

impl UnreadableObject {
    /// `node/NAME`, `pod/NAMESPACE/NAME`.
    pub fn full_name(&self, resource: Resource) -> Option<String> {
        let name = self.name.as_ref()?;
        let kind = resource.singular();
        Some(match &self.namespace {
            Some(namespace) => format!("{kind}/{namespace}/{name}"),
            None => format!("{kind}/{name}"),
        })
    }
}

/// A text of somebody else as evidence keeps it: `None` where it is empty, and never long. A proxy's error page must not
/// fill the screen.
pub fn bounded(text: &str) -> Option<String> {
    const LONGEST: usize = 300;
    let text = text.trim();
    match text.char_indices().nth(LONGEST) {
        _ if text.is_empty() => None,
        Some((end, _)) => Some(format!("{}…", &text[..end])),
        None => Some(text.to_owned()),
    }
}

/// How many of a sample are kept: enough to see what is wrong, whatever a file or a server makes up.
const KEPT: usize = 10;

/// The first few of many, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sample<T> {
    first: Vec<T>,
    total: usize,
}

impl<T> Default for Sample<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            total: 0,
        }
    }
}

impl<T> Sample<T> {
    /// Counts one more; `make` is called only while there is room for it.
    pub fn add(&mut self, make: impl FnOnce() -> T) {
        self.total += 1;
        if self.first.len() < KEPT {
            self.first.push(make());
        }
    }

    /// The first ones.
    pub fn first(&self) -> &[T] {
        &self.first
    }

    /// The first ones, to be rewritten.
    pub fn first_mut(&mut self) -> &mut [T] {
        &mut self.first
    }

    /// How many there were.
    pub fn total(&self) -> usize {
        self.total
    }

    /// How many there were beside those that are kept.
    pub fn more(&self) -> usize {
        self.total.saturating_sub(self.first.len())
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Forgets all but the first `total`.
    pub fn truncate(&mut self, total: usize) {
        self.total = self.total.min(total);
        self.first.truncate(total);
    }

    /// Counts so many more, of which nothing is known.
    pub fn count_more(&mut self, more: usize) {
        self.total = self.total.saturating_add(more);
    }

    /// Takes another sample's in.
    pub fn append(&mut self, other: Self) {
        let room = KEPT.saturating_sub(self.first.len());
        self.total = self.total.saturating_add(other.total);
        self.first.extend(other.first.into_iter().take(room));
    }
}

impl<T> FromIterator<T> for Sample<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut sample = Self::default();
        for one in all {
            sample.add(|| one);
        }
        sample
    }
}
