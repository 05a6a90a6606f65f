//! What breaks a dump: said with its place and the way out, never read as less than it was.

use super::support::*;
use kubectl_skew::inventory::gap::GapReason;
use kubectl_skew::inventory::observed::Listing;
use kubectl_skew::inventory::read_gap::{FilePlace, Malformed, ReadGap, Resource};
use kubectl_skew::render::sentences::gap_reason;

#[test]
fn text_that_is_no_json_names_line_column_and_what_was_expected() {
    for (text, wanted) in [
        ("{\n {\n", "0:2:2: expected a key, found \"{\""),
        (
            "{\"kind\": \"Node\",\n \"metadata\": {\"name\": nope}}",
            "0:2:24: expected true, false or null, found \"o\"",
        ),
        (
            "{\"items\": [{} {}]}",
            "0:1:15: expected \",\" or \"]\", found \"{\"",
        ),
        (
            "{\"items\": [\"text\"]}",
            "0:1:12: expected an object, found \"\\\"\"",
        ),
        (
            "{\"kind\":\"Node\",\"kind\":\"Pod\"}",
            "0:1:21: expected JSON (duplicate field `kind`), found \"\\\"\"",
        ),
        (
            "{}}\n",
            "0:1:3: expected the end of the line behind the object, found \"}\"",
        ),
        (
            "{\"kind\":\"List\",\"items\":[]}, //changed\n",
            "0:1:27: expected the end of the line behind the object, found \",\"",
        ),
        ("}\n", "0:1:1: expected the start of an object, found \"}\""),
    ] {
        assert_eq!(refused(text), wanted, "{text}");
    }
    let node = with_kind("Node", &node("a", "v1.36.2"));
    let mut latin = node.into_bytes();
    let at = latin.iter().position(|byte| *byte == b':').unwrap() + 2;
    latin[at] = 0xe9;
    let error = refused(&latin);
    assert!(
        error.starts_with("0:1:16: expected UTF-8") && error.ends_with("found the byte 0xe9"),
        "{error}"
    );
}

#[test]
fn yaml_that_cannot_be_read_names_its_place() {
    let text = "apiVersion: v1\nkind: Node\nmetadata:\n  name: [a\nstatus: {}\n";
    let error = refused(text);
    assert!(
        error.starts_with("0:") && error.contains("expected YAML"),
        "{error}"
    );
    let tab = "# one\n---\nkind: Node\nmetadata:\n\tname: a\n";
    assert!(refused(tab).starts_with("0:5:"), "{}", refused(tab));
}

#[test]
fn a_list_whose_kind_never_came_was_cut() {
    let whole = format!(
        "{{\"apiVersion\":\"v1\",\n\"items\":[\n{},\n{}\n],\n\"kind\":\"List\"}}",
        with_kind("Node", &node("a", "v1.36.2")),
        with_kind("Node", &node("b", "v1.36.2")),
    );
    let after_first = whole.find(",\n{\"apiVersion\"").unwrap();
    let error = refused(&whole[..after_first]);
    assert!(error.contains("it was cut, take the dump again"), "{error}");
    assert!(
        error.contains("its kind, which kubectl writes behind the items, never came"),
        "{error}"
    );
    let yaml = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n  status:\n    nodeInfo:\n      kubeletVersion: v1.36.2\n";
    assert!(
        refused(yaml).contains("whose kind never came"),
        "{}",
        refused(yaml)
    );
    let logs = format!(
        "{}\n==== START logs for container c of pod x/y ====\nline\n",
        with_kind("Node", &node("a", "v1.36.2"))
    );
    assert!(
        refused(&logs).contains("inside a container's logs"),
        "{}",
        refused(&logs)
    );
}

#[test]
fn yaml_that_ends_in_the_middle_of_a_line_is_incomplete() {
    let text = "kind: Node\nmetadata:\n  name: a\nstatus:\n  nodeInfo:\n    kubeletVersion: v1.3";
    let (observed, _) = read(text).unwrap();
    assert!(is_incomplete(&observed));
    assert!(gap_reason(&gaps(&observed)[0].reason).contains("ends in the middle of line 6"));
}

