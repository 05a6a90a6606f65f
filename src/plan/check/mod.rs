//! Replays a finished plan, state by state, half-hops included, and says whether it holds. It shares nothing with
//! the planner but the types of steps: it keeps every node and pod by itself, where the planner thinks in classes.

use super::PlanOptions;
use super::steps::Plan;
use crate::inventory::Inventory;
use crate::inventory::version::Minor;
use crate::policy::apiservers::Apiservers;
use crate::policy::rules::Rule;
use crate::policy::skew_policy::Policy;

mod flags;
mod state;
mod take;

use state::{Host, Pod, Replay};

/// Why a plan does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A step cannot be done as it stands.
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
        let is_refusal = plan.steps.is_empty() && plan.obstacle.is_some();
        return if is_refusal {
            Ok(())
        } else {
            Err(Broken::End("no kube-apiserver's version is known".to_owned()))
        };
    };
    for (index, step) in plan.steps.iter().enumerate() {
        replay.step = index + 1;
        replay.take(step)?;
    }
    replay.end(target, plan)
}

impl Replay<'_> {
    fn end(&self, target: Minor, plan: &Plan) -> Result<(), Broken> {
        let counted = (self.hops, self.rolls, self.updates);
        let said = (plan.hops, plan.node_rolls, plan.kube_proxy_updates);
        if counted != said {
            return Err(Broken::End(format!("it counts {said:?}, and has {counted:?}")));
        }
        let below = |host: &&Host<'_>| {
            let minors = host
                .kubelet
                .into_iter()
                .chain(host.pods.iter().filter_map(|pod| pod.minor));
            host.is_planned && minors.into_iter().any(|minor| minor < target)
        };
        let named = |hosts: &mut dyn Iterator<Item = &Host<'_>>, said: &[String]| {
            let mut names: Vec<&str> = hosts.map(|host| host.name).collect();
            names.sort_unstable();
            *said == *names
        };
        let is_optional = |host: &&Host<'_>| plan.obstacle.is_none() && below(host);
        if !named(&mut self.hosts.iter().filter(is_optional), &plan.optional) {
            return Err(Broken::End("other nodes are below the target".to_owned()));
        }
        let unplanned = |host: &&Host<'_>| host.is_node && !host.is_planned;
        if !named(&mut self.hosts.iter().filter(unplanned), &plan.unplanned) {
            return Err(Broken::End("other nodes could not be planned for".to_owned()));
        }
        if plan.obstacle.is_some() {
            return Ok(());
        }
        if self.span() != Apiservers::all_at(target) {
            return Err(Broken::End(format!("the apiservers do not all reach {target}")));
        }
        if let Some(host) = self.hosts.iter().find(|host| host.behind().is_some()) {
            return Err(Broken::End(format!("{} is too old for {target}", host.name)));
        }
        let late = self.hosts.iter().find(|host| {
            let is_below =
                |pod: &Pod| pod.workload.is_none() && pod.minor.is_some_and(|minor| minor < target);
            let is_late =
                host.kubelet.is_some_and(|kubelet| kubelet < target) || host.pods.iter().any(is_below);
            host.is_planned && host.in_rollout && is_late
        });
        match late {
            Some(host) => Err(Broken::End(format!(
                "the rollout does not bring {} to {target}",
                host.name
            ))),
            None => Ok(()),
        }
    }
}
