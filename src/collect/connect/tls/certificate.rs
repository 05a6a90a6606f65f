//! One X.509 certificate as Go's crypto/x509 reads it, so that nothing is accepted here that kubectl refuses: what Go
//! cannot parse is an error, and what Go looks at in a chain is kept. Chains are built in [`super::verifier`].

use rustls::pki_types::{CertificateDer, UnixTime};
use x509_cert::Version;
use x509_cert::certificate::{CertificateInner, Profile, TbsCertificateInner};
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::oid::db::{rfc5280, rfc5912};
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::{
    AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies,
    CrlDistributionPoints, ExtendedKeyUsage, InhibitAnyPolicy, KeyUsage, NameConstraints, PolicyConstraints,
    PolicyMappings, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::Time;

use super::certificate_error::CertificateError;
use super::{names, public_key};

/// A certificate, and what it may be used for.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(super) der: CertificateDer<'static>,
    pub(super) issuer: Vec<u8>,
    pub(super) subject: Vec<u8>,
    pub(super) subject_alt_name: Option<Vec<u8>>,
    /// The host names and addresses in it, to be shown.
    pub(super) names: Vec<String>,
    /// The `SubjectPublicKeyInfo`, DER.
    pub(super) public_key: Vec<u8>,
    /// The kind of its key, and what it is signed with, where ring does not have it.
    pub(super) unsupported_key: Option<&'static str>,
    pub(super) unsupported_signature: Option<&'static str>,
    not_before: u64,
    not_after: u64,
    is_version_3: bool,
    basic_constraints: Option<BasicConstraints>,
    may_sign: bool,
    is_for_servers: bool,
    pub(super) has_unknown_critical: bool,
    has_policy_rules: bool,
    has_other_constraints: bool,
}

/// A serial number of any length that is not negative, and times as they are written: Go's limits, not RFC 5280's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct GoLimits;

impl Profile for GoLimits {
    fn check_serial_number(_: &SerialNumber<Self>) -> x509_cert::der::Result<()> {
        Ok(())
    }

    fn time_encoding(time: Time) -> x509_cert::der::Result<Time> {
        Ok(time)
    }
}

impl Certificate {
    pub(crate) fn parse(der: &[u8]) -> Result<Self, CertificateError> {
        let parsed = CertificateInner::<GoLimits>::from_der(der)?;
        let tbs = parsed.tbs_certificate();
        if tbs
            .serial_number()
            .as_bytes()
            .first()
            .is_some_and(|byte| byte & 0x80 != 0)
        {
            return Err(CertificateError::NegativeSerial);
        }
        if tbs.signature() != parsed.signature_algorithm() {
            return Err(CertificateError::Malformed("two signature algorithms".to_owned()));
        }
        names::check_distinguished_name(tbs.issuer())?;
        names::check_distinguished_name(tbs.subject())?;
        let mut certificate = Self {
            der: CertificateDer::from(der.to_vec()),
            issuer: tbs.issuer().to_der()?,
            subject: tbs.subject().to_der()?,
            subject_alt_name: None,
            names: Vec::new(),
            public_key: tbs.subject_public_key_info().to_der()?,
            unsupported_key: public_key::check(tbs.subject_public_key_info())?,
            unsupported_signature: unsupported_signature(tbs.signature().oid),
            not_before: tbs.validity().not_before.to_unix_duration().as_secs(),
            not_after: tbs.validity().not_after.to_unix_duration().as_secs(),
            is_version_3: tbs.version() == Version::V3,
            basic_constraints: None,
            may_sign: true,
            is_for_servers: true,
            has_unknown_critical: false,
            has_policy_rules: false,
            has_other_constraints: false,
        };
        certificate.read_extensions(tbs)?;
        Ok(certificate)
    }

    fn read_extensions(&mut self, tbs: &TbsCertificateInner<GoLimits>) -> Result<(), CertificateError> {
        let extensions = tbs.extensions().map(Vec::as_slice).unwrap_or_default();
        if !self.is_version_3 && !extensions.is_empty() {
            return Err(CertificateError::Malformed(
                "extensions before version 3".to_owned(),
            ));
        }
        for (at, extension) in extensions.iter().enumerate() {
            if extensions[..at].iter().any(|it| it.extn_id == extension.extn_id) {
                return Err(CertificateError::Malformed(format!(
                    "extension {} twice",
                    extension.extn_id
                )));
            }
            self.read_extension(extension)?;
        }
        Ok(())
    }

