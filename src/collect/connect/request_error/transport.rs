//! Why there was no connection.

use std::error::Error;
use std::io;

use super::{chain, innermost};
use crate::collect::connect::tls::HandshakeError;
use crate::collect::masking::cut;

/// Why there was no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    #[error("the connection was refused")]
    Refused,
    #[error("the host name could not be resolved")]
    UnknownHost,
    #[error("the connection was closed before an answer came")]
    Reset,
    #[error("no connection was made in time")]
    TimedOut,
    #[error("the proxy did not let the connection through: {}", cut(.0))]
    Proxy(String),
    #[error("the proxy asks for a name and a password, or for others")]
    ProxyLogin,
    #[error(transparent)]
    Tls(#[from] HandshakeError),
    #[error("the server does not speak TLS")]
    NoTls,
    #[error("there is no connection: the server does not speak HTTP")]
    NoHttp,
    #[error("there is no connection: {}", cut(.0))]
    Other(String),
}

impl TransportError {
    pub(super) fn hint(&self) -> &'static str {
        match self {
            Self::Refused | Self::TimedOut | Self::Reset | Self::Other(_) => {
                "is the server up and its address right? \"kubectl config view --minify\" shows it"
            }
            Self::UnknownHost => {
                "is the address right, and the VPN up? \"kubectl config view --minify\" shows the address"
            }
            Self::ProxyLogin => {
                "write them into the proxy's address, http://NAME:PASSWORD@HOST:PORT, in proxy-url of the kubeconfig or HTTPS_PROXY"
            }
            Self::Proxy(_) => "see proxy-url of the kubeconfig, HTTPS_PROXY and NO_PROXY",
            Self::NoHttp => {
                "write https:// in the server's address if its port is one of TLS: \"kubectl config view --minify\" shows it"
            }
            Self::NoTls => "write http:// in the server's address if it is meant to be unencrypted",
            Self::Tls(error) => error.hint(),
        }
    }

    /// Walks an error down to what caused it. What a proxy or the resolver failed by is known by the library's words
    /// alone: its types are private.
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        for error in chain(error) {
            if let Some(tls) = error.downcast_ref::<rustls::Error>() {
                return Self::of_tls(tls);
            }
            if let Some(known) = error.downcast_ref().and_then(Self::of_io) {
                return known;
            }
            if let Some(http) = error.downcast_ref::<hyper::Error>() {
                if http.is_parse() {
                    return Self::NoHttp;
                }
                if http.is_incomplete_message() || http.is_closed() || http.is_canceled() {
                    return Self::Reset;
                }
            }
            let text = error.to_string();
            if text.contains("dns error") {
                return Self::UnknownHost;
            }
            if ["tunnel error", "proxy", "socks", "SOCKS"]
                .iter()
                .any(|word| text.contains(word))
            {
                let text = innermost(error);
                return match text {
                    _ if text.contains("authorization required") => Self::ProxyLogin,
                    _ if text.contains("tunnel error") => {
                        Self::Proxy("it refused to connect, or could not".to_owned())
                    }
                    _ => Self::Proxy(text),
                };
            }
        }
        Self::Other(innermost(error))
    }

    fn of_io(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::Refused),
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
                Some(Self::Reset)
            }
            io::ErrorKind::UnexpectedEof if error.get_ref().is_none_or(|it| !it.is::<rustls::Error>()) => {
                Some(Self::Reset)
            }
            io::ErrorKind::TimedOut => Some(Self::TimedOut),
            _ => None,
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        if matches!(error, rustls::Error::InvalidMessage(_)) {
            return Self::NoTls;
        }
        Self::Tls(HandshakeError::of(error))
    }
}
