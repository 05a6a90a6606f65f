//! Plans that an operator would write on paper.

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::gap::{Gap, GapReason};
use kubectl_skew::inventory::observed::Owner;
use kubectl_skew::inventory::read_gap::{ReadFault, ReadGap, Resource};
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{Inventory, KubeProxy, Kubelet, Node, ProxyUnit, Unread, VirtualNode};
use kubectl_skew::plan::steps::{Cause, Held, NoPlan, Plan, Planned, Reason, Remaining, StepKind, StepNote};
use kubectl_skew::plan::{PlanOptions, check, plan};
use kubectl_skew::policy::platforms::{self, PolicyChoice};
use kubectl_skew::policy::rules::{self, Rule};
use kubectl_skew::policy::skew_policy::Policy;

use super::world::{instance, kube_proxy, node, summary};

fn cluster(apiserver: u16, nodes: Vec<Node>) -> Inventory {
    Inventory {
        instances: vec![instance(Component::KubeApiserver, "kube-apiserver-a", apiserver)],
        nodes,
        ..Inventory::default()
    }
}

fn with_daemon_set(name: &str, kubelet: u16, proxy: u16) -> Node {
    Node {
        proxies: vec![kube_proxy(&format!("kube-proxy-{name}"), name, proxy, Some(0))],
        ..node(name, kubelet)
    }
}

fn planned(inventory: &Inventory, target: u16, options: &PlanOptions) -> Plan {
    planned_by(&Policy::upstream(), inventory, target, options)
}

fn planned_by(policy: &Policy, inventory: &Inventory, target: u16, options: &PlanOptions) -> Plan {
    let target = Minor::new(target);
    let made = plan(inventory, policy, target, options)
        .plan()
        .expect("enough was read");
    assert_eq!(check::check(inventory, policy, target, options, &made), Ok(()));
    made
}

fn upstream(inventory: &Inventory, target: u16) -> Plan {
    planned(inventory, target, &PlanOptions::default())
}

fn remaining(object: &str, rule: &'static Rule) -> Remaining {
    Remaining {
        object: object.to_owned(),
        rule,
    }
}

fn m(minor: u16) -> Minor {
    Minor::new(minor)
}

#[test]
fn the_yearly_catch_up_is_three_hops_and_no_roll_before_the_target() {
    let made = upstream(&cluster(34, vec![node("a", 34), node("b", 34)]), 37);
    assert_eq!(
        summary(&made),
        ["hop 1.34 → 1.35", "hop 1.35 → 1.36", "hop 1.36 → 1.37"]
    );
    assert_eq!((made.hops, made.node_rolls, made.kube_proxy_updates), (3, 0, 0));
    assert_eq!(made.optional, ["a", "b"]);
    assert_eq!(made.obstacle, None);
    assert_eq!(made.steps[0].reason, Reason::Target { target: m(37) });
}

#[test]
fn a_kubelet_one_older_is_rolled_once_before_the_last_hop() {
    let made = upstream(&cluster(34, vec![node("a", 33), node("b", 34)]), 37);
    assert_eq!(
        summary(&made),
        [
            "hop 1.34 → 1.35",
            "hop 1.35 → 1.36",
            "kubelets 1.33 → 1.36 [a]",
            "hop 1.36 → 1.37"
        ]
    );
    let roll = &made.steps[2];
    assert!(roll.drain);
    assert_eq!(
        roll.reason,
        Reason::BeforeHop {
            rule: &rules::kubelet_post_upgrade::RULE,
            hop: m(37),
            component: Component::Kubelet,
            minor: m(33),
            limit: 3,
        }
    );
}

#[test]
fn a_kubelet_below_1_25_bears_only_two() {
    let made = upstream(&cluster(26, vec![node("a", 24), node("b", 25)]), 28);
    assert_eq!(
        summary(&made),
        ["kubelets 1.24 → 1.26 [a]", "hop 1.26 → 1.27", "hop 1.27 → 1.28"]
    );
}

