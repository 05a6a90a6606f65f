//! Stand-ins for names: the same name everywhere the same one, in the order of the names they stand for, and
//! telling what the name told. A node stays apart from a node and a pool from a pool; who they are is gone.
//!
//! What is kept as it is: versions, image names and tags, the keys of labels, the namespaces and registries
//! that everybody has, and words that mean something to Kubernetes (`kube-proxy`, `virtual-kubelet`, `true`).

use std::collections::{BTreeMap, BTreeSet};

use crate::inventory::component::Component;
use crate::inventory::labels::{self, ROLE_PREFIX};
use crate::inventory::observed::{Cut, Listing, Meta, Observed, ObservedPod, Owner};
use crate::inventory::read_gap::{Malformed, ReadFault, ReadGap, UnreadableObject};

/// Words of Kubernetes and its platforms that stand as values of labels and tell no one's name.
const WORDS: [&str; 23] = [
    "",
    "true",
    "false",
    "proxy",
    "apiserver",
    "controller-manager",
    "scheduler",
    "node",
    "master",
    "worker",
    "control-plane",
    "etcd",
    "infra",
    "agent",
    "linux",
    "windows",
    "virtual-kubelet",
    "fargate",
    "fake",
    "file",
    "api",
    "http",
    "KubeadmControlPlane",
];

/// Registries that are everybody's.
const REGISTRIES: [&str; 12] = [
    "registry.k8s.io",
    "k8s.gcr.io",
    "gcr.io",
    "gke.gcr.io",
    "quay.io",
    "docker.io",
    "index.docker.io",
    "ghcr.io",
    "mcr.microsoft.com",
    "public.ecr.aws",
    "projects.registry.vmware.com",
    "registry.suse.com",
];

/// Parts of an image's path that tell whose numbering its tag follows.
const PROJECTS: [&str; 14] = [
    "scheduler-plugins",
    "kubernetes",
    "oss",
    "v2",
    "eks",
    "eks-distro",
    "provider-aws",
    "cloud-provider-gcp",
    "cloud-provider-vsphere",
    "azure",
    "k0sproject",
    "rancher",
    "sigwindowstools",
    "google_containers",
];

/// The stand-ins of one kind of name.
struct StandIns(BTreeMap<String, String>);

impl StandIns {
    /// `PREFIX-01` …, in the order of the names.
    fn new<'n>(names: impl IntoIterator<Item = &'n str>, prefix: impl Fn(&str) -> String) -> Self {
        let mut by_prefix: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for name in names {
            by_prefix.entry(prefix(name)).or_default().insert(name);
        }
        let mut stand_ins = BTreeMap::new();
        for (prefix, names) in by_prefix {
            let width = names.len().to_string().len();
            for (number, name) in (1..).zip(names) {
                stand_ins.insert(name.to_owned(), format!("{prefix}-{number:0width$}"));
            }
        }
        Self(stand_ins)
    }

    fn of(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_else(|| "unnamed".to_owned())
    }
}

/// All stand-ins of one snapshot.
struct Names {
    nodes: StandIns,
    pods: StandIns,
    namespaces: StandIns,
    owners: StandIns,
    leases: StandIns,
    values: StandIns,
    keys: StandIns,
    registries: StandIns,
}

/// What was seen, with every name replaced.
pub(super) fn redact(observed: &Observed) -> Observed {
    let names = Names::of(observed);
    let mut redacted = observed.clone();
    for node in items(&mut redacted.nodes) {
        names.meta(&mut node.meta);
        node.meta.name = names.nodes.of(&node.meta.name);
        node.hostname = node.hostname.as_deref().map(|name| names.nodes.of(name));
        for image in node.images.iter_mut().flatten() {
            *image = names.image(image);
        }
    }
    for pod in items(&mut redacted.pods) {
        names.pod(pod);
    }
    for lease in items(&mut redacted.leases) {
        names.meta(&mut lease.meta);
        lease.meta.name = names.leases.of(&lease.meta.name);
    }
    for operator in items(&mut redacted.operators) {
        operator.meta.uid = None;
    }
    for object in unreadable(&mut redacted) {
        names.unreadable(object);
    }
    bare_listing(&mut redacted.nodes);
    bare_listing(&mut redacted.pods);
    bare_listing(&mut redacted.leases);
    bare_listing(&mut redacted.operators);
    for gap in &mut redacted.gaps {
        names.gap(gap);
    }
    redacted.hosted = redacted.hosted.as_deref().map(|name| names.namespaces.of(name));
    redacted
}

fn items<T>(listing: &mut Listing<T>) -> &mut [T] {
    match listing {
        Listing::Read { items, .. } => items,
        Listing::NotAsked | Listing::Failed(_) => &mut [],
    }
}

