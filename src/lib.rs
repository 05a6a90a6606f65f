//! Judges a Kubernetes cluster by the version skew policy.
//!
//! ```text
//!  collect ──► Inventory ──► policy::evaluate ──► Assessment ─┐
//!  (I/O)        (a value)     (pure, total)                   ├─► Report ──► render (pure → Write)
//!                   └──────► plan::plan ───────► Plan ────────┘
//!                             (pure; asks the policy about every state)
//! ```
//!
//! Only [`collect`] and [`cli`] touch the network, the clock, the environment, files or processes; every
//! other stage takes values and gives values. Front ends see a [`report::Report`], never a client.

mod ci_commands;
pub mod cli;
pub mod collect;
pub mod inventory;
pub mod plan;
pub mod policy;
pub mod render;
pub mod report;