#[test]
fn an_upgrade_under_way_is_finished_before_the_next_begins() {
    let mut inventory = cluster(36, vec![node("old", 33), node("new", 37)]);
    let newer = instance(Component::KubeApiserver, "kube-apiserver-b", 37);
    inventory.instances.push(newer);
    let manager = |minor| instance(Component::KubeControllerManager, &format!("kcm-{minor}"), minor);
    inventory.instances.extend([manager(36), manager(37)]);
    // 1.33 is four behind the newest apiserver; 1.37 is newer than the oldest, which the hop cures.
    let made = upstream(&inventory, 38);
    assert_eq!(
        summary(&made),
        ["hop 1.36 → 1.37", "kubelets 1.33 → 1.37 [old]", "hop 1.37 → 1.38"]
    );
    let mend = Reason::MendToday {
        rule: &rules::kubelet_current::RULE,
    };
    assert_eq!(made.steps[0].reason, Reason::FinishHop);
    assert_eq!(made.steps[1].reason, mend);
    assert_eq!(made.hops, 2);
    assert_eq!(made.remaining, []);
    let finished = upstream(&inventory, 37);
    assert_eq!(
        summary(&finished),
        ["hop 1.36 → 1.37", "kubelets 1.33 → 1.37 [old]"]
    );
    assert_eq!(finished.optional, Vec::<String>::new());
}

#[test]
fn each_kube_proxy_workload_is_a_step_of_its_own() {
    let on = |name: &str, proxy, unit| Node {
        proxies: vec![kube_proxy(&format!("p-{name}"), name, proxy, Some(unit))],
        ..node(name, 33)
    };
    let nodes = vec![
        on("m-1", 30, 0),
        on("m-2", 30, 0),
        on("w-1", 31, 1),
        on("w-2", 31, 1),
    ];
    let made = upstream(&cluster(33, nodes.clone()), 34);
    assert_eq!(
        summary(&made),
        ["kubeProxy kube-proxy 1.30 → 1.33 [m-1 m-2]", "hop 1.33 → 1.34"]
    );
    let update = &made.steps[0];
    assert_eq!(update.kube_proxy_of, ["m-1", "m-2"]);
    assert!(!update.drain);
    assert_eq!(update.workload.as_deref(), Some("DaemonSet kube-proxy-0"));
    assert_eq!(
        update.reason,
        Reason::BeforeHop {
            rule: &rules::kube_proxy_post_upgrade::RULE,
            hop: m(34),
            component: Component::KubeProxy,
            minor: m(30),
            limit: 3,
        }
    );
    let further = upstream(&cluster(33, nodes), 35);
    assert_eq!(
        summary(&further),
        [
            "kubeProxy kube-proxy 1.30 → 1.33 [m-1 m-2]",
            "kubeProxy kube-proxy 1.31 → 1.33 [w-1 w-2]",
            "hop 1.33 → 1.34",
            "hop 1.34 → 1.35"
        ]
    );
    assert_eq!(
        (further.hops, further.node_rolls, further.kube_proxy_updates),
        (2, 0, 2)
    );
}

#[test]
fn a_static_kube_proxy_moves_with_its_node() {
    let on = |name: &str, minor| Node {
        proxies: vec![kube_proxy(&format!("kube-proxy-{name}"), name, minor, None)],
        ..node(name, minor)
    };
    let made = upstream(&cluster(34, vec![on("a", 31), node("b", 31), on("c", 32)]), 35);
    assert_eq!(summary(&made), ["kubelets 1.31 → 1.34 [a b]", "hop 1.34 → 1.35"]);
    assert_eq!(made.steps[0].kube_proxy_of, ["a"]);
}

#[test]
fn only_the_kube_proxy_is_updated_where_only_it_is_too_old() {
    let made = upstream(
        &cluster(
            34,
            vec![with_daemon_set("a", 33, 31), with_daemon_set("b", 34, 31)],
        ),
        35,
    );
    assert_eq!(
        summary(&made),
        ["kubeProxy kube-proxy 1.31 → 1.34 [a b]", "hop 1.34 → 1.35"]
    );
    assert_eq!(made.node_rolls, 0);
}

#[test]
fn kubelet_and_kube_proxy_that_are_both_too_old_do_not_pass_each_other_too_far() {
    // The kubelet cannot go to 1.36 beside a kube-proxy at 1.30, nor the other way round.
    let made = upstream(&cluster(36, vec![with_daemon_set("a", 30, 30)]), 36);
    assert_eq!(
        summary(&made),
        ["kubeProxy kube-proxy 1.30 → 1.33 [a]", "kubelets 1.30 → 1.36 [a]"]
    );
}