/// Every object that could not be read.
fn unreadable(observed: &mut Observed) -> Vec<&mut UnreadableObject> {
    fn of<T>(listing: &mut Listing<T>) -> &mut [UnreadableObject] {
        match listing {
            Listing::Read { broken, .. } => broken.first_mut(),
            Listing::NotAsked | Listing::Failed(_) => &mut [],
        }
    }
    let mut all: Vec<&mut UnreadableObject> = of(&mut observed.nodes).iter_mut().collect();
    all.extend(of(&mut observed.pods));
    all.extend(of(&mut observed.leases));
    all.extend(of(&mut observed.operators));
    for gap in &mut observed.gaps {
        if let ReadGap::Unreadable { objects, .. } = gap {
            all.extend(objects.first_mut());
        }
    }
    all
}

/// A fault without what a server or a file said in it.
fn bare_fault(fault: &mut ReadFault) {
    match fault {
        ReadFault::Status {
            code: _,
            reason,
            message,
            user,
        } => (*reason, *message, *user) = (None, None, None),
        ReadFault::NotKubernetes {
            code: _,
            content_type,
            title,
        } => (*content_type, *title) = (None, None),
        ReadFault::OtherServer { code: _, to } => *to = None,
        ReadFault::Garbled { detail } | ReadFault::NoConnection { detail } => *detail = None,
        ReadFault::Cut | ReadFault::TimedOut(_) | ReadFault::RunTimedOut(_) | ReadFault::Expired(_) => {}
    }
}

fn bare_listing<T>(listing: &mut Listing<T>) {
    match listing {
        Listing::Failed(fault)
        | Listing::Read {
            cut: Some(Cut::Fault(fault)),
            ..
        } => bare_fault(fault),
        Listing::Read {
            cut: Some(Cut::OnePage(at)),
            ..
        } => *at = None,
        Listing::NotAsked | Listing::Read { cut: None, .. } => {}
    }
}

