//! What TLS is spoken with: whom servers are trusted by, and what we show of ourselves.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::SingleCertAndKey;

use super::certificate::Certificate;
use super::certificate_error::CertificateError;
use super::error::TlsError;
use super::identity::Identity;
use super::verifier::{Trusted, Verifier};

/// Whom servers are trusted by.
pub(crate) enum Trust<'a> {
    /// The certificates of a kubeconfig, PEM.
    These(&'a [u8]),
    System,
    Everything,
}

pub(crate) fn client_config(
    trust: &Trust<'_>,
    identity: Option<&Identity>,
) -> Result<ClientConfig, TlsError> {
    let verifier = match trust {
        Trust::These(pem) => Verifier::Trusted(Trusted::new(certificates(pem)?)),
        Trust::System => system()?,
        Trust::Everything => Verifier::Unverified,
    };
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Unusable)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(match identity {
        Some(identity) => {
            config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity.key.clone())))
        }
        None => config.with_no_client_auth(),
    })
}

/// The certificates of a bundle. As in Go, one that cannot be parsed is passed over, unless there is no other.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, TlsError> {
    const WHAT: &str = "the certificate authority";
    let (mut parsed, mut refused) = (Vec::new(), None);
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| CertificateError::malformed(&error.to_string()));
        match certificate.and_then(|der| Certificate::parse(&der)) {
            Ok(certificate) => parsed.push(certificate),
            Err(error) => refused = Some(error),
        }
    }
    match refused {
        _ if !parsed.is_empty() => Ok(parsed),
        Some(error) => Err(TlsError::Certificate(WHAT, error)),
        None => Err(TlsError::NoCertificate(WHAT)),
    }
}

/// What the system trusts: files, as Go reads them.
#[cfg(not(any(windows, target_vendor = "apple")))]
fn system() -> Result<Verifier, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<_> = found
        .certs
        .iter()
        .filter_map(|der| Certificate::parse(der).ok())
        .collect();
    if certificates.is_empty() {
        let why = found.errors.first().map(|error| format!(": {error}"));
        return Err(TlsError::NoSystemAuthority(why.unwrap_or_default()));
    }
    Ok(Verifier::Trusted(Trusted::new(certificates)))
}

/// What the system trusts: its own verifier, as in Go.
#[cfg(any(windows, target_vendor = "apple"))]
fn system() -> Result<Verifier, TlsError> {
    let verifier = rustls_platform_verifier::Verifier::new(Arc::new(ring::default_provider()));
    let verifier = verifier.map_err(|error| TlsError::NoSystemAuthority(format!(": {error}")))?;
    Ok(Verifier::System(verifier))
}
