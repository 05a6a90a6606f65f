//! What a TLS handshake failed by: the server's certificate, what both sides speak, or our own certificate; and
//! whether kubectl would have gone on.

use std::net::IpAddr;

use rustls::{AlertDescription, CertificateError, ExtendedKeyPurpose};

use super::cut;

/// Why a TLS handshake failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// The server's certificate is signed by somebody unknown.
    #[error("the server's certificate is signed by an unknown authority")]
    UnknownAuthority,
    /// It has expired, or is not valid yet.
    #[error("the server's certificate, or that of an authority above it, {0}")]
    Time(&'static str),
    /// It is for another name, or for none.
    #[error("the server's certificate is not valid for the name or address that it is reached by{}", names(.0))]
    Name(Vec<String>),
    /// It is of a kind that kubectl takes and rustls does not.
    #[error("the server's certificate {0}, which kubectl takes and this program does not")]
    OnlyKubectl(String),
    /// It is an authority's, and not the one that is trusted. Whether that one signed it is not known.
    #[error(
        "the server's certificate is marked as an authority, which this program takes only where it is the authority given, although kubectl may"
    )]
    Authority,
    /// It is of a kind that nobody takes.
    #[error("the server's certificate {0}")]
    Unsound(String),
    /// The server's TLS is too old.
    #[error("the server speaks no TLS of version 1.2 or newer")]
    OldProtocol,
    /// No cipher or key that both know.
    #[error(
        "the server has no key, cipher or key exchange that this program takes (its key may be ECDSA P-521), although kubectl may"
    )]
    NothingInCommon,
    /// The server refuses our certificate, or that there is none.
    #[error("the server {0}")]
    ClientRefused(&'static str),
    /// Something else.
    #[error("the TLS handshake failed: {0}")]
    Other(String),
}

/// Errors of webpki that rustls passes on without a name of its own, by a word of their debug text; what they say of
/// the certificate; whether kubectl takes it.
const UNNAMED: [(&str, &str, bool); 6] = [
    (
        "MaximumPathDepthExceeded",
        "has more than six authorities between it and the one that is trusted",
        true,
    ),
    (
        "NameConstraintViolation",
        "is of an authority that may not sign for this name or address",
        false,
    ),
    (
        "PathLenConstraintViolated",
        "has more authorities above it than one of them allows",
        false,
    ),
    (
        "EndEntityUsedAsCa",
        "is signed by a certificate that is not marked as an authority",
        false,
    ),
    (
        "UnsupportedCriticalExtension",
        "has a critical extension that is unknown",
        false,
    ),
    (
        "UnsupportedCertVersion",
        "is of X.509 version 1, which bears no name to be reached by",
        false,
    ),
];

/// Signature algorithms that rustls does not know, by the end of their object identifier; whether kubectl does.
const ALGORITHMS: [(&[u8], &str, bool); 4] = [
    (
        b"\x2a\x86\x48\xce\x3d\x04\x03\x04",
        "is signed by ECDSA with SHA-512",
        true,
    ),
    (b"\x2a\x86\x48\xce\x3d\x04\x01", "is signed with SHA-1", false),
    (
        b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x05",
        "is signed with SHA-1",
        false,
    ),
    (
        b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x04",
        "is signed with MD5",
        false,
    ),
];

/// `anyExtendedKeyUsage`.
const ANY_USE: [usize; 5] = [2, 5, 29, 37, 0];

