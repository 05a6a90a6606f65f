//! Merging and reading; what kubectl makes of the same files is compared in `tests/connect`.

use super::*;

fn merged(texts: &[&str]) -> Kubeconfig {
    let mut merged = Kubeconfig::default();
    for text in texts {
        merged.add(Path::new("/home/ann/.kube/config"), text).unwrap();
    }
    merged
}

#[test]
fn the_first_file_to_set_an_entry_wins_whole() {
    let merged = merged(&[
        "contexts: [{name: a, context: {cluster: one}}]\nusers: null",
        "current-context: b\ncontexts: [{name: a, context: {cluster: two, user: u}}, {name: b}]",
        "current-context: c",
    ]);
    assert_eq!(merged.current_context.as_deref(), Some("b"));
    assert_eq!(merged.contexts["a"].cluster.as_deref(), Some("one"));
    assert_eq!(merged.contexts["a"].user, None);
    assert_eq!(merged.contexts["b"], Context::default());
}

#[test]
fn an_empty_file_and_empty_texts_set_nothing() {
    for text in [
        "",
        "---\n",
        "# nothing\n",
        "{}",
        "apiVersion: v1\nkind: Config\nclusters:\ncurrent-context: ''",
    ] {
        let merged = merged(&[text]);
        assert!(
            merged.clusters.is_empty() && merged.current_context.is_none(),
            "{text:?}"
        );
    }
}

#[test]
fn what_does_not_parse_is_named_by_its_place_and_never_quoted() {
    let mut merged = Kubeconfig::default();
    let text = "users:\n- name: u\n  user: {token: s3cret, exec: [s3cret]}\n";
    let error = merged.add(Path::new("/k"), text).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    assert!(
        error
            .to_string()
            .starts_with("the kubeconfig file /k does not read as a kubeconfig: line 3"),
        "{error}"
    );
}

#[test]
fn only_the_first_document_is_read() {
    let user = |text: &str| merged(&[text]).users.into_keys().collect::<Vec<_>>();
    for text in [
        "users: [{name: a}]\n---\nusers: [{name: b}]\n",
        "# mine\n---\nusers: [{name: a}]\n--- \n- odd",
        "---\nusers: [{name: a}]\n---",
        "users:\n- name: a\n  user: {token: ---}\n",
        "users:\r\n- name: a\r\n---\r\nusers: [{name: b}]",
    ] {
        assert_eq!(user(text), ["a"], "{text}");
    }
    assert!(user("---\n---\nusers: [{name: a}]").is_empty());
}

#[test]
fn the_flag_wins_over_the_variable_and_the_variable_over_the_home() {
    let home = Some(Path::new("/home/ann"));
    let list = std::env::join_paths(["/a", "", "/b", "/a"]).unwrap();
    assert_eq!(
        files(Some(Path::new("x")), Some(&list), home),
        [PathBuf::from("x")]
    );
    assert_eq!(
        files(None, Some(&list), home),
        [PathBuf::from("/a"), PathBuf::from("/b")]
    );
    assert_eq!(
        files(None, Some(OsStr::new("")), home),
        [PathBuf::from("/home/ann/.kube/config")]
    );
    assert!(files(None, None, None).is_empty());
}
