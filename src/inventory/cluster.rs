//! All that was seen of one cluster.

use super::component::Component;
use super::gap::Gap;
use super::instance::Instance;
use super::kube_proxy::KubeProxy;
use super::node::Node;
use super::observed::{Connections, Origin};
use super::platform::Detected;
use super::read_gap::Resource;
use super::unread::UnreadPod;
use super::version::{Minor, Version};

/// All that was seen of one cluster.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Where it was read.
    pub origin: Origin,
    /// The namespace of the hosted control plane that is judged, where `-n` asked for one.
    pub hosted: Option<String>,
    /// The version of `/version` (or of a dump's `kubectl version`, or of `--server-version`), raw.
    pub server_version: Option<String>,
    /// kube-apiservers, controller-managers, schedulers and cloud-controller-managers, sorted by component,
    /// name and node. Those whose version is unread are here too.
    pub instances: Vec<Instance>,
    /// Every node, sorted by name.
    pub nodes: Vec<Node>,
    /// kube-proxies that name no node or one that is not listed: judged against the apiservers, not paired.
    pub stray_proxies: Vec<KubeProxy>,
    /// What was not assessed.
    pub gaps: Vec<Gap>,
    /// Pods of components that do not count, and why; kept so that nothing read is lost.
    pub set_aside: Vec<SetAside>,
    /// Component pods whose version is unread, sorted: what the gaps that name them follow from.
    pub unread: Vec<UnreadPod>,
    /// A dump of OpenShift's control plane without its ClusterOperators: a controller-manager and a scheduler run, and
    /// their version is unknown.
    pub lacks_operators: bool,
    /// How many apiservers hold a live Lease; `None` where there is no such Lease or they were not read.
    pub running: Option<usize>,
    /// How asking for more `/version` answers went.
    pub connections: Option<Connections>,
    /// The highest minCompatibility minor that an apiserver reported.
    pub min_compatibility: Option<Minor>,
    /// The local kubectl, where it is known.
    pub kubectl: Option<Version>,
    /// The platform whose skew limits hold, where it has any.
    pub distribution: Option<Detected>,
    /// The platform that moves the control plane.
    pub platform: Option<Detected>,
}

impl Inventory {
    /// Whether any component's version was read.
    pub fn has_any_version(&self) -> bool {
        let proxies = self.nodes.iter().flat_map(|node| &node.proxies);
        self.instances.iter().any(|instance| instance.version.is_some())
            || self.nodes.iter().any(|node| node.kubelet.version.is_some())
            || proxies
                .chain(&self.stray_proxies)
                .any(|proxy| proxy.version.is_some())
    }

    /// Whether objects of that resource may be missing from what was read: what is not there proves nothing then.
    pub fn leaves_out(&self, resource: Resource) -> bool {
        self.gaps.iter().any(|gap| gap.reason.leaves_out(resource))
    }
}

/// A component pod that does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAside {
    /// Which component.
    pub component: Component,
    /// The pod, `NAMESPACE/NAME`.
    pub pod: String,
    /// The node that it names; a failed kube-proxy still shows that its node should have one.
    pub node: Option<String>,
    /// Why it does not count.
    pub why: WhySetAside,
}

/// Why a component pod does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhySetAside {
    /// It is on a virtual node.
    OnVirtualNode,
    /// Its phase is Failed or Succeeded.
    Ended,
    /// It is Pending without a node.
    Unscheduled,
    /// The ClusterOperator of its component reports the version.
    OperatorReports,
    /// It is being deleted, and another one runs on its node.
    Replaced,
}