#[test]
fn a_last_object_that_says_less_than_the_others_is_incomplete() {
    let pod = |name: &str| {
        format!(
            "---\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: kube-system\n  labels: {{k8s-app: kube-proxy}}\nspec:\n  \
             containers:\n  - image: registry.k8s.io/kube-proxy:v1.36.2\nstatus:\n  phase: Running\n"
        )
    };
    let whole = format!("{}{}", pod("one"), pod("two"));
    assert!(!is_incomplete(&read(&whole).unwrap().0));
    for cut in ["status:\n  phase: Running\n", "  phase: Running\n"] {
        let text = whole.strip_suffix(cut).unwrap();
        assert!(is_incomplete(&read(text).unwrap().0), "cut before {cut}");
    }
}

#[test]
fn one_page_of_a_list_is_incomplete() {
    let page = format!(
        r#"{{"kind":"NodeList","apiVersion":"v1","metadata":{{"continue":"abc","remainingItemCount":7}},"items":[{}]}}"#,
        node("a", "v1.36.2")
    );
    let (observed, _) = read(page).unwrap();
    let gaps = gaps(&observed);
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].required);
    let page = ReadGap::OnePage {
        resource: Resource::Nodes,
        at: Some(FilePlace {
            file: "0".to_owned(),
            line: 1,
            column: 1,
        }),
    };
    assert_eq!(gaps[0].reason, GapReason::Read(page));
}

#[test]
fn one_object_that_cannot_be_read_is_a_gap_and_the_rest_is_read() {
    let bad = r#"{"metadata":{"name":"bad"},"status":{"nodeInfo":{"kubeletVersion":136}}}"#;
    let text = format!(
        r#"{{"kind":"NodeList","apiVersion":"v1","items":[{},{bad}]}}"#,
        node("a", "v1.36.2")
    );
    let (observed, _) = read(text).unwrap();
    assert_eq!(kubelets(&observed).len(), 1);
    assert_eq!(listed(&observed.nodes), Some(2));
    let gaps = gaps(&observed);
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].required);
    assert_eq!(gaps[0].objects(), ["node/bad"]);
}

/// What is made up costs what it takes to count it.
#[test]
fn of_many_objects_that_cannot_be_read_the_first_few_are_kept_and_all_are_counted() {
    const MANY: usize = 20_000;
    let list = |head: &str, tail: &str, item: &str| {
        let items = vec![item; MANY].join(",");
        format!(r#"{{{head}"items":[{items}]{tail}}}"#)
    };
    let node_list = r#""apiVersion":"v1","kind":"NodeList""#;
    let bad = r#"{"status":{"nodeInfo":{"kubeletVersion":136}}}"#;
    for (text, malformed) in [
        (list(&format!("{node_list},"), "", "{}"), Malformed::Nameless),
        (list("", &format!(",{node_list}"), "{}"), Malformed::NoKind),
        (list("", &format!(",{node_list}"), bad), Malformed::Nameless),
        (
            list(r#""kind":"List","#, "", r#"{"kind":"Node"}"#),
            Malformed::Nameless,
        ),
    ] {
        let (observed, _) = read(&text).unwrap();
        let Listing::Read { listed, broken, .. } = &observed.nodes else {
            panic!("{:?}", observed.nodes)
        };
        assert_eq!((*listed, broken.total()), (MANY, MANY), "{}", &text[..80]);
        assert!(broken.first().len() <= 10);
        let first = &broken.first()[0];
        assert_eq!(
            std::mem::discriminant(&first.malformed),
            std::mem::discriminant(&malformed),
            "{first:?} in {}",
            &text[..80]
        );
        assert!(first.at.is_some());
        let reason = gap_reason(&gaps(&observed)[0].reason);
        assert!(reason.starts_with("20,000 nodes cannot be read"), "{reason}");
    }
}

#[test]
fn nothing_to_judge_is_an_error() {
    assert!(refused("").contains("is empty"));
    assert!(refused(" \n\n").contains("is empty"));
    assert!(refused(vec![0u8; 70_000]).ends_with("found binary data"));
    assert!(refused("NAME STATUS\nweb-1 Ready\n").contains("expected Kubernetes objects as JSON or YAML"));
    for text in [
        r#"{"kind":"NodeList","apiVersion":"v1","items":[]}"#,
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}"#,
        r#"{"serverVersion":{"gitVersion":"v1.36.4"}}"#,
        "[]",
        "{}",
        "null: x\nkind: Secret\napiVersion: v1\n",
    ] {
        let error = refused(text);
        assert!(error.contains("no Node and no Pod in 0"), "{text}: {error}");
        assert!(
            error.contains("kubectl get nodes,pods -A -o json"),
            "{text}: {error}"
        );
    }
    let forbidden =
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"nodes is forbidden","code":403}"#;
    assert!(
        refused(forbidden).contains("an API server's refusal: nodes is forbidden"),
        "{}",
        refused(forbidden)
    );
}

