//! A node and what runs on it.

use super::binding::Binding;
use super::kube_proxy::{KubeProxy, ProxyUnit};
use super::pool::PoolSource;
use super::version::Version;

/// A node and what runs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its pool.
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
    /// Other names that a rollout list may use for it: hostname label and Hostname address.
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
    /// What the node reports, raw; `None` where it reports nothing.
    pub raw: Option<String>,
    /// The version, where that is one.
    pub version: Option<Version>,
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
