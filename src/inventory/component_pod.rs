//! Which pod is a component's pod, which of its containers runs the component, and whether the pod counts.
//! What its image tells is [`image`](super::image)'s business; what follows from it is
//! `control_plane`'s and `node`'s.

use super::component::Component;
use super::image::{Reference, Runs};
use super::observed::{Meta, ObservedContainer, ObservedPod};

/// Where a cluster's own components run.
pub const COMPONENT_NAMESPACE: &str = "kube-system";

/// Where OpenShift runs kube-proxy, if it runs one.
pub const OPENSHIFT_PROXY_NAMESPACE: &str = "openshift-kube-proxy";

/// Where OpenShift runs its components, each in a namespace of its own.
const OPENSHIFT: [(&str, Component); 4] = [
    ("openshift-kube-apiserver", Component::KubeApiserver),
    (
        "openshift-kube-controller-manager",
        Component::KubeControllerManager,
    ),
    ("openshift-kube-scheduler", Component::KubeScheduler),
    (OPENSHIFT_PROXY_NAMESPACE, Component::KubeProxy),
];

/// A label that platforms put on a component's pods.
struct LabelRow {
    key: &'static str,
    value: &'static str,
    says: Says,
}

/// What a label says of the pod that carries it.
#[derive(Clone, Copy)]
enum Says {
    /// It runs that component, whatever its image.
    Runs(Component),
    /// It runs that component where its image names no other.
    MayRun(Component),
    /// The image alone decides; pods are found faster by the label.
    Nothing,
}

/// By these labels [`labelled`] decides, the first row that fits, and a large namespace is searched
/// ([`label_selectors`]).
const LABELS: [LabelRow; 17] = [
    runs("component", Component::KubeApiserver),
    runs("component", Component::KubeControllerManager),
    runs("component", Component::KubeScheduler),
    runs("component", Component::CloudControllerManager),
    runs("component", Component::KubeProxy),
    runs("k8s-app", Component::KubeApiserver),
    runs("k8s-app", Component::KubeControllerManager),
    runs("k8s-app", Component::KubeScheduler),
    runs("k8s-app", Component::CloudControllerManager),
    runs("k8s-app", Component::KubeProxy),
    // ACK's and sig-windows' kube-proxies.
    may_run_proxy("k8s-app", "kube-proxy-worker"),
    may_run_proxy("k8s-app", "kube-proxy-master"),
    may_run_proxy("k8s-app", "kube-proxy-windows"),
    // Gardener's kube-proxy, beside `app=kubernetes`.
    may_run_proxy("role", "proxy"),
    says_nothing("k8s-app", "aws-cloud-controller-manager"),
    says_nothing("k8s-app", "openstack-cloud-controller-manager"),
    says_nothing("component", "controllermanager"),
];

const fn runs(key: &'static str, component: Component) -> LabelRow {
    LabelRow {
        key,
        value: component.name(),
        says: Says::Runs(component),
    }
}

const fn may_run_proxy(key: &'static str, value: &'static str) -> LabelRow {
    LabelRow {
        key,
        value,
        says: Says::MayRun(Component::KubeProxy),
    }
}

const fn says_nothing(key: &'static str, value: &'static str) -> LabelRow {
    LabelRow {
        key,
        value,
        says: Says::Nothing,
    }
}

/// Label selectors, one a key, that together select every pod that a label shows to be a component's, and some that
/// only their image does.
#[cfg(feature = "live")]
pub(crate) fn label_selectors() -> Vec<String> {
    let mut keys: Vec<&str> = LABELS.iter().map(|row| row.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let values: Vec<_> = LABELS
                .iter()
                .filter(|row| row.key == key)
                .map(|row| row.value)
                .collect();
            format!("{key} in ({})", values.join(","))
        })
        .collect()
}

/// What a namespace means for the components in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// The cluster's own components.
    System,
    /// A hosted control plane that was asked for by name.
    Hosted,
    /// One component of OpenShift.
    OpenShift(Component),
    /// Other clusters' components, or other things.
    Elsewhere,
}

impl Room {
    fn of(namespace: Option<&str>, hosted: Option<&str>) -> Self {
        match (non_empty(namespace), hosted) {
            (Some(namespace), Some(hosted)) if namespace == hosted => Self::Hosted,
            (_, Some(_)) => Self::Elsewhere,
            // A trimmed object without a namespace is taken for what it was most likely cut from.
            (None | Some(COMPONENT_NAMESPACE), None) => Self::System,
            (Some(namespace), None) => OPENSHIFT
                .iter()
                .find(|(own, _)| *own == namespace)
                .map_or(Self::Elsewhere, |(_, component)| Self::OpenShift(*component)),
        }
    }
}

/// Whether components of the cluster that is judged run in that namespace.
pub fn is_component_namespace(namespace: Option<&str>, hosted: Option<&str>) -> bool {
    Room::of(namespace, hosted) != Room::Elsewhere
}

/// Whether a pod of that namespace says that the pods of the cluster's components were read: OpenShift's
/// kube-proxies stand apart from its control plane, and say nothing of it.
pub(super) fn is_evidence_of_reading(namespace: Option<&str>, hosted: Option<&str>) -> bool {
    Room::of(namespace, hosted) != Room::OpenShift(Component::KubeProxy)
}

