//! The components that the policy judges, by Kubernetes' own names.

use std::fmt;

/// A component of Kubernetes, in the order in which an upgrade moves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// kube-apiserver: everything else is measured against it.
    KubeApiserver,
    /// kube-controller-manager.
    KubeControllerManager,
    /// kube-scheduler.
    KubeScheduler,
    /// cloud-controller-manager.
    CloudControllerManager,
    /// The kubelet of a node.
    Kubelet,
    /// The kube-proxy of a node.
    KubeProxy,
    /// The kubectl on the machine of the person who asks.
    Kubectl,
}

impl Component {
    /// Every component.
    pub const ALL: [Self; 7] = [
        Self::KubeApiserver,
        Self::KubeControllerManager,
        Self::KubeScheduler,
        Self::CloudControllerManager,
        Self::Kubelet,
        Self::KubeProxy,
        Self::Kubectl,
    ];

    /// The three that follow the apiservers inside each hop.
    pub const MANAGERS: [Self; 3] = [
        Self::KubeControllerManager,
        Self::KubeScheduler,
        Self::CloudControllerManager,
    ];

    /// The components that run as pods.
    pub const PODS: [Self; 5] = [
        Self::KubeApiserver,
        Self::KubeControllerManager,
        Self::KubeScheduler,
        Self::CloudControllerManager,
        Self::KubeProxy,
    ];

    /// Its name as Kubernetes spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KubeApiserver => "kube-apiserver",
            Self::KubeControllerManager => "kube-controller-manager",
            Self::KubeScheduler => "kube-scheduler",
            Self::CloudControllerManager => "cloud-controller-manager",
            Self::Kubelet => "kubelet",
            Self::KubeProxy => "kube-proxy",
            Self::Kubectl => "kubectl",
        }
    }

    /// The component of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|component| component.name() == name)
    }

    /// Whether it follows the apiservers inside a hop.
    pub fn is_manager(self) -> bool {
        Self::MANAGERS.contains(&self)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
