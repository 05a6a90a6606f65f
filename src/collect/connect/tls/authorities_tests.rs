//! Tests of the module above; real servers of every kind are asked in `tests/connect`.

use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

use super::*;

const NOW: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000));

/// A self-signed certificate, PEM, valid in a year of 2027 or at any time.
fn made(change: impl FnOnce(&mut CertificateParams)) -> String {
    let mut params = CertificateParams::new(vec!["k.example".to_owned()]).unwrap();
    change(&mut params);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

fn authority(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

/// How many certificates may sign others, and how many were given.
fn counted(pem: &str) -> Result<(usize, usize), TlsError> {
    Trust::new(pem.as_bytes(), NOW).map(|trust| (trust.authorities.len(), trust.given.len()))
}

fn why_none(pem: &str) -> String {
    match counted(pem) {
        Err(TlsError::NoAuthority(_, why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_an_authority_may_sign_others() {
    assert_eq!(counted(&made(authority)).unwrap(), (1, 1));
    assert_eq!(counted(&made(|_| {})).unwrap(), (0, 1));
    let old = include_str!("samples/client-v1.pem");
    assert_eq!(counted(old).unwrap(), (1, 1));
}

#[test]
fn what_is_of_no_use_is_passed_over_and_named_where_it_is_alone() {
    let expired = made(|params| {
        authority(params);
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    let early = made(|params| {
        authority(params);
        params.not_before = rcgen::date_time_ymd(2040, 1, 1);
    });
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert_eq!(why_none(&expired), "it has expired");
    assert_eq!(why_none(&early), "it is not valid yet");
    assert!(
        why_none(broken).starts_with("it cannot be used"),
        "{}",
        why_none(broken)
    );
    let bundle = format!("{expired}text\n{broken}{early}{}", made(authority));
    assert_eq!(counted(&bundle).unwrap(), (1, 1));
    let key = KeyPair::generate().unwrap().serialize_pem();
    for text in ["", "nothing", &key] {
        assert!(matches!(counted(text), Err(TlsError::NoCertificate(_))), "{text}");
    }
}

#[test]
fn a_server_may_bear_a_certificate_that_was_given_while_it_is_good() {
    let asked = |pem: &str, name: &str, now| {
        let trust = Trust::new(pem.as_bytes(), NOW).unwrap();
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        trust
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
    assert!(matches!(
        asked(&until_2030, "k.example", later),
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { .. }))
    ));
}

#[test]
fn a_certificate_out_of_its_time_is_told_whatever_it_is_for() {
    let until_2020 = made(|params| params.not_after = rcgen::date_time_ymd(2020, 1, 1));
    let from_2040 = made(|params| params.not_before = rcgen::date_time_ymd(2040, 1, 1));
    let client = made(|params| {
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    });
    let now = |pem: &str| wrong_time(pem.as_bytes(), NOW);
    assert_eq!(now(&until_2020), Some("has expired"));
    assert_eq!(now(&client), Some("has expired"));
    assert_eq!(now(&from_2040), Some("is not valid yet"));
    for good in [
        made(|_| {}),
        made(authority),
        include_str!("samples/client-v1.pem").to_owned(),
        String::new(),
    ] {
        assert_eq!(now(&good), None);
    }
}
