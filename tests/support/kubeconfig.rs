//! Kubeconfig files for the tests. JSON is YAML, so they are written as JSON.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// A kubeconfig file with one cluster, one user and one context `test` that joins them.
#[derive(Clone, Debug)]
pub(crate) struct Kubeconfig {
    /// The file.
    pub(crate) path: PathBuf,
}

impl Kubeconfig {
    /// Writes one; `cluster` and `user` are what kubectl takes under those names.
    pub(crate) fn write(path: &Path, cluster: &Value, user: &Value) -> Self {
        let text = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "test", "user": user}],
            // The context's own namespace plays no part in what is read; a namespace that does not exist shows it.
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "elsewhere"}}],
        });
        write_whole(path, &text);
        Self {
            path: path.to_owned(),
        }
    }

    /// The same file with something about it changed, beside it.
    pub(crate) fn changed(&self, name: &str, change: impl FnOnce(&mut Value)) -> Self {
        let mut text: Value = serde_json::from_slice(&fs::read(&self.path).unwrap()).unwrap();
        change(&mut text);
        let path = self.path.with_file_name(name);
        write_whole(&path, &text);
        Self { path }
    }
}

/// Another test may be reading the same file.
fn write_whole(path: &Path, text: &Value) {
    let directory = path.parent().unwrap();
    let mut file = tempfile::NamedTempFile::new_in(directory).unwrap();
    serde_json::to_writer_pretty(&mut file, text).unwrap();
    file.persist(path).unwrap();
}
