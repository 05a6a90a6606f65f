//! Rows about exec plugins.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::super::Expect::{Alike, Refused, Sent};
use super::super::{Ground, Row, Setup};
use super::{V1, row};

/// A plugin in the current directory, by its bare name.
fn local_plugin(ground: &Ground<'_>) -> Setup {
    ground.script(
        "evilplug",
        &format!(r#"echo '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"local"}}}}'"#),
    );
    ground.exec(&json!({"apiVersion": V1, "command": "evilplug", "interactiveMode": "Never"}))
}

pub(super) fn plugins() -> Vec<Row> {
    vec![
        row(
            "an exec plugin that gives a token",
            |ground| {
                let command = ground.plugin(r#"{"token":"fr0m-plugin"}"#);
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
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
                ground.exec(&json!({
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
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
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
                ground.exec(&json!({
                    "apiVersion": V1, "command": command, "interactiveMode": "Never", "provideClusterInfo": true,
                }))
            },
            Alike,
        ),
        row(
            "an exec plugin that is told about the cluster, and not about a proxy of the environment",
            |ground| {
                let command = ground.script(
                    "login",
                    &format!(
                        r#"proxies=$(printf '%s' "$KUBERNETES_EXEC_INFO" | grep -c proxy-url)
printf '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"proxies-%s"}}}}' "$proxies""#
                    ),
                );
                let exec = json!({
                    "apiVersion": V1, "command": command, "interactiveMode": "Never", "provideClusterInfo": true,
                });
                let setup = ground.far();
                let cluster = setup.kubeconfig["clusters"][0]["cluster"].clone();
                Ground::with(&cluster, &json!({"exec": exec}))
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer proxies-0")),
        ),
        row(
            "an exec plugin that the kubeconfig gives a PATH of its own",
            |ground| {
                let command = ground.plugin(r#"{"token":"found"}"#);
                assert!(command.ends_with("/login"));
                ground.exec(&json!({
                    "apiVersion": V1, "command": "login", "interactiveMode": "Never",
                    "env": [{"name": "PATH", "value": "/bin"}],
                }))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer found")),
        ),
        row(
            "a token beside an exec plugin, which is not run",
            |ground| {
                let command = ground.script("login", "exit 9");
                let exec = json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"});
                ground.user(&json!({"token": "t0ken", "exec": exec}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer t0ken")),
        ),
        row(
            "a client certificate beside an exec plugin, which is not run",
            |ground| {
                let (certificate, key) = &ground.certificates.client;
                let command = ground.script("login", "exit 9");
                ground.user(&json!({
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
                ground
                    .exec(&json!({"apiVersion": "client.authentication.k8s.io/v1beta1", "command": command}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer beta")),
        ),
        row(
            "an exec plugin of version v1alpha1",
            |ground| {
                let version = "client.authentication.k8s.io/v1alpha1";
                ground.exec(&json!({"apiVersion": version, "command": "login", "interactiveMode": "Never"}))
            },
            Refused("only v1 and v1beta1 are supported"),
        ),
        row(
            "an exec plugin of version v1 without an interactiveMode",
            |ground| ground.exec(&json!({"apiVersion": V1, "command": "login"})),
            Refused("needs an interactiveMode"),
        ),
        row(
            "an exec plugin that must ask, and no terminal",
            |ground| ground.exec(&json!({"apiVersion": V1, "command": "login", "interactiveMode": "Always"})),
            Refused("standard input is not a terminal"),
        ),
        row(
            "an exec plugin that is not installed",
            |ground| {
                ground.exec(&json!({
                    "apiVersion": V1, "command": "no-such-login", "interactiveMode": "Never",
                    "installHint": "brew install no-such-login",
                }))
            },
            Refused("brew install no-such-login"),
        ),
        row(
            "an exec plugin that an empty element of PATH leads to",
            |ground| local_plugin(ground).env("PATH", ":/usr/bin:/bin"),
            Refused("relative to the current directory"),
        ),
        row(
            "an exec plugin that a dot in PATH leads to",
            |ground| local_plugin(ground).env("PATH", "/usr/bin:/bin:."),
            Refused("relative to the current directory"),
        ),
        row(
            "an exec plugin that a relative element of PATH leads to before another",
            |ground| {
                let name = ground.folder.file_name().unwrap().to_str().unwrap();
                let path = format!("../{name}:{}:/usr/bin:/bin", ground.folder.display());
                local_plugin(ground).env("PATH", path)
            },
            Refused("relative to the current directory"),
        ),
        row(
            "an exec plugin that a dot in PATH leads to behind another",
            |ground| {
                let path = format!("{}:.:/usr/bin:/bin", ground.folder.display());
                local_plugin(ground).env("PATH", path)
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer local")),
        ),
        row(
            "an exec plugin by a path from the kubeconfig",
            |ground| {
                local_plugin(ground);
                ground.exec(&json!({"apiVersion": V1, "command": "./evilplug", "interactiveMode": "Never"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer local")),
        ),
        row(
            "an exec plugin that may not be run",
            |ground| {
                let command = ground.file("login", "#!/bin/sh\n");
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("chmod +x"),
        ),
        row(
            "an exec plugin that answers without end",
            |ground| {
                let command = ground.script("login", "head -c 10000000 /dev/zero | tr '\\0' x");
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("printed more than 4 MiB"),
        ),
        row(
            "an exec plugin whose answer names no kind",
            |ground| {
                let command = ground.script(
                    "login",
                    &format!(r#"echo '{{"apiVersion":"{V1}","status":{{"token":"kindless"}}}}'"#),
                );
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer kindless")),
        ),
        row(
            "an exec plugin whose token ended long ago",
            |ground| {
                let command =
                    ground.plugin(r#"{"token":"old","expirationTimestamp":"2001-01-01T00:00:00Z"}"#);
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer old")),
        ),
        row(
            "an exec plugin whose token ends at no time",
            |ground| {
                let command = ground.plugin(r#"{"token":"odd","expirationTimestamp":"soon"}"#);
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("an expirationTimestamp that is not a time"),
        ),
        row(
            "an exec plugin that speaks on standard error",
            |ground| {
                let command = ground.script(
                    "login",
                    &format!(r#"echo opening a browser >&2; echo '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"loud"}}}}'"#),
                );
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Sent(|heard| heard.authorization.as_deref() == Some("Bearer loud")),
        ),
        row(
            "an exec plugin that fails",
            |ground| {
                let command = ground.script("login", "echo expired >&2; exit 3");
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("failed with exit status: 3"),
        ),
        row(
            "an exec plugin that answers nonsense",
            |ground| {
                let command = ground.script("login", "echo nonsense");
                ground.exec(&json!({"apiVersion": V1, "command": command, "interactiveMode": "Never"}))
            },
            Refused("printed something that is not an ExecCredential"),
        ),
        row(
            "an exec plugin that answers in another version",
            |ground| {
                let command = ground.plugin(r#"{"token":"x"}"#);
                let version = "client.authentication.k8s.io/v1beta1";
                ground.exec(&json!({"apiVersion": version, "command": command, "interactiveMode": "Never"}))
            },
            Refused("the kubeconfig asks for client.authentication.k8s.io/v1beta1"),
        ),
        row(
            "an exec plugin beside an auth-provider",
            |ground| {
                let exec = json!({"apiVersion": V1, "command": "login", "interactiveMode": "Never"});
                ground.user(&json!({"exec": exec, "auth-provider": {"name": "oidc"}}))
            },
            Refused("exec and auth-provider are both set"),
        ),
    ]
}