const UIDS: [&str; 2] = [
    "11111111-2222-3333-4444-555555555555",
    "66666666-7777-8888-9999-aaaaaaaaaaaa",
];

#[test]
fn the_same_object_twice_is_settled_or_refused() {
    let versioned = |kubelet: &str, version: &str, uid: &str| {
        let node = node("a", kubelet).replace(
            "\"name\"",
            &format!("\"uid\":\"{uid}\",\"resourceVersion\":\"{version}\",\"name\""),
        );
        with_kind("Node", &node)
    };
    let (old, new) = (
        versioned("v1.35.0", "9", UIDS[0]),
        versioned("v1.36.2", "10", UIDS[0]),
    );
    for texts in [[&old, &new], [&new, &old]] {
        let (observed, source) = read_all(&texts.map(String::as_bytes)).unwrap();
        assert_eq!(kubelets(&observed), [("a".to_owned(), "v1.36.2".to_owned())]);
        assert_eq!(
            source.warnings,
            ["node/a stands twice in the input: the newest by resourceVersion counts"]
        );
    }
    let (_, source) = read_all(&[old.as_bytes(), old.as_bytes()]).unwrap();
    assert!(source.warnings.is_empty(), "{:?}", source.warnings);
    let untold = |kubelet| with_kind("Node", &node("a", kubelet));
    let error = refused(format!("{}\n{}\n", untold("v1.35.0"), untold("v1.36.2")));
    assert!(
        error.contains("node/a stands twice in the input and differs (0:1:1 and 0:2:1)"),
        "{error}"
    );
    let other = versioned("v1.36.2", "11", UIDS[1]);
    assert!(refused(format!("{old}\n{other}\n")).contains("these are two clusters"));
}

#[test]
fn two_servers_versions_are_said() {
    let node = with_kind("Node", &node("a", "v1.36.2"));
    let version = |version: &str| format!(r#"{{"serverVersion":{{"gitVersion":"{version}"}}}}"#);
    let (one, two) = (version("v1.36.4"), version("v1.35.1"));
    let texts = [node.as_bytes(), one.as_bytes(), two.as_bytes()];
    let (observed, _) = read_all(&texts).unwrap();
    let gaps = gaps(&observed);
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].required, "{gaps:?}");
    assert!(
        gap_reason(&gaps[0].reason).contains("v1.35.1 (2:1:1), v1.36.4 (1:1:1)"),
        "{gaps:?}"
    );
    let mut request = request(&texts);
    request.server_version = Some("v1.36.4".to_owned());
    let (observed, _) = kubectl_skew::collect::dump::observe(&request).unwrap();
    assert!(!is_incomplete(&observed), "told is told");
    let (observed, _) = read_all(&[node.as_bytes(), one.as_bytes(), one.as_bytes()]).unwrap();
    assert!(!is_incomplete(&observed), "one answer twice is one answer");
}

#[test]
fn nothing_from_a_file_reaches_a_terminal_unescaped() {
    let node = with_kind("Node", &node("a\\u001b[31m", "v1.36.2"));
    let second = node.replace("v1.36.2", "v1.35.0");
    let error = refused(format!("{node}\n{second}\n"));
    assert!(!error.contains('\u{1b}'), "{error:?}");
    let refusal = r#"{"kind":"Status","message":"\u001b]0;x\u0007"}"#;
    assert!(!refused(refusal).contains('\u{1b}'));
}

#[test]
fn no_nesting_is_too_deep_to_be_refused() {
    for open in ["[", "{\"items\":[", "{\"a\":", "- ", "a: {"] {
        let text = open.repeat(20_000);
        assert!(read(&text).is_err(), "{open}");
    }
}
