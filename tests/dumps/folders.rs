//! Folders and archives with other files in them, and inputs that hold more than one cluster.

use std::fs;
use std::path::Path;

use super::support::*;

fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const README: &str =
    "# Nodes\n\n```yaml\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n```\n\nThen `kubectl apply`.\n";
const TEMPLATE: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"{{ include \"web.name\" . }}-test\"\nspec:\n  \
                        containers:\n    - name: {{ .Values.name }}\n";
const CONTROLLED: &str = "{{- if .Values.on }}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n  containers: []\n{{- end }}\n";
const RESULTS: &str = "name: e2e\nstatus: passed\nitems:\n- name: junit_01.xml\n  items:\n  - name: suite\n";

/// Files that stand beside a dump, and are none of it.
fn others() -> Vec<(&'static str, String)> {
    [
        ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n"),
        ("sonobuoy_results.yaml", RESULTS),
        ("results.json", "{\"items\":[{\"name\":\"a\",\"items\":[]}]}"),
        ("texts.json", "{\"items\":[\"a\",\"b\"]}"),
        (
            "api.json",
            "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"x\",\"version\":\"1.2.3\"}}",
        ),
        ("templates/test.yaml", TEMPLATE),
        ("templates/if.yaml", CONTROLLED),
        ("README.md", README),
        ("README", README),
        (
            "main.go",
            "package main\n\nconst node = `\nkind: Node\nmetadata: [\n`\n",
        ),
        ("make.sh", "cat <<E\nkind: Node\nmetadata: [\nE\n"),
        ("x.tpl", "kind: Node\nmetadata: [\n"),
        ("notes.txt", "kind: Node\nmetadata: [\n"),
        ("prose", "To label a node:\nkind: Node\nmetadata: [\n"),
        ("cut.json", "{\"settings\": {\"a\": 1"),
        ("values.yaml", "a: [1\n"),
    ]
    .map(|(name, text)| (name, text.to_owned()))
    .to_vec()
}

#[test]
fn a_file_that_is_no_object_is_a_counted_warning() {
    for (name, text) in others() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            "nodes.json",
            with_kind("Node", &node("a", "v1.36.2")),
        );
        write(root.path(), name, &text);
        let (observed, source) = read_path(root.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(kubelets(&observed).len(), 1, "{name}");
        assert!(gaps(&observed).is_empty(), "{name}: {:?}", gaps(&observed));
        assert_eq!(source.skipped, 1, "{name}");
        assert_eq!(source.warnings.len(), 1, "{name}: {:?}", source.warnings);
    }
    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        "nodes.json",
        with_kind("Node", &node("a", "v1.36.2")),
    );
    for (name, text) in others() {
        write(root.path(), name, &text);
    }
    let archive = root.path().join("../all.tar");
    let mut builder = tar::Builder::new(fs::File::create(&archive).unwrap());
    builder.append_dir_all("d", root.path()).unwrap();
    builder.finish().unwrap();
    for path in [root.path(), &archive] {
        let (observed, source) = read_path(path).unwrap();
        assert_eq!(kubelets(&observed).len(), 1);
        assert_eq!(source.skipped, others().len());
    }
    fs::remove_file(archive).unwrap();
}

#[test]
fn what_is_named_itself_is_read_whatever_its_name() {
    let root = tempfile::tempdir().unwrap();
    for name in ["nodes.txt", "nodes.md", "nodes.log", "README"] {
        write(root.path(), name, with_kind("Node", &node("a", "v1.36.2")));
        assert_eq!(
            kubelets(&read_path(root.path().join(name)).unwrap().0).len(),
            1,
            "{name}"
        );
    }
}

#[test]
fn a_file_that_showed_a_node_and_breaks_is_an_error() {
    let one = with_kind("Node", &node("b", "v1.36.2"));
    for (name, text) in [
        ("n.json", one[..one.len() - 20].to_owned()),
        ("n", one[..one.len() - 20].to_owned()),
        ("n.json", format!("{{\"kind\":\"List\",\"items\":[{one},")),
        ("n.yaml", format!("apiVersion: v1\nitems:\n- {one}\n")),
        ("n.yaml", format!("{one}\n---\nkind: [\n")),
        // A template may stand in an annotation of a real object.
        (
            "n.yaml",
            "kind: Node\nmetadata:\n  annotations: {x: '{{ y }}'}\nstatus:\n  nodeInfo: [\n".to_owned(),
        ),
    ] {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a.json", with_kind("Node", &node("a", "v1.36.2")));
        write(root.path(), name, &text);
        assert!(read_path(root.path()).is_err(), "{name}: {text}");
    }
}

