//! What each case says and how it ends: the gate, an instance, a node's pair, a finding of neither, a hop, a gap.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, GAPS, Outcome, PAIRS, PATH, REST, VERDICT};
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap};
use crate::render::{rows, sentences};
use crate::report::{CellState, FindingRow, NodeRow, PathHop, Report, Verdict};

/// The gate: the report is red exactly where the pipeline stops.
pub(super) fn verdict(report: &Report) -> Case {
    let line = sentences::verdict(report);
    let outcome = if report.gate.passed {
        Outcome::Passed
    } else if report.verdict == Verdict::Unknown {
        Outcome::NotAssessed {
            message: line.clone(),
        }
    } else {
        Outcome::Failed {
            kind: report.verdict.name().to_owned(),
            message: line.clone(),
        }
    };
    Case {
        suite: VERDICT,
        name: "gate".to_owned(),
        outcome,
        output: vec![line, sentences::gate(report), sentences::SCOPE.to_owned()],
        object: None,
    }
}

/// What a finding says in one case.
fn told(finding: &FindingRow) -> String {
    let FindingRow {
        rule,
        key,
        severity,
        evidence,
        nodes: _,
        pools: _,
        versions: _,
        limit: _,
        upstream_limit: _,
        steps: _,
        citations,
        fails_gate: _,
    } = finding;
    format!(
        "{} {key}: {}. {} {}",
        severity.name(),
        sentences::title(evidence),
        sentences::remedy(rule, evidence),
        citations.join(" ")
    )
}

/// The outcome of these findings together, and what the case says besides.
fn outcome(findings: &[&FindingRow]) -> (Outcome, Vec<String>) {
    let (failing, rest): (Vec<&FindingRow>, Vec<&FindingRow>) =
        findings.iter().copied().partition(|finding| finding.fails_gate);
    let output = rest.iter().map(|finding| told(finding)).collect();
    match failing.first() {
        None => (Outcome::Passed, output),
        Some(first) => {
            let messages: Vec<String> = failing.iter().map(|finding| told(finding)).collect();
            let message = messages.join("\n");
            (
                Outcome::Failed {
                    kind: first.key.clone(),
                    message,
                },
                output,
            )
        }
    }
}

pub(super) fn instances(report: &Report, covered: &mut BTreeSet<usize>) -> Vec<Case> {
    let mut cases = Vec::new();
    for row in &report.control_plane.instances {
        let is_about = |finding: &FindingRow| {
            let names = |name: &String| finding.nodes.contains(name);
            finding.rule.component == Some(row.component)
                && (finding.nodes.is_empty() || row.node.as_ref().is_some_and(names) || names(&row.name))
        };
        let mut findings = Vec::new();
        for (index, finding) in report.findings.iter().enumerate() {
            if is_about(finding) {
                covered.insert(index);
                findings.push(finding);
            }
        }
        let (judged, mut output) = outcome(&findings);
        output.insert(0, format!("version {}", sentences::instance_version(row)));
        let on = row
            .node
            .as_ref()
            .map_or_else(String::new, |node| format!(" on {node}"));
        cases.push(Case {
            suite: row.component.name(),
            name: format!("{}{on}", row.name),
            outcome: if row.judged {
                judged
            } else {
                Outcome::Skipped {
                    message: "not judged".to_owned(),
                }
            },
            output,
            object: Some(format!("pod/{}", row.name)),
        });
    }
    cases
}

pub(super) fn nodes(report: &Report, covered: &mut BTreeSet<usize>) -> Vec<Case> {
    let mut by_node: BTreeMap<&str, Vec<&FindingRow>> = BTreeMap::new();
    let names: BTreeSet<&str> = report.nodes.iter().map(|row| row.name.as_str()).collect();
    for (index, finding) in report.findings.iter().enumerate() {
        if !matches!(
            finding.rule.component,
            None | Some(Component::Kubelet | Component::KubeProxy)
        ) {
            continue;
        }
        for node in finding.nodes.iter().filter(|node| names.contains(node.as_str())) {
            by_node.entry(node).or_default().push(finding);
            covered.insert(index);
        }
    }
    let none = Vec::new();
    let findings = |row: &NodeRow| by_node.get(row.name.as_str()).unwrap_or(&none).as_slice();
    report
        .nodes
        .iter()
        .map(|row| node(report, row, findings(row)))
        .collect()
}

