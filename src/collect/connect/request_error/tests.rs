//! Tests of the module above.

use std::fmt;

use rustls::{AlertDescription, CertificateError};

use std::error::Error;
use std::io;
use std::time::Duration;

use super::*;
use crate::collect::connect::tls::HandshakeError;

/// An error as the layers of a client wrap it.
#[derive(Debug)]
struct Wrapped(io::Error);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("client error (Connect)")
    }
}

impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn told(error: io::Error) -> RequestError {
    RequestError::of_client(&Wrapped(error))
}

fn tls(error: rustls::Error) -> RequestError {
    told(io::Error::new(io::ErrorKind::InvalidData, error))
}

#[test]
fn connections_that_fail_are_told_apart() {
    for (kind, fault) in [
        (io::ErrorKind::ConnectionRefused, TransportError::Refused),
        (io::ErrorKind::ConnectionReset, TransportError::Reset),
        (io::ErrorKind::UnexpectedEof, TransportError::Reset),
        (io::ErrorKind::TimedOut, TransportError::TimedOut),
    ] {
        assert_eq!(told(kind.into()), RequestError::Connect(fault), "{kind:?}");
    }
    let name = io::Error::other("dns error: no such name");
    assert_eq!(told(name), RequestError::Connect(TransportError::UnknownHost));
    let proxy = told(io::Error::other("tunnel error: proxy authorization required"));
    assert_eq!(proxy, RequestError::Connect(TransportError::ProxyLogin));
    let proxy = told(io::Error::other("tunnel error: unsuccessful"));
    assert!(
        matches!(proxy, RequestError::Connect(TransportError::Proxy(why)) if why.contains("refused to connect"))
    );
    assert!(matches!(
        told(io::Error::other("else")),
        RequestError::Connect(TransportError::Other(_))
    ));
}

#[test]
fn certificates_that_are_refused_say_why_and_what_to_do() {
    let certificate = |error| tls(rustls::Error::InvalidCertificate(error));
    for (fault, words) in [
        (certificate(CertificateError::UnknownIssuer), "unknown authority"),
        (certificate(CertificateError::BadSignature), "unknown authority"),
        (certificate(CertificateError::Expired), "has expired"),
        (certificate(CertificateError::NotValidYet), "is not valid yet"),
        (
            certificate(CertificateError::NotValidForName),
            "not valid for the name",
        ),
        (
            tls(rustls::Error::AlertReceived(AlertDescription::HandshakeFailure)),
            "P-521",
        ),
        (
            tls(rustls::Error::AlertReceived(
                AlertDescription::CertificateRequired,
            )),
            "requires a client certificate",
        ),
        (
            tls(rustls::Error::InvalidMessage(
                rustls::InvalidMessage::InvalidContentType,
            )),
            "does not speak TLS",
        ),
    ] {
        assert!(fault.to_string().contains(words), "{fault}");
        assert!(fault.hint().is_some(), "{fault}");
    }
}

#[test]
fn plain_http_on_a_port_of_tls_is_told_what_to_write() {
    let fault = RequestError::Status(StatusError {
        code: 400,
        message: Some("Client sent an HTTP request to an HTTPS server.".to_owned()),
        ..StatusError::default()
    });
    assert_eq!(fault.hint(), Some("write https:// in the server's address"));
}

#[test]
fn the_user_that_was_refused_is_read_with_what_is_odd_in_its_name() {
    let user = |message: &str| {
        StatusError {
            message: Some(message.to_owned()),
            ..StatusError::default()
        }
        .user()
    };
    assert_eq!(
        user(r#"User "system:serviceaccount:a:b" cannot list"#).as_deref(),
        Some("system:serviceaccount:a:b")
    );
    assert_eq!(user(r#"User "a\"b" cannot"#).as_deref(), Some("a\"b"));
    assert_eq!(user(r#"User "a"#), None);
    assert_eq!(user("nobody"), None);
}

#[test]
fn out_of_reach_is_what_the_control_plane_cannot_help_and_no_mistake_of_ours() {
    let status = |code| {
        RequestError::Status(StatusError {
            code,
            ..StatusError::default()
        })
    };
    for fault in [
        status(500),
        status(502),
        status(503),
        status(504),
        RequestError::Cut,
        RequestError::TimedOut(Duration::from_secs(1)),
        RequestError::RunTimedOut(Duration::from_secs(1)),
        RequestError::Connect(TransportError::Refused),
        RequestError::Connect(TransportError::Reset),
        RequestError::Connect(TransportError::TimedOut),
    ] {
        assert!(fault.is_out_of_reach(), "{fault}");
    }
    let page = |code| RequestError::NotKubernetes {
        code,
        content_type: "text/html".to_owned(),
        title: None,
    };
    for fault in [
        status(302),
        status(400),
        status(401),
        status(403),
        status(404),
        status(429),
        status(511),
        page(200),
        page(302),
        page(404),
        RequestError::Garbled("odd".to_owned()),
        RequestError::Connect(TransportError::NoTls),
        RequestError::Connect(TransportError::NoHttp),
        RequestError::Connect(TransportError::ProxyLogin),
        RequestError::Connect(TransportError::Tls(HandshakeError::Name(None))),
    ] {
        assert!(!fault.is_out_of_reach(), "{fault}");
    }
}
