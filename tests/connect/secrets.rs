//! Nothing secret is ever shown: the loudest run against a server that sends everything back.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::world::{Certificates, World};
use super::{Setup, run};

/// What was planted; none of it may be found again.
const PLANTED: [&str; 6] = [
    "t0psecret-token",
    "pa55word",
    "pr0xy-login",
    "plugin-s3cret",
    "env-s3cret",
    "PRIVATE KEY",
];

fn assert_quiet(name: &str, user: &serde_json::Value, change: impl FnOnce(&World, &mut Setup)) {
    let certificates = Certificates::make();
    let world = World::new(&certificates);
    let folder = tempfile::tempdir().unwrap();
    let cluster = json!({
        "server": format!("https://{}", world.tls),
        "certificate-authority-data": STANDARD.encode(&certificates.authority),
        "proxy-url": format!("http://ann:pr0xy-login@{}", world.http_proxy),
    });
    let mut setup = Setup {
        kubeconfig: json!({
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }),
        ..Setup::default()
    };
    change(&world, &mut setup);
    std::fs::write(folder.path().join("config"), setup.kubeconfig.to_string()).unwrap();
    let skew = Path::new(env!("CARGO_BIN_EXE_kubectl-skew"));
    let outcome = run(
        skew,
        &["--target", "1.37", "-v=10", "--kubectl-version", "v1.37.0"],
        &setup,
        folder.path(),
    );
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&outcome.stdout),
        String::from_utf8_lossy(&outcome.stderr)
    );
    // It does speak of the requests, where one arrived.
    let arrived = world.take().is_some_and(|heard| heard.authorization.is_some());
    assert!(
        said.contains("'Authorization: ") && said.contains("<masked>") || !arrived,
        "{name}:\n{said}"
    );
    let encoded = PLANTED.map(|secret| STANDARD.encode(format!("ann:{secret}")));
    for secret in PLANTED.iter().map(ToString::to_string).chain(encoded) {
        assert!(!said.contains(&secret), "{name} shows {secret}:\n{said}");
    }
}

#[test]
fn the_loudest_run_shows_no_credential() {
    let plugin = |text: &str| {
        json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
            "command": "sh", "args": ["-c", text],
            "env": [{"name": "LOGIN", "value": "env-s3cret"}],
        }})
    };
    let good = r#"echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"plugin-s3cret"}}'"#;
    let bad = r#"echo '{"kind":"ExecCredential","token":"plugin-s3cret"'"#;
    let certificates = Certificates::make();
    let (certificate, key) = &certificates.client;
    for (name, user) in [
        ("a token", json!({"token": "t0psecret-token"})),
        ("a token that is none", json!({"token": "t0psecret-token\nx"})),
        ("a password", json!({"username": "ann", "password": "pa55word"})),
        ("a plugin", plugin(good)),
        ("a plugin that breaks off", plugin(bad)),
        ("a plugin that fails", plugin("echo plugin-s3cret; exit 1")),
        (
            "a certificate of somebody else",
            json!({
                "client-certificate-data": STANDARD.encode(certificate),
                "client-key-data": STANDARD.encode(key),
            }),
        ),
        (
            "a key that is none",
            json!({"client-certificate-data": STANDARD.encode(certificate), "client-key-data": STANDARD.encode("PRIVATE KEY pa55word")}),
        ),
        (
            "an OIDC token",
            json!({"auth-provider": {"name": "oidc", "config": {"id-token": "t0psecret-token", "refresh-token": "pa55word"}}}),
        ),
    ] {
        assert_quiet(name, &user, |_, _| {});
    }
    let token = json!({"token": "t0psecret-token"});
    assert_quiet("a proxy that nobody is behind", &token, |_, setup| {
        setup.kubeconfig["clusters"][0]["cluster"]["proxy-url"] = json!("http://ann:pr0xy-login@127.0.0.1:1");
    });
    assert_quiet("a proxy that is none", &token, |_, setup| {
        setup.kubeconfig["clusters"][0]["cluster"]["proxy-url"] = json!("ftp://ann:pr0xy-login@127.0.0.1:1");
    });
    assert_quiet("a server with a login in its address", &token, |world, setup| {
        let server = json!(format!("https://ann:pa55word@{}", world.tls));
        setup.kubeconfig["clusters"][0]["cluster"]["server"] = server;
    });
    // The commands that verify by hand bear the flags as they were typed, but for this.
    for (name, scheme) in [
        ("a login in the address by flag", "https"),
        ("a login in an address that is none", "ftp"),
        ("a login in an address of nonsense", "https:"),
    ] {
        assert_quiet(name, &json!({}), |world, setup| {
            let server = format!("--server={scheme}://ann:pa55word@{}", world.tls);
            setup
                .args
                .extend([server, "--insecure-skip-tls-verify".to_owned()]);
        });
    }
    assert_quiet("a kubeconfig that breaks off", &token, |_, setup| {
        setup.kubeconfig = json!({"users": {"name": "t0psecret-token", "password": "pa55word"}});
    });
    assert_quiet("a token by flag", &json!({}), |_, setup| {
        setup.args.push("--token=t0psecret-token".to_owned());
    });
}
