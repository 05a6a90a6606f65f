//! Kubeconfig files as client-go reads them. [`file`] is one file, [`entries`] are its clusters, users and contexts,
//! [`merged`] all files of a run. Which entry is meant, and what flags change in it, is left to
//! [`connect`](super::connect).

mod entries;
mod error;
mod file;
mod merged;

#[cfg(feature = "live")]
pub(crate) use entries::*;
#[cfg(feature = "live")]
pub(crate) use error::KubeconfigError;
pub(crate) use merged::{Kubeconfig, files_of_this_run};
