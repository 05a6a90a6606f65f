//! How a case is written down, and what its dump says to a question. What is held against what is for the tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kubectl_skew::collect::dump::{DumpRequest, DumpSource, Input, observe};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::Observed;
use kubectl_skew::inventory::{ReadOptions, read};
use kubectl_skew::plan::steps::Planned;
use kubectl_skew::plan::{PlanOptions, path, plan};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::question::Question;
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::report::{Mode, Report, ReportParts, Source, TargetAsked, assemble};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Case {
    /// What this case is about.
    pub(crate) why: String,
    #[serde(default)]
    pub(crate) server_version: Option<String>,
    pub(crate) asks: Vec<Ask>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Ask {
    #[serde(default)]
    pub(crate) target: Option<String>,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    pub(crate) expect: Expect,
}

/// What is expected; a field that is not there is not compared, but findings and gaps are all told.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Expect {
    /// A part of the error that the dump is refused with; nothing else is told then.
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) verdict: Option<String>,
    #[serde(default)]
    pub(crate) in_policy: Option<bool>,
    #[serde(default)]
    pub(crate) exit: u8,
    #[serde(default)]
    pub(crate) control_plane: Option<ControlPlane>,
    /// How many instances each component has.
    #[serde(default)]
    pub(crate) instances: BTreeMap<String, usize>,
    /// The minor of each node's kubelet.
    #[serde(default)]
    pub(crate) kubelets: Option<BTreeMap<String, Option<String>>>,
    /// The minor of each kube-proxy pod that counts.
    #[serde(default)]
    pub(crate) kube_proxies: Option<BTreeMap<String, Option<String>>>,
    #[serde(default)]
    pub(crate) findings: Vec<Finding>,
    #[serde(default)]
    pub(crate) gaps: Vec<ExpectedGap>,
    #[serde(default)]
    pub(crate) skipped: Option<usize>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlPlane {
    pub(crate) oldest: Option<String>,
    pub(crate) newest: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub(crate) key: String,
    pub(crate) severity: String,
    pub(crate) nodes: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedGap {
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) component: Option<String>,
    #[serde(default)]
    pub(crate) skipped: Vec<String>,
    /// All objects concerned, where the case tells them.
    #[serde(default)]
    pub(crate) objects: Option<Vec<String>>,
}

/// Every case and its folder, by name.
pub(crate) fn cases() -> Vec<(PathBuf, Case)> {
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

/// What the dump of a case holds.
pub(crate) fn observed(folder: &Path, case: &Case, ask: &Ask) -> Result<(Observed, DumpSource), String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("case.yaml"))
        .collect();
    files.sort();
    let request = DumpRequest {
        inputs: files.into_iter().map(Input::Path).collect(),
        hosted: ask.namespace.clone(),
        wanted: Wanted::default(),
        server_version: case.server_version.clone(),
    };
    observe(&request).map_err(|error| error.to_string())
}

/// What the dump of a case says to a question.
pub(crate) fn report(folder: &Path, case: &Case, ask: &Ask) -> Result<Report, String> {
    let (observed, dump) = observed(folder, case, ask)?;
    Ok(report_of(observed, dump, ask))
}

/// What was seen says to a question.
pub(crate) fn report_of(observed: Observed, dump: DumpSource, ask: &Ask) -> Report {
    let inventory = read(observed, &ReadOptions::default());
    let policy = Policy::upstream();
    let question = Question {
        target: ask.target.as_deref().map(|target| target.parse().unwrap()),
        ..Question::default()
    };
    let assessment = evaluate(&inventory, &policy, &question);
    let hop = assessment.target.as_ref().and_then(TargetAsked::hop);
    let plan = hop.map(|target| plan(&inventory, &policy, target, &PlanOptions::default()));
    let obstacle = plan.as_ref().and_then(Planned::obstacle);
    assemble(ReportParts {
        inventory: &inventory,
        question: &question,
        policy: &policy,
        path: path::path(&inventory, &policy, &question, &assessment, obstacle),
        assessment,
        plan,
        source: Source {
            mode: Mode::Files,
            context: None,
            api_server: None,
            kubectl_flags: String::new(),
            files: dump.files,
            skipped: dump.skipped,
            captured_at: None,
            age_seconds: None,
            locations: dump.places,
        },
        assumed: Vec::new(),
        excluded: Vec::new(),
    })
}
