//! Replays a finished plan, state by state, half-hops included, and says whether it holds. It shares nothing with
//! the planner but the types of steps: it keeps every node and pod by itself, where the planner thinks in pieces.
//!
//! [`check`] goes through the steps; `state` is the cluster on the way, `take` a step, `flags` what is out of policy,
//! `end` what the plan says of its end.

use super::PlanOptions;
use super::steps::{Plan, Reason};
use crate::inventory::Inventory;
use crate::inventory::version::Minor;
use crate::policy::rules::Rule;
use crate::policy::skew_policy::Policy;

mod end;
mod flags;
mod state;
mod take;

use state::Replay;

/// Why a plan does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A step cannot be done as it is written.
    #[error("step {step} cannot be done: {what}")]
    Impossible {
        /// The step, from 1.
        step: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A step breaks a rule that was not broken before it.
    #[error("step {step} puts {subject} out of policy ({rule:?})")]
    Anew {
        /// The step, from 1.
        step: usize,
        /// Whom.
        subject: String,
        /// The rule.
        rule: &'static Rule,
    },
    /// A hop leaves somebody too far behind.
    #[error("step {step} leaves {subject} behind ({rule:?})")]
    Stranded {
        /// The step, from 1.
        step: usize,
        /// Whom.
        subject: String,
        /// The rule.
        rule: &'static Rule,
    },
    /// It ends short of what it claims.
    #[error("the plan does not end as it says: {0}")]
    End(String),
}

/// Whether `plan` brings `inventory` as far as it says, and no state on the way breaks a rule that was not broken
/// before.
pub fn check(
    inventory: &Inventory,
    policy: &Policy,
    target: Minor,
    options: &PlanOptions,
    plan: &Plan,
) -> Result<(), Broken> {
    let Some(mut replay) = Replay::new(inventory, policy, options) else {
        return Err(Broken::End("no kube-apiserver's version is known".to_owned()));
    };
    for (index, step) in plan.steps.iter().enumerate() {
        replay.step = index + 1;
        replay.take(step)?;
        if let Reason::MakesWay { step: later } = step.reason
            && (later <= step.number || later > plan.steps.len())
        {
            return Err(Broken::Impossible {
                step: step.number,
                what: format!("it makes way for step {later}, which does not come after it"),
            });
        }
    }
    replay.end(target, plan)
}