impl HandshakeError {
    /// Tells an error of rustls apart.
    pub fn of(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(certificate) => Self::of_certificate(certificate),
            rustls::Error::AlertReceived(alert) => Self::of_alert(*alert, error),
            other => Self::Other(cut(&other.to_string())),
        }
    }

    /// The same, said of an authority that a kubeconfig names.
    pub fn of_authority(&self) -> String {
        match self {
            Self::Time(what) => format!("it {what}"),
            Self::Unsound(what) | Self::OnlyKubectl(what) => format!("it {what}"),
            other => other.to_string(),
        }
    }

    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            // An authority of the same name with another key: a cluster that was made anew.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownAuthority,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Time("has expired"),
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::Time("is not valid yet")
            }
            CertificateError::NotValidForName => Self::Name(Vec::new()),
            CertificateError::NotValidForNameContext { presented, .. } => {
                Self::Name(presented.iter().map(|name| bare(name)).collect())
            }
            CertificateError::InvalidPurposeContext { presented, .. } => {
                let any = |purpose: &ExtendedKeyPurpose| matches!(purpose, ExtendedKeyPurpose::Other(oid) if oid == &ANY_USE);
                if presented.iter().any(any) {
                    Self::kind("is for any use and does not name that of a server", true)
                } else {
                    Self::kind(
                        "is not for servers, or that of an authority above it is not",
                        false,
                    )
                }
            }
            CertificateError::UnsupportedSignatureAlgorithmContext {
                signature_algorithm_id,
                ..
            } => ALGORITHMS
                .iter()
                .find(|(oid, ..)| signature_algorithm_id.windows(oid.len()).any(|it| it == *oid))
                .map_or_else(
                    || Self::kind("is signed by an algorithm that is unknown", false),
                    |(_, what, takes)| Self::kind(what, *takes),
                ),
            CertificateError::Other(other) => match other.0.downcast_ref::<Self>() {
                Some(told) => told.clone(),
                None => Self::unnamed(error),
            },
            _ => Self::unnamed(error),
        }
    }

    fn unnamed(error: &CertificateError) -> Self {
        let text = format!("{error:?}");
        if text.contains("CaUsedAsEndEntity") {
            return Self::Authority;
        }
        UNNAMED.iter().find(|(word, ..)| text.contains(word)).map_or_else(
            || Self::Unsound(format!("cannot be used: {}", cut(&error.to_string()))),
            |(_, what, takes)| Self::kind(what, *takes),
        )
    }

    fn kind(what: &str, kubectl_takes: bool) -> Self {
        if kubectl_takes {
            Self::OnlyKubectl(what.to_owned())
        } else {
            Self::Unsound(what.to_owned())
        }
    }

    fn of_alert(alert: AlertDescription, error: &rustls::Error) -> Self {
        match alert {
            AlertDescription::CertificateRequired => Self::ClientRefused("asks for a client certificate"),
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

    pub(super) fn hint(&self) -> &'static str {
        match self {
            Self::UnknownAuthority => {
                "give the authority with --certificate-authority FILE, or take the certificate as it comes with --insecure-skip-tls-verify"
            }
            Self::Time(_) => {
                "renew the certificate (kubeadm: \"kubeadm certs check-expiration\"), and see that the clocks agree"
            }
            Self::Name(_) => {
                "reach it by a name in its certificate, or give that name with --tls-server-name NAME"
            }
            Self::OnlyKubectl(_) => {
                "run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001, or take the certificate as it comes with \
                 --insecure-skip-tls-verify"
            }
            Self::Authority => {
                "give it with --certificate-authority FILE if it is the server's own; else run \"kubectl proxy\" beside it and give \
                 --server http://127.0.0.1:8001, or take it as it comes with --insecure-skip-tls-verify"
            }
            Self::Unsound(_) => {
                "issue the server another certificate, or take it as it comes with --insecure-skip-tls-verify"
            }
            Self::OldProtocol => "have the server speak TLS 1.2 or 1.3",
            Self::NothingInCommon => {
                "where kubectl works, run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001; else give the server a \
                 key of ECDSA P-256 or P-384, Ed25519 or RSA, and TLS 1.2 with ECDHE or 1.3"
            }
            Self::ClientRefused(_) => {
                "log in again, or see that the client certificate is of this cluster: --client-certificate FILE --client-key FILE"
            }
            Self::Other(_) => "see whether \"kubectl get --raw /version\" answers",
        }
    }
}

/// The names that a certificate bears, some of them.
fn names(presented: &[String]) -> String {
    const SHOWN: usize = 8;
    if presented.is_empty() {
        return "; it names none".to_owned();
    }
    let shown: Vec<_> = presented.iter().take(SHOWN).map(|name| cut(name)).collect();
    let more = if presented.len() > SHOWN { ", …" } else { "" };
    format!("; it is for {}{more}", shown.join(", "))
}

/// A name without what webpki says of its kind: `DnsName("k.example")`, `IpAddress(127.0.0.1)`.
fn bare(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    let inner = inner.unwrap_or(name).trim_matches('"');
    if name.starts_with("DnsName") && inner.parse::<IpAddr>().is_ok() {
        format!("{inner} as a host name")
    } else {
        inner.to_owned()
    }
}
