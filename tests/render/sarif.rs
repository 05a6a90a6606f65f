//! SARIF read back by serde-sarif.

use std::collections::BTreeSet;

use kubectl_skew::policy::rules;
use kubectl_skew::render::Format;
use kubectl_skew::report::{Evidence, Report};
use serde_sarif::sarif::{ResultLevel, Run, Sarif};

use crate::hostile::PAGE;
use crate::samples;
use crate::{piped, rendered};

fn run(report: &Report) -> Run {
    let mut log: Sarif = serde_json::from_str(&rendered(report, Format::Sarif, &piped())).unwrap();
    assert_eq!(log.runs.len(), 1);
    log.runs.remove(0)
}

#[test]
fn every_result_has_what_code_scanning_insists_on() {
    for (name, report) in samples::all() {
        let run = run(&report);
        let described = run.tool.driver.rules.unwrap();
        assert_eq!(described.len(), rules::ALL.len());
        let mut prints = BTreeSet::new();
        let results = run.results.unwrap();
        for result in &results {
            let rule = result.rule_id.as_ref().unwrap();
            let index = usize::try_from(result.rule_index.unwrap()).unwrap();
            assert_eq!(&described[index].id, rule, "{name}");
            assert!(!result.message.text.as_ref().unwrap().is_empty());
            let location = &result.locations.as_ref().unwrap()[0];
            let physical = location.physical_location.as_ref().unwrap();
            let uri = physical.artifact_location.as_ref().unwrap().uri.as_ref().unwrap();
            assert!(
                uri.chars()
                    .all(|c| c.is_ascii_graphic() && !"<>\"[]{}|\\^`".contains(c)),
                "{name}: {uri}"
            );
            assert!(physical.region.as_ref().unwrap().start_line.unwrap() >= 1);
            let print = result.partial_fingerprints.as_ref().unwrap()["primaryLocationLineHash"].clone();
            assert!(prints.insert(print.clone()), "{name}: {print} stands twice");
        }
        let nodes: usize = report
            .findings
            .iter()
            .map(|finding| finding.nodes.len().max(1))
            .sum();
        assert_eq!(results.len(), nodes, "{name}");
    }
}

#[test]
fn levels_follow_severities() {
    let results = run(&samples::blocked()).results.unwrap();
    let level = |rule: &str| {
        results
            .iter()
            .find(|result| result.rule_id.as_deref() == Some(rule))
            .and_then(|result| result.level)
    };
    assert_eq!(
        level("version-skew/kubelet-post-upgrade"),
        Some(ResultLevel::Error)
    );
    assert_eq!(level("version-skew/kubelet-current"), Some(ResultLevel::Warning));
    assert_eq!(level("version-skew/virtual-nodes"), Some(ResultLevel::Note));
}

#[test]
fn fingerprints_know_the_object_and_nothing_that_changes() {
    let prints = |report: &Report| -> BTreeSet<String> {
        let results = run(report).results.unwrap();
        results
            .into_iter()
            .map(|result| result.partial_fingerprints.unwrap()["primaryLocationLineHash"].clone())
            .collect()
    };
    let mut later = samples::blocked();
    for finding in &mut later.findings {
        if let Evidence::Behind(behind) = &mut finding.evidence {
            behind.apiserver = behind.apiserver.next();
        }
        finding.versions.clear();
    }
    later.source.captured_at = Some("2027-01-01T00:00:00Z".to_owned());
    assert_eq!(prints(&samples::blocked()), prints(&later));
}

#[test]
fn a_dump_is_pointed_at_and_a_live_object_has_a_path_that_stands_for_it() {
    let uris = |report: &Report| -> Vec<String> {
        let results = run(report).results.unwrap();
        results
            .iter()
            .map(|result| {
                let physical = result.locations.as_ref().unwrap()[0]
                    .physical_location
                    .as_ref()
                    .unwrap();
                let line = physical.region.as_ref().unwrap().start_line.unwrap();
                format!(
                    "{}:{line}",
                    physical.artifact_location.as_ref().unwrap().uri.as_ref().unwrap()
                )
            })
            .collect()
    };
    assert!(uris(&samples::today()).contains(&"nodes.json:12".to_owned()));
    assert!(uris(&samples::blocked()).contains(&"cluster/prod-eu-1/node/gpu-a-7.yaml:1".to_owned()));
}

#[test]
fn gaps_are_notifications_and_a_required_one_fails_the_invocation() {
    for (report, successful, gaps) in [
        (samples::unknown(), false, 3),
        (samples::blocked(), true, 1),
        (samples::ready(), true, 0),
    ] {
        let invocation = run(&report).invocations.unwrap().remove(0);
        assert_eq!(invocation.execution_successful, successful);
        assert_eq!(invocation.tool_execution_notifications.unwrap().len(), gaps);
    }
}

#[test]
fn hostile_names_are_logical_locations() {
    let results = run(&samples::hostile()).results.unwrap();
    let names: BTreeSet<String> = results
        .iter()
        .filter(|result| result.rule_id.as_deref() == Some("version-skew/kubelet-post-upgrade"))
        .map(|result| {
            let logical = &result.locations.as_ref().unwrap()[0]
                .logical_locations
                .as_ref()
                .unwrap()[0];
            logical.fully_qualified_name.clone().unwrap()
        })
        .collect();
    assert_eq!(
        names,
        PAGE.iter().map(|(_, shown)| format!("node/{shown}")).collect()
    );
}

#[test]
fn a_run_grows_with_the_nodes_and_not_with_their_square() {
    let mut report = samples::large(5_000);
    report.findings[0].versions = (0..5_000).map(|node| format!("v1.31.6-of-node-{node}")).collect();
    let text = rendered(&report, Format::Sarif, &piped());
    assert!(text.len() < 10_000_000, "{}", text.len());
}

#[test]
fn a_message_is_made_of_whole_sentences() {
    let message = run(&samples::blocked()).results.unwrap()[0]
        .message
        .text
        .clone()
        .unwrap();
    assert_eq!(
        message,
        "node/gpu-a-7: 13 of 20 kubelets would be too far behind kube-apiserver 1.36. kubelet 1.31 (gpu-a-7, \
         spot-arm-01, spot-arm-02, spot-arm-03, spot-arm-04 and 8 more) would be 5 minor versions behind 1.36 (limit \
         3). Upgrade the kubelets of these nodes before kube-apiserver reaches 1.35: drain each node, upgrade its \
         kubelet, and uncordon it."
    );
}

#[test]
fn a_run_never_holds_more_results_than_code_scanning_takes() {
    let mut report = samples::large(5_000);
    let finding = report.findings[0].clone();
    report.findings = vec![finding; 6];
    let results = run(&report).results.unwrap();
    assert!(results.len() <= 25_000);
    assert_eq!(results[0].locations.as_ref().unwrap().len(), 5_000);
}
