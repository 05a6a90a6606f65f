//! Which labels, annotations and taints a decoder keeps: the rest is skipped, never built.

use std::collections::BTreeSet;

/// The keys to keep: those that the product reads, and those that a flag names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    extra: BTreeSet<String>,
}

impl Wanted {
    /// The product's own keys and these.
    pub fn new(extra: impl IntoIterator<Item = String>) -> Self {
        Self {
            extra: extra.into_iter().collect(),
        }
    }

    /// Whether a label is kept.
    pub fn label(&self, key: &str) -> bool {
        self.extra.contains(key)
    }
}
