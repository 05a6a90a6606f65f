//! Whom servers are trusted by: webpki builds chains and checks signatures, names and name constraints; each chain is
//! then held to what Go's crypto/x509 asks of it and webpki does not.

use std::cell::RefCell;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use webpki::{EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter, VerifiedPath};

use super::certificate::Certificate;
use super::certificate_error::CertificateError;
use super::handshake_error::HandshakeError;

/// The certificates that are trusted: authorities, and servers' own.
#[derive(Debug)]
pub(super) struct Trusted {
    /// What may be above a server, each with what webpki keeps of it.
    authorities: Vec<Certificate>,
    anchors: Vec<TrustAnchor<'static>>,
    /// What webpki cannot put above a server.
    others: Vec<Certificate>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Trusted {
    pub(super) fn new(certificates: impl IntoIterator<Item = Certificate>) -> Self {
        let mut trusted = Self {
            authorities: Vec::new(),
            anchors: Vec::new(),
            others: Vec::new(),
            algorithms: ring::default_provider().signature_verification_algorithms,
        };
        for certificate in certificates {
            match webpki::anchor_from_trusted_cert(&certificate.der).map(|anchor| anchor.to_owned()) {
                Ok(anchor) => {
                    trusted.anchors.push(anchor);
                    trusted.authorities.push(certificate);
                }
                Err(_) => trusted.others.push(certificate),
            }
        }
        trusted
    }

    fn all(&self) -> impl Iterator<Item = &Certificate> {
        self.authorities.iter().chain(&self.others)
    }

    fn verify(
        &self,
        server: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), HandshakeError> {
        let own = Certificate::parse(server).map_err(HandshakeError::Server)?;
        // Go gives the handshake up where it cannot parse a certificate, used or not.
        let between = sent
            .iter()
            .map(|der| Certificate::parse(der))
            .collect::<Result<Vec<_>, _>>()
            .map_err(HandshakeError::Authority)?;
        own.check_for_server(now).map_err(HandshakeError::Server)?;
        let parsed = EndEntityCert::try_from(server).map_err(|error| HandshakeError::of_webpki(&error))?;
        // One that is trusted itself needs no other, whoever signed it.
        if !self.all().any(|trusted| trusted.der == own.der) {
            self.verify_chain(&parsed, &own, sent, &between, now)?;
        }
        match parsed.verify_is_valid_for_subject_name(name) {
            Err(webpki::Error::CertNotValidForName(_)) => Err(HandshakeError::Name(Some(own.names))),
            checked => checked.map_err(|error| HandshakeError::of_webpki(&error)),
        }
    }

    fn verify_chain(
        &self,
        parsed: &EndEntityCert<'_>,
        own: &Certificate,
        sent: &[CertificateDer<'_>],
        between: &[Certificate],
        now: UnixTime,
    ) -> Result<(), HandshakeError> {
        let refused = RefCell::new(None);
        let check = |path: &VerifiedPath<'_>| {
            self.check_path(path, own, between, now).map_err(|why| {
                refused.replace(Some(why));
                webpki::Error::UnknownIssuer
            })
        };
        let (algorithms, anchors) = (self.algorithms.all, &self.anchors);
        match parsed.verify_for_usage(algorithms, anchors, sent, now, CheckedLater, None, Some(&check)) {
            Ok(_) => Ok(()),
            Err(error) => Err(refused
                .into_inner()
                .or_else(|| self.more_precise(&error, own, between))
                .unwrap_or_else(|| HandshakeError::of_webpki(&error))),
        }
    }

    /// What Go asks of a chain and webpki does not.
    fn check_path(
        &self,
        path: &VerifiedPath<'_>,
        own: &Certificate,
        between: &[Certificate],
        now: UnixTime,
    ) -> Result<(), HandshakeError> {
        own.check_policies().map_err(HandshakeError::Server)?;
        let mut chain = vec![own];
        for used in path.intermediate_certificates() {
            let Some(authority) = between.iter().find(|it| it.der == used.der()) else {
                return Err(HandshakeError::UnknownAuthority);
            };
            let checked = authority.check_policies();
            let checked = checked.and_then(|()| authority.check_as_authority(chain.len() - 1, now));
            checked.map_err(HandshakeError::Authority)?;
            chain.push(authority);
        }
        let anchor = self
            .anchors
            .iter()
            .position(|anchor| std::ptr::eq(anchor, path.anchor()));
        let Some(trusted) = anchor.map(|at| &self.authorities[at]) else {
            return Err(HandshakeError::UnknownAuthority);
        };
        trusted
            .check_as_authority(chain.len() - 1, now)
            .map_err(HandshakeError::Authority)?;
        if chain.iter().any(|below| below.is_same_link(trusted)) {
            return Err(HandshakeError::Authority(CertificateError::Loop));
        }
        Ok(())
    }

    /// What webpki does not say: which algorithm or key ring does not have, and that Go does not know an extension either.
    fn more_precise(
        &self,
        error: &webpki::Error,
        own: &Certificate,
        between: &[Certificate],
    ) -> Option<HandshakeError> {
        match error {
            webpki::Error::UnsupportedCriticalExtension => between
                .iter()
                .find(|it| it.has_unknown_critical)
                .map(|_| HandshakeError::Authority(CertificateError::UnknownCritical)),
            webpki::Error::InvalidSignatureForPublicKey
            | webpki::Error::UnsupportedSignatureAlgorithmContext(_)
            | webpki::Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
                self.unsupported(own, between)
            }
            _ => None,
        }
    }

