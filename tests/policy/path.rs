//! The path: what each minor on the way would say with the nodes as they are today.

use kubectl_skew::inventory::binding::{Binding, BindingKind};
use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::{Inventory, KubeProxy, ProxyUnit};
use kubectl_skew::plan::path::path;
use kubectl_skew::plan::steps::{Cause, Obstacle};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::policy::verdict::Verdict;
use kubectl_skew::report::{CellState, PathHop};

use crate::fixtures::{answer, cluster, instance, kube_proxy, m, node, question, version, with_proxy};

fn hops(inventory: &Inventory, target: &str) -> Vec<PathHop> {
    let (policy, question) = (Policy::upstream(), question(target));
    let assessment = evaluate(inventory, &policy, &question);
    let hops = path(inventory, &policy, &question, &assessment, None);
    if let Some(last) = hops.last() {
        assert_eq!(
            last.verdict, assessment.verdict,
            "the last hop's verdict is the report's"
        );
    }
    for hop in &hops {
        let alone = evaluate(inventory, &policy, &self::question(&hop.to.to_string()));
        assert_eq!(hop.verdict, alone.verdict, "--target {} says the same", hop.to);
    }
    hops
}

fn hop(from: u16, to: u16, verdict: Verdict, lists: [&[&str]; 3], carried: usize) -> PathHop {
    let [added, resolved, move_first] =
        lists.map(|list| list.iter().map(|text| (*text).to_owned()).collect());
    PathHop {
        from: m(from),
        to: m(to),
        verdict,
        added,
        resolved,
        carried,
        move_first,
    }
}

#[test]
fn the_yearly_catch_up_is_legal_to_the_third_minor() {
    let inventory = cluster("v1.34.2", vec![node("a", "v1.34.0"), node("b", "v1.34.0")]);
    let none: [&[&str]; 3] = [&[], &[], &[]];
    let post = "version-skew/kubelet-post-upgrade";
    assert_eq!(
        hops(&inventory, "1.38"),
        [
            hop(34, 35, Verdict::Ready, none, 0),
            hop(35, 36, Verdict::Ready, none, 0),
            hop(36, 37, Verdict::Ready, none, 0),
            hop(37, 38, Verdict::Blocked, [&[post], &[], &["a", "b"]], 0),
        ]
    );
}

#[test]
fn a_hop_says_what_comes_what_goes_and_who_moves_first() {
    let mut inventory = cluster(
        "v1.34.2",
        vec![
            with_proxy(node("old", "v1.32.0"), "v1.31.0"),
            with_proxy(node("older", "v1.31.0"), "v1.31.0"),
            with_proxy(node("newer", "v1.35.0"), "v1.34.0"),
        ],
    );
    // It is too old from 1.36 on; a rule about today is never new on the path.
    inventory.kubectl = Some(version("v1.34.0"));
    let newer = "version-skew/kubelet-newer-than-apiserver";
    let kubelet = "version-skew/kubelet-post-upgrade";
    let proxy = "version-skew/kube-proxy-post-upgrade";
    assert_eq!(
        hops(&inventory, "1.36"),
        [
            hop(
                34,
                35,
                Verdict::Blocked,
                [&[proxy, kubelet], &[newer], &["old", "older"]],
                0
            ),
            hop(35, 36, Verdict::Blocked, [&[], &[], &["old", "older"]], 2),
        ]
    );
}

#[test]
fn what_is_out_today_is_carried_all_the_way() {
    let inventory = cluster(
        "v1.36.0",
        vec![with_proxy(node("n", "v1.32.0"), "v1.36.0"), node("what", "fake")],
    );
    let post = "version-skew/kubelet-post-upgrade";
    assert_eq!(
        hops(&inventory, "1.38"),
        [
            // Carried: the kubelet's own, the pair's, the unreadable node's.
            hop(36, 37, Verdict::Blocked, [&[post], &[], &["n"]], 3),
            hop(37, 38, Verdict::Blocked, [&[], &[], &["n"]], 4),
        ]
    );
}

#[test]
fn a_required_gap_leaves_unblocked_hops_unknown() {
    let inventory = cluster("v1.36.0", vec![node("n", "v1.35.0"), node("what", "fake")]);
    let verdicts: Vec<Verdict> = hops(&inventory, "1.39").iter().map(|hop| hop.verdict).collect();
    assert_eq!(verdicts, [Verdict::Unknown, Verdict::Unknown, Verdict::Blocked]);
}

#[test]
fn a_half_done_hop_is_finished_first() {
    let mut inventory = cluster("v1.36.0", vec![node("n", "v1.36.0")]);
    inventory.instances = vec![
        instance(Component::KubeApiserver, "cp-1", "v1.37.0"),
        instance(Component::KubeApiserver, "cp-2", "v1.36.0"),
        instance(Component::KubeScheduler, "cp-1", "v1.37.0"),
        instance(Component::KubeScheduler, "cp-2", "v1.36.0"),
    ];
    assert_eq!(
        hops(&inventory, "1.37"),
        [hop(
            36,
            37,
            Verdict::Ready,
            [&[], &["version-skew/kube-scheduler-newer"], &[]],
            0
        )]
    );
    // Newer than every kube-apiserver is a blocker whatever the target, and no longer so once they are there.
    inventory.instances[0].version = Some(version("v1.36.0"));
    assert_eq!(
        hops(&inventory, "1.38"),
        [
            hop(
                36,
                37,
                Verdict::Blocked,
                [&[], &["version-skew/kube-scheduler-newer"], &[]],
                0
            ),
            hop(37, 38, Verdict::Blocked, [&[], &[], &[]], 0),
        ]
    );
}

