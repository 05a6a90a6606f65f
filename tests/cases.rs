//! Clusters as people met them, a folder a case: what the dump holds, what is asked, and what the policy says
//! to it, written down by hand in `case.yaml`. Every rule judges every case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kubectl_skew::collect::dump::{DumpRequest, Input, observe};
use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::gap::Gap;
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::{ReadOptions, read};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::finding::{Severity, Verdict};
use kubectl_skew::policy::platforms;
use kubectl_skew::policy::question::Question;
use kubectl_skew::policy::standing::Policy;
use kubectl_skew::report::{Mode, Report, ReportParts, Source, assemble};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    /// What this case is about.
    why: String,
    #[serde(default)]
    server_version: Option<String>,
    asks: Vec<Ask>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Ask {
    #[serde(default)]
    target: Option<String>,
    #[serde(default)]
    namespace: Option<String>,
    expect: Expect,
}

/// What is expected; a field that is not there is not compared, but findings and gaps are all told.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expect {
    /// A part of the error that the dump is refused with; nothing else is told then.
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    verdict: Option<String>,
    #[serde(default)]
    in_policy: Option<bool>,
    #[serde(default)]
    exit: u8,
    #[serde(default)]
    control_plane: Option<ControlPlane>,
    /// How many instances each component has.
    #[serde(default)]
    instances: BTreeMap<String, usize>,
    /// The minor of each node's kubelet.
    #[serde(default)]
    kubelets: Option<BTreeMap<String, Option<String>>>,
    /// The minor of each kube-proxy pod that counts.
    #[serde(default)]
    kube_proxies: Option<BTreeMap<String, Option<String>>>,
    #[serde(default)]
    findings: Vec<Finding>,
    #[serde(default)]
    gaps: Vec<ExpectedGap>,
    #[serde(default)]
    skipped: Option<usize>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct ControlPlane {
    oldest: Option<String>,
    newest: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct Finding {
    key: String,
    severity: String,
    nodes: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct ExpectedGap {
    required: bool,
    #[serde(default)]
    component: Option<String>,
    #[serde(default)]
    skipped: Vec<String>,
    /// All objects concerned, where the case tells them.
    #[serde(default)]
    objects: Option<Vec<String>>,
}

impl ExpectedGap {
    fn is(&self, gap: &Gap) -> bool {
        let skipped: Vec<&str> = gap.skipped.iter().map(|skipped| skipped.name()).collect();
        self.required == gap.required
            && self.skipped == skipped
            && self
                .component
                .as_deref()
                .is_none_or(|component| Component::named(component) == gap.component)
            && self
                .objects
                .as_ref()
                .is_none_or(|objects| *objects == gap.objects)
    }
}

fn cases() -> Vec<(PathBuf, Case)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let text = std::fs::read_to_string(folder.join("case.yaml")).unwrap();
            let case =
                serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            (folder, case)
        })
        .collect()
}

/// What the dump of a case says to a question.
fn report(folder: &Path, case: &Case, ask: &Ask) -> Result<Report, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("case.yaml"))
        .collect();
    files.sort();
    let request = DumpRequest {
        inputs: files.into_iter().map(Input::Path).collect(),
        hosted: ask.namespace.clone(),
        wanted: Wanted::new(platforms::label_keys().map(ToOwned::to_owned)),
        server_version: case.server_version.clone(),
    };
    let (observed, dump) = observe(&request).map_err(|error| error.to_string())?;
    let inventory = read(observed, &ReadOptions::default());
    let policy = Policy::upstream();
    let question = Question {
        target: ask.target.as_deref().map(|target| target.parse().unwrap()),
        ..Question::default()
    };
    let assessment = evaluate(&inventory, &policy, &question);
    Ok(assemble(ReportParts {
        inventory: &inventory,
        assessment: &assessment,
        policy: &policy,
        path: Vec::new(),
        plan: None,
        source: Source {
            mode: Mode::Files,
            context: None,
            api_server: None,
            files: dump.files,
            skipped: dump.skipped,
            captured_at: None,
            age_seconds: None,
            places: dump.places,
        },
        assumed: Vec::new(),
        excluded: Vec::new(),
    }))
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
