//! The table at the widths of real terminals, on a pipe, in colour and without, and in a locale without UTF-8.

use kubectl_skew::render::{Format, GroupBy, SortBy, Style};
use unicode_width::UnicodeWidthStr;

use crate::samples;
use crate::{piped, rendered};

/// A terminal of that many columns, long enough that nothing folds.
fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        height: Some(100),
        ..piped()
    }
}

#[test]
fn at_the_widths_of_real_terminals() {
    for width in [60, 80, 120, 200] {
        insta::assert_snapshot!(
            format!("blocked_{width}"),
            rendered(&samples::blocked(), Format::Table, &terminal(width))
        );
    }
}

#[test]
fn every_kind_of_report_on_a_pipe() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("piped_{name}"),
            rendered(&report, Format::Table, &piped())
        );
    }
}