#[test]
fn apiservers_two_apart_meet_on_the_way() {
    let mut inventory = cluster("v1.35.0", vec![node("n", "v1.35.0")]);
    inventory.instances = vec![answer("v1.35.0"), answer("v1.37.0")];
    let spread = "version-skew/apiserver-ha-spread";
    assert_eq!(
        hops(&inventory, "1.38"),
        [
            // Below the newest kube-apiserver no target can be asked for.
            hop(35, 36, Verdict::Unknown, [&[], &[spread], &[]], 0),
            hop(36, 37, Verdict::Ready, [&[], &[], &[]], 0),
            hop(37, 38, Verdict::Ready, [&[], &[], &[]], 0),
        ]
    );
}

#[test]
fn a_kube_proxy_alone_makes_its_node_move_first() {
    let mut inventory = cluster("v1.36.0", vec![with_proxy(node("n", "v1.36.0"), "v1.33.0")]);
    inventory.stray_proxies = vec![KubeProxy {
        pod: "kube-proxy-z".to_owned(),
        ..kube_proxy(Some("unlisted"), "v1.33.0")
    }];
    let only = &hops(&inventory, "1.37")[0];
    assert_eq!(only.move_first, ["n", "unlisted"]);
    assert_eq!(only.added, ["version-skew/kube-proxy-post-upgrade"]);
}

#[test]
fn there_is_no_path_without_a_hop() {
    let inventory = cluster("v1.36.2", vec![node("n", "v1.36.0")]);
    for target in ["", "1.36", "1.36.5"] {
        assert!(hops(&inventory, target).is_empty(), "{target}");
    }
    let mut headless = inventory;
    headless.instances.clear();
    assert!(hops(&headless, "1.37").is_empty());
}

/// A scheduler at 1.32 under a kube-apiserver at 1.33: legal today, two behind once the next hop begins, and level from
/// then on.
#[test]
fn a_manager_that_lags_is_named_by_the_first_hop() {
    let mut inventory = cluster("v1.33.8", vec![node("n", "v1.33.0")]);
    inventory
        .instances
        .push(instance(Component::KubeScheduler, "cp-1", "v1.32.12"));
    let scheduler = "version-skew/kube-scheduler-post-upgrade";
    assert_eq!(
        hops(&inventory, "1.35"),
        [
            hop(33, 34, Verdict::Ready, [&[scheduler], &[], &[]], 0),
            hop(34, 35, Verdict::Ready, [&[], &[scheduler], &[]], 0),
        ]
    );
}

/// A plan that stops before 1.36 leaves no hop from there on ready.
#[test]
fn an_obstacle_blocks_its_hop_and_those_behind_it() {
    let inventory = cluster("v1.34.0", vec![node("n", "v1.34.0")]);
    let (policy, question) = (Policy::upstream(), question("1.37"));
    let assessment = evaluate(&inventory, &policy, &question);
    let obstacle = Obstacle {
        hop: Some(m(36)),
        object: Some("n".to_owned()),
        rule: None,
        cause: Cause::NoOrder { newest: m(36) },
    };
    let none: [&[&str]; 3] = [&[], &[], &[]];
    assert_eq!(
        path(&inventory, &policy, &question, &assessment, Some(&obstacle)),
        [
            hop(34, 35, Verdict::Ready, none, 0),
            hop(
                35,
                36,
                Verdict::Blocked,
                [&["version-skew/no-legal-plan"], &[], &[]],
                0
            ),
            hop(36, 37, Verdict::Blocked, none, 1),
        ]
    );
}

/// A server of k3s moves with its kube-apiserver: it is in nobody's way, an agent beside it is.
#[test]
fn a_bound_node_is_never_in_the_way() {
    let mut inventory = cluster(
        "v1.33.1+k3s1",
        vec![
            node("agent", "v1.33.1+k3s1"),
            with_proxy(node("server", "v1.33.1+k3s1"), "v1.33.1"),
        ],
    );
    inventory.nodes[1].proxies[0].unit = ProxyUnit::Static;
    inventory.nodes[1].binding = Some(Binding {
        kind: BindingKind::OneBinary,
        apiserver: Some(m(33)),
    });
    let first: Vec<Vec<String>> = hops(&inventory, "1.37")
        .into_iter()
        .map(|hop| hop.move_first)
        .collect();
    assert_eq!(first, [vec![], vec![], vec![], vec!["agent".to_owned()]]);
    let assessment = evaluate(&inventory, &Policy::upstream(), &question("1.37"));
    let lagging: Vec<&str> = assessment
        .lagging_kubelets
        .iter()
        .map(|it| it.node.as_str())
        .collect();
    assert_eq!(lagging, ["agent"]);
    let last = assessment.rows[1].hops.last().expect("a cell");
    assert_eq!(
        (last.state, last.kubelet),
        (CellState::Ok, Some(0)),
        "shown at the column's minor"
    );
    // One that lags behind its kube-apiserver is a node like any.
    inventory.nodes[1].kubelet = node("server", "v1.32.0+k3s1").kubelet;
    let first = hops(&inventory, "1.37").pop().expect("a hop").move_first;
    assert_eq!(first, ["agent", "server"]);
}
