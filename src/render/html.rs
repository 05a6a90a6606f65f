//! One self-contained page for a browser, a phone, a printer and a change ticket. It reads whole without a script;
//! with one, the matrix can be filtered. It asks for nothing outside itself, and says so in its policy.

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::escape::visible;
use super::phrase::{self, Pools};
use super::rows::{self, Problems, Shown};
use super::{Style, sign_of};
use crate::inventory::gap::Gap;
use crate::policy::finding::{Finding, Severity, Verdict};
use crate::report::{Cell, ControlPlane, NodeRow, Report};

const CSS: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// Styles and the script of this page carry it; whatever a name might smuggle in does not, and is not run.
const NONCE: &str = "kubectl-skew";
/// How many names are shown before the rest is folded.
const NAMES: usize = 12;

/// A colour by its use: on light, on dark.
struct Color(&'static str, &'static str, &'static str);

/// Foregrounds are legible on the backgrounds that they are used with; a test computes it.
const COLORS: [Color; 16] = [
    Color("page", "#ffffff", "#14171c"),
    Color("head", "#f1f3f5", "#1f242c"),
    Color("line", "#d5d9de", "#39404b"),
    Color("text", "#1b1f24", "#e8eaed"),
    Color("faint", "#59616b", "#a5adb8"),
    Color("link", "#0b57a4", "#8ab8ff"),
    Color("ok", "#e3eefb", "#16304d"),
    Color("ok-text", "#0b4a8f", "#a9d0ff"),
    Color("limit", "#fff3c4", "#3d3308"),
    Color("limit-text", "#694d00", "#ffdf7a"),
    Color("bad", "#fde2dd", "#4d1a12"),
    Color("bad-text", "#96180a", "#ffb9ad"),
    Color("newer", "#f1e3fb", "#3a1d4f"),
    Color("newer-text", "#662291", "#e3bcff"),
    Color("unknown", "#e8e8e8", "#34383f"),
    Color("unknown-text", "#41464d", "#d6dae0"),
];

pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = Shown::new(report, style);
    writeln!(out, "{}", page(report, &shown).into_string())
}

/// Text from the cluster: visible here, and escaped by the markup itself.
fn text(text: &str) -> String {
    visible(text).into_owned()
}

/// The stylesheet: the colours, the page, and the labels that the matrix needs where it has no headings.
fn stylesheet(report: &Report) -> String {
    let declared = |pick: fn(&Color) -> &'static str| {
        COLORS
            .iter()
            .map(|color| ["--", color.0, ":", pick(color), ";"].concat())
            .collect::<String>()
    };
    let (light, dark) = (declared(|color| color.1), declared(|color| color.2));
    let labels = labels("instances", INSTANCES.map(str::to_owned)) + &labels("nodes", headings(report));
    format!(
        ":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{CSS}\
         @media screen and (max-width:40rem){{{labels}}}\n"
    )
}

/// What stands before each cell of a table whose headings are out of sight.
fn labels(table: &str, headings: impl IntoIterator<Item = String>) -> String {
    let rules: Vec<String> = (2..)
        .zip(headings.into_iter().skip(1))
        .map(|(place, heading)| format!("#{table} td:nth-child({place})::before{{content:\"{heading} \"}}"))
        .collect();
    rules.concat()
}

/// The headings of the control plane.
const INSTANCES: [&str; 4] = ["component", "version", "on", "read from"];

/// The headings of the matrix: our own words and minors.
fn headings(report: &Report) -> impl Iterator<Item = String> {
    let fixed = ["node", "pool", "status", "kubelet", "kube-proxy", "pair"].map(str::to_owned);
    let minors: Vec<String> = report.columns.iter().map(ToString::to_string).collect();
    fixed
        .into_iter()
        .chain([rows::now_heading(report)])
        .chain(minors)
        .chain(["good until".to_owned()])
}

