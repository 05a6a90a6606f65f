//! A comment on a pull request: what matters first, the long parts folded, and never longer than GitHub takes.
//!
//! What does not fit is counted.

pub(super) mod text;

use std::io::{self, Write};

use self::text::{code, codes, link, prose};
use super::rows::{self, Shown};
use super::sentences::{self, Pools};
use super::{Style, sign_of};
use crate::inventory::gap::Gap;
use crate::report::{FindingRow, Mode, NodeRow, Report};

/// GitHub takes 65,536 characters; bytes are never fewer.
const MOST_BYTES: usize = 65_000;
/// What is kept back for the lines that must come last.
const RESERVE: usize = 2_000;
/// How many names a list shows.
const NAMES: usize = 10;

pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = Shown::new(report, style);
    let pools = Pools::new(&report.nodes);
    let mut page = Page {
        text: String::new(),
        limit: MOST_BYTES - RESERVE,
    };
    head(report, &shown, &mut page);
    gaps(report, &mut page);
    path(report, &pools, &mut page);
    lagging(report, &pools, &mut page);
    plan(report, &pools, &mut page);
    // Findings may not crowd the matrix out.
    page.limit = MOST_BYTES * 2 / 3;
    findings(report, &mut page);
    page.limit = MOST_BYTES - RESERVE;
    matrix(report, &shown, &mut page);
    page.limit = MOST_BYTES;
    page.line(&format!(
        "\n{}. _{}._",
        prose(&sentences::gate(report)),
        prose(sentences::SCOPE)
    ));
    out.write_all(page.text.as_bytes())
}

/// Room that a list leaves for the line that counts what it cut, and for the marks that close it.
const CLOSING: usize = 100;

/// The comment as far as it is written.
struct Page {
    text: String,
    limit: usize,
}

impl Page {
    /// Writes a line where it fits, and tells whether it did.
    fn line(&mut self, line: &str) -> bool {
        self.line_before(line, 0)
    }

    /// Writes a line where it fits with so many bytes to follow it.
    fn line_before(&mut self, line: &str, to_follow: usize) -> bool {
        let fits = self.text.len() + line.len() + to_follow < self.limit;
        if fits {
            self.text.push_str(line);
            self.text.push('\n');
        }
        fits
    }

    /// Writes as many lines as fit, and tells how many did not.
    fn lines(&mut self, lines: impl ExactSizeIterator<Item = String>) -> usize {
        let count = lines.len();
        let mut written = 0;
        for line in lines {
            if !self.line_before(&line, CLOSING) {
                break;
            }
            written += 1;
        }
        count - written
    }
}

fn head(report: &Report, shown: &Shown<'_>, page: &mut Page) {
    page.line(&format!(
        "## {} {}\n",
        sign_of(report.verdict),
        prose(&sentences::verdict(report))
    ));
    for assumed in &report.assumed {
        page.line(&format!("> {}\n", prose(&sentences::assumed(assumed))));
    }
    for excluded in &report.excluded {
        page.line(&format!("> {}\n", prose(&sentences::excluded(excluded))));
    }
    let source = &report.source;
    let mut said = vec![format!("policy {}", code(&report.policy.name))];
    if let Some(context) = &source.context {
        said.push(format!("context {}", code(context)));
    }
    if source.mode == Mode::Example {
        said.push(sentences::origin(source.mode).to_owned());
    }
    if !source.files.is_empty() {
        said.push(format!("files {}", codes(&source.files)));
    }
    said.push(format!("server {}", code(&sentences::server(report))));
    if let Some(span) = sentences::span(report.control_plane.oldest, report.control_plane.newest) {
        said.push(format!("apiservers {span}"));
    }
    if let Some(taken) = &source.captured_at {
        let age = source
            .age_seconds
            .map_or_else(String::new, |age| format!(", {}", sentences::age(age)));
        said.push(format!("taken {}{age}", prose(taken)));
    }
    if let Some(partial) = shown.partial() {
        said.push(partial);
    }
    page.line(&said.join(" · "));
}

fn gaps(report: &Report, page: &mut Page) {
    if report.not_assessed.is_empty() {
        return;
    }
    page.line("\n### Not assessed\n");
    let left = page.lines(
        report
            .not_assessed
            .iter()
            .map(|it| gap(it, &report.source.kubectl_flags)),
    );
    if left > 0 {
        page.line(&format!("- and {left} more"));
    }
}

fn gap(gap: &Gap, flags: &str) -> String {
    let sentences::GapText {
        title: _,
        reason,
        capability: _,
        required,
        partial: _,
        skipped: _,
        objects,
        more_objects,
        verify,
        grant,
    } = sentences::gap(gap, flags);
    let weight = if required { "**required**" } else { "optional" };
    let more = match more_objects {
        0 => String::new(),
        more => format!(" · {}", sentences::more(more, "object")),
    };
    let objects = (!objects.is_empty()).then(|| format!(" ({}{more})", codes(&objects)));
    let verify = verify.map(|verify| format!("<br>verify {}", code(&verify)));
    let grant = grant.map(|grant| format!("<br>grant {}", code(&grant)));
    let rest: Vec<String> = [objects, verify, grant].into_iter().flatten().collect();
    format!("- {weight}: {}{}", prose(&reason), rest.concat())
}

