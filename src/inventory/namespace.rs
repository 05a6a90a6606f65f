//! Which namespaces the components of a cluster run in.

use super::component::Component;

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

/// What a namespace means for the components in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// The cluster's own components.
    System,
    /// A hosted control plane that was asked for by name.
    Hosted,
    /// One component of OpenShift.
    OpenShift(Component),
    /// Other clusters' components, or other things.
    Elsewhere,
}

impl Namespace {
    pub(super) fn of(namespace: Option<&str>, hosted: Option<&str>) -> Self {
        match (namespace.filter(|namespace| !namespace.is_empty()), hosted) {
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
    Namespace::of(namespace, hosted) != Namespace::Elsewhere
}

/// Whether a pod of that namespace proves that the pods of the cluster's components were read: OpenShift's
/// kube-proxies run apart from its control plane, and prove nothing about it.
pub(super) fn is_evidence_of_reading(namespace: Option<&str>, hosted: Option<&str>) -> bool {
    Namespace::of(namespace, hosted) != Namespace::OpenShift(Component::KubeProxy)
}

/// Whether that namespace holds a part of OpenShift's own control plane.
pub(super) fn is_openshift_control_plane(namespace: Option<&str>, hosted: Option<&str>) -> bool {
    matches!(Namespace::of(namespace, hosted), Namespace::OpenShift(component) if component != Component::KubeProxy)
}
