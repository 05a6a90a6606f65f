//! SARIF 2.1.0 for code scanning: a result a finding and node, rules with their texts and addresses, gaps as
//! notifications.
//!
//! GitHub takes no result without a physical location, which an object of a cluster lacks: it is the file and line
//! of a dump, and else a path that stands for the object and stays the same from run to run. So do fingerprints,
//! which are made of the finding's key and the object alone. Verdict, gate and what is hypothetical are properties
//! of the run.

mod locate;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use self::locate::Locator;
use super::escape::{self, visible};
use super::sentences;
use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::policy::rules::{self, Rule};
use crate::report::{FindingRow, Report, Severity};

/// How many results a run may hold before findings stand for all of their nodes together: GitHub takes 25,000.
const MOST_RESULTS: usize = 20_000;
/// How many nodes a finding may have for each of its results to repeat its detail.
const DETAILED: usize = 50;
/// How often a finding's versions may be repeated: a result a node, each with the versions of all, grows with the
/// square of the cluster.
const MOST_VERSIONS: usize = 20_000;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    escape::write_json(&log(report), out)
}

/// Defines the parts of the format that are written.
macro_rules! sarif {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct $name { $($(#[$field_meta])* $field: $type,)* }
    )*};
}

sarif! {
    struct Log {
        #[serde(rename = "$schema")]
        schema: &'static str,
        version: &'static str,
        runs: [Run; 1],
    }
    struct Run {
        tool: Tool,
        automation_details: Id,
        invocations: [Invocation; 1],
        results: Vec<SarifResult>,
        properties: serde_json::Value,
    }
    struct Tool {
        driver: Driver,
    }
    struct Driver {
        name: &'static str,
        version: &'static str,
        information_uri: &'static str,
        rules: Vec<Descriptor>,
    }
    struct Descriptor {
        id: &'static str,
        short_description: Text,
        full_description: Text,
        help: Text,
        help_uri: &'static str,
        default_configuration: Configuration,
    }
    struct Configuration {
        level: &'static str,
    }
    struct Text {
        text: String,
    }
    struct Id {
        id: String,
    }
    struct Invocation {
        execution_successful: bool,
        exit_code: u8,
        tool_execution_notifications: Vec<Notification>,
    }
    struct Notification {
        level: &'static str,
        message: Text,
        locations: Vec<Location>,
    }
    struct SarifResult {
        rule_id: &'static str,
        rule_index: usize,
        level: &'static str,
        message: Text,
        locations: Vec<Location>,
        partial_fingerprints: Fingerprints,
        properties: serde_json::Value,
    }
    struct Fingerprints {
        primary_location_line_hash: String,
    }
    struct Location {
        physical_location: Physical,
        logical_locations: Vec<Logical>,
    }
    struct Physical {
        artifact_location: Artifact,
        region: Region,
    }
    struct Artifact {
        uri: String,
    }
    struct Region {
        start_line: u64,
    }
    struct Logical {
        name: String,
        fully_qualified_name: String,
        kind: &'static str,
    }
}

fn log(report: &Report) -> Log {
    let locator = Locator::new(report);
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: rules::ALL.iter().map(|rule| descriptor(rule)).collect(),
                },
            },
            automation_details: Id {
                id: format!("kubectl-skew/{}/", locator.cluster),
            },
            invocations: [Invocation {
                execution_successful: !report.not_assessed.iter().any(|gap| gap.required),
                exit_code: report.gate.exit_code,
                tool_execution_notifications: report
                    .not_assessed
                    .iter()
                    .map(|gap| notification(&locator, gap, &report.source.kubectl_flags))
                    .collect(),
            }],
            results: results(report, &locator),
            properties: properties(report),
        }],
    }
}

/// What belongs to the run as a whole.
fn properties(report: &Report) -> serde_json::Value {
    json!({
        "verdict": report.verdict.name(),
        "inPolicy": report.in_policy,
        "target": report.target.as_ref().map(|target| &target.text),
        "policy": report.policy.name,
        "serverVersion": report.server_version,
        "summary": visible(&sentences::verdict(report)),
        "gate": visible(&sentences::gate(report)),
        "scope": sentences::SCOPE,
        "assumed": report.assumed.iter().map(|assumed| visible(&sentences::assumed(assumed)).into_owned()).collect::<Vec<_>>(),
        "excluded": report.excluded.iter().map(|excluded| visible(&sentences::excluded(excluded)).into_owned()).collect::<Vec<_>>(),
    })
}

