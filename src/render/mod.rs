//! The renderers: one report, a file a format. Pure: they write what the report says and judge nothing.
//!
//! [`escape`] makes text from the cluster safe to show, [`sentences`] holds the sentences that several formats
//! say alike, [`rows`] chooses and orders the rows of the matrix. A new format is a file and an arm of
//! [`render`].

mod csv;
pub mod escape;
pub mod explain;
mod html;
pub mod json;
mod junit;
mod locations;
mod look;
mod markdown;
mod name;
mod rows;
mod runbook;
mod sarif;
pub mod sentences;
mod table;
mod yaml;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use crate::ci_commands::{CommandFree, Escapes};
use crate::report::{Report, Verdict};

/// Writes `report` as `format`, ending with a line break.
pub fn render(report: &Report, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let escapes = match format {
        Format::Json | Format::Sarif => Escapes::JSON,
        Format::Yaml => Escapes::YAML,
        Format::Junit | Format::Html => Escapes::MARKUP,
        Format::Table | Format::Wide | Format::Markdown | Format::Csv | Format::Name | Format::Runbook => {
            Escapes::SHOWN
        }
    };
    let mut out = CommandFree::new(out, escapes);
    write(report, format, style, &mut out)?;
    out.finish()
}

fn write(report: &Report, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => json::write(report, out),
        Format::Yaml => yaml::write(report, out),
        Format::Csv => csv::write(report, style, out),
        Format::Name => name::write(report, out),
        Format::Runbook => runbook::write(report, out),
        Format::Table => table::write(report, table::Breadth::Fitting, style, out),
        Format::Wide => table::write(report, table::Breadth::Whole, style, out),
        Format::Junit => junit::write(report, out),
        Format::Sarif => sarif::write(report, out),
        Format::Markdown => markdown::write(report, style, out),
        Format::Html => html::write(report, style, out),
    }
}

/// The sign of a verdict.
const fn sign_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Blocked => "✗",
        Verdict::Unknown => "?",
        Verdict::Ready => "✓",
    }
}

/// What a format has no room for and standard error is to say beside it: the verdict, what is hypothetical and
/// the gaps, a line each. Empty for every format that says them itself.
pub fn aside(report: &Report, format: Format) -> Vec<String> {
    match format {
        Format::Name => sentences::summary(report),
        Format::Table
        | Format::Wide
        | Format::Json
        | Format::Yaml
        | Format::Junit
        | Format::Sarif
        | Format::Markdown
        | Format::Csv
        | Format::Html
        | Format::Runbook => Vec::new(),
    }
}

/// A format of `-o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// For the eye, fitted to the terminal.
    Table,
    /// The table with every column.
    Wide,
    /// Every field, for programs.
    Json,
    /// The JSON value as YAML.
    Yaml,
    /// Test cases, for a pipeline's test report.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A comment on a pull request.
    Markdown,
    /// The matrix, for a spreadsheet.
    Csv,
    /// One page that needs nothing beside itself.
    Html,
    /// `node/NAME` of each node that must move first.
    Name,
    /// The plan as a checklist in Markdown, for a change ticket.
    Runbook,
}

impl Format {
    /// Every format, in the order in which help names them.
    pub const ALL: [Self; 11] = [
        Self::Table,
        Self::Wide,
        Self::Json,
        Self::Yaml,
        Self::Junit,
        Self::Sarif,
        Self::Markdown,
        Self::Csv,
        Self::Html,
        Self::Name,
        Self::Runbook,
    ];

    /// The word that `-o` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Wide => "wide",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Name => "name",
            Self::Runbook => "runbook",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown output format \"{}\"{}; the formats are {}", .given.escape_debug(), hint(.nearest.as_deref()), all_names(&Format::ALL.map(Format::name)))]
pub struct UnknownFormat {
    /// What was typed.
    pub given: String,
    /// The format that comes nearest, where one comes near.
    pub nearest: Option<String>,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Takes a word in any case, as kubectl does.
    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let lower = word.to_lowercase();
        Self::ALL
            .into_iter()
            .find(|format| format.name() == lower)
            .ok_or_else(|| UnknownFormat {
                given: word.to_owned(),
                nearest: nearest(&lower, &Self::ALL.map(Self::name)),
            })
    }
}

/// How near a word must come to be offered, on the scale of Jaro and Winkler.
const NEAR: f64 = 0.7;

/// The name that `word` was most likely meant to be.
fn nearest(word: &str, names: &[&'static str]) -> Option<String> {
    names
        .iter()
        .map(|name| (strsim::jaro_winkler(word, name), *name))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name.to_owned())
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(", did you mean \"{name}\"?"))
}

fn all_names(names: &[&str]) -> String {
    names.join(", ")
}

/// How a report is to look. Settled by the command line; renderers ask no terminal.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The columns of the terminal; `None` where the output is no terminal and lines are as long as they come.
    pub width: Option<usize>,
    /// The rows of the terminal.
    pub height: Option<usize>,
    /// Colours are wanted and borne.
    pub color: bool,
    /// Signs, lines and dots may be used; words where not.
    pub utf8: bool,
    /// Identical rows of a pool fold into one: `None` when the list is longer than the terminal.
    pub fold: Option<bool>,
    /// `--no-headers`.
    pub no_headers: bool,
    /// `-q`: the verdict line alone.
    pub quiet: bool,
    /// `--sort-by`.
    pub sort_by: Option<SortBy>,
    /// `--group-by`.
    pub group_by: Option<GroupBy>,
    /// `-l`: the rows shown.
    pub selector: Option<crate::inventory::selector::Selector>,
    /// `--only problems`.
    pub only_problems: bool,
}

/// `--sort-by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// The node's name.
    Name,
    /// The pool.
    Pool,
    /// The kubelet's version.
    Version,
    /// How long it is good for.
    GoodUntil,
}

/// `--group-by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The pool.
    Pool,
    /// The kubelet's minor.
    Version,
    /// The zone.
    Zone,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_from_its_name_in_any_case() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(format.name().to_uppercase().parse(), Ok(format));
        }
    }

    #[test]
    fn a_typo_gets_the_nearest_word_and_a_stranger_gets_none() {
        for (typo, meant) in [
            ("jsn", Some("json")),
            ("yml", Some("yaml")),
            ("tabel", Some("table")),
            ("md", Some("markdown")),
            ("htm", Some("html")),
            ("jnuit", Some("junit")),
            ("xyz", None),
            ("", None),
        ] {
            let error = typo.parse::<Format>().unwrap_err();
            assert_eq!(error.nearest.as_deref(), meant, "{typo}");
        }
        assert_eq!(
            "jsn".parse::<Format>().unwrap_err().to_string(),
            "unknown output format \"jsn\", did you mean \"json\"?; the formats are table, wide, json, yaml, \
             junit, sarif, markdown, csv, html, name, runbook"
        );
    }
}
