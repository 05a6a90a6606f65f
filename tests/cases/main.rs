//! Clusters as people met them, a folder a case: what the dump holds, what is asked, and what the policy says
//! to it, written down by hand in `case.yaml`. Every rule judges every case, and every format tells it.

#![expect(clippy::unwrap_used, reason = "what helps a test fails as the test does")]

mod case;
mod formats;
#[path = "../reading/mod.rs"]
mod reading;
mod redacted;

use std::collections::BTreeMap;

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::gap::Gap;
use kubectl_skew::inventory::read_gap::Resource;
use kubectl_skew::policy::verdict::{Severity, Verdict};
use kubectl_skew::report::Report;

use crate::case::{ControlPlane, Expect, ExpectedGap, Finding, cases, report};

impl ExpectedGap {
    fn is(&self, gap: &Gap) -> bool {
        let skipped: Vec<&str> = gap.skipped().into_iter().map(Resource::name).collect();
        self.required == gap.required
            && self.skipped == skipped
            && self
                .component
                .as_deref()
                .is_none_or(|component| Component::named(component) == gap.component())
            && self
                .objects
                .as_ref()
                .is_none_or(|objects| *objects == gap.objects())
    }
}

/// Every difference between a report and what is expected of it.
fn differences(report: &Report, expect: &Expect) -> Vec<String> {
    let mut wrong = Vec::new();
    let verdict = match report.verdict {
        Verdict::Ready => "ready",
        Verdict::Unknown => "unknown",
        Verdict::Blocked => "blocked",
    };
    if expect.verdict.as_deref() != Some(verdict) {
        wrong.push(format!("verdict {verdict}"));
    }
    if expect.in_policy != report.in_policy {
        wrong.push(format!("inPolicy {:?}", report.in_policy));
    }
    if expect.exit != report.gate.exit_code {
        wrong.push(format!("exit {}", report.gate.exit_code));
    }
    let minor = |minor: Option<kubectl_skew::inventory::version::Minor>| minor.map(|minor| minor.to_string());
    let control_plane = ControlPlane {
        oldest: minor(report.control_plane.oldest),
        newest: minor(report.control_plane.newest),
    };
    if expect
        .control_plane
        .as_ref()
        .is_some_and(|wanted| *wanted != control_plane)
    {
        wrong.push(format!("{control_plane:?}"));
    }
    for (component, wanted) in &expect.instances {
        let rows = report.control_plane.instances.iter();
        let count = rows.filter(|row| row.component.name() == component).count();
        if count != *wanted {
            wrong.push(format!("{count} of {component}"));
        }
    }
    let kubelets: BTreeMap<String, Option<String>> = report
        .nodes
        .iter()
        .map(|row| (row.name.clone(), minor(row.kubelet.minor)))
        .collect();
    if expect.kubelets.as_ref().is_some_and(|wanted| *wanted != kubelets) {
        wrong.push(format!("kubelets {kubelets:?}"));
    }
    let proxies: BTreeMap<String, Option<String>> = report
        .nodes
        .iter()
        .flat_map(|row| &row.kube_proxy)
        .map(|proxy| (proxy.pod.clone(), minor(proxy.minor)))
        .collect();
    if expect
        .kube_proxies
        .as_ref()
        .is_some_and(|wanted| *wanted != proxies)
    {
        wrong.push(format!("kubeProxies {proxies:?}"));
    }
    let mut findings: Vec<Finding> = report
        .findings
        .iter()
        .map(|finding| Finding {
            key: finding.key.clone(),
            severity: match finding.severity {
                Severity::Info => "info",
                Severity::Warning => "warning",
                Severity::Blocker => "blocker",
            }
            .to_owned(),
            nodes: finding.nodes.clone(),
        })
        .collect();
    findings.sort();
    let mut wanted: Vec<&Finding> = expect.findings.iter().collect();
    wanted.sort();
    if findings.iter().collect::<Vec<_>>() != wanted {
        wrong.push(format!("findings {findings:#?}"));
    }
    let unmatched: Vec<&Gap> = report
        .not_assessed
        .iter()
        .filter(|gap| !expect.gaps.iter().any(|wanted| wanted.is(gap)))
        .collect();
    if !unmatched.is_empty() || report.not_assessed.len() != expect.gaps.len() {
        wrong.push(format!("gaps {:#?}", report.not_assessed));
    }
    if expect
        .skipped
        .is_some_and(|wanted| wanted != report.source.skipped)
    {
        wrong.push(format!("skipped {}", report.source.skipped));
    }
    wrong
}

#[test]
fn every_case_says_what_the_policy_says() {
    let cases = cases();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for (folder, case) in cases {
        assert!(
            !case.why.trim().is_empty() && !case.asks.is_empty(),
            "{}",
            folder.display()
        );
        for ask in &case.asks {
            let id = folder.file_name().unwrap().to_string_lossy();
            let place = format!("{id}, target {}", ask.target.as_deref().unwrap_or("none"));
            match (report(&folder, &case, ask), &ask.expect.error) {
                (Err(error), Some(wanted)) if error.contains(wanted.as_str()) => {}
                (Err(error), _) => wrong.push(format!("{place}: {error}")),
                (Ok(_), Some(wanted)) => wrong.push(format!("{place}: not refused with \"{wanted}\"")),
                (Ok(report), None) => {
                    wrong.extend(
                        differences(&report, &ask.expect)
                            .into_iter()
                            .map(|w| format!("{place}: {w}")),
                    );
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
