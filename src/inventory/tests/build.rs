//! Objects in the fewest words.

use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::inventory::observed::{
    ContainerStatus, Listing, Meta, Observed, ObservedContainer, ObservedLease, ObservedNode,
    ObservedOperator, ObservedPod, Owner, VersionAnswer,
};
use crate::inventory::{Instance, Inventory, Node, ReadOptions, WhySetAside, read};

pub(super) fn node(name: &str, version: &str) -> ObservedNode {
    ObservedNode {
        meta: meta(name),
        kubelet_version: Some(version.to_owned()),
        ready: Some("True".to_owned()),
        os: Some("linux".to_owned()),
        ..ObservedNode::default()
    }
}

pub(super) trait NodeWords {
    fn labelled(self, key: &str, value: &str) -> Self;
    fn role(self, role: &str) -> Self;
    fn with_image(self, names: &[&str]) -> Self;
}

impl NodeWords for ObservedNode {
    fn labelled(mut self, key: &str, value: &str) -> Self {
        self.meta.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    fn role(self, role: &str) -> Self {
        self.labelled(&format!("node-role.kubernetes.io/{role}"), "")
    }

    fn with_image(mut self, names: &[&str]) -> Self {
        self.images
            .push(names.iter().map(|name| (*name).to_owned()).collect());
        self
    }
}

fn meta(name: &str) -> Meta {
    Meta {
        name: name.to_owned(),
        ..Meta::default()
    }
}

/// A running pod of kube-system without labels, containers or node.
pub(super) fn pod(name: &str) -> ObservedPod {
    ObservedPod {
        meta: Meta {
            namespace: Some("kube-system".to_owned()),
            ..meta(name)
        },
        phase: Some("Running".to_owned()),
        has_status: true,
        ..ObservedPod::default()
    }
}

/// A kube-proxy as kubeadm runs it.
pub(super) fn proxy(name: &str, node: &str, image: &str) -> ObservedPod {
    pod(name)
        .label("k8s-app", "kube-proxy")
        .on(node)
        .owned_by("DaemonSet", "kube-proxy")
        .container("kube-proxy", image)
        .ran()
}

/// A control-plane component as kubeadm runs it: a static pod named after its node.
pub(super) fn static_pod(component: Component, node: &str, tag: &str) -> ObservedPod {
    let name = component.name();
    pod(&format!("{name}-{node}"))
        .label("component", name)
        .label("tier", "control-plane")
        .on(node)
        .owned_by("Node", node)
        .container(name, &format!("registry.k8s.io/{name}:{tag}"))
        .argument(name)
        .ran()
}

pub(super) trait PodWords {
    fn namespace(self, namespace: &str) -> Self;
    fn label(self, key: &str, value: &str) -> Self;
    fn on(self, node: &str) -> Self;
    fn owned_by(self, kind: &str, name: &str) -> Self;
    fn container(self, name: &str, image: &str) -> Self;
    fn argument(self, argument: &str) -> Self;
    fn no_arguments(self) -> Self;
    fn phase(self, phase: &str) -> Self;
    /// Its containers run.
    fn ran(self) -> Self;
    /// Its containers wait and have never run.
    fn never_ran(self) -> Self;
    fn deleting(self) -> Self;
}

impl PodWords for ObservedPod {
    fn namespace(mut self, namespace: &str) -> Self {
        self.meta.namespace = Some(namespace.to_owned());
        self
    }