#[test]
fn a_node_that_steps_one_minor_a_roll_steps_in_as_few_windows_as_may_be() {
    let options = PlanOptions {
        node_step_one: Some(true),
        ..PlanOptions::default()
    };
    let inventory = cluster(34, vec![node("a", 31), node("b", 32)]);
    assert_eq!(
        summary(&planned(&inventory, 36, &options)),
        [
            "kubelets 1.31 → 1.32 [a]",
            "kubelets 1.32 → 1.33 [a b]",
            "hop 1.34 → 1.35",
            "hop 1.35 → 1.36"
        ]
    );
    let far = cluster(34, vec![node("a", 29), node("b", 30)]);
    assert_eq!(
        summary(&planned(&far, 34, &options)),
        ["kubelets 1.29 → 1.30 [a]", "kubelets 1.30 → 1.31 [a b]"]
    );
}

#[test]
fn k0s_takes_the_worker_that_was_left_out_along_first() {
    let inventory = cluster(36, vec![node("worker-1", 36), node("worker-2", 35)]);
    let k0s = platforms::choose(&PolicyChoice::Named("k0s"), &inventory);
    let made = planned_by(&k0s, &inventory, 37, &PlanOptions::default());
    assert_eq!(
        summary(&made),
        ["kubelets 1.35 → 1.36 [worker-2]", "hop 1.36 → 1.37"]
    );
    assert_eq!(summary(&upstream(&inventory, 37)), ["hop 1.36 → 1.37"]);
}

#[test]
fn openshift_may_lag_two_only_behind_even_releases() {
    // 4.20 is Kubernetes 1.33: two minors behind 4.20 are borne, behind 4.21 only one is.
    let inventory = cluster(32, vec![node("a", 32)]);
    let openshift = platforms::choose(&PolicyChoice::Named("openshift"), &inventory);
    let made = planned_by(&openshift, &inventory, 34, &PlanOptions::default());
    assert_eq!(
        summary(&made),
        ["hop 1.32 → 1.33", "kubelets 1.32 → 1.33 [a]", "hop 1.33 → 1.34"]
    );
}

#[test]
fn a_lagging_manager_is_raised_before_the_next_hop_and_a_newer_one_is_left_to_it() {
    let mut inventory = cluster(36, vec![node("a", 36)]);
    inventory.instances.extend([
        instance(Component::KubeControllerManager, "kcm-a", 35),
        instance(Component::KubeControllerManager, "kcm-b", 36),
        instance(Component::KubeScheduler, "sched-a", 37),
    ]);
    let made = upstream(&inventory, 37);
    assert_eq!(
        summary(&made),
        [
            "controlPlane kube-controller-manager 1.35 → 1.36",
            "hop 1.36 → 1.37"
        ]
    );
    let before = Reason::BeforeHop {
        rule: rules::manager_behind::of(Component::KubeControllerManager),
        hop: m(37),
        component: Component::KubeControllerManager,
        minor: m(35),
        limit: 1,
    };
    assert_eq!(made.steps[0].reason, before);
    assert_eq!(made.obstacle, None);
    let old = instance(Component::CloudControllerManager, "ccm", 34);
    inventory.instances.push(old);
    assert_eq!(
        summary(&upstream(&inventory, 37)),
        [
            "controlPlane kube-controller-manager 1.35 → 1.36",
            "controlPlane cloud-controller-manager 1.34 → 1.36",
            "hop 1.36 → 1.37"
        ]
    );
}

#[test]
fn a_manager_newer_than_the_target_remains() {
    let mut inventory = cluster(36, vec![node("a", 36)]);
    inventory
        .instances
        .push(instance(Component::KubeScheduler, "sched-a", 38));
    let made = upstream(&inventory, 37);
    assert_eq!(summary(&made), ["hop 1.36 → 1.37"]);
    let newer = remaining("sched-a", rules::manager_newer::of(Component::KubeScheduler));
    assert_eq!(made.remaining, [newer]);
    assert_eq!(made.obstacle, None);
    assert_eq!(upstream(&inventory, 38).remaining, []);
}

#[test]
fn raising_emulation_is_no_hop() {
    let mut inventory = cluster(36, vec![node("a", 32)]);
    inventory.instances[0].emulated = Some(m(34));
    let made = upstream(&inventory, 37);
    assert_eq!(
        summary(&made),
        [
            "emulation 1.34 → 1.35",
            "kubelets 1.32 → 1.35 [a]",
            "emulation 1.35 → 1.36",
            "hop 1.36 → 1.37"
        ]
    );
    assert_eq!(made.hops, 1);
}

