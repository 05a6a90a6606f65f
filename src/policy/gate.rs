//! Settles what a judgement comes to: the verdict, whether today is within the policy, and whether a pipeline
//! may go on. Also the last line of defence against a `ready` that nothing was looked at for.

use std::collections::BTreeSet;

use super::apiservers::Apiservers;
use super::finding::Finding;
use super::question::{FailOn, Question};
use super::verdict::{Severity, Verdict};
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap, Skipped};
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
        .any(|gap| gap.required && gap.capability == Capability::Versions);
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
        .any(|gap| gap.required && gap.capability == Capability::Target);
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
        .any(|gap| gap.required && gap.capability == Capability::Versions);
    if said {
        return None;
    }
    let mut gap = Gap::versions(true, "");
    if apiservers.is_none() {
        gap.component = Some(Component::KubeApiserver);
        gap.skipped = vec![Skipped::Version];
        "no kube-apiserver version is known: nothing can be measured against it".clone_into(&mut gap.reason);
        return Some(gap);
    }
    let unread = inventory.instances.iter().filter(|instance| {
        instance.component != Component::CloudControllerManager && instance.effective().is_none()
    });
    let unread: BTreeSet<String> = unread.map(|instance| format!("pod/{}", instance.name)).collect();
    if !unread.is_empty() {
        gap.objects = unread.into_iter().collect();
        "the version of a control-plane component could not be read".clone_into(&mut gap.reason);
        return Some(gap);
    }
    let unread = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged())
        .flat_map(|node| &node.proxies)
        .chain(&inventory.stray_proxies)
        .filter(|proxy| proxy.version.is_none() && proxy.unread != Some(Unread::Optional));
    let unread: BTreeSet<String> = unread.map(|proxy| format!("pod/{}", proxy.pod)).collect();
    if !unread.is_empty() {
        gap.component = Some(Component::KubeProxy);
        gap.objects = unread.into_iter().collect();
        "kube-proxy versions could not be read".clone_into(&mut gap.reason);
        return Some(gap);
    }
    let mut judged = inventory.nodes.iter().filter(|node| node.is_judged()).peekable();
    if judged.peek().is_none() {
        gap.component = Some(Component::Kubelet);
        gap.skipped = vec![Skipped::Nodes];
        "no node is left to judge: kubelet skew was not assessed".clone_into(&mut gap.reason);
        return Some(gap);
    }
    let unread: BTreeSet<String> = judged
        .filter(|node| node.kubelet.version.is_none())
        .map(|node| format!("node/{}", node.name))
        .collect();
    if !unread.is_empty() {
        gap.component = Some(Component::Kubelet);
        gap.objects = unread.into_iter().collect();
        "kubelet versions could not be read".clone_into(&mut gap.reason);
        return Some(gap);
    }
    None
}
