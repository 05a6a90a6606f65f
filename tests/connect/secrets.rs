//! Nothing secret is ever shown: the loudest run against a server that sends everything back.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::world::{Certificates, World, repeating};
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
    // It does speak of the requests, where one arrived, and of who asks.
    let arrived = world.take().is_some_and(|heard| heard.authorization.is_some());
    let agent = concat!("User-Agent: kubectl-skew/", env!("CARGO_PKG_VERSION"), " (");
    assert!(said.contains(agent) || !arrived, "{name}:\n{said}");
    assert!(
        said.contains("Authorization: ") && said.contains("<masked>") || !arrived,
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
    for server in [
        "https://ann:pa55word@HOST",
        "ftp://ann:pa55word@HOST",
        "https:://ann:pa55word@HOST",
        "ann:pa55word@https://HOST",
        "https://ann:pa55word",
        "https://ann:pa55word/@HOST",
        "https://ann:pa55word%zz@HOST",
        "https://HOST/pa55word%zz",
        "http://ann:pa55word@127.0.0.1:1",
    ] {
        assert_quiet(server, &json!({}), |world, setup| {
            let server = format!("--server={}", server.replace("HOST", &world.tls.to_string()));
            setup
                .args
                .extend([server, "--insecure-skip-tls-verify".to_owned()]);
        });
    }
    for proxy in [
        "ann:pr0xy-login@http://127.0.0.1:1",
        "http://ann:pr0xy-login",
        "http://ann:pr0xy-login%zz@127.0.0.1:1",
        "socks5://ann:pr0xy-login@127.0.0.1:1",
    ] {
        assert_quiet(proxy, &token, |_, setup| {
            setup.kubeconfig["clusters"][0]["cluster"]["proxy-url"] = json!(proxy);
        });
    }
    assert_quiet("a kubeconfig that breaks off", &token, |_, setup| {
        setup.kubeconfig = json!({"users": {"name": "t0psecret-token", "password": "pa55word"}});
    });
    assert_quiet("a token by flag", &json!({}), |_, setup| {
        setup.args.push("--token=t0psecret-token".to_owned());
    });
}

#[test]
fn nothing_is_sent_over_plain_http_and_it_is_said_once() {
    let certificates = Certificates::make();
    let world = World::new(&certificates);
    let (plain, client) = (world.plain, &certificates.client);
    let certificate = json!({
        "client-certificate-data": STANDARD.encode(&client.0), "client-key-data": STANDARD.encode(&client.1),
    });
    let exec = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", "command": "/no/plugin",
    }});
    for (server, user) in [
        (format!("http://{plain}"), json!({"token": "t0psecret-token"})),
        (
            format!("http://{plain}"),
            json!({"username": "ann", "password": "pa55word"}),
        ),
        (format!("http://{plain}"), certificate),
        (format!("http://{plain}"), exec),
        (format!("http://ann:pa55word@{plain}"), json!({})),
        (format!("ann:pa55word@{plain}"), json!({})),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = super::rows::joined(&json!({"server": server}), &user);
        std::fs::write(folder.path().join("config"), config.to_string()).unwrap();
        let skew = Path::new(env!("CARGO_BIN_EXE_kubectl-skew"));
        let ran = run(
            skew,
            &["--target=1.37", "--kubectl-version=v1.37.0"],
            &Setup::default(),
            folder.path(),
        );
        assert_eq!(ran.status.code(), Some(2), "{server} {user}: {ran:?}");
        assert_eq!(world.take().unwrap().authorization, None, "{server} {user}");
        let stderr = String::from_utf8(ran.stderr).unwrap();
        let warnings = stderr
            .matches("Warning: credentials are not sent over plain http\n")
            .count();
        assert_eq!(warnings, 1, "{server} {user}: {stderr}");
    }
}

/// A token that no text of the server may bring back, whole or in part.
const REPEATED: &str = "k8s-aBcDeFgHiJkLmNoPqRsTuVwXyZ-0123456789-zYxWvUtSrQpOnMlKjIhGfEdCbA";

fn http(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {length}\r\n\r\n{body}")
}

fn status(message: &str) -> String {
    let body = json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
    http(
        "403 Forbidden",
        "content-type: application/json",
        &body.to_string(),
    )
}