#[test]
fn what_could_not_be_read_is_not_planned_for() {
    let unread = Node {
        kubelet: Kubelet {
            raw: Some("unknown".to_owned()),
            version: None,
        },
        ..with_daemon_set("unread", 30, 31)
    };
    let inventory = cluster(34, vec![unread, with_daemon_set("whole", 33, 31)]);
    let made = upstream(&inventory, 35);
    assert_eq!(made.unplanned, ["unread"]);
    // Its kube-proxy belongs to the workload all the same.
    assert_eq!(
        summary(&made),
        [
            "kubeProxy kube-proxy 1.31 → 1.34 [unread whole]",
            "hop 1.34 → 1.35"
        ]
    );
    assert_eq!(made.obstacle, None);
}

fn with_unread_proxy(name: &str, kubelet: u16, unread: Unread) -> Node {
    let mut node = with_daemon_set(name, kubelet, 34);
    node.proxies[0].version = None;
    node.proxies[0].unread = Some(unread);
    node
}

#[test]
fn a_node_that_is_not_planned_for_and_would_be_stranded_is_the_obstacle() {
    let inventory = cluster(
        34,
        vec![with_unread_proxy("b", 32, Unread::Required), node("a", 32)],
    );
    let made = upstream(&inventory, 37);
    assert_eq!(made.unplanned, ["b"]);
    assert_eq!(summary(&made), ["hop 1.34 → 1.35"]);
    let obstacle = made.obstacle.expect("the second hop strands it");
    assert_eq!(obstacle.hop, Some(m(36)));
    assert_eq!(obstacle.object.as_deref(), Some("b"));
    assert_eq!(obstacle.rule, Some(&rules::kubelet_post_upgrade::RULE));
    let too_old = Cause::TooOld {
        component: Component::Kubelet,
        minor: m(32),
        newest: m(36),
        held: Held::Unread,
    };
    assert_eq!(obstacle.cause, too_old);
}

#[test]
fn a_kube_proxy_of_the_platform_does_not_keep_its_node_out() {
    let inventory = cluster(34, vec![with_unread_proxy("b", 31, Unread::Optional)]);
    let made = upstream(&inventory, 35);
    assert_eq!(made.unplanned, Vec::<String>::new());
    assert_eq!(summary(&made), ["kubelets 1.31 → 1.34 [b]", "hop 1.34 → 1.35"]);
}

#[test]
fn virtual_and_excluded_nodes_are_left_alone() {
    let aci = Node {
        virtual_node: Some(VirtualNode::VirtualKubelet),
        ..node("aci", 19)
    };
    let out = Node {
        excluded: true,
        ..with_daemon_set("out", 25, 25)
    };
    let made = upstream(&cluster(34, vec![aci, out]), 35);
    assert_eq!(summary(&made), ["hop 1.34 → 1.35"]);
    assert_eq!((made.optional, made.remaining), (vec![], vec![]));
}

#[test]
fn notes_say_what_the_nodes_of_a_step_are() {
    let fargate = Node {
        fargate: true,
        ..node("fargate-a", 31)
    };
    let only = upstream(&cluster(34, vec![fargate.clone()]), 35);
    assert!(!only.steps[0].drain);
    let note = StepNote::Fargate(vec!["fargate-a".to_owned()]);
    assert_eq!(only.steps[0].notes, std::slice::from_ref(&note));
    let cordoned = Node {
        cordoned: true,
        ready: Some(false),
        ..node("gpu-7", 31)
    };
    let mixed = upstream(&cluster(34, vec![fargate, cordoned]), 35);
    assert!(mixed.steps[0].drain);
    assert_eq!(
        mixed.steps[0].notes,
        [
            note,
            StepNote::Cordoned(vec!["gpu-7".to_owned()]),
            StepNote::NotReady(vec!["gpu-7".to_owned()])
        ]
    );
}

#[test]
fn a_roll_past_what_its_runtime_bears_says_so() {
    let on = |name: &str, runtime: &str| Node {
        runtime: Some(runtime.to_owned()),
        ..node(name, 35)
    };
    let inventory = cluster(
        38,
        vec![on("new", "containerd://2.1.4"), on("old", "containerd://1.7.28")],
    );
    let made = upstream(&inventory, 39);
    assert_eq!(
        summary(&made),
        ["kubelets 1.35 → 1.38 [new old]", "hop 1.38 → 1.39"]
    );
    let notes = &made.steps[0].notes;
    assert!(
        matches!(&notes[..], [StepNote::Runtime { kind: "containerd", nodes, .. }] if *nodes == ["old"]),
        "{notes:?}"
    );
}

