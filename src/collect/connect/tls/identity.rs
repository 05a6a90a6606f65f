//! A client's certificate and its key, checked to belong together.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::certificate::Certificate;
use super::error::TlsError;
use crate::collect::masking::SecretString;

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

    #[test]
    fn half_an_identity_and_two_halves_that_do_not_fit_are_named() {
        let made = || {
            let key = rcgen::KeyPair::generate().unwrap();
            let params = rcgen::CertificateParams::new(Vec::new()).unwrap();
            (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
        };
        let checked = |certificate: &str, key: &str| {
            Identity::new(certificate.as_bytes(), &SecretString::new(key)).map(drop)
        };
        let ((certificate, key), (_, other)) = (made(), made());
        checked(&certificate, &key).unwrap();
        assert!(matches!(
            checked(&certificate, &other),
            Err(TlsError::KeyMismatch)
        ));
        assert!(matches!(
            checked(&certificate, &certificate),
            Err(TlsError::NoKey)
        ));
        assert!(matches!(checked(&key, &key), Err(TlsError::NoCertificate(_))));
        let v1 = include_str!("samples/client-v1.pem");
        assert!(matches!(checked(v1, &key), Err(TlsError::KeyMismatch)));
    }
}