    fn unsupported(&self, own: &Certificate, between: &[Certificate]) -> Option<HandshakeError> {
        let below = || std::iter::once(own).chain(between);
        let issued = |authority: &Certificate| below().any(|it| it.issuer == authority.subject);
        let key = self
            .all()
            .chain(between)
            .filter(|it| issued(it))
            .find_map(|it| it.unsupported_key);
        match key {
            Some(key) => Some(HandshakeError::Authority(CertificateError::Key(key))),
            None => below()
                .find_map(|it| it.unsupported_signature)
                .map(|it| HandshakeError::Server(CertificateError::Signature(it))),
        }
    }
}

/// Uses are looked at in the finished chain, by Go's rule: any use is good for servers.
struct CheckedLater;

impl ExtendedKeyUsageValidator for CheckedLater {
    fn validate(&self, _: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        Ok(())
    }
}

impl ServerCertVerifier for Trusted {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verify(server, sent, name, now)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, server, signature, &self.algorithms)
            .map_err(|error| own_key(error, server))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, server, signature, &self.algorithms)
            .map_err(|error| own_key(error, server))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// The server could not prove that it has its certificate's key: ring may not have the kind.
fn own_key(error: Error, server: &CertificateDer<'_>) -> Error {
    match Certificate::parse(server).ok().and_then(|it| it.unsupported_key) {
        Some(kind) => HandshakeError::Server(CertificateError::Key(kind)).into(),
        None => error,
    }
}

/// Trusts whoever another verifier trusts, or everybody, where Go can parse what was sent.
#[derive(Debug)]
pub(super) struct Parsed(pub(super) Option<Arc<dyn ServerCertVerifier>>);

impl ServerCertVerifier for Parsed {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Certificate::parse(server).map_err(HandshakeError::Server)?;
        for authority in sent {
            Certificate::parse(authority).map_err(HandshakeError::Authority)?;
        }
        match &self.0 {
            Some(inner) => inner.verify_server_cert(server, sent, name, ocsp_response, now),
            None => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.0 {
            Some(inner) => inner.verify_tls12_signature(message, server, signature),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.0 {
            Some(inner) => inner.verify_tls13_signature(message, server, signature),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        match &self.0 {
            Some(inner) => inner.supported_verify_schemes(),
            // Nothing is verified, so all that TLS 1.2 and 1.3 name.
            None => vec![
                SignatureScheme::ECDSA_NISTP256_SHA256,
                SignatureScheme::ECDSA_NISTP384_SHA384,
                SignatureScheme::ECDSA_NISTP521_SHA512,
                SignatureScheme::ED25519,
                SignatureScheme::RSA_PSS_SHA256,
                SignatureScheme::RSA_PSS_SHA384,
                SignatureScheme::RSA_PSS_SHA512,
                SignatureScheme::RSA_PKCS1_SHA256,
                SignatureScheme::RSA_PKCS1_SHA384,
                SignatureScheme::RSA_PKCS1_SHA512,
            ],
        }
    }
}
