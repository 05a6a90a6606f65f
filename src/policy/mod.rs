//! The policy: judges an inventory by the published limits and a platform's stricter ones.
//!
//! `evaluate` is pure and total: bad news about the cluster is a finding, a gap or a cell, never an error. The numbers
//! are in [`limits`] and `platforms`; [`skew_policy`] applies them to minors; each rule has a file under `rules`, and
//! what it finds is [`evidence`], never a sentence; verdict and gate are settled in `gate`.

pub mod apiservers;
pub mod assessment;
pub mod cell;
mod evaluate;
pub mod evidence;
pub mod finding;
pub mod gate;
pub mod limits;
mod matrix;
pub mod platforms;
pub mod policy_file;
pub mod question;
pub mod rules;
pub mod runtimes;
pub mod skew_policy;
pub mod target;
pub mod verdict;

pub use evaluate::evaluate;
#[cfg(test)]
pub(crate) use evaluate::evaluate_by;
