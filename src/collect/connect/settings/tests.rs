//! What is said about a choice that cannot be made; the choices themselves are compared with kubectl's in
//! `tests/connect`.

use std::path::PathBuf;

use super::*;
use crate::collect::connect::ConnectOptions;
use crate::collect::kubeconfig::Kubeconfig;

const TWO: &str = "
current-context: prod
contexts:
- {name: prod, context: {cluster: c1, user: u1}}
- {name: test, context: {cluster: c1, user: u1}}
clusters: [{name: c1, cluster: {server: 'https://one'}}]
users: [{name: u1, user: {token: t}}]
";

fn kubeconfig(text: &str) -> Kubeconfig {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    std::fs::write(&path, text).unwrap();
    let mut read = Kubeconfig::read(vec![path], true).unwrap();
    read.files = vec![PathBuf::from("/config")];
    read
}

fn said(error: &SettingsError) -> String {
    format!("{error}; {}", error.hint().unwrap_or_default())
}

#[test]
fn unknown_names_are_named_with_the_nearest_or_all() {
    let refused = |context: &str| {
        let options = ConnectOptions {
            context: Some(context.to_owned()),
            ..ConnectOptions::default()
        };
        said(&Settings::choose(&kubeconfig(TWO), &options).unwrap_err())
    };
    for (context, expected) in [
        (
            "pord",
            "context \"pord\" does not exist in /config; did you mean --context prod?",
        ),
        (
            "elsewhere",
            "context \"elsewhere\" does not exist in /config; choose one with --context: prod, test",
        ),
        (
            "\u{1b}[2J",
            "context \"\\u{1b}[2J\" does not exist in /config; choose one with --context: prod, test",
        ),
    ] {
        assert_eq!(refused(context), expected);
    }
}

#[test]
fn where_nothing_names_a_server_it_is_said_what_there_is() {
    let options = ConnectOptions::default();
    for text in ["", "contexts: [{name: a}]"] {
        assert_eq!(Settings::choose(&kubeconfig(text), &options), Ok(None));
    }
    let missing = Settings::missing(&kubeconfig("contexts: [{name: a}]"), &options);
    assert!(
        said(&missing).ends_with("choose one with --context: a"),
        "{missing}"
    );
    let nothing = Kubeconfig {
        all_missing: true,
        files: vec![PathBuf::from("/x")],
        ..Kubeconfig::default()
    };
    let missing = Settings::missing(&nothing, &options);
    assert_eq!(missing.to_string(), "no kubeconfig was found: /x does not exist");
}

#[test]
fn words_are_quoted_for_a_shell() {
    for (word, quoted) in [
        ("arn:aws:eks:eu:1:cluster/x", "arn:aws:eks:eu:1:cluster/x"),
        ("my prod", "'my prod'"),
        ("it's", "'it'\\''s'"),
        ("\u{1b}", "'\\u{1b}'"),
        ("", "''"),
    ] {
        assert_eq!(quote(word), quoted);
    }
}