fn path(report: &Report, pools: &Pools<'_>, page: &mut Page) {
    let Some(first) = report.path.first() else {
        return;
    };
    let hops = report
        .path
        .iter()
        .map(|hop| format!(" → {} {}", hop.to, sign_of(hop.verdict)));
    let line = format!(
        "\n### Path\n\n{}{}",
        first.from,
        hops.collect::<Vec<_>>().concat()
    );
    page.line(&line);
    page.line("");
    for hop in report.path.iter().filter(|hop| !hop.move_first.is_empty()) {
        let count = sentences::count(hop.move_first.len(), "node");
        let who = prose(&pools.describe(&hop.move_first, NAMES));
        page.line(&format!("- {}: {count} must move first: {who}", hop.to));
    }
}

fn lagging(report: &Report, pools: &Pools<'_>, page: &mut Page) {
    if let Some(text) = sentences::lagging(report, pools, NAMES) {
        page.line(&format!("\n{}", prose(&text)));
    }
}

fn plan(report: &Report, pools: &Pools<'_>, page: &mut Page) {
    let Some(plan) = &report.plan else {
        if let Some(why) = report.no_plan {
            page.line(&format!("\n{}", sentences::no_plan(why)));
        }
        return;
    };
    page.line(&format!("\n### Plan: {}\n", sentences::plan_counts(plan)));
    let left = page.lines(
        plan.steps
            .iter()
            .map(|step| {
                let number = step.number;
                let notes: Vec<String> = step
                    .notes
                    .iter()
                    .map(|note| format!("; {}", prose(&sentences::note(note, NAMES))))
                    .collect();
                format!(
                    "{number}. {} — {}{}",
                    prose(&sentences::step(step, pools, NAMES)),
                    prose(&sentences::reason(&step.reason)),
                    notes.concat()
                )
            })
            .collect::<Vec<_>>()
            .into_iter(),
    );
    if left > 0 {
        page.line(&format!("\nand {}", sentences::more(left, "step")));
    }
    page.line("");
    for rest in sentences::plan_rest(plan, pools, NAMES) {
        page.line(&format!("- {}", prose(&rest)));
    }
}

fn findings(report: &Report, page: &mut Page) {
    if report.findings.is_empty() {
        return;
    }
    page.line(&format!(
        "\n<details open><summary>{}</summary>\n",
        sentences::count(report.findings.len(), "finding")
    ));
    let left = page.lines(report.findings.iter().map(finding));
    if left > 0 {
        page.line(&format!("- and {}", sentences::more(left, "finding")));
    }
    page.line("\n</details>");
}

fn finding(finding: &FindingRow) -> String {
    let FindingRow {
        rule,
        key,
        severity,
        evidence,
        nodes,
        pools: _,
        versions: _,
        limit: _,
        upstream_limit: _,
        steps: _,
        citations,
        fails_gate: _,
    } = finding;
    let sources: Vec<String> = citations.iter().map(|citation| link(citation)).collect();
    let who = if nodes.is_empty() {
        String::new()
    } else {
        format!("<br>nodes {}", codes(nodes))
    };
    format!(
        "- **{}** {} {}<br>{}{who}<br>{} {}",
        severity.name(),
        prose(&sentences::title(evidence)),
        code(key),
        prose(&sentences::detail(evidence)),
        prose(&sentences::remedy(rule, evidence)),
        sources.join(" ")
    )
}

fn matrix(report: &Report, shown: &Shown<'_>, page: &mut Page) {
    if shown.count == 0 {
        return;
    }
    page.line(&format!(
        "\n<details><summary>{}</summary>\n",
        sentences::count(shown.count, "node")
    ));
    let mut left = 0;
    for group in &shown.groups {
        let rows: Vec<String> = group.rows.iter().map(|row| node(row, report)).collect();
        let head = matrix_head(report, group.heading.as_deref());
        // Headings without a row say nothing.
        let to_follow = rows.first().map_or(0, String::len) + CLOSING;
        if left == 0 && page.line_before(&head, to_follow) {
            left = page.lines(rows.into_iter());
        } else {
            left += rows.len();
        }
    }
    page.limit = MOST_BYTES;
    if left > 0 {
        page.line(&format!("\nand {}", sentences::more(left, "node")));
    }
    page.line(
        "\n✓ within the policy, ! at the limit, ✗ too far behind, ▲ newer than an apiserver, ? not assessed, \
         · not judged; minors that kubelet/kube-proxy are behind the newest apiserver\n\n</details>",
    );
}

/// The headings of the matrix, below that of a group where there is one.
fn matrix_head(report: &Report, group: Option<&str>) -> String {
    let group = group.map_or_else(String::new, |heading| format!("\n**{}**\n\n", prose(heading)));
    let mut headings = ["node", "pool", "status", "kubelet", "kube-proxy", "pair"]
        .map(str::to_owned)
        .to_vec();
    headings.push(rows::now_heading(report));
    headings.extend(report.columns.iter().map(ToString::to_string));
    headings.push("good until".to_owned());
    let lines = " --- |".repeat(headings.len());
    format!("{group}| {} |\n|{lines}", headings.join(" | "))
}

fn node(row: &NodeRow, report: &Report) -> String {
    let mut cells = vec![
        code(&row.name),
        row.pool.as_deref().map_or_else(|| "-".to_owned(), code),
        rows::status(row).to_owned(),
        code(rows::kubelet(row)),
        code(&rows::kube_proxy(row)),
        rows::pair(row),
    ];
    let hops = report.columns.iter().zip(&row.hops).map(|(_, cell)| cell);
    for cell in std::iter::once(&row.now).chain(hops) {
        let distances = rows::distances(cell).map_or_else(String::new, |distances| format!(" {distances}"));
        cells.push(format!("{}{distances}", rows::sign(cell.state)));
    }
    cells.resize(7 + report.columns.len(), String::new());
    cells.push(rows::good_until(row));
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |", cells.join(" | "))
}
