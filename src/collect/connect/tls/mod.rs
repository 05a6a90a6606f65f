//! Certificates and keys before they are used: files and base64 become PEM, a client's certificate and key are
//! checked together. Authorities are [`authorities`]'s, handshakes rustls'.

use std::fs;
use std::io;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::masking::SecretString;

pub mod authorities;

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
    #[error("the client key is one of {0}, which this program cannot use, although kubectl may")]
    KeyKind(&'static str),
    /// Key and certificate do not belong together.
    #[error("the client key does not belong to the client certificate")]
    KeyMismatch,
}

impl TlsError {
    /// What to type next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::KeyKind(_) => Some(
                "run \"kubectl proxy\" beside it and give --server http://127.0.0.1:8001, or use a key of ECDSA P-256 or P-384, \
                 Ed25519 or RSA from 2048 bits on",
            ),
            Self::NoAuthority(..) => Some(
                "give the authority that signed the server's certificate with --certificate-authority FILE",
            ),
            Self::NoKey => Some("an encrypted key is opened by \"openssl pkey -in FILE -out FILE\""),
            Self::KeyMismatch => Some(
                "see that client-certificate and client-key are of one user: \"kubectl config view --minify\"",
            ),
            Self::Read { .. } | Self::Base64(_) | Self::NoCertificate(_) => {
                Some("see what the kubeconfig names: \"kubectl config view --minify\"")
            }
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

/// A client's certificate and its key, checked to belong together.
pub fn identity(certificate: &[u8], key: &SecretString) -> Result<CertifiedKey, TlsError> {
    const WHAT: &str = "the client certificate";
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<_, _>>()
        .map_err(|_| TlsError::NoCertificate(WHAT))?;
    let Some(own) = chain.first() else {
        return Err(TlsError::NoCertificate(WHAT));
    };
    let key = PrivateKeyDer::from_pem_slice(key.expose().as_bytes()).map_err(|_| TlsError::NoKey)?;
    let key = ring::default_provider()
        .key_provider
        .load_private_key(key)
        .map_err(|_| match authorities::odd_key_of(own) {
            Some(kind) => TlsError::KeyKind(kind),
            None => TlsError::KeyKind("a kind unknown here"),
        })?;
    // rustls reads no certificate of version 1, and need not: it is the server's to judge. The key stands in it as it is.
    let belongs = key
        .public_key()
        .is_none_or(|public| authorities::holds(own, &public));
    if belongs {
        Ok(CertifiedKey::new(chain, key))
    } else {
        Err(TlsError::KeyMismatch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certificate and key in one text, as both readers take it.
    fn checked(pem: &str) -> Result<(), TlsError> {
        identity(pem.as_bytes(), &SecretString::new(pem)).map(drop)
    }

    fn made() -> (String, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new(Vec::new())
            .unwrap()
            .self_signed(&key)
            .unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    #[test]
    fn a_certificate_and_its_key_can_be_used() {
        let (certificate, key) = made();
        checked(&format!("{certificate}{key}")).unwrap();
    }

    #[test]
    fn a_key_that_only_kubectl_takes_is_named_with_a_way_out() {
        let p521 = checked(include_str!("samples/client-p521.pem")).unwrap_err();
        assert!(matches!(p521, TlsError::KeyKind("ECDSA P-521")), "{p521}");
        assert!(p521.hint().unwrap().contains("kubectl proxy"));
    }

    #[test]
    fn a_certificate_of_version_1_is_the_servers_to_judge_and_must_fit_its_key() {
        let v1 = include_str!("samples/client-v1.pem");
        checked(v1).unwrap();
        let (_, key) = made();
        let mismatch = identity(v1.as_bytes(), &SecretString::new(key));
        assert!(matches!(mismatch, Err(TlsError::KeyMismatch)));
    }

    #[test]
    fn a_key_of_another_certificate_is_told() {
        let ((certificate, _), (_, key)) = (made(), made());
        assert!(matches!(
            checked(&format!("{certificate}{key}")),
            Err(TlsError::KeyMismatch)
        ));
    }

    #[test]
    fn half_an_identity_is_named() {
        let (certificate, key) = made();
        assert!(matches!(checked(&certificate), Err(TlsError::NoKey)));
        assert!(matches!(checked(&key), Err(TlsError::NoCertificate(_))));
        assert!(matches!(checked("nothing"), Err(TlsError::NoCertificate(_))));
    }

    #[test]
    fn data_is_base64_with_or_without_line_breaks() {
        let load = |data| load("the certificate authority", Some("/no/such/file"), Some(data));
        assert_eq!(load("Q0\n E=\n").unwrap().unwrap(), b"CA");
        assert!(matches!(load("!"), Err(TlsError::Base64(_))));
        let file = super::load("the client key", Some("/no/such/file"), None).unwrap_err();
        assert_eq!(file.to_string(), "the client key /no/such/file cannot be read");
    }
}