    fn label(mut self, key: &str, value: &str) -> Self {
        self.meta.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    fn on(mut self, node: &str) -> Self {
        self.node = Some(node.to_owned());
        self
    }

    fn owned_by(mut self, kind: &str, name: &str) -> Self {
        self.meta.owner = Some(Owner {
            kind: kind.to_owned(),
            name: name.to_owned(),
        });
        self
    }

    fn container(mut self, name: &str, image: &str) -> Self {
        self.containers.push(ObservedContainer {
            name: name.to_owned(),
            image: Some(image.to_owned()),
            arguments: Vec::new(),
        });
        self
    }

    fn argument(mut self, argument: &str) -> Self {
        if let Some(container) = self.containers.last_mut() {
            container.arguments.push(argument.to_owned());
        }
        self
    }

    fn no_arguments(mut self) -> Self {
        for container in &mut self.containers {
            container.arguments.clear();
        }
        self
    }

    fn phase(mut self, phase: &str) -> Self {
        self.phase = Some(phase.to_owned());
        self
    }

    fn ran(mut self) -> Self {
        self.statuses = Some(
            self.containers
                .iter()
                .map(|container| ContainerStatus {
                    name: container.name.clone(),
                    image: container.image.clone(),
                    image_id: Some("sha256:0123".to_owned()),
                    running: true,
                    ..ContainerStatus::default()
                })
                .collect(),
        );
        self
    }

    fn never_ran(mut self) -> Self {
        self.phase = Some("Pending".to_owned());
        self.statuses = Some(
            self.containers
                .iter()
                .map(|container| ContainerStatus {
                    name: container.name.clone(),
                    image_id: Some(String::new()),
                    waiting: true,
                    ..ContainerStatus::default()
                })
                .collect(),
        );
        self
    }

    fn deleting(mut self) -> Self {
        self.meta.deleting = true;
        self
    }
}

pub(super) fn version(git: &str) -> VersionAnswer {
    VersionAnswer {
        git_version: git.to_owned(),
        ..VersionAnswer::default()
    }
}

pub(super) fn emulating(git: &str, minor: &str, min_compatibility: &str) -> VersionAnswer {
    let one = |minor: &str| Some(("1".to_owned(), minor.to_owned()));
    VersionAnswer {
        git_version: git.to_owned(),
        emulation: one(minor),
        min_compatibility: one(min_compatibility),
    }
}

pub(super) fn lease(name: &str, renewed: &str) -> ObservedLease {
    ObservedLease {
        meta: meta(name),
        renewed: Some(renewed.parse().unwrap()),
    }
}

/// So many Leases, all renewed at one time.
pub(super) fn leases(live: usize) -> Listing<ObservedLease> {
    Listing::whole(
        (0..live)
            .map(|n| lease(&format!("apiserver-{n}"), "2026-01-01T00:00:00Z"))
            .collect(),
    )
}

pub(super) fn operator(name: &str, version: &str) -> ObservedOperator {
    ObservedOperator {
        meta: meta(name),
        versions: vec![
            ("operator".to_owned(), "4.7.16".to_owned()),
            (name.to_owned(), version.to_owned()),
        ],
        progressing: false,
    }
}

/// A live cluster of these nodes and pods, at that version.
pub(super) fn cluster(git: &str, nodes: Vec<ObservedNode>, pods: Vec<ObservedPod>) -> Observed {
    Observed {
        versions: vec![version(git)],
        nodes: Listing::whole(nodes),
        pods: Listing::whole(pods),
        leases: Listing::whole(Vec::new()),
        ..Observed::default()
    }
}

pub(super) fn inventory(observed: Observed) -> Inventory {
    read(observed, &ReadOptions::default())
}

pub(super) fn named<'a>(inventory: &'a Inventory, name: &str) -> &'a Node {
    inventory.nodes.iter().find(|node| node.name == name).unwrap()
}

/// The kube-proxies of a node: pod and version.
pub(super) fn proxies(inventory: &Inventory, node: &str) -> Vec<(String, Option<String>)> {
    named(inventory, node)
        .proxies
        .iter()
        .map(|proxy| (proxy.pod.clone(), proxy.version.as_ref().map(ToString::to_string)))
        .collect()
}

pub(super) fn of(inventory: &Inventory, component: Component) -> Vec<&Instance> {
    inventory
        .instances
        .iter()
        .filter(|instance| instance.component == component)
        .collect()
}

/// `NAME VERSION[~EMULATED] SOURCE` of each apiserver.
pub(super) fn apiservers(inventory: &Inventory) -> Vec<String> {
    of(inventory, Component::KubeApiserver)
        .into_iter()
        .map(|instance| {
            let version = instance.version.as_ref().map_or("?", |version| version.raw());
            let emulated = instance
                .emulated
                .map(|minor| format!("~{minor}"))
                .unwrap_or_default();
            format!("{} {version}{emulated} {}", instance.name, instance.from.name())
        })
        .collect()
}

pub(super) fn required(inventory: &Inventory) -> Vec<&Gap> {
    inventory.gaps.iter().filter(|gap| gap.required).collect()
}

pub(super) fn optional(inventory: &Inventory) -> Vec<&Gap> {
    inventory.gaps.iter().filter(|gap| !gap.required).collect()
}

pub(super) fn set_aside(inventory: &Inventory) -> Vec<(&str, WhySetAside)> {
    inventory
        .set_aside
        .iter()
        .map(|one| (one.pod.as_str(), one.why))
        .collect()
}
