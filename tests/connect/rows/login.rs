//! Rows about who we are: credentials, acting as somebody else, and how requests are made.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;

use super::super::Expect::{Alike, OnlyKubectl, OnlyOurs, Otherwise, Refused, Sent};
use super::super::{Row, Setup};
use super::{row, token};

pub(super) fn credentials() -> Vec<Row> {
    vec![
        row(
            "a token file that ends in a line break",
            |ground| {
                let path = ground.file("token", "t0ken\n");
                ground.user(&json!({"tokenFile": path}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a token and a token file",
            |ground| {
                let path = ground.file("token", "fresh");
                ground.user(&json!({"token": "stale", "tokenFile": path}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer fresh")),
        ),
        row(
            "a token file that is missing",
            |ground| ground.user(&json!({"tokenFile": "/no/token"})),
            Refused("the token file /no/token cannot be read"),
        ),
        row(
            "--token over the file's token",
            |ground| token(ground).args(["--token=flag"]),
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer flag")),
        ),
        row(
            "--token over the file's token file",
            |ground| {
                let path = ground.file("token", "from-file");
                ground.user(&json!({"tokenFile": path})).args(["--token=flag"])
            },
            Otherwise(
                |heard| heard.authorization.as_deref() == Some("Bearer flag"),
                "kubectl 1.37 keeps the kubeconfig's token file and lets it win over what was typed",
            ),
        ),
        row(
            "a token beyond ASCII",
            |ground| ground.user(&json!({"token": "tök"})),
            Alike,
        ),
        row(
            "a token file and a name",
            |ground| {
                let path = ground.file("token", "t0ken");
                ground.user(&json!({"tokenFile": path, "username": "ann"}))
            },
            Refused("a token and a user name or password are both set"),
        ),
        row(
            "a token file that is empty",
            |ground| {
                let path = ground.file("token", "\n");
                ground.user(&json!({"tokenFile": path}))
            },
            Refused("is empty"),
        ),
        row(
            "name and password",
            |ground| ground.user(&json!({"username": "ann", "password": "pw"})),
            Sent(|heard| heard.authorization.as_deref() == Some("Basic YW5uOnB3")),
        ),
        row(
            "a token, a name and a password",
            |ground| ground.user(&json!({"token": "t0ken", "username": "ann", "password": "pw"})),
            Refused("a token and a user name or password are both set"),
        ),
        row(
            "a client certificate as data",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                ground.user(&json!({
                    "client-certificate-data": STANDARD.encode(certificate),
                    "client-key-data": STANDARD.encode(key),
                }))
            },
            Sent(|heard| heard.certificate.is_some() && heard.authorization.is_none()),
        ),
        row(
            "a client certificate by flags over the file's token",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                let certificate = ground.file("ann.crt", certificate);
                let key = ground.file("ann.key", key);
                token(ground).args([
                    &*format!("--client-certificate={certificate}"),
                    &*format!("--client-key={key}"),
                ])
            },
            Sent(|heard| heard.certificate.is_some() && heard.authorization.is_some()),
        ),
        row(
            "a client certificate by flags over the file's own",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                let setup = ground.user(&json!({
                    "client-certificate-data": STANDARD.encode("another"),
                    "client-key-data": STANDARD.encode("another"),
                }));
                let certificate = ground.file("ann.crt", certificate);
                let key = ground.file("ann.key", key);
                setup.args([
                    &*format!("--client-certificate={certificate}"),
                    &*format!("--client-key={key}"),
                ])
            },
            Sent(|heard| heard.certificate.is_some()),
        ),
        row(
            "a client certificate without its key",
            |ground| {
                ground
                    .user(&json!({"client-certificate-data": STANDARD.encode(&ground.certificates.client.0)}))
            },
            Refused("has a client certificate and no client key"),
        ),
        row(
            "a client key of ECDSA P-521",
            |ground| {
                let pem = STANDARD.encode(include_str!(
                    "../../../src/collect/connect/tls/samples/client-p521.pem"
                ));
                ground.user(&json!({"client-certificate-data": pem, "client-key-data": pem}))
            },
            OnlyKubectl(
                "cannot use, although kubectl may: ECDSA P-521",
                "ring signs with no P-521 key; the error says which keys it takes",
            ),
        ),
        row(
            "a client certificate of X.509 version 1",
            |ground| {
                let pem = STANDARD.encode(include_str!(
                    "../../../src/collect/connect/tls/samples/client-v1.pem"
                ));
                ground.user(&json!({"client-certificate-data": pem, "client-key-data": pem}))
            },
            Sent(|heard| heard.certificate.is_some()),
        ),
        row(
            "the auth-provider of GKE, which kubectl no longer has",
            |ground| ground.user(&json!({"auth-provider": {"name": "gcp"}})),
            Refused("gke-gcloud-auth-plugin"),
        ),
        row(
            "an OIDC token that is good",
            |ground| {
                let claims = URL_SAFE_NO_PAD.encode(r#"{"exp":99999999999}"#);
                let config = json!({
                    "id-token": format!("h.{claims}.s"), "idp-issuer-url": "https://i.example",
                    "client-id": "c", "client-secret": "s", "refresh-token": "r",
                });
                ground.user(&json!({"auth-provider": {"name": "oidc", "config": config}}))
            },
            Alike,
        ),
    ]
}

pub(super) fn acting() -> Vec<Row> {
    vec![
        row(
            "acting as somebody, by flags",
            |ground| {
                token(ground).args([
                    "--as=bob",
                    "--as-uid=7",
                    "--as-group=a,b",
                    "--as-group=c",
                    "--as-user-extra=Example.com/Scope=one=1",
                    "--as-user-extra=Example.com/Scope=two",
                ])
            },
            Sent(|heard| heard.impersonation.len() == 6),
        ),
        row(
            "acting as somebody whose name is beyond ASCII",
            |ground| token(ground).args(["--as=müller", "--as-group=grün"]),
            Alike,
        ),
        row(
            "an attribute to act with that has no value",
            |ground| token(ground).args(["--as=bob", "--as-user-extra=scope"]),
            OnlyKubectl(
                "--as-user-extra takes KEY=VALUE",
                "kubectl drops what has no value, and acts with other rights than those that were typed",
            ),
        ),
        row(
            "acting as somebody, by the kubeconfig",
            |ground| {
                ground.user(
                    &json!({"token": "t", "as": "bob", "as-groups": ["a"], "as-user-extra": {"k": ["v"]}}),
                )
            },
            Sent(|heard| heard.impersonation.len() == 3),
        ),
        row(
            "--as over the kubeconfig's",
            |ground| {
                ground
                    .user(&json!({"token": "t", "as": "bob", "as-groups": ["a"]}))
                    .args(["--as=eve"])
            },
            Sent(|heard| heard.impersonation == ["impersonate-group: a", "impersonate-user: eve"]),
        ),
        row(
            "a group to act as without a user",
            |ground| token(ground).args(["--as-group=a"]),
            Refused("need a user to act as"),
        ),
    ]
}

pub(super) fn other() -> Vec<Row> {
    vec![
        row("compressed answers", token, Sent(|heard| heard.gzip)),
        row(
            "--disable-compression",
            |ground| token(ground).args(["--disable-compression"]),
            Sent(|heard| !heard.gzip),
        ),
        row(
            "disable-compression",
            |ground| ground.changed(json!({"disable-compression": true})),
            Sent(|heard| !heard.gzip),
        ),
        row(
            "--request-timeout in seconds",
            |ground| token(ground).args(["--request-timeout=30"]),
            Alike,
        ),
        row(
            "--request-timeout of Go",
            |ground| token(ground).args(["--request-timeout=1m30s"]),
            Alike,
        ),
        row(
            "--request-timeout of nonsense",
            |ground| token(ground).args(["--request-timeout=soon"]),
            Refused("--request-timeout"),
        ),
        row(
            "--request-timeout below nought",
            |ground| token(ground).args(["--request-timeout=-1"]),
            Refused("--request-timeout"),
        ),
        row(
            "a context without a name and a cluster that nobody asked for",
            |ground| {
                let server = format!("--server={}", ground.server());
                Setup {
                    kubeconfig: json!({"contexts": [{"name": "", "context": {}}]}),
                    ..Setup::default()
                }
                .args([&*server, "--insecure-skip-tls-verify", "--token=t0ken"])
            },
            Alike,
        ),
        row(
            "nobody at all",
            |ground| ground.user(&json!({})),
            OnlyOurs(
                |heard| heard.authorization.is_none(),
                "kubectl asks for a name and a password, which no plugin can; ours is anonymous, as every client is",
            ),
        ),
    ]
}
