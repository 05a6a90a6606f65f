//! Certificates and keys before they are used: files and base64 become PEM, and what rustls refuses while
//! kubectl takes it gets a name. Handshakes are kube's and rustls'.

use std::fs;
use std::io;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::secret::Secret;

/// Why a certificate or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Its file cannot be read.
    #[error("{what} {} cannot be read", .path.display())]
    Read {
        /// What it is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its data is no base64.
    #[error("{0} of the kubeconfig is not base64")]
    Base64(&'static str),
    /// There is no certificate in it.
    #[error("{0} holds no PEM certificate")]
    NoCertificate(&'static str),
    /// None of its certificates can be trusted.
    #[error("{0} holds no certificate that can be an authority: {1}")]
    NoAuthority(&'static str, String),
    /// There is no key in it.
    #[error("the client key holds no PEM private key, or an encrypted one")]
    NoKey,
    /// The key is of a kind that rustls does not know.
    #[error(
        "the client key is of a kind that this program cannot use, such as ECDSA P-521, although kubectl can"
    )]
    KeyKind,
    /// Key and certificate do not belong together.
    #[error("the client key does not belong to the client certificate")]
    KeyMismatch,
    /// The certificate is of a kind that rustls does not know.
    #[error(
        "the client certificate is of a kind that this program cannot use, such as X.509 version 1, although kubectl can"
    )]
    CertificateKind,
}

impl TlsError {
    /// What to type next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::KeyKind => Some(
                "use a key of ECDSA P-256 or P-384, Ed25519 or RSA, or a token: --token \"$(kubectl create token NAME)\"",
            ),
            Self::CertificateKind => Some(
                "issue an X.509 version 3 certificate (MicroK8s: \"microk8s refresh-certs\"), or use a token: \
                 --token \"$(kubectl create token NAME)\"",
            ),
            Self::NoAuthority(..) => Some(
                "give the authority that signed the server's certificate with --certificate-authority FILE",
            ),
            _ => None,
        }
    }
}

/// Reads PEM from a file or from base64 in the kubeconfig.
pub fn load(what: &'static str, file: Option<&str>, data: Option<&str>) -> Result<Option<Vec<u8>>, TlsError> {
    if let Some(data) = data {
        let compact: String = data.split_ascii_whitespace().collect();
        return STANDARD
            .decode(compact)
            .map(Some)
            .map_err(|_| TlsError::Base64(what));
    }
    let Some(path) = file.map(PathBuf::from) else {
        return Ok(None);
    };
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(source) => Err(TlsError::Read { what, path, source }),
    }
}

/// The certificates of a bundle that can be authorities; as in Go, those that cannot are passed over.
pub fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, TlsError> {
    const WHAT: &str = "the certificate authority";
    let mut usable = Vec::new();
    let mut refused = None;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|_| TlsError::NoCertificate(WHAT))?;
        match RootCertStore::empty().add(certificate.clone()) {
            Ok(()) => usable.push(certificate.to_vec()),
            Err(error) => refused = Some(error.to_string()),
        }
    }
    match (usable.is_empty(), refused) {
        (false, _) => Ok(usable),
        (true, None) => Err(TlsError::NoCertificate(WHAT)),
        (true, Some(why)) => Err(TlsError::NoAuthority(WHAT, why)),
    }
}

/// Checks that a client certificate and its key can be used together.
pub fn identity(certificate: &[u8], key: &Secret) -> Result<(), TlsError> {
    const WHAT: &str = "the client certificate";
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<_, _>>()
        .map_err(|_| TlsError::NoCertificate(WHAT))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(WHAT));
    }
    let key = PrivateKeyDer::from_pem_slice(key.reveal().as_bytes()).map_err(|_| TlsError::NoKey)?;
    let key = ring::default_provider()
        .key_provider
        .load_private_key(key)
        .map_err(|_| TlsError::KeyKind)?;
    match CertifiedKey::new(chain, key).keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(()),
        Err(rustls::Error::InconsistentKeys(_)) => Err(TlsError::KeyMismatch),
        Err(_) => Err(TlsError::CertificateKind),
    }
}

/// PEM as kube takes it.
pub fn encode(pem: &[u8]) -> String {
    STANDARD.encode(pem)
}
