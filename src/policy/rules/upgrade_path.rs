//! `version-skew/upgrade-path`: a target more than one minor away.

use super::{About, Context, Rule};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::UpgradePath,
    name: "version-skew/upgrade-path",
    component: Some(Component::KubeApiserver),
    severities: &[Severity::Info],
    about: About::Target,
    what: "A target more than one minor above the oldest kube-apiserver, and the minors that lie on the way.",
    why: "kube-apiserver is upgraded one minor at a time, also where it is a single instance: what is deprecated in one \
          minor is converted there and may be gone in the next.",
    limit: "kube-apiserver moves 1 minor at a time.",
    remedy: "Go through each minor in turn, and let all kube-apiservers reach one before the next is begun.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-apiserver-1",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let (Some(target), Some(apiservers)) = (context.target, context.apiservers) else {
        return Vec::new();
    };
    let lo = apiservers.lo;
    if target <= lo.next() {
        return Vec::new();
    }
    let passed = (lo.number() + 1..=target.number()).map(|minor| Minor::new(minor).to_string());
    let passed: Vec<String> = passed.collect();
    let title = format!(
        "{target} is {} minors above kube-apiserver {lo}",
        lo.distance(target)
    );
    let detail = format!("the control plane passes through {}", passed.join(", "));
    let mut finding = rule.finding(Severity::Info, title, detail);
    finding.versions = passed;
    vec![finding]
}
