//! What a target asks of a cluster: a hop, a patch move, or a gap that says why it is neither; and the gate.

use kubectl_skew::inventory::Inventory;
use kubectl_skew::inventory::gap::Capability;
use kubectl_skew::policy::assessment::Assessment;
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::question::{FailOn, Question};
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::policy::verdict::{Severity, Verdict};
use kubectl_skew::render::sentences::gap_reason;
use kubectl_skew::report::TargetKind;

use crate::fixtures::{answer, cluster, m, node, question};

fn servers(servers: &[&str]) -> Inventory {
    Inventory {
        instances: servers.iter().map(|server| answer(server)).collect(),
        nodes: vec![node("n", "v1.34.0")],
        ..Inventory::default()
    }
}

fn ask(inventory: &Inventory, target: &str) -> Assessment {
    evaluate(inventory, &Policy::upstream(), &question(target))
}

/// The apiservers, what is typed, what it is called then, and what it asks.
#[test]
fn a_target_is_a_hop_a_patch_move_or_a_gap() {
    use TargetKind::{Hop, Patch, Refused};
    for (running, typed, text, kind) in [
        (&["v1.36.2"][..], "1.37", "1.37", Hop(m(37))),
        (&["v1.36.2"], "v1.37.1-eks-1", "1.37", Hop(m(37))),
        (&["v1.36.2"], "next", "1.37", Hop(m(37))),
        (&["v1.36.2"], "+2", "1.38", Hop(m(38))),
        (&["v1.36.2"], "1.36", "1.36", Refused),
        (&["v1.36.2"], "1.35", "1.35", Refused),
        (&["v1.36.2"], "1.35.9", "1.35.9", Refused),
        (&["v1.36.2"], "1.36.5", "1.36.5", Patch),
        (&["v1.36.2"], "1.36.10", "1.36.10", Patch),
        (&["v1.36.2"], "1.36.2", "1.36.2", Refused),
        (&["v1.36.2"], "1.36.1", "1.36.1", Refused),
        (&["v1.36.2-eks-9"], "1.36.2-eks-10", "1.36.2", Refused),
        // Two patches run: only one above both is a move.
        (&["v1.36.2", "v1.36.4"], "1.36.3", "1.36.3", Refused),
        (&["v1.36.2", "v1.36.4"], "1.36.5", "1.36.5", Patch),
        // An upgrade under way is finished by asking for the newest minor.
        (&["v1.36.2", "v1.37.1"], "1.37", "1.37", Hop(m(37))),
        (&["v1.36.2", "v1.37.1"], "next", "1.37", Hop(m(37))),
        (&["v1.36.2", "v1.37.1"], "+1", "1.38", Hop(m(38))),
        (&["v1.36.2", "v1.37.1"], "1.37.1", "1.37", Hop(m(37))),
        (&["v1.36.2", "v1.37.1"], "1.37.0", "1.37.0", Refused),
        (&["v1.36.2", "v1.37.1"], "1.36", "1.36", Refused),
        (&["v1.36.2", "v1.37.1"], "1.36.5", "1.36.5", Refused),
        (&["v1.34.2", "v1.37.1"], "1.36", "1.36", Refused),
        (&["v1.36.2"], "1.56", "1.56", Hop(m(56))),
        // Too far to be meant is refused before anything is judged; only the path has an end here.
        (&["v1.36.2"], "1.57", "1.57", Hop(m(57))),
        (&["v1.36.2"], "1.77", "1.77", Refused),
        (&["v1.10.2", "v1.40.0"], "1.56", "1.56", Refused),
        // Without a server version a minor can still be judged, what counts from the server cannot.
        (&[], "1.37", "1.37", Hop(m(37))),
        (&[], "1.36.5", "1.36", Hop(m(36))),
        (&[], "next", "next", Refused),
        (&[], "+2", "+2", Refused),
    ] {
        let assessment = ask(&servers(running), typed);
        let asked = assessment.target.clone().unwrap();
        assert_eq!(
            (asked.text.as_str(), asked.kind),
            (text, kind),
            "{typed} on {running:?}"
        );
        let gap = assessment
            .gaps
            .iter()
            .find(|gap| gap.capability() == Capability::Target);
        assert_eq!(gap.is_some(), kind == Refused, "{typed} on {running:?}");
        if let Some(gap) = gap {
            assert!(gap.required && gap_reason(&gap.reason).contains(text), "{gap:?}");
            assert_eq!(
                (assessment.verdict, assessment.gate.exit_code),
                (Verdict::Unknown, 2)
            );
            assert!(assessment.columns.is_empty());
        }
    }
}

#[test]
fn an_emulated_minor_counts_for_the_target_and_the_binary_for_a_patch() {
    let mut inventory = servers(&["v1.37.1"]);
    inventory.instances[0].emulated = Some(m(36));
    let kind = |target: &str| ask(&inventory, target).target.unwrap().kind;
    assert_eq!(kind("next"), TargetKind::Hop(m(37)));
    assert_eq!(kind("1.37.1"), TargetKind::Hop(m(37)));
    assert_eq!(kind("1.36.5"), TargetKind::Refused);
}

