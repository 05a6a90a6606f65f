//! The README cannot go stale: every output that it shows is made again, its tables come from the rules and the
//! platforms, and its picture is drawn from the real table.
//!
//!     UPDATE_README=1 cargo test --test readme

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

#[path = "../plugin-manifest/picture.rs"]
#[expect(dead_code, reason = "the picture's own program is not run here")]
mod picture;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use kubectl_skew::policy::platforms::table::{PLATFORMS, Platform, Row};
use kubectl_skew::policy::skew_policy::ServerMinors;
use kubectl_skew::render::explain::rule_table;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Holds a file against what it should be, or makes it so where that is asked for.
fn hold(name: &str, expected: &str) {
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(path(name), expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(path(name)).unwrap();
    assert!(
        found == expected,
        "{name} is stale; make it anew with UPDATE_README=1 cargo test --test readme, and look at the difference"
    );
}

/// Runs `kubectl skew WORDS`, piped into `head -n N`, `tail -n N`, `cut -c 1-N` or `sed -n '/^WORD/,/^$/p'`.
fn output(line: &str) -> String {
    let mut parts = line.split(" | ");
    let words = parts.next().unwrap().strip_prefix("kubectl skew").unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .args(words.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("LC_ALL", "C.UTF-8")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    for part in parts {
        match part.split(' ').collect::<Vec<_>>()[..] {
            ["head", "-n", count] => lines.truncate(count.parse().unwrap()),
            ["tail", "-n", count] => {
                let skipped = lines.len().saturating_sub(count.parse().unwrap());
                lines.drain(..skipped);
            }
            ["cut", "-c", span] => {
                let width: usize = span.strip_prefix("1-").unwrap().parse().unwrap();
                for line in &mut lines {
                    *line = line
                        .char_indices()
                        .nth(width)
                        .map_or(*line, |(end, _)| &line[..end]);
                }
            }
            ["sed", "-n", ref script @ ..] => {
                let script = script.join(" ");
                let start = script
                    .strip_prefix("'/^")
                    .and_then(|rest| rest.strip_suffix("/,/^$/p'"))
                    .unwrap();
                let from = lines.iter().position(|line| line.starts_with(start)).unwrap();
                let length = lines[from..].iter().position(|line| line.is_empty()).unwrap();
                lines = lines[from..from + length].to_vec();
            }
            _ => panic!("the README pipes into {part}"),
        }
    }
    lines
        .iter()
        .fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// The README with every console block run again.
fn with_outputs(readme: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in readme.lines() {
        if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let _ = write!(text, "{line}\n{}", output(command));
        } else if line == "```" && inside {
            inside = false;
            let _ = writeln!(text, "{line}");
        } else if !inside {
            inside = line == "```console";
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// The README with what stands between two markers made anew.
fn with_section(readme: &str, name: &str, section: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let (before, rest) = readme.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
    format!("{before}{start}{section}{end}{after}")
}

fn platform_table() -> String {
    let mut table = String::from(
        "| Platform | `--policy` | Stricter than upstream | Source |\n| --- | --- | --- | --- |\n",
    );
    for platform in PLATFORMS {
        let limits: Vec<String> = platform.rows.iter().map(limit).collect();
        let limits = if limits.is_empty() {
            "nothing".to_owned()
        } else {
            limits.join("; ")
        };
        let _ = writeln!(
            table,
            "| {} | `{}` | {limits} | {} |",
            platform.title,
            platform.name,
            sources(platform)
        );
    }
    table
}

fn limit(row: &Row) -> String {
    let minors = match row.server {
        ServerMinors::All => String::new(),
        ServerMinors::Every {
            from,
            to,
            modulus,
            remainder,
        } => {
            let span = to.map_or_else(|| format!("{from} on"), |to| format!("{from} to {to}"));
            match modulus {
                0 | 1 => format!(" (servers {span})"),
                2 if remainder == 0 => format!(" (even server minors, {span})"),
                2 => format!(" (odd server minors, {span})"),
                _ => format!(" (server minors that leave {remainder} divided by {modulus}, {span})"),
            }
        }
    };
    let doubt = if row.confirmed {
        ""
    } else {
        ", not confirmed: by name only"
    };
    format!(
        "{} at most {} behind {}{minors}{doubt}",
        row.component, row.older, row.reference
    )
}

fn sources(platform: &Platform) -> String {
    let mut sources = vec![(platform.source, platform.date)];
    for row in platform.rows {
        if !sources.iter().any(|(source, _)| *source == row.source) {
            sources.push((row.source, row.date));
        }
    }
    let links: Vec<String> = sources
        .iter()
        .map(|(source, date)| format!("[{date}]({source})"))
        .collect();
    links.join(", ")
}

#[test]
fn the_readme_shows_what_is_so() {
    let readme = std::fs::read_to_string(path("README.md")).unwrap();
    let made = with_outputs(&readme);
    let made = with_section(&made, "rules", &rule_table());
    let made = with_section(&made, "platforms", &platform_table());
    hold("README.md", &made);
}

#[test]
fn the_picture_is_of_the_real_table() {
    let colored = output("kubectl skew demo --color always");
    let svg = picture::draw(&colored);
    let page = roxmltree::Document::parse(&svg).unwrap();
    let words: Vec<_> = page.descendants().filter_map(|node| node.text()).collect();
    assert!(words.contains(&"gpu-1"), "{words:?}");
    assert!(svg.contains(" style=\"fill:#"), "there is colour in it");
    hold("plugin-manifest/demo.svg", &svg);
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "plugin-manifest/README.md",
    ] {
        let text = std::fs::read_to_string(path(document)).unwrap();
        let folder = path(document).parent().unwrap().to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(folder.join(file).exists(), "{document} links to {file}");
            }
        }
    }
}
