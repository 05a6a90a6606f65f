//! The path: for each minor on the way to the target, what the move there would say with the nodes as they are
//! today. Every hop is judged by the rules that judged today. The least work that makes the way legal is in the plan.

use std::collections::BTreeSet;

use super::steps::Obstacle;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Instance, Inventory};
use crate::policy::apiservers::Apiservers;
use crate::policy::assessment::Assessment;
use crate::policy::finding::Finding;
use crate::policy::question::Question;
use crate::policy::rules::{self, About, Context, Rule};
use crate::policy::skew_policy::Policy;
use crate::policy::target::TargetAsked;
use crate::policy::verdict::{Severity, Verdict};

/// A hop of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathHop {
    /// The minor before it.
    pub from: Minor,
    /// The minor it reaches.
    pub to: Minor,
    /// What `--target` of that minor would say, with the nodes as they are today.
    pub verdict: Verdict,
    /// Keys of findings about the move that were not there before, sorted.
    pub added: Vec<String>,
    /// Keys of findings that were there before and are gone, sorted.
    pub resolved: Vec<String>,
    /// How many findings are carried over.
    pub carried: usize,
    /// The nodes that must be upgraded first, sorted by name.
    pub move_first: Vec<String>,
}

/// The hops to the target; none without a target that is a hop, or without a server version. `obstacle` is where the
/// plan to the same target stops.
pub fn path(
    inventory: &Inventory,
    policy: &Policy,
    question: &Question,
    assessment: &Assessment,
    obstacle: Option<&Obstacle>,
) -> Vec<PathHop> {
    let target = assessment.target.as_ref().and_then(TargetAsked::hop);
    let (Some(_), Some(today)) = (target, assessment.apiservers) else {
        return Vec::new();
    };
    let cluster = Cluster {
        inventory,
        policy,
        question,
        assessment,
        today,
    };
    let mut hops = cluster.hops(today);
    if let Some(obstacle) = obstacle {
        stop(&mut hops, obstacle.hop);
    }
    hops
}

/// No hop at or behind an obstacle is ready.
fn stop(hops: &mut [PathHop], before: Option<Minor>) {
    let last = hops.last().map(|hop| hop.to);
    let Some(before) = before.or(last) else {
        return;
    };
    let mut is_first = true;
    for hop in hops.iter_mut().filter(|hop| hop.to >= before) {
        if hop.verdict != Verdict::Blocked {
            hop.verdict = Verdict::Blocked;
            if is_first {
                hop.added.push(rules::no_legal_plan::RULE.name.to_owned());
                hop.added.sort_unstable();
            } else {
                hop.carried += 1;
            }
            is_first = false;
        }
    }
}

/// What the path asks about at every minor.
struct Cluster<'a> {
    inventory: &'a Inventory,
    policy: &'a Policy,
    question: &'a Question,
    assessment: &'a Assessment,
    today: Apiservers,
}

impl Cluster<'_> {
    fn hops(&self, today: Apiservers) -> Vec<PathHop> {
        let columns = &self.assessment.columns;
        let today_findings = self.assessment.findings.iter();
        let mut before = keys(today_findings.filter(|finding| finding.rule.about == About::Today));
        before.extend(keys(&self.about_the_move(&self.inventory.instances, today, None)));
        let mut at = (self.inventory.instances.clone(), today);
        let mut hops = Vec::with_capacity(columns.len());
        for &to in columns {
            // Below today's newest apiserver a minor is no target: nothing is asked of the nodes that today does not
            // ask already.
            let target = (to >= today.hi).then_some(to);
            let as_target = self.about_the_move(&self.inventory.instances, today, target);
            let mut after = keys(&self.about_the_move(&at.0, at.1, target));
            let from = at.1.lo;
            at = (
                self.moved_to(to),
                Apiservers {
                    lo: to,
                    hi: to.max(today.hi),
                },
            );
            // No node is upgraded on the path, so what a rule about today finds anew there is the move's doing, and the
            // rules about the move have found it.
            let still = keys(&self.about_today(&at.0, at.1));
            after.extend(still.intersection(&before).cloned());
            hops.push(PathHop {
                from,
                to,
                verdict: self.verdict(&as_target, target.is_some()),
                added: after.difference(&before).cloned().collect(),
                resolved: before.difference(&after).cloned().collect(),
                carried: after.intersection(&before).count(),
                move_first: move_first(&as_target),
            });
            before = after;
        }
        hops
    }

    fn about_today(&self, instances: &[Instance], apiservers: Apiservers) -> Vec<Finding> {
        self.judge(instances, apiservers, None, |rule| rule.about == About::Today)
    }

    /// The findings about a move to `target` of such a control plane.
    fn about_the_move(
        &self,
        instances: &[Instance],
        apiservers: Apiservers,
        target: Option<Minor>,
    ) -> Vec<Finding> {
        self.judge(instances, apiservers, target, |rule| rule.about != About::Today)
    }

    fn judge(
        &self,
        instances: &[Instance],
        apiservers: Apiservers,
        target: Option<Minor>,
        is_wanted: impl Fn(&Rule) -> bool,
    ) -> Vec<Finding> {
        let context = Context {
            inventory: self.inventory,
            instances,
            policy: self.policy,
            apiservers: Some(apiservers),
            target,
            rollout: self.question.rollout.as_deref(),
            // Bound nodes have moved with the kube-apiservers; today they are where they are.
            bound_at: (apiservers != self.today).then_some(apiservers.lo),
        };
        let rules = self.assessment.rules.iter().filter(|rule| is_wanted(rule));
        rules::judge(rules, &context)
    }

    /// The control plane once all kube-apiservers are at `minor`, or above it where they are already, and the managers
    /// have followed.
    fn moved_to(&self, minor: Minor) -> Vec<Instance> {
        let instances = self.inventory.instances.iter().cloned();
        let moved = instances.map(|mut instance| {
            let follows = instance.component == Component::KubeApiserver || instance.component.is_manager();
            if let (true, Some(effective)) = (follows, instance.effective()) {
                let binary = instance.version.as_ref().map_or(effective, Version::minor);
                if binary < minor {
                    instance.version = Some(Version::of_minor(minor));
                }
                let emulated = effective.max(minor);
                instance.emulated = (emulated != binary.max(minor)).then_some(emulated);
            }
            instance
        });
        moved.collect()
    }

    /// What `--target` of a minor would say, by the findings about the move there.
    fn verdict(&self, findings: &[Finding], is_target: bool) -> Verdict {
        let today = self.assessment.findings.iter();
        let today = today.filter(|finding| finding.rule.about == About::Today);
        if today
            .chain(findings)
            .any(|finding| finding.severity == Severity::Blocker)
        {
            Verdict::Blocked
        } else if !is_target || self.assessment.gaps.iter().any(|gap| gap.required) {
            Verdict::Unknown
        } else {
            Verdict::Ready
        }
    }
}

