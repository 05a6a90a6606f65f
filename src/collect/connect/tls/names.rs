//! The names in a certificate, held to what Go's parser accepts.

use std::net::IpAddr;

use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Tag, Tagged};
use x509_cert::ext::pkix::NameConstraints;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;

use super::certificate_error::CertificateError;

/// The strings of a distinguished name must hold what their types allow.
pub(super) fn check_distinguished_name(name: &Name) -> Result<(), CertificateError> {
    let is_good = |tag: Tag, bytes: &[u8]| match tag {
        Tag::PrintableString => bytes
            .iter()
            // Go allows `*` and `&`, which stand in certificates although the type has neither.
            .all(|byte| byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(byte)),
        Tag::Utf8String => str::from_utf8(bytes).is_ok(),
        Tag::BmpString => {
            bytes.as_chunks::<2>().1.is_empty() && bytes.as_chunks::<2>().0.iter().all(|pair| is_ucs2(*pair))
        }
        Tag::Ia5String => bytes.is_ascii(),
        Tag::NumericString => bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '),
        Tag::TeletexString => true,
        _ => false,
    };
    name.iter()
        .try_for_each(|attribute| check_identifier(&attribute.oid))?;
    if name
        .iter()
        .all(|attribute| is_good(attribute.value.tag(), attribute.value.value()))
    {
        Ok(())
    } else {
        Err(CertificateError::malformed(
            "a name of characters that its type does not have",
        ))
    }
}

/// An object identifier of parts that Go can hold.
pub(super) fn check_identifier(identifier: &ObjectIdentifier) -> Result<(), CertificateError> {
    let value = |part: &[u8]| {
        part.iter()
            .fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f))
    };
    let is_good = |part: &[u8]| part.len() <= 5 && part[0] != 0x80 && value(part) < 1 << 31;
    let mut parts = identifier.as_bytes().split_inclusive(|byte| byte & 0x80 == 0);
    if parts.all(is_good) {
        Ok(())
    } else {
        Err(CertificateError::malformed(
            "an object identifier that is too large",
        ))
    }
}

fn is_ucs2(pair: [u8; 2]) -> bool {
    !matches!(u16::from_be_bytes(pair), 0xd800..=0xdfff | 0xfdd0..=0xfdef | 0xfffe | 0xffff)
}

/// Whether one of these names is of a kind that Go knows; one of a known kind must read.
pub(super) fn check_alternative_names(names: &[GeneralName]) -> Result<bool, CertificateError> {
    let mut knows_one = false;
    for name in names {
        knows_one |= match name {
            // The parser has made sure that both are ASCII.
            GeneralName::DnsName(_) | GeneralName::Rfc822Name(_) => true,
            GeneralName::IpAddress(bytes) if address(bytes.as_bytes()).is_some() => true,
            GeneralName::IpAddress(bytes) => {
                return Err(CertificateError::AddressLength(bytes.as_bytes().len()));
            }
            GeneralName::UniformResourceIdentifier(uri) if is_plain_uri(uri.as_str()) => true,
            GeneralName::UniformResourceIdentifier(_) => return Err(CertificateError::Uri),
            _ => false,
        };
    }
    Ok(knows_one)
}

/// The names that a server is reached by, to be shown.
pub(super) fn reached_by(names: &[GeneralName]) -> Vec<String> {
    let shown = |name: &GeneralName| match name {
        GeneralName::DnsName(name) if name.as_str().parse::<IpAddr>().is_ok() => {
            Some(format!("{} as a host name", name.as_str()))
        }
        GeneralName::DnsName(name) => Some(name.to_string()),
        GeneralName::IpAddress(bytes) => address(bytes.as_bytes()).map(|address| address.to_string()),
        _ => None,
    };
    names.iter().filter_map(shown).collect()
}

/// Whether one of these names is of a kind, or a form, that name constraints are not compared with here.
pub(super) fn has_unconstrainable(names: &[GeneralName]) -> bool {
    names.iter().any(|name| match name {
        GeneralName::DnsName(name) => !is_domain(name.as_str()),
        GeneralName::Rfc822Name(_) | GeneralName::UniformResourceIdentifier(_) => true,
        _ => false,
    })
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from))
        .ok()
}

/// A URI that Go's parser takes; there are others that it takes.
fn is_plain_uri(uri: &str) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_host = |authority: &str| {
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        is_domain(host) && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let authority = rest
        .strip_prefix("//")
        .and_then(|rest| rest.split(['/', '?', '#']).next());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:?#@!$&'()*+,;=".contains(&byte);
    is_scheme && rest.bytes().all(plain) && authority.is_none_or(|host| host.is_empty() || is_host(host))
}

/// A domain of labels that are neither empty nor too long.
fn is_domain(name: &str) -> bool {
    name.len() <= 253
        && name
            .split('.')
            .all(|label| (1..=63).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_graphic()))
}

/// The bases of name constraints must read, and there must be one.
pub(super) fn check_constraints(constraints: &NameConstraints) -> Result<(), CertificateError> {
    let is_good = |base: &GeneralName| match base {
        GeneralName::DnsName(name) => {
            let name = name.as_str();
            name.is_empty() || is_domain(name.strip_prefix('.').unwrap_or(name))
        }
        GeneralName::IpAddress(bytes) => {
            let (_, mask) = bytes.as_bytes().split_at(bytes.as_bytes().len() / 2);
            let is_prefix = |mask| ipnet::ip_mask_to_prefix(mask).is_ok();
            matches!(bytes.as_bytes().len(), 8 | 32) && address(mask).is_some_and(is_prefix)
        }
        _ => true,
    };
    if bases(constraints).next().is_some() && bases(constraints).all(is_good) {
        Ok(())
    } else {
        Err(CertificateError::malformed(
            "name constraints that cannot be parsed",
        ))
    }
}

/// Whether there are constraints of kinds that are not checked here.
pub(super) fn has_unchecked(constraints: &NameConstraints) -> bool {
    bases(constraints).any(|base| !matches!(base, GeneralName::DnsName(_) | GeneralName::IpAddress(_)))
}

fn bases(constraints: &NameConstraints) -> impl Iterator<Item = &GeneralName> {
    let subtrees = [&constraints.permitted_subtrees, &constraints.excluded_subtrees];
    subtrees
        .into_iter()
        .flatten()
        .flatten()
        .map(|subtree| &subtree.base)
}
