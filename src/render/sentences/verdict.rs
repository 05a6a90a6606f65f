//! The verdict in one line, today's state beside it, the gate, and what is hypothetical.

use super::gap::gap;
use super::numbers::{count, names};
use crate::render::escape::visible;
use crate::report::{Assumed, Excluded, Gate, OutToday, Report, Severity, TargetKind, Verdict};

/// What was judged, and what was not.
pub const SCOPE: &str = "only version skew is judged: removed APIs, webhooks and add-ons are not looked at";

/// The verdict in one line, and today's state beside it.
pub fn verdict(report: &Report) -> String {
    let word = report.verdict.name().to_uppercase();
    let missing = report.not_assessed.iter().filter(|gap| gap.required).count();
    let missing = match (report.verdict, missing) {
        (Verdict::Ready, _) | (_, 0) => String::new(),
        (_, gaps) => format!(" · not assessed: {}", count(gaps, "required gap")),
    };
    if let Some(target) = &report.target {
        let patch = match target.kind {
            TargetKind::Patch => " (a patch move)",
            TargetKind::Hop(_) | TargetKind::Refused => "",
        };
        let text = &target.text;
        let today = today(report);
        return format!("{word} for {text}{patch} by version skew{missing} · today: {today}");
    }
    let today = match report.in_policy {
        Some(true) => "IN POLICY today by version skew".to_owned(),
        Some(false) => format!("OUT OF POLICY today by version skew: {}", out_today(report)),
        None => "UNKNOWN today by version skew".to_owned(),
    };
    let means = match report.verdict {
        Verdict::Ready if report.in_policy == Some(false) => " (no blocker)",
        Verdict::Ready | Verdict::Blocked | Verdict::Unknown => "",
    };
    format!("{today}{missing} · verdict: {}{means}", report.verdict)
}

/// Today's state, whatever the target.
pub fn today(report: &Report) -> String {
    match report.in_policy {
        Some(true) => "in policy".to_owned(),
        Some(false) => format!("{} out of policy", out_today(report)),
        None => "not assessed".to_owned(),
    }
}

/// What is out of policy today: so many nodes, and the components that are not a node's.
fn out_today(report: &Report) -> String {
    let OutToday { nodes, components } = &report.out_today;
    let nodes = (!nodes.is_empty()).then(|| count(nodes.len(), "node"));
    let components = components.iter().map(ToString::to_string);
    nodes.into_iter().chain(components).collect::<Vec<_>>().join(", ")
}

/// Whether a pipeline may go on, and what stops it.
pub fn gate(report: &Report) -> String {
    let Gate {
        fail_on,
        allow_incomplete,
        passed,
        exit_code,
    } = report.gate;
    let outcome = if passed { "passes" } else { "fails" };
    let threshold = match fail_on {
        None => "never fails".to_owned(),
        Some(severity) => format!(
            "fails on a {}{}",
            match severity {
                Severity::Blocker => "blocker",
                Severity::Warning => "warning or a blocker",
                Severity::Info => "finding of any severity",
            },
            if allow_incomplete {
                ", gaps allowed"
            } else {
                " or a required gap"
            }
        ),
    };
    let hypothetical = if report.assumed.is_empty() {
        ""
    } else {
        " · hypothetical"
    };
    format!("gate {outcome}, exit {exit_code} ({threshold}){hypothetical}")
}

/// What is assumed to be so.
pub fn assumed(assumed: &Assumed) -> String {
    let Assumed {
        selector,
        minor,
        nodes,
    } = assumed;
    let nodes = on_nodes(nodes);
    format!("hypothetical: judged as though {selector} ran {minor}{nodes}")
}

/// What was taken out.
pub fn excluded(excluded: &Excluded) -> String {
    let Excluded { selector, nodes } = excluded;
    format!("{selector} was left out of the judgement{}", on_nodes(nodes))
}

fn on_nodes(nodes: &[String]) -> String {
    if nodes.is_empty() {
        String::new()
    } else {
        format!(" ({}: {})", count(nodes.len(), "node"), names(nodes, 5))
    }
}

/// The verdict, what is hypothetical and every gap, a line each, safe to show.
pub fn summary(report: &Report) -> Vec<String> {
    let gaps = report
        .not_assessed
        .iter()
        .map(|it| gap(it, &report.source.kubectl_flags))
        .map(|text| format!("{}: {}", text.title, text.reason));
    std::iter::once(verdict(report))
        .chain(report.assumed.iter().map(assumed))
        .chain(report.excluded.iter().map(excluded))
        .chain(gaps)
        .map(|line| visible(&line).into_owned())
        .collect()
}
