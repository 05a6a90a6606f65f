//! Dumps on which a planner went wrong once, each with the counts of the right plan, found by trying everything.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kubectl_skew::collect::dump::{DumpRequest, Input, observe};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{ReadOptions, read};
use kubectl_skew::plan::steps::{Plan, Reason, StepKind};
use kubectl_skew::plan::{PlanOptions, plan};
use kubectl_skew::policy::policy_file;
use kubectl_skew::policy::rules;
use kubectl_skew::policy::skew_policy::Policy;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    target: String,
    node_step_one: bool,
    rolls: usize,
    windows: usize,
    updates: usize,
    updates_alone: usize,
    windows_at_server: Vec<String>,
    alone_at_server: Vec<String>,
    /// Before each hop that raises the newest apiserver, and at the end.
    violations_left: Vec<usize>,
    hops: usize,
    #[serde(default)]
    unplanned: Vec<String>,
    #[serde(default)]
    obstacle_before_hop_to: Option<String>,
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/plan/found")
        .join(name)
}

fn minor(text: &str) -> Minor {
    Minor::new(
        text.strip_prefix("1.")
            .and_then(|minor| minor.parse().ok())
            .expect("a minor"),
    )
}

fn planned(name: &str) -> (Expected, Plan) {
    let folder = folder(name);
    let text = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let expected: Expected = serde_json::from_str(&text("expected.json").expect("counts")).expect("counts");
    let policy = text("policy.json").map_or_else(Policy::upstream, |text| {
        policy_file::from_text("policy.json", &text).expect("a policy")
    });
    let request = DumpRequest {
        inputs: vec![Input::Path(folder.join("dump.json"))],
        hosted: None,
        wanted: Wanted::default(),
        server_version: None,
    };
    let (observed, _) = observe(&request).expect("a dump");
    let inventory = read(observed, &ReadOptions::default());
    let options = PlanOptions {
        node_step_one: Some(expected.node_step_one),
        ..PlanOptions::default()
    };
    let made = plan(&inventory, &policy, minor(&expected.target), &options);
    (expected, made.plan().expect("enough was read"))
}

/// The server's minor in each time in which steps of a kind are done.
fn at_server(plan: &Plan, is_such: impl Fn(&[StepKind]) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut kinds = Vec::new();
    for step in &plan.steps {
        if step.kind.moves_apiservers() {
            found.extend(is_such(&kinds).then(|| step.from.to_string()));
            kinds.clear();
        } else {
            kinds.push(step.kind);
        }
    }
    let last = plan.steps.iter().rev().find(|step| step.kind.moves_apiservers());
    found.extend(last.filter(|_| is_such(&kinds)).map(|step| step.to.to_string()));
    found
}

#[test]
fn each_has_the_counts_that_trying_everything_finds() {
    let root = folder("");
    let mut names: Vec<String> = fs::read_dir(root)
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let (expected, made) = planned(&name);
        let is_window = |kinds: &[StepKind]| kinds.contains(&StepKind::Kubelets);
        let is_alone = |kinds: &[StepKind]| kinds.contains(&StepKind::KubeProxy) && !is_window(kinds);
        let windows = at_server(&made, is_window);
        let alone = at_server(&made, is_alone);
        assert!(made.proved, "{name}");
        assert_eq!(
            (made.node_rolls, made.windows, made.kube_proxy_updates, made.hops),
            (expected.rolls, expected.windows, expected.updates, expected.hops),
            "{name}: {made:#?}"
        );
        assert_eq!(alone.len(), expected.updates_alone, "{name}");
        assert_eq!(windows, expected.windows_at_server, "{name}");
        assert_eq!(alone, expected.alone_at_server, "{name}");
        let objects: BTreeSet<_> = made.remaining.iter().collect();
        assert_eq!(Some(&objects.len()), expected.violations_left.last(), "{name}");
        assert_eq!(made.unplanned, expected.unplanned, "{name}");
        let obstacle = made
            .obstacle
            .as_ref()
            .map(|obstacle| obstacle.hop.map(|hop| hop.to_string()));
        assert_eq!(obstacle.flatten(), expected.obstacle_before_hop_to, "{name}");
        assert!(made.obstacle.is_none() || made.optional.is_empty(), "{name}");
    }
}

#[test]
fn a_reason_names_what_the_step_mends() {
    let (_, made) = planned("reason-names-wrong-rule");
    let roll = made
        .steps
        .iter()
        .find(|step| step.kind == StepKind::Kubelets)
        .expect("a roll");
    let rules = [&rules::kubelet_current::RULE, &rules::kube_proxy_kubelet::RULE];
    assert!(
        matches!(roll.reason, Reason::MendToday { rule } if rules.contains(&rule)),
        "{:?}",
        roll.reason
    );
}

#[test]
fn a_step_that_only_prepares_another_says_which() {
    let (_, made) = planned("reason-of-a-preparing-step");
    // The nodes of the second step were never out of policy: the update after it needs them there.
    assert_eq!(made.steps[1].kind, StepKind::Kubelets);
    assert_eq!(made.steps[1].reason, Reason::MakesWay { step: 3 });
    assert_eq!(made.steps[2].kind, StepKind::KubeProxy);
}

#[test]
fn a_step_begins_at_the_lowest_kubelet_that_moves() {
    let (_, made) = planned("from-lowest-hides-minors");
    let roll = made
        .steps
        .iter()
        .find(|step| step.kind == StepKind::Kubelets)
        .expect("a roll");
    assert_eq!((roll.from, roll.to), (minor("1.29"), minor("1.32")), "{roll:?}");
}
