//! Whom servers are trusted by: webpki builds chains and checks signatures, names and name constraints; each chain is
//! then held to what Go's crypto/x509 asks of it and webpki does not.

use std::cell::RefCell;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use webpki::{EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter, VerifiedPath};

use super::certificate::Certificate;
use super::certificate_error::CertificateError;
use super::handshake_error::HandshakeError;
use super::names;

/// The certificates that are trusted: authorities, and servers' own.
#[derive(Debug)]
pub(super) struct Trusted {
    /// What may be above a server, each with what webpki keeps of it.
    authorities: Vec<Certificate>,
    anchors: Vec<TrustAnchor<'static>>,
    /// What webpki cannot put above a server.
    others: Vec<Certificate>,
}

impl Trusted {
    pub(super) fn new(certificates: impl IntoIterator<Item = Certificate>) -> Self {
        let mut trusted = Self {
            authorities: Vec::new(),
            anchors: Vec::new(),
            others: Vec::new(),
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
        (server, own): (&CertificateDer<'_>, &Certificate),
        (sent, between): (&[CertificateDer<'_>], &[Certificate]),
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), HandshakeError> {
        own.check_for_server(now).map_err(HandshakeError::Server)?;
        let parsed = EndEntityCert::try_from(server).map_err(|error| HandshakeError::of_webpki(&error))?;
        // One that is trusted itself needs no other, whoever signed it.
        if !self.all().any(|trusted| trusted.der == own.der) {
            self.verify_chain(&parsed, own, sent, between, now)?;
        }
        match parsed.verify_is_valid_for_subject_name(name) {
            Err(webpki::Error::CertNotValidForName(_)) => Err(HandshakeError::Name(Some(names::reached_by(
                &own.alternative_names,
            )))),
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
        let (algorithms, anchors) = (algorithms().all, &self.anchors);
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
        let is_constrained = chain[1..]
            .iter()
            .chain([&trusted])
            .any(|it| it.name_constraints.is_some());
        if is_constrained
            && chain
                .iter()
                .any(|it| names::has_unconstrainable(&it.alternative_names))
        {
            return Err(HandshakeError::Server(CertificateError::UnconstrainableNames));
        }
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

/// Judges servers by certificates that are trusted, or by what else there is.
#[derive(Debug)]
pub(super) enum Verifier {
    Trusted(Trusted),
    /// The system's own.
    #[cfg(any(windows, target_vendor = "apple"))]
    System(rustls_platform_verifier::Verifier),
    /// No server is refused but one whose certificate Go cannot parse.
    Unverified,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let own = Certificate::parse(server).map_err(HandshakeError::Server)?;
        // Go gives the handshake up where it cannot parse a certificate, used or not.
        let parsed = sent
            .iter()
            .map(|der| Certificate::parse(der))
            .collect::<Result<Vec<_>, _>>();
        let between = parsed.map_err(HandshakeError::Authority)?;
        match self {
            Self::Trusted(trusted) => trusted.verify((server, &own), (sent, &between), name, now)?,
            #[cfg(any(windows, target_vendor = "apple"))]
            Self::System(system) => {
                return system.verify_server_cert(server, sent, name, _ocsp_response, now);
            }
            Self::Unverified => {}
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if matches!(self, Self::Unverified) {
            return Ok(HandshakeSignatureValid::assertion());
        }
        verify_tls12_signature(message, server, signature, &algorithms())
            .map_err(|error| own_key(error, server))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if matches!(self, Self::Unverified) {
            return Ok(HandshakeSignatureValid::assertion());
        }
        verify_tls13_signature(message, server, signature, &algorithms())
            .map_err(|error| own_key(error, server))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = algorithms().supported_schemes();
        if matches!(self, Self::Unverified) {
            schemes.push(SignatureScheme::ECDSA_NISTP521_SHA512);
        }
        schemes
    }
}

fn algorithms() -> WebPkiSupportedAlgorithms {
    ring::default_provider().signature_verification_algorithms
}

/// The server could not prove that it has its certificate's key: ring may not have the kind.
fn own_key(error: Error, server: &CertificateDer<'_>) -> Error {
    match Certificate::parse(server).ok().and_then(|it| it.unsupported_key) {
        Some(kind) => HandshakeError::Server(CertificateError::Key(kind)).into(),
        None => error,
    }
}
