//! Tests of the module above.

use super::*;
use crate::collect::connect::ConnectOptions;
use crate::collect::kubeconfig::Kubeconfig;
use crate::collect::masking::SecretString;
use std::path::{Path, PathBuf};

const TWO: &str = "
current-context: prod
contexts:
- {name: prod, context: {cluster: c1, user: u1}}
- {name: test, context: {cluster: c2, user: u2}}
- {name: lost, context: {cluster: gone, user: gone}}
clusters:
- {name: c1, cluster: {server: 'https://one', tls-server-name: inner, certificate-authority-data: Q0E=}}
- {name: c2, cluster: {server: 'https://two', insecure-skip-tls-verify: true}}
- {name: addressless, cluster: {tls-server-name: x}}
users:
- {name: u1, user: {tokenFile: /t, client-certificate-data: Q0U=, client-key-data: S0U=}}
- {name: u2, user: {token: t2, as: ann}}
";

fn kubeconfig(text: &str) -> Kubeconfig {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    std::fs::write(&path, text).unwrap();
    let mut read = Kubeconfig::read(vec![path], true).unwrap();
    read.files = vec![PathBuf::from("/config")];
    read
}

fn chosen(text: &str, change: impl FnOnce(&mut ConnectOptions)) -> Result<Option<Settings>, SettingsError> {
    let mut options = ConnectOptions::default();
    change(&mut options);
    Settings::choose(&kubeconfig(text), &options.given())
}

fn settings(change: impl FnOnce(&mut ConnectOptions)) -> Settings {
    chosen(TWO, change).unwrap().unwrap()
}

fn refused(text: &str, change: impl FnOnce(&mut ConnectOptions)) -> String {
    let error = chosen(text, change).unwrap_err();
    match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what the flags hold")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn flags_choose_context_cluster_and_user() {
    let now = settings(|_| {});
    assert_eq!(
        (now.context.as_deref(), now.cluster.server.as_deref()),
        (Some("prod"), Some("https://one"))
    );
    let test = settings(|options| options.context = some("test"));
    assert_eq!(
        (test.cluster.server, test.user.impersonate),
        (some("https://two"), some("ann"))
    );
    let mixed = settings(|options| {
        options.cluster = some("c2");
        options.user = some("u1");
    });
    assert_eq!(
        (mixed.cluster.server, mixed.user.token_file),
        (some("https://two"), some("/t"))
    );
    assert_eq!(
        settings(|options| options.context = some("")).context.as_deref(),
        Some("prod")
    );
}

#[test]
fn unknown_names_are_named_with_the_nearest_or_all() {
    assert_eq!(
        refused(TWO, |options| options.context = some("pord")),
        "context \"pord\" does not exist in /config; did you mean --context prod?"
    );
    assert_eq!(
        refused(TWO, |options| options.context = some("elsewhere")),
        "context \"elsewhere\" does not exist in /config; choose one with --context: lost, prod, test"
    );
    assert!(refused(TWO, |options| options.cluster = some("c9")).contains("cluster \"c9\" does not exist"));
    assert!(
        refused(TWO, |options| options.user = some("\u{1b}[2J")).contains("user \"\\u{1b}[2J\" does not")
    );
    assert!(refused(TWO, |options| options.context = some("lost")).contains("cluster \"gone\""));
    let halfway = "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: gone}}]\n\
                       clusters: [{name: c, cluster: {server: 'https://s'}}]";
    assert!(refused(halfway, |_| {}).starts_with("user \"gone\" does not exist"));
    assert!(chosen(halfway, |options| options.token = some("t")).is_ok());
    let lost = "current-context: gone";
    assert!(refused(lost, |_| {}).starts_with("context \"gone\" does not exist"));
}

#[test]
fn trust_on_the_command_line_drops_the_files() {
    let insecure = settings(|options| options.insecure_skip_tls_verify = Some(true)).cluster;
    assert_eq!(
        (
            insecure.insecure_skip_tls_verify,
            insecure.certificate_authority_data
        ),
        (true, None)
    );
    let unset = settings(|options| options.insecure_skip_tls_verify = Some(false)).cluster;
    assert_eq!(unset.certificate_authority_data, some("Q0E="));
    let authority = settings(|options| {
        options.context = some("test");
        options.certificate_authority = Some(PathBuf::from("/ca"));
    });
    assert_eq!(authority.cluster.certificate_authority, some("/ca"));
    assert!(!authority.cluster.insecure_skip_tls_verify);
}

