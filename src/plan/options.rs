//! How a plan is to be made: what was asked for, and what the platform does where nothing was.

use std::collections::HashSet;

use crate::inventory::pool::PoolSource;
use crate::inventory::{Inventory, Node};

/// What was asked for; `None` leaves it to the platform.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// A node moves one minor a roll.
    pub node_step_one: Option<bool>,
    /// Every node and kube-proxy is brought to the target.
    pub finish_nodes: Option<bool>,
    /// A pool is rolled as a whole.
    pub whole_pools: Option<bool>,
    /// A node is rolled only right before a hop that would strand it, so that going back stays cheap.
    pub keep_rollback: bool,
    /// The nodes that the rollout brings to the target; `None` without a rollout.
    pub rollout: Option<Vec<String>>,
}

/// What holds for a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// A node moves one minor a roll.
    pub(super) node_step_one: bool,
    /// Every node and kube-proxy ends at the target.
    pub(super) finish_nodes: bool,
    /// Which pools are rolled as a whole.
    pub(super) whole_pools: WholePools,
    /// Rolls only right before a hop that needs them.
    pub(super) keep_rollback: bool,
}

/// Which pools are rolled as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholePools {
    /// None.
    None,
    /// Those that have one version by nature.
    NodeGroups,
    /// All that a label names; a role is no pool.
    Labelled,
}

impl WholePools {
    /// Whether the pool of `node` is rolled as a whole.
    pub(super) fn holds(self, node: &Node) -> bool {
        match self {
            Self::None => false,
            Self::NodeGroups => node.pool_source == Some(PoolSource::NodeGroup),
            Self::Labelled => matches!(node.pool_source, Some(PoolSource::NodeGroup | PoolSource::Label)),
        }
    }
}

impl PlanOptions {
    /// What holds for `inventory`.
    pub(super) fn settle(&self, inventory: &Inventory) -> Settings {
        let upgrade = inventory.platform.as_ref().map(|found| found.platform.upgrade());
        let habit = |is_habit: fn(&crate::inventory::platform::Upgrade) -> bool| {
            upgrade.as_ref().is_some_and(is_habit)
        };
        Settings {
            node_step_one: self
                .node_step_one
                .unwrap_or_else(|| habit(|upgrade| upgrade.one_minor_a_roll)),
            finish_nodes: self
                .finish_nodes
                .unwrap_or_else(|| habit(|upgrade| upgrade.lag_only_under_way)),
            whole_pools: match self.whole_pools {
                None => WholePools::NodeGroups,
                Some(true) => WholePools::Labelled,
                Some(false) => WholePools::None,
            },
            keep_rollback: self.keep_rollback,
        }
    }

    /// The names that the rollout lists.
    pub(super) fn rollout_names(&self) -> RolloutNames<'_> {
        let names = self.rollout.as_ref();
        RolloutNames(names.map(|names| names.iter().map(String::as_str).collect()))
    }
}

/// The names that a rollout lists.
pub(super) struct RolloutNames<'a>(Option<HashSet<&'a str>>);

impl RolloutNames<'_> {
    /// Whether they name `node`, by its name or by another that it is known by.
    pub(super) fn names(&self, node: &Node) -> bool {
        self.0.as_ref().is_some_and(|names| {
            names.contains(node.name.as_str())
                || node.aliases.iter().any(|alias| names.contains(alias.as_str()))
        })
    }

    /// Whether there is a rollout that leaves `node` out.
    pub(super) fn leave_out(&self, node: &Node) -> bool {
        self.0.is_some() && !self.names(node)
    }
}
