//! Why TLS cannot be set up: a certificate or a key that is no use.

use std::io;
use std::path::PathBuf;

use super::certificate_error::CertificateError;

/// Why a certificate or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Its file cannot be read.
    #[error("{what} {} cannot be read", .path.display())]
    Read {
        /// Which of them.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Its data is not base64.
    #[error("{0} of the kubeconfig is not base64")]
    Base64(&'static str),
    /// The client's certificate is not PEM.
    #[error("{0} holds no PEM certificate")]
    NoCertificate(&'static str),
    /// A certificate is refused.
    #[error("{0} {1}")]
    Certificate(&'static str, CertificateError),
    /// The system trusts no authority.
    #[error("no certificate authority is configured, and the system has none{0}")]
    NoSystemAuthority(String),
    /// The TLS library cannot be set up.
    #[error("TLS could not be set up: {0}")]
    Unusable(rustls::Error),
    /// The key is not PEM, or encrypted.
    #[error("the client key holds no PEM private key, or an encrypted one")]
    NoKey,
    /// The key is of a kind that ring does not have.
    #[error("the client key is of a kind that this program cannot use, although kubectl may: {0}")]
    KeyKind(&'static str),
    /// The key is another certificate's.
    #[error("the client key does not belong to the client certificate")]
    KeyMismatch,
}

impl TlsError {
    /// What to type next.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::KeyKind(_) => {
                "run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001, or use a key of ECDSA P-256 or P-384, \
                 Ed25519, or RSA from 2048 bits on"
            }
            Self::NoSystemAuthority(_) => "give the authority with --certificate-authority FILE",
            Self::NoKey => "decrypt an encrypted key with \"openssl pkey -in FILE -out FILE\"",
            Self::Unusable(_)
            | Self::KeyMismatch
            | Self::Read { .. }
            | Self::Base64(_)
            | Self::NoCertificate(_)
            | Self::Certificate(..) => {
                "check the files and data that the kubeconfig names: \"kubectl config view --minify\""
            }
        }
    }
}
