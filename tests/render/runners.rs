//! Nothing that a CI runner takes for a command leaves in any format, wherever a name can put it.

use kubectl_skew::render::Format;
use roxmltree::Document;

use crate::{piped, rendered, samples};

const NAMES: [&str; 5] = [
    "::set-output name=verdict::ready",
    " ::add-mask::x",
    "v1.30.0##[set-output name=verdict;]ready",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildStatus status='SUCCESS']",
];

fn holds_command(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.trim_start().starts_with("::")
        || ["##[", "##vso[", "##teamcity["]
            .iter()
            .any(|it| line.contains(it))
}

#[test]
fn no_format_prints_a_command() {
    let mut report = samples::blocked();
    for (row, name) in report.nodes.iter_mut().zip(NAMES) {
        row.name = name.to_owned();
        row.pool = Some(name.to_owned());
        row.kubelet.version = Some(name.to_owned());
    }
    report.source.context = Some(NAMES[0].to_owned());
    report.source.files = NAMES.map(str::to_owned).to_vec();
    report.server_version = Some(NAMES[2].to_owned());
    for format in Format::ALL {
        let text = rendered(&report, format, &piped());
        let lines: Vec<&str> = text.lines().filter(|line| holds_command(line)).collect();
        assert!(lines.is_empty(), "{format}: {lines:?}");
        let names: Vec<String> = match format {
            Format::Json => names(&serde_json::from_str(&text).unwrap()),
            Format::Yaml => names(&serde_saphyr::from_str(&text).unwrap()),
            _ => continue,
        };
        for name in NAMES {
            assert!(
                names.iter().any(|it| it == name),
                "{format} lacks {name}: {names:?}"
            );
        }
    }
    let junit = rendered(&report, Format::Junit, &piped());
    let document = Document::parse(&junit).unwrap();
    let mut attributes = document.descendants().flat_map(|node| node.attributes());
    assert!(
        attributes.any(|attribute| attribute.value().contains(NAMES[3])),
        "it reads back the same"
    );
    assert!(rendered(&report, Format::Html, &piped()).contains("&#35;#vso[task"));
}

fn names(report: &serde_json::Value) -> Vec<String> {
    let nodes = report["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|node| node["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn non_characters_leave_xml_whole() {
    let mut report = samples::blocked();
    report.nodes[0].name = "a\u{fffe}b\u{ffff}".to_owned();
    let junit = rendered(&report, Format::Junit, &piped());
    Document::parse(&junit).unwrap();
    assert!(!junit.contains(['\u{fffe}', '\u{ffff}']));
    assert!(junit.contains("a\\u{fffe}b\\u{ffff}"));
}

#[test]
fn a_message_of_sarif_holds_no_link() {
    let mut report = samples::blocked();
    report.findings[0].nodes = vec!["[log in](https://evil.example)".to_owned()];
    report.source.context = Some("[log in](https://evil.example)".to_owned());
    let mut text = rendered(&report, Format::Sarif, &piped());
    text = text.replace("\\\\[", "").replace("\\\\]", "");
    let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let message = result["message"]["text"].as_str().unwrap();
        assert!(!message.contains('['), "{message}");
    }
}

#[test]
fn the_pages_policy_names_its_script_and_style_by_their_hashes() {
    let page = rendered(&samples::blocked(), Format::Html, &piped());
    assert!(!page.contains("nonce"));
    assert_eq!(page.matches("'sha256-").count(), 2, "style and script");
    let other = rendered(&samples::ready(), Format::Html, &piped());
    assert!(!other.contains("unsafe-inline"));
}
