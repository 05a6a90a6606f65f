//! Prints the licences of everything in the binary, for the release archives: each text once, under the packages
//! that come with it.
//!
//!     cargo run --example third-party-licences

mod metadata;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in metadata::packages() {
        let title = format!("{} {} ({})", package.name, package.version, package.licence);
        let found = licence_texts(&package.directory)?;
        if found.is_empty() {
            without.push(title.clone());
        }
        for text in found {
            texts.entry(text).or_default().push(title.clone());
        }
    }
    let mut groups: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, titles)| (titles, text)).collect();
    groups.sort();

    let mut out = io::stdout().lock();
    writeln!(
        out,
        "kubectl skew is licensed under Apache-2.0 (see LICENSE). It is linked from these packages."
    )?;
    for (titles, text) in groups {
        writeln!(out, "\n{}\n", "=".repeat(80))?;
        for title in titles {
            writeln!(out, "{title}")?;
        }
        writeln!(out, "\n{text}")?;
    }
    if !without.is_empty() {
        writeln!(
            out,
            "\n{}\n\nThese come without a file of their licence:\n",
            "=".repeat(80)
        )?;
        for title in without {
            writeln!(out, "{title}")?;
        }
    }
    Ok(())
}

/// The files beside the manifest that hold a licence or a notice, in order of their names.
fn licence_texts(directory: &std::path::Path) -> io::Result<Vec<String>> {
    let mut names: Vec<_> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    names.sort();
    let mut texts = Vec::new();
    for path in names {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_ascii_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "UNLICENSE",
            "COPYRIGHT",
        ]
        .iter()
        .any(|start| name.starts_with(start));
        if is_licence && path.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace("\r\n", "\n");
            texts.push(text.trim().to_owned());
        }
    }
    Ok(texts)
}
