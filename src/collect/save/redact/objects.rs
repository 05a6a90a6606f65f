//! Everything that was seen, rebuilt field by field. A field that is added to an object has to be dealt with here: none
//! is copied unless it is named.

use super::images::Images;
use super::stand_ins::StandIns;
use super::versions::{Versions, emulated, number, runtime};
use crate::inventory::component::Component;
use crate::inventory::labels::{HOSTNAME, ROLE_PREFIX, Wanted};
use crate::inventory::observed::{
    ContainerStatus, Cut, Listing, Meta, Observed, ObservedContainer, ObservedLease, ObservedNode,
    ObservedOperator, ObservedPod, Owner, VersionAnswer,
};
use crate::inventory::read_gap::{Malformed, ReadFault, ReadGap, UnreadableObject};

/// Words of Kubernetes and its platforms that stand as values of labels and are no one's name.
const WORDS: [&str; 26] = [
    "",
    "true",
    "false",
    "proxy",
    "apiserver",
    "controller-manager",
    "controllermanager",
    "scheduler",
    "kubernetes",
    "kube-proxy-worker",
    "kube-proxy-master",
    "kube-proxy-windows",
    "node",
    "master",
    "worker",
    "control-plane",
    "etcd",
    "infra",
    "linux",
    "windows",
    "virtual-kubelet",
    "fargate",
    "fake",
    "file",
    "KubeadmControlPlane",
    "openshift-kube-proxy",
];

/// Namespaces that every cluster has.
const NAMESPACES: [&str; 6] = [
    "kube-system",
    "default",
    "openshift-kube-apiserver",
    "openshift-kube-controller-manager",
    "openshift-kube-scheduler",
    "openshift-kube-proxy",
];

/// `DaemonSet`s that platforms move themselves, by their names.
const WORKLOADS: [&str; 2] = ["kube-proxy", "kube-proxy-windows"];

/// Starts of the names of pods that run no component, though their namespace is a component's.
const ERRANDS: [&str; 2] = ["installer", "revision-pruner"];

/// Kinds of owners.
const OWNERS: [&str; 6] = [
    "DaemonSet",
    "Node",
    "ReplicaSet",
    "StatefulSet",
    "Deployment",
    "Job",
];

/// What the API says of itself in one word.
const STATUS_REASONS: [&str; 12] = [
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "Not Found",
    "Expired",
    "Gone",
    "TooManyRequests",
    "Too Many Requests",
    "InternalError",
    "Internal Server Error",
    "ServiceUnavailable",
    "Service Unavailable",
];

/// What was seen, rebuilt.
pub(in crate::collect::save) fn redact(observed: &Observed) -> Observed {
    let mut names = Names::default();
    names.observed(observed);
    names.number();
    // The stand-ins of pods hold those of their stems, which are numbered now.
    names.pods = StandIns::default();
    names.observed(observed);
    names.number();
    names.observed(observed)
}

