//! The rows: traits of kubeconfigs, flags and environment in which clients are known to differ.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{Expect, Ground, Row, Setup};
use Expect::{Alike, OnlyKubectl, OnlyOurs, Otherwise, Refused, Sent};

const V1: &str = "client.authentication.k8s.io/v1";

impl Ground<'_> {
    fn server(&self) -> String {
        format!("https://{}", self.world.tls)
    }

    /// The cluster that is reached without any oddity.
    fn cluster(&self) -> Value {
        json!({"server": self.server(), "certificate-authority-data": STANDARD.encode(&self.certificates.authority)})
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn script(&self, name: &str, text: &str) -> String {
        let path = self.file(name, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A plugin that prints this status.
    fn plugin(&self, status: &str) -> String {
        self.script(
            "login",
            &format!(
                "echo run >> {}/runs\nprintf '%s' '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{V1}\",\"status\":{status}}}'",
                self.folder.display()
            ),
        )
    }

    fn with(&self, cluster: Value, user: Value) -> Setup {
        Setup {
            kubeconfig: kubeconfig(cluster, user),
            ..Setup::default()
        }
    }

    fn user(&self, user: Value) -> Setup {
        self.with(self.cluster(), user)
    }

    fn exec(&self, exec: Value) -> Setup {
        self.user(json!({"exec": exec}))
    }

    /// The ordinary cluster with fields changed; null takes one away.
    fn changed(&self, fields: Value) -> Setup {
        let mut cluster = self.cluster();
        merge(&mut cluster, fields);
        self.with(cluster, json!({"token": "t0ken"}))
    }

    /// A server of a name that only a proxy can reach.
    fn far(&self) -> Setup {
        self.changed(json!({"server": "https://server.example:6443"}))
    }
}

impl Setup {
    fn args<const N: usize>(mut self, args: [&str; N]) -> Self {
        self.args.extend(args.map(str::to_owned));
        self
    }

    fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    fn kubeconfig(mut self, fields: Value) -> Self {
        merge(&mut self.kubeconfig, fields);
        self
    }
}

fn kubeconfig(cluster: Value, user: Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": user}, {"name": "other", "user": {"token": "0ther"}}],
        "contexts": [
            {"name": "test", "context": {"cluster": "test", "user": "test"}},
            {"name": "other", "context": {"cluster": "test", "user": "other"}},
        ],
    })
}

fn merge(value: &mut Value, fields: Value) {
    let (Value::Object(into), Value::Object(fields)) = (value, fields) else {
        panic!("objects are merged")
    };
    for (key, field) in fields {
        if field.is_null() {
            into.remove(&key);
        } else {
            into.insert(key, field);
        }
    }
}

