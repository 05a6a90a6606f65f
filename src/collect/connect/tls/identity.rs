//! A client's certificate and its key, checked to belong together.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::certificate::Certificate;
use super::error::TlsError;
use crate::collect::connect::masking::SecretString;

const WHAT: &str = "the client certificate";

/// What a client shows of itself.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) key: Arc<CertifiedKey>,
    pub(crate) certificate: Arc<Certificate>,
}

impl Identity {
    pub(crate) fn new(certificate: &[u8], key: &SecretString) -> Result<Self, TlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsError::NoCertificate(WHAT))?;
        let own = chain.first().ok_or(TlsError::NoCertificate(WHAT))?;
        let own = Certificate::parse(own).map_err(|error| TlsError::Certificate(WHAT, error))?;
        let key = PrivateKeyDer::from_pem_slice(key.expose().as_bytes()).map_err(|_| TlsError::NoKey)?;
        let key = ring::default_provider()
            .key_provider
            .load_private_key(key)
            .map_err(|_| TlsError::KeyKind(own.unsupported_key.unwrap_or("an unknown kind")))?;
        if key.public_key().is_some_and(|public| *public != *own.public_key) {
            return Err(TlsError::KeyMismatch);
        }
        Ok(Self {
            key: Arc::new(CertifiedKey::new(chain, key)),
            certificate: Arc::new(own),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certificate and key in one text, as both readers take it.
    fn checked(pem: &str) -> Result<(), TlsError> {
        Identity::new(pem.as_bytes(), &SecretString::new(pem)).map(drop)
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
        assert!(p521.hint().contains("kubectl proxy"));
    }

    #[test]
    fn a_certificate_of_version_1_must_fit_its_key() {
        let v1 = include_str!("samples/client-v1.pem");
        checked(v1).unwrap();
        let (_, key) = made();
        let mismatch = Identity::new(v1.as_bytes(), &SecretString::new(key));
        assert!(matches!(mismatch, Err(TlsError::KeyMismatch)));
    }

    #[test]
    fn a_key_of_another_certificate_is_told() {
        let ((certificate, _), (_, key)) = (made(), made());
        let error = checked(&format!("{certificate}{key}")).unwrap_err();
        assert!(matches!(error, TlsError::KeyMismatch), "{error}");
    }

    #[test]
    fn half_an_identity_is_named() {
        let (certificate, key) = made();
        assert!(matches!(checked(&certificate), Err(TlsError::NoKey)));
        assert!(matches!(checked(&key), Err(TlsError::NoCertificate(_))));
        assert!(matches!(checked("nothing"), Err(TlsError::NoCertificate(_))));
    }
}
