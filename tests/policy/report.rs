//! The report: the cells of the matrix, how long a node is good for, and the order of everything.

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::gap::{Gap, GapReason};
use kubectl_skew::inventory::observed::Connections;
use kubectl_skew::inventory::{Inventory, KubeProxy, Node, Unread, VirtualNode};
use kubectl_skew::policy::cell::CellState::{self, AtLimit, Behind, Newer, NotJudged, Ok, Unknown};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::report::{Cell, Half, Report, ReportParts, assemble};

use crate::fixtures::{
    answer, cluster, instance, kube_proxy, m, node, question, source, unread_proxy, with_proxy,
};

fn report(inventory: &Inventory, target: &str) -> Report {
    let policy = Policy::upstream();
    let question = question(target);
    let assessment = evaluate(inventory, &policy, &question);
    assemble(ReportParts {
        inventory,
        question: &question,
        assessment,
        policy: &policy,
        path: Vec::new(),
        plan: None,
        source: source(),
        assumed: Vec::new(),
        excluded: Vec::new(),
    })
}

fn cell(state: CellState, kubelet: Option<i32>, kube_proxy: Half, reasons: &[&str]) -> Cell {
    Cell {
        state,
        kubelet,
        kube_proxy,
        reasons: reasons.iter().map(|key| (*key).to_owned()).collect(),
    }
}

fn states(report: &Report) -> Vec<(&str, Vec<CellState>)> {
    let rows = report.nodes.iter();
    rows.map(|row| {
        let cells = std::iter::once(&row.now).chain(&row.hops);
        (row.name.as_str(), cells.map(|cell| cell.state).collect())
    })
    .collect()
}

#[test]
fn a_row_holds_a_cell_for_today_and_one_for_each_minor() {
    let inventory = cluster("v1.34.0", vec![with_proxy(node("gpu", "v1.31.6"), "v1.30.2")]);
    let report = report(&inventory, "1.36");
    let row = &report.nodes[0];
    assert_eq!(report.columns, [m(35), m(36)]);
    assert_eq!(
        row.now,
        cell(
            Behind,
            Some(3),
            Half::Behind(4),
            &["version-skew/kube-proxy-behind"]
        )
    );
    let both = [
        "version-skew/kube-proxy-post-upgrade",
        "version-skew/kubelet-post-upgrade",
    ];
    assert_eq!(
        row.hops,
        [
            cell(Behind, Some(4), Half::Behind(5), &both),
            cell(Behind, Some(5), Half::Behind(6), &both),
        ]
    );
    assert_eq!((row.pair_distance, row.good_until), (Some(1), Some(m(33))));
    assert!(row.is_out_today && row.lagging && !row.half_unread);
}

#[test]
fn without_a_target_the_next_three_minors_are_previewed() {
    let inventory = cluster(
        "v1.34.0",
        vec![
            with_proxy(node("spot", "v1.32.4"), "v1.32.1"),
            node("web", "v1.35.0"),
        ],
    );
    let report = report(&inventory, "");
    assert_eq!(report.columns, [m(35), m(36), m(37)]);
    assert_eq!(
        states(&report),
        [
            ("spot", vec![Ok, AtLimit, Behind, Behind]),
            ("web", vec![Newer, Ok, Ok, Ok]),
        ]
    );
    assert_eq!(
        report.nodes[1].now,
        cell(
            Newer,
            Some(-1),
            Half::Absent,
            &["version-skew/kubelet-newer-than-apiserver"]
        )
    );
    let until: Vec<_> = report.nodes.iter().map(|row| row.good_until).collect();
    assert_eq!(until, [Some(m(35)), Some(m(38))]);
    let keys: Vec<&str> = report.findings.iter().map(|f| f.key.as_str()).collect();
    assert_eq!(
        keys,
        ["version-skew/kubelet-newer-than-apiserver"],
        "no finding comes of a preview"
    );
}

#[test]
fn two_apiservers_hold_a_node_from_both_sides() {
    let mut inventory = cluster(
        "v1.36.0",
        vec![node("a", "v1.33.0"), node("b", "v1.34.0"), node("c", "v1.37.0")],
    );
    inventory.instances.push(answer("v1.37.0"));
    let report = report(&inventory, "1.37");
    assert_eq!(
        states(&report),
        [
            ("a", vec![Behind, Behind]),
            ("c", vec![Newer, Ok]),
            ("b", vec![AtLimit, AtLimit]),
        ]
    );
    assert_eq!(report.nodes[2].now.kubelet, Some(3), "measured to the newest");
}

