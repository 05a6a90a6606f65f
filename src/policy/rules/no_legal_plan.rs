//! `version-skew/no-legal-plan`: no order of upgrades reaches the target within the policy.

use super::rule::{About, Allows, Rule};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/no-legal-plan",
    component: None,
    severities: &[Severity::Blocker],
    about: About::Target,
    what: "A target that no plan reaches without breaking a rule on the way, where nothing else blocks.",
    why: "Every rule may hold today and at the target, and still no order of upgrades leads there: a node that cannot be \
          upgraded, or a limit that the middle of a hop cannot keep.",
    allows: Allows::InWords(
        "Every state on the way to the target is within the policy, the middle of each hop included.",
    ),
    remedy: "Remove the obstacle that the plan names, or choose a target before it.",
    source: "https://kubernetes.io/releases/version-skew-policy/#supported-component-upgrade-order",
    // The plan is made after the rules were applied: `Assessment::without_a_plan` adds the finding.
    judge: |_, _| Vec::new(),
};
