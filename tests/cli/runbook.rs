//! The runbook of the demo, followed step by step: a shell reads every block of it, and each step's check fails before
//! the step and holds from then on.

use std::process::{Command, Stdio};

use serde_json::Value;

/// What `kubectl skew demo WORDS` prints.
fn demo(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .arg("demo")
        .args(words)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The code blocks of a page, each without its indentation.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in page.lines() {
        match (&mut open, line.trim_start().starts_with("```")) {
            (None, true) => open = Some(String::new()),
            (Some(block), true) => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            (Some(block), false) => {
                block.push_str(line.strip_prefix("  ").unwrap_or(line));
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

/// Whether the check holds on the demo with these assumptions.
fn holds(check: &str, assumed: &[String]) -> bool {
    // The function stands for the plugin; `kubectl skew` becomes the demo with what was done so far.
    let script = format!("kubectl() {{ shift; \"$SKEW\" demo \"$@\" $ASSUMED; }}\n{check}");
    let assumed: Vec<String> = assumed
        .iter()
        .map(|assumed| format!("--assume {assumed}"))
        .collect();
    let status = Command::new("sh")
        .args(["-c", &script])
        .env("SKEW", env!("CARGO_BIN_EXE_kubectl-skew"))
        .env("ASSUMED", assumed.join(" "))
        .stderr(Stdio::inherit())
        .status()
        .unwrap();
    status.success()
}

/// What the cluster is assumed to run once a step is done.
fn done(step: &Value) -> Vec<String> {
    let to = step["to"].as_str().unwrap();
    let components = |names: &[&str]| names.iter().map(|name| format!("{name}={to}")).collect();
    match step["kind"].as_str().unwrap() {
        "hop" => components(&["kube-apiserver", "kube-controller-manager", "kube-scheduler"]),
        "kubeProxy" => components(&["kube-proxy"]),
        "kubelets" => {
            let nodes = step["nodes"].as_array().unwrap().iter();
            nodes
                .map(|node| format!("node/{}={to}", node.as_str().unwrap()))
                .collect()
        }
        kind => panic!("the demo has no step of the kind {kind}"),
    }
}

#[test]
fn each_check_fails_before_its_step_and_holds_from_then_on() {
    let report: Value = serde_json::from_str(&demo(&["-o", "json"])).unwrap();
    let steps = report["plan"]["steps"].as_array().unwrap();
    let checks: Vec<String> = blocks(&demo(&["-o", "runbook"]))
        .into_iter()
        .filter(|block| block.starts_with("kubectl skew"))
        .collect();
    assert_eq!(checks.len(), steps.len());
    assert!(!steps.is_empty());
    let mut assumed = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        // An assumption moves every kube-proxy: updates to one minor in a row are done together.
        let goes_on = number > 0
            && step["kind"] == "kubeProxy"
            && ["kind", "to"]
                .iter()
                .all(|key| step[key] == steps[number - 1][key]);
        if !goes_on {
            before.clone_from(&assumed);
        }
        assert!(
            !holds(&checks[number], &before),
            "step {} is done before it began",
            number + 1
        );
        assumed.extend(done(step));
        for (earlier, check) in checks.iter().enumerate().take(number + 1) {
            assert!(
                holds(check, &assumed),
                "step {} is not done after step {}",
                earlier + 1,
                number + 1
            );
        }
    }
}

#[test]
fn a_shell_reads_every_block() {
    let blocks = blocks(&demo(&["-o", "runbook"]));
    assert!(blocks.len() > 10);
    for block in blocks {
        let status = Command::new("sh").args(["-n", "-c", &block]).status().unwrap();
        assert!(status.success(), "{block}");
    }
}

#[test]
fn it_holds_what_a_change_ticket_asks_for() {
    let page = demo(&["-o", "runbook"]);
    for part in [
        "# Upgrade runbook",
        "BLOCKED for 1.37",
        "## Before starting",
        "etcd backup",
        "PodDisruptionBudget",
        "## Variables",
        "- `$UPGRADE_NODE`",
        "### Window 1 of",
        "### Control plane to 1.37",
        "  - why: ",
        "done when this line ends with exit code 0",
    ] {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
}