/// The component that a name starts with: it is told by its name too.
fn component_prefix(name: &str, other: &str) -> String {
    let component = Component::PODS
        .into_iter()
        .map(Component::name)
        .find(|component| {
            name.strip_prefix(component)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
    component.unwrap_or(other).to_owned()
}

/// A namespace that every cluster has.
fn is_common_namespace(namespace: &str) -> bool {
    namespace.starts_with("kube-") || namespace.starts_with("openshift-kube-") || namespace == "default"
}

/// A value of a label that is a word of Kubernetes and nobody's name.
fn is_word(value: &str) -> bool {
    WORDS.contains(&value) || value.starts_with("kube-") || Component::named(value).is_some()
}

impl Names {
    fn of(observed: &Observed) -> Self {
        let (nodes, pods) = (observed.nodes.items(), observed.pods.items());
        let mut copy = observed.clone();
        let (mut gap_nodes, mut gap_namespaces, mut gap_pods) = (Vec::new(), Vec::new(), Vec::new());
        for object in unreadable(&mut copy) {
            let names = if object.namespace.is_some() {
                &mut gap_pods
            } else {
                &mut gap_nodes
            };
            names.extend(object.name.take());
            gap_namespaces.extend(object.namespace.take());
        }
        let metas = || {
            (nodes.iter().map(|node| &node.meta))
                .chain(pods.iter().map(|pod| &pod.meta))
                .chain(observed.leases.items().iter().map(|lease| &lease.meta))
        };
        let owners = || pods.iter().filter_map(|pod| pod.meta.owner.as_ref());
        let of_nodes = (nodes.iter().map(|node| node.meta.name.as_str()))
            .chain(nodes.iter().filter_map(|node| node.hostname.as_deref()))
            .chain(nodes.iter().filter_map(|node| node.meta.label(labels::HOSTNAME)))
            .chain(pods.iter().filter_map(|pod| pod.node.as_deref()))
            .chain(
                owners()
                    .filter(|owner| owner.kind == "Node")
                    .map(|owner| owner.name.as_str()),
            )
            .chain(gap_nodes.iter().map(String::as_str));
        let images = (nodes.iter().flat_map(|node| node.images.iter().flatten()))
            .chain(
                pods.iter()
                    .flat_map(|pod| pod.containers.iter().filter_map(|c| c.image.as_ref())),
            )
            .chain(pods.iter().flat_map(|pod| {
                let statuses = pod.statuses.iter().flatten();
                statuses.flat_map(|status| status.image.iter().chain(&status.image_id))
            }));
        let registries: BTreeSet<&str> = images.filter_map(|image| private_registry(image)).collect();
        Self {
            // A super node of TKE is known by the start of its name.
            nodes: StandIns::new(of_nodes, |name| {
                if name.starts_with("eklet-") {
                    "eklet-node"
                } else {
                    "node"
                }
                .to_owned()
            }),
            pods: StandIns::new(
                pods.iter()
                    .map(|pod| &pod.meta.name)
                    .chain(&gap_pods)
                    .map(String::as_str),
                |name| component_prefix(name, "pod"),
            ),
            namespaces: StandIns::new(
                metas()
                    .filter_map(|meta| meta.namespace.as_deref())
                    .chain(observed.hosted.as_deref())
                    .chain(gap_namespaces.iter().map(String::as_str))
                    .filter(|namespace| !is_common_namespace(namespace)),
                |_| "namespace".to_owned(),
            ),
            owners: StandIns::new(owners().map(|owner| owner.name.as_str()), |name| {
                component_prefix(name, "owner")
            }),
            leases: StandIns::new(
                observed
                    .leases
                    .items()
                    .iter()
                    .map(|lease| lease.meta.name.as_str()),
                |_| "apiserver".to_owned(),
            ),
            values: StandIns::new(
                metas()
                    .flat_map(|meta| meta.labels.iter().chain(&meta.annotations))
                    .filter_map(|(_, value)| (!is_word(value)).then_some(value.as_str())),
                |_| "value".to_owned(),
            ),
            keys: StandIns::new(
                metas()
                    .flat_map(|meta| meta.labels.iter())
                    .filter_map(|(key, _)| key.strip_prefix(ROLE_PREFIX))
                    .filter(|role| !is_word(role)),
                |_| "role".to_owned(),
            ),
            registries: StandIns::new(registries, |_| "registry".to_owned()),
        }
    }

    fn meta(&self, meta: &mut Meta) {
        meta.uid = None;
        meta.namespace = meta.namespace.as_deref().map(|name| self.namespace(name));
        for (key, value) in meta.labels.iter_mut().chain(&mut meta.annotations) {
            if key == labels::HOSTNAME {
                *value = self.nodes.of(value);
            } else if !is_word(value) {
                *value = self.values.of(value);
            }
            if let Some(role) = key.strip_prefix(ROLE_PREFIX)
                && !is_word(role)
            {
                *key = format!("{ROLE_PREFIX}{}", self.keys.of(role));
            }
        }
        meta.labels.sort();
        if let Some(Owner { kind, name }) = &mut meta.owner {
            *name = if kind == "Node" {
                self.nodes.of(name)
            } else {
                self.owners.of(name)
            };
        }
    }

    fn pod(&self, pod: &mut ObservedPod) {
        self.meta(&mut pod.meta);
        pod.meta.name = self.pods.of(&pod.meta.name);
        pod.node = pod.node.as_deref().map(|name| self.nodes.of(name));
        for container in &mut pod.containers {
            container.image = container.image.as_deref().map(|image| self.image(image));
        }
        for status in pod.statuses.iter_mut().flatten() {
            status.image = status.image.as_deref().map(|image| self.image(image));
            status.image_id = status.image_id.as_deref().map(|image| self.image(image));
        }
    }

    fn namespace(&self, name: &str) -> String {
        if is_common_namespace(name) {
            name.to_owned()
        } else {
            self.namespaces.of(name)
        }
    }

    /// An image reference without whose registry it is: the name, the tag and the digest tell the version.
    fn image(&self, reference: &str) -> String {
        let (scheme, image) = match reference.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), reference),
        };
        let Some(registry) = private_registry(image) else {
            return reference.to_owned();
        };
        let path = image.get(registry.len() + 1..).unwrap_or_default();
        let digest = path.find('@').unwrap_or(path.len());
        let name = path[..digest].rfind('/').map_or(0, |slash| slash + 1);
        let kept: Vec<&str> = path[..name]
            .split('/')
            .filter(|part| PROJECTS.contains(part))
            .collect();
        let mut parts = vec![format!("{}.example", self.registries.of(registry))];
        parts.extend(kept.iter().map(|part| (*part).to_owned()));
        parts.push(path[name..].to_owned());
        format!("{scheme}{}", parts.join("/"))
    }

    fn unreadable(&self, object: &mut UnreadableObject) {
        let is_pod = object.namespace.is_some();
        let stand_ins = if is_pod { &self.pods } else { &self.nodes };
        object.name = object.name.as_deref().map(|name| stand_ins.of(name));
        object.namespace = object.namespace.as_deref().map(|name| self.namespace(name));
        object.at = None;
        match &mut object.malformed {
            Malformed::Field { member: _, detail } | Malformed::Encoding { detail } => *detail = None,
            Malformed::Nameless | Malformed::NoContainers | Malformed::NoKind => {}
        }
    }

    fn gap(&self, gap: &mut ReadGap) {
        match gap {
            ReadGap::Failed { namespace, fault, .. } => {
                *namespace = namespace.as_deref().map(|name| self.namespace(name));
                bare_fault(fault);
            }
            ReadGap::Unreadable { namespace, .. } => {
                *namespace = namespace.as_deref().map(|name| self.namespace(name));
            }
            ReadGap::OnePage { at, .. } | ReadGap::FileMayBeCut { at, .. } => *at = None,
            ReadGap::SeveralServerVersions { answers } => {
                for (_, at) in answers.first_mut() {
                    *at = None;
                }
            }
        }
    }
}

/// The registry of an image reference, or the first part of its path, where it is one of somebody's own.
fn private_registry(image: &str) -> Option<&str> {
    let image = image.split_once("://").map_or(image, |(_, rest)| rest);
    let (first, _) = image.split_once('/')?;
    let is_public = REGISTRIES.contains(&first) || PROJECTS.contains(&first);
    (!is_public && !first.starts_with("sha256:")).then_some(first)
}
