//! Certificates and keys before they are used: files and base64 become PEM, and what rustls refuses while
//! kubectl takes it gets a name. Handshakes are kube's and rustls'.

use std::fs;
use std::io;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::secret::Secret;

/// Why a certificate or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Its file cannot be read.
    #[error("{what} {} cannot be read", .path.display())]
    Read {
        /// What it is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its data is no base64.
    #[error("{0} of the kubeconfig is not base64")]
    Base64(&'static str),
    /// There is no certificate in it.
    #[error("{0} holds no PEM certificate")]
    NoCertificate(&'static str),
    /// None of its certificates can be trusted.
    #[error("{0} holds no certificate that can be an authority: {1}")]
    NoAuthority(&'static str, String),
    /// There is no key in it.
    #[error("the client key holds no PEM private key, or an encrypted one")]
    NoKey,
    /// The key is of a kind that rustls does not know.
    #[error(
        "the client key is of a kind that this program cannot use, such as ECDSA P-521, although kubectl can"
    )]
    KeyKind,
    /// Key and certificate do not belong together.
    #[error("the client key does not belong to the client certificate")]
    KeyMismatch,
    /// The certificate is of a kind that rustls does not know.
    #[error(
        "the client certificate is of a kind that this program cannot use, such as X.509 version 1, although kubectl can"
    )]
    CertificateKind,
}

impl TlsError {
    /// What to type next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::KeyKind => Some(
                "use a key of ECDSA P-256 or P-384, Ed25519 or RSA, or a token: --token \"$(kubectl create token NAME)\"",
            ),
            Self::CertificateKind => Some(
                "issue an X.509 version 3 certificate (MicroK8s: \"microk8s refresh-certs\"), or use a token: \
                 --token \"$(kubectl create token NAME)\"",
            ),
            Self::NoAuthority(..) => Some(
                "give the authority that signed the server's certificate with --certificate-authority FILE",
            ),
            _ => None,
        }
    }
}

/// Reads PEM from a file or from base64 in the kubeconfig.
pub fn load(what: &'static str, file: Option<&str>, data: Option<&str>) -> Result<Option<Vec<u8>>, TlsError> {
    if let Some(data) = data {
        let compact: String = data.split_ascii_whitespace().collect();
        return STANDARD
            .decode(compact)
            .map(Some)
            .map_err(|_| TlsError::Base64(what));
    }
    let Some(path) = file.map(PathBuf::from) else {
        return Ok(None);
    };
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(source) => Err(TlsError::Read { what, path, source }),
    }
}

/// The certificates of a bundle that can be authorities; as in Go, those that cannot are passed over.
pub fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, TlsError> {
    const WHAT: &str = "the certificate authority";
    let mut usable = Vec::new();
    let mut refused = None;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|_| TlsError::NoCertificate(WHAT))?;
        match RootCertStore::empty().add(certificate.clone()) {
            Ok(()) => usable.push(certificate.to_vec()),
            Err(error) => refused = Some(error.to_string()),
        }
    }
    match (usable.is_empty(), refused) {
        (false, _) => Ok(usable),
        (true, None) => Err(TlsError::NoCertificate(WHAT)),
        (true, Some(why)) => Err(TlsError::NoAuthority(WHAT, why)),
    }
}

/// Checks that a client certificate and its key can be used together.
pub fn identity(certificate: &[u8], key: &Secret) -> Result<(), TlsError> {
    const WHAT: &str = "the client certificate";
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<_, _>>()
        .map_err(|_| TlsError::NoCertificate(WHAT))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(WHAT));
    }
    let key = PrivateKeyDer::from_pem_slice(key.reveal().as_bytes()).map_err(|_| TlsError::NoKey)?;
    let key = ring::default_provider()
        .key_provider
        .load_private_key(key)
        .map_err(|_| TlsError::KeyKind)?;
    match CertifiedKey::new(chain, key).keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(()),
        Err(rustls::Error::InconsistentKeys(_)) => Err(TlsError::KeyMismatch),
        Err(_) => Err(TlsError::CertificateKind),
    }
}

/// PEM as kube takes it.
pub fn encode(pem: &[u8]) -> String {
    STANDARD.encode(pem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certificate and key in one text, as both readers take it.
    fn checked(pem: &str) -> Result<(), TlsError> {
        identity(pem.as_bytes(), &Secret::new(pem))
    }

    fn made() -> (String, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new(Vec::new())
            .unwrap()
            .self_signed(&key)
            .unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    #[test]
    fn a_certificate_and_its_key_can_be_used() {
        let (certificate, key) = made();
        checked(&format!("{certificate}{key}")).unwrap();
    }

    #[test]
    fn what_only_kubectl_takes_is_named_with_a_way_out() {
        let p521 = checked(include_str!("samples/client-p521.pem")).unwrap_err();
        assert!(matches!(p521, TlsError::KeyKind), "{p521}");
        assert!(p521.to_string().contains("P-521") && p521.hint().unwrap().contains("--token"));
        let v1 = checked(include_str!("samples/client-v1.pem")).unwrap_err();
        assert!(matches!(v1, TlsError::CertificateKind), "{v1}");
        assert!(v1.to_string().contains("version 1") && v1.hint().unwrap().contains("MicroK8s"));
    }

    #[test]
    fn a_key_of_another_certificate_is_told() {
        let ((certificate, _), (_, key)) = (made(), made());
        assert!(matches!(
            checked(&format!("{certificate}{key}")),
            Err(TlsError::KeyMismatch)
        ));
    }

    #[test]
    fn half_an_identity_is_named() {
        let (certificate, key) = made();
        assert!(matches!(checked(&certificate), Err(TlsError::NoKey)));
        assert!(matches!(checked(&key), Err(TlsError::NoCertificate(_))));
        assert!(matches!(checked("nothing"), Err(TlsError::NoCertificate(_))));
    }

    #[test]
    fn authorities_are_those_that_read_and_none_is_an_error() {
        let (certificate, key) = made();
        assert_eq!(
            authorities(format!("{certificate}{key}{certificate}").as_bytes())
                .unwrap()
                .len(),
            2
        );
        for text in ["", "nothing", &key] {
            assert!(
                matches!(authorities(text.as_bytes()), Err(TlsError::NoCertificate(_))),
                "{text}"
            );
        }
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(
            authorities(broken.as_bytes()),
            Err(TlsError::NoAuthority(..))
        ));
        assert_eq!(
            authorities(format!("{broken}{certificate}").as_bytes())
                .unwrap()
                .len(),
            1
        );
    }

    #[test]
    fn data_is_base64_with_or_without_line_breaks() {
        let load = |data| load("the certificate authority", Some("/no/such/file"), Some(data));
        assert_eq!(load("Q0\n E=\n").unwrap().unwrap(), b"CA");
        assert!(matches!(load("!"), Err(TlsError::Base64(_))));
        let file = super::load("the client key", Some("/no/such/file"), None).unwrap_err();
        assert_eq!(file.to_string(), "the client key /no/such/file cannot be read");
    }
}
