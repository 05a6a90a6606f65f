//! Tests of the module above.

use super::answer::{ExecCredential, credential};
use super::plugin::lines_escaped;
use super::*;
use crate::collect::kubeconfig::{EnvVar, Exec};
use crate::collect::masking::SecretString;
use crate::collect::program::LookupError;

fn exec(mode: Option<&str>, version: &str) -> Exec {
    Exec {
        api_version: Some(version.to_owned()),
        command: Some("login".to_owned()),
        interactive_mode: mode.map(str::to_owned),
        ..Exec::default()
    }
}

fn interactive(mode: Option<&str>, version: &str, taken: bool, terminal: bool) -> Result<bool, String> {
    Plugin::check(&exec(mode, version), "ann", taken, terminal)
        .map(|plugin| plugin.interactive)
        .map_err(|error| error.to_string())
}

#[test]
fn a_plugin_may_ask_only_on_a_terminal_that_nothing_else_reads() {
    for (mode, taken, terminal, expected) in [
        (Some("Never"), false, true, Ok(false)),
        (Some("IfAvailable"), false, true, Ok(true)),
        (Some("IfAvailable"), true, true, Ok(false)),
        (Some("IfAvailable"), false, false, Ok(false)),
        (Some("Always"), false, true, Ok(true)),
        (
            Some("Always"),
            false,
            false,
            Err("standard input is not a terminal"),
        ),
        (
            Some("Always"),
            true,
            true,
            Err("standard input is read for a flag"),
        ),
        (Some("Sometimes"), false, true, Err("needs an interactiveMode")),
        (None, false, true, Err("needs an interactiveMode")),
    ] {
        match (interactive(mode, V1, taken, terminal), expected) {
            (Ok(got), Ok(wanted)) => assert_eq!(got, wanted, "{mode:?}"),
            (Err(got), Err(wanted)) => assert!(got.contains(wanted), "{got}"),
            (got, wanted) => panic!("{mode:?}: {got:?}, not {wanted:?}"),
        }
    }
    assert_eq!(interactive(None, V1BETA1, false, true), Ok(true));
}

#[test]
fn only_two_versions_are_spoken() {
    let error = interactive(
        Some("Never"),
        "client.authentication.k8s.io/v1alpha1",
        false,
        true,
    )
    .unwrap_err();
    assert!(error.contains("v1alpha1\"; only v1 and v1beta1"), "{error}");
    let none = Exec {
        command: Some("x".to_owned()),
        ..Exec::default()
    };
    assert!(
        Plugin::check(&none, "ann", false, true)
            .unwrap_err()
            .to_string()
            .contains("an apiVersion")
    );
}

#[test]
fn the_cluster_is_told_only_where_the_plugin_wants_it() {
    let cluster = ClusterInfo {
        server: "https://k.example".to_owned(),
        certificate_authority_data: Some("Q0E=".to_owned()),
        config: Some(serde_json::json!({"audience": "x"})),
        ..ClusterInfo::default()
    };
    let mut exec = exec(Some("Never"), V1);
    let info = |exec: &Exec| {
        Plugin::check(exec, "ann", false, true)
            .unwrap()
            .info(cluster.clone())
    };
    assert_eq!(
        info(&exec),
        r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}}"#
    );
    exec.provide_cluster_info = true;
    let told: serde_json::Value = serde_json::from_str(&info(&exec)).unwrap();
    assert_eq!(
        told["spec"]["cluster"],
        serde_json::json!({
            "server": "https://k.example",
            "certificate-authority-data": "Q0E=",
            "config": {"audience": "x"},
        })
    );
}

#[test]
fn answers_read_and_are_never_quoted() {
    let v1 = |status: &str| format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}","status":{status}}}"#);
    let token = credential(v1(r#"{"token":"t0ken"}"#).as_bytes(), V1).unwrap();
    assert_eq!(token.token.unwrap().expose(), "t0ken");
    let both = v1(r#"{"token":"t","clientCertificateData":"C","clientKeyData":"K"}"#);
    let both = credential(both.as_bytes(), V1).unwrap();
    assert!(both.token.is_some() && both.identity.unwrap().0 == "C");
    let yaml = format!("kind: ExecCredential\napiVersion: {V1}\nstatus:\n  token: y\n");
    assert_eq!(
        credential(yaml.as_bytes(), V1).unwrap().token.unwrap().expose(),
        "y"
    );
    for (answer, wanted) in [
        (v1(r#"{"clientCertificateData":"s3cret"}"#), "alone"),
        (v1("{}"), "without a token"),
        (
            format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}"}}"#),
            "without a status",
        ),
        (
            v1(r#"{"token":"s3cret"}"#).replace("/v1\"", "/v1beta1\""),
            "answered in",
        ),
        ("s3cret".to_owned(), "not an ExecCredential"),
        (String::new(), "not an ExecCredential"),
        (
            r#"{"kind":"s3cret","status":{"token":"s3cret"}}"#.to_owned(),
            "not an ExecCredential",
        ),
    ] {
        let error = credential(answer.as_bytes(), V1).unwrap_err();
        assert!(error.contains(wanted) && !error.contains("s3cret"), "{error}");
    }
    assert!(credential(b"\xff", V1).is_err());
}

#[test]
fn a_hint_keeps_its_lines_and_loses_its_escapes() {
    assert_eq!(
        lines_escaped("brew install x\n\u{1b}[1m"),
        "brew install x\n\\u{1b}[1m"
    );
}

#[cfg(unix)]
fn ran(script: &str, change: impl FnOnce(&mut Exec)) -> Result<ExecCredential, ExecError> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("login");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut exec = exec(Some("Never"), V1);
    exec.command = path.to_str().map(str::to_owned);
    change(&mut exec);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let plugin = Plugin::check(&exec, "ann", false, false).unwrap();
    runtime.block_on(plugin.run(ClusterInfo::default()))
}

#[cfg(unix)]
#[test]
fn a_plugin_gets_its_arguments_and_its_environment_and_no_input() {
    let answer = format!(
        r#"[ "$(cat)" = "" ] || exit 3
printf '{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{"token":"%s-%s-%s"}}}}' "$1" "$REGION" "$(echo "$KUBERNETES_EXEC_INFO" | grep -c interactive.:false)""#
    );
    let credential = ran(&answer, |exec| {
        exec.args = vec!["get-token".to_owned()];
        exec.env = vec![EnvVar {
            name: "REGION".to_owned(),
            value: SecretString::new("eu"),
        }];
    });
    assert_eq!(credential.unwrap().token.unwrap().expose(), "get-token-eu-1");
}

#[cfg(unix)]
#[test]
fn what_a_plugin_prints_is_in_no_error() {
    for (script, wanted) in [
        ("echo s3cret; exit 7", "failed with exit status: 7"),
        ("echo s3cret", "not an ExecCredential"),
    ] {
        let error = ran(script, |_| {}).unwrap_err();
        let all = format!("{error} {error:?}");
        assert!(
            error.to_string().contains(wanted) && !all.contains("s3cret"),
            "{all}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_missing_plugin_is_named_with_its_hint() {
    let error = ran("", |exec| {
        exec.command = Some("no-such-login-plugin".to_owned());
        exec.install_hint = Some("brew install it".to_owned());
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the exec plugin no-such-login-plugin was not found"
    );
    assert!(
        matches!(error, ExecError::NotFound { hint: Some(hint), why: LookupError::Missing, .. } if hint == "brew install it")
    );
}
