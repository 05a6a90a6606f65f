//! Test cases for a pipeline's test report: a suite a component, a case a node pair, instance and hop.
//!
//! What gates is a failure, a required gap is an error "not assessed", the rest passes and says what it knows in
//! its output. Every message stands in the attribute and in the body, since readers show one or the other. No
//! case is named twice, since readers keep the first alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::escape::visible;
use super::place::Places;
use super::{phrase, rows};
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap};
use crate::policy::finding::{CellState, Finding, Verdict};
use crate::report::{NodeRow, PathHop, Report};

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let cases = Cases::of(report);
    let mut suites = Suites::new(text(&format!("kubectl skew: {}", phrase::verdict(report))));
    for suite in cases.suites(report) {
        suites.add_test_suite(suite);
    }
    let xml = suites.to_string().map_err(io::Error::other)?;
    out.write_all(xml.as_bytes())
}

/// Text from the cluster with nothing in it that XML cannot hold.
fn text(text: &str) -> String {
    visible(text).into_owned()
}

/// A case before it is written.
struct Case {
    suite: &'static str,
    name: String,
    outcome: Outcome,
    /// What it says beside its outcome.
    output: Vec<String>,
    /// The object that it speaks of.
    object: Option<String>,
}

/// How a case ends.
enum Outcome {
    Passed,
    Failed { kind: String, message: String },
    NotAssessed { message: String },
    Skipped { message: String },
}

/// What is judged of the cluster as a whole.
const VERDICT: &str = "verdict";
/// Nodes: the kubelet and the kube-proxy on each.
const PAIRS: &str = "kubelet and kube-proxy";
/// Hops.
const PATH: &str = "upgrade path";
/// Gaps.
const GAPS: &str = "not assessed";
/// Findings that speak of no node and of no instance.
const REST: &str = "policy";

const SUITES: [&str; 9] = [
    VERDICT,
    Component::KubeApiserver.name(),
    Component::KubeControllerManager.name(),
    Component::KubeScheduler.name(),
    Component::CloudControllerManager.name(),
    PAIRS,
    REST,
    PATH,
    GAPS,
];

struct Cases {
    all: Vec<Case>,
}

impl Cases {
    fn of(report: &Report) -> Self {
        let mut told = BTreeSet::new();
        let mut all = vec![verdict(report)];
        all.extend(instances(report, &mut told));
        all.extend(nodes(report, &mut told));
        let untold = (0..report.findings.len()).filter(|index| !told.contains(index));
        all.extend(untold.map(|index| finding_case(report, &report.findings[index])));
        all.extend(report.path.iter().map(|hop| hop_case(report, hop)));
        all.extend(report.not_assessed.iter().map(|gap| gap_case(report, gap)));
        all.extend(
            report
                .assumed
                .iter()
                .map(|assumed| told_case("assumed", phrase::assumed(assumed))),
        );
        all.extend(
            report
                .excluded
                .iter()
                .map(|excluded| told_case("excluded", phrase::excluded(excluded))),
        );
        Self { all }
    }

    fn suites(self, report: &Report) -> Vec<TestSuite> {
        let places = Places::new(&report.source);
        let mut suites: BTreeMap<usize, TestSuite> = BTreeMap::new();
        let mut names: BTreeMap<(&str, String), usize> = BTreeMap::new();
        for mut case in self.all {
            let seen = names.entry((case.suite, case.name.clone())).or_default();
            *seen += 1;
            if *seen > 1 {
                case.name = format!("{} ({seen})", case.name);
            }
            let place = SUITES
                .iter()
                .position(|suite| *suite == case.suite)
                .unwrap_or(SUITES.len());
            let suite = suites.entry(place).or_insert_with(|| suite(case.suite, report));
            suite.add_test_case(test_case(case, &places));
        }
        suites.into_values().collect()
    }
}

fn suite(name: &str, report: &Report) -> TestSuite {
    let mut suite = TestSuite::new(name);
    if name == VERDICT {
        let target = report.target.as_ref().map_or("none", |target| &target.text);
        let in_policy = report
            .in_policy
            .map_or("unknown", |is| if is { "true" } else { "false" });
        for (key, value) in [
            ("verdict", report.verdict.name()),
            ("inPolicy", in_policy),
            ("target", target),
            ("policy", &report.policy.name),
            (
                "serverVersion",
                report.server_version.as_deref().unwrap_or("unknown"),
            ),
        ] {
            suite.add_property((key, text(value).as_str()));
        }
    }
    suite
}

