//! The renderers from outside: samples of every kind of report, read back by parsers that are not ours.

mod formats;
mod samples;
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
