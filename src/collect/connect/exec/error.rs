//! Why a plugin gave no credentials; what it printed is in none of these.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::collect::program::LookupError;

/// How long a plugin that cannot ask anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// Names come from the kubeconfig and are escaped already.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error("the exec plugin of user \"{user}\" needs {what}")]
    Incomplete { user: String, what: String },
    #[error(
        "the exec plugin of user \"{user}\" uses API version \"{version}\"; only v1 and v1beta1 are supported"
    )]
    Version { user: String, version: String },
    #[error("the exec plugin {command} must ask for input, and standard input {why}")]
    NotInteractive { command: String, why: &'static str },
    #[error("the exec plugin {command} {why}")]
    NotFound {
        command: String,
        why: LookupError,
        /// `installHint` of the kubeconfig, escaped.
        hint: Option<String>,
    },
    #[error("the exec plugin {command} could not be run")]
    Start { command: String, source: io::Error },
    #[error("the exec plugin {command} failed with {status}")]
    Failed { command: String, status: ExitStatus },
    #[error("the exec plugin {command} did not end within {} seconds", LIMIT.as_secs())]
    TimedOut { command: String },
    #[error("the exec plugin {command} {what}")]
    Answer { command: String, what: String },
}

impl ExecError {
    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::NotFound { why: LookupError::Relative(_), .. } => {
                "remove empty and relative directories from PATH, or give the command with its whole path in the kubeconfig"
                    .to_owned()
            }
            Self::NotFound { hint: Some(hint), .. } => format!("install it or put it on PATH: {hint}"),
            Self::NotFound { hint: None, .. } => "install it or put it on PATH".to_owned(),
            Self::Failed { .. } => "log in again, then check that \"kubectl get nodes\" works".to_owned(),
            Self::Start { .. } => "check that it can be run here: chmod +x FILE, or install it anew".to_owned(),
            Self::NotInteractive { .. } => {
                "run it from a terminal, or log in first and set interactiveMode: IfAvailable".to_owned()
            }
            Self::Version { .. } => "update the plugin and let it write the kubeconfig anew".to_owned(),
            Self::TimedOut { .. } | Self::Answer { .. } => {
                "run it by hand, and check that \"kubectl get nodes\" works".to_owned()
            }
            Self::Incomplete { .. } => "see the kubeconfig: \"kubectl config view --minify\"".to_owned(),
        }
    }
}