#[test]
fn the_1_25_rule_is_the_components_own() {
    let inventory = cluster(
        "v1.26.0",
        vec![
            node("a", "v1.24.0"),
            with_proxy(node("b", "v1.25.0"), "v1.24.0"),
            node("c", "v1.25.0"),
        ],
    );
    let report = report(&inventory, "");
    assert_eq!(
        states(&report),
        [
            ("a", vec![AtLimit, Behind, Behind, Behind]),
            ("b", vec![AtLimit, Behind, Behind, Behind]),
            ("c", vec![Ok, Ok, AtLimit, Behind]),
        ]
    );
    let until: Vec<_> = report.nodes.iter().map(|row| row.good_until).collect();
    assert_eq!(until, [Some(m(26)), Some(m(26)), Some(m(28))]);
}

#[test]
fn an_unread_half_is_unknown_only_where_it_is_required() {
    let mut nodes = vec![
        node("kubelet", "fake"),
        node("optional", "v1.36.0"),
        node("required", "v1.36.0"),
        with_proxy(node("mixed", "v1.36.0"), "v1.35.0"),
        with_proxy(node("worse", "v1.36.0"), "v1.32.0"),
    ];
    nodes[1].proxies = vec![unread_proxy("optional", Unread::Optional)];
    nodes[2].proxies = vec![unread_proxy("required", Unread::Required)];
    nodes[3].proxies.push(unread_proxy("mixed", Unread::Optional));
    nodes[4].proxies.push(unread_proxy("worse", Unread::Required));
    let report = report(&cluster("v1.36.0", nodes), "");
    let row = |name: &str| report.nodes.iter().find(|row| row.name == name).unwrap();
    assert_eq!(
        row("kubelet").now,
        cell(Unknown, None, Half::Absent, &["version-skew/kubelet-unparseable"])
    );
    assert_eq!(row("kubelet").good_until, None);
    assert_eq!(row("optional").now, cell(Ok, Some(0), Half::Unread, &[]));
    assert_eq!(row("optional").good_until, Some(m(39)));
    assert_eq!(row("required").now, cell(Unknown, Some(0), Half::Unread, &[]));
    assert_eq!(row("mixed").now, cell(Ok, Some(0), Half::Behind(1), &[]));
    assert_eq!(
        row("worse").now,
        cell(
            Behind,
            Some(0),
            Half::Behind(4),
            &["version-skew/kube-proxy-behind"]
        )
    );
    assert!(report.nodes.iter().all(|row| row.half_unread));
}

#[test]
fn of_two_kube_proxies_the_worse_counts() {
    let mut both = with_proxy(node("n", "v1.36.0"), "v1.36.0");
    both.proxies.push(KubeProxy {
        pod: "a-second".to_owned(),
        ..kube_proxy(Some("n"), "v1.34.0")
    });
    let report = report(&cluster("v1.36.0", vec![both]), "");
    let row = &report.nodes[0];
    assert_eq!(row.now, cell(Ok, Some(0), Half::Behind(2), &[]));
    assert_eq!((row.pair_distance, row.good_until), (Some(2), Some(m(37))));
    let pods: Vec<&str> = row.kube_proxy.iter().map(|proxy| proxy.pod.as_str()).collect();
    assert_eq!(pods, ["a-second", "kube-proxy-n"]);
}

#[test]
fn without_a_server_version_there_are_no_columns() {
    let mut inventory = cluster("v1.36.0", vec![with_proxy(node("n", "v1.33.0"), "v1.33.0")]);
    inventory.instances.clear();
    let report = report(&inventory, "1.37");
    assert!(report.columns.is_empty() && report.nodes[0].hops.is_empty());
    assert_eq!(report.nodes[0].now, cell(Unknown, None, Half::Unread, &[]));
    assert_eq!(report.nodes[0].pair_distance, Some(0));
    assert_eq!(report.lagging_kubelets.len(), 1);
    assert_eq!(
        (report.control_plane.oldest, report.control_plane.newest),
        (None, None)
    );
    assert!(!report.nodes[0].is_out_today);
}