#[test]
fn another_server_does_not_keep_the_server_name() {
    let server = settings(|options| options.server = some("https://other")).cluster;
    assert_eq!(
        (server.server, server.tls_server_name),
        (some("https://other"), None)
    );
    let both = settings(|options| {
        options.server = some("https://other");
        options.tls_server_name = some("outer");
    });
    assert_eq!(both.cluster.tls_server_name, some("outer"));
}

#[test]
fn credentials_on_the_command_line_drop_their_other_form() {
    let token = settings(|options| options.token = some("flag")).user;
    assert_eq!(
        (token.token, token.token_file),
        (Some(SecretString::new("flag")), None)
    );
    let pair = settings(|options| {
        options.client_certificate = Some(PathBuf::from("/c"));
        options.client_key = Some(PathBuf::from("/k"));
    });
    assert_eq!(
        (pair.user.client_certificate_data, pair.user.client_key_data),
        (None, None)
    );
}

#[test]
fn whom_to_act_as_is_merged_and_needs_a_user() {
    let user = settings(|options| {
        options.context = some("test");
        options.impersonate_groups = vec!["a,b".to_owned()];
        options.impersonate_extra = vec!["k=1=2".to_owned(), "k=3".to_owned()];
    })
    .user;
    assert_eq!(user.impersonate, some("ann"));
    assert_eq!(user.impersonate_groups, ["a,b"]);
    assert_eq!(user.impersonate_extra["k"], ["1=2", "3"]);
    assert!(refused(TWO, |options| options.impersonate_uid = some("1")).ends_with("add --as USER"));
    assert!(refused(TWO, |options| options.impersonate_extra = vec!["k".to_owned()]).contains("KEY=VALUE"));
}

#[test]
fn what_excludes_one_another_is_refused_as_in_client_go() {
    let with = |cluster: &str, user: &str| {
        refused(
            &format!(
                "current-context: x\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n\
                     clusters: [{{name: c, cluster: {{server: 'https://s', {cluster}}}}}]\n\
                     users: [{{name: u, user: {{{user}}}}}]"
            ),
            |_| {},
        )
    };
    for (cluster, user, wanted) in [
        (
            "certificate-authority: /a, certificate-authority-data: Q0E=",
            "",
            "certificate-authority-data are both",
        ),
        (
            "certificate-authority: /a, insecure-skip-tls-verify: true",
            "",
            "insecure-skip-tls-verify and a cert",
        ),
        ("", "token: t, username: n", "a token and a user name or password"),
        (
            "",
            "client-certificate: /c, client-certificate-data: Q0E=, client-key: /k",
            "client-certificate-data",
        ),
        (
            "",
            "client-certificate: /c, client-key: /k, client-key-data: Q0E=",
            "client-key-data",
        ),
        ("", "client-certificate: /c", "no client key"),
        (
            "",
            "exec: {command: x}, auth-provider: {name: oidc}",
            "exec and auth-provider",
        ),
    ] {
        let error = with(cluster, user);
        assert!(error.contains(wanted), "{cluster} {user}: {error}");
    }
}

#[test]
fn a_server_by_flag_needs_no_kubeconfig_and_nothing_else_does_without() {
    let bare = chosen("", |options| options.server = some("https://s"))
        .unwrap()
        .unwrap();
    assert_eq!(
        (bare.cluster.server, bare.user),
        (some("https://s"), User::default())
    );
    assert_eq!(chosen("", |_| {}), Ok(None));
    assert_eq!(chosen("contexts: [{name: a}]", |_| {}), Ok(None));
    let missing = Settings::missing(&kubeconfig("contexts: [{name: a}]"), &ConnectOptions::default());
    assert_eq!(missing.hint().as_deref(), Some("choose one with --context: a"));
    let nothing = Kubeconfig {
        all_missing: true,
        files: vec![Path::new("/x").to_owned()],
        ..Kubeconfig::default()
    };
    assert_eq!(
        Settings::missing(&nothing, &ConnectOptions::default()).to_string(),
        "no kubeconfig was found: /x does not exist"
    );
    assert!(refused(TWO, |options| options.cluster = some("addressless")).contains("has no server address"));
}

#[test]
fn words_are_quoted_for_a_shell() {
    assert_eq!(quote("arn:aws:eks:eu:1:cluster/x"), "arn:aws:eks:eu:1:cluster/x");
    assert_eq!(quote("my prod"), "'my prod'");
    assert_eq!(quote("it's"), "'it'\\''s'");
    assert_eq!(quote("\u{1b}"), "'\\u{1b}'");
    assert_eq!(quote(""), "''");
}
