//! `explain`: a rule in words, with the numbers of a cluster where one is named. The words are the rule's own.

use std::fmt::Write as _;

use clap::ArgMatches;

use super::flags::{CommandLine, group};
use super::message::{Failure, shown};
use super::terminal::Terminal;
use super::{request, run, usage};
use crate::policy::finding::Finding;
use crate::policy::rules::{self, Rule};
use crate::report::Report;

/// Lines are no longer than this, however wide the terminal is.
const WIDEST: usize = 100;

/// Flags that name a cluster: without one of them no cluster is asked.
const NAMING: [&str; 3] = [group::TARGET, group::DUMPS, group::CONNECTION];

/// Prints a rule, or the list of all.
pub(super) fn explain(flags: &CommandLine, matches: &ArgMatches, key: Option<&str>) -> Result<u8, Failure> {
    let width = Terminal::of_stdout().width.unwrap_or(WIDEST).clamp(40, WIDEST);
    let inner = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let names_cluster = !request::typed_of(inner, &NAMING).is_empty();
    let Some(key) = key else {
        if names_cluster {
            return Err(usage::usage(
                "name the rule whose numbers are wanted: kubectl skew explain KEY".to_owned(),
            ));
        }
        return super::print(list(width).as_bytes());
    };
    let rule = rules::named(key).ok_or_else(|| unknown(key))?;
    let mut text = rule_text(rule, width);
    if names_cluster {
        let reading = request::reading(flags, inner, false)?;
        let judging = request::judging(flags)?;
        let (observed, source) = match run::collect(&reading) {
            Ok(collected) => collected,
            Err(uncollected) => return uncollected.end(),
        };
        let report = run::report_of(observed, source, &reading, &judging)?;
        text.push_str(&numbers(rule, key, &report, width));
    }
    super::print(text.as_bytes())
}

fn unknown(key: &str) -> Failure {
    let names = rules::ALL.iter().map(|rule| rule.name);
    let near =
        usage::nearest(key, names.clone()).or_else(|| usage::nearest(&format!("version-skew/{key}"), names));
    Failure::new(match near {
        Some(near) => format!(
            "no rule has the key \"{}\"; did you mean {near}?",
            key.escape_debug()
        ),
        None => format!("no rule has the key \"{}\"", key.escape_debug()),
    })
    .hint("'kubectl skew explain' lists all keys")
}

/// All rules: key, severity and what each checks.
fn list(width: usize) -> String {
    let mut text = String::new();
    for rule in rules::ALL {
        let _ = writeln!(text, "{} ({})", rule.name, severities(rule));
        paragraph(&mut text, "  ", rule.what, width);
    }
    text.push_str("\nkubectl skew explain KEY says why, the limit, the remedy and the source.\n");
    text
}

fn severities(rule: &Rule) -> String {
    let names: Vec<_> = rule.severities.iter().map(|severity| severity.name()).collect();
    names.join(" or ")
}

fn rule_text(rule: &Rule, width: usize) -> String {
    let mut text = format!("{} ({})\n", rule.name, severities(rule));
    for (title, words) in [
        ("What it checks", rule.what),
        ("Why", rule.why),
        ("Limit", rule.limit),
        ("Remedy", rule.remedy),
        ("Source", rule.source),
    ] {
        let _ = writeln!(text, "\n{title}");
        paragraph(&mut text, "  ", words, width);
    }
    text
}

/// What the rule says of a cluster.
fn numbers(rule: &Rule, key: &str, report: &Report, width: usize) -> String {
    let fired: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule.key)
        // A key that goes on names one node's finding.
        .filter(|finding| {
            finding.key == key || rules::named(key).is_some_and(|named| key_is_of_rule(key, named))
        })
        .collect();
    let mut text = "\nIn this cluster".to_owned();
    let minors = [report.control_plane.oldest, report.control_plane.newest];
    match minors {
        [Some(oldest), Some(newest)] if oldest == newest => {
            let _ = write!(text, ", at {oldest}");
        }
        [Some(oldest), Some(newest)] => {
            let _ = write!(text, ", at {oldest} to {newest}");
        }
        _ => {}
    }
    if let Some(target) = &report.target {
        let _ = write!(text, ", for {}", target.text);
    }
    text.push('\n');
    if fired.is_empty() {
        paragraph(&mut text, "  ", "It finds nothing.", width);
    }
    for finding in fired {
        let title = format!("{}: {}", finding.severity.name(), shown(&finding.title));
        paragraph(&mut text, "  ", &title, width);
        paragraph(&mut text, "    ", &shown(&finding.detail), width);
        for (title, names) in [("nodes", &finding.nodes), ("versions", &finding.versions)] {
            if !names.is_empty() {
                let names = shown(&names.join(", "));
                paragraph(&mut text, "    ", &format!("{title}: {names}"), width);
            }
        }
    }
    for gap in report.not_assessed.iter().filter(|gap| gap.required) {
        let gap = format!("not assessed: {}", shown(&gap.reason));
        paragraph(&mut text, "  ", &gap, width);
    }
    text
}

fn key_is_of_rule(key: &str, rule: &Rule) -> bool {
    let key = key.trim_end_matches('/');
    let stem = rule.stem().trim_end_matches('/');
    rule.name.ends_with(key) || stem.ends_with(key)
}

/// Words in lines that fit, each behind `indent`.
fn paragraph(text: &mut String, indent: &str, words: &str, width: usize) {
    let mut column = 0;
    for word in words.split_whitespace() {
        let length = unicode_width::UnicodeWidthStr::width(word);
        if column > 0 && column + 1 + length <= width {
            text.push(' ');
            column += 1 + length;
        } else {
            if column > 0 {
                text.push('\n');
            }
            text.push_str(indent);
            column = indent.len() + length;
        }
        text.push_str(word);
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_none_is_lost() {
        let mut text = String::new();
        paragraph(
            &mut text,
            "  ",
            "one two three a-word-that-is-longer-than-the-line four",
            14,
        );
        assert_eq!(
            text,
            "  one two\n  three\n  a-word-that-is-longer-than-the-line\n  four\n"
        );
    }

    #[test]
    fn every_rule_is_listed_and_explained() {
        let list = list(100);
        for rule in rules::ALL {
            assert!(list.contains(rule.name));
            assert!(rule_text(rule, 100).contains(rule.source));
        }
    }

    #[test]
    fn a_mistyped_key_gets_the_nearest() {
        let failure = format!("{:?}", unknown("kubelet-curent"));
        assert!(
            failure.contains("did you mean version-skew/kubelet-current?"),
            "{failure}"
        );
    }
}
