//! The certificates of one test control plane, made anew for each: an authority, the servers' certificate, a
//! client certificate for each user, the key that signs service account tokens.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// An authority that signs for the servers and for users, and the directory its files lie in.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    directory: PathBuf,
    /// One user's files are written once, though several tests may ask for them at the same time.
    signing: Mutex<()>,
}

impl Authority {
    /// Makes the authority (`ca.crt`), the servers' certificate (`server.crt`, `server.key`) and the keys of
    /// service account tokens (`service-account.key`, `.pub`) in a directory.
    pub(crate) fn create(directory: &Path) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params
            .distinguished_name
            .push(DnType::CommonName, "test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key).unwrap();
        fs::write(directory.join("ca.crt"), certificate.pem()).unwrap();
        let account_key = KeyPair::generate().unwrap();
        fs::write(directory.join("service-account.key"), account_key.serialize_pem()).unwrap();
        fs::write(
            directory.join("service-account.pub"),
            account_key.public_key_pem(),
        )
        .unwrap();
        let authority = Self {
            issuer: Issuer::new(params, key),
            directory: directory.to_owned(),
            signing: Mutex::default(),
        };
        let names = ["127.0.0.1", "::1", "localhost"].map(str::to_owned).to_vec();
        let mut server = CertificateParams::new(names).unwrap();
        server
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        authority.sign(&server, "server");
        authority
    }

    /// The authority's certificate.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.directory.join("ca.crt")
    }

    /// The certificate and key of a user, in groups; a user's groups are those of the first time.
    pub(crate) fn client(&self, user: &str, groups: &[&str]) -> (PathBuf, PathBuf) {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, user);
        for group in groups {
            params.distinguished_name.push(DnType::OrganizationName, *group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(&params, &format!("user-{user}"))
    }

    fn sign(&self, params: &CertificateParams, name: &str) -> (PathBuf, PathBuf) {
        let _alone = self.signing.lock().unwrap_or_else(PoisonError::into_inner);
        let crt = self.directory.join(format!("{name}.crt"));
        let pem = self.directory.join(format!("{name}.key"));
        if crt.exists() {
            return (crt, pem);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        fs::write(&pem, key.serialize_pem()).unwrap();
        fs::write(&crt, certificate.pem()).unwrap();
        (crt, pem)
    }
}
