//! One X.509 certificate as Go's crypto/x509 reads it, so that nothing is accepted here that kubectl refuses: what Go
//! cannot parse is an error, and what Go looks at in a chain is kept. Chains are built in [`super::verifier`].

use std::ops::RangeInclusive;

use rustls::pki_types::{CertificateDer, UnixTime};
use x509_cert::Version;
use x509_cert::certificate::{CertificateInner, Profile, TbsCertificateInner};
use x509_cert::der::asn1::{BitStringRef, ObjectIdentifier};
use x509_cert::der::oid::db::{rfc5280, rfc5912};
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies,
    CrlDistributionPoints, ExtendedKeyUsage, InhibitAnyPolicy, KeyUsage, NameConstraints, PolicyConstraints,
    PolicyMappings, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::Time;

use super::certificate_error::CertificateError;
use super::{names, public_key};

/// A certificate, and what it says about its use.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(super) der: CertificateDer<'static>,
    pub(super) issuer: Vec<u8>,
    pub(super) subject: Vec<u8>,
    /// The `SubjectPublicKeyInfo`, DER.
    pub(super) public_key: Vec<u8>,
    /// The kind of its key, and what it is signed with, where ring does not have it.
    pub(super) unsupported_key: Option<&'static str>,
    pub(super) unsupported_signature: Option<&'static str>,
    pub(super) alternative_names: Vec<GeneralName>,
    pub(super) name_constraints: Option<NameConstraints>,
    pub(super) has_unknown_critical: bool,
    valid: RangeInclusive<u64>,
    is_version_3: bool,
    basic_constraints: Option<BasicConstraints>,
    key_usage: Option<KeyUsage>,
    extended_key_usage: Option<ExtendedKeyUsage>,
    has_policy_rules: bool,
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
            return Err(CertificateError::malformed("two signature algorithms"));
        }
        if parsed.signature().as_bytes().is_none() {
            return Err(CertificateError::malformed(
                "a signature that is not of whole bytes",
            ));
        }
        names::check_identifier(&tbs.subject_public_key_info().algorithm.oid)?;
        names::check_identifier(&tbs.signature().oid)?;
        names::check_distinguished_name(tbs.issuer())?;
        names::check_distinguished_name(tbs.subject())?;
        let mut certificate = Self {
            der: CertificateDer::from(der.to_vec()),
            issuer: tbs.issuer().to_der()?,
            subject: tbs.subject().to_der()?,
            public_key: tbs.subject_public_key_info().to_der()?,
            unsupported_key: public_key::check(tbs.subject_public_key_info())?,
            unsupported_signature: unsupported_signature(tbs.signature().oid),
            alternative_names: Vec::new(),
            name_constraints: None,
            has_unknown_critical: false,
            valid: seconds(tbs.validity().not_before)..=seconds(tbs.validity().not_after),
            is_version_3: tbs.version() == Version::V3,
            basic_constraints: None,
            key_usage: None,
            extended_key_usage: None,
            has_policy_rules: false,
        };
        certificate.read_extensions(tbs)?;
        Ok(certificate)
    }

    fn read_extensions(&mut self, tbs: &TbsCertificateInner<GoLimits>) -> Result<(), CertificateError> {
        let extensions = tbs.extensions().map(Vec::as_slice).unwrap_or_default();
        if !self.is_version_3 && !extensions.is_empty() {
            return Err(CertificateError::malformed("extensions before version 3"));
        }
        for (at, extension) in extensions.iter().enumerate() {
            if extensions[..at].iter().any(|it| it.extn_id == extension.extn_id) {
                return Err(CertificateError::malformed(&format!(
                    "extension {} twice",
                    extension.extn_id
                )));
            }
            self.read_extension(extension)?;
        }
        Ok(())
    }

    fn read_extension(&mut self, extension: &Extension) -> Result<(), CertificateError> {
        names::check_identifier(&extension.extn_id)?;
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            rfc5280::ID_CE_KEY_USAGE => {
                let bits = BitStringRef::from_der(value)?;
                let padding = bits.raw_bytes().last().map_or(0, |byte| byte.trailing_zeros());
                if padding < u32::from(bits.unused_bits()) {
                    return Err(CertificateError::malformed(
                        "a key usage whose padding is not zero",
                    ));
                }
                self.key_usage = Some(KeyUsage::from_der(value)?);
            }
            rfc5280::ID_CE_BASIC_CONSTRAINTS => {
                self.basic_constraints = Some(BasicConstraints::from_der(value)?);
            }
            rfc5280::ID_CE_SUBJECT_ALT_NAME => {
                self.alternative_names = SubjectAltName::from_der(value)?.0;
                let knows_one = names::check_alternative_names(&self.alternative_names)?;
                self.has_unknown_critical |= extension.critical && !knows_one;
            }
            rfc5280::ID_CE_NAME_CONSTRAINTS => {
                let constraints = NameConstraints::from_der(value)?;
                names::check_constraints(&constraints)?;
                self.name_constraints = Some(constraints);
            }
            rfc5280::ID_CE_EXT_KEY_USAGE => {
                let uses = ExtendedKeyUsage::from_der(value)?;
                uses.0.iter().try_for_each(names::check_identifier)?;
                self.extended_key_usage = Some(uses);
            }
            rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER
            | rfc5280::ID_CE_AUTHORITY_KEY_IDENTIFIER
            | rfc5280::ID_PE_AUTHORITY_INFO_ACCESS
                if extension.critical =>
            {
                return Err(CertificateError::malformed(&format!(
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
                    return Err(CertificateError::malformed("a policy twice"));
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
        match now.as_secs() {
            now if now < *self.valid.start() => Err(CertificateError::NotYetValid),
            // Go compares fractions of a second, too.
            now if now >= *self.valid.end() => Err(CertificateError::Expired),
            _ => Ok(()),
        }
    }

    /// What Go asks of every certificate of a chain, and of one that is trusted itself.
    pub(super) fn check_for_server(&self, now: UnixTime) -> Result<(), CertificateError> {
        self.check_time(now)?;
        let uses = self.extended_key_usage.as_ref().map_or(&[][..], |uses| &uses.0);
        let is_server = |it| [rfc5280::ID_KP_SERVER_AUTH, rfc5280::ANY_EXTENDED_KEY_USAGE].contains(it);
        if self.has_unknown_critical {
            Err(CertificateError::UnknownCritical)
        } else if !uses.is_empty() && !uses.iter().any(is_server) {
            Err(CertificateError::NotForServers)
        } else {
            Ok(())
        }
    }

    /// What Go asks of a certificate that signed another, with so many authorities between it and the server.
    pub(super) fn check_as_authority(&self, below: usize, now: UnixTime) -> Result<(), CertificateError> {
        self.check_for_server(now)?;
        let (is_authority, longest) = match &self.basic_constraints {
            Some(constraints) => (constraints.ca, constraints.path_len_constraint),
            // Versions 1 and 2 have no place to say it.
            None => (!self.is_version_3, None),
        };
        // Go takes a usage without any bit for none.
        let may_sign = self
            .key_usage
            .is_none_or(|usage| usage.0.is_empty() || usage.key_cert_sign());
        if !is_authority {
            Err(CertificateError::NotAnAuthority)
        } else if !may_sign {
            Err(CertificateError::MayNotSign)
        } else if longest.is_some_and(|longest| below > usize::from(longest)) {
            Err(CertificateError::PathLength)
        } else if self.name_constraints.as_ref().is_some_and(names::has_unchecked) {
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
            && self.alternative_names == other.alternative_names
    }
}

fn seconds(time: Time) -> u64 {
    time.to_unix_duration().as_secs()
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