/// A cluster whose version and whose node are named by what was sent.
fn cluster(path: &str, token: &str) -> String {
    let version = format!("v1.36.1-{token}");
    let body = if path.starts_with("/version") {
        json!({"major": "1", "minor": "36", "gitVersion": version})
    } else if path.starts_with("/api/v1/nodes") {
        let node = json!({
            "metadata": {"name": format!("node-{token}"), "uid": "8a0c7c1e-2b8e-4d8b-9f0e-0c6b5f8d1a11",
                "labels": {"eks.amazonaws.com/nodegroup": token}},
            "status": {"nodeInfo": {"kubeletVersion": version, "containerRuntimeVersion": token}},
        });
        json!({"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [node]})
    } else {
        return status(&format!("no {token}"));
    };
    http("200 OK", "content-type: application/json", &body.to_string())
}

#[test]
fn what_a_server_repeats_is_shown_nowhere() {
    type Answer = fn(&str, &str) -> String;
    let answers: [(&str, Answer); 12] = [
        ("a message", |_, token| status(&format!("who is {token}?"))),
        ("a message that is cut here", |_, token| {
            status(&format!("{}{token}", "x".repeat(280)))
        }),
        ("a message that the server cut", |_, token| {
            status(&format!("who is {}…?", &token[..token.len() / 2]))
        }),
        ("a message in the log", |_, token| {
            status(&format!("{}{token}", "x".repeat(930)))
        }),
        ("plain text", |_, token| {
            http(
                "500 Oops",
                "content-type: text/plain",
                &format!("{}{token}", "x".repeat(290)),
            )
        }),
        ("a page", |_, token| {
            let page = format!("<title>{} {token}</title>", "x".repeat(290));
            http("200 OK", "content-type: text/html", &page)
        }),
        ("a content type", |_, token| {
            http("200 OK", &format!("content-type: text/html; for={token}"), "")
        }),
        ("a long content type", |_, token| {
            let long = "x".repeat(280);
            http(
                "200 OK",
                &format!("content-type: text/html; for={long}{token}"),
                "",
            )
        }),
        ("a redirect", |_, token| {
            http(
                "302 Found",
                &format!("location: https://{token}.example/{token}"),
                "",
            )
        }),
        ("a header", |_, token| {
            let long = "x".repeat(290);
            http(
                "404 Not Found",
                &format!("x-was: {long}{token}\r\nx-is: {token}"),
                "",
            )
        }),
        ("a warning", |_, token| {
            let long = "x".repeat(290);
            http("404 Not Found", &format!("warning: 299 - \"{long}{token}\""), "")
        }),
        ("a cluster", cluster),
    ];
    let certificates = Certificates::make();
    for (name, answer) in answers {
        let server = repeating(&certificates, answer);
        let folder = tempfile::tempdir().unwrap();
        let cluster = json!({
            "server": format!("https://{server}"),
            "certificate-authority-data": STANDARD.encode(&certificates.authority),
        });
        let setup = Setup {
            kubeconfig: super::rows::joined(&cluster, &json!({"token": REPEATED})),
            ..Setup::default()
        };
        std::fs::write(folder.path().join("config"), setup.kubeconfig.to_string()).unwrap();
        let skew = Path::new(env!("CARGO_BIN_EXE_kubectl-skew"));
        let all = ["--target=1.37", "--kubectl-version=v1.37.0", "--no-fold"];
        for args in [
            &["-o", "table"][..],
            &["-o", "wide", "-v=10"],
            &[
                "-o",
                "json",
                "--output-file=html=report.html",
                "--output-file=junit=report.xml",
            ],
            &["-o", "markdown"],
            &["-o", "sarif"],
        ] {
            let args: Vec<_> = all.iter().chain(args).copied().collect();
            let ran = run(skew, &args, &setup, folder.path());
            let mut said = String::from_utf8(ran.stdout).unwrap() + &String::from_utf8(ran.stderr).unwrap();
            if let Ok(xml) = std::fs::read_to_string(folder.path().join("report.xml")) {
                roxmltree::Document::parse(&xml).unwrap();
            }
            for file in ["report.html", "report.xml"] {
                said += &std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
            }
            let is_shown = said.contains("<masked>");
            assert!(is_shown || !args.contains(&"-v=10"), "{name}:\n{said}");
            for part in REPEATED.as_bytes().windows(16) {
                let part = std::str::from_utf8(part).unwrap();
                assert!(!said.contains(part), "{name} {args:?} shows {part}:\n{said}");
            }
        }
        let saved = run(skew, &["save", "saved.json"], &setup, folder.path());
        let saved = String::from_utf8(saved.stderr).unwrap()
            + &std::fs::read_to_string(folder.path().join("saved.json")).unwrap_or_default();
        assert!(!saved.contains(&REPEATED[..16]), "{name}: {saved}");
    }
}
