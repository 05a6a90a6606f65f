//! The planner: from an inventory and a target to the least work that gets there. It owns no skew number; it
//! asks the policy about every state. A finished plan is replayed by a checker that shares nothing with it.

pub mod path;
pub mod steps;
