//! Selectors: kubectl's label selectors, and what names nodes on the command line.

/// A label selector by kubectl's grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {}
