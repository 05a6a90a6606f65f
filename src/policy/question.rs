//! What is asked of a judgement: the target as it was typed, and what the gate is to do. Targets are refused
//! here, before any request is made.

use super::finding::Severity;
use crate::inventory::version::{Minor, Version};

/// The oldest minor that may be asked for.
pub const OLDEST_TARGET: Minor = Minor::new(16);

/// How far above the newest apiserver a target may be; further is taken for a typo.
pub const FURTHEST_TARGET: u16 = 20;

/// The question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Where the control plane is to move; `None` judges today.
    pub target: Option<Target>,
    /// `--fail-on`; `None` where it was not given: blocker with a target, warning without.
    pub fail_on: Option<FailOn>,
    /// `--allow-incomplete`.
    pub allow_incomplete: bool,
    /// The names that `--rollout` and `--rollout-file` list.
    pub rollout: Option<Vec<String>>,
}

/// A target as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A minor.
    Minor(Minor),
    /// A version with a patch.
    Patch(Version),
    /// `next`.
    Next,
    /// `+N`.
    Plus(u16),
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of that severity or above.
    Severity(Severity),
    /// Nothing.
    Never,
}
