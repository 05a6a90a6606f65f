//! The node matrix: a row a node, a column a minor.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Breadth;
use super::layout::{self, Column};
use crate::render::look::{Look, Paint};
use crate::render::rows::{self, Group, Shown};
use crate::render::{Style, sentences};
use crate::report::{Cell, CellState, NodeRow, Report};

/// The cells of one row as text, in the order of the columns.
type Texts = Vec<(String, Option<Paint>)>;

pub(super) fn write(
    report: &Report,
    shown: &Shown<'_>,
    breadth: Breadth,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let look = Look::new(style);
    if shown.count == 0 {
        return writeln!(out, "{}", look.paint("no node is like that", Paint::Faint));
    }
    let fold = style
        .fold
        .unwrap_or_else(|| style.height.is_some_and(|height| shown.count > height));
    let groups: Vec<(Option<&str>, Vec<Texts>)> = shown
        .groups
        .iter()
        .map(|group| {
            (
                group.heading.as_deref(),
                texts(group, report, breadth, look, fold),
            )
        })
        .collect();
    let rows: Vec<&Texts> = groups.iter().flat_map(|(_, rows)| rows).collect();
    let columns = columns(report, breadth, look, &rows);
    let fitted = match breadth {
        Breadth::Fitting => look,
        Breadth::Whole => look.unbounded(),
    };
    let laid = layout::lay(columns, fitted);
    if !style.no_headers {
        writeln!(out, "{}", laid.heading)?;
    }
    let mut lines = laid.rows.iter();
    for (heading, rows) in &groups {
        if let Some(heading) = heading {
            let heading = look.wrapped(&look.plain(heading), 0, 2);
            writeln!(out, "{}", look.paint(&heading, Paint::Strong))?;
        }
        for line in lines.by_ref().take(rows.len()) {
            writeln!(out, "{line}")?;
        }
    }
    if !laid.dropped.is_empty() {
        let dropped = format!("not shown at this width: {}", laid.dropped.join(", "));
        writeln!(
            out,
            "{}",
            look.paint(&look.wrapped(&look.plain(&dropped), 0, 2), Paint::Faint)
        )?;
    }
    if !style.no_headers {
        legend(shown, look, out)?;
    }
    Ok(())
}

/// The rows of a group as text; identical ones of a pool folded into one where that is wanted.
fn texts(group: &Group<'_>, report: &Report, breadth: Breadth, look: Look, fold: bool) -> Vec<Texts> {
    let rows = group
        .rows
        .iter()
        .map(|row| (*row, cells(row, report, breadth, look)));
    if !fold {
        return rows.map(|(_, texts)| texts).collect();
    }
    let mut folded: Vec<(Texts, usize)> = Vec::new();
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (row, texts) in rows {
        // The name is what differs; the pool is among the other cells, and said whole.
        let mut alike: Vec<String> = texts.iter().skip(1).map(|(text, _)| text.clone()).collect();
        alike.push(row.pool.clone().unwrap_or_default());
        if let Some(place) = places.get(&alike) {
            folded[*place].1 += 1;
        } else {
            places.insert(alike, folded.len());
            folded.push((texts, 1));
        }
    }
    folded
        .into_iter()
        .map(|(mut texts, count)| {
            if count > 1 {
                let times = look.plain(&format!(" ×{}", sentences::thousands(count)));
                texts[0].0.push_str(&times);
            }
            texts
        })
        .collect()
}

