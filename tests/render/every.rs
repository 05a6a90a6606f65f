//! What all formats must say alike.

use kubectl_skew::inventory::observed::{
    Listing, Meta, Observed, ObservedContainer, ObservedNode, ObservedPod,
};
use kubectl_skew::inventory::{self, ReadOptions};
use kubectl_skew::policy::question::{Question, Target};
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::render::sentences::gap_reason;
use kubectl_skew::render::{Format, GroupBy, Style, aside};
use kubectl_skew::report::{ReportParts, assemble};
use kubectl_skew::{plan, policy, report::Report};

use crate::hostile::PAGE;
use crate::reading;
use crate::samples::{self, minor};
use crate::{piped, rendered, shown};

/// What a reader of that format is told: the output, and what stands beside it.
fn told(report: &Report, format: Format) -> String {
    let mut told = rendered(report, format, &piped());
    for line in aside(report, format) {
        told.push_str(&line);
        told.push('\n');
    }
    told
}

/// The text of a format without its own escapes, as far as plain words go.
fn words(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .replace("&quot;", "\"")
        .replace("<!-- -->", "")
        .replace('\\', "")
}

#[test]
fn every_format_says_the_verdict() {
    for (name, report) in samples::all() {
        let verdict = report.verdict.name();
        for format in Format::ALL {
            let text = told(&report, format).to_lowercase();
            assert!(
                text.contains(verdict),
                "{name} as {format} does not say {verdict}"
            );
            let line = format!("{verdict} for ");
            let is_prose = !matches!(format, Format::Json | Format::Yaml);
            assert!(
                !is_prose || report.target.is_none() || text.contains(&line),
                "{name} as {format}"
            );
            for other in ["blocked for ", "unknown for ", "ready for "] {
                assert!(
                    other == line || !text.contains(other),
                    "{name} as {format} says {other} too"
                );
            }
        }
    }
}

#[test]
fn every_gap_and_everything_hypothetical_is_in_every_format() {
    for (name, report) in samples::all().into_iter().filter(|(name, _)| *name != "hostile") {
        for format in Format::ALL {
            let text = words(&told(&report, format));
            for gap in &report.not_assessed {
                let reason = words(&shown(&gap_reason(&gap.reason)));
                assert!(text.contains(&reason), "{name} as {format} lacks: {reason}");
            }
            let selectors = report.assumed.iter().map(|assumed| &assumed.selector);
            for selector in selectors.chain(report.excluded.iter().map(|excluded| &excluded.selector)) {
                assert!(
                    text.contains(selector.as_str()),
                    "{name} as {format} lacks: {selector}"
                );
            }
        }
    }
}

#[test]
fn a_page_of_hostile_names_is_told_whole_by_every_format_and_acts_in_none() {
    let report = samples::hostile();
    for format in Format::ALL {
        let text = rendered(&report, format, &piped());
        let beside = aside(&report, format).join("\n");
        reading::harmless(format, &text);
        reading::harmless(Format::Name, &format!("{beside}\n"));
        let told = reading::told(format, &text, &beside);
        assert!(told.gaps.contains("is not a Kubernetes version"), "{format}");
        let Some(nodes) = told.nodes else { continue };
        let names: Vec<&str> = nodes.iter().map(|row| row.name.as_str()).collect();
        let expected = PAGE.map(|(raw, shown)| match format {
            Format::Json | Format::Yaml => raw,
            _ => shown,
        });
        assert_eq!(names, expected, "{format}");
    }
}