#[test]
fn a_server_version_is_read_from_support_bundles_and_from_the_text_of_kubectl() {
    let bundle = r#"{"info":{"major":"1","minor":"34","gitVersion":"v1.34.2-eks-ecaa3a6"},"string":"v1.34.2-eks-ecaa3a6"}"#;
    let text = "Client Version: v1.30.0\nKustomize Version: v5.0.4\nServer Version: v1.34.2-eks-ecaa3a6\n";
    let old = "Client Version: version.Info{Major:\"1\", Minor:\"18\", GitVersion:\"v1.18.6\"}\nServer Version: \
               version.Info{Major:\"1\", Minor:\"34\", GitVersion:\"v1.34.2-eks-ecaa3a6\", GitCommit:\"0\"}\n";
    for (name, text) in [
        ("cluster_version.json", bundle),
        ("version.txt", text),
        ("version", text),
        ("version.txt", old),
    ] {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            "nodes.json",
            with_kind("Node", &node("a", "v1.34.2")),
        );
        write(root.path(), name, text);
        let (observed, source) = read_path(root.path()).unwrap();
        let told: Vec<&str> = observed.versions.iter().map(|v| v.git_version.as_str()).collect();
        assert_eq!(told, ["v1.34.2-eks-ecaa3a6"], "{name}");
        assert_eq!(source.skipped, 0, "{name}");
    }
    let client = "Client Version: v1.30.0\nKustomize Version: v5.0.4\n";
    let (observed, _) = read_all(&[with_kind("Node", &node("a", "v1")).as_bytes(), client.as_bytes()])
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(observed.versions.is_empty());
}

#[test]
fn uids_that_are_none_are_ignored() {
    let with_uid = |name: &str, uid: &str| {
        with_kind(
            "Node",
            &node(name, "v1.36.2").replace("\"name\"", &format!("\"uid\":\"{uid}\",\"name\"")),
        )
    };
    for uid in [
        "REDACTED",
        "",
        "00000000-0000-0000-0000-000000000000",
        "11111111-2222-3333-4444-555555555555",
    ] {
        let (observed, _) = read(format!("{}\n{}\n", with_uid("a", uid), with_uid("b", uid))).unwrap();
        assert_eq!(kubelets(&observed).len(), 2, "{uid}");
    }
    // A uid that several names share says nothing about one of them.
    let shared = "11111111-2222-3333-4444-555555555555";
    let own = "66666666-7777-8888-9999-aaaaaaaaaaaa";
    let text = [with_uid("a", shared), with_uid("b", shared), with_uid("a", own)].join("\n");
    assert_eq!(kubelets(&read(text).unwrap().0).len(), 2);
    let text = [with_uid("a", shared), with_uid("a", own)].join("\n");
    assert!(refused(text).contains("two uids"));
}

fn namespace(uid: &str) -> String {
    format!(r#"{{"kind":"Namespace","apiVersion":"v1","metadata":{{"name":"kube-system","uid":"{uid}"}}}}"#)
}

#[test]
fn two_clusters_in_one_input_are_an_error_that_names_them() {
    let node_a = with_kind("Node", &node("a", "v1.36.2"));
    let node_b = with_kind("Node", &node("b", "v1.36.2"));
    let (one, two) = (
        "11111111-2222-3333-4444-555555555555",
        "66666666-7777-8888-9999-aaaaaaaaaaaa",
    );
    let error = refused([node_a.clone(), namespace(one), node_b.clone(), namespace(two)].join("\n"));
    assert!(
        error.contains("two clusters") && error.contains(one) && error.contains(two),
        "{error}"
    );
    for uid in [one, "REDACTED", "00000000-0000-0000-0000-000000000000"] {
        read([node_a.clone(), namespace(one), namespace(uid)].join("\n")).unwrap();
    }

    let version = |version: &str| format!(r#"{{"serverVersion":{{"gitVersion":"{version}"}}}}"#);
    let error = refused([node_a.clone(), version("v1.34.1"), version("v1.36.2")].join("\n"));
    assert!(
        error.contains("v1.34.1 in 0:2:1")
            && error.contains("v1.36.2 in 0:3:1")
            && error.contains("kubectl skew -f"),
        "{error}"
    );
    let (observed, _) = read([node_a.clone(), version("v1.35.1"), version("v1.36.2")].join("\n")).unwrap();
    assert!(is_incomplete(&observed));

    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        "east/cluster-scoped-resources/core/nodes/a.json",
        &node_a,
    );
    write(
        root.path(),
        "west/cluster-scoped-resources/core/nodes/b.json",
        &node_b,
    );
    let error = shown(&read_path(root.path()).unwrap_err());
    assert!(
        error.contains("two clusters") && error.contains("east") && error.contains("west"),
        "{error}"
    );
    // Two images of must-gather write the same Nodes.
    write(
        root.path(),
        "west/cluster-scoped-resources/core/nodes/a.json",
        &node_a,
    );
    assert_eq!(kubelets(&read_path(root.path()).unwrap().0).len(), 2);
}

#[test]
fn manifests_are_no_observations() {
    let manifest = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"kube-apiserver","namespace":"kube-system","labels":{"component":"kube-apiserver"}},"spec":{"containers":[{"name":"kube-apiserver","image":"k/kube-apiserver:v1.36.2"}]},"status":{}}"#;
    let node = with_kind("Node", &node("a", "v1.36.2"));
    for text in [
        format!("{node}\n{manifest}\n"),
        format!("{node}\n{{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{manifest}]}}\n"),
    ] {
        let (observed, source) = read(&text).unwrap();
        assert_eq!(
            listed(&observed.pods),
            None,
            "a namespace of manifests alone was not read: {text}"
        );
        assert!(source.warnings[0].contains("manifest"), "{:?}", source.warnings);
    }
    for observed_by in [
        manifest.replace("\"status\":{}", "\"status\":{\"phase\":\"Running\"}"),
        manifest.replace("\"labels\"", "\"uid\":\"REDACTED\",\"labels\""),
        manifest.replace(
            "\"labels\"",
            "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\"",
        ),
        manifest.replace("\"containers\"", "\"nodeName\":\"a\",\"containers\""),
    ] {
        let (observed, _) = read(format!("{node}\n{observed_by}\n")).unwrap();
        assert_eq!(listed(&observed.pods), Some(1), "{observed_by}");
    }
    assert!(refused(manifest).contains("no Node and no Pod"));
}

