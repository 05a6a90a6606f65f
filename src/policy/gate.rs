//! Settles what a judgement comes to: the verdict, whether today is within the policy, and whether a pipeline
//! may go on. Also the last line of defence against a `ready` that nothing was looked at for.

use std::collections::{BTreeMap, BTreeSet};

use super::apiservers::Apiservers;
use super::finding::Finding;
use super::question::{FailOn, Question};
use super::verdict::{Severity, Verdict};
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap, GapReason};
use crate::inventory::{Inventory, Unread};

/// Whether a pipeline may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The threshold; `None` is `never`.
    pub fail_on: Option<Severity>,
    /// Required gaps do not fail it.
    pub allow_incomplete: bool,
    /// Whether it passed.
    pub passed: bool,
    /// 0 or 2.
    pub exit_code: u8,
}

impl Gate {
    /// Whether a finding of that severity fails it.
    pub fn fails_on(&self, severity: Severity) -> bool {
        self.fail_on.is_some_and(|threshold| severity >= threshold)
    }
}

/// Blocked by any blocker, else unknown by any required gap, else ready.
pub(super) fn verdict(findings: &[Finding], gaps: &[Gap]) -> Verdict {
    if findings
        .iter()
        .any(|finding| finding.severity == Severity::Blocker)
    {
        Verdict::Blocked
    } else if gaps.iter().any(|gap| gap.required) {
        Verdict::Unknown
    } else {
        Verdict::Ready
    }
}

/// Today's state, whatever the target.
pub(super) fn in_policy(findings: &[Finding], gaps: &[Gap]) -> Option<bool> {
    if findings.iter().any(Finding::is_out_of_policy_today) {
        return Some(false);
    }
    let unread = gaps
        .iter()
        .any(|gap| gap.required && gap.capability() == Capability::Versions);
    (!unread).then_some(true)
}

/// Whether a pipeline may go on.
pub(super) fn gate(question: &Question, findings: &[Finding], gaps: &[Gap], verdict: Verdict) -> Gate {
    let default = if question.target.is_some() {
        Severity::Blocker
    } else {
        Severity::Warning
    };
    let threshold = match question.fail_on {
        None => Some(default),
        Some(FailOn::Severity(severity)) => Some(severity),
        Some(FailOn::Never) => None,
    };
    let is_refused_target = gaps
        .iter()
        .any(|gap| gap.required && gap.capability() == Capability::Target);
    let passed = threshold.is_none_or(|threshold| {
        let found = findings.iter().any(|finding| finding.severity >= threshold);
        let incomplete = verdict == Verdict::Unknown && !question.allow_incomplete;
        !found && !incomplete && !is_refused_target
    });
    Gate {
        fail_on: threshold,
        allow_incomplete: question.allow_incomplete,
        passed,
        exit_code: if passed { 0 } else { 2 },
    }
}

/// The gap that an inventory owes where it leaves something unread and has no required gap that says so.
///
/// Collecting and reading make these gaps with their way out; this one stands in for them, so that no way of
/// building an inventory lets something unread pass for judged.
pub(super) fn owed(inventory: &Inventory, apiservers: Option<Apiservers>) -> Option<Gap> {
    let said = inventory
        .gaps
        .iter()
        .any(|gap| gap.required && gap.capability() == Capability::Versions);
    if said {
        return None;
    }
    let reason = unsaid(inventory, apiservers)?;
    Some(Gap {
        partial: inventory.has_any_version(),
        ..Gap::new(true, reason)
    })
}

/// What is unread, as the inventory itself shows it.
fn unsaid(inventory: &Inventory, apiservers: Option<Apiservers>) -> Option<GapReason> {
    if apiservers.is_none() {
        return Some(GapReason::NoServerVersion {
            reported: inventory.server_version.clone(),
            namespace: inventory.hosted.clone(),
        });
    }
    let mut unread: BTreeMap<Component, BTreeSet<String>> = BTreeMap::new();
    let instances = inventory.instances.iter().filter(|instance| {
        instance.component != Component::CloudControllerManager && instance.effective().is_none()
    });
    for instance in instances {
        unread
            .entry(instance.component)
            .or_default()
            .insert(instance.name.clone());
    }
    let proxies = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged())
        .flat_map(|node| &node.proxies)
        .chain(&inventory.stray_proxies)
        .filter(|proxy| proxy.version.is_none() && proxy.unread != Some(Unread::Optional));
    for proxy in proxies {
        unread
            .entry(Component::KubeProxy)
            .or_default()
            .insert(proxy.pod.clone());
    }
    if let Some((component, names)) = unread.into_iter().next() {
        return Some(GapReason::InstancesUnread {
            component,
            names: names.into_iter().collect(),
        });
    }
    let judged = || inventory.nodes.iter().filter(|node| node.is_judged());
    if judged().next().is_none() {
        return Some(GapReason::NoNodeToJudge {
            excluded: inventory.nodes.iter().any(|node| node.excluded),
        });
    }
    let nodes: Vec<(String, Option<String>)> = judged()
        .filter(|node| node.kubelet.version.is_none())
        .map(|node| (node.name.clone(), node.kubelet.raw.clone()))
        .collect();
    (!nodes.is_empty()).then_some(GapReason::KubeletsUnread { nodes })
}
