//! Whom servers are trusted by where a kubeconfig names authorities: Go's rules for what is one, on top of rustls'
//! checks. The system's own trust and none at all are kube's.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme};

use super::TlsError;
use crate::collect::connect::request_error::HandshakeError;

/// The authorities of a kubeconfig.
#[derive(Debug)]
pub struct Trust {
    /// Those that may sign others.
    authorities: RootCertStore,
    /// Every certificate that was given: a server may bear it itself.
    given: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Trust {
    /// Reads a bundle of PEM. As in Go, a certificate of no use is passed over, unless there is no other.
    pub fn new(pem: &[u8], now: UnixTime) -> Result<Self, TlsError> {
        const WHAT: &str = "the certificate authority";
        let mut trust = Self {
            authorities: RootCertStore::empty(),
            given: Vec::new(),
            algorithms: ring::default_provider().signature_verification_algorithms,
        };
        let mut refused = None;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let added = match certificate {
                Ok(certificate) => trust.add(certificate, now),
                Err(_) => Err("its PEM does not read".to_owned()),
            };
            refused = added.err().or(refused);
        }
        match (trust.given.is_empty(), refused) {
            (false, _) => Ok(trust),
            (true, None) => Err(TlsError::NoCertificate(WHAT)),
            (true, Some(why)) => Err(TlsError::NoAuthority(WHAT, why)),
        }
    }

    fn add(&mut self, certificate: CertificateDer<'static>, now: UnixTime) -> Result<(), String> {
        let signs = match alone(&certificate, now) {
            // One of version 1 cannot say whether it is an authority.
            Err(error) if is(&error, "UnsupportedCertVersion") => true,
            Err(error) if is(&error, "CaUsedAsEndEntity") => !excludes_servers(&certificate),
            // It is a server's own.
            Ok(())
            | Err(Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::InvalidPurposeContext { .. },
            )) => false,
            Err(error) => return Err(HandshakeError::of(&error).of_authority()),
        };
        if signs {
            self.authorities
                .add(certificate.clone())
                .map_err(|error| HandshakeError::of(&error).of_authority())?;
        }
        self.given.push(certificate);
        Ok(())
    }

    /// Whether a certificate was itself given as authority, and is good for a server now.
    fn is_given(&self, certificate: &CertificateDer<'_>, now: UnixTime) -> bool {
        self.given.contains(certificate)
            && match alone(certificate, now) {
                Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => true,
                // webpki stops at this and does not come to the use.
                Err(error) => is(&error, "CaUsedAsEndEntity") && !excludes_servers(certificate),
                Ok(()) => false,
            }
    }

    /// Names the key that a signature failed by, where it is of a kind that no signature can be checked by.
    fn named(&self, error: Error, sent: &[&CertificateDer<'_>]) -> Error {
        let is_signature = matches!(
            error,
            Error::InvalidCertificate(
                CertificateError::BadSignature
                    | CertificateError::UnsupportedSignatureAlgorithmContext { .. }
                    | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. }
            )
        );
        let names_it = |subject: &[u8]| sent.iter().any(|it| holds(it, subject));
        let trusted = self
            .authorities
            .roots
            .iter()
            .filter(|anchor| names_it(&anchor.subject))
            .find_map(|anchor| odd_key(&anchor.subject_public_key_info));
        let between = || sent.iter().skip(1).find_map(|it| odd_key_of(it));
        match trusted.or_else(between).filter(|_| is_signature) {
            Some(kind) => told(HandshakeError::OnlyKubectl(format!(
                "is signed by a key of {kind}"
            ))),
            None => error,
        }
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let parsed = ParsedCertificate::try_from(end_entity)?;
        if !self.is_given(end_entity, now) {
            let chain = verify_server_cert_signed_by_trust_anchor(
                &parsed,
                &self.authorities,
                intermediates,
                now,
                self.algorithms.all,
            );
            let sent: Vec<_> = std::iter::once(end_entity).chain(intermediates).collect();
            chain.map_err(|error| self.named(error, &sent))?;
        }
        verify_server_name(&parsed, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms).map_err(|error| own_key(error, cert))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms).map_err(|error| own_key(error, cert))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// What is wrong with a certificate for itself, before any issuer is looked for: webpki looks at its time, whether it is
/// an authority, and its use, in this order. With nobody to have signed it, it always fails.
fn alone(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let algorithms = ring::default_provider().signature_verification_algorithms;
    let parsed = ParsedCertificate::try_from(certificate)?;
    verify_server_cert_signed_by_trust_anchor(&parsed, &RootCertStore::empty(), &[], now, algorithms.all)
}

/// What is wrong with the time of a certificate, PEM.
pub(in crate::collect::connect) fn wrong_time(pem: &[u8], now: UnixTime) -> Option<&'static str> {
    let certificate = CertificateDer::from_pem_slice(pem).ok()?;
    match HandshakeError::of(&alone(&certificate, now).err()?) {
        HandshakeError::Time(what) => Some(what),
        _ => None,
    }
}

/// Whether it is this error of webpki's, of those that rustls passes on without a name of its own.
fn is(error: &Error, name: &str) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::Other(why)) if format!("{why:?}").contains(name))
}

/// Whether a certificate names extended uses of its key, and neither that of a server nor any use is among them.
fn excludes_servers(certificate: &[u8]) -> bool {
    const USES: &[u8] = b"\x06\x03\x55\x1d\x25";
    const ANY: &[u8] = b"\x06\x04\x55\x1d\x25\x00";
    const SERVER: &[u8] = b"\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01";
    holds(certificate, USES) && !holds(certificate, ANY) && !holds(certificate, SERVER)
}

/// The server could not prove that it has its certificate's key.
fn own_key(error: Error, certificate: &CertificateDer<'_>) -> Error {
    match odd_key_of(certificate) {
        Some(kind) => told(HandshakeError::OnlyKubectl(format!("has a key of {kind}"))),
        None => error,
    }
}

fn told(fault: HandshakeError) -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(fault))))
}

/// The kind of a certificate's key, where ring knows none such and Go does.
pub(super) fn odd_key_of(certificate: &CertificateDer<'_>) -> Option<&'static str> {
    let parsed = ParsedCertificate::try_from(certificate).ok()?;
    odd_key(&parsed.subject_public_key_info())
}

/// The same of a `SubjectPublicKeyInfo`, whose beginning names the algorithm.
fn odd_key(key: &[u8]) -> Option<&'static str> {
    /// 2048 bits with their frame.
    const RSA_2048: usize = 288;
    let names = |oid: &[u8]| holds(&key[..key.len().min(40)], oid);
    if names(b"\x2b\x81\x04\x00\x23") {
        Some("ECDSA P-521")
    } else if names(b"\x2b\x81\x04\x00\x21") {
        Some("ECDSA P-224")
    } else if names(b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01") && key.len() < RSA_2048 {
        Some("RSA with fewer than 2048 bits")
    } else {
        None
    }
}

/// Whether bytes stand in others.
pub(super) fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    !wanted.is_empty() && memchr::memmem::find(bytes, wanted).is_some()
}

#[cfg(test)]
#[path = "authorities_tests.rs"]
mod tests;
