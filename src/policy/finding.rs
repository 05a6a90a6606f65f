//! A finding: a rule that is broken, how much that weighs, and the evidence.

use std::borrow::Cow;

use super::evidence::Evidence;
use super::rules::{About, Rule};
use super::verdict::Severity;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How much it weighs.
    pub severity: Severity,
    /// What it rests on.
    pub evidence: Evidence,
}

impl Finding {
    /// The stable key: no counts, no versions in it.
    pub fn key(&self) -> Cow<'static, str> {
        let suffix = match &self.evidence {
            Evidence::Pair(pair) => pair.node.as_str(),
            Evidence::Runtime(runtime) => runtime.kind,
            _ => return self.rule.name.into(),
        };
        format!("{}{suffix}", self.rule.stem()).into()
    }

    /// Where it is written: the rule's source, then those of the evidence.
    pub fn citations(&self) -> Vec<String> {
        let mut cited = vec![self.rule.source];
        for source in self.evidence.sources() {
            if !cited.contains(&source) {
                cited.push(source);
            }
        }
        cited.into_iter().map(str::to_owned).collect()
    }

    /// Whether it decides if today is within the policy.
    pub fn is_out_of_policy_today(&self) -> bool {
        self.rule.about == About::Today && self.severity > Severity::Info
    }
}