#[test]
fn copies_are_compared_before_it_is_asked_what_a_pod_is() {
    let pod = |image: &str, version: &str| {
        format!(
            r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"web-1","namespace":"kube-system","resourceVersion":"{version}"}},"spec":{{"nodeName":"a","containers":[{{"name":"c","image":"{image}"}}]}},"status":{{"phase":"Running"}}}}"#
        )
    };
    let proxy =
        |version: &str| pod("registry.k8s.io/kube-proxy:v1.20.0", version).replace("web-1", "kube-proxy-1");
    let other = |version: &str| pod("nginx:1", version).replace("web-1", "kube-proxy-1");
    for (texts, kept) in [
        ([proxy("9"), other("10")], 0),
        ([other("10"), proxy("9")], 0),
        ([other("9"), proxy("10")], 1),
        ([proxy("10"), other("9")], 1),
    ] {
        let (observed, source) = read(texts.join("\n")).unwrap();
        assert_eq!(pods(&observed).len(), kept, "{texts:?}");
        assert_eq!(source.warnings.len(), 1, "{:?}", source.warnings);
    }
    let text = [proxy("9"), other("9")].join("\n");
    assert!(refused(text).contains("stands twice"));
}

#[test]
fn the_same_file_twice_is_read_once() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "n.json", with_kind("Node", &node("a", "v1.36.2")));
    let path = root.path().join("n.json");
    let (observed, source) =
        kubectl_skew::collect::dump::observe(&kubectl_skew::collect::dump::DumpRequest {
            inputs: vec![
                kubectl_skew::collect::dump::Input::Path(path.clone()),
                kubectl_skew::collect::dump::Input::Path(path),
                kubectl_skew::collect::dump::Input::Path(root.path().to_owned()),
            ],
            ..request(&[])
        })
        .unwrap();
    assert_eq!(kubelets(&observed).len(), 1);
    assert!(source.warnings.is_empty(), "{:?}", source.warnings);
}

#[cfg(unix)]
#[test]
fn a_directory_is_not_left_by_a_link_and_no_pipe_is_opened() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    write(
        outside.path(),
        "far.json",
        with_kind("Node", &node("far", "v1.20.0")),
    );
    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        "real/a.json",
        with_kind("Node", &node("a", "v1.36.2")),
    );
    symlink(root.path().join("real/a.json"), root.path().join("again.json")).unwrap();
    symlink(outside.path().join("far.json"), root.path().join("out.json")).unwrap();
    symlink(outside.path(), root.path().join("out")).unwrap();
    symlink("/dev/zero", root.path().join("zero.json")).unwrap();
    let status = std::process::Command::new("mkfifo")
        .arg(root.path().join("pipe.json"))
        .status();
    assert!(status.unwrap().success());
    let (observed, source) = read_path(root.path()).unwrap();
    assert_eq!(kubelets(&observed), [("a".to_owned(), "v1.36.2".to_owned())]);
    assert_eq!(source.skipped, 4, "{:?}", source.warnings);
    // What is named itself is read, link or not.
    assert_eq!(
        kubelets(&read_path(root.path().join("out.json")).unwrap().0).len(),
        1
    );
}