fn node(report: &Report, row: &NodeRow, findings: &[&FindingRow]) -> Case {
    let (judged, mut output) = outcome(findings);
    output.insert(
        0,
        format!(
            "kubelet {}, kube-proxy {}, good until {}",
            rows::kubelet(row),
            rows::kube_proxy(row),
            rows::good_until(row)
        ),
    );
    let is_unread = row.now.state == CellState::Unknown;
    let outcome = match judged {
        _ if !rows::is_judged(row) => Outcome::Skipped {
            message: format!("not judged: {}", rows::status(row)),
        },
        Outcome::Passed if is_unread => {
            unread(report, Capability::Versions, "a version on this node is unread")
        }
        judged => judged,
    };
    Case {
        suite: PAIRS,
        name: format!("node/{}", row.name),
        outcome,
        output,
        object: Some(format!("node/{}", row.name)),
    }
}

pub(super) fn finding_case(finding: &FindingRow) -> Case {
    let (outcome, output) = outcome(&[finding]);
    Case {
        suite: REST,
        name: finding.key.clone(),
        outcome,
        output,
        object: None,
    }
}

pub(super) fn hop_case(report: &Report, hop: &PathHop) -> Case {
    let name = format!("{} to {}", hop.from, hop.to);
    let mut output = vec![format!("verdict {}", hop.verdict)];
    if !hop.move_first.is_empty() {
        output.push(format!("must move first: {}", hop.move_first.join(", ")));
    }
    let outcome = match hop.verdict {
        Verdict::Unknown => unread(report, Capability::Versions, "not everything was assessed"),
        Verdict::Blocked if !report.gate.passed => Outcome::Failed {
            kind: "blocked".to_owned(),
            message: output.join("; "),
        },
        Verdict::Blocked | Verdict::Ready => Outcome::Passed,
    };
    Case {
        suite: PATH,
        name,
        outcome,
        output,
        object: None,
    }
}

pub(super) fn gap_case(report: &Report, gap: &Gap) -> Case {
    let text = sentences::gap(gap, &report.source.kubectl_flags);
    let more = (text.more_objects > 0).then(|| sentences::more(text.more_objects, "object"));
    let objects = (!text.objects.is_empty()).then(|| text.objects.join(", "));
    let verify = text.verify.map(|verify| format!("verify: {verify}"));
    let grant = text.grant.map(|grant| format!("grant: {grant}"));
    let parts: Vec<String> = [Some(text.reason.clone()), objects, more, verify, grant]
        .into_iter()
        .flatten()
        .collect();
    let message = parts.join("; ");
    Case {
        suite: GAPS,
        name: format!("{}: {}", text.title, text.reason),
        outcome: if text.required {
            unread(report, text.capability, &message)
        } else {
            Outcome::Skipped {
                message: format!("not assessed: {message}"),
            }
        },
        output: Vec::new(),
        object: None,
    }
}

/// An error, unless the gate lets gaps pass. A target that cannot be judged passes only where nothing gates.
fn unread(report: &Report, capability: Capability, message: &str) -> Outcome {
    let message = format!("not assessed: {message}");
    let is_let_pass = report.gate.allow_incomplete && capability != Capability::Target;
    if report.gate.fail_on.is_none() || is_let_pass {
        Outcome::Skipped { message }
    } else {
        Outcome::NotAssessed { message }
    }
}

/// Something that the report says of itself.
pub(super) fn told_case(name: &str, line: String) -> Case {
    Case {
        suite: VERDICT,
        name: format!("{name}: {line}"),
        outcome: Outcome::Passed,
        output: vec![line],
        object: None,
    }
}