fn page(report: &Report, shown: &Shown<'_>) -> Markup {
    let verdict = text(&phrase::verdict(report));
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{NONCE}'; script-src 'nonce-{NONCE}'; base-uri 'none'; form-action 'none'"
    );
    let pools = Pools::new(&report.nodes);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
                title { (verdict) }
                style nonce=(NONCE) { (PreEscaped(stylesheet(report))) }
            }
            body {
                main {
                    h1 class=(verdict_class(report)) { (sign_of(report.verdict)) " " (verdict) }
                    (head(report))
                    (control_plane(report))
                    (matrix(report, shown))
                    (path(report, &pools))
                    @if let Some(lagging) = phrase::lagging(report, &pools, NAMES) { p { (text(&lagging)) } }
                    (plan(report, &pools))
                    (findings(report))
                    (gaps(report))
                    h2 { "Gate" }
                    p { (text(&phrase::gate(report))) }
                    p class={ "verdict " (verdict_class(report)) } { (sign_of(report.verdict)) " " (verdict) }
                }
                @if shown.count > 0 {
                    script nonce=(NONCE) { (PreEscaped(SCRIPT)) }
                }
            }
        }
    }
}

const fn verdict_class(report: &Report) -> &'static str {
    match (report.verdict, &report.target, report.in_policy) {
        (Verdict::Blocked, _, _) | (_, None, Some(false)) => "behind",
        (Verdict::Unknown, _, _) => "unknown",
        (Verdict::Ready, _, _) => "ok",
    }
}

fn head(report: &Report) -> Markup {
    let source = &report.source;
    let version = report.server_version.as_deref().unwrap_or("version unknown");
    let age = source
        .age_seconds
        .map_or_else(String::new, |age| format!(", {}", phrase::age(age)));
    html! {
        @for assumed in &report.assumed { p class="note newer" { (text(&phrase::assumed(assumed))) } }
        @for excluded in &report.excluded { p class="note newer" { (text(&phrase::excluded(excluded))) } }
        dl {
            dt { "source" } dd { (phrase::origin(source.mode)) }
            @if let Some(context) = &source.context { dt { "context" } dd { (text(context)) } }
            @if !source.files.is_empty() { dt { "files" } dd { (names(&source.files)) } }
            dt { "server" }
            dd { (text(version)) @if let Some(server) = &source.api_server { " at " (text(server)) } }
            @if let Some(target) = &report.target { dt { "target" } dd { (text(&target.text)) } }
            dt { "policy" }
            dd {
                (text(&report.policy.name)) ", " (link(&report.policy.source))
                @if let Some(from) = &report.policy.detected_from { ", detected from " (text(from)) }
            }
            @if let Some(taken) = &source.captured_at { dt { "taken" } dd { (text(taken)) (age) } }
            dt { "scope" } dd { (phrase::SCOPE) }
        }
    }
}

