//! Whether a plan ends as it says: what it counts, what it leaves below the target and what out of policy.

use std::collections::BTreeSet;

use super::Broken;
use super::flags;
use super::state::{Host, Replay};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::plan::steps::Plan;
use crate::policy::apiservers::Apiservers;
use crate::policy::rules::{self, Rule};

impl Replay<'_> {
    pub(super) fn end(&self, target: Minor, plan: &Plan) -> Result<(), Broken> {
        let counted = (self.hops, self.windows, self.rolls, self.updates);
        let said = (plan.hops, plan.windows, plan.node_rolls, plan.kube_proxy_updates);
        if counted != said {
            return Err(Broken::End(format!("it counts {said:?}, and has {counted:?}")));
        }
        if plan.lower_bound.is_some_and(|bound| bound > plan.node_rolls) {
            return Err(Broken::End(
                "it needs fewer node rolls than any plan may".to_owned(),
            ));
        }
        let named = |holds: &dyn Fn(&Host<'_>) -> bool, said: &[String]| {
            let hosts = self
                .hosts
                .iter()
                .filter(|host| host.node.is_some() && holds(host));
            let mut names: Vec<&str> = hosts.map(|host| host.name).collect();
            names.sort_unstable();
            *said == *names
        };
        let is_optional =
            |host: &Host<'_>| plan.obstacle.is_none() && host.is_planned && host.is_below(target, true);
        if !named(&is_optional, &plan.optional) {
            return Err(Broken::End("other nodes are below the target".to_owned()));
        }
        if !named(&|host| !host.is_planned, &plan.unplanned) {
            return Err(Broken::End("other nodes could not be planned for".to_owned()));
        }
        let mut remaining = self.out_of_policy();
        if plan.obstacle.is_none() {
            if self.span() != Apiservers::all_at(target) {
                return Err(Broken::End(format!("the apiservers do not all reach {target}")));
            }
            remaining.extend(self.unfinished(target));
        }
        let said = plan.remaining.iter().map(|it| (it.object.as_str(), it.rule));
        if said.collect::<BTreeSet<_>>() != remaining {
            return Err(Broken::End("something else remains out of policy".to_owned()));
        }
        Ok(())
    }

    /// What breaks a rule, and which.
    fn out_of_policy(&self) -> BTreeSet<(&str, &'static Rule)> {
        let mut all = BTreeSet::new();
        for host in &self.hosts {
            let pods = host.pods.iter().map(|pod| (Component::KubeProxy, pod.bits));
            for (component, bits) in pods.chain([(Component::Kubelet, host.bits)]) {
                all.extend(
                    flags::rules(component, bits)
                        .into_iter()
                        .map(|rule| (host.name, rule)),
                );
            }
        }
        for manager in &self.managers {
            let rules = flags::rules(manager.component, manager.bits);
            all.extend(rules.into_iter().map(|rule| (manager.name, rule)));
        }
        all
    }

    /// Nodes that are to end at the target and do not: a kube-proxy beside them keeps them from it.
    fn unfinished(&self, target: Minor) -> impl Iterator<Item = (&str, &'static Rule)> {
        let late = self.hosts.iter().filter(move |host| {
            let ends = host.is_planned && (self.finishes() || host.in_rollout);
            let lags = self.finishes() && host.is_below(target, true);
            ends && (host.differs_from(target) || lags)
        });
        late.map(|host| (host.name, &rules::kube_proxy_kubelet::RULE))
    }
}
