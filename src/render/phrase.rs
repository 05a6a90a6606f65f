//! The sentences that several formats say alike: here the verdict, today, the gate, what is hypothetical, and
//! words for numbers, names and versions; in `plan` what a step does and why, in `gap` all about what was not assessed.
//! They are made of the report's words and of text from the cluster as it stands: each format makes the whole
//! safe in its own way.

mod gap;
mod plan;

use std::collections::BTreeSet;

pub use self::gap::{GRANTED_VERBS, GapText, gap, gap_reason, grant};
pub use self::plan::{
    Pools, cause, going_back, lagging, no_plan, note, obstacle, plan_counts, plan_rest, reason, step,
};
use super::escape::visible;
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::finding::{RuleKey, Severity, Verdict};
use crate::policy::rules;
use crate::report::{Assumed, Excluded, Gate, InstanceRow, Mode, Report, TargetKind};

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

/// Who is out of policy today: so many nodes, and the components that run on no node.
fn out_today(report: &Report) -> String {
    let today = report
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && rules::speaks_of_today(finding.rule));
    let mut nodes = BTreeSet::new();
    let mut others = BTreeSet::new();
    for finding in today {
        match finding.component {
            Some(Component::Kubelet | Component::KubeProxy) if !finding.nodes.is_empty() => {
                nodes.extend(finding.nodes.iter());
            }
            Some(component) => {
                others.insert(component);
            }
            None => nodes.extend(finding.nodes.iter()),
        }
    }
    let nodes = (!nodes.is_empty()).then(|| count(nodes.len(), "node"));
    let others = others.iter().map(|component| component.name().to_owned());
    let all: Vec<String> = nodes.into_iter().chain(others).collect();
    if all.is_empty() {
        "something".to_owned()
    } else {
        all.join(", ")
    }
}

/// A rule's key, without the node that some keys end in.
pub fn rule_key(key: RuleKey) -> &'static str {
    rules::rule(key).map_or("", |rule| rule.stem().trim_end_matches('/'))
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

/// How long before now the objects were taken.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!(
        "{} ago",
        count(usize::try_from(number).unwrap_or(usize::MAX), unit)
    )
}

/// The word for where a report comes from.
pub const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "live",
        // The example is a dump that is built in.
        Mode::Files | Mode::Example => "files",
    }
}

/// Where a report comes from, for people: the built-in cluster says what it is.
pub const fn origin(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "a live cluster",
        Mode::Files => "files",
        Mode::Example => "an example built into kubectl skew; no cluster was asked",
    }
}

/// "1.36", or "1.36–1.37" while the apiservers differ.
pub fn span(oldest: Option<Minor>, newest: Option<Minor>) -> Option<String> {
    match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest == newest => Some(oldest.to_string()),
        (Some(oldest), Some(newest)) => Some(format!("{oldest}–{newest}")),
        (Some(minor), None) | (None, Some(minor)) => Some(minor.to_string()),
        (None, None) => None,
    }
}

/// "1 node", "5,000 nodes".
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// "1 more node", "4,000 more nodes".
pub fn more(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} more {noun}{plural}", thousands(number))
}

/// A number with its thousands set apart.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The first names, and how many more there are.
pub fn names(names: &[impl AsRef<str>], at_most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(at_most).map(AsRef::as_ref).collect();
    cut(&shown, names.len())
}

/// A list of which these are the first, of so many.
pub fn cut(shown: &[impl AsRef<str>], total: usize) -> String {
    let list = shown.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match total - shown.len() {
        0 => list,
        rest => format!("{list} and {} more", thousands(rest)),
    }
}

/// A version for the eye: without the `v` that every version starts with.
pub fn version(raw: &str) -> &str {
    match raw.strip_prefix('v') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number,
        _ => raw,
    }
}

/// What an instance of the control plane runs.
pub fn instance_version(row: &InstanceRow) -> String {
    let binary = match (&row.version, &row.image) {
        (Some(raw), _) => version(raw).to_owned(),
        (None, Some(image)) => format!("? ({image})"),
        (None, None) => "?".to_owned(),
    };
    let emulated = row
        .emulated_minor
        .map_or_else(String::new, |minor| format!(" emulating {minor}"));
    let own = if row.judged || row.version.is_none() {
        ""
    } else {
        ", not judged"
    };
    format!("{binary}{emulated}{own}")
}

/// What told an instance's version.
pub fn instance_source(from: &str) -> &str {
    match from {
        "version" => "/version",
        "told" => "--server-version",
        "pod" => "its pod",
        "serverNode" => "its server node",
        "clusterOperator" => "ClusterOperator",
        "assumed" => "--assume",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_apart_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (5_000_000, "5,000,000")] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "hop"), "0 hops");
    }

    #[test]
    fn names_are_cut_with_their_number_and_never_silently() {
        assert_eq!(names(&["a", "b"], 2), "a, b");
        assert_eq!(names(&["a", "b", "c"], 2), "a, b and 1 more");
    }

    #[test]
    fn versions_lose_their_v_and_nothing_else() {
        for (raw, shown) in [
            ("v1.36.2-gke.1", "1.36.2-gke.1"),
            ("1.36", "1.36"),
            ("vk", "vk"),
            ("", ""),
        ] {
            assert_eq!(version(raw), shown);
        }
    }
}