#[test]
fn a_refused_target_fires_no_rule_about_the_move() {
    let mut inventory = servers(&["v1.36.2"]);
    inventory.nodes = vec![node("n", "v1.30.0")];
    let assessment = ask(&inventory, "1.36");
    let keys: Vec<_> = assessment
        .findings
        .iter()
        .map(kubectl_skew::policy::finding::Finding::key)
        .collect();
    assert_eq!(keys, ["version-skew/kubelet-current"]);
    assert_eq!(assessment.in_policy, Some(false));
}

/// The gate: what is asked, what was found, and the exit code.
#[test]
fn the_gate_passes_by_threshold_verdict_and_target() {
    let fine = servers(&["v1.36.2"]);
    let mut warned = fine.clone();
    warned.nodes = vec![node("n", "v1.37.0")];
    let mut blocked = fine.clone();
    blocked.nodes = vec![node("n", "v1.33.0")];
    let mut unknown = fine.clone();
    unknown.nodes = vec![node("n", "fake")];
    let mut unknown_and_warned = unknown.clone();
    unknown_and_warned.nodes.push(node("o", "v1.37.0"));
    let blocker = Some(FailOn::Severity(Severity::Blocker));
    let warning = Some(FailOn::Severity(Severity::Warning));
    let never = Some(FailOn::Never);
    for (inventory, target, fail_on, incomplete, exit, which) in [
        (&fine, "1.37", None, false, 0, "fine"),
        (&fine, "", None, false, 0, "fine"),
        (&warned, "1.37", None, false, 0, "a warning with a target"),
        (&warned, "1.37", warning, false, 2, "a warning, asked for"),
        (&warned, "", None, false, 2, "a warning without a target"),
        (&warned, "", blocker, false, 0, "a warning, blockers asked for"),
        (&blocked, "1.37", None, false, 2, "a blocker"),
        (&blocked, "1.37", None, true, 2, "a blocker, incomplete allowed"),
        (&blocked, "1.37", never, false, 0, "a blocker, never"),
        (&unknown, "1.37", None, false, 2, "unknown"),
        (&unknown, "1.37", None, true, 0, "unknown, incomplete allowed"),
        (&unknown, "1.37", blocker, false, 2, "unknown"),
        (&unknown, "1.37", never, false, 0, "unknown, never"),
        (
            &unknown_and_warned,
            "1.37",
            warning,
            true,
            2,
            "findings alone, a warning",
        ),
        (
            &unknown_and_warned,
            "1.37",
            None,
            true,
            0,
            "findings alone, no blocker",
        ),
        (&fine, "1.36", None, false, 2, "no hop"),
        (&fine, "1.36", None, true, 2, "no hop, incomplete allowed"),
        (&fine, "1.36", never, false, 0, "no hop, never"),
    ] {
        let question = Question {
            fail_on,
            allow_incomplete: incomplete,
            ..question(target)
        };
        let assessment = evaluate(inventory, &Policy::upstream(), &question);
        assert_eq!(assessment.gate.exit_code, exit, "{which} (target {target:?})");
    }
}

#[test]
fn allowing_the_incomplete_does_not_make_it_ready() {
    let mut inventory = servers(&["v1.36.2"]);
    inventory.nodes = vec![node("n", "fake")];
    let question = Question {
        allow_incomplete: true,
        ..question("1.37")
    };
    let assessment = evaluate(&inventory, &Policy::upstream(), &question);
    assert_eq!(
        (assessment.verdict, assessment.gate.passed),
        (Verdict::Unknown, true)
    );
}

#[test]
fn another_build_of_the_running_patch_is_a_patch_move() {
    let mut inventory = cluster("v1.36.4+k0s.0", vec![node("n", "v1.36.4+k0s")]);
    let asked = |inventory: &Inventory, target: &str| {
        let assessment = evaluate(inventory, &Policy::upstream(), &question(target));
        let asked = assessment.target.expect("a target");
        (asked.kind, assessment.verdict)
    };
    let moved = (TargetKind::Patch, Verdict::Ready);
    let refused = (TargetKind::Refused, Verdict::Unknown);
    assert_eq!(asked(&inventory, "v1.36.4+k0s.1"), moved);
    assert_eq!(asked(&inventory, "1.36.4-k0s1"), moved);
    assert_eq!(asked(&inventory, "v1.36.5+k0s.0"), moved);
    // The same build, no build, and a build of an older patch.
    assert_eq!(asked(&inventory, "1.36.4+k0s.0"), refused);
    assert_eq!(asked(&inventory, "1.36.4"), refused);
    assert_eq!(asked(&inventory, "1.36.3+k0s.1"), refused);
    // Without /version no build is known.
    inventory.server_version = None;
    assert_eq!(asked(&inventory, "v1.36.4+k0s.1"), refused);
}
