//! The sentences that people read: every title, reason, remedy and note is written here, from what the stages before
//! hold as values, and nowhere else. The texts that explain a rule in general stand beside the rule.
//!
//! They are made of our own words and of text from the cluster as it is: each format makes the whole safe in its own
//! way.

mod cluster;
mod finding;
mod gap;
mod limit;
mod numbers;
mod plan;
mod verdict;

pub use cluster::{instance_source, instance_version, mode, origin, server, span, version};
pub use finding::{detail, remedy, title};
pub use gap::{GRANTED_VERBS, GapText, gap, gap_reason, grant};
pub use limit::allowed;
pub use numbers::{age, count, list, more, names, of, thousands};
pub use plan::{
    Pools, cause, going_back, lagging, no_plan, note, obstacle, plan_counts, plan_rest, reason, step,
};
pub use verdict::{SCOPE, assumed, excluded, gate, summary, today, verdict};
