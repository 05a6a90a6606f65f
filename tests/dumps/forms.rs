//! The forms that objects are saved in: whatever the form, the same objects.

use super::support::*;

fn two() -> Vec<(String, String)> {
    [("a", "v1.36.2"), ("b", "v1.35.4")]
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .to_vec()
}

#[test]
fn nodes_are_read_whatever_holds_them() {
    let (a, b) = (node("a", "v1.36.2"), node("b", "v1.35.4"));
    let (full_a, full_b) = (with_kind("Node", &a), with_kind("Node", &b));
    for (what, text) in [
        (
            "a List",
            format!(r#"{{"apiVersion":"v1","kind":"List","items":[{full_a},{full_b}]}}"#),
        ),
        (
            "a List whose kind comes last",
            format!(
                r#"{{"apiVersion":"v1","items":[{full_a},{full_b}],"kind":"List","metadata":{{"resourceVersion":""}}}}"#
            ),
        ),
        (
            "a NodeList whose items carry no kind",
            format!(r#"{{"kind":"NodeList","apiVersion":"v1","metadata":{{}},"items":[{a},{b}]}}"#),
        ),
        (
            "a NodeList whose kind comes last",
            format!(r#"{{"apiVersion":"v1","items":[{a},{b}],"kind":"NodeList"}}"#),
        ),
        ("a list without a kind", format!(r#"{{"items":[{a},{b}]}}"#)),
        ("an array", format!("[{full_a},{full_b}]")),
        ("an array of objects without a kind", format!("[{a}, {b}]")),
        (
            "an array of lists",
            format!(r#"[{{"kind":"NodeList","items":[{a}]}},{{"kind":"List","items":[{full_b}]}}]"#),
        ),
        (
            "a List of lists",
            format!(
                r#"{{"kind":"List","items":[{{"kind":"NodeList","apiVersion":"v1","items":[{a},{b}]}}]}}"#
            ),
        ),
        ("documents on one line", format!("{full_a}{full_b}")),
        ("documents on lines", format!("{full_a}\n{full_b}\n")),
        ("documents without a kind", format!("{a}\r\n{b}\r\n")),
        (
            "documents behind their marks",
            format!("--- {full_a}\n--- # two\n{full_b}\n"),
        ),
        (
            "documents between marks",
            format!("---\n{full_a}\n---\n{full_b}\n---\n"),
        ),
        (
            "nulls among the items",
            format!(r#"{{"kind":"List","items":[null,{full_a},null,{full_b}]}}"#),
        ),
        (
            "text between documents",
            format!("Flag --x is deprecated\n{full_a}\nI0301 10:00:00 done\n{full_b}\n"),
        ),
        (
            "escaped keys",
            format!(r#"{{"\u006bind":"List","it\u0065ms":[{full_a},{full_b}]}}"#),
        ),
        ("a byte order mark", format!("\u{feff}[{a},{b}]")),
        (
            "two files put together, each with its mark",
            format!("\u{feff}{full_a}\n\u{feff}{full_b}\n"),
        ),
    ] {
        let (observed, source) = read(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(kubelets(&observed), two(), "{what}");
        assert_eq!(listed(&observed.nodes), Some(2), "{what}");
        assert!(gaps(&observed).is_empty(), "{what}: {:?}", gaps(&observed));
        assert_eq!(source.skipped, 0, "{what}");
    }
}

const YAML: &str = "\
apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: a
  status:
    nodeInfo:
      kubeletVersion: v1.36.2
- apiVersion: v1
  kind: Node
  metadata:
    name: b
  status:
    nodeInfo:
      kubeletVersion: v1.35.4
kind: List
metadata:
  resourceVersion: \"\"
";

#[test]
fn yaml_is_read_as_json_is() {
    let stream = "\
# taken by hand
---
apiVersion: v1
kind: Node
metadata: {name: a}
status: {nodeInfo: {kubeletVersion: v1.36.2}}
---
kind: Node
metadata:
  name: \"b\"
status:
  nodeInfo:
    kubeletVersion: 'v1.35.4'
...
";
    let crlf = YAML.replace('\n', "\r\n");
    let sequence = "- kind: Node\n  metadata: {name: a}\n  status: {nodeInfo: {kubeletVersion: v1.36.2}}\n\
                    - metadata: {name: b}\n  status: {nodeInfo: {kubeletVersion: v1.35.4}}\n";
    let mixed = format!(
        "{}\n---\nkind: Node\nmetadata: {{name: b}}\nstatus: {{nodeInfo: {{kubeletVersion: v1.35.4}}}}\n",
        with_kind("Node", &node("a", "v1.36.2"))
    );
    let other_way = format!(
        "kind: Node\nmetadata: {{name: b}}\nstatus: {{nodeInfo: {{kubeletVersion: v1.35.4}}}}\n{}\n",
        with_kind("Node", &node("a", "v1.36.2"))
    );
    let anchored = "apiVersion: v1\nitems:\n- &one\n  kind: Node\n  metadata: {name: a}\n  status: {nodeInfo: {kubeletVersion: v1.36.2}}\n\
                    - *one\n- kind: Node\n  metadata: {name: b}\n  status: {nodeInfo: {kubeletVersion: v1.35.4}}\nkind: List\n";
    for (what, text) in [
        ("kubectl's", YAML),
        ("a stream", stream),
        ("line ends of Windows", &crlf),
        ("a sequence", sequence),
        ("JSON and YAML", &mixed),
        ("YAML and JSON", &other_way),
        ("anchors", anchored),
    ] {
        let (observed, _) = read(text).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(kubelets(&observed), two(), "{what}");
        assert!(gaps(&observed).is_empty(), "{what}: {:?}", gaps(&observed));
    }
}

#[test]
fn encodings_of_windows_are_read() {
    let text = format!("\u{feff}{}", YAML.replace('\n', "\r\n"));
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [text.as_bytes(), &little, &big] {
        assert_eq!(kubelets(&read(bytes).unwrap().0), two());
    }
}

#[test]
fn only_the_core_group_has_nodes_and_pods() {
    let foreign = r#"{"apiVersion":"longhorn.io/v1beta2","kind":"Node","metadata":{"name":"x"},"status":{"nodeInfo":{"kubeletVersion":"v1.20.0"}}}"#;
    let calico = r#"{"apiVersion":"crd.projectcalico.org/v1","kind":"NodeList","items":[{"metadata":{"name":"y"},"status":{"nodeInfo":{}}}]}"#;
    let late = r#"{"items":[{"metadata":{"name":"z"},"status":{"nodeInfo":{}}}],"kind":"NodeList","apiVersion":"longhorn.io/v1beta2"}"#;
    let own = with_kind("Node", &node("a", "v1.36.2"));
    let (observed, _) = read(format!("{foreign}\n{calico}\n{late}\n{own}\n")).unwrap();
    assert_eq!(kubelets(&observed), &two()[..1]);
    assert!(gaps(&observed).is_empty());
}

#[test]
fn other_kinds_are_passed_over_whatever_they_hold() {
    let text = format!(
        "{}\n{}\n{}\n{}\n",
        r#"{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[{"metadata":{"name":"kube-proxy","namespace":"kube-system"},"spec":{"template":{"spec":{"containers":[{"image":"k/kube-proxy:v1.20.0"}]}}}}]}"#,
        r#"{"kind":"EventList","apiVersion":"v1","items":[{"involvedObject":{"kind":"Node","name":"gone"}}]}"#,
        r#"{"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","items":[{"metadata":{"name":"m"}}]}"#,
        with_kind("Node", &node("a", "v1.36.2")),
    );
    let (observed, _) = read(text).unwrap();
    assert_eq!(kubelets(&observed), &two()[..1]);
    assert_eq!(listed(&observed.pods), None);
}

#[test]
fn logs_are_never_read() {
    let lie = with_kind("Node", &node("lie", "v1.20.0"));
    let (a, b) = (
        with_kind("Node", &node("a", "v1.36.2")),
        with_kind("Node", &node("b", "v1.35.4")),
    );
    let text = format!(
        "{a}\n==== START logs for container c of pod x/y ====\n{lie}\napiVersion: v1\n\
         ==== END logs for container other of pod x/y ====\n{{ broken\n\
         last line without an end==== END logs for container c of pod x/y ====\n{b}\n"
    );
    assert_eq!(kubelets(&read(text).unwrap().0), two());
}

#[test]
fn pods_are_kept_counted_or_of_no_interest() {
    let other = r#"{"metadata":{"name":"coredns-a","namespace":"kube-system"},"spec":{"nodeName":"a","containers":[{"image":"coredns:v1"}]}}"#;
    let elsewhere = r#"{"metadata":{"name":"shop","namespace":"shop"},"spec":{"nodeName":"a","containers":[{"image":"k/kube-proxy:v1.20.0"}]}}"#;
    for text in [
        format!(
            r#"{{"kind":"PodList","apiVersion":"v1","items":[{},{other},{elsewhere}]}}"#,
            proxy("p", "a", "v1.36.2")
        ),
        format!(
            r#"{{"apiVersion":"v1","items":[{},{other},{elsewhere}],"kind":"PodList"}}"#,
            proxy("p", "a", "v1.36.2")
        ),
    ] {
        let (observed, _) = read(text).unwrap();
        assert_eq!(pods(&observed), ["p"]);
        assert_eq!(listed(&observed.pods), Some(2));
        assert_eq!(listed(&observed.nodes), None);
    }
    let (observed, _) = read(format!(r#"{{"kind":"PodList","items":[{elsewhere}]}}"#)).unwrap();
    assert_eq!(
        listed(&observed.pods),
        Some(0),
        "pods, but none where components run"
    );
}

#[test]
fn versions_are_the_servers_never_the_clients() {
    let node = with_kind("Node", &node("a", "v1.36.2"));
    let both = r#"{"clientVersion":{"gitVersion":"v1.30.0"},"kustomizeVersion":"v5","serverVersion":{"major":"1","minor":"36","gitVersion":"v1.36.4"}}"#;
    let yaml =
        b"clientVersion:\n  gitVersion: v1.30.0\nserverVersion:\n  gitVersion: v1.36.4\n  minor: \"36\"\n";
    let raw = r#"{"major":"1","minor":"36","gitVersion":"v1.36.4","platform":"linux/amd64"}"#;
    for version in [both.as_bytes(), yaml, raw.as_bytes()] {
        let (observed, _) = read_all(&[node.as_bytes(), version]).unwrap();
        let told: Vec<&str> = observed.versions.iter().map(|v| v.git_version.as_str()).collect();
        assert_eq!(told, ["v1.36.4"]);
    }
    let client = br#"{"clientVersion":{"gitVersion":"v1.30.0"}}"#;
    let (observed, source) = read_all(&[node.as_bytes(), client]).unwrap();
    assert!(observed.versions.is_empty());
    assert!(
        source.warnings[0].contains("no serverVersion"),
        "{:?}",
        source.warnings
    );
}

#[test]
fn leases_and_operators_are_read_where_they_stand() {
    let text = format!(
        "{}\n{}\n{}\n",
        with_kind("Node", &node("a", "v1.36.2")),
        r#"{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","items":[
            {"metadata":{"name":"apiserver-x","namespace":"kube-system","labels":{"apiserver.kubernetes.io/identity":"kube-apiserver"}},"spec":{"renewTime":"2026-03-01T10:00:00.000000Z"}},
            {"metadata":{"name":"a","namespace":"kube-node-lease"},"spec":{"renewTime":"2026-03-01T10:00:09.000000Z"}}]}"#,
        r#"{"kind":"ClusterOperator","apiVersion":"config.openshift.io/v1","metadata":{"name":"kube-scheduler"},"status":{"versions":[{"name":"kube-scheduler","version":"1.36.2"}]}}"#,
    );
    let (observed, source) = read(text).unwrap();
    assert_eq!(observed.leases.items().len(), 1);
    assert_eq!(observed.operators.items().len(), 1);
    assert_eq!(source.captured_at, Some("2026-03-01T10:00:09Z".parse().unwrap()));
    let (observed, source) = read(with_kind("Node", &node("a", "v1.36.2"))).unwrap();
    assert_eq!(
        listed(&observed.leases),
        None,
        "no Lease in the dump says nothing about Leases"
    );
    assert_eq!(source.captured_at, None);
}

#[test]
fn places_are_lines_of_the_users_file() {
    let json = "\n{\n  \"kind\": \"List\",\n  \"items\": [\n    {\"kind\": \"Node\", \"metadata\": {\"name\": \"a\", \"uid\": \"x\"}},\n\n    \
                {\"kind\": \"Node\", \"metadata\": {\"name\": \"b\", \"uid\": \"y\"}}\n  ]\n}\n";
    let place = |text: &str| {
        let (_, source) = read(text).unwrap();
        source
            .places
            .iter()
            .map(|place| (place.object.clone(), place.line))
            .collect::<Vec<_>>()
    };
    let wanted = |a, b| vec![("node/a".to_owned(), a), ("node/b".to_owned(), b)];
    assert_eq!(place(json), wanted(5, 7));
    assert_eq!(place(YAML), wanted(3, 10));
    assert_eq!(place(&format!("# a comment\n---\n{YAML}")), wanted(5, 12));
}
