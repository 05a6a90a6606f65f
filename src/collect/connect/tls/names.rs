//! The names in a certificate, held to what Go's parser accepts.

use std::net::IpAddr;

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
        Tag::BmpString => bytes.as_chunks::<2>().1.is_empty() && bytes.as_chunks::<2>().0.iter().all(is_ucs2),
        Tag::Ia5String => bytes.is_ascii(),
        Tag::NumericString => bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '),
        Tag::TeletexString => true,
        _ => false,
    };
    if name
        .iter()
        .all(|attribute| is_good(attribute.value.tag(), attribute.value.value()))
    {
        Ok(())
    } else {
        Err(CertificateError::Malformed(
            "a name of characters that its type does not have".to_owned(),
        ))
    }
}

fn is_ucs2(pair: &[u8; 2]) -> bool {
    !matches!(u16::from_be_bytes(*pair), 0xd800..=0xdfff | 0xfdd0..=0xfdef | 0xfffe | 0xffff)
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

/// Whether the constraints are of kinds that are not checked here; those of a known kind must read.
pub(super) fn check_constraints(constraints: &NameConstraints) -> Result<bool, CertificateError> {
    let malformed = || CertificateError::Malformed("name constraints that do not read".to_owned());
    let subtrees = [&constraints.permitted_subtrees, &constraints.excluded_subtrees];
    let mut bases = subtrees
        .into_iter()
        .flatten()
        .flatten()
        .map(|subtree| &subtree.base)
        .peekable();
    if bases.peek().is_none() {
        return Err(malformed());
    }
    let mut has_others = false;
    for base in bases {
        match base {
            GeneralName::DnsName(name) => {
                let name = name.as_str();
                if !name.is_empty() && !is_domain(name.strip_prefix('.').unwrap_or(name)) {
                    return Err(malformed());
                }
            }
            GeneralName::IpAddress(bytes) => {
                let bytes = bytes.as_bytes();
                let (_, mask) = bytes.split_at(bytes.len() / 2);
                if !address(mask).is_some_and(|mask| ipnet::ip_mask_to_prefix(mask).is_ok()) {
                    return Err(malformed());
                }
            }
            _ => has_others = true,
        }
    }
    Ok(has_others)
}
