//! Why there is no connection to a cluster, with what to type next.

use std::io;

use super::address::AddressError;
use super::credentials::CredentialError;
use super::duration::TimeoutError;
use super::exec::ExecError;
use super::proxy::ProxyError;
use super::request_error::{RequestError, TransportError};
use super::settings::SettingsError;
use super::tls::{HandshakeError, TlsError};
use crate::collect::kubeconfig::KubeconfigError;

/// Why a cluster could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// A kubeconfig file.
    #[error(transparent)]
    Kubeconfig(#[from] KubeconfigError),
    /// What kubeconfig and flags say together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The server's address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// `--request-timeout`.
    #[error("--request-timeout: {0}")]
    Timeout(TimeoutError),
    /// The proxy's address.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// Who we are.
    #[error(transparent)]
    Credentials(#[from] CredentialError),
    /// A certificate or a key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A name or a header that no request can bear.
    #[error("{0} holds a character that no request can bear")]
    Header(&'static str),
    /// The runtime could not start.
    #[error("the requests could not be started")]
    Runtime(#[source] io::Error),
    /// Nothing of the cluster could be read.
    #[error("the cluster at {server} could not be read")]
    Unreachable {
        /// Scheme, host and port.
        server: String,
        /// Why.
        source: RequestError,
    },
    /// The server does not know who we are.
    #[error("the server at {server} asks for other credentials")]
    Unauthorized {
        /// Scheme, host and port.
        server: String,
        /// Its answer.
        source: RequestError,
    },
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectErrorKind {
    /// Kubeconfig, flags or credentials are wrong.
    Config,
    /// The server cannot be reached, or it fails.
    Unreachable,
    /// The server does not know who we are.
    Unauthorized,
    /// The person stopped it.
    Interrupted,
}

impl ConnectError {
    /// What kind of failure it is.
    pub fn kind(&self) -> ConnectErrorKind {
        match self {
            Self::Unreachable { .. } => ConnectErrorKind::Unreachable,
            Self::Unauthorized { .. } => ConnectErrorKind::Unauthorized,
            Self::Interrupted => ConnectErrorKind::Interrupted,
            _ => ConnectErrorKind::Config,
        }
    }

    /// What to type next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Credentials(error) => Some(error.hint()),
            Self::Tls(error) => Some(error.hint().to_owned()),
            Self::Kubeconfig(KubeconfigError::Read { .. }) => {
                Some("name another file with --kubeconfig FILE, or set KUBECONFIG".to_owned())
            }
            Self::Kubeconfig(_) => {
                Some("\"kubectl config view\" shows whether kubectl can read it".to_owned())
            }
            Self::Address(_) => Some("write it as https://HOST:PORT".to_owned()),
            Self::Unreachable { source, .. } | Self::Unauthorized { source, .. } => {
                source.hint().map(str::to_owned)
            }
            Self::Timeout(_) | Self::Proxy(_) | Self::Header(_) | Self::Runtime(_) | Self::Interrupted => {
                None
            }
        }
    }

    /// The error for a cluster of which nothing could be read.
    pub(crate) fn nothing_read(server: &str, source: RequestError) -> Self {
        let server = server.to_owned();
        let unauthorized = source.code() == Some(401)
            || matches!(
                source,
                RequestError::Connect(TransportError::Tls(HandshakeError::ClientRefused(_)))
            );
        if unauthorized {
            Self::Unauthorized { server, source }
        } else {
            Self::Unreachable { server, source }
        }
    }
}

impl From<ExecError> for ConnectError {
    fn from(error: ExecError) -> Self {
        Self::Credentials(error.into())
    }
}

impl From<TimeoutError> for ConnectError {
    fn from(error: TimeoutError) -> Self {
        Self::Timeout(error)
    }
}
