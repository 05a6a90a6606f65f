//! The inventory: what was seen of a cluster, as values that the policy can judge.
//!
//! [`observed`] is what a collector hands over; [`read`] turns it into an [`Inventory`]: which pod is a
//! component's pod and counts ([`component_pod`]), which version its image tells ([`image`]), which node is a
//! kubelet of this cluster (`node`) and in which pool it stands ([`pool`]). Every node and every component
//! pod becomes one instance or one gap, or stands in [`Inventory::set_aside`] with the reason. Nothing here
//! judges; nothing here reads a file or asks a server.

pub mod assumption;
pub mod binding;
pub mod component;
pub mod component_pod;
mod control_plane;
mod digest;
mod emulation;
pub mod gap;
mod gaps;
pub mod image;
pub mod labels;
mod node;
pub mod observed;
pub mod platform;
mod pods;
pub mod pool;
pub mod read_gap;
mod reading;
pub mod selector;
#[cfg(test)]
mod tests;
pub mod unread;
pub mod version;

pub use reading::{ReadOptions, read};

use binding::Binding;
use component::Component;
use gap::Gap;
use observed::{Connections, Origin, Owner};
use platform::Detected;
use pool::PoolSource;
use read_gap::Resource;
use unread::UnreadPod;
use version::{Minor, Version};

/// All that was seen of one cluster.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Where it was read.
    pub origin: Origin,
    /// The namespace of the hosted control plane that is judged, where `-n` asked for one.
    pub hosted: Option<String>,
    /// The version that `/version` (or a dump's `kubectl version`, or `--server-version`) tells, raw.
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
    /// nothing tells their version.
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

/// One running control-plane component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which component.
    pub component: Component,
    /// The pod's name; for a `/version` answer the server's version, for a server node its name.
    pub name: String,
    /// The node it runs on.
    pub node: Option<String>,
    /// Its binary's version; `None` where unread or not of Kubernetes' numbering.
    pub version: Option<Version>,
    /// The minor that it emulates, where that is known and another than the binary's.
    pub emulated: Option<Minor>,
    /// What told the version.
    pub from: InstanceSource,
    /// The image, as the pod's spec names it.
    pub image: Option<String>,
    /// Whether the policy judges it: `false` for a cloud-controller-manager of its own numbering and for an
    /// instance whose version is unread.
    pub judged: bool,
}

impl Instance {
    /// The minor that the policy judges: the emulated one, else the binary's.
    pub fn effective(&self) -> Option<Minor> {
        self.emulated
            .or_else(|| self.version.as_ref().map(Version::minor))
    }
}

/// What told an instance's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceSource {
    /// `/version`, or a dump's `kubectl version`.
    Version,
    /// The user, by `--server-version`.
    Told,
    /// A pod's image.
    Pod,
    /// The kubelet of a k3s or RKE2 server node.
    ServerNode,
    /// An OpenShift ClusterOperator.
    ClusterOperator,
    /// The user, by `--assume`.
    Assumed,
}

impl InstanceSource {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Told => "told",
            Self::Pod => "pod",
            Self::ServerNode => "serverNode",
            Self::ClusterOperator => "clusterOperator",
            Self::Assumed => "assumed",
        }
    }
}

/// A node and what runs on it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a claim of its own about the node"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The pool it stands in.
    pub pool: Option<String>,
    /// What names the pool.
    pub pool_source: Option<PoolSource>,
    /// The roles that its `node-role.kubernetes.io/` labels give, sorted.
    pub roles: Vec<String>,
    /// Whether the Ready condition is True; `None` without that condition.
    pub ready: Option<bool>,
    /// `spec.unschedulable`.
    pub cordoned: bool,
    /// Why it is not a kubelet of this cluster.
    pub virtual_node: Option<VirtualNode>,
    /// Taken out of the judgement by `--exclude`.
    pub excluded: bool,
    /// `linux`, `windows`.
    pub os: Option<String>,
    /// The zone label.
    pub zone: Option<String>,
    /// A node of AWS Fargate: moved by recreating its pods.
    pub fargate: bool,
    /// The names a rollout list may know it by beside its own: hostname label and Hostname address.
    pub aliases: Vec<String>,
    /// The wanted labels, for selectors.
    pub labels: Vec<(String, String)>,
    /// Its kubelet.
    pub kubelet: Kubelet,
    /// Its kube-proxies that count, sorted by pod name; one whose version is unread has no version.
    pub proxies: Vec<KubeProxy>,
    /// `nodeInfo.containerRuntimeVersion`.
    pub runtime: Option<String>,
    /// A control-plane node whose kubelet moves with its kube-apiserver.
    pub binding: Option<Binding>,
}

impl Node {
    /// Whether the policy judges it.
    pub fn is_judged(&self) -> bool {
        self.virtual_node.is_none() && !self.excluded
    }

    /// Whether its kubelet and static kube-proxies move with its kube-apiserver in the hop: they do while all run
    /// the (effective) minor of that kube-apiserver.
    pub fn is_bound(&self) -> bool {
        let Some(Binding {
            apiserver: Some(own), ..
        }) = self.binding
        else {
            return false;
        };
        let is_own = |version: &Option<Version>| version.as_ref().is_some_and(|it| it.minor() == own);
        let mut statics = (self.proxies.iter()).filter(|proxy| proxy.unit == ProxyUnit::Static);
        is_own(&self.kubelet.version) && statics.all(|proxy| is_own(&proxy.version))
    }
}

/// The kubelet of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubelet {
    /// What the node says, raw; `None` where it says nothing.
    pub raw: Option<String>,
    /// The version, where that is one.
    pub version: Option<Version>,
}

/// A kube-proxy pod that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeProxy {
    /// The pod's name.
    pub pod: String,
    /// The node that it names.
    pub node: Option<String>,
    /// Its version, where it could be read.
    pub version: Option<Version>,
    /// Why the version is unread; `None` where it is read.
    pub unread: Option<Unread>,
    /// The image, as the pod's spec names it.
    pub image: Option<String>,
    /// What moves it to another version.
    pub unit: ProxyUnit,
}

/// How an unread version weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// Disclosed; the verdict is untouched.
    Optional,
    /// The verdict is unknown.
    Required,
}

/// What moves a kube-proxy to another version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProxyUnit {
    /// It is a static pod: it takes the new minor of its node.
    Static,
    /// It belongs to a workload (nearly always a DaemonSet) and moves with all its pods at once.
    Workload(Owner),
    /// It stands alone: nothing tells what it belongs to.
    Lone,
}

/// Why a node is not a kubelet of this cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VirtualNode {
    /// virtual-kubelet.
    VirtualKubelet,
    /// kwok.
    Kwok,
    /// Liqo.
    Liqo,
    /// A fake node of vcluster.
    Vcluster,
    /// A super node of Tencent TKE.
    Eklet,
}

/// A component pod that does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAside {
    /// Which component.
    pub component: Component,
    /// The pod, `NAMESPACE/NAME`.
    pub pod: String,
    /// The node that it names; a failed kube-proxy still tells that its node is meant to have one.
    pub node: Option<String>,
    /// Why it does not count, in words.
    pub reason: &'static str,
}
