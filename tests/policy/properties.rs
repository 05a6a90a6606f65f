//! What holds for every inventory: nothing taken away makes it ready, its order changes nothing, and nothing in it
//! makes the engine panic.

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::read_gap::Resource;
use kubectl_skew::inventory::{Inventory, Node, Unread, VirtualNode};
use kubectl_skew::plan::path::path;
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::platforms::{self, PolicyChoice};
use kubectl_skew::policy::question::{Question, Target};
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::policy::verdict::Verdict;
use kubectl_skew::report::{Report, ReportParts, assemble};
use proptest::prelude::*;

use crate::fixtures::{answer, instance, kube_proxy, m, node, refused, source, unread_proxy, version};

/// A version near the ones that are judged, now and then far away or none at all.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => (30u16..=40, 0u16..3).prop_map(|(minor, patch)| format!("v1.{minor}.{patch}")),
        2 => any::<u16>().prop_map(|minor| format!("v1.{minor}.0")),
        1 => Just("fake".to_owned()),
    ]
}

fn read_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| {
        if text == "fake" {
            "v1.36.0".to_owned()
        } else {
            text
        }
    })
}

#[derive(Clone, Debug)]
enum Proxy {
    None,
    Read(String),
    Unread(Unread),
}

fn proxy() -> impl Strategy<Value = Proxy> {
    prop_oneof![
        2 => Just(Proxy::None),
        6 => read_text().prop_map(Proxy::Read),
        1 => Just(Proxy::Unread(Unread::Optional)),
        1 => Just(Proxy::Unread(Unread::Required)),
    ]
}

fn a_node() -> impl Strategy<Value = Node> {
    let marks = (0u8..10, 0u8..10, prop::option::of("[ab]"), any::<bool>());
    (text(), proxy(), proxy(), marks).prop_map(|(kubelet, one, two, (virtual_node, excluded, pool, old))| {
        let mut node = node("n", &kubelet);
        node.virtual_node = (virtual_node == 0).then_some(VirtualNode::Kwok);
        node.excluded = excluded == 0;
        node.pool = pool;
        node.runtime = Some(
            if old {
                "containerd://1.5.0"
            } else {
                "containerd://2.1.0"
            }
            .to_owned(),
        );
        for (place, proxy) in [one, two].into_iter().enumerate() {
            let mut pod = match proxy {
                Proxy::None => continue,
                Proxy::Read(text) => kube_proxy(None, &text),
                Proxy::Unread(weight) => unread_proxy("n", weight),
            };
            pod.pod = format!("kube-proxy-{place}");
            node.proxies.push(pod);
        }
        node
    })
}

fn inventory() -> impl Strategy<Value = Inventory> {
    let managers = prop::collection::vec((0usize..3, read_text()), 0..4);
    let parts = (
        prop::collection::vec(read_text(), 0..4),
        managers,
        prop::collection::vec(a_node(), 0..6),
        prop::collection::vec(read_text(), 0..2),
        prop::option::of(read_text()),
        prop::option::of(28u16..38),
        any::<bool>(),
    );
    parts.prop_map(
        |(servers, managers, mut nodes, stray, kubectl, min_compatibility, hidden)| {
            for (place, node) in nodes.iter_mut().enumerate() {
                node.name = format!("node-{place}");
            }
            let mut instances: Vec<_> = servers
                .iter()
                .enumerate()
                .map(|(place, text)| {
                    if hidden {
                        answer(text)
                    } else {
                        instance(Component::KubeApiserver, &format!("node-{place}"), text)
                    }
                })
                .collect();
            instances.extend(managers.iter().enumerate().map(|(place, (which, text))| {
                instance(Component::MANAGERS[*which], &format!("node-{place}"), text)
            }));
            let mut inventory = Inventory {
                server_version: servers.first().cloned(),
                instances,
                nodes,
                kubectl: kubectl.map(|text| version(&text)),
                min_compatibility: min_compatibility.map(m),
                ..Inventory::default()
            };
            for (place, text) in stray.iter().enumerate() {
                let mut pod = kube_proxy(Some(&format!("unlisted-{place}")), text);
                pod.pod = format!("kube-proxy-unlisted-{place}");
                inventory.stray_proxies.push(pod);
            }
            inventory
        },
    )
}

fn a_question() -> impl Strategy<Value = Question> {
    let target = prop_oneof![
        3 => Just(None),
        6 => (30u16..45).prop_map(|minor| Some(Target::Minor(m(minor)))),
        1 => (30u16..40, 0u16..4).prop_map(|(minor, patch)| Some(Target::Patch(version(&format!("1.{minor}.{patch}"))))),
        1 => Just(Some(Target::Next)),
        1 => (1u16..=20).prop_map(|steps| Some(Target::Plus(steps))),
        1 => any::<u16>().prop_map(|minor| Some(Target::Minor(m(minor)))),
    ];
    let rollout = prop::option::of(prop::collection::vec("node-[0-9]", 0..4));
    (target, rollout, any::<bool>()).prop_map(|(target, rollout, allow_incomplete)| Question {
        target,
        rollout,
        allow_incomplete,
        fail_on: None,
    })
}