fn control_plane(report: &Report) -> Markup {
    let ControlPlane {
        oldest,
        newest,
        running,
        min_compatibility,
        answers,
        instances,
    } = &report.control_plane;
    let span = phrase::span(*oldest, *newest).unwrap_or_else(|| "version unknown".to_owned());
    let kubectl = report
        .kubectl
        .as_ref()
        .and_then(|kubectl| kubectl.version.as_deref());
    html! {
        h2 { "Control plane " small { (span) } }
        @if !instances.is_empty() {
            div class="scroll" tabindex="0" role="region" aria-label="Control plane" {
                table id="instances" class="cards" {
                    thead { tr { @for heading in INSTANCES { th scope="col" { (heading) } } } }
                    tbody {
                        @for row in instances {
                            tr {
                                th scope="row" { (row.component) }
                                td { (text(&phrase::instance_version(row))) }
                                td { (row.node.as_deref().map_or_else(|| "-".to_owned(), text)) }
                                td { (phrase::instance_source(row.from)) }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(answers) = answers { p { (text(answers)) } }
        @else if let Some(running) = running { p { (phrase::count(*running, "apiserver")) " with a live Lease" } }
        @if let Some(minor) = min_compatibility { p { "compatible down to " (minor) " (minCompatibility)" } }
        @if let Some(version) = kubectl { p { "kubectl here is " (text(phrase::version(version))) } }
    }
}

fn matrix(report: &Report, shown: &Shown<'_>) -> Markup {
    let problems = Problems::of(report);
    html! {
        h2 { "Nodes " small { (shown.partial().unwrap_or_else(|| phrase::count(shown.total, "node"))) } }
        @if shown.count > 0 {
            (legend())
            div class="filter" hidden {
                label { "Filter " input type="search" placeholder="name, pool, version"; }
                label { input type="checkbox"; " only problems" }
                output aria-live="polite" {}
            }
            div class="scroll" tabindex="0" role="region" aria-label="Node matrix" {
                table id="nodes" class="cards" {
                    thead {
                        tr {
                            @for heading in headings(report) { th scope="col" { (heading) } }
                        }
                    }
                    @for group in &shown.groups {
                        @if let Some(heading) = &group.heading {
                            tbody class="group" { tr { th scope="rowgroup" colspan=(8 + report.columns.len()) { (text(heading)) } } }
                        }
                        tbody { @for row in &group.rows { (node(row, report, &problems)) } }
                    }
                }
            }
        }
    }
}

fn node(row: &NodeRow, report: &Report, problems: &Problems<'_>) -> Markup {
    let hops: Vec<&Cell> = report
        .columns
        .iter()
        .zip(&row.hops)
        .map(|(_, cell)| cell)
        .collect();
    html! {
        tr data-row=(if problems.hold(row) { "problem" } else { "fine" }) {
            th scope="row" { (text(&row.name)) }
            td { (row.pool.as_deref().map_or_else(|| "-".to_owned(), text)) }
            td class="whole" { (rows::status(row)) }
            td { (text(rows::kubelet(row))) }
            td { (text(&rows::kube_proxy(row))) }
            td { (rows::pair(row)) }
            (cell(&row.now))
            @for hop in &hops { (cell(hop)) }
            @for _ in hops.len()..report.columns.len() { td {} }
            td class="v" { (rows::good_until(row)) }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        td class={ "c " (cell.state.name()) } title=(rows::meaning(cell.state)) {
            (rows::sign(cell.state))
            @if let Some(distances) = rows::distances(cell) { " " (distances) }
        }
    }
}

fn legend() -> Markup {
    html! {
        ul class="legend" {
            @for state in rows::STATES {
                li { span class=(state.name()) { (rows::sign(state)) } " " (rows::meaning(state)) }
            }
            li { "1/2: kubelet 1, kube-proxy 2 minors behind the newest apiserver" }
        }
    }
}

fn path(report: &Report, pools: &Pools<'_>) -> Markup {
    let Some(first) = report.path.first() else {
        return html! {};
    };
    html! {
        h2 { "Path" }
        ol class="path" {
            li { (first.from) }
            @for hop in &report.path {
                li class=(state_of(hop.verdict)) { "→ " (hop.to) " " (sign_of(hop.verdict)) " " (hop.verdict) }
            }
        }
        ul {
            @for hop in report.path.iter().filter(|hop| !hop.move_first.is_empty()) {
                li {
                    (hop.to) ": " (phrase::count(hop.move_first.len(), "node")) " must move first: "
                    (text(&pools.describe(&hop.move_first, NAMES)))
                }
            }
        }
    }
}

const fn state_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Blocked => "behind",
        Verdict::Unknown => "unknown",
        Verdict::Ready => "ok",
    }
}

fn plan(report: &Report, pools: &Pools<'_>) -> Markup {
    let Some(plan) = &report.plan else {
        return html! {};
    };
    html! {
        h2 { "Plan " small { (phrase::plan_counts(plan)) } }
        ol {
            @for step in &plan.steps {
                li {
                    (text(&phrase::step(step, pools, NAMES)))
                    div class="why" { (phrase::reason(&step.reason)) }
                    @for note in &step.notes { div class="why" { (text(&phrase::note(note, NAMES))) } }
                }
            }
        }
        @for rest in phrase::plan_rest(report, plan, pools, NAMES) { p { (text(&rest)) } }
    }
}

fn findings(report: &Report) -> Markup {
    if report.findings.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Findings " small { (report.findings.len()) } }
        @for finding in &report.findings { (self::finding(finding)) }
    }
}

fn finding(finding: &Finding) -> Markup {
    let Finding {
        rule: _,
        key,
        severity,
        title,
        detail,
        component: _,
        nodes,
        versions,
        remediation,
        citations,
    } = finding;
    let class = match severity {
        Severity::Blocker => "behind",
        Severity::Warning => "atLimit",
        Severity::Info => "unknown",
    };
    html! {
        article {
            h3 { span class={ "tag " (class) } { (severity.name()) } " " (text(title)) }
            p { code { (text(key)) } }
            p { (text(detail)) }
            @if !nodes.is_empty() { p { "nodes: " (names(nodes)) } }
            @if !versions.is_empty() { p { "versions: " (names(versions)) } }
            p { (text(remediation)) }
            @for citation in citations { p { (link(citation)) } }
        }
    }
}

fn gaps(report: &Report) -> Markup {
    if report.not_assessed.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Not assessed " small { (report.not_assessed.len()) } }
        @for gap in &report.not_assessed { (self::gap(gap)) }
    }
}

fn gap(gap: &Gap) -> Markup {
    let Gap {
        capability: _,
        required,
        component: _,
        reason,
        partial: _,
        skipped: _,
        objects,
        verify,
        grant,
    } = gap;
    let (class, word) = if *required {
        ("newer", "required")
    } else {
        ("unknown", "optional")
    };
    html! {
        article {
            h3 { span class={ "tag " (class) } { (word) } " " (text(reason)) }
            p class="faint" { (phrase::gap_title(gap)) }
            @if !objects.is_empty() { p { "objects: " (names(objects)) } }
            @if let Some(verify) = verify { p { "verify" } pre { (text(verify)) } }
            @if let Some(grant) = grant { p { "grant" } pre { (text(&phrase::grant(grant))) } }
        }
    }
}

/// All names: the first ones open, the rest folded.
fn names(names: &[String]) -> Markup {
    let list = |names: &[String]| names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
    let (first, rest) = names.split_at(names.len().min(NAMES));
    html! {
        (list(first))
        @if !rest.is_empty() {
            details { summary { "and " (phrase::thousands(rest.len())) " more" } (list(rest)) }
        }
    }
}

/// An address as a link where it is one.
fn link(address: &str) -> Markup {
    let shown = text(address);
    html! {
        @if address.starts_with("https://") { a href=(shown) rel="noreferrer noopener" { (shown) } } @else { (shown) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast that WCAG defines, of two `#rrggbb`.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |color: &str| {
            let channel = |at: usize| {
                let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
                if share <= 0.040_45 {
                    share / 12.92
                } else {
                    ((share + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// What a rule of the stylesheet sets a property to, where that is a colour of ours.
    fn set<'a>(rule: &'a str, property: &str) -> Option<&'a str> {
        let declarations = rule
            .split(';')
            .filter_map(|declaration| declaration.split_once(':'));
        let mut values = declarations.filter(|(name, _)| name.trim() == property);
        values.next()?.1.trim().strip_prefix("var(--")?.split(')').next()
    }

    /// Each text stands on the background of its own rule, or on any that the page has at large.
    #[test]
    fn every_text_is_legible_on_light_and_on_dark() {
        let color = |name: &str| COLORS.iter().find(|color| color.0 == name).unwrap();
        let rules = CSS.split('}').filter_map(|rule| rule.rsplit_once('{'));
        let mut pairs = Vec::new();
        for (_, rule) in rules {
            let (text, background) = (set(rule, "color"), set(rule, "background"));
            match (text, background) {
                (None, None) => {}
                (text, Some(background)) => pairs.push((text.unwrap_or("text"), background)),
                (Some(text), None) => pairs.extend([(text, "page"), (text, "head")]),
            }
        }
        assert!(
            pairs.contains(&("bad-text", "bad")) && pairs.len() > 12,
            "{pairs:?}"
        );
        for (foreground, background) in pairs {
            let (foreground, background) = (color(foreground), color(background));
            for (scheme, text, behind) in [
                ("light", foreground.1, background.1),
                ("dark", foreground.2, background.2),
            ] {
                let contrast = contrast(text, behind);
                let (text, behind) = (foreground.0, background.0);
                assert!(contrast >= 4.5, "{text} on {behind} in {scheme}: {contrast}");
            }
        }
        // Every colour that the stylesheet names is defined, and every one defined is used.
        for part in CSS.split("var(--").skip(1) {
            let name = part.split(')').next().unwrap();
            assert!(
                COLORS.iter().any(|color| color.0 == name),
                "{name} is not defined"
            );
        }
        for Color(name, _, _) in &COLORS {
            assert!(CSS.contains(&format!("var(--{name})")), "{name} is not used");
        }
    }
}
