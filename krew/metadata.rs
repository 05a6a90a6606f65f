//! Which packages end up in the binary, as `cargo metadata` tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A package in the binary, on any platform.
#[derive(Debug)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The SPDX expression that it states.
    pub(crate) licence: String,
    /// Where its source lies.
    pub(crate) directory: PathBuf,
}

/// Every package that the binary is linked from, sorted by name and version; our own is not among them.
pub(crate) fn packages() -> Vec<Package> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version=1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there, it runs this");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {said}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");

    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .map(|node| (text(&node["id"]), node))
        .collect();
    let root = text(&metadata["resolve"]["root"]);
    let mut linked = BTreeSet::new();
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        if linked.insert(id) {
            next.extend(
                list(&nodes[id]["deps"])
                    .filter(|dep| is_linked(dep))
                    .map(|dep| text(&dep["pkg"])),
            );
        }
    }
    let mut packages: Vec<Package> = list(&metadata["packages"])
        .filter(|package| linked.contains(text(&package["id"])) && text(&package["id"]) != root)
        .map(|package| Package {
            name: text(&package["name"]).to_owned(),
            version: text(&package["version"]).to_owned(),
            licence: text(&package["license"]).to_owned(),
            directory: PathBuf::from(text(&package["manifest_path"]))
                .parent()
                .expect("a manifest lies in a directory")
                .to_owned(),
        })
        .collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    packages
}

/// A dependency of the program itself, not of its tests or of a build script.
fn is_linked(dependency: &Value) -> bool {
    list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
