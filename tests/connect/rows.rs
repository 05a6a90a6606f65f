//! The rows: traits of kubeconfigs, flags and environment in which clients are known to differ.

pub(crate) mod handshakes;
mod kubeconfig;
mod login;
mod plugins;
mod proxies;
mod server;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Expect, Ground, Row, Setup};

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

    fn with(cluster: &Value, user: &Value) -> Setup {
        Setup {
            kubeconfig: joined(cluster, user),
            ..Setup::default()
        }
    }

    fn user(&self, user: &Value) -> Setup {
        Self::with(&self.cluster(), user)
    }

    fn exec(&self, exec: &Value) -> Setup {
        self.user(&json!({"exec": exec}))
    }

    /// The ordinary cluster with fields changed; null takes one away.
    fn changed(&self, fields: Value) -> Setup {
        let mut cluster = self.cluster();
        merge(&mut cluster, fields);
        Self::with(&cluster, &json!({"token": "t0ken"}))
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

pub(crate) fn joined(cluster: &Value, user: &Value) -> Value {
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
        kubeconfig::files(),
        kubeconfig::names(),
        server::trust(),
        server::addresses(),
        login::credentials(),
        plugins::plugins(),
        login::acting(),
        proxies::proxies(),
        login::other(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn row(name: &'static str, setup: fn(&Ground<'_>) -> Setup, expect: Expect) -> Row {
    Row { name, setup, expect }
}

fn token(ground: &Ground<'_>) -> Setup {
    ground.user(&json!({"token": "t0ken"}))
}
