//! The renderers from outside: samples of every kind of report, read back by parsers that are not ours.

#![expect(clippy::unwrap_used, reason = "what helps a test fails as the test does")]

mod csv;
mod every;
#[path = "../reading/hostile.rs"]
mod hostile;
mod html;
mod json;
mod junit;
mod markdown;
#[path = "../reading/mod.rs"]
mod reading;
mod runners;
mod samples;
mod sarif;
mod table;

use kubectl_skew::render::{Format, Style, render};
use kubectl_skew::report::Report;

/// The report in that format, as bytes on a pipe with UTF-8.
fn rendered(report: &Report, format: Format, style: &Style) -> String {
    let mut out = Vec::new();
    render(report, format, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A pipe in a UTF-8 locale.
fn piped() -> Style {
    Style {
        utf8: true,
        ..Style::default()
    }
}

/// A text as every format but JSON and YAML shows it.
fn shown(text: &str) -> String {
    kubectl_skew::render::escape::visible(text).into_owned()
}