fn a_policy() -> impl Strategy<Value = Policy> {
    let names = prop::sample::select(vec!["upstream", "k0s", "openshift", "gke", "kubeadm"]);
    names.prop_map(|name| {
        let choice = PolicyChoice::named(name).expect("a policy's name");
        platforms::choose(&choice, &Inventory::default())
    })
}

fn report(inventory: &Inventory, policy: &Policy, question: &Question) -> Report {
    let assessment = evaluate(inventory, policy, question);
    assemble(ReportParts {
        inventory,
        question,
        policy,
        path: path(inventory, policy, question, &assessment, None),
        assessment,
        plan: None,
        source: source(),
        assumed: Vec::new(),
        excluded: Vec::new(),
    })
}

/// A read that fails, and what is then missing.
#[derive(Clone, Copy, Debug)]
enum Loss {
    Nodes,
    Pods,
    Server,
    OneKubelet,
    OneProxy,
    OneScheduler,
    SomeNodes,
}

fn lose(inventory: &mut Inventory, loss: Loss) {
    let refuse = |inventory: &mut Inventory, resource| inventory.gaps.push(refused(resource));
    match loss {
        Loss::Nodes => {
            inventory.nodes.clear();
            refuse(inventory, Resource::Nodes);
        }
        Loss::SomeNodes => {
            inventory.nodes.truncate(1);
            refuse(inventory, Resource::Nodes);
        }
        Loss::Pods => {
            inventory.stray_proxies.clear();
            inventory.nodes.iter_mut().for_each(|node| node.proxies.clear());
            inventory.instances.retain(|instance| instance.node.is_none());
            refuse(inventory, Resource::Pods);
        }
        // The rest says nothing of itself: the engine has to see that something is missing.
        Loss::Server => {
            inventory
                .instances
                .retain(|i| i.component != Component::KubeApiserver);
        }
        Loss::OneKubelet => {
            let judged = inventory.nodes.iter_mut().find(|node| node.is_judged());
            match judged {
                Some(judged) => judged.kubelet = node("n", "fake").kubelet,
                None => inventory.nodes.push(node("unread", "fake")),
            }
        }
        Loss::OneProxy => {
            let pod = unread_proxy("unlisted", Unread::Required);
            inventory.stray_proxies.push(pod);
        }
        Loss::OneScheduler => {
            let mut unread = instance(Component::KubeScheduler, "cp-1", "v1.36.0");
            unread.version = None;
            unread.judged = false;
            inventory.instances.push(unread);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_not_read_is_never_ready(
        mut inventory in inventory(),
        question in a_question(),
        policy in a_policy(),
        loss in prop::sample::select(vec![
            Loss::Nodes, Loss::Pods, Loss::Server, Loss::OneKubelet, Loss::OneProxy, Loss::OneScheduler,
            Loss::SomeNodes,
        ]),
    ) {
        lose(&mut inventory, loss);
        let report = report(&inventory, &policy, &question);
        prop_assert_ne!(report.verdict, Verdict::Ready);
        prop_assert_ne!(report.in_policy, Some(true));
        if !question.allow_incomplete {
            prop_assert!(!report.gate.passed);
        }
        prop_assert!(report.path.iter().all(|hop| hop.verdict != Verdict::Ready));
    }

    #[test]
    fn the_order_of_what_was_read_changes_nothing(
        one in inventory(),
        question in a_question(),
        policy in a_policy(),
        turn in 0usize..6,
    ) {
        let mut other = one.clone();
        other.nodes.reverse();
        other.instances.reverse();
        other.stray_proxies.reverse();
        other.gaps.reverse();
        let by = turn.min(other.nodes.len());
        other.nodes.rotate_left(by);
        other.nodes.iter_mut().for_each(|node| node.proxies.reverse());
        let reports = (report(&one, &policy, &question), report(&other, &policy, &question));
        prop_assert_eq!(reports.0, reports.1);
    }

    #[test]
    fn every_node_has_a_row_and_every_row_a_cell_for_each_column(
        inventory in inventory(),
        question in a_question(),
        policy in a_policy(),
    ) {
        let report = report(&inventory, &policy, &question);
        prop_assert_eq!(report.nodes.len(), inventory.nodes.len());
        for row in &report.nodes {
            prop_assert_eq!(row.hops.len(), report.columns.len());
        }
        if question.target.is_some() {
            prop_assert_eq!(report.path.len(), report.columns.len());
        }
        if let Some(last) = report.path.last() {
            prop_assert_eq!(last.verdict, report.verdict);
        }
    }

    #[test]
    fn a_stricter_policy_never_accepts_what_upstream_refuses(
        inventory in inventory(),
        question in a_question(),
        policy in a_policy(),
    ) {
        let stricter = evaluate(&inventory, &policy, &question);
        let upstream = evaluate(&inventory, &Policy::upstream(), &question);
        for finding in &upstream.findings {
            if finding.severity > kubectl_skew::policy::verdict::Severity::Info {
                prop_assert!(stricter.findings.iter().any(|f| f.key() == finding.key()), "{}", finding.key());
            }
        }
    }
}
