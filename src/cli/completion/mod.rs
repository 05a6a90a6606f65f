//! Completion: [`candidates`] for the words typed so far, with names of the [`kubeconfig`]; the [`script`] of each
//! shell, which quotes what it inserts; and the [`shim`] that kubectl runs.

mod candidates;
mod kubeconfig;
mod script;
mod shim;

pub(super) use candidates::complete;
pub(super) use script::script;
