//! The public key of a certificate, held to what Go's parser accepts, and told apart from what ring can use.

use x509_cert::SubjectPublicKeyInfo;
use x509_cert::der::asn1::{Any, ObjectIdentifier, UintRef};
use x509_cert::der::oid::db::rfc5912::{
    ID_EC_PUBLIC_KEY, RSA_ENCRYPTION, SECP_224_R_1, SECP_256_R_1, SECP_384_R_1, SECP_521_R_1,
};
use x509_cert::der::oid::db::rfc8410::ID_ED_25519;
use x509_cert::der::{Reader, SliceReader};

use super::certificate_error::CertificateError;

/// The kind of a key that Go can use and ring cannot; an error for one that Go cannot read.
pub(super) fn check(key: &SubjectPublicKeyInfo) -> Result<Option<&'static str>, CertificateError> {
    let unreadable = || CertificateError::malformed("a public key that does not read");
    let bytes = key.subject_public_key.as_bytes().ok_or_else(unreadable)?;
    let parameters = key.algorithm.parameters.as_ref();
    match key.algorithm.oid {
        RSA_ENCRYPTION => {
            if !parameters.is_some_and(Any::is_null) {
                return Err(unreadable());
            }
            match rsa_bits(bytes)? {
                0 => Err(unreadable()),
                1..2048 => Ok(Some("RSA with fewer than 2048 bits")),
                2048..=8192 => Ok(None),
                _ => Err(CertificateError::malformed("an RSA key of more than 8192 bits")),
            }
        }
        ID_EC_PUBLIC_KEY => {
            let curve = parameters.and_then(|it| it.decode_as::<ObjectIdentifier>().ok());
            let (length, unsupported) = match curve {
                Some(SECP_224_R_1) => (28, Some("ECDSA P-224")),
                Some(SECP_256_R_1) => (32, None),
                Some(SECP_384_R_1) => (48, None),
                Some(SECP_521_R_1) => (66, Some("ECDSA P-521")),
                _ => {
                    return Err(CertificateError::malformed("a key on an unknown curve"));
                }
            };
            if bytes.len() == 1 + 2 * length && bytes[0] == 4 {
                Ok(unsupported)
            } else {
                Err(unreadable())
            }
        }
        ID_ED_25519 if parameters.is_some() || bytes.len() != 32 => Err(unreadable()),
        _ => Ok(None),
    }
}

/// The size of an RSA key; 0 where its modulus or its exponent is.
fn rsa_bits(key: &[u8]) -> Result<usize, CertificateError> {
    let mut reader = SliceReader::new(key)?;
    let (modulus, exponent) = reader.sequence(|parts| {
        Ok::<_, x509_cert::der::Error>((parts.decode::<UintRef<'_>>()?, parts.decode::<UintRef<'_>>()?))
    })?;
    if exponent.as_bytes() == [0] {
        return Ok(0);
    }
    let bytes = modulus.as_bytes();
    let leading = bytes.first().map_or(8, |byte| byte.leading_zeros() as usize);
    Ok((bytes.len() * 8).saturating_sub(leading))
}