#[test]
fn a_rollout_ends_at_the_target_and_leaves_the_others() {
    let mut named = node("ip-10-0-0-1", 35);
    named.aliases = vec!["worker-1".to_owned()];
    let inventory = cluster(36, vec![named, node("left", 33), node("other", 36)]);
    let options = PlanOptions {
        rollout: Some(vec!["worker-1".to_owned(), "nobody".to_owned()]),
        ..PlanOptions::default()
    };
    let made = planned(&inventory, 37, &options);
    assert_eq!(
        summary(&made),
        [
            "kubelets 1.33 → 1.36 [left]",
            "hop 1.36 → 1.37",
            "kubelets 1.35 → 1.37 [ip-10-0-0-1]"
        ]
    );
    assert_eq!(
        made.steps[0].notes,
        [StepNote::NotInRollout(vec!["left".to_owned()])]
    );
    assert_eq!(made.steps[2].reason, Reason::Rollout);
    assert_eq!(made.optional, ["left", "other"]);
    assert_eq!(made.node_rolls, 2);
}

#[test]
fn today_is_held_to_the_reported_min_compatibility() {
    let mut inventory = cluster(34, vec![node("a", 31), node("b", 32)]);
    assert_eq!(summary(&upstream(&inventory, 34)), Vec::<String>::new());
    inventory.min_compatibility = Some(m(34));
    let made = upstream(&inventory, 34);
    assert_eq!(summary(&made), ["kubelets 1.31 → 1.34 [a]"]);
    let mend = Reason::MendToday {
        rule: &rules::kubelet_current::RULE,
    };
    assert_eq!(made.steps[0].reason, mend);
}

#[test]
fn without_an_apiserver_version_there_is_no_plan() {
    let mut inventory = cluster(34, vec![node("a", 31)]);
    inventory.instances.clear();
    let made = plan(&inventory, &Policy::upstream(), m(35), &PlanOptions::default());
    assert_eq!(made, Planned::None(NoPlan::NoServerVersion));
}

#[test]
fn without_nodes_or_pods_there_is_no_plan() {
    for (resource, read, why) in [
        (Resource::Nodes, 0, NoPlan::NodesNotRead),
        (Resource::Nodes, 2, NoPlan::NodesNotRead),
        (Resource::Pods, 0, NoPlan::PodsNotRead),
    ] {
        let mut inventory = cluster(34, vec![node("a", 31)]);
        inventory.gaps = vec![Gap::new(
            true,
            GapReason::Read(ReadGap::Failed {
                resource,
                namespace: None,
                read,
                fault: ReadFault::Cut,
            }),
        )];
        let made = plan(&inventory, &Policy::upstream(), m(35), &PlanOptions::default());
        assert_eq!(made, Planned::None(why));
        inventory.gaps[0].required = false;
        upstream(&inventory, 35);
    }
}

#[test]
fn a_target_below_the_newest_apiserver_is_an_obstacle() {
    let made = upstream(&cluster(34, vec![node("a", 34)]), 33);
    assert!(made.steps.is_empty());
    assert!(made.obstacle.is_some());
}

#[test]
fn a_kube_proxy_without_a_listed_node_moves_with_its_workload_or_stands_in_the_way() {
    let mut inventory = cluster(34, vec![node("a", 34)]);
    let gone = kube_proxy("kube-proxy-gone", "gone", 31, Some(0));
    inventory.stray_proxies = vec![gone];
    assert_eq!(
        summary(&upstream(&inventory, 35)),
        ["kubeProxy kube-proxy 1.31 → 1.34 [gone]", "hop 1.34 → 1.35"]
    );
    inventory.stray_proxies[0].unit = ProxyUnit::Static;
    let made = upstream(&inventory, 35);
    assert!(made.steps.is_empty());
    let obstacle = made.obstacle.expect("nothing moves it");
    assert_eq!(obstacle.object.as_deref(), Some("kube-proxy-gone"));
    assert_eq!(obstacle.rule, Some(&rules::kube_proxy_post_upgrade::RULE));
}