fn keys<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> BTreeSet<String> {
    findings
        .into_iter()
        .map(|finding| finding.key().into_owned())
        .collect()
}

/// The nodes of the findings that forbid a move.
fn move_first(findings: &[Finding]) -> Vec<String> {
    let forbidding = findings
        .iter()
        .filter(|finding| finding.rule.about == About::Target && finding.severity == Severity::Blocker);
    let nodes: BTreeSet<String> = forbidding.flat_map(|finding| finding.evidence.nodes()).collect();
    nodes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::{InstanceSource, Kubelet, Node};
    use crate::policy::evaluate_by;
    use crate::policy::evidence::{Evidence, Nodes};
    use crate::policy::rules::Allows;

    /// A rule of tomorrow: no node may be at an odd minor once kube-apiserver runs an even one.
    static NO_ODD_NODES: Rule = Rule {
        name: "version-skew/no-odd-nodes",
        component: None,
        severities: &[Severity::Blocker],
        about: About::Target,
        what: "Nodes at an odd minor below an even target.",
        why: "A rule that is added is right on the path by itself.",
        allows: Allows::InWords("No node at an odd minor below an even target."),
        remedy: "Upgrade these nodes.",
        source: "https://kubernetes.io/releases/version-skew-policy/",
        judge: |_, context| {
            let is_even = context
                .target
                .is_some_and(|target| target.number().is_multiple_of(2));
            let odd = context.inventory.nodes.iter().filter(|node| {
                let minor = node.kubelet.version.as_ref().map(Version::minor);
                is_even && minor.is_some_and(|minor| !minor.number().is_multiple_of(2))
            });
            let nodes: Vec<String> = odd.map(|node| node.name.clone()).collect();
            if nodes.is_empty() {
                return Vec::new();
            }
            let evidence = Evidence::VirtualNodes(Nodes {
                nodes,
                versions: Vec::new(),
                of: 1,
            });
            vec![(Severity::Blocker, evidence)]
        },
    };

    static RULES: rules::Rules = &[&NO_ODD_NODES];

    #[test]
    fn a_rule_that_is_added_is_right_on_the_path() {
        let version: Version = "v1.35.0".parse().unwrap();
        let inventory = Inventory {
            instances: vec![Instance {
                component: Component::KubeApiserver,
                name: "v1.35.0".to_owned(),
                node: None,
                version: Some(version.clone()),
                emulated: None,
                from: InstanceSource::Version,
                image: None,
                judged: true,
            }],
            nodes: vec![Node {
                name: "odd".to_owned(),
                kubelet: Kubelet {
                    raw: None,
                    version: Some(version),
                },
                ..Node::default()
            }],
            ..Inventory::default()
        };
        let policy = Policy::upstream();
        let question = Question {
            target: "1.37".parse().ok(),
            ..Question::default()
        };
        let assessment = evaluate_by(RULES, &inventory, &policy, &question);
        let hops = path(&inventory, &policy, &question, &assessment, None);
        let key = NO_ODD_NODES.name.to_owned();
        let told: Vec<_> = hops
            .iter()
            .map(|hop| {
                (
                    hop.verdict,
                    hop.added.clone(),
                    hop.resolved.clone(),
                    hop.move_first.clone(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    Verdict::Blocked,
                    vec![key.clone()],
                    vec![],
                    vec!["odd".to_owned()]
                ),
                (Verdict::Ready, vec![], vec![key], vec![]),
            ]
        );
    }
}
