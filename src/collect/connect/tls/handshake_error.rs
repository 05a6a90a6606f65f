//! What a TLS handshake failed by: the server's certificate, what both sides support, or our own certificate.

use std::sync::Arc;

use rustls::{AlertDescription, CertificateError as Refusal, OtherError};

use super::certificate_error::{CertificateError, Kubectl};
use crate::collect::masking::cut;

/// Why a TLS handshake failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Nobody that is trusted signed the server's certificate.
    #[error("the server's certificate is signed by an unknown authority")]
    UnknownAuthority,
    /// It is for other names, or for none.
    #[error("the server's certificate is not valid for the name or address in use{}", names(.0.as_deref()))]
    Name(Option<Vec<String>>),
    /// The server's own certificate is refused.
    #[error("the server's certificate {}{}", .0, kubectl(.0))]
    Server(CertificateError),
    /// The certificate of an authority between the server and the trusted one, or that one itself.
    #[error("an authority above the server's certificate {}{}", .0, kubectl(.0))]
    Authority(CertificateError),
    /// The server's TLS is too old.
    #[error("the server supports no TLS of version 1.2 or newer")]
    OldProtocol,
    /// No cipher or key that both support.
    #[error(
        "the server has no key, cipher or key exchange that this program supports (its key may be ECDSA P-521); kubectl may support it"
    )]
    NothingInCommon,
    /// The server refuses our certificate, or that there is none.
    #[error("the server {0}")]
    ClientRefused(&'static str),
    /// Something else.
    #[error("the TLS handshake failed: {0}")]
    Other(String),
}

impl HandshakeError {
    /// Tells an error of rustls apart.
    pub(crate) fn of(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(refusal) => Self::of_refusal(refusal),
            rustls::Error::AlertReceived(alert) => Self::of_alert(*alert, error),
            other => Self::Other(cut(&other.to_string())),
        }
    }

    fn of_refusal(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::UnknownIssuer | Refusal::BadSignature => Self::UnknownAuthority,
            Refusal::Expired | Refusal::ExpiredContext { .. } => Self::Server(CertificateError::Expired),
            Refusal::NotValidYet | Refusal::NotValidYetContext { .. } => {
                Self::Server(CertificateError::NotYetValid)
            }
            Refusal::NotValidForName | Refusal::NotValidForNameContext { .. } => Self::Name(None),
            Refusal::Other(other) => match other.0.downcast_ref::<Self>() {
                Some(ours) => ours.clone(),
                None => Self::Other(cut(&refusal.to_string())),
            },
            _ => Self::Other(cut(&refusal.to_string())),
        }
    }

    /// Tells an error of webpki apart that our own checks do not find before it does.
    pub(super) fn of_webpki(error: &webpki::Error) -> Self {
        use webpki::Error;
        match error {
            // An authority of the same name with another key: a cluster that was made anew.
            Error::UnknownIssuer | Error::InvalidSignatureForPublicKey => Self::UnknownAuthority,
            Error::CaUsedAsEndEntity => Self::Server(CertificateError::AuthorityAsServer),
            Error::UnsupportedCertVersion => Self::Server(CertificateError::OldVersion),
            Error::MaximumPathDepthExceeded => Self::Server(CertificateError::ChainTooLong),
            Error::CertExpired { .. } => Self::Authority(CertificateError::Expired),
            Error::CertNotValidYet { .. } => Self::Authority(CertificateError::NotYetValid),
            Error::EndEntityUsedAsCa => Self::Authority(CertificateError::NotAnAuthority),
            Error::PathLenConstraintViolated => Self::Authority(CertificateError::PathLength),
            Error::NameConstraintViolation => Self::Authority(CertificateError::NameConstraints),
            Error::UnsupportedCriticalExtension => Self::Authority(CertificateError::OtherCritical),
            other => Self::Other(cut(&other.to_string())),
        }
    }

    fn of_alert(alert: AlertDescription, error: &rustls::Error) -> Self {
        match alert {
            AlertDescription::CertificateRequired => Self::ClientRefused("requires a client certificate"),
            AlertDescription::CertificateExpired => {
                Self::ClientRefused("refused the client certificate: it has expired")
            }
            AlertDescription::UnknownCA => {
                Self::ClientRefused("refused the client certificate: its authority is unknown there")
            }
            AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate => {
                Self::ClientRefused("refused the client certificate")
            }
            AlertDescription::HandshakeFailure => Self::NothingInCommon,
            AlertDescription::ProtocolVersion => Self::OldProtocol,
            _ => Self::Other(cut(&error.to_string())),
        }
    }

    /// What to type next.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::UnknownAuthority => {
                "give the authority with --certificate-authority FILE, or do not verify with --insecure-skip-tls-verify"
            }
            Self::Name(_) => {
                "use a name in its certificate as the server's address, or give that name with --tls-server-name NAME"
            }
            Self::Server(error) | Self::Authority(error) => certificate_hint(error),
            Self::OldProtocol => "enable TLS 1.2 or 1.3 on the server",
            Self::NothingInCommon => {
                "where kubectl works, run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001; else give the server a \
                 key of ECDSA P-256 or P-384, Ed25519 or RSA, and TLS 1.2 with ECDHE or 1.3"
            }
            Self::ClientRefused(_) => {
                "log in again, or use a client certificate of this cluster: --client-certificate FILE --client-key FILE"
            }
            Self::Other(_) => "check whether \"kubectl get --raw /version\" works",
        }
    }
}

impl From<HandshakeError> for rustls::Error {
    fn from(error: HandshakeError) -> Self {
        Self::InvalidCertificate(Refusal::Other(OtherError(Arc::new(error))))
    }
}

fn certificate_hint(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::Expired | CertificateError::NotYetValid => {
            "renew the certificate (kubeadm: \"kubeadm certs check-expiration\"), and check both clocks"
        }
        CertificateError::AuthorityAsServer => {
            "give it with --certificate-authority FILE if it is the server's own; else run \"kubectl proxy\" beside it and give \
             --server http://127.0.0.1:8001, or do not verify with --insecure-skip-tls-verify"
        }
        _ if error.kubectl() == Kubectl::Refuses => {
            "issue another certificate, or do not verify with --insecure-skip-tls-verify"
        }
        _ => {
            "where kubectl works, run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001, or do not verify with \
             --insecure-skip-tls-verify"
        }
    }
}

fn kubectl(error: &CertificateError) -> &'static str {
    match error.kubectl() {
        Kubectl::Accepts => "; kubectl accepts this, this program does not",
        Kubectl::Decides => "; kubectl may accept it",
        Kubectl::Refuses => "",
    }
}

/// The names of a certificate, some of them.
fn names(names: Option<&[String]>) -> String {
    const SHOWN: usize = 8;
    match names {
        None => String::new(),
        Some([]) => "; it has no names".to_owned(),
        Some(names) => {
            let shown: Vec<_> = names.iter().take(SHOWN).map(|name| cut(name)).collect();
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("; it is for {}{more}", shown.join(", "))
        }
    }
}
