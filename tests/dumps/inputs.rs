//! Files, directories and archives: what is in them is read, counted or refused.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::support::*;

fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn yaml_node(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\nstatus:\n  nodeInfo:\n    kubeletVersion: v1.36.2\n"
    )
}

/// A must-gather: a file a node, the pods of a namespace in one file and each in its own, logs and more.
fn must_gather(root: &Path) {
    write(root, "version", "must-gather 4.20\n");
    write(
        root,
        "cluster-scoped-resources/core/nodes/a.yaml",
        format!("---\n{}", yaml_node("a")),
    );
    write(
        root,
        "cluster-scoped-resources/core/nodes/b.yaml",
        format!("---\n{}", yaml_node("b")),
    );
    write(
        root,
        "cluster-scoped-resources/core/namespaces/x.yaml",
        "kind: Namespace\napiVersion: v1\nmetadata: {name: x}\n",
    );
    let pod = with_kind("Pod", &proxy("p", "a", "v1.36.2"));
    write(
        root,
        "namespaces/kube-system/core/pods.yaml",
        format!("---\napiVersion: v1\nitems:\n- {pod}\nkind: PodList\n"),
    );
    write(
        root,
        "namespaces/kube-system/pods/p/p.yaml",
        format!("---\n{pod}\n"),
    );
    write(
        root,
        "namespaces/kube-system/pods/p/c/c/logs/current.log",
        with_kind("Node", &node("lie", "v1.1.1")),
    );
    write(root, "event-filter.html", "<html>{\n</html>");
    write(root, "binary", [0u8, 159, 146, 150, b'{', 10]);
    write(root, "empty.json", "");
}

#[test]
fn a_must_gather_is_read_and_what_is_no_part_of_it_is_counted() {
    let root = tempfile::tempdir().unwrap();
    must_gather(root.path());
    let (observed, source) = read_path(root.path()).unwrap();
    assert_eq!(kubelets(&observed).len(), 2);
    assert_eq!(pods(&observed), ["p"]);
    assert!(gaps(&observed).is_empty(), "{:?}", gaps(&observed));
    assert_eq!(source.skipped, 6);
    assert_eq!(source.warnings.len(), 1, "{:?}", source.warnings);
    assert!(source.warnings[0].starts_with("6 files hold nothing that is read"));
    assert_eq!(source.files, [root.path().display().to_string()]);
}

#[test]
fn an_archive_is_read_as_the_directory_is() {
    let root = tempfile::tempdir().unwrap();
    must_gather(root.path());
    let target = tempfile::tempdir().unwrap();
    for name in ["dump.tar.gz", "dump.tgz", "no-name-at-all"] {
        let path = target.path().join(name);
        let encoder =
            flate2::write::GzEncoder::new(fs::File::create(&path).unwrap(), flate2::Compression::fast());
        let mut builder = tar::Builder::new(encoder);
        builder.append_dir_all("must-gather", root.path()).unwrap();
        builder.into_inner().unwrap().finish().unwrap();
        let (observed, source) = read_path(&path).unwrap();
        assert_eq!(kubelets(&observed).len(), 2, "{name}");
        assert_eq!(pods(&observed), ["p"], "{name}");
        assert_eq!(source.skipped, 6, "{name}");
        assert!(
            source.places[0]
                .file
                .ends_with(":must-gather/cluster-scoped-resources/core/nodes/a.yaml")
        );
    }
}

#[test]
fn a_packed_list_is_read_and_a_cut_one_refused() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("nodes.json.gz");
    let text = format!(
        r#"{{"kind":"NodeList","apiVersion":"v1","items":[{}]}}"#,
        node("a", "v1.36.2")
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    fs::write(&path, &packed).unwrap();
    assert_eq!(kubelets(&read_path(&path).unwrap().0).len(), 1);
    for cut in 3..packed.len() {
        fs::write(&path, &packed[..cut]).unwrap();
        assert!(read_path(&path).is_err(), "cut at {cut}");
    }
}

#[test]
fn a_broken_file_among_others_is_an_error_once_it_is_one_of_the_dumps() {
    let with = |name: &str, text: &str| {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a.yaml", yaml_node("a"));
        write(root.path(), name, text);
        read_path(root.path())
            .map(|(_, source)| source)
            .map_err(|error| shown(&error).replace(&root.path().display().to_string(), ""))
    };
    // Broken, and none of ours: said and counted.
    let source = with("chart.json", "{\"a\": nope}").unwrap();
    assert_eq!(source.skipped, 1);
    assert!(
        source.warnings[0].contains("chart.json was passed over"),
        "{:?}",
        source.warnings
    );
    let source = with("values.yaml", "---\na: [1\n").unwrap();
    assert_eq!(source.skipped, 1);
    // Broken, having shown a Node or a Pod.
    let error = with("n.json", "{\"kind\": \"Node\", \"metadata\": nope}").unwrap_err();
    assert!(error.starts_with("/n.json:1:31:"), "{error}");
    let error = with("n.yaml", "kind: Pod\nmetadata: [\n").unwrap_err();
    assert!(error.starts_with("/n.yaml:"), "{error}");
    let error = with(
        "n.json",
        &format!("{}\n{{]", with_kind("Node", &node("b", "v1.36.2"))),
    )
    .unwrap_err();
    assert!(error.starts_with("/n.json:2:2"), "{error}");
    // Cut before it showed one: of what, nobody knows.
    let source = with("n.json", "{\"apiVersion\": \"v1\", \"it").unwrap();
    assert!(source.warnings[0].contains("it was cut"), "{:?}", source.warnings);
}

#[test]
fn what_is_not_there_is_an_error_with_its_name() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("missing.json");
    let error = shown(&read_path(&missing).unwrap_err());
    assert!(
        error.contains("missing.json cannot be read: No such file"),
        "{error}"
    );
    let error = shown(&read_path(root.path()).unwrap_err());
    assert!(error.contains("holds no file"), "{error}");
    write(root.path(), "notes.txt", "nothing\n");
    let error = shown(&read_path(root.path()).unwrap_err());
    assert!(error.contains("no Node and no Pod in"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_loops_end() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "real/a.yaml", yaml_node("a"));
    symlink(root.path().join("real"), root.path().join("again")).unwrap();
    symlink(root.path(), root.path().join("real/up")).unwrap();
    symlink("self", root.path().join("self")).unwrap();
    symlink("nothing", root.path().join("dangling")).unwrap();
    let (observed, source) = read_path(root.path()).unwrap();
    assert_eq!(kubelets(&observed).len(), 1);
    assert_eq!(source.skipped, 4, "{:?}", source.warnings);
    assert!(
        source
            .warnings
            .iter()
            .any(|warning| warning.contains("dangling was passed over"))
    );
}

#[cfg(unix)]
#[test]
fn nothing_that_is_no_file_is_opened_in_a_directory() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "a.yaml", yaml_node("a"));
    let _listener = std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap();
    let (_, source) = read_path(root.path()).unwrap();
    assert_eq!(source.skipped, 1);
}

#[test]
fn standard_input_is_given_once() {
    use kubectl_skew::collect::dump::{DumpError, DumpRequest, Input, observe};
    let twice = DumpRequest {
        inputs: vec![Input::Stdin, Input::Stdin],
        ..request(&[])
    };
    assert!(matches!(observe(&twice), Err(DumpError::StdinTwice)));
}
