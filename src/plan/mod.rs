//! The planner: from an inventory and a target to the least work that gets there. It owns no skew number; it
//! asks the policy about every state. A finished plan is replayed by a check that shares nothing with it.
//!
//! **What moves.** `pieces` sees the cluster as *pieces* (nodes that are rolled alike: all that run the same, or a
//! whole pool) and *units* (kube-proxy workloads, whose pods move at once), in *parts* that nothing connects. `hops`
//! lays out the *times* between the hops of the control plane. `model` says what may move in a time, what a hop does
//! and what both cost.
//!
//! **Why the plan is the least.** Once the course of every unit is fixed (where it is at each time), the pieces have
//! nothing to do with each other: only the pair rule connects a node with anything, and only with its kube-proxies.
//! Each piece then finds its own least way over the few minors that it may be at. `search` therefore looks for the best
//! course of the units of one part, with an estimate that is never too high: what each piece would cost with its unit
//! to itself (`bounds`). Courses only rise, and of two that meet at one time and place the one that is nowhere
//! cheaper is dropped. `choice` and `windows` find the fewest and latest times in which every part still has a way as
//! cheap as its cheapest; `solve` puts both together. What counts in which order is in [`steps::Plan`]'s fields and in `model`'s
//! `Cost`.
//!
//! **What it costs.** For a part with one unit (the common cluster has no other) there are as many beginnings of courses
//! to look at as times and minors, mostly far fewer, each with a handful of ways a piece; the number of nodes does not
//! matter, for equal ones are one piece. Parts add up. Units that share nodes multiply; where that becomes too much,
//! the search stops, takes a way that it finds at once, and the plan says that it is not proved the least, with a
//! lower bound beside it.
//!
//! `order` puts the moves of one time into as few steps as they allow, `write` makes steps of them (`nodes` has their
//! nodes and notes, `left` what is left at the end), `reason` says why
//! each is there, `obstacle` why a plan ends before its target and [`commands`] what an operator types. [`check`] replays what came out. [`path`] is the
//! other view of the same hops: what each would say if no node moved.

mod alone;
mod bounds;
pub mod check;
mod choice;
pub mod commands;
mod hops;
mod left;
mod model;
mod nodes;
mod obstacle;
mod options;
mod order;
pub mod path;
mod pieces;
mod planner;
mod reason;
mod search;
mod solve;
pub mod steps;
mod violations;
mod windows;
mod write;

pub use options::PlanOptions;
pub use planner::plan;
