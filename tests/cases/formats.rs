//! Every case in every format, each read by a parser that is not ours: all say the verdict that was written down
//! by hand, and all tell every gap and every node.

use std::path::Path;

use kubectl_skew::render::escape::visible;
use kubectl_skew::render::sentences::gap_reason;
use kubectl_skew::render::{Format, Style, aside, json, render};
use kubectl_skew::report::Report;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::case::{Ask, cases, report};
use crate::reading;
use crate::reading::told::{Row, Told};

fn rendered(report: &Report, format: Format) -> String {
    let style = Style {
        utf8: true,
        ..Style::default()
    };
    let mut out = Vec::new();
    render(report, format, &style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn told(report: &Report, format: Format) -> Told {
    reading::told(
        format,
        &rendered(report, format),
        &aside(report, format).join("\n"),
    )
}

/// Calls for the report of each question of each case, but of those that are refused.
fn each(mut with: impl FnMut(&str, &Ask, &Report)) {
    let mut reports = 0;
    for (folder, case) in cases() {
        for ask in case.asks.iter().filter(|ask| ask.expect.error.is_none()) {
            let report = report(&folder, &case, ask).unwrap();
            with(&place(&folder, ask), ask, &report);
            reports += 1;
        }
    }
    assert!(reports >= 30, "{reports} reports");
}

fn place(folder: &Path, ask: &Ask) -> String {
    let id = folder.file_name().unwrap().to_string_lossy();
    format!("{id}, target {}", ask.target.as_deref().unwrap_or("none"))
}

/// A text as it reads, whatever its breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_tells_the_verdict_and_every_gap_of_every_case() {
    let mut wrong = Vec::new();
    let mut gaps = 0;
    each(|place, ask, report| {
        let verdict = ask.expect.verdict.as_deref().unwrap();
        gaps += report.not_assessed.len();
        for format in Format::ALL {
            let told = told(report, format);
            if told.verdicts.iter().any(|said| said != verdict) {
                wrong.push(format!("{place} as {format}: {:?}, not {verdict}", told.verdicts));
            }
            if told.today.iter().any(|said| *said != ask.expect.in_policy) {
                let (said, meant) = (&told.today, ask.expect.in_policy);
                wrong.push(format!("{place} as {format}: inPolicy {said:?}, not {meant:?}"));
            }
            let all = flat(&told.gaps);
            let reasons = report.not_assessed.iter();
            let reasons = reasons.map(|gap| flat(&visible(&gap_reason(&gap.reason))));
            for reason in reasons.filter(|reason| !all.contains(reason)) {
                wrong.push(format!("{place} as {format} lacks the gap: {reason}"));
            }
        }
    });
    assert!(gaps >= 10, "{gaps} gaps");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_json_of_every_case_meets_the_published_schema() {
    let schema: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    each(|place, _, report| {
        let value: Value = serde_json::from_str(&rendered(report, Format::Json)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{place}: {errors:?}");
    });
}

/// From 60 columns on; only what is to be copied (a command, an address) may be longer.
#[test]
fn no_line_of_any_case_is_wider_than_the_terminal() {
    let mut lines = 0;
    each(|place, _, report| {
        for (width, utf8) in [
            (60, true),
            (61, false),
            (72, true),
            (100, false),
            (133, true),
            (200, false),
        ] {
            let style = Style {
                width: Some(width),
                height: Some(40),
                utf8,
                ..Style::default()
            };
            let mut out = Vec::new();
            render(report, Format::Table, &style, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            for line in text.lines() {
                let start = line.trim_start();
                let is_to_copy = ["verify ", "grant ", "source ", "https://"]
                    .iter()
                    .any(|label| start.starts_with(label));
                assert!(is_to_copy || line.width() <= width, "{place} at {width}: {line}");
                lines += 1;
            }
        }
    });
    assert!(lines > 5_000, "{lines} lines");
}

/// A row of the matrix in every format that has one, and none of them acts.
#[test]
fn every_format_tells_every_node_of_every_case_alike() {
    each(|place, _, report| {
        let names: Vec<&str> = report.nodes.iter().map(|row| row.name.as_str()).collect();
        let table = told(report, Format::Table).nodes.unwrap();
        for format in Format::ALL {
            reading::harmless(format, &rendered(report, format));
            let Some(nodes) = told(report, format).nodes else {
                continue;
            };
            let told: Vec<&str> = nodes.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(told, names, "{place} as {format}");
            // Programs get versions as they were read, and a pool is no part of a test case.
            if !matches!(format, Format::Json | Format::Yaml | Format::Junit) {
                assert_eq!(nodes, table, "{place} as {format}");
            }
            let versions = |row: &Row| (row.kubelet.clone(), row.kube_proxy.clone());
            if format == Format::Junit {
                assert!(
                    nodes.iter().map(versions).eq(table.iter().map(versions)),
                    "{place}"
                );
            }
        }
    });
}
