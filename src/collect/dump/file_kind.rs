//! What the name of a file in a directory or an archive says that it is. What `-f` names itself is read whatever its
//! name.

use std::path::Path;

/// What a file's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// JSON or YAML: what breaks in it is an error once it has shown a Node or a Pod.
    Manifest,
    /// Plain text: read where it is the output of `kubectl version`.
    Text,
    /// Something else, whatever stands in it.
    Other,
    /// The name says nothing.
    Unknown,
}

/// Ends of names of files that hold no objects of a cluster: logs, documents, programs, templates, settings, data.
const OTHER: [&str; 84] = [
    "adoc",
    "asciidoc",
    "awk",
    "bat",
    "bash",
    "c",
    "cc",
    "cert",
    "cfg",
    "conf",
    "cpp",
    "crt",
    "cs",
    "css",
    "csv",
    "cue",
    "db",
    "diff",
    "dockerfile",
    "env",
    "erb",
    "exe",
    "gif",
    "go",
    "gotmpl",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hcl",
    "htm",
    "html",
    "ico",
    "ini",
    "ipynb",
    "j2",
    "java",
    "jinja",
    "jinja2",
    "jpeg",
    "jpg",
    "js",
    "jsonnet",
    "jsx",
    "key",
    "kt",
    "libsonnet",
    "lock",
    "log",
    "lua",
    "markdown",
    "md",
    "mk",
    "mod",
    "patch",
    "pem",
    "pdf",
    "php",
    "pl",
    "png",
    "prom",
    "proto",
    "properties",
    "ps1",
    "py",
    "rb",
    "rego",
    "rs",
    "rst",
    "scala",
    "service",
    "sh",
    "sql",
    "sum",
    "svg",
    "swift",
    "tf",
    "tfvars",
    "tmpl",
    "toml",
    "tpl",
    "ts",
    "tsx",
    "xml",
];

/// Names without an end of such files.
const OTHER_NAMES: [&str; 12] = [
    "changelog",
    "codeowners",
    "containerfile",
    "contributing",
    "copying",
    "dockerfile",
    "jenkinsfile",
    "license",
    "makefile",
    "notice",
    "owners",
    "readme",
];

impl FileKind {
    /// What a file's name says, be the file packed or not.
    pub(super) fn of(name: &str) -> Self {
        let name = name
            .rsplit(['/', '\\', ':'])
            .next()
            .unwrap_or(name)
            .to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let Some(extension) = Path::new(name)
            .extension()
            .and_then(|extension| extension.to_str())
        else {
            return if OTHER_NAMES.contains(&name) {
                Self::Other
            } else {
                Self::Unknown
            };
        };
        match extension {
            "json" | "yaml" | "yml" => Self::Manifest,
            // A container may log anything, objects too.
            "txt" if name.ends_with("logs.txt") => Self::Other,
            "txt" | "text" | "out" => Self::Text,
            other if OTHER.contains(&other) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_hold() {
        for (name, kind) in [
            ("d/nodes.json", FileKind::Manifest),
            ("d.tar.gz:x/nodes.YAML.gz", FileKind::Manifest),
            ("README", FileKind::Other),
            ("a/readme.md", FileKind::Other),
            ("main.go", FileKind::Other),
            ("current.log", FileKind::Other),
            ("current.log.gz", FileKind::Other),
            ("previous-logs.txt", FileKind::Other),
            ("notes.txt", FileKind::Text),
            ("version", FileKind::Unknown),
            ("nodes", FileKind::Unknown),
            ("nodes.2026-03-01", FileKind::Unknown),
        ] {
            assert_eq!(FileKind::of(name), kind, "{name}");
        }
    }
}