fn test_case(case: Case, places: &Places<'_>) -> TestCase {
    let Case {
        suite,
        name,
        outcome,
        output,
        object,
    } = case;
    let explained = |mut status: TestCaseStatus, kind: &str, message: &str| {
        status
            .set_type(kind)
            .set_message(text(message))
            .set_description(text(message));
        status
    };
    let status = match outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed { kind, message } => explained(
            TestCaseStatus::non_success(NonSuccessKind::Failure),
            &text(&kind),
            &message,
        ),
        Outcome::NotAssessed { message } => explained(
            TestCaseStatus::non_success(NonSuccessKind::Error),
            "not assessed",
            &message,
        ),
        Outcome::Skipped { message } => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(text(&message)).set_description(text(&message));
            status
        }
    };
    let mut written = TestCase::new(text(&name), status);
    written.set_classname(suite);
    if !output.is_empty() {
        written.set_system_out(
            output
                .iter()
                .map(|line| text(line))
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    if let Some(place) = object.and_then(|object| places.of(&object)) {
        written.extra.insert("file".into(), text(&place.file).into());
        written.extra.insert("line".into(), place.line.to_string().into());
    }
    written
}

/// The gate: the report is red exactly where the pipeline stops.
fn verdict(report: &Report) -> Case {
    let line = phrase::verdict(report);
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
        output: vec![line, phrase::gate(report), phrase::SCOPE.to_owned()],
        object: None,
    }
}

fn gates(report: &Report, finding: &Finding) -> bool {
    report
        .gate
        .fail_on
        .is_some_and(|threshold| finding.severity >= threshold)
}

/// What a finding says in one case.
fn told(finding: &Finding) -> String {
    let Finding {
        rule: _,
        key,
        severity,
        title,
        detail: _,
        component: _,
        nodes: _,
        versions: _,
        remediation,
        citations,
    } = finding;
    format!(
        "{} {key}: {title}. {remediation} {}",
        severity.name(),
        citations.join(" ")
    )
}

/// The outcome of these findings together, and what the case says besides.
fn outcome(report: &Report, findings: &[&Finding]) -> (Outcome, Vec<String>) {
    let (failing, rest): (Vec<&Finding>, Vec<&Finding>) = findings
        .iter()
        .copied()
        .partition(|finding| gates(report, finding));
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

fn instances(report: &Report, covered: &mut BTreeSet<usize>) -> Vec<Case> {
    let mut cases = Vec::new();
    for row in &report.control_plane.instances {
        let is_about = |finding: &Finding| {
            let names = |name: &String| finding.nodes.contains(name);
            finding.component == Some(row.component)
                && (finding.nodes.is_empty() || row.node.as_ref().is_some_and(names) || names(&row.name))
        };
        let mut findings = Vec::new();
        for (index, finding) in report.findings.iter().enumerate() {
            if is_about(finding) {
                covered.insert(index);
                findings.push(finding);
            }
        }
        let (judged, mut output) = outcome(report, &findings);
        output.insert(0, format!("version {}", phrase::instance_version(row)));
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

fn nodes(report: &Report, covered: &mut BTreeSet<usize>) -> Vec<Case> {
    let mut by_node: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    let names: BTreeSet<&str> = report.nodes.iter().map(|row| row.name.as_str()).collect();
    for (index, finding) in report.findings.iter().enumerate() {
        if !matches!(
            finding.component,
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

fn node(report: &Report, row: &NodeRow, findings: &[&Finding]) -> Case {
    let (judged, mut output) = outcome(report, findings);
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

fn finding_case(report: &Report, finding: &Finding) -> Case {
    let (outcome, output) = outcome(report, &[finding]);
    Case {
        suite: REST,
        name: finding.key.clone(),
        outcome,
        output,
        object: None,
    }
}

fn hop_case(report: &Report, hop: &PathHop) -> Case {
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

fn gap_case(report: &Report, gap: &Gap) -> Case {
    let objects = (!gap.objects.is_empty()).then(|| gap.objects.join(", "));
    let verify = gap.verify.as_ref().map(|verify| format!("verify: {verify}"));
    let grant = gap
        .grant
        .as_ref()
        .map(|grant| format!("grant: {}", phrase::grant(grant)));
    let parts: Vec<String> = [Some(gap.reason.clone()), objects, verify, grant]
        .into_iter()
        .flatten()
        .collect();
    let message = parts.join("; ");
    Case {
        suite: GAPS,
        name: format!("{}: {}", phrase::gap_title(gap), gap.reason),
        outcome: if gap.required {
            unread(report, gap.capability, &message)
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
fn told_case(name: &str, line: String) -> Case {
    Case {
        suite: VERDICT,
        name: format!("{name}: {line}"),
        outcome: Outcome::Passed,
        output: vec![line],
        object: None,
    }
}