#[test]
fn groups_are_alike_in_every_format_that_shows_them() {
    let report = samples::blocked();
    for by in [GroupBy::Pool, GroupBy::Version, GroupBy::Zone] {
        let style = Style {
            group_by: Some(by),
            ..piped()
        };
        let rows = |format| {
            let told = reading::told(format, &rendered(&report, format, &style), "");
            told.nodes.unwrap()
        };
        let expected = rows(Format::Csv);
        assert_eq!(expected.len(), 16);
        for format in [Format::Markdown, Format::Html] {
            assert_eq!(rows(format), expected, "{format} by {by:?}");
        }
        let headings = match by {
            GroupBy::Pool => vec!["pool gpu · 1 node", "pool spot · 12 nodes", "no pool · 1 node"],
            GroupBy::Version => vec!["kubelet 1.32 · 12 nodes"],
            GroupBy::Zone => vec!["zone eu-1a · 16 nodes"],
        };
        for format in [Format::Table, Format::Wide, Format::Markdown, Format::Html] {
            let text = rendered(&report, format, &style);
            for heading in &headings {
                assert!(text.contains(heading), "{format} lacks {heading}");
            }
        }
    }
}

/// A cluster whose objects come in an order of their own.
fn cluster(turned: usize) -> Report {
    let node = |number: usize| ObservedNode {
        meta: Meta {
            name: format!("node-{number:02}"),
            labels: vec![(
                "eks.amazonaws.com/nodegroup".to_owned(),
                format!("pool-{}", number % 3),
            )],
            ..Meta::default()
        },
        ready: Some("True".to_owned()),
        kubelet_version: Some(format!("v1.{}.{}", 31 + number % 5, number)),
        os: Some("linux".to_owned()),
        ..ObservedNode::default()
    };
    let pod = |component: &str, node: usize, version: &str| ObservedPod {
        meta: Meta {
            name: format!("{component}-{node:02}"),
            namespace: Some("kube-system".to_owned()),
            labels: vec![("k8s-app".to_owned(), component.to_owned())],
            ..Meta::default()
        },
        node: Some(format!("node-{node:02}")),
        containers: vec![ObservedContainer {
            name: component.to_owned(),
            image: Some(format!("registry.k8s.io/{component}:{version}")),
            arguments: Vec::new(),
        }],
        ..ObservedPod::default()
    };
    let mut nodes: Vec<ObservedNode> = (0..20).map(node).collect();
    let mut pods: Vec<ObservedPod> = (0..20)
        .map(|number| pod("kube-proxy", number, "v1.33.1"))
        .collect();
    for (number, version) in [(0, "v1.35.1"), (1, "v1.34.9"), (2, "latest")] {
        pods.extend(["kube-apiserver", "kube-scheduler"].map(|component| pod(component, number, version)));
    }
    nodes.rotate_left(turned % 20);
    pods.rotate_left(turned % 26);
    if turned % 2 == 1 {
        nodes.reverse();
        pods.reverse();
    }
    let observed = Observed {
        told_version: Some("v1.35.1".to_owned()),
        nodes: Listing::whole(nodes),
        pods: Listing::whole(pods),
        ..Observed::default()
    };
    let inventory = inventory::read(observed, &ReadOptions::default());
    let upstream = Policy::upstream();
    let question = Question {
        target: Some(Target::Minor(minor(37))),
        ..Question::default()
    };
    let assessment = policy::evaluate(&inventory, &upstream, &question);
    let plan = plan::plan(&inventory, &upstream, minor(37), &plan::PlanOptions::default());
    let path = plan::path::path(&inventory, &upstream, &question, &assessment, plan.obstacle());
    assemble(ReportParts {
        inventory: &inventory,
        question: &question,
        assessment,
        policy: &upstream,
        path,
        plan: Some(plan),
        source: samples::ready().source,
        assumed: Vec::new(),
        excluded: Vec::new(),
    })
}

#[test]
fn the_same_cluster_gives_the_same_bytes_whatever_the_order_of_its_objects() {
    let first = cluster(0);
    assert!(!first.findings.is_empty() && !first.not_assessed.is_empty() && first.nodes.len() == 20);
    for format in Format::ALL {
        let bytes = told(&first, format);
        for turned in 0..10 {
            assert_eq!(
                told(&cluster(turned * 7), format),
                bytes,
                "{format} turned by {turned}"
            );
        }
    }
}
