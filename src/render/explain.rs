//! `kubectl skew explain`: what a rule checks and why, its limit, the way out and the source, and what it finds in
//! the cluster at hand. The texts are the rules' own.

use std::io::{self, Write};

use super::look::{Look, Paint};
use super::{Style, sentences};
use crate::policy::rules::{self, Rule};
use crate::report::{FindingRow, Report};

/// Where the text of a labelled line starts.
const LABEL: usize = 10;
/// How many names a list shows.
const NAMES: usize = 8;

/// Writes every rule: its key, how it weighs and what it checks.
pub fn list(style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let look = Look::new(style);
    for rule in rules::ALL {
        let key = look.paint(&look.plain(rule.name), Paint::Strong);
        writeln!(out, "{key}  {}", severities(rule, look))?;
        writeln!(out, "{}", look.wrapped(&look.plain(rule.what), 4, 0))?;
    }
    Ok(())
}

/// Writes one rule, and its numbers in this cluster where there is one.
pub fn rule(rule: &Rule, report: Option<&Report>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let look = Look::new(style);
    let key = look.paint(&look.plain(rule.name), Paint::Strong);
    writeln!(out, "{key}  {}\n", severities(rule, look))?;
    for (label, text) in [
        ("checks", rule.what),
        ("why", rule.why),
        ("limit", sentences::allowed(rule).as_str()),
        ("fix", rule.remedy),
    ] {
        labelled(look, label, text, out)?;
    }
    writeln!(out, "{:LABEL$}{}", "source", rule.source)?;
    if let Some(report) = report {
        writeln!(out)?;
        numbers(rule, report, look, out)?;
    }
    Ok(())
}

/// The rules as the table of the README.
pub fn rule_table() -> String {
    let row = |rule: &&Rule| {
        let words: Vec<&str> = rule.severities.iter().map(|severity| severity.name()).collect();
        let what = rule.what.replace('|', "\\|");
        format!(
            "| [`{}`]({}) | {} | {what} |\n",
            rule.name,
            rule.source,
            words.join(" or ")
        )
    };
    let head = "| Rule | Severity | What it checks |\n| --- | --- | --- |\n".to_owned();
    let rows = rules::ALL.iter().map(row);
    std::iter::once(head).chain(rows).collect()
}

fn severities(rule: &Rule, look: Look) -> String {
    let words = rule
        .severities
        .iter()
        .map(|severity| look.paint(severity.name(), Paint::of_severity(*severity)));
    words.collect::<Vec<_>>().join(" or ")
}

fn labelled(look: Look, label: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let text = look.plain(&format!("{label:LABEL$}{text}"));
    writeln!(out, "{}", look.wrapped(&text, 0, LABEL))
}

/// What the rule finds in this cluster.
fn numbers(rule: &Rule, report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let span = sentences::span(report.control_plane.oldest, report.control_plane.newest);
    let apiservers = span.unwrap_or_else(|| "of unknown version".to_owned());
    let target = report
        .target
        .as_ref()
        .map_or_else(String::new, |target| format!(", target {}", target.text));
    labelled(
        look,
        "here",
        &format!("apiservers {apiservers}{target}, policy {}", report.policy.name),
        out,
    )?;
    let findings = report.findings.iter();
    let findings: Vec<&FindingRow> = findings.filter(|finding| finding.rule == rule).collect();
    if findings.is_empty() {
        let required = report.not_assessed.iter().filter(|gap| gap.required).count();
        let unread = match required {
            0 => String::new(),
            gaps => format!(
                ", but not everything was assessed ({})",
                sentences::count(gaps, "required gap")
            ),
        };
        labelled(look, "", &format!("nothing is found by this rule{unread}"), out)?;
    }
    for finding in findings {
        let FindingRow {
            rule: _,
            key: _,
            severity,
            evidence,
            nodes,
            pools,
            versions,
            limit: _,
            upstream_limit: _,
            steps: _,
            citations: _,
            fails_gate: _,
        } = finding;
        labelled(look, severity.name(), &sentences::title(evidence), out)?;
        labelled(look, "", &sentences::detail(evidence), out)?;
        for (label, names) in [("nodes", nodes), ("pools", pools), ("versions", versions)] {
            if !names.is_empty() {
                labelled(look, label, &sentences::names(names, NAMES), out)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Style {
        Style {
            utf8: true,
            ..Style::default()
        }
    }

    #[test]
    fn the_list_and_the_table_hold_every_rule_and_its_source() {
        let mut out = Vec::new();
        list(&plain(), &mut out).unwrap();
        let listed = String::from_utf8(out).unwrap();
        let table = rule_table();
        for rule in rules::ALL {
            assert!(listed.contains(rule.name), "{}", rule.name);
            assert!(
                table.contains(&format!("[`{}`]({})", rule.name, rule.source)),
                "{}",
                rule.name
            );
        }
        assert_eq!(table.lines().count(), rules::ALL.len() + 2);
    }

    #[test]
    fn a_rule_is_explained_in_its_own_words() {
        let rule = rules::named("kubelet-post-upgrade").unwrap();
        let mut out = Vec::new();
        super::rule(rule, None, &plain(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for part in [
            rule.name,
            rule.what,
            rule.why,
            &sentences::allowed(rule),
            rule.remedy,
            rule.source,
            "blocker",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
}
