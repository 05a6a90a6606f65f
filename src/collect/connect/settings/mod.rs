//! The cluster and the user of a run: [`choose`]n from the kubeconfig, with what flags change ([`overrides`]), by
//! client-go's rules. Files are read in [`kubeconfig`](crate::collect::kubeconfig); what the settings mean for the
//! network is left to the modules beside.

mod choose;
mod error;
mod overrides;

pub(crate) use error::SettingsError;

use crate::collect::kubeconfig::{Cluster, User};

/// The cluster and the user of a run, flags applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) context: Option<String>,
    /// The cluster's name in the kubeconfig.
    pub(crate) cluster_name: Option<String>,
    pub(crate) cluster: Cluster,
    /// The user's name in the kubeconfig.
    pub(crate) user_name: Option<String>,
    pub(crate) user: User,
}

/// A word as a shell takes it; control characters are escaped.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!(
            "'{}'",
            word.escape_debug()
                .to_string()
                .replace("\\'", "'")
                .replace('\'', "'\\''")
        )
    }
}

#[cfg(test)]
mod tests;
