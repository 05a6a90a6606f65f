//! What can go wrong between a request and its answer, told apart so that each case says what to do about it.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::masking::cut;
use super::tls::HandshakeError;

/// Why a request gave no answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// An answer of the API that is no success.
    #[error("{}", .0.shown())]
    Status(StatusError),
    /// An answer that is not of the Kubernetes API: a login page, a proxy's page.
    #[error("{}", not_kubernetes(*.code, .content_type, .title.as_deref()))]
    NotKubernetes {
        /// The HTTP status.
        code: u16,
        /// Its `Content-Type`.
        content_type: String,
        /// The title, where it is a page that has one.
        title: Option<String>,
    },
    /// A redirect to another server.
    #[error(
        "the server answered {code} and leads to {to}, which is another server: no credentials are sent there"
    )]
    Elsewhere {
        /// The HTTP status.
        code: u16,
        /// Scheme, host and port of the other server.
        to: String,
    },
    /// An answer that cannot be read.
    #[error("the answer cannot be read: {0}")]
    Garbled(String),
    /// The connection ended before the answer did.
    #[error("the connection was closed before the whole answer had come")]
    Cut,
    /// No whole answer within the time of one request.
    #[error("no whole answer came within {}", seconds(*.0))]
    TimedOut(Duration),
    /// The time for the whole run is up.
    #[error("the time for the whole run, {}, was up", seconds(*.0))]
    RunTimedOut(Duration),
    /// The continue token ran out again and again.
    #[error("the list changed faster than it could be read: its continue token expired {0} times")]
    Expired(u32),
    /// There was no connection.
    #[error(transparent)]
    Connect(#[from] TransportError),
}

/// An answer of the API that is no success.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusError {
    /// The HTTP status.
    pub(crate) code: u16,
    /// The reason in one word, where the server gave it.
    pub(crate) reason: Option<String>,
    /// The server's message.
    pub(crate) message: Option<String>,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// Why there was no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nothing listens there.
    #[error("the connection was refused")]
    Refused,
    /// The host name is unknown.
    #[error("the host name could not be resolved")]
    UnknownHost,
    /// The connection was closed before an answer came.
    #[error("the connection was closed before an answer came")]
    Reset,
    /// No connection within the time.
    #[error("no connection was made in time")]
    TimedOut,
    /// The proxy refused or failed.
    #[error("the proxy did not let the connection through: {0}")]
    Proxy(String),
    /// The proxy wants to know who we are.
    #[error("the proxy asks for a name and a password, or for others")]
    ProxyLogin,
    /// The TLS handshake failed.
    #[error(transparent)]
    Tls(#[from] HandshakeError),
    /// An HTTPS request reached something that speaks no TLS.
    #[error("the server does not speak TLS")]
    NoTls,
    /// Something came that is no HTTP: an alert of TLS, another protocol.
    #[error("there is no connection: what the server says is no HTTP")]
    NoHttp,
    /// Something else.
    #[error("there is no connection: {0}")]
    Other(String),
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

    /// Tells a body that broke off apart.
    pub(crate) fn of_body(error: &(dyn Error + 'static)) -> Self {
        let text = innermost(error);
        let is_gzip = ["gzip", "deflate", "corrupt"]
            .iter()
            .any(|word| text.contains(word));
        if is_gzip {
            Self::Garbled(cut(&text))
        } else {
            Self::Cut
        }
    }
}

impl StatusError {
    fn shown(&self) -> String {
        let reason = self.reason.clone().unwrap_or_else(|| {
            let known = http::StatusCode::from_u16(self.code)
                .ok()
                .and_then(|code| code.canonical_reason());
            known.unwrap_or("an unknown status").to_owned()
        });
        match &self.message {
            Some(message) => format!(
                "the server answered {} {}: {}",
                self.code,
                cut(&reason),
                cut(message)
            ),
            None => format!("the server answered {} {}", self.code, cut(&reason)),
        }
    }

    /// The user that the server's message names.
    pub(crate) fn user(&self) -> Option<String> {
        let message = self.message.as_deref()?;
        let rest = &message[message.find("User \"")? + "User ".len()..];
        // Go's quoting escapes as JSON does, for every name that is likely.
        serde_json::Deserializer::from_str(rest)
            .into_iter::<String>()
            .next()?
            .ok()
    }
}

impl TransportError {
    fn hint(&self) -> &'static str {
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
            Self::Tls(fault) => fault.hint(),
        }
    }

    /// Walks an error down to what caused it.
    fn of(error: &(dyn Error + 'static)) -> Self {
        let mut chain = Some(error);
        while let Some(error) = chain {
            if let Some(tls) = error.downcast_ref::<rustls::Error>() {
                return Self::of_tls(tls);
            }
            if let Some(io) = error.downcast_ref::<io::Error>() {
                if let Some(fault) = Self::of_io(io) {
                    return fault;
                }
                // An `io::Error` does not name what it wraps as its source, but that one's source.
                if let Some(inner) = io.get_ref() {
                    chain = Some(inner);
                    continue;
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
                if text.contains("authorization required") {
                    return Self::ProxyLogin;
                }
                if text.contains("tunnel error") {
                    return Self::Proxy("it refused to connect, or could not".to_owned());
                }
                return Self::Proxy(cut(&text));
            }
            chain = error.source();
        }
        let text = innermost(error);
        if [
            "connection closed",
            "IncompleteMessage",
            "before message completed",
            "SendRequest",
        ]
        .iter()
        .any(|word| text.contains(word))
        {
            return Self::Reset;
        }
        if text.contains("invalid HTTP") {
            return Self::NoHttp;
        }
        Self::Other(cut(&text))
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

/// What the chain of an error ends in.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last: &dyn Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
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

#[cfg(test)]
mod tests;