#[test]
fn a_workload_is_not_rolled_back_under_its_newest_pod() {
    // Stuck half-way: 1.36 waits for the apiservers, 1.31 cannot wait for them.
    let nodes = vec![with_daemon_set("a", 34, 31), with_daemon_set("b", 34, 36)];
    let made = upstream(&cluster(34, nodes), 36);
    assert!(made.steps.is_empty());
    let obstacle = made.obstacle.expect("the hop strands the kube-proxy of a");
    assert_eq!(
        (obstacle.hop, obstacle.object.as_deref(), obstacle.rule),
        (
            Some(m(35)),
            Some("a"),
            Some(&rules::kube_proxy_post_upgrade::RULE)
        )
    );
}

#[test]
fn pods_whose_owner_a_trimmed_dump_leaves_out_belong_together_by_name() {
    let lone = |name: &str, pod: &str| Node {
        proxies: vec![KubeProxy {
            unit: ProxyUnit::Lone,
            ..kube_proxy(pod, name, 31, None)
        }],
        ..node(name, 34)
    };
    let nodes = vec![
        lone("a", "kube-proxy-x2x9q"),
        lone("b.internal", "kube-proxy-b.internal"),
    ];
    let made = upstream(&cluster(34, nodes), 35);
    assert_eq!(
        summary(&made),
        [
            "kubeProxy kube-proxy 1.31 → 1.34 [a b.internal]",
            "hop 1.34 → 1.35"
        ]
    );
    assert_eq!(
        made.steps[0].workload.as_deref(),
        Some("kube-proxy (owner unknown)")
    );
}

#[test]
fn a_node_newer_than_the_target_remains() {
    let made = upstream(&cluster(34, vec![node("ahead", 37), node("a", 34)]), 35);
    assert_eq!(summary(&made), ["hop 1.34 → 1.35"]);
    assert_eq!(made.remaining, [remaining("ahead", &rules::kubelet_newer::RULE)]);
    assert_eq!(made.obstacle, None);
}

#[test]
fn a_plan_that_lies_is_found_out() {
    let inventory = cluster(34, vec![node("a", 31), with_daemon_set("b", 34, 31)]);
    let options = PlanOptions::default();
    let made = upstream(&inventory, 35);
    assert_eq!(
        made.steps.iter().map(|step| step.kind).collect::<Vec<_>>(),
        [StepKind::Kubelets, StepKind::KubeProxy, StepKind::Hop]
    );
    let is_refused = |lie: &dyn Fn(&mut Plan)| {
        let mut lying = made.clone();
        lie(&mut lying);
        check::check(&inventory, &Policy::upstream(), m(35), &options, &lying).is_err()
    };
    assert!(!is_refused(&|_| {}));
    assert!(is_refused(&|plan| plan.node_rolls = 0));
    assert!(is_refused(&|plan| plan.hops = 2));
    assert!(is_refused(&|plan| plan.steps[0].to = m(35)));
    assert!(is_refused(&|plan| plan.steps[0].from = m(30)));
    assert!(is_refused(&|plan| plan.steps[0].nodes = vec!["b".to_owned()]));
    assert!(is_refused(
        &|plan| plan.steps[0].kube_proxy_of = vec!["a".to_owned()]
    ));
    assert!(is_refused(&|plan| plan.steps[1].kube_proxy_of.clear()));
    assert!(is_refused(&|plan| plan.steps[1].workload = None));
    assert!(is_refused(&|plan| plan.steps[2].kind = StepKind::Emulation));
    assert!(is_refused(&|plan| plan.steps[2].to = m(36)));
    assert!(is_refused(&|plan| plan.optional.clear()));
    assert!(is_refused(&|plan| plan.unplanned = vec!["a".to_owned()]));
}

#[test]
fn a_daemon_set_of_another_name_is_another_owner() {
    let owner = |name: &str| {
        ProxyUnit::Workload(Owner {
            kind: "DaemonSet".to_owned(),
            name: name.to_owned(),
        })
    };
    let mut linux = with_daemon_set("linux", 34, 31);
    linux.proxies[0].unit = owner("kube-proxy");
    let mut windows = with_daemon_set("windows", 34, 33);
    windows.proxies[0].unit = owner("kube-proxy-windows");
    let made = upstream(&cluster(34, vec![linux, windows]), 35);
    assert_eq!(
        summary(&made),
        ["kubeProxy kube-proxy 1.31 → 1.34 [linux]", "hop 1.34 → 1.35"]
    );
}
