//! How much a finding weighs, and what all of them come to.

use std::fmt;

/// How much a finding weighs. Ordered: a blocker is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; it gates nothing.
    Info,
    /// Out of policy today, or about to be.
    Warning,
    /// The control plane must not move.
    Blocker,
}

impl Severity {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Blocker => "blocker",
        }
    }
}

/// Whether the control plane may move, by version skew alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a blocker.
    Blocked,
    /// No blocker, but something required was not assessed.
    Unknown,
    /// Everything that the policy covers was assessed, and nothing blocks.
    Ready,
}

impl Verdict {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
            Self::Ready => "ready",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
