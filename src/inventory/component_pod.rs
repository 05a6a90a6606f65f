//! Which pod is a component's pod, and which of its containers runs the component. The version in the image is
//! read by [`image`](super::image); `pods` decides whether the pod counts.

use super::component::Component;
use super::component_labels::{Label, labelled};
use super::image::{Reference, Runs};
use super::namespace::Namespace;
use super::observed::{ObservedContainer, ObservedPod};

/// Whether a pod may turn out to be a component's: what a decoder keeps of a list of pods.
pub fn may_be_component<'a>(
    namespace: Option<&str>,
    name: &str,
    labels: &[(String, String)],
    mut images: impl Iterator<Item = &'a str>,
    hosted: Option<&str>,
) -> bool {
    let label = |key: &str| labels.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    match Namespace::of(namespace, hosted) {
        Namespace::Elsewhere => false,
        // There a container's name decides too, which a decoder has not read yet.
        Namespace::OpenShift(_) => !is_errand(name),
        Namespace::Hosted => true,
        Namespace::System => {
            labelled(label).is_some() || images.any(|image| Reference::parse(image).runs().is_some())
        }
    }
}

/// Whether a pod of OpenShift's namespaces only runs an errand for the component: dozens of them stay there, done.
fn is_errand(name: &str) -> bool {
    name.starts_with("installer-") || name.starts_with("revision-pruner-")
}

/// A component that a pod runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Which component.
    pub component: Component,
    /// The container that runs it; `None` where the pod shows no container at all.
    pub container: Option<&'a ObservedContainer>,
    /// Whether the container's image is named like the component, or like one that holds them all.
    pub is_named: bool,
}

/// The components that a pod runs: none where it is no component's pod. Nearly always one; hosted control
/// planes may run several in one pod.
pub fn claims<'a>(pod: &'a ObservedPod, hosted: Option<&str>) -> Vec<Claim<'a>> {
    let meta = &pod.meta;
    match Namespace::of(meta.namespace.as_deref(), hosted) {
        Namespace::Elsewhere => Vec::new(),
        Namespace::OpenShift(_) if is_errand(&meta.name) => Vec::new(),
        Namespace::OpenShift(component) => container_called(pod, component)
            .map(|container| claim(component, Some(container)))
            .into_iter()
            .collect(),
        Namespace::System => system_claims(pod),
        // A kube-proxy there is the hosting cluster's, or another's: the nodes it would be held to are not seen.
        Namespace::Hosted => Component::PODS
            .into_iter()
            .filter(|component| *component != Component::KubeProxy)
            .filter_map(|component| {
                let is_called = is_called(component, &meta.name, |key| meta.label(key));
                // By digest only, a container is known by its name alone; that its version is unread must be said.
                running(pod, component, is_called)
                    .or_else(|| {
                        container_called(pod, component)
                            .filter(|container| reference(container).runs().is_none())
                    })
                    .map(|container| claim(component, Some(container)))
            })
            .collect(),
    }
}

fn system_claims(pod: &ObservedPod) -> Vec<Claim<'_>> {
    let meta = &pod.meta;
    let labelled = labelled(|key| meta.label(key));
    if let Some(Label {
        component,
        is_firm: true,
    }) = labelled
    {
        let container = running(pod, component, true)
            .or_else(|| container_called(pod, component))
            .or_else(|| pod.containers.first());
        return vec![claim(component, container)];
    }
    let by_image: Vec<_> = Component::PODS
        .into_iter()
        .filter_map(|component| {
            let is_called = is_named_after(component, &meta.name);
            // No label finds every kube-proxy, and clouds label their managers as they like: there the image
            // decides. A second scheduler runs the image of the first and is recognised by its pod's name.
            let decides = matches!(
                component,
                Component::KubeProxy | Component::CloudControllerManager
            );
            running(pod, component, is_called)
                .filter(|_| is_called || decides)
                .map(|container| claim(component, Some(container)))
        })
        .collect();
    match labelled {
        Some(Label { component, .. }) if by_image.is_empty() => {
            let container = container_called(pod, component).or_else(|| pod.containers.first());
            vec![claim(component, container)]
        }
        _ => by_image,
    }
}

/// Whether a hosted control plane's pod goes by a component's name.
fn is_called<'a>(component: Component, name: &str, label: impl Fn(&str) -> Option<&'a str>) -> bool {
    name == component.name()
        || is_named_after(component, name)
        || ["component", "k8s-app", "app"]
            .into_iter()
            .any(|key| label(key) == Some(component.name()))
}

fn is_named_after(component: Component, name: &str) -> bool {
    name.strip_prefix(component.name())
        .is_some_and(|rest| rest.starts_with('-'))
}

/// The container whose image runs the component. An image that holds every component runs this one where the
/// container is named so, or where the pod is (`is_called`) and no container is named after another.
fn running(pod: &ObservedPod, component: Component, is_called: bool) -> Option<&ObservedContainer> {
    let runs = |container: &&ObservedContainer, what: Runs| reference(container).runs() == Some(what);
    let own = |container: &&ObservedContainer| runs(container, Runs::One(component));
    let shared = |container: &&ObservedContainer| runs(container, Runs::Shared);
    pod.containers
        .iter()
        .filter(own)
        // Two containers on one image: the one of the component's name.
        .max_by_key(|container| {
            (
                container.name == component.name(),
                std::cmp::Reverse(&container.name),
            )
        })
        .or_else(|| {
            pod.containers
                .iter()
                .filter(shared)
                .find(|container| container.name == component.name())
        })
        .or_else(|| {
            let mut shared =
                pod.containers.iter().filter(shared).filter(|container| {
                    Component::named(&container.name).is_none_or(|other| other == component)
                });
            is_called.then(|| shared.next()).flatten()
        })
}

fn container_called(pod: &ObservedPod, component: Component) -> Option<&ObservedContainer> {
    pod.containers
        .iter()
        .find(|container| container.name == component.name())
}

fn claim(component: Component, container: Option<&ObservedContainer>) -> Claim<'_> {
    Claim {
        component,
        container,
        is_named: container.is_some_and(|container| reference(container).may_run(component)),
    }
}

fn reference(container: &ObservedContainer) -> Reference<'_> {
    Reference::parse(container.image.as_deref().unwrap_or_default())
}
