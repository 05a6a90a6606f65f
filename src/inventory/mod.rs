//! The inventory: what was seen of a cluster, as values that the policy can judge.
//!
//! [`observed`] is what a collector hands over; [`read`] turns it into an [`Inventory`]: which pod is a
//! component's pod and counts ([`component_pod`]), which version its image shows ([`image`]), which node is a
//! kubelet of this cluster (`node`) and which is its pool ([`pool`]). Every node and every component
//! pod becomes one instance or one gap, or is in [`Inventory::set_aside`] with the reason. Nothing here
//! judges; nothing here reads a file or asks a server.

pub mod assumption;
pub mod binding;
mod cluster;
pub mod component;
pub mod component_labels;
pub mod component_pod;
pub mod gap;
mod gaps;
pub mod image;
mod instance;
mod kube_proxy;
pub mod labels;
pub mod namespace;
mod node;
pub mod observed;
pub mod platform;
pub mod pool;
pub mod read_gap;
mod reading;
pub mod selector;
#[cfg(test)]
mod tests;
pub mod unread;
pub mod version;

pub use cluster::{Inventory, SetAside, WhySetAside};
pub use instance::{Instance, InstanceSource};
pub use kube_proxy::{KubeProxy, ProxyUnit, Unread};
pub use node::{Kubelet, Node, VirtualNode};
pub use reading::{ReadOptions, read};
