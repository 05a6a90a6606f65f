//! The table holds for every platform, and every command is one that a shell can read.

use std::process::Command as Process;

use super::fill::add_commands;
use super::*;
use crate::inventory::platform::Platform;
use crate::inventory::pool::PoolSource;
use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node};
use crate::plan::steps::StepKind;
use crate::plan::steps::{Plan, Reason, Step, StepPool};

const KINDS: [StepKind; 5] = [
    StepKind::Hop,
    StepKind::Kubelets,
    StepKind::KubeProxy,
    StepKind::ControlPlane,
    StepKind::Emulation,
];

#[test]
fn every_platform_has_a_command_for_every_kind_of_step_or_a_reason_why_not() {
    for platform in Platform::all().map(Some).chain([None]) {
        for kind in KINDS {
            let rows = COMMANDS
                .iter()
                .filter(|row| row.platform == platform && row.kind == kind)
                .count();
            let reasons = NO_COMMANDS
                .iter()
                .filter(|row| Some(row.platform) == platform && row.kind == kind);
            let reasons = reasons.count();
            assert!(
                (rows > 0) != (reasons > 0),
                "{platform:?} {kind:?}: {rows} rows, {reasons} reasons"
            );
        }
    }
}

#[test]
fn every_row_has_its_source_and_every_variable_its_meaning() {
    for row in COMMANDS {
        assert!(row.source.starts_with("https://"), "{}", row.run);
        assert!(row.date.starts_with("2026-"), "{}", row.run);
        for part in row.run.split('$').skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
            let name = &part[..end.unwrap_or(part.len())];
            assert!(
                VARIABLES.iter().any(|(known, _)| *known == name),
                "{name} in {}",
                row.run
            );
        }
    }
}

#[test]
fn a_shell_reads_every_row() {
    for row in COMMANDS {
        let words = [
            "{to}",
            "{pool}",
            "{node}",
            "{workload}",
            "{component}",
            "{cluster}",
        ];
        let run = words
            .iter()
            .fold(row.run.to_owned(), |run, word| run.replace(word, "1.36"));
        assert!(!run.contains("{to}"));
        let status = Process::new("sh").args(["-n", "-c", &run]).status().unwrap();
        assert!(status.success(), "{run}");
    }
}

/// A plan of one step that rolls `nodes`, with its commands.
fn rolled(nodes: Vec<Node>) -> Plan {
    let target = Minor::new(36);
    let mut step = Step::new(
        StepKind::Kubelets,
        Minor::new(33),
        target,
        Reason::Target { target },
    );
    step.nodes = nodes.iter().map(|node| node.name.clone()).collect();
    let pools = nodes.iter().map(|node| StepPool {
        name: node.pool.clone(),
        nodes: 1,
        of: 1,
    });
    step.pools = pools.collect();
    let mut plan = Plan {
        steps: vec![step],
        ..Plan::default()
    };
    add_commands(
        &mut plan,
        &Inventory {
            nodes,
            ..Inventory::default()
        },
    );
    plan
}

fn node(name: &str) -> Node {
    Node {
        name: name.to_owned(),
        ..Node::default()
    }
}

#[test]
fn a_name_is_one_word_whatever_stands_in_it() {
    for name in [
        "web-1",
        "a b",
        "it's",
        "$(touch x)",
        "{to}",
        "{node}",
        "`id`;#",
        "a\\b",
        "*",
    ] {
        let plan = rolled(vec![node(name)]);
        let run = &plan.steps[0].commands[0].run;
        let script = format!("kubectl() {{ printf '%s\\n' \"$2\"; }}; UPGRADE_NODE=:\n{run}");
        let output = Process::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{name}\n{name}\n"),
            "{run}"
        );
    }
}

#[test]
fn a_name_that_could_be_read_as_an_option_or_as_a_line_is_left_to_the_operator() {
    for name in ["-oProxyCommand=x", "a\nrm -rf x", ""] {
        let plan = rolled(vec![node(name)]);
        let commands = &plan.steps[0].commands;
        assert!(
            commands[0].run.contains("kubectl drain \"$NODE\" "),
            "{}",
            commands[0].run
        );
        assert!(
            variables(commands)
                .iter()
                .any(|(variable, _)| *variable == "NODE")
        );
    }
}

#[test]
fn a_pool_is_one_command_and_a_control_plane_node_one_of_its_own() {
    let pooled = |name: &str| Node {
        pool: Some("web".to_owned()),
        pool_source: Some(PoolSource::NodeGroup),
        labels: vec![("cloud.google.com/gke-nodepool".to_owned(), "web".to_owned())],
        ..node(name)
    };
    let server = Node {
        roles: vec!["control-plane".to_owned()],
        ..node("cp-1")
    };
    let mut plan = rolled(vec![server, pooled("web-1"), pooled("web-2")]);
    let commands = &plan.steps[0].commands;
    assert_eq!(commands.len(), 2);
    assert!(
        commands[0].run.starts_with("kubectl drain cp-1 "),
        "{}",
        commands[0].run
    );
    let whole = "for node in $(kubectl get nodes -l 'cloud.google.com/gke-nodepool=web' -o jsonpath=";
    assert!(commands[1].run.starts_with(whole), "{}", commands[1].run);
    plan.steps[0].pools.iter_mut().for_each(|pool| pool.of = 3);
    let nodes = vec![pooled("web-1"), pooled("web-2")];
    add_commands(
        &mut plan,
        &Inventory {
            nodes,
            ..Inventory::default()
        },
    );
    assert!(
        plan.steps[0].commands[0]
            .run
            .starts_with("for node in web-1 web-2; do\n")
    );
}
