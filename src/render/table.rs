//! The report for the eye: head, control plane, node matrix, path, plan, findings, what was not assessed, and the
//! verdict on the first and the last line.

mod layout;
mod matrix;
mod sections;

use std::io::{self, Write};

use super::look::{Look, Paint};

use super::rows::Shown;
use super::{Style, sentences};
use crate::report::Report;

/// How many columns a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breadth {
    /// As many as fit.
    Fitting,
    /// All there are.
    Whole,
}

pub(super) fn write(report: &Report, breadth: Breadth, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let look = Look::new(style);
    verdict(report, look, out)?;
    if style.quiet {
        return Ok(());
    }
    let shown = Shown::new(report, style);
    let mut page = sections::Page {
        report,
        style,
        look,
        out,
    };
    page.head(&shown)?;
    page.control_plane()?;
    if report.nodes.is_empty() {
        page.heading("NODES", "none read")?;
    } else {
        page.heading("NODES", &sentences::count(report.nodes.len(), "node"))?;
        matrix::write(report, &shown, breadth, style, page.out)?;
    }
    page.path()?;
    page.lagging()?;
    page.plan()?;
    page.findings()?;
    page.not_assessed()?;
    page.gate()?;
    verdict(report, look, out)
}

/// The first and the last line.
fn verdict(report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let paint = match (&report.target, report.in_policy) {
        // Without a target the line speaks of today.
        (None, Some(false)) => Paint::Bad,
        _ => Paint::of_verdict(report.verdict),
    };
    let line = look.wrapped(&look.plain(&sentences::verdict(report)), 0, 2);
    writeln!(out, "{}", look.paint(&line, paint))
}
