//! `JUnit` read back by an XML parser that is not ours.

use kubectl_skew::render::Format;
use kubectl_skew::report::{Gate, Report};
use roxmltree::{Document, Node};

use crate::samples;
use crate::{piped, rendered};

/// Reads a report and gives its cases as `suite`, `name`, `outcome`.
fn cases(report: &Report) -> Vec<(String, String, &'static str)> {
    let text = rendered(report, Format::Junit, &piped());
    let document = Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let outcome = |case: &Node<'_, '_>| {
        ["failure", "error", "skipped"]
            .into_iter()
            .find(|kind| case.children().any(|child| child.has_tag_name(*kind)))
            .unwrap_or("passed")
    };
    let cases: Vec<_> = root
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .map(|case| {
            let suite = case.parent().unwrap().attribute("name").unwrap();
            assert_eq!(case.attribute("classname"), Some(suite));
            (
                suite.to_owned(),
                case.attribute("name").unwrap().to_owned(),
                outcome(&case),
            )
        })
        .collect();
    let total = |name: &str| root.attribute(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(total("tests"), cases.len());
    assert_eq!(
        total("failures"),
        cases.iter().filter(|case| case.2 == "failure").count()
    );
    assert_eq!(
        total("errors"),
        cases.iter().filter(|case| case.2 == "error").count()
    );
    cases
}

#[test]
fn no_case_is_named_twice_and_the_report_is_red_exactly_where_the_gate_fails() {
    for (name, report) in samples::all() {
        let cases = cases(&report);
        let mut names: Vec<_> = cases.iter().map(|case| (&case.0, &case.1)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cases.len(), "{name}");
        let is_red = cases.iter().any(|case| matches!(case.2, "failure" | "error"));
        assert_eq!(is_red, !report.gate.passed, "{name}");
    }
}

#[test]
fn a_case_a_node_pair_an_instance_and_a_hop() {
    let cases = cases(&samples::blocked());
    let of = |suite: &str| -> Vec<String> {
        cases
            .iter()
            .filter(|case| case.0 == suite)
            .map(|case| format!("{} {}", case.1, case.2))
            .collect()
    };
    assert_eq!(of("kube-apiserver"), ["v1.34.3 passed"]);
    assert_eq!(
        of("upgrade path"),
        [
            "1.34 to 1.35 failure",
            "1.35 to 1.36 failure",
            "1.36 to 1.37 failure"
        ]
    );
    let pairs = of("kubelet and kube-proxy");
    assert_eq!(pairs.len(), 16);
    for case in [
        "node/gpu-a-7 failure",
        "node/spot-arm-12 failure",
        "node/web-1 passed",
        "node/virtual-aci skipped",
    ] {
        assert!(pairs.contains(&case.to_owned()), "{case} in {pairs:?}");
    }
    assert_eq!(of("not assessed").len(), 1);
}

#[test]
fn a_required_gap_is_an_error_unless_gaps_are_let_pass() {
    let count =
        |report: &Report, outcome: &str| cases(report).iter().filter(|case| case.2 == outcome).count();
    // The gate, the node whose kubelet is unread, the hop, and the two gaps.
    assert_eq!(count(&samples::unknown(), "error"), 5);
    let allowed = Report {
        gate: Gate {
            allow_incomplete: true,
            passed: true,
            exit_code: 0,
            ..samples::unknown().gate
        },
        ..samples::unknown()
    };
    assert_eq!(count(&allowed, "error"), 0);
    assert_eq!(count(&allowed, "failure"), 0);
    assert_eq!(count(&allowed, "skipped"), 5);
    let target = Report {
        gate: Gate {
            allow_incomplete: true,
            ..samples::unreachable().gate
        },
        ..samples::unreachable()
    };
    // The gate, and the target that cannot be judged: no flag but `never` lets it pass.
    assert_eq!(count(&target, "error"), 2);
}

#[test]
fn messages_stand_in_the_attribute_and_in_the_body() {
    let text = rendered(&samples::unknown(), Format::Junit, &piped());
    let document = Document::parse(&text).unwrap();
    let errors: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("error"))
        .collect();
    for error in &errors {
        assert_eq!(error.attribute("message"), error.text());
        assert_eq!(error.attribute("type"), Some("not assessed"));
    }
    assert!(errors.iter().any(|error| {
        error
            .text()
            .unwrap()
            .contains("pods of namespace kube-system were not read, so")
    }));
}

#[test]
fn a_case_points_at_its_place_in_a_dump() {
    let text = rendered(&samples::today(), Format::Junit, &piped());
    let document = Document::parse(&text).unwrap();
    let case = document
        .descendants()
        .find(|node| node.attribute("name") == Some("node/gpu-a-7"))
        .unwrap();
    assert_eq!(
        (case.attribute("file"), case.attribute("line")),
        (Some("nodes.json"), Some("12"))
    );
}
