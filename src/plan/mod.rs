//! The planner: from an inventory and a target to the least work that gets there. It owns no skew number; it
//! asks the policy about every state. A finished plan is replayed by a checker that shares nothing with it.
//!
//! `cluster` sees nodes that stand alike as one, `timeline` lays out the hops, `mover` knows how each piece moves
//! alone, `search` those that hold each other, `solve` puts them together, `write` makes steps of it. [`check`]
//! replays what came out. [`path`] is the other view of the same hops: what each would say if nobody moved.

use std::collections::HashSet;

use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node};
use crate::policy::skew_policy::Policy;

mod breach;
pub mod check;
mod cluster;
pub mod commands;
mod cost;
mod mover;
mod obstacle;
pub mod path;
mod reason;
mod search;
mod solve;
pub mod steps;
mod timeline;
mod write;

use crate::inventory::read_gap::Resource;
use steps::{Cause, NoPlan, Obstacle, Plan, Planned};

/// How a plan is to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// A node moves one minor a roll.
    pub node_step_one: bool,
    /// The nodes that the rollout brings to the target; `None` without a rollout.
    pub rollout: Option<Vec<String>>,
}

impl PlanOptions {
    fn rollout_names(&self) -> RolloutNames<'_> {
        RolloutNames(
            self.rollout
                .as_ref()
                .map(|names| names.iter().map(String::as_str).collect()),
        )
    }
}

/// The names that a rollout lists.
struct RolloutNames<'a>(Option<HashSet<&'a str>>);

impl RolloutNames<'_> {
    /// Whether they name `node`, by its name or by another that it is known by.
    fn names(&self, node: &Node) -> bool {
        self.0.as_ref().is_some_and(|names| {
            names.contains(node.name.as_str())
                || node.aliases.iter().any(|alias| names.contains(alias.as_str()))
        })
    }
}

/// The least work that brings `inventory` to `target`: the hops, and before each only what it asks for.
///
/// Total: what cannot be done is in the plan's obstacle. Every plan has been replayed by [`check::check`].
pub fn plan(inventory: &Inventory, policy: &Policy, target: Minor, options: &PlanOptions) -> Planned {
    let unread = |resource: Resource| {
        let mut gaps = inventory.gaps.iter();
        gaps.any(|gap| gap.required && gap.reason.lacks_list_of(resource))
    };
    if unread(Resource::Nodes) {
        return Planned::None(NoPlan::NodesNotRead);
    }
    if unread(Resource::Pods) {
        return Planned::None(NoPlan::PodsNotRead);
    }
    let Some(cluster) = cluster::Cluster::of(inventory, options) else {
        return Planned::None(NoPlan::NoServerVersion);
    };
    let newest = cluster.today.hi;
    let stopped = |cause: Cause| Plan {
        obstacle: Some(Obstacle {
            hop: None,
            object: None,
            rule: None,
            cause,
        }),
        ..Plan::default()
    };
    let plan = if target < newest {
        stopped(Cause::TargetBelowNewest { newest })
    } else {
        let plan = write::written(inventory, policy, target, options, &cluster);
        match check::check(inventory, policy, target, options, &plan) {
            Ok(()) => plan,
            Err(broken) => stopped(Cause::Refused { broken }),
        }
    };
    let mut plan = plan;
    commands::add_commands(&mut plan, inventory);
    Planned::Plan(Box::new(plan))
}
