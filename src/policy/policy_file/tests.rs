//! Policy files as people write them, and what a bad one is told.

use super::*;

const FILE: &str = "acme.yaml";

#[test]
fn a_file_in_yaml_and_in_json_is_the_same_policy() {
    let yaml = "name: acme\nsource: https://acme.example/skew\nlimits:\n  - component: kubelet\n    older: 1\n    \
                serverFrom: 1.30\n  - {component: kube-proxy, reference: kubelet, older: 1, from: \"1.25\"}\n";
    let json = r#"{"name": "acme", "source": "https://acme.example/skew", "limits": [
        {"component": "kubelet", "older": 1, "serverFrom": "1.30"},
        {"component": "kube-proxy", "reference": "kubelet", "older": 1, "from": "1.25"}]}"#;
    let policy = from_text(FILE, yaml).unwrap();
    assert_eq!(policy, from_text("acme.json", json).unwrap());
    assert_eq!(policy.name, "acme");
    let m = Minor::new;
    assert!(
        !policy.is_behind(Component::Kubelet, m(27), m(29)),
        "1.29 is before 1.30"
    );
    assert!(policy.is_behind(Component::Kubelet, m(28), m(30)));
    assert!(!policy.is_behind(Component::Kubelet, m(29), m(30)));
    assert!(policy.is_pair_apart(m(30), m(28)));
    assert!(!policy.is_pair_apart(m(24), m(22)), "1.24 is before 1.25");
}

#[test]
fn a_bad_file_reads_well() {
    let text = "name: acme\nlimits:\n  - component: kubelet\n    older: 30\n";
    assert_eq!(
        from_text(FILE, text).unwrap_err().to_string(),
        "the policy file acme.yaml, line 4, column 5: invalid value: integer `30`, expected a number of minors \
         from 0 to 20"
    );
}

#[test]
fn a_bad_file_names_the_line_and_what_is_wrong() {
    let refused = |text: &str| from_text(FILE, text).unwrap_err().to_string();
    for (text, line, words) in [
        (
            "name: acme\nlimits:\n  - component: kubelett\n    older: 1\n",
            3,
            "kubelett",
        ),
        (
            "name: acme\nlimits:\n  - component: kubelet\n    older: -1\n",
            4,
            "-1",
        ),
        (
            "name: acme\nlimits:\n  - component: kubelet\n    oldest: 1\n",
            4,
            "oldest",
        ),
        (
            "name: acme\nlimits:\n  - component: kubelet\n    older: 1\n    from: 1.x\n",
            5,
            "1.x",
        ),
        (
            "name: acme\nlimits:\n  - component: kubelet\n    older: one\n",
            4,
            "one",
        ),
        (
            "name: upstream\nlimits:\n  - {component: kubelet, older: 1}\n",
            1,
            "upstream",
        ),
        ("name: acme\nlimits: []\n", 2, "empty"),
        ("name: acme\nlimits:\n  - component: [\n", 3, "scalar"),
        (
            "{\"name\": \"acme\",\n \"limits\": [{\"component\": \"kubelet\"}]}",
            2,
            "older",
        ),
        (
            "{\"name\": \"acme\",\n \"limits\": [{\"component\": \"kubelet\", \"older\": 1, \"from\": 1.30}]}",
            2,
            "1.3",
        ),
    ] {
        let error = refused(text);
        assert!(
            error.starts_with(&format!("the policy file acme.yaml, line {line}, column ")),
            "{text}: {error}"
        );
        assert!(error.contains(words), "{text}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    assert_eq!(
        refused("# nothing\n").split(':').next(),
        Some("the policy file acme.yaml, line 2, column 1")
    );
    assert_eq!(
        from_text(FILE, " \n"),
        Err(PolicyFileError::Empty {
            file: FILE.to_owned()
        })
    );
    let crossed = refused("name: acme\nlimits:\n  - {component: kubelet, reference: kubelet, older: 1}\n");
    assert!(
        crossed.contains("only kube-proxy is measured against the kubelet"),
        "{crossed}"
    );
}

#[test]
fn the_published_schema_is_the_readers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy/policy_file.schema.json");
    let published = std::fs::read_to_string(path).unwrap_or_default();
    let ours = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    assert!(published == ours, "policy_file.schema.json should be:\n{ours}");
}

#[test]
fn the_schema_takes_what_the_reader_takes() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    let takes = |text: &str| schema.is_valid(&serde_json::from_str(text).unwrap());
    assert!(takes(
        r#"{"name": "acme", "limits": [{"component": "kubelet", "older": 1, "from": "1.30"}]}"#
    ));
    assert!(!takes(r#"{"name": "acme", "limits": []}"#));
    assert!(!takes(
        r#"{"name": "acme", "limits": [{"component": "kubelet", "older": 1, "from": 1.3}]}"#
    ));
    assert!(!takes(
        r#"{"name": "acme", "limits": [{"component": "etcd", "older": 1}]}"#
    ));
    assert!(!takes(
        r#"{"name": "", "limits": [{"component": "kubelet", "older": 1}]}"#
    ));
    assert!(!takes(r#"{"limits": [{"component": "kubelet", "older": 1}]}"#));
}

#[test]
fn a_limit_that_no_cluster_could_keep_is_refused_with_the_reason() {
    let file = |limit: &str| format!("name: mine\nlimits:\n  - {{{limit}}}\n");
    for limit in [
        "component: kube-controller-manager, older: 0",
        "component: kube-scheduler, older: 0, from: \"1.30\"",
        "component: cloud-controller-manager, older: 0, serverFrom: \"1.30\"",
        "component: kube-proxy, reference: kubelet, older: 0",
    ] {
        let error = from_text("mine.yaml", &file(limit)).unwrap_err().to_string();
        assert!(
            error.contains("older is 0, which no cluster can keep in an upgrade"),
            "{limit}: {error}"
        );
    }
    for limit in [
        "component: kube-scheduler, older: 1",
        "component: kube-proxy, reference: kubelet, older: 1",
        "component: kubelet, older: 0",
    ] {
        assert!(from_text("mine.yaml", &file(limit)).is_ok(), "{limit}");
    }
}
