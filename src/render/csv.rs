//! The matrix for a spreadsheet, by RFC 4180. A row a node, distances in columns of numbers; the verdict, what
//! is assumed or excluded and the gaps are rows of the same columns, told by the first one.

use std::borrow::Cow;
use std::io::{self, Write};

use ::csv::Writer;

use super::rows::{self, Shown};
use super::{Style, escape::visible, sentences};
use crate::report::{Cell, Half, NodeRow, Report};

const NODE_COLUMNS: [&str; 12] = [
    "record",
    "name",
    "pool",
    "zone",
    "status",
    "kubelet",
    "kube-proxy",
    "pair distance",
    "good until",
    "now",
    "now kubelet behind",
    "now kube-proxy behind",
];

pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = Shown::new(report, style);
    let mut sheet = Sheet {
        writer: Writer::from_writer(out),
        columns: NODE_COLUMNS.len() + 3 * report.columns.len() + 1,
    };
    if !style.no_headers {
        sheet.row(header(report))?;
    }
    sheet.record("verdict", report.verdict.name(), &sentences::verdict(report))?;
    sheet.record(
        "gate",
        if report.gate.passed { "passed" } else { "failed" },
        &sentences::gate(report),
    )?;
    for assumed in &report.assumed {
        sheet.record(
            "assumed",
            &untrusted(&assumed.selector),
            &sentences::assumed(assumed),
        )?;
    }
    for excluded in &report.excluded {
        sheet.record(
            "excluded",
            &untrusted(&excluded.selector),
            &sentences::excluded(excluded),
        )?;
    }
    if let Some(partial) = shown.partial() {
        sheet.record("shown", &partial, "")?;
    }
    for row in shown.rows() {
        sheet.row(node(row))?;
    }
    for gap in &report.not_assessed {
        let text = sentences::gap(gap, &report.source.kubectl_flags);
        let weight = if text.required { "required" } else { "optional" };
        let more = match text.more_objects {
            0 => String::new(),
            more => format!(" · {}", sentences::more(more, "object")),
        };
        let objects = if text.objects.is_empty() {
            String::new()
        } else {
            format!(" ({}{more})", text.objects.join(", "))
        };
        sheet.record("not assessed", weight, &format!("{}{objects}", text.reason))?;
    }
    sheet.writer.flush()
}

struct Sheet<W: Write> {
    writer: Writer<W>,
    columns: usize,
}

impl<W: Write> Sheet<W> {
    /// A row, filled up to the width of the sheet: RFC 4180 wants all rows alike.
    fn row(&mut self, mut fields: Vec<String>) -> io::Result<()> {
        fields.resize(self.columns, String::new());
        Ok(self.writer.write_record(fields)?)
    }

    /// A row that is no node's: what it is, a name or word, and a text in the last column.
    fn record(&mut self, record: &str, name: &str, detail: &str) -> io::Result<()> {
        let mut fields = vec![record.to_owned(), name.to_owned()];
        fields.resize(self.columns - 1, String::new());
        fields.push(untrusted(detail).into_owned());
        self.row(fields)
    }
}

fn header(report: &Report) -> Vec<String> {
    let minors = report.columns.iter();
    let hops = minors.flat_map(|minor| {
        [
            minor.to_string(),
            format!("{minor} kubelet behind"),
            format!("{minor} kube-proxy behind"),
        ]
    });
    let detail = "detail".to_owned();
    NODE_COLUMNS
        .map(str::to_owned)
        .into_iter()
        .chain(hops)
        .chain([detail])
        .collect()
}

fn node(row: &NodeRow) -> Vec<String> {
    let optional = |text: &Option<String>| {
        text.as_deref()
            .map_or_else(String::new, |text| untrusted(text).into_owned())
    };
    let mut fields = vec![
        "node".to_owned(),
        untrusted(&row.name).into_owned(),
        optional(&row.pool),
        optional(&row.zone),
        rows::status(row).to_owned(),
        untrusted(rows::kubelet(row)).into_owned(),
        // A dash that stands for "none" is ours, not the cluster's.
        match rows::kube_proxy(row) {
            none if row.kube_proxy.is_empty() => none.into_owned(),
            versions => untrusted(&versions).into_owned(),
        },
        row.pair_distance
            .map_or_else(String::new, |distance| distance.to_string()),
        rows::good_until(row),
    ];
    for cell in std::iter::once(&row.now).chain(&row.hops) {
        fields.extend(cell_fields(cell));
    }
    fields
}

fn cell_fields(cell: &Cell) -> [String; 3] {
    let kube_proxy = match cell.kube_proxy {
        Half::Behind(minors) => minors.to_string(),
        Half::Absent | Half::Unread => String::new(),
    };
    let kubelet = cell.kubelet.map_or_else(String::new, |minors| minors.to_string());
    [cell.state.name().to_owned(), kubelet, kube_proxy]
}

/// Text from the cluster: nothing acts in a terminal, and no spreadsheet takes it for a formula.
fn untrusted(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    let first = shown.trim_start().chars().next();
    // Full-width signs start a formula too where the spreadsheet folds widths.
    if matches!(
        first,
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '|' | '%')
    ) {
        Cow::Owned(format!("'{shown}"))
    } else {
        shown
    }
}
