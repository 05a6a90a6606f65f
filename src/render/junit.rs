//! Test cases for a pipeline's test report: a suite a component, a case a node pair, instance and hop.
//!
//! What gates is a failure, a required gap is an error "not assessed", the rest passes and says what it knows in
//! its output. Every message stands in the attribute and in the body, since readers show one or the other. No
//! case is named twice, since readers keep the first alone.

mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::escape::visible;
use super::locations::Locations;
use super::sentences;
use crate::inventory::component::Component;
use crate::report::Report;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let cases = Cases::of(report);
    let mut suites = Suites::new(text(&format!("kubectl skew: {}", sentences::verdict(report))));
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
        let mut all = vec![cases::verdict(report)];
        all.extend(cases::instances(report, &mut told));
        all.extend(cases::nodes(report, &mut told));
        let untold = (0..report.findings.len()).filter(|index| !told.contains(index));
        all.extend(untold.map(|index| cases::finding_case(&report.findings[index])));
        all.extend(report.path.iter().map(|hop| cases::hop_case(report, hop)));
        all.extend(report.not_assessed.iter().map(|gap| cases::gap_case(report, gap)));
        all.extend(
            report
                .assumed
                .iter()
                .map(|assumed| cases::told_case("assumed", sentences::assumed(assumed))),
        );
        all.extend(
            report
                .excluded
                .iter()
                .map(|excluded| cases::told_case("excluded", sentences::excluded(excluded))),
        );
        Self { all }
    }

    fn suites(self, report: &Report) -> Vec<TestSuite> {
        let places = Locations::new(&report.source);
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

fn test_case(case: Case, places: &Locations<'_>) -> TestCase {
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