fn cells(row: &NodeRow, report: &Report, breadth: Breadth, look: Look) -> Texts {
    let plain = |text: &str| (look.plain(text), None);
    let faint = |text: &str| (look.plain(text), Some(Paint::Faint));
    let status = rows::status(row);
    let good_until = rows::good_until(row);
    let mut texts = vec![
        plain(&row.name),
        row.pool.as_deref().map_or_else(|| faint("-"), plain),
        (status.to_owned(), status_paint(row, status)),
        plain(rows::kubelet(row)),
        plain(&rows::kube_proxy(row)),
        plain(&rows::pair(row)),
    ];
    texts.push(cell(&row.now, look));
    // A row holds a cell for each column, or none at all.
    texts.extend(
        report
            .columns
            .iter()
            .zip(&row.hops)
            .map(|(_, hop)| cell(hop, look)),
    );
    texts.resize(7 + report.columns.len(), (String::new(), None));
    texts.push(if row.is_out_today && rows::is_judged(row) {
        (good_until, Some(Paint::Bad))
    } else {
        plain(&good_until)
    });
    if breadth == Breadth::Whole {
        let roles = if row.roles.is_empty() {
            "-".to_owned()
        } else {
            row.roles.join(",")
        };
        texts.push(plain(&roles));
        texts.push(row.os.as_deref().map_or_else(|| faint("-"), plain));
        texts.push(row.zone.as_deref().map_or_else(|| faint("-"), plain));
    }
    texts
}

fn status_paint(row: &NodeRow, status: &str) -> Option<Paint> {
    match status {
        "Ready" => None,
        _ if !rows::is_judged(row) => Some(Paint::Faint),
        _ => Some(Paint::Limit),
    }
}

fn cell(cell: &Cell, look: Look) -> (String, Option<Paint>) {
    let mark = look.mark(cell.state);
    let text =
        rows::distances(cell).map_or_else(|| mark.to_owned(), |distances| format!("{mark} {distances}"));
    (text, Some(Paint::of_state(cell.state)))
}

fn columns(report: &Report, breadth: Breadth, look: Look, rows: &[&Texts]) -> Vec<Column> {
    let hops = report.columns.len();
    let mut headings: Vec<String> = ["NODE", "POOL", "STATUS", "KUBELET", "KUBE-PROXY", "PAIR"]
        .map(str::to_owned)
        .to_vec();
    headings.push(look.plain(&rows::now_heading(report)));
    headings.extend(report.columns.iter().map(ToString::to_string));
    headings.push("GOOD UNTIL".to_owned());
    if breadth == Breadth::Whole {
        headings.extend(["ROLES", "OS", "ZONE"].map(str::to_owned));
    }
    let column = |(index, heading): (usize, &String)| {
        let cells = rows.iter().map(|texts| texts[index].clone()).collect();
        let column = Column::new(heading, cells);
        match index {
            0 => column.shrinking_to(20),
            1 => column.shrinking_to(10).expendable(75),
            2 => column.expendable(55),
            3 => column.shrinking_to(12).expendable(80),
            4 => column.shrinking_to(12).expendable(50),
            5 => column.expendable(2),
            6 => column,
            // The last minor is the target's: the verdict of the row.
            _ if index < 6 + hops => column.expendable(hop_order(index - 7, hops - 1)),
            _ if index == 6 + hops => column,
            _ if index == 7 + hops => column.expendable(90),
            _ => column.expendable(1),
        }
    };
    headings.iter().enumerate().map(column).collect()
}

/// The order in which `count` minors before the target go: from the middle out, and the outermost late.
fn hop_order(index: usize, count: usize) -> u32 {
    let is_outer = index < 2 || index + 1 == count;
    let from_middle = (2 * index + 1).abs_diff(count).min(30);
    let base = if is_outer { 60 } else { 10 };
    base + u32::try_from(from_middle / 2).unwrap_or(15).min(14)
}

/// What the signs that are shown mean.
fn legend(shown: &Shown<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut states: Vec<CellState> = shown
        .rows()
        .flat_map(|row| std::iter::once(&row.now).chain(&row.hops))
        .map(|cell| cell.state)
        .collect();
    states.sort_unstable();
    states.dedup();
    let meaning = |state: &CellState| match (look.mark(*state), rows::meaning(*state)) {
        (mark, meaning) if mark == meaning => mark.to_owned(),
        (mark, meaning) => format!("{mark} {meaning}"),
    };
    let meanings: Vec<String> = states.iter().map(meaning).collect();
    let text = format!(
        "{}  1/2 kubelet 1, kube-proxy 2 minors behind the newest apiserver",
        meanings.join("  ")
    );
    let text = look.wrapped(&look.plain(&text), 0, 0);
    writeln!(out, "{}", look.paint(&text, Paint::Faint))
}