/// All rows.
pub(super) fn all() -> Vec<Row> {
    [
        files(),
        names(),
        trust(),
        addresses(),
        credentials(),
        plugins(),
        acting(),
        proxies(),
        other(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn row(name: &'static str, setup: fn(&Ground<'_>) -> Setup, expect: Expect) -> Row {
    Row { name, setup, expect }
}

fn token(ground: &Ground<'_>) -> Setup {
    ground.user(json!({"token": "t0ken"}))
}

fn files() -> Vec<Row> {
    vec![
        row(
            "a token",
            token,
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "KUBECONFIG with a member that is missing and an empty one",
            |ground| {
                let list = format!("{0}/none::{0}/config", ground.folder.display());
                token(ground).env("KUBECONFIG", list)
            },
            Alike,
        ),
        row(
            "KUBECONFIG of two files, the first to name an entry wins",
            |ground| {
                let first = ground.file("first", "users: [{name: test, user: {token: first}}]");
                let list = format!("{first}:{}/config", ground.folder.display());
                token(ground).env("KUBECONFIG", list)
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer first")),
        ),
        row(
            "KUBECONFIG of files that are all missing",
            |ground| token(ground).env("KUBECONFIG", "/no/such/file"),
            Refused("no kubeconfig was found: /no/such/file does not exist"),
        ),
        row(
            "KUBECONFIG empty, and ~/.kube/config",
            |ground| {
                fs::create_dir_all(ground.folder.join("home/.kube")).unwrap();
                let setup = token(ground);
                ground.file("home/.kube/config", &setup.kubeconfig.to_string());
                Setup {
                    kubeconfig: Value::Null,
                    ..setup
                }
                .env("KUBECONFIG", "")
            },
            Alike,
        ),
        row(
            "--kubeconfig of a file that is missing",
            |ground| token(ground).args(["--kubeconfig=/no/such/file"]),
            Refused("/no/such/file cannot be read"),
        ),
        row(
            "a kubeconfig that is no YAML",
            |ground| {
                ground.file("config", "users: [");
                Setup::default()
            },
            Refused("does not read as a kubeconfig"),
        ),
        row(
            "a kubeconfig with null lists and an unknown field",
            |ground| token(ground).kubeconfig(json!({"preferences": {}, "extensions": [], "colour": "red"})),
            Alike,
        ),
        row(
            "a name twice in one list",
            |ground| {
                let user = json!({"name": "test", "user": {"token": "t0ken"}});
                token(ground).kubeconfig(json!({"users": [user.clone(), user]}))
            },
            Refused("two users named \"test\""),
        ),
        row(
            "paths relative to the kubeconfig",
            |ground| {
                ground.file("ca.crt", &ground.certificates.authority);
                ground.file("token", "t0ken");
                let cluster = json!({"server": ground.server(), "certificate-authority": "ca.crt"});
                ground.with(cluster, json!({"tokenFile": "token"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "an empty kubeconfig",
            |ground| {
                ground.file("config", "");
                Setup::default()
            },
            Refused("no context is chosen"),
        ),
        row(
            "--server and nothing else, over plain HTTP",
            |ground| {
                ground.file("config", "");
                Setup::default().args([&*format!("--server=http://{}", ground.world.plain)])
            },
            Alike,
        ),
    ]
}

fn names() -> Vec<Row> {
    vec![
        row(
            "--context",
            |ground| token(ground).args(["--context=other"]),
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer 0ther")),
        ),
        row("--user", |ground| token(ground).args(["--user=other"]), Alike),
        row(
            "--cluster",
            |ground| token(ground).args(["--cluster=test"]),
            Alike,
        ),
        row(
            "--context of no context",
            |ground| token(ground).args(["--context=tset"]),
            Refused("context \"tset\" does not exist"),
        ),
        row(
            "--cluster of no cluster",
            |ground| token(ground).args(["--cluster=none"]),
            Refused("cluster \"none\" does not exist"),
        ),
        row(
            "--user of no user",
            |ground| token(ground).args(["--user=none"]),
            Refused("user \"none\" does not exist"),
        ),
        row(
            "current-context of no context",
            |ground| token(ground).kubeconfig(json!({"current-context": "gone"})),
            Refused("context \"gone\" does not exist"),
        ),
        row(
            "no current-context",
            |ground| token(ground).kubeconfig(json!({"current-context": null})),
            Refused("choose one with --context: other, test"),
        ),
        row(
            "a context whose user is gone",
            |ground| token(ground).kubeconfig(json!({"users": []})),
            // kubectl asks for a name and a password, and there is nobody to ask.
            Refused("user \"test\" does not exist"),
        ),
        row(
            "a context whose user is gone, and a token by flag",
            |ground| {
                token(ground)
                    .kubeconfig(json!({"users": []}))
                    .args(["--token=flag"])
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer flag")),
        ),
        row(
            "a cluster without a server",
            |ground| ground.changed(json!({"server": null})),
            Refused("cluster \"test\" has no server address"),
        ),
    ]
}

fn trust() -> Vec<Row> {
    vec![
        row(
            "an unknown authority",
            |ground| ground.changed(json!({"certificate-authority-data": null})),
            Refused("signed by an unknown authority"),
        ),
        row(
            "insecure-skip-tls-verify",
            |ground| {
                ground.changed(json!({"certificate-authority-data": null, "insecure-skip-tls-verify": true}))
            },
            Alike,
        ),
        row(
            "insecure-skip-tls-verify beside an authority",
            |ground| ground.changed(json!({"insecure-skip-tls-verify": true})),
            Refused("insecure-skip-tls-verify and a certificate authority are both set"),
        ),
        row(
            "--insecure-skip-tls-verify drops the file's authority",
            |ground| token(ground).args(["--insecure-skip-tls-verify"]),
            Alike,
        ),
        row(
            "--certificate-authority drops the file's insecurity",
            |ground| {
                let authority = ground.file("ca.crt", &ground.certificates.authority);
                ground
                    .changed(json!({"certificate-authority-data": null, "insecure-skip-tls-verify": true}))
                    .args([&*format!("--certificate-authority={authority}")])
            },
            Alike,
        ),
        row(
            "an authority in a file and as data",
            |ground| {
                let authority = ground.file("ca.crt", &ground.certificates.authority);
                ground.changed(json!({"certificate-authority": authority}))
            },
            Refused("certificate-authority and certificate-authority-data are both set"),
        ),
        row(
            "an authority whose file is missing",
            |ground| {
                ground.changed(json!({"certificate-authority-data": null, "certificate-authority": "/no/ca"}))
            },
            Refused("the certificate authority /no/ca cannot be read"),
        ),
        row(
            "an authority that is no certificate",
            |ground| ground.changed(json!({"certificate-authority-data": STANDARD.encode("nothing")})),
            Refused("the certificate authority holds no PEM certificate"),
        ),
        row(
            "the server's own certificate as authority",
            |ground| {
                ground.changed(
                    json!({"certificate-authority-data": STANDARD.encode(&ground.certificates.server)}),
                )
            },
            OnlyKubectl(
                "kubectl takes it",
                "rustls trusts authorities only, and says so (webpki has no way around it)",
            ),
        ),
        row(
            "tls-server-name",
            |ground| ground.changed(json!({"tls-server-name": "alt.example"})),
            Alike,
        ),
        row(
            "tls-server-name that the certificate does not bear",
            |ground| ground.changed(json!({"tls-server-name": "no.example"})),
            Refused("not valid for the name"),
        ),
        row(
            "--server drops the file's tls-server-name",
            |ground| {
                let server = format!("--server={}", ground.server());
                ground
                    .changed(json!({"tls-server-name": "no.example"}))
                    .args([&*server])
            },
            Alike,
        ),
        row(
            "--tls-server-name",
            |ground| {
                ground
                    .changed(json!({"tls-server-name": "no.example"}))
                    .args(["--tls-server-name=alt.example"])
            },
            Alike,
        ),
    ]
}

fn addresses() -> Vec<Row> {
    vec![
        row(
            "a trailing slash",
            |ground| ground.changed(json!({"server": format!("{}/", ground.server())})),
            Alike,
        ),
        row(
            "a path prefix",
            |ground| ground.changed(json!({"server": format!("{}/k8s/clusters/c-1", ground.server())})),
            Sent(|heard| heard.path == "/k8s/clusters/c-1/version"),
        ),
        row(
            "a path prefix with a trailing slash",
            |ground| ground.changed(json!({"server": format!("{}/k8s/", ground.server())})),
            Sent(|heard| heard.path == "/k8s/version"),
        ),
        row(
            "IPv6",
            |ground| ground.changed(json!({"server": format!("https://{}", ground.world.tls6)})),
            Alike,
        ),
        row(
            "no scheme is plain HTTP, and a token is not sent over that",
            |ground| ground.changed(json!({"server": ground.world.plain.to_string()})),
            Sent(|heard| !heard.tls && heard.authorization.is_none()),
        ),
        row(
            "http: and credentials that are not sent",
            |ground| ground.changed(json!({"server": format!("http://{}", ground.world.plain)})),
            Sent(|heard| heard.authorization.is_none()),
        ),
        row(
            "plain HTTP to a port of TLS",
            |ground| ground.changed(json!({"server": ground.world.tls.to_string()})),
            Refused("could not be read"),
        ),
        row(
            "https to a port without TLS",
            |ground| ground.changed(json!({"server": format!("https://{}", ground.world.plain)})),
            Refused("could not be read"),
        ),
        row(
            "a scheme that nobody speaks",
            |ground| ground.changed(json!({"server": "ftp://x"})),
            Refused("scheme ftp"),
        ),
        row(
            "a port where nothing listens",
            |ground| ground.changed(json!({"server": "https://127.0.0.1:1"})),
            Refused("the connection was refused"),
        ),
    ]
}

fn credentials() -> Vec<Row> {
    vec![
        row(
            "a token file that ends in a line break",
            |ground| {
                let path = ground.file("token", "t0ken\n");
                ground.user(json!({"tokenFile": path}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a token and a token file",
            |ground| {
                let path = ground.file("token", "fresh");
                ground.user(json!({"token": "stale", "tokenFile": path}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer fresh")),
        ),
        row(
            "a token file that is missing",
            |ground| ground.user(json!({"tokenFile": "/no/token"})),
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
                ground.user(json!({"tokenFile": path})).args(["--token=flag"])
            },
            Otherwise(
                |heard| heard.authorization.as_deref() == Some("Bearer flag"),
                "kubectl 1.37 keeps the kubeconfig's token file and lets it win over what was typed",
            ),
        ),
        row(
            "name and password",
            |ground| ground.user(json!({"username": "ann", "password": "pw"})),
            Sent(|heard| heard.authorization.as_deref() == Some("Basic YW5uOnB3")),
        ),
        row(
            "a token, a name and a password",
            |ground| ground.user(json!({"token": "t0ken", "username": "ann", "password": "pw"})),
            Refused("a token and a user name or password are both set"),
        ),
        row(
            "a client certificate as data",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                ground.user(json!({
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
            "a client certificate without its key",
            |ground| {
                ground
                    .user(json!({"client-certificate-data": STANDARD.encode(&ground.certificates.client.0)}))
            },
            Refused("has a client certificate and no client key"),
        ),
        row(
            "a client key of ECDSA P-521",
            |ground| {
                let pem = STANDARD.encode(include_str!("../../src/collect/connect/samples/client-p521.pem"));
                ground.user(json!({"client-certificate-data": pem, "client-key-data": pem}))
            },
            OnlyKubectl(
                "such as ECDSA P-521",
                "ring signs with no P-521 key; the error says which keys it takes",
            ),
        ),
        row(
            "a client certificate of X.509 version 1",
            |ground| {
                let pem = STANDARD.encode(include_str!("../../src/collect/connect/samples/client-v1.pem"));
                ground.user(json!({"client-certificate-data": pem, "client-key-data": pem}))
            },
            OnlyKubectl(
                "such as X.509 version 1",
                "rustls reads no certificate of version 1; the error says what to issue instead",
            ),
        ),
        row(
            "the auth-provider of GKE, which kubectl no longer has",
            |ground| ground.user(json!({"auth-provider": {"name": "gcp"}})),
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
                ground.user(json!({"auth-provider": {"name": "oidc", "config": config}}))
            },
            Alike,
        ),
    ]
}

fn plugins() -> Vec<Row> {
    vec![
        row(
            "an exec plugin that gives a token",
            |ground| {
                let command = ground.plugin(r#"{"token":"fr0m-plugin"}"#);
                ground.exec(json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer fr0m-plugin")),
        ),
        row(
            "an exec plugin on PATH, with arguments and environment",
            |ground| {
                ground.script(
                    "my-login",
                    &format!(r#"printf '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"%s-%s"}}}}' "$1" "$REGION""#),
                );
                ground.exec(json!({
                    "apiVersion": V1, "command": "my-login", "interactiveMode": "IfAvailable",
                    "args": ["get"], "env": [{"name": "REGION", "value": "eu"}],
                }))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer get-eu")),
        ),
        row(
            "an exec plugin that gives a certificate and a token",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                let status =
                    json!({"token": "both", "clientCertificateData": certificate, "clientKeyData": key});
                let answer = json!({"kind": "ExecCredential", "apiVersion": V1, "status": status});
                let answer = ground.file("answer", &answer.to_string());
                let command = ground.script("login", &format!("cat {answer}"));
                ground.exec(json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Sent(|heard| {
                heard.certificate.is_some() && heard.authorization.as_deref() == Some("Bearer both")
            }),
        ),
        row(
            "an exec plugin that is told about the cluster",
            |ground| {
                // The token is a sum over what the plugin was told.
                let command = ground.script(
                    "login",
                    &format!(
                        r#"sum=$(printf '%s' "$KUBERNETES_EXEC_INFO" | tr ',{{}}' '\n\n\n' | grep -E 'server|authority|interactive' | sort | cksum | tr ' ' -)
printf '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"%s"}}}}' "$sum""#
                    ),
                );
                ground.exec(json!({
                    "apiVersion": V1, "command": command, "interactiveMode": "Never", "provideClusterInfo": true,
                }))
            },
            Alike,
        ),
        row(
            "a token beside an exec plugin, which is not run",
            |ground| {
                let command = ground.script("login", "exit 9");
                let exec = json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"});
                ground.user(json!({"token": "t0ken", "exec": exec}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a client certificate beside an exec plugin, which is not run",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                let command = ground.script("login", "exit 9");
                ground.user(json!({
                    "client-certificate-data": STANDARD.encode(certificate),
                    "client-key-data": STANDARD.encode(key),
                    "exec": {"apiVersion": V1, "command": command, "interactiveMode": "Never"},
                }))
            },
            Sent(|heard| heard.certificate.is_some() && heard.authorization.is_none()),
        ),
        row(
            "an exec plugin of version v1beta1 without an interactiveMode",
            |ground| {
                let command = ground.script(
                    "login",
                    r#"echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"beta"}}'"#,
                );
                ground.exec(json!({"apiVersion": "client.authentication.k8s.io/v1beta1", "command": command}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer beta")),
        ),
        row(
            "an exec plugin of version v1alpha1",
            |ground| {
                let version = "client.authentication.k8s.io/v1alpha1";
                ground.exec(json!({"apiVersion": version, "command": "login", "interactiveMode": "Never"}))
            },
            Refused("only v1 and v1beta1 are spoken"),
        ),
        row(
            "an exec plugin of version v1 without an interactiveMode",
            |ground| ground.exec(json!({"apiVersion": V1, "command": "login"})),
            Refused("needs an interactiveMode"),
        ),
        row(
            "an exec plugin that must ask, and no terminal",
            |ground| ground.exec(json!({"apiVersion": V1, "command": "login", "interactiveMode": "Always"})),
            Refused("standard input is not a terminal"),
        ),
        row(
            "an exec plugin that is not installed",
            |ground| {
                ground.exec(json!({
                    "apiVersion": V1, "command": "no-such-login", "interactiveMode": "Never",
                    "installHint": "brew install no-such-login",
                }))
            },
            Refused("brew install no-such-login"),
        ),
        row(
            "an exec plugin that fails",
            |ground| {
                let command = ground.script("login", "echo expired >&2; exit 3");
                ground.exec(json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("failed with exit status: 3"),
        ),
        row(
            "an exec plugin that answers nonsense",
            |ground| {
                let command = ground.script("login", "echo nonsense");
                ground.exec(json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("answered something that is no ExecCredential"),
        ),
        row(
            "an exec plugin that answers in another version",
            |ground| {
                let command = ground.plugin(r#"{"token":"x"}"#);
                let version = "client.authentication.k8s.io/v1beta1";
                ground.exec(json!({"apiVersion": version, "command": command, "interactiveMode": "Never"}))
            },
            Refused("the kubeconfig asks for client.authentication.k8s.io/v1beta1"),
        ),
        row(
            "an exec plugin beside an auth-provider",
            |ground| {
                let exec = json!({"apiVersion": V1, "command": "login", "interactiveMode": "Never"});
                ground.user(json!({"exec": exec, "auth-provider": {"name": "oidc"}}))
            },
            Refused("exec and auth-provider are both set"),
        ),
    ]
}

fn acting() -> Vec<Row> {
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
            "acting as somebody, by the kubeconfig",
            |ground| {
                ground.user(
                    json!({"token": "t", "as": "bob", "as-groups": ["a"], "as-user-extra": {"k": ["v"]}}),
                )
            },
            Sent(|heard| heard.impersonation.len() == 3),
        ),
        row(
            "--as over the kubeconfig's",
            |ground| {
                ground
                    .user(json!({"token": "t", "as": "bob", "as-groups": ["a"]}))
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

fn proxies() -> Vec<Row> {
    vec![
        row(
            "proxy-url, loopback or not",
            |ground| ground.changed(json!({"proxy-url": format!("http://{}", ground.world.http_proxy)})),
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "proxy-url with a name and a password",
            |ground| {
                ground.changed(json!({"proxy-url": format!("http://ann:p%40ss@{}", ground.world.http_proxy)}))
            },
            Sent(|heard| heard.doors[0].ends_with("as Basic YW5uOnBAc3M=")),
        ),
        row(
            "proxy-url over NO_PROXY",
            |ground| {
                let proxy = format!("http://{}", ground.world.http_proxy);
                ground.changed(json!({"proxy-url": proxy})).env("NO_PROXY", "*")
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "proxy-url of SOCKS 5 leaves the lookup of names to the proxy",
            |ground| {
                let proxy = format!("socks5://{}", ground.world.socks_proxy);
                ground.changed(json!({"server": "https://server.example", "proxy-url": proxy}))
            },
            Sent(|heard| heard.doors == ["socks proxy to server.example as nobody"]),
        ),
        row(
            "proxy-url of SOCKS 5 with a name and a password",
            |ground| {
                let proxy = format!("socks5://ann:pw@{}", ground.world.socks_proxy);
                ground.changed(json!({"server": "https://server.example", "proxy-url": proxy}))
            },
            Otherwise(
                |heard| heard.doors == ["socks proxy to server.example as ann:pw"] && !heard.gzip,
                "the client library leaves the login out; ours is made without its unpacking of gzip, which is not asked for",
            ),
        ),
        row(
            "proxy-url of a scheme that nobody speaks",
            |ground| ground.changed(json!({"proxy-url": "ftp://127.0.0.1:1"})),
            Refused("has the scheme \"ftp\""),
        ),
        row(
            "proxy-url without a scheme",
            |ground| ground.changed(json!({"proxy-url": ground.world.http_proxy.to_string()})),
            Refused("proxy-url of the kubeconfig"),
        ),
        row(
            "HTTPS_PROXY for a server that is elsewhere",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
            },
            Sent(|heard| heard.doors == ["http proxy to server.example:6443 as nobody"]),
        ),
        row(
            "https_proxy without a scheme",
            |ground| {
                ground
                    .far()
                    .env("https_proxy", ground.world.http_proxy.to_string())
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "HTTPS_PROXY of SOCKS 5",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("socks5h://{}", ground.world.socks_proxy))
            },
            Sent(|heard| heard.doors == ["socks proxy to server.example as nobody"]),
        ),
        row(
            "HTTPS_PROXY spares the loopback",
            |ground| token(ground).env("HTTPS_PROXY", "http://127.0.0.1:1"),
            Sent(|heard| heard.doors.is_empty()),
        ),
        row(
            "NO_PROXY with the server's name",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
                    .env("NO_PROXY", "127.0.0.1,.example")
            },
            Refused("could not be resolved"),
        ),
        row(
            "NO_PROXY with the proxy's own address, and empty items",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
                    .env("NO_PROXY", ",127.0.0.1,,10.0.0.0/8")
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "ALL_PROXY and HTTP_PROXY are not for https",
            |ground| {
                token(ground)
                    .env("ALL_PROXY", "http://127.0.0.1:1")
                    .env("HTTP_PROXY", "http://127.0.0.1:1")
            },
            Alike,
        ),
        row(
            "HTTP_PROXY for a server without TLS",
            |ground| {
                ground
                    .changed(json!({"server": "http://server.example", "certificate-authority-data": null}))
                    .env("HTTP_PROXY", format!("http://{}", ground.world.http_proxy))
            },
            Otherwise(
                |heard| heard.doors == ["http proxy to server.example:80 as nobody"],
                "the client library asks every HTTP proxy for a tunnel, for plain HTTP too",
            ),
        ),
        row(
            "a proxy where nothing listens",
            |ground| ground.far().env("HTTPS_PROXY", "http://127.0.0.1:1"),
            Refused("could not be read"),
        ),
    ]
}

fn other() -> Vec<Row> {
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
            |ground| ground.user(json!({})),
            OnlyOurs(
                |heard| heard.authorization.is_none(),
                "kubectl asks for a name and a password, which no plugin can; ours is anonymous, as every client is",
            ),
        ),
    ]
}
