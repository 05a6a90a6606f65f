//! The rules: a file a rule, and the one list of them all.
//!
//! Each rule states what it checks, why, what it allows, the remedy and the source: `explain`, the README's table,
//! the keys of the JSON report and the rules of `JUnit` and SARIF are taken from here and from nowhere else. How far
//! one component may be from another is settled in [`skew_policy`](super::skew_policy); `distance` finds who is
//! further; [`judge`] applies a list of rules. A new rule is a file and its place in [`ALL`].

pub mod apiserver_ha_spread;
mod distance;
mod judge;
pub mod kube_proxy_behind;
pub mod kube_proxy_kubelet;
pub mod kube_proxy_missing;
pub mod kube_proxy_newer;
pub mod kube_proxy_post_upgrade;
pub mod kubectl_client;
pub mod kubelet_current;
pub mod kubelet_newer;
pub mod kubelet_post_upgrade;
pub mod kubelet_unparseable;
pub mod manager_behind;
pub mod manager_newer;
pub mod manager_post_upgrade;
pub mod no_legal_plan;
pub mod node_runtime;
pub mod rollout_left_behind;
pub mod rollout_unknown_node;
mod rule;
pub mod upgrade_path;
pub mod virtual_nodes;

pub(crate) use judge::{in_order, judge};
pub use judge::{named, order};
pub(crate) use rule::Context;
pub use rule::{About, Allows, Rule, Side};

/// A list of rules.
pub type Rules = &'static [&'static Rule];

/// Every rule, in the order in which the README lists them.
pub static ALL: Rules = &[
    &kubelet_post_upgrade::RULE,
    &kube_proxy_post_upgrade::RULE,
    &manager_newer::KUBE_CONTROLLER_MANAGER,
    &manager_newer::KUBE_SCHEDULER,
    &manager_newer::CLOUD_CONTROLLER_MANAGER,
    &no_legal_plan::RULE,
    &kubelet_current::RULE,
    &kubelet_newer::RULE,
    &kube_proxy_newer::RULE,
    &kube_proxy_behind::RULE,
    &kube_proxy_kubelet::RULE,
    &apiserver_ha_spread::RULE,
    &manager_behind::KUBE_CONTROLLER_MANAGER,
    &manager_behind::KUBE_SCHEDULER,
    &manager_behind::CLOUD_CONTROLLER_MANAGER,
    &manager_post_upgrade::KUBE_CONTROLLER_MANAGER,
    &manager_post_upgrade::KUBE_SCHEDULER,
    &manager_post_upgrade::CLOUD_CONTROLLER_MANAGER,
    &rollout_left_behind::RULE,
    &rollout_unknown_node::RULE,
    &kubectl_client::RULE,
    &kubelet_unparseable::RULE,
    &virtual_nodes::RULE,
    &kube_proxy_missing::RULE,
    &upgrade_path::RULE,
    &node_runtime::RULE,
];