#[test]
fn virtual_and_excluded_nodes_show_their_kubelet_and_are_not_judged() {
    let mut aci = with_proxy(node("aci", "v1.19.10-vk-azure-aci-1.4.16"), "v1.19.0");
    aci.virtual_node = Some(VirtualNode::VirtualKubelet);
    let mut out = with_proxy(node("out", "v1.20.0"), "v1.36.0");
    out.excluded = true;
    let report = report(&cluster("v1.36.0", vec![aci, out, node("n", "v1.36.0")]), "1.37");
    let names: Vec<&str> = report.nodes.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["n", "aci", "out"], "what is not judged stands last");
    for row in &report.nodes[1..] {
        assert_eq!((row.now.state, row.hops[0].state), (NotJudged, NotJudged));
        assert_eq!(
            (row.pair_distance, row.good_until, row.lagging),
            (None, None, false)
        );
        assert!(row.kubelet.version.is_some() && row.now.kubelet.is_none());
    }
    assert!(report.nodes[1].is_virtual && report.nodes[2].excluded);
}

fn pooled(name: &str, pool: Option<&str>, kubelet: &str) -> Node {
    Node {
        pool: pool.map(str::to_owned),
        ..node(name, kubelet)
    }
}

#[test]
fn rows_stand_worst_first_then_by_pool_then_by_name() {
    let inventory = cluster(
        "v1.36.0",
        vec![
            pooled("a", None, "v1.36.0"),
            pooled("b", Some("web"), "v1.36.0"),
            pooled("c", Some("db"), "v1.36.0"),
            pooled("d", Some("web"), "v1.33.0"),
            pooled("e", Some("web"), "v1.32.0"),
            pooled("f", Some("web"), "v1.37.0"),
            pooled("g", Some("db"), "fake"),
            pooled("h", Some("db"), "v1.34.0"),
            pooled("i", Some("db"), "v1.36.0"),
        ],
    );
    let report = report(&inventory, "1.37");
    let names: Vec<&str> = report.nodes.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["e", "d", "f", "g", "h", "c", "i", "b", "a"]);
}

#[test]
fn findings_stand_heaviest_first_and_gaps_required_first() {
    let mut inventory = cluster(
        "v1.36.0",
        vec![node("a", "v1.33.0"), node("b", "v1.37.0"), node("c", "fake")],
    );
    let of = |required, live| {
        let reason = GapReason::FewerApiservers {
            live,
            seen: 1,
            by_answers: false,
        };
        Gap::new(required, reason)
    };
    inventory.gaps = vec![of(false, 3), of(true, 4), of(false, 2)];
    let report = report(&inventory, "1.38");
    let keys: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.key.as_str())
        .collect();
    assert_eq!(
        keys,
        [
            "version-skew/kubelet-post-upgrade",
            "version-skew/kubelet-newer-than-apiserver",
            "version-skew/kubelet-unparseable",
            "version-skew/upgrade-path",
        ]
    );
    assert_eq!(report.not_assessed, [of(true, 4), of(false, 2), of(false, 3)]);
}

#[test]
fn the_control_plane_shows_effective_minors_and_every_instance() {
    let mut inventory = cluster("v1.37.0", vec![node("n", "v1.36.0")]);
    inventory.instances[0].emulated = Some(m(36));
    inventory
        .instances
        .push(instance(Component::KubeScheduler, "cp-1", "v1.36.0"));
    let control_plane = report(&inventory, "").control_plane;
    assert_eq!(
        (control_plane.oldest, control_plane.newest),
        (Some(m(36)), Some(m(36)))
    );
    let rows: Vec<_> = control_plane
        .instances
        .iter()
        .map(|row| (row.component.name(), row.from, row.minor, row.emulated_minor))
        .collect();
    assert_eq!(
        rows,
        [
            ("kube-apiserver", "version", Some(m(37)), Some(m(36))),
            ("kube-scheduler", "pod", Some(m(36)), None),
        ]
    );
}

#[test]
fn several_answers_are_told_in_one_line() {
    let mut inventory = cluster("v1.36.4", vec![node("n", "v1.36.0")]);
    inventory.running = Some(3);
    inventory.connections = Some(Connections {
        tried: 3,
        answered: 3,
    });
    let answers = |inventory: &Inventory| report(inventory, "").control_plane.answers;
    assert_eq!(
        answers(&inventory).as_deref(),
        Some("3 live, 3 answers, all 1.36.4")
    );
    inventory.instances.push(answer("v1.37.0"));
    assert_eq!(
        answers(&inventory).as_deref(),
        Some("3 live, 3 answers: 1.36.4, 1.37.0")
    );
    inventory.running = Some(1);
    assert_eq!(answers(&inventory), None);
}
