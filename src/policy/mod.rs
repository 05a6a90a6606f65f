//! The policy: judges an inventory by the published limits and a platform's stricter ones.
//!
//! `evaluate` is pure and total: bad news about the cluster is a finding, a gap or a cell, never an error.
//! The numbers are in [`limits`] and `platforms`; how one component stands against apiservers is in
//! [`standing`]; each rule has a file under `rules`; severity, verdict and gate are settled in `gate`.

pub mod assessment;
pub mod cell;
mod evaluate;
pub mod finding;
pub mod gate;
pub mod limits;
mod matrix;
pub mod platforms;
pub mod policy_file;
pub mod question;
pub mod rules;
pub mod standing;
pub mod target;

pub use evaluate::evaluate;
