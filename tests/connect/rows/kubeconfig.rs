//! Rows about which files are read, and which of their entries is meant.

use std::fs;

use serde_json::{Value, json};

use super::super::Expect::{Alike, Refused, Sent};
use super::super::{Ground, Row, Setup};
use super::{row, token};

pub(super) fn files() -> Vec<Row> {
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
            "--kubeconfig of a path with line breaks",
            |ground| token(ground).args(["--kubeconfig=/no/such\n::error::file\r\u{1b}[2J"]),
            Refused("error: the kubeconfig file /no/such\\n::error::file\\r\\u{1b}[2J cannot be read"),
        ),
        row(
            "KUBECONFIG of a path with line breaks",
            |ground| token(ground).env("KUBECONFIG", "/no/such\nfile"),
            Refused("no kubeconfig was found: /no/such\\nfile does not exist"),
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
            "a kubeconfig of two documents",
            |ground| {
                let first = token(ground).kubeconfig;
                ground.file("config", &format!("---\n{first}\n---\ncurrent-context: gone\n"));
                Setup::default()
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a kubeconfig with a key that is written twice",
            |ground| {
                let text = token(ground).kubeconfig.to_string();
                ground.file(
                    "config",
                    &text.replace(r#""token":"t0ken""#, r#""token":"first","token":"last""#),
                );
                Setup::default()
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer last")),
        ),
        row(
            "an object of another kind for a kubeconfig",
            |ground| token(ground).kubeconfig(json!({"kind": "Pod"})),
            Refused("holds a Pod of version v1, not a Config of v1"),
        ),
        row(
            "KUBECONFIG with a directory in it",
            |ground| {
                let list = format!("{0}:{0}/config", ground.folder.display());
                token(ground).env("KUBECONFIG", list)
            },
            Refused("Is a directory"),
        ),
        row(
            "KUBECONFIG of nothing but separators",
            |ground| token(ground).env("KUBECONFIG", "::"),
            Refused("KUBECONFIG names no file"),
        ),
        row(
            "flags of files that are empty",
            |ground| {
                token(ground).args([
                    "--kubeconfig=",
                    "--certificate-authority=",
                    "--client-certificate=",
                    "--client-key=",
                    "--cache-dir=",
                ])
            },
            Alike,
        ),
        row(
            "flags of names that are empty",
            |ground| {
                token(ground).args([
                    "--context=",
                    "--cluster=",
                    "--user=",
                    "--server=",
                    "--token=",
                    "--as=",
                    "--as-uid=",
                    "--tls-server-name=",
                    "--request-timeout=",
                ])
            },
            Alike,
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
                Ground::with(&cluster, &json!({"tokenFile": "token"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a certificate and a key relative to the kubeconfig, over those of the environment's directory",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                fs::create_dir(ground.folder.join("kube")).unwrap();
                ground.file("kube/ann.crt", certificate);
                ground.file("kube/ann.key", key);
                let user = json!({"client-certificate": "ann.crt", "client-key": "ann.key"});
                let config = ground.file("kube/config", &ground.user(&user).kubeconfig.to_string());
                Setup::default().env("KUBECONFIG", config)
            },
            Sent(|heard| heard.certificate.is_some()),
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

pub(super) fn names() -> Vec<Row> {
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
            Refused("choose one with --cluster: test"),
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
            "a context that names no cluster",
            |ground| {
                token(ground).kubeconfig(json!({"contexts": [{"name": "test", "context": {"user": "test"}}]}))
            },
            Refused("context \"test\" names no cluster"),
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
