//! When a plugin may ask, and how its answer reads; runs of plugins are compared with kubectl's in `tests/connect`.

use super::answer::credential;
use super::plugin::lines_escaped;
use super::*;
use crate::collect::kubeconfig::Exec;

fn interactive(mode: Option<&str>, version: &str, taken: bool, terminal: bool) -> Result<bool, String> {
    let exec = Exec {
        api_version: Some(version.to_owned()),
        command: Some("login".to_owned()),
        interactive_mode: mode.map(str::to_owned),
        ..Exec::default()
    };
    let plugin = Plugin::check(&exec, "ann", taken, terminal);
    plugin
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
fn answers_are_read_and_never_quoted() {
    let v1 = |status: &str| format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}","status":{status}}}"#);
    let both = v1(r#"{"token":"t","clientCertificateData":"C","clientKeyData":"K"}"#);
    let both = credential(both.as_bytes(), V1).unwrap();
    assert!(both.token.is_some() && both.identity.unwrap().0 == "C");
    let yaml = format!("kind: ExecCredential\napiVersion: {V1}\nstatus:\n  token: y\n");
    let token = credential(yaml.as_bytes(), V1).unwrap().token.unwrap();
    assert_eq!(token.expose(), "y");
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
