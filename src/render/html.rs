//! One self-contained page for a browser, a phone, a printer and a change ticket. It reads whole without a script;
//! with one, the matrix can be filtered. It asks for nothing outside itself, and says so in its policy.

mod style;
mod tables;

use std::io::{self, Write};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::escape::visible;
use super::rows::Shown;
use super::sentences::{self, Pools};
use super::{Style, sign_of};
use crate::inventory::gap::Gap;
use crate::report::{FindingRow, Report, Severity, Verdict};

const SCRIPT: &str = include_str!("html/page.js");
/// How many names are shown before the rest is folded.
const NAMES: usize = 12;

pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = Shown::new(report, style);
    writeln!(out, "{}", page(report, &shown).into_string())
}

/// Text from the cluster: visible here, and escaped by the markup itself.
fn text(text: &str) -> String {
    visible(text).into_owned()
}

/// What the page's policy lets run, and lets style it: this text and no other, whatever a name might smuggle in.
fn hash_source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

fn page(report: &Report, shown: &Shown<'_>) -> Markup {
    let verdict = text(&sentences::verdict(report));
    let stylesheet = style::stylesheet(report);
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash_source(&stylesheet),
        hash_source(SCRIPT)
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
                style { (PreEscaped(&stylesheet)) }
            }
            body {
                main {
                    h1 class=(verdict_class(report)) { (sign_of(report.verdict)) " " (verdict) }
                    (head(report))
                    (tables::control_plane(report))
                    (tables::matrix(report, shown))
                    (path(report, &pools))
                    @if let Some(lagging) = sentences::lagging(report, &pools, NAMES) { p { (text(&lagging)) } }
                    (plan(report, &pools))
                    (findings(report))
                    (gaps(report))
                    h2 { "Gate" }
                    p { (text(&sentences::gate(report))) }
                    p class={ "verdict " (verdict_class(report)) } { (sign_of(report.verdict)) " " (verdict) }
                }
                @if shown.count > 0 {
                    script { (PreEscaped(SCRIPT)) }
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
    let version = sentences::server(report);
    let age = source
        .age_seconds
        .map_or_else(String::new, |age| format!(", {}", sentences::age(age)));
    html! {
        @for assumed in &report.assumed { p class="note newer" { (text(&sentences::assumed(assumed))) } }
        @for excluded in &report.excluded { p class="note newer" { (text(&sentences::excluded(excluded))) } }
        dl {
            dt { "source" } dd { (sentences::origin(source.mode)) }
            @if let Some(context) = &source.context { dt { "context" } dd { (text(context)) } }
            @if !source.files.is_empty() { dt { "files" } dd { (names(&source.files)) } }
            dt { "server" }
            dd { (text(&version)) @if let Some(server) = &source.api_server { " at " (text(server)) } }
            @if let Some(target) = &report.target { dt { "target" } dd { (text(&target.text)) } }
            dt { "policy" }
            dd {
                (text(&report.policy.name)) ", " (link(&report.policy.source))
                @if let Some(from) = &report.policy.detected_from { ", detected from " (text(from)) }
            }
            @if let Some(taken) = &source.captured_at { dt { "taken" } dd { (text(taken)) (age) } }
            dt { "scope" } dd { (sentences::SCOPE) }
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
                    (hop.to) ": " (sentences::count(hop.move_first.len(), "node")) " must move first: "
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
        return html! { @if let Some(why) = report.no_plan { p { (sentences::no_plan(why)) } } };
    };
    html! {
        h2 { "Plan " small { (sentences::plan_counts(plan)) } }
        ol {
            @for step in &plan.steps {
                li {
                    (text(&sentences::step(step, pools, NAMES)))
                    div class="why" { (sentences::reason(&step.reason)) }
                    @for note in &step.notes { div class="why" { (text(&sentences::note(note, NAMES))) } }
                }
            }
        }
        @for rest in sentences::plan_rest(plan, pools, NAMES) { p { (text(&rest)) } }
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

fn finding(finding: &FindingRow) -> Markup {
    let FindingRow {
        rule,
        key,
        severity,
        evidence,
        nodes,
        pools: _,
        versions,
        limit: _,
        upstream_limit: _,
        steps: _,
        citations,
        fails_gate: _,
    } = finding;
    let class = match severity {
        Severity::Blocker => "behind",
        Severity::Warning => "atLimit",
        Severity::Info => "unknown",
    };
    html! {
        article {
            h3 { span class={ "tag " (class) } { (severity.name()) } " " (text(&sentences::title(evidence))) }
            p { code { (text(key)) } }
            p { (text(&sentences::detail(evidence))) }
            @if !nodes.is_empty() { p { "nodes: " (names(nodes)) } }
            @if !versions.is_empty() { p { "versions: " (names(versions)) } }
            p { (text(&sentences::remedy(rule, evidence))) }
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
        @for gap in &report.not_assessed { (self::gap(gap, &report.source.kubectl_flags)) }
    }
}

fn gap(gap: &Gap, flags: &str) -> Markup {
    let sentences::GapText {
        title,
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
    let (class, word) = if required {
        ("newer", "required")
    } else {
        ("unknown", "optional")
    };
    html! {
        article {
            h3 { span class={ "tag " (class) } { (word) } " " (text(&reason)) }
            p class="faint" { (title) }
            @if !objects.is_empty() {
                p { "objects: " (names(&objects)) @if more_objects > 0 { " · " (sentences::more(more_objects, "object")) } }
            }
            @if let Some(verify) = verify { p { "verify" } pre { (text(&verify)) } }
            @if let Some(grant) = grant { p { "grant" } pre { (text(&grant)) } }
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
            details { summary { "and " (sentences::thousands(rest.len())) " more" } (list(rest)) }
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