/// Whether that namespace holds a part of OpenShift's own control plane.
pub(super) fn is_openshift_control_plane(namespace: Option<&str>, hosted: Option<&str>) -> bool {
    matches!(Room::of(namespace, hosted), Room::OpenShift(component) if component != Component::KubeProxy)
}

/// Whether a pod may turn out to be a component's: what a decoder keeps of a list of pods.
pub fn may_be_component<'a>(
    namespace: Option<&str>,
    name: &str,
    labels: &[(String, String)],
    mut images: impl Iterator<Item = &'a str>,
    hosted: Option<&str>,
) -> bool {
    let label = |key: &str| labels.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    match Room::of(namespace, hosted) {
        Room::Elsewhere => false,
        // There a container's name tells too, which a decoder has not read yet.
        Room::OpenShift(_) => !is_errand(name),
        Room::Hosted => true,
        Room::System => {
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
    match Room::of(meta.namespace.as_deref(), hosted) {
        Room::Elsewhere => Vec::new(),
        Room::OpenShift(_) if is_errand(&meta.name) => Vec::new(),
        Room::OpenShift(component) => container_called(pod, component)
            .map(|container| claim(component, Some(container)))
            .into_iter()
            .collect(),
        Room::System => system_claims(pod),
        // A kube-proxy there is the hosting cluster's, or another's: the nodes it would be held to are not seen.
        Room::Hosted => Component::PODS
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
            // decides. A second scheduler runs the image of the first and is told by its pod's name.
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

/// What a pod's labels say it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label {
    component: Component,
    /// It names the component itself, so that the image has no say in which one it is.
    is_firm: bool,
}

fn labelled<'a>(label: impl Fn(&str) -> Option<&'a str>) -> Option<Label> {
    // The role alone is anybody's.
    let is_others = |row: &LabelRow| row.key == "role" && label("app").is_some_and(|app| app != "kubernetes");
    let row = LABELS
        .iter()
        .find(|row| label(row.key) == Some(row.value) && !is_others(row))?;
    let (component, is_firm) = match row.says {
        Says::Runs(component) => (component, true),
        Says::MayRun(component) => (component, false),
        Says::Nothing => return None,
    };
    Some(Label { component, is_firm })
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
/// container is named so, or where the pod is (`is_called`) and no container tells otherwise.
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

/// How far a pod's life has come, by what its status shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its phase is Failed or Succeeded; an evicted pod keeps its node and image.
    Ended,
    /// It waits for a node.
    Unscheduled,
    /// The container has never run: its image tells what is wanted.
    NeverRun,
    /// It runs, has run, or shows no status to tell.
    Runs,
}

impl Life {
    /// Of the container of that name in the pod.
    pub fn of(pod: &ObservedPod, container: Option<&ObservedContainer>) -> Self {
        let phase = pod.phase.as_deref().unwrap_or_default();
        if matches!(phase, "Failed" | "Succeeded") {
            return Self::Ended;
        }
        let is_pending = phase == "Pending";
        if is_pending && non_empty(pod.node.as_deref()).is_none() {
            return Self::Unscheduled;
        }
        let status = pod
            .statuses
            .iter()
            .flatten()
            .find(|status| container.is_some_and(|container| container.name == status.name));
        let never_ran = match status {
            None => is_pending,
            Some(status) => {
                let may_wait = status.waiting || is_pending && !status.running && !status.terminated;
                may_wait
                    && !status.has_last_state
                    && status.restarts == 0
                    && non_empty(status.image_id.as_deref()).is_none()
            }
        };
        if never_ran { Self::NeverRun } else { Self::Runs }
    }
}

/// Whether a kubelet runs the pod by itself: it takes its node's new minor with the kubelet.
pub fn is_static(meta: &Meta) -> bool {
    meta.has_annotation(super::labels::MIRROR)
        || meta.owner.as_ref().is_some_and(|owner| owner.kind == "Node")
        || meta.annotations.iter().any(|(key, value)| {
            key == super::labels::CONFIG_SOURCE && matches!(value.as_str(), "file" | "http")
        })
}

/// A text that says something: an empty one counts as absent.
pub fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_that_a_label_alone_makes_a_components_is_selected() {
        for row in &LABELS {
            let labels = [(row.key.to_owned(), row.value.to_owned())];
            let is_kept = may_be_component(
                Some(COMPONENT_NAMESPACE),
                "x",
                &labels,
                ["registry.example/x:v1"].into_iter(),
                None,
            );
            assert_eq!(
                is_kept,
                !matches!(row.says, Says::Nothing),
                "{}={}",
                row.key,
                row.value
            );
        }
    }

    #[cfg(feature = "live")]
    #[test]
    fn a_selector_names_every_value_of_its_key() {
        let selectors = label_selectors();
        assert_eq!(selectors.len(), 3, "{selectors:?}");
        assert_eq!(selectors[2], "role in (proxy)");
        for row in &LABELS {
            let selects = |selector: &&String| {
                selector.starts_with(&format!("{} in (", row.key)) && selector.contains(row.value)
            };
            assert_eq!(
                selectors.iter().filter(selects).count(),
                1,
                "{}={}",
                row.key,
                row.value
            );
        }
    }
}
