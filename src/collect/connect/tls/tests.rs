//! Certificates and bundles of them; real servers of every kind are asked in `tests/connect`.

use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use super::certificate::Certificate;
use super::config::certificates;
use super::verifier::{Trusted, Verifier};
use super::*;

const NOW: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000));

/// A self-signed certificate, PEM, valid at any time.
fn made(change: impl FnOnce(&mut CertificateParams)) -> String {
    let mut params = CertificateParams::new(vec!["k.example".to_owned()]).unwrap();
    change(&mut params);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

fn authority(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

fn count(pem: &str) -> Result<usize, TlsError> {
    certificates(pem.as_bytes()).map(|found| found.len())
}

#[test]
fn what_cannot_be_parsed_is_passed_over_and_named_where_it_is_alone() {
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let error = count(broken).unwrap_err().to_string();
    assert!(
        error.starts_with("the certificate authority cannot be parsed"),
        "{error}"
    );
    assert_eq!(count(&format!("text\n{broken}{}", made(authority))).unwrap(), 1);
    let key = KeyPair::generate().unwrap().serialize_pem();
    for text in ["", "nothing", &key] {
        assert!(matches!(count(text), Err(TlsError::NoCertificate(_))), "{text}");
    }
}

#[test]
fn a_server_may_have_a_certificate_that_is_trusted_itself_while_it_is_valid() {
    let asked = |pem: &str, name: &str, now| {
        let trusted = Verifier::Trusted(Trusted::new(certificates(pem.as_bytes()).unwrap()));
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        trusted
            .verify_server_cert(&certificate, &[], &name, &[], now)
            .map(drop)
    };
    for pem in [made(|_| {}), made(authority)] {
        asked(&pem, "k.example", NOW).unwrap();
        assert!(asked(&pem, "other.example", NOW).is_err());
    }
    let until_2030 = made(|params| params.not_after = rcgen::date_time_ymd(2030, 1, 1));
    asked(&until_2030, "k.example", NOW).unwrap();
    let later = UnixTime::since_unix_epoch(Duration::from_secs(1_900_000_000));
    let error = asked(&until_2030, "k.example", later).unwrap_err();
    assert_eq!(
        HandshakeError::of(&error),
        HandshakeError::Server(CertificateError::Expired)
    );
}

#[test]
fn the_time_of_a_certificate_is_told_whatever_it_is_for() {
    let checked = |pem: &str| {
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        Certificate::parse(&der).unwrap().check_time(NOW)
    };
    let client = made(|params| {
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    });
    assert_eq!(checked(&client), Err(CertificateError::Expired));
    let from_2040 = made(|params| params.not_before = rcgen::date_time_ymd(2040, 1, 1));
    assert_eq!(checked(&from_2040), Err(CertificateError::NotYetValid));
    assert_eq!(checked(&made(|_| {})), Ok(()));
}
