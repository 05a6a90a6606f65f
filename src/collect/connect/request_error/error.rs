//! Why a request gave no answer that can be used, and what to do about it.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::status::StatusError;
use super::transport::TransportError;
use super::{chain, innermost};
use crate::collect::masking::cut;

/// Why a request gave no answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("{}", .0.shown())]
    Status(StatusError),
    #[error("{}", not_kubernetes(*.code, .content_type, .title.as_deref()))]
    NotKubernetes {
        code: u16,
        content_type: String,
        title: Option<String>,
    },
    #[error("the server answered {code} and redirects to {}: redirects are not followed, for credentials would go along", cut(.to))]
    Elsewhere { code: u16, to: String },
    #[error("the answer cannot be read: {}", cut(.0))]
    Garbled(String),
    #[error("the connection was closed before the whole answer had come")]
    Cut,
    #[error("no whole answer came within {}", seconds(*.0))]
    TimedOut(Duration),
    #[error("the time for the whole run, {}, was up", seconds(*.0))]
    RunTimedOut(Duration),
    #[error("the list changed faster than it could be read: its continue token expired {0} times")]
    Expired(u32),
    #[error(transparent)]
    Connect(#[from] TransportError),
}

impl RequestError {
    /// The HTTP status, where there was one.
    pub(crate) fn code(&self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(status.code),
            Self::NotKubernetes { code, .. } | Self::Elsewhere { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether asking again may help.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            // What a server does not know it will not learn, unless it says when.
            Self::Status(status) => match status.code {
                408 | 429 => true,
                501 | 505 | 511 => status.retry_after.is_some(),
                code => (500..600).contains(&code),
            },
            Self::Cut | Self::Connect(TransportError::Reset) => true,
            _ => false,
        }
    }

    /// Whether the cluster did not answer or could not: no connection, no answer in time, a 5xx. A certificate that is
    /// refused, a login that a proxy wants, a login page or a wrong address is a mistake to correct, not a control
    /// plane in trouble.
    pub(crate) fn is_out_of_reach(&self) -> bool {
        match self {
            Self::Connect(fault) => !matches!(
                fault,
                TransportError::Tls(_)
                    | TransportError::NoTls
                    | TransportError::NoHttp
                    | TransportError::ProxyLogin
            ),
            Self::TimedOut(_) | Self::RunTimedOut(_) | Self::Cut => true,
            // 511 is a network that wants a login.
            Self::Status(status) => (500..600).contains(&status.code) && status.code != 511,
            Self::NotKubernetes { .. } | Self::Elsewhere { .. } | Self::Garbled(_) | Self::Expired(_) => {
                false
            }
        }
    }

    /// How long the server asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status(status) => status.retry_after,
            _ => None,
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Status(status) => match status.code {
                // What Go's servers say to plain HTTP on a port of TLS.
                400 if status
                    .message
                    .as_deref()
                    .is_some_and(|text| text.contains("HTTP request to an HTTPS")) =>
                {
                    "write https:// in the server's address"
                }
                401 => "log in again, then see that \"kubectl get nodes\" works",
                404 => {
                    "see that the server's address is that of a Kubernetes API server: \"kubectl config view --minify\""
                }
                429 => "the server is busy: try again later",
                500..=599 => "see whether \"kubectl get --raw /readyz\" answers",
                _ => return None,
            },
            Self::NotKubernetes { .. } => {
                "a login page or a proxy answers in place of the API server: log in, or correct server, proxy-url or HTTPS_PROXY"
            }
            Self::Elsewhere { .. } => {
                "log in if that is a login page; give that address with --server URL if the API server is there"
            }
            Self::TimedOut(_) => {
                "allow more time with --request-timeout, or see whether \"kubectl get --raw /readyz\" answers"
            }
            Self::RunTimedOut(_) => "allow more time with --request-timeout",
            Self::Garbled(_) | Self::Cut | Self::Expired(_) => "try again",
            Self::Connect(fault) => fault.hint(),
        })
    }

    /// Tells a failed request of the client apart.
    pub(crate) fn of_client(error: &(dyn Error + 'static)) -> Self {
        Self::Connect(TransportError::of(error))
    }

    /// Tells a body that broke off apart from one that cannot be unpacked.
    pub(crate) fn of_body(error: &(dyn Error + 'static)) -> Self {
        let is_cut = |error: &&(dyn Error + 'static)| {
            let io = error.downcast_ref::<io::Error>().map(io::Error::kind);
            error.is::<hyper::Error>() || io == Some(io::ErrorKind::UnexpectedEof)
        };
        if chain(error).any(|error| is_cut(&error)) {
            Self::Cut
        } else {
            Self::Garbled(innermost(error))
        }
    }

    /// The same with every text in it that came from the server changed: it may repeat what was sent there.
    pub(crate) fn map_texts(self, change: impl Fn(&str) -> String) -> Self {
        let changed = |text: Option<String>| text.map(|text| change(&text));
        match self {
            Self::Status(status) => Self::Status(StatusError {
                reason: changed(status.reason),
                message: changed(status.message),
                ..status
            }),
            Self::NotKubernetes {
                code,
                content_type,
                title,
            } => Self::NotKubernetes {
                code,
                content_type: change(&content_type),
                title: changed(title),
            },
            Self::Elsewhere { code, to } => Self::Elsewhere {
                code,
                to: change(&to),
            },
            Self::Garbled(what) => Self::Garbled(change(&what)),
            Self::Connect(TransportError::Proxy(what)) => Self::Connect(TransportError::Proxy(change(&what))),
            Self::Connect(TransportError::Other(what)) => Self::Connect(TransportError::Other(change(&what))),
            Self::Connect(_) | Self::Cut | Self::TimedOut(_) | Self::RunTimedOut(_) | Self::Expired(_) => {
                self
            }
        }
    }
}

fn seconds(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{} s", duration.as_secs())
    } else if duration.as_millis() > 0 {
        format!("{} ms", duration.as_millis())
    } else {
        "a millisecond".to_owned()
    }
}

fn not_kubernetes(code: u16, content_type: &str, title: Option<&str>) -> String {
    let kind = if content_type.is_empty() {
        "no content type"
    } else {
        content_type
    };
    let title = title
        .map(|title| format!(" titled \"{}\"", cut(title)))
        .unwrap_or_default();
    format!(
        "what answered is not a Kubernetes API server: status {code}, {}{title}",
        cut(kind)
    )
}
