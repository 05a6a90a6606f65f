//! One self-contained page for a browser, a phone, a printer and a change ticket. It reads whole without a script;
//! with one, the matrix can be filtered. It asks for nothing outside itself, and says so in its policy.

mod style;
mod tables;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::escape::visible;
use super::phrase::{self, Pools};
use super::rows::Shown;
use super::{Style, sign_of};
use crate::inventory::gap::Gap;
use crate::policy::finding::{Finding, Severity, Verdict};
use crate::report::Report;

const SCRIPT: &str = include_str!("html/page.js");
/// Styles and the script of this page carry it; whatever a name might smuggle in does not, and is not run.
const NONCE: &str = "kubectl-skew";
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
                style nonce=(NONCE) { (PreEscaped(style::stylesheet(report))) }
            }
            body {
                main {
                    h1 class=(verdict_class(report)) { (sign_of(report.verdict)) " " (verdict) }
                    (head(report))
                    (tables::control_plane(report))
                    (tables::matrix(report, shown))
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
        return html! { @if let Some(why) = report.no_plan { p { (phrase::no_plan(why)) } } };
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
        @for rest in phrase::plan_rest(plan, pools, NAMES) { p { (text(&rest)) } }
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
        @for gap in &report.not_assessed { (self::gap(gap, &report.source.kubectl_flags)) }
    }
}

fn gap(gap: &Gap, flags: &str) -> Markup {
    let phrase::GapText {
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
    } = phrase::gap(gap, flags);
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
                p { "objects: " (names(&objects)) @if more_objects > 0 { " · " (phrase::more(more_objects, "object")) } }
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