/// A message: square brackets in it would make links.
fn text(text: &str) -> Text {
    Text {
        text: visible(text).replace('[', "\\[").replace(']', "\\]"),
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    let heaviest = rule.severities.iter().copied().max().unwrap_or(Severity::Info);
    Descriptor {
        id: rule.key(),
        short_description: text(rule.what),
        full_description: text(rule.why),
        help: text(&format!("{} {}", sentences::allowed(rule), rule.remedy)),
        help_uri: rule.source,
        default_configuration: Configuration {
            level: level(heaviest),
        },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocker => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn results(report: &Report, locator: &Locator<'_>) -> Vec<SarifResult> {
    let each = report.findings.iter().map(|finding| finding.nodes.len().max(1));
    let is_crowded = each.sum::<usize>() > MOST_RESULTS;
    let mut results = Vec::new();
    for finding in &report.findings {
        let objects: Vec<String> = finding.nodes.iter().map(|node| format!("node/{node}")).collect();
        if objects.is_empty() || is_crowded {
            let object = finding.rule.component.map_or("cluster", Component::name);
            let shown = if objects.is_empty() {
                vec![object.to_owned()]
            } else {
                objects
            };
            results.push(result(locator, finding, &shown, object));
        } else {
            for object in objects {
                results.push(result(locator, finding, std::slice::from_ref(&object), &object));
            }
        }
    }
    results
}

fn result(locator: &Locator<'_>, finding: &FindingRow, objects: &[String], identity: &str) -> SarifResult {
    let FindingRow {
        rule,
        key,
        severity,
        evidence,
        nodes,
        pools: _,
        versions,
        limit: _,
        upstream_limit: _,
        steps: _,
        citations,
        fails_gate: _,
    } = finding;
    let about = match objects {
        [object] => format!("{object}: "),
        _ => String::new(),
    };
    let detail = (nodes.len() <= DETAILED).then(|| sentences::detail(evidence));
    let told = [
        Some(sentences::title(evidence)),
        detail,
        Some(sentences::remedy(rule, evidence)),
    ];
    let told: Vec<String> = told
        .into_iter()
        .flatten()
        .map(|text| sentence(&text).into_owned())
        .collect();
    SarifResult {
        rule_id: rule.key(),
        rule_index: rules::ALL
            .iter()
            .position(|listed| *listed == *rule)
            .unwrap_or_default(),
        level: level(*severity),
        message: text(&format!("{about}{}", told.join(" "))),
        locations: objects.iter().map(|object| locator.location(object)).collect(),
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: format!("{:016x}:1", fnv1a(&format!("{key}\n{identity}"))),
        },
        properties: json!({
            "key": key,
            "severity": severity.name(),
            "component": rule.component.map(Component::name),
            "versions": (nodes.len() * versions.len() <= MOST_VERSIONS).then_some(versions),
            "citations": citations,
        }),
    }
}

/// A text that ends as a sentence does.
fn sentence(text: &str) -> Cow<'_, str> {
    if text.ends_with(['.', '!', '?']) {
        text.into()
    } else {
        format!("{text}.").into()
    }
}

fn notification(locator: &Locator<'_>, gap: &Gap, flags: &str) -> Notification {
    let sentences::GapText {
        title,
        reason,
        capability: _,
        required,
        partial: _,
        skipped: _,
        objects,
        more_objects: _,
        verify,
        grant,
    } = sentences::gap(gap, flags);
    let verify = verify.map_or_else(String::new, |verify| format!(" Verify: {verify}"));
    let grant = grant.map_or_else(String::new, |grant| format!(" Grant: {grant}"));
    Notification {
        level: if required { "error" } else { "warning" },
        message: text(&format!(
            "not assessed ({title}): {}{verify}{grant}",
            sentence(&reason)
        )),
        locations: objects.iter().map(|object| locator.location(object)).collect(),
    }
}

/// FNV-1a: the same from build to build, which the standard library's hashers do not promise.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // From the reference vectors of the hash's authors.
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }
}