/// The text, where it is one of these.
fn one_of(known: &[&'static str], text: &str, other: &'static str) -> String {
    let found = known.iter().find(|word| **word == text);
    (*found.unwrap_or(&other)).to_owned()
}

/// All stand-ins of one snapshot.
#[derive(Default)]
struct Names {
    nodes: StandIns,
    pods: StandIns,
    stems: StandIns,
    containers: StandIns,
    namespaces: StandIns,
    owners: StandIns,
    leases: StandIns,
    operators: StandIns,
    values: StandIns,
    roles: StandIns,
    versions: Versions,
    images: Images,
    wanted: Wanted,
}

impl Names {
    fn number(&mut self) {
        let Self {
            nodes,
            pods,
            stems,
            containers,
            namespaces,
            owners,
            leases,
            operators,
            values,
            roles,
            versions,
            images,
            wanted: _,
        } = self;
        for stand_ins in [
            nodes, pods, stems, containers, namespaces, owners, leases, operators, values, roles,
        ] {
            stand_ins.number();
        }
        versions.number();
        images.number();
    }

    fn observed(&self, observed: &Observed) -> Observed {
        let Observed {
            origin,
            hosted,
            versions,
            connections,
            told_version,
            nodes,
            pods,
            leases,
            operators,
            kubectl,
            gaps,
        } = observed;
        Observed {
            origin: *origin,
            hosted: hosted.as_deref().map(|name| self.namespace(name)),
            versions: versions.iter().map(|answer| self.answer(answer)).collect(),
            connections: *connections,
            told_version: self.version(told_version.as_deref()),
            nodes: self.listing(nodes, |node| self.node(node)),
            pods: self.listing(pods, |pod| self.pod(pod)),
            leases: self.listing(leases, |lease| self.lease(lease)),
            operators: self.listing(operators, |operator| self.operator(operator)),
            kubectl: self.version(kubectl.as_deref()),
            gaps: gaps.iter().map(|gap| self.gap(gap)).collect(),
        }
    }

    fn listing<T>(&self, listing: &Listing<T>, rebuild: impl Fn(&T) -> T) -> Listing<T> {
        match listing {
            Listing::NotAsked => Listing::NotAsked,
            Listing::Failed(fault) => Listing::Failed(bare_fault(fault)),
            Listing::Read {
                items,
                listed,
                cut,
                broken,
            } => {
                let mut broken = broken.clone();
                for object in broken.first_mut() {
                    *object = self.unreadable(object);
                }
                Listing::Read {
                    items: items.iter().map(rebuild).collect(),
                    listed: *listed,
                    cut: cut.as_ref().map(|cut| match cut {
                        Cut::Fault(fault) => Cut::Fault(bare_fault(fault)),
                        Cut::OnePage(_) => Cut::OnePage(None),
                    }),
                    broken,
                }
            }
        }
    }

    fn version(&self, raw: Option<&str>) -> Option<String> {
        raw.map(|raw| self.versions.of(raw))
    }

    fn answer(&self, answer: &VersionAnswer) -> VersionAnswer {
        let VersionAnswer {
            git_version,
            emulation,
            min_compatibility,
        } = answer;
        let numbers = |pair: &(String, String)| (number(&pair.0), number(&pair.1));
        VersionAnswer {
            git_version: self.versions.of(git_version),
            emulation: emulation.as_ref().map(numbers),
            min_compatibility: min_compatibility.as_ref().map(numbers),
        }
    }

    fn node_name(&self, name: &str) -> String {
        // A super node of TKE is known by the start of its name.
        let prefix = if name.starts_with("eklet-") {
            "eklet-node"
        } else {
            "node"
        };
        self.nodes.of(prefix, name)
    }

    fn namespace(&self, name: &str) -> String {
        if NAMESPACES.contains(&name) {
            name.to_owned()
        } else {
            self.namespaces.of("namespace", name)
        }
    }

    fn value(&self, value: &str) -> String {
        if WORDS.contains(&value) || Component::named(value).is_some() {
            value.to_owned()
        } else {
            self.values.of("value", value)
        }
    }

    fn meta(&self, meta: &Meta, name: String) -> Meta {
        let Meta {
            name: _,
            namespace,
            uid: _,
            resource_version: _,
            labels,
            annotations,
            deleting,
            owner,
        } = meta;
        let mut labels: Vec<_> = labels.iter().filter_map(|label| self.label(label)).collect();
        labels.sort();
        Meta {
            name,
            namespace: namespace.as_deref().map(|name| self.namespace(name)),
            uid: None,
            resource_version: None,
            labels,
            annotations: annotations
                .iter()
                .filter(|(key, _)| self.wanted.annotation(key))
                .map(|(key, value)| (key.clone(), self.value(value)))
                .collect(),
            deleting: *deleting,
            owner: owner.as_ref().map(|owner| self.owner(owner)),
        }
    }

    /// A label whose key is everybody's.
    fn label(&self, (key, value): &(String, String)) -> Option<(String, String)> {
        let kept = match key.strip_prefix(ROLE_PREFIX) {
            Some(role) if WORDS.contains(&role) => key.clone(),
            Some(role) => format!("{ROLE_PREFIX}{}", self.roles.of("role", role)),
            None if self.wanted.label(key) => key.clone(),
            None => return None,
        };
        let value = if key == HOSTNAME {
            self.node_name(value)
        } else {
            self.value(value)
        };
        Some((kept, value))
    }

    fn owner(&self, Owner { kind, name }: &Owner) -> Owner {
        let name = match kind.as_str() {
            "Node" => self.node_name(name),
            _ if WORKLOADS.contains(&name.as_str()) => name.clone(),
            _ => self.owners.of(component_prefix(name).unwrap_or("owner"), name),
        };
        Owner {
            kind: one_of(&OWNERS, kind, "Other"),
            name,
        }
    }

    fn node(&self, node: &ObservedNode) -> ObservedNode {
        let ObservedNode {
            meta,
            cordoned,
            taints,
            ready,
            kubelet_version,
            runtime_version,
            os,
            os_image,
            hostname,
            images,
        } = node;
        ObservedNode {
            meta: self.meta(meta, self.node_name(&meta.name)),
            cordoned: *cordoned,
            taints: taints
                .iter()
                .filter(|key| crate::inventory::labels::is_virtual_taint(key))
                .cloned()
                .collect(),
            ready: ready
                .as_deref()
                .map(|ready| one_of(&["True", "False"], ready, "Unknown")),
            kubelet_version: self.version(kubelet_version.as_deref()),
            runtime_version: runtime_version.as_deref().map(runtime),
            os: os.as_deref().map(|os| one_of(&["linux", "windows"], os, "other")),
            os_image: os_image
                .as_deref()
                .and_then(crate::inventory::platform::shows_platform)
                .map(str::to_owned),
            hostname: hostname.as_deref().map(|name| self.node_name(name)),
            images: images
                .iter()
                .map(|names| names.iter().map(|image| self.image(image)).collect())
                .collect(),
        }
    }

    fn image(&self, image: &str) -> String {
        self.images.of(image, &self.versions)
    }

    /// A pod's name keeps the component that it starts with, and stays together with those of its stem.
    fn pod_name(&self, name: &str, node: Option<&str>) -> String {
        if Component::named(name).is_some() {
            return name.to_owned();
        }
        let errand = ERRANDS.into_iter().find(|errand| {
            name.strip_prefix(errand)
                .is_some_and(|rest| rest.starts_with('-'))
        });
        let of_node = node.and_then(|node| name.strip_suffix(node)?.strip_suffix('-'));
        let stem = of_node
            .or_else(|| name.rsplit_once('-').map(|(stem, _)| stem))
            .unwrap_or(name);
        let prefix = component_prefix(name).or(errand).unwrap_or("pod");
        self.pods.of(&self.stems.of(prefix, stem), name)
    }

    fn pod(&self, pod: &ObservedPod) -> ObservedPod {
        let ObservedPod {
            meta,
            node,
            phase,
            has_status,
            containers,
            statuses,
        } = pod;
        ObservedPod {
            meta: self.meta(meta, self.pod_name(&meta.name, node.as_deref())),
            node: node.as_deref().map(|name| self.node_name(name)),
            phase: phase
                .as_deref()
                .map(|phase| one_of(&["Running", "Pending", "Failed", "Succeeded"], phase, "Unknown")),
            has_status: *has_status,
            containers: containers.iter().map(|it| self.container(it)).collect(),
            statuses: statuses
                .as_ref()
                .map(|statuses| statuses.iter().map(|it| self.status(it)).collect()),
        }
    }

    fn container_name(&self, name: &str) -> String {
        if Component::named(name).is_some() {
            name.to_owned()
        } else {
            self.containers.of("container", name)
        }
    }

    fn container(&self, container: &ObservedContainer) -> ObservedContainer {
        let ObservedContainer {
            name,
            image,
            arguments,
        } = container;
        let kept = super::super::objects::arguments(arguments);
        ObservedContainer {
            name: self.container_name(name),
            image: image.as_deref().map(|image| self.image(image)),
            arguments: kept.iter().map(|argument| flag(argument)).collect(),
        }
    }

    fn status(&self, status: &ContainerStatus) -> ContainerStatus {
        let ContainerStatus {
            name,
            image,
            image_id,
            restarts,
            waiting,
            running,
            terminated,
            has_last_state,
        } = status;
        ContainerStatus {
            name: self.container_name(name),
            image: image.as_deref().map(|image| self.image(image)),
            image_id: image_id.as_deref().map(|image| self.image(image)),
            restarts: *restarts,
            waiting: *waiting,
            running: *running,
            terminated: *terminated,
            has_last_state: *has_last_state,
        }
    }

    fn lease(&self, lease: &ObservedLease) -> ObservedLease {
        let ObservedLease { meta, renewed } = lease;
        ObservedLease {
            meta: self.meta(meta, self.leases.of("apiserver", &meta.name)),
            renewed: *renewed,
        }
    }

    /// What other operators tell is not judged; that there are some is.
    fn operator(&self, operator: &ObservedOperator) -> ObservedOperator {
        let ObservedOperator {
            meta,
            versions,
            progressing,
        } = operator;
        let is_known = Component::named(&meta.name).is_some();
        let name = if is_known {
            meta.name.clone()
        } else {
            self.operators.of("operator", &meta.name)
        };
        ObservedOperator {
            meta: self.meta(meta, name),
            versions: versions
                .iter()
                .filter(|(name, _)| is_known && *name == meta.name)
                .map(|(name, version)| (name.clone(), self.versions.of(version)))
                .collect(),
            progressing: *progressing,
        }
    }

    fn unreadable(&self, object: &UnreadableObject) -> UnreadableObject {
        let UnreadableObject {
            namespace,
            name: _,
            malformed,
            at: _,
        } = object;
        let name = |name: &str| match namespace {
            Some(_) => self.pod_name(name, None),
            None => self.node_name(name),
        };
        UnreadableObject {
            namespace: namespace.as_deref().map(|name| self.namespace(name)),
            name: object.name.as_deref().map(name),
            malformed: match malformed {
                Malformed::Field { member, detail: _ } => Malformed::Field {
                    member: one_of(&["metadata", "spec", "status"], member, "field"),
                    detail: None,
                },
                Malformed::Encoding { detail: _ } => Malformed::Encoding { detail: None },
                other @ (Malformed::Nameless | Malformed::NoContainers | Malformed::NoKind) => other.clone(),
            },
            at: None,
        }
    }

    fn gap(&self, gap: &ReadGap) -> ReadGap {
        let namespace = |name: &Option<String>| name.as_deref().map(|name| self.namespace(name));
        match gap {
            ReadGap::Failed {
                resource,
                namespace: within,
                read,
                fault,
            } => ReadGap::Failed {
                resource: *resource,
                namespace: namespace(within),
                read: *read,
                fault: bare_fault(fault),
            },
            ReadGap::OnePage { resource, at: _ } => ReadGap::OnePage {
                resource: *resource,
                at: None,
            },
            ReadGap::FileMayBeCut { at: _, sign } => ReadGap::FileMayBeCut {
                at: None,
                sign: *sign,
            },
            ReadGap::SeveralServerVersions { answers } => {
                let mut answers = answers.clone();
                for answer in answers.first_mut() {
                    *answer = (self.version(answer.0.as_deref()), None);
                }
                ReadGap::SeveralServerVersions { answers }
            }
            ReadGap::Unreadable {
                resource,
                namespace: within,
                objects,
            } => {
                let mut objects = objects.clone();
                for object in objects.first_mut() {
                    *object = self.unreadable(object);
                }
                ReadGap::Unreadable {
                    resource: *resource,
                    namespace: namespace(within),
                    objects,
                }
            }
        }
    }
}

/// The component that a name starts with: it is told by its name too.
fn component_prefix(name: &str) -> Option<&'static str> {
    Component::PODS
        .into_iter()
        .map(Component::name)
        .find(|component| {
            name.strip_prefix(component)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
}

/// An argument that a snapshot keeps, its value rebuilt.
fn flag(argument: &str) -> String {
    const FLAG: &str = "--emulated-version";
    match argument.strip_prefix(FLAG) {
        Some("") => FLAG.to_owned(),
        Some(value) if value.starts_with('=') => format!("{FLAG}={}", emulated(&value[1..])),
        Some(_) => "other".to_owned(),
        None if argument == "component" => argument.to_owned(),
        None => emulated(argument),
    }
}

/// A fault without what a server or a file said in it.
fn bare_fault(fault: &ReadFault) -> ReadFault {
    match fault {
        ReadFault::Status { code, reason, .. } => ReadFault::Status {
            code: *code,
            reason: reason
                .as_deref()
                .filter(|reason| STATUS_REASONS.contains(reason))
                .map(str::to_owned),
            message: None,
            user: None,
        },
        ReadFault::NotKubernetes { code, .. } => ReadFault::NotKubernetes {
            code: *code,
            content_type: None,
            title: None,
        },
        ReadFault::OtherServer { code, to: _ } => ReadFault::OtherServer {
            code: *code,
            to: None,
        },
        ReadFault::Garbled { detail: _ } => ReadFault::Garbled { detail: None },
        ReadFault::NoConnection { detail: _ } => ReadFault::NoConnection { detail: None },
        other @ (ReadFault::Cut
        | ReadFault::TimedOut(_)
        | ReadFault::RunTimedOut(_)
        | ReadFault::Expired(_)) => other.clone(),
    }
}