    fn read_extension(&mut self, extension: &Extension) -> Result<(), CertificateError> {
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            rfc5280::ID_CE_KEY_USAGE => {
                let usage = KeyUsage::from_der(value)?;
                // Go takes a usage without any bit for none.
                self.may_sign = usage.0.is_empty() || usage.key_cert_sign();
            }
            rfc5280::ID_CE_BASIC_CONSTRAINTS => {
                self.basic_constraints = Some(BasicConstraints::from_der(value)?);
            }
            rfc5280::ID_CE_SUBJECT_ALT_NAME => {
                let names = SubjectAltName::from_der(value)?.0;
                let knows_one = names::check_alternative_names(&names)?;
                self.names = names::reached_by(&names);
                self.has_unknown_critical |= extension.critical && !knows_one;
                self.subject_alt_name = Some(value.to_vec());
            }
            rfc5280::ID_CE_NAME_CONSTRAINTS => {
                self.has_other_constraints = names::check_constraints(&NameConstraints::from_der(value)?)?;
            }
            rfc5280::ID_CE_EXT_KEY_USAGE => {
                let uses = ExtendedKeyUsage::from_der(value)?.0;
                let serves =
                    |use_| [rfc5280::ID_KP_SERVER_AUTH, rfc5280::ANY_EXTENDED_KEY_USAGE].contains(use_);
                self.is_for_servers = uses.is_empty() || uses.iter().any(serves);
            }
            rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER
            | rfc5280::ID_CE_AUTHORITY_KEY_IDENTIFIER
            | rfc5280::ID_PE_AUTHORITY_INFO_ACCESS
                if extension.critical =>
            {
                return Err(CertificateError::Malformed(format!(
                    "extension {} marked as critical",
                    extension.extn_id
                )));
            }
            rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER => drop(SubjectKeyIdentifier::from_der(value)?),
            rfc5280::ID_CE_AUTHORITY_KEY_IDENTIFIER => drop(AuthorityKeyIdentifier::from_der(value)?),
            rfc5280::ID_PE_AUTHORITY_INFO_ACCESS => drop(AuthorityInfoAccessSyntax::from_der(value)?),
            rfc5280::ID_CE_CRL_DISTRIBUTION_POINTS => drop(CrlDistributionPoints::from_der(value)?),
            rfc5280::ID_CE_INHIBIT_ANY_POLICY => {
                InhibitAnyPolicy::from_der(value)?;
            }
            rfc5280::ID_CE_CERTIFICATE_POLICIES => {
                let policies = CertificatePolicies::from_der(value)?.0;
                let id = |at: usize| policies[at].policy_identifier;
                if (0..policies.len()).any(|at| (0..at).any(|other| id(other) == id(at))) {
                    return Err(CertificateError::Malformed("a policy twice".to_owned()));
                }
            }
            rfc5280::ID_CE_POLICY_MAPPINGS => {
                PolicyMappings::from_der(value)?;
                self.has_policy_rules = true;
            }
            rfc5280::ID_CE_POLICY_CONSTRAINTS => {
                PolicyConstraints::from_der(value)?;
                self.has_policy_rules = true;
            }
            _ => self.has_unknown_critical |= extension.critical,
        }
        Ok(())
    }

    pub(crate) fn check_time(&self, now: UnixTime) -> Result<(), CertificateError> {
        if now.as_secs() < self.not_before {
            Err(CertificateError::NotYetValid)
        } else if now.as_secs() >= self.not_after {
            // Go compares fractions of a second, too.
            Err(CertificateError::Expired)
        } else {
            Ok(())
        }
    }

    /// What Go asks of every certificate of a chain, and of one that is trusted itself.
    pub(super) fn check_for_server(&self, now: UnixTime) -> Result<(), CertificateError> {
        self.check_time(now)?;
        if self.has_unknown_critical {
            return Err(CertificateError::UnknownCritical);
        }
        if !self.is_for_servers {
            return Err(CertificateError::NotForServers);
        }
        Ok(())
    }

    /// What Go asks of a certificate that signed another, with so many authorities between it and the server.
    pub(super) fn check_as_authority(&self, below: usize, now: UnixTime) -> Result<(), CertificateError> {
        self.check_for_server(now)?;
        let is_authority = match &self.basic_constraints {
            Some(constraints) => constraints.ca,
            // Versions 1 and 2 cannot say it.
            None => !self.is_version_3,
        };
        let most = self
            .basic_constraints
            .as_ref()
            .and_then(|it| it.path_len_constraint);
        if !is_authority {
            Err(CertificateError::NotAnAuthority)
        } else if !self.may_sign {
            Err(CertificateError::MayNotSign)
        } else if most.is_some_and(|most| below > usize::from(most)) {
            Err(CertificateError::PathLength)
        } else if self.has_other_constraints {
            Err(CertificateError::OtherNameConstraints)
        } else {
            Ok(())
        }
    }

    /// Go applies the policies of every certificate but the one that is trusted.
    pub(super) fn check_policies(&self) -> Result<(), CertificateError> {
        if self.has_policy_rules {
            Err(CertificateError::PolicyRules)
        } else {
            Ok(())
        }
    }

    /// Whether Go takes both for the same link of a chain, and so does not let one follow the other.
    pub(super) fn is_same_link(&self, other: &Self) -> bool {
        self.subject == other.subject
            && self.public_key == other.public_key
            && self.subject_alt_name == other.subject_alt_name
    }
}

/// What kubectl verifies and ring does not.
pub(super) const ECDSA_SHA_512: &str = "ECDSA and SHA-512";

fn unsupported_signature(algorithm: ObjectIdentifier) -> Option<&'static str> {
    const ECDSA_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");
    match algorithm {
        rfc5912::ECDSA_WITH_SHA_512 => Some(ECDSA_SHA_512),
        rfc5912::SHA_1_WITH_RSA_ENCRYPTION | ECDSA_SHA_1 => Some("SHA-1"),
        rfc5912::MD_5_WITH_RSA_ENCRYPTION => Some("MD5"),
        _ => None,
    }
}
