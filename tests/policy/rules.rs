//! One mutation: a clean cluster is clean; change one thing, and exactly these findings come.

use std::collections::BTreeSet;

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::read_gap::Resource;
use kubectl_skew::inventory::{Inventory, KubeProxy, Node, SetAside, Unread, VirtualNode, WhySetAside};
use kubectl_skew::policy::assessment::Assessment;
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::finding::Finding;
use kubectl_skew::policy::question::Question;
use kubectl_skew::policy::rules::{self, ALL};
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::policy::verdict::{Severity, Verdict};
use kubectl_skew::render::sentences;

use crate::fixtures::{
    answer, instance, kube_proxy, m, node, question, refused, unread_proxy, version, with_proxy,
};

/// Three control-plane nodes at 1.36.4 with everything that runs on them, and three workers of one pool.
fn clean() -> Inventory {
    let controllers = ["cp-1", "cp-2", "cp-3"];
    let mut instances = Vec::new();
    for component in [
        Component::KubeApiserver,
        Component::KubeControllerManager,
        Component::KubeScheduler,
        Component::CloudControllerManager,
    ] {
        instances.extend(controllers.map(|node| instance(component, node, "v1.36.4")));
    }
    let nodes = ["cp-1", "cp-2", "cp-3", "web-1", "web-2", "web-3"].map(|name| {
        let mut node = with_proxy(node(name, "v1.36.4"), "v1.36.4");
        node.pool = name.starts_with("web").then(|| "web".to_owned());
        node.runtime = Some("containerd://2.1.4".to_owned());
        node
    });
    Inventory {
        server_version: Some("v1.36.4".to_owned()),
        instances,
        nodes: nodes.to_vec(),
        kubectl: Some(version("v1.36.1")),
        ..Inventory::default()
    }
}

fn worker(inventory: &mut Inventory, name: &str) -> usize {
    inventory
        .nodes
        .iter()
        .position(|node| node.name == name)
        .expect("a node of that name")
}

fn kubelet(inventory: &mut Inventory, name: &str, text: &str) {
    let at = worker(inventory, name);
    inventory.nodes[at].kubelet = node(name, text).kubelet;
}

fn proxy(inventory: &mut Inventory, name: &str, text: &str) {
    let at = worker(inventory, name);
    inventory.nodes[at].proxies = vec![kube_proxy(Some(name), text)];
}

fn of(inventory: &mut Inventory, component: Component, at: usize, text: &str) {
    let mut instances = inventory
        .instances
        .iter_mut()
        .filter(|i| i.component == component);
    instances.nth(at).expect("so many instances").version = Some(version(text));
}

/// One change, and what comes of it.
struct Case {
    why: &'static str,
    target: &'static str,
    change: fn(&mut Inventory),
    rollout: Option<&'static [&'static str]>,
    /// Severity, key, nodes, versions.
    findings: &'static [(
        Severity,
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    )],
    verdict: Verdict,
    in_policy: Option<bool>,
    exit: u8,
}

const READY: Case = Case {
    why: "nothing is changed",
    target: "",
    change: |_| {},
    rollout: None,
    findings: &[],
    verdict: Verdict::Ready,
    in_policy: Some(true),
    exit: 0,
};

use Severity::{Blocker, Info, Warning};

const CASES: &[Case] = &[
    READY,
    Case {
        target: "1.37",
        ..READY
    },
    Case {
        why: "a kubelet that the move would leave four behind",
        target: "1.37",
        change: |inventory| kubelet(inventory, "web-2", "v1.33.2"),
        findings: &[(
            Blocker,
            "version-skew/kubelet-post-upgrade",
            &["web-2"],
            &["v1.33.2"],
        )],
        verdict: Verdict::Blocked,
        exit: 2,
        ..READY
    },
    Case {
        why: "the same kubelet is within the policy today",
        change: |inventory| kubelet(inventory, "web-2", "v1.33.2"),
        ..READY
    },
    Case {
        why: "a kube-proxy that the move would leave four behind",
        target: "1.37",
        change: |inventory| proxy(inventory, "web-2", "v1.33.2"),
        findings: &[(
            Blocker,
            "version-skew/kube-proxy-post-upgrade",
            &["web-2"],
            &["v1.33.2"],
        )],
        verdict: Verdict::Blocked,
        exit: 2,
        ..READY
    },
    Case {
        why: "a kubelet too far behind today, and further after the move",
        target: "1.37",
        change: |inventory| kubelet(inventory, "web-2", "v1.32.9"),
        findings: &[
            (
                Blocker,
                "version-skew/kubelet-post-upgrade",
                &["web-2"],
                &["v1.32.9"],
            ),
            (
                Warning,
                "version-skew/kube-proxy-kubelet/web-2",
                &["web-2"],
                &["v1.32.9", "v1.36.4"],
            ),
            (Warning, "version-skew/kubelet-current", &["web-2"], &["v1.32.9"]),
        ],
        verdict: Verdict::Blocked,
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a kubelet newer than every kube-apiserver",
        change: |inventory| kubelet(inventory, "web-1", "v1.37.0"),
        findings: &[(
            Warning,
            "version-skew/kubelet-newer-than-apiserver",
            &["web-1"],
            &["v1.37.0"],
        )],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a newer kubelet is no reason against the move",
        target: "1.37",
        change: |inventory| kubelet(inventory, "web-1", "v1.37.0"),
        findings: &[(
            Warning,
            "version-skew/kubelet-newer-than-apiserver",
            &["web-1"],
            &["v1.37.0"],
        )],
        in_policy: Some(false),
        exit: 0,
        ..READY
    },
    Case {
        why: "a kube-proxy newer than every kube-apiserver",
        change: |inventory| proxy(inventory, "web-1", "v1.37.0"),
        findings: &[(Warning, "version-skew/kube-proxy-newer", &["web-1"], &["v1.37.0"])],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a kube-proxy too far behind today is too far from its kubelet as well",
        change: |inventory| proxy(inventory, "web-1", "v1.32.0"),
        findings: &[
            (
                Warning,
                "version-skew/kube-proxy-behind",
                &["web-1"],
                &["v1.32.0"],
            ),
            (
                Warning,
                "version-skew/kube-proxy-kubelet/web-1",
                &["web-1"],
                &["v1.32.0", "v1.36.4"],
            ),
        ],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a kube-proxy whose node is not listed is judged against the kube-apiservers and not paired",
        change: |inventory| {
            inventory
                .stray_proxies
                .push(kube_proxy(Some("gone-1"), "v1.32.0"));
        },
        findings: &[(
            Warning,
            "version-skew/kube-proxy-behind",
            &["gone-1"],
            &["v1.32.0"],
        )],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "two kube-proxies on one node are both judged",
        change: |inventory| {
            let at = worker(inventory, "web-1");
            inventory.nodes[at].proxies.push(KubeProxy {
                pod: "kube-proxy-old".to_owned(),
                ..kube_proxy(Some("web-1"), "v1.32.0")
            });
        },
        findings: &[
            (
                Warning,
                "version-skew/kube-proxy-behind",
                &["web-1"],
                &["v1.32.0"],
            ),
            (
                Warning,
                "version-skew/kube-proxy-kubelet/web-1",
                &["web-1"],
                &["v1.32.0", "v1.36.4"],
            ),
        ],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "kube-apiservers two minors apart, and all else held to both",
        change: |inventory| {
            for at in 0..3 {
                for manager in Component::MANAGERS {
                    of(inventory, manager, at, "v1.35.9");
                }
            }
            for name in ["cp-1", "cp-2", "cp-3", "web-1", "web-2", "web-3"] {
                kubelet(inventory, name, "v1.35.9");
                proxy(inventory, name, "v1.35.9");
            }
            inventory.kubectl = None;
            of(inventory, Component::KubeApiserver, 0, "v1.37.1");
            of(inventory, Component::KubeApiserver, 1, "v1.35.9");
        },
        findings: &[
            (
                Warning,
                "version-skew/apiserver-ha-spread",
                &["cp-1", "cp-2", "cp-3"],
                &["v1.35.9", "v1.36.4", "v1.37.1"],
            ),
            (
                Warning,
                "version-skew/cloud-controller-manager-behind",
                &["cp-1", "cp-2", "cp-3"],
                &["v1.35.9"],
            ),
            (
                Warning,
                "version-skew/kube-controller-manager-behind",
                &["cp-1", "cp-2", "cp-3"],
                &["v1.35.9"],
            ),
            (
                Warning,
                "version-skew/kube-scheduler-behind",
                &["cp-1", "cp-2", "cp-3"],
                &["v1.35.9"],
            ),
        ],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "binaries two apart that emulate the same minor",
        change: |inventory| {
            of(inventory, Component::KubeApiserver, 0, "v1.38.0");
            inventory.instances[0].emulated = Some(m(36));
        },
        findings: &[(
            Warning,
            "version-skew/apiserver-ha-spread",
            &["cp-1", "cp-2", "cp-3"],
            &["v1.36.4", "v1.38.0"],
        )],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a scheduler newer than every kube-apiserver",
        target: "1.37",
        change: |inventory| of(inventory, Component::KubeScheduler, 0, "v1.37.0"),
        findings: &[(
            Blocker,
            "version-skew/kube-scheduler-newer",
            &["cp-1"],
            &["v1.37.0"],
        )],
        verdict: Verdict::Blocked,
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "an upgrade under way: the managers of cp-1 are as new as its own kube-apiserver",
        target: "1.37",
        change: |inventory| {
            of(inventory, Component::KubeApiserver, 0, "v1.37.0");
            for manager in Component::MANAGERS {
                of(inventory, manager, 0, "v1.37.0");
            }
        },
        findings: &[
            (
                Warning,
                "version-skew/cloud-controller-manager-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
            (
                Warning,
                "version-skew/kube-controller-manager-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
            (
                Warning,
                "version-skew/kube-scheduler-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
        ],
        in_policy: Some(false),
        exit: 0,
        ..READY
    },
    Case {
        why: "one of two newer controller-managers has no kube-apiserver as new beside it",
        target: "1.37",
        change: |inventory| {
            of(inventory, Component::KubeApiserver, 0, "v1.37.0");
            of(inventory, Component::KubeControllerManager, 0, "v1.37.0");
            of(inventory, Component::KubeControllerManager, 1, "v1.37.0");
        },
        findings: &[(
            Blocker,
            "version-skew/kube-controller-manager-newer",
            &["cp-1", "cp-2"],
            &["v1.37.0"],
        )],
        verdict: Verdict::Blocked,
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "the managers of a hosted control plane meet any kube-apiserver",
        target: "1.37",
        change: |inventory| {
            inventory.hosted = Some("clusters-a".to_owned());
            of(inventory, Component::KubeApiserver, 0, "v1.37.0");
            of(inventory, Component::CloudControllerManager, 0, "v1.37.0");
        },
        findings: &[(
            Blocker,
            "version-skew/cloud-controller-manager-newer",
            &["cp-1"],
            &["v1.37.0"],
        )],
        verdict: Verdict::Blocked,
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a manager of its own numbering is not judged",
        change: |inventory| {
            let odd = inventory.instances.last_mut().expect("an instance");
            odd.version = None;
            odd.judged = false;
        },
        ..READY
    },
    Case {
        why: "a controller-manager two behind",
        change: |inventory| of(inventory, Component::KubeControllerManager, 2, "v1.34.8"),
        findings: &[(
            Warning,
            "version-skew/kube-controller-manager-behind",
            &["cp-3"],
            &["v1.34.8"],
        )],
        in_policy: Some(false),
        exit: 2,
        ..READY
    },
    Case {
        why: "a scheduler one behind, which the next hop would leave two behind",
        target: "1.38",
        change: |inventory| of(inventory, Component::KubeScheduler, 1, "v1.35.2"),
        findings: &[
            (
                Warning,
                "version-skew/kube-scheduler-post-upgrade",
                &["cp-2"],
                &["v1.35.2"],
            ),
            (Info, "version-skew/upgrade-path", &[], &["1.37", "1.38"]),
        ],
        ..READY
    },
    Case {
        why: "a scheduler one behind is within the policy today",
        change: |inventory| of(inventory, Component::KubeScheduler, 1, "v1.35.2"),
        ..READY
    },
    Case {
        why: "a controller-manager two behind is out today and at the next hop",
        target: "1.37",
        change: |inventory| of(inventory, Component::KubeControllerManager, 2, "v1.34.8"),
        findings: &[
            (
                Warning,
                "version-skew/kube-controller-manager-behind",
                &["cp-3"],
                &["v1.34.8"],
            ),
            (
                Warning,
                "version-skew/kube-controller-manager-post-upgrade",
                &["cp-3"],
                &["v1.34.8"],
            ),
        ],
        in_policy: Some(false),
        ..READY
    },
    Case {
        why: "a cloud-controller-manager one behind, which the next hop would leave two behind",
        target: "1.37",
        change: |inventory| of(inventory, Component::CloudControllerManager, 0, "v1.35.0"),
        findings: &[(
            Warning,
            "version-skew/cloud-controller-manager-post-upgrade",
            &["cp-1"],
            &["v1.35.0"],
        )],
        ..READY
    },
    Case {
        why: "a manager at the oldest kube-apiserver's minor follows while the running upgrade is completed",
        target: "1.38",
        change: |inventory| {
            of(inventory, Component::KubeApiserver, 0, "v1.37.0");
            for component in Component::MANAGERS {
                of(inventory, component, 0, "v1.37.0");
            }
        },
        findings: &[
            (
                Warning,
                "version-skew/cloud-controller-manager-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
            (
                Warning,
                "version-skew/kube-controller-manager-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
            (
                Warning,
                "version-skew/kube-scheduler-newer",
                &["cp-1"],
                &["v1.37.0"],
            ),
            (Info, "version-skew/upgrade-path", &[], &["1.37", "1.38"]),
        ],
        in_policy: Some(false),
        ..READY
    },
    Case {
        why: "a target that only completes the running upgrade leaves no manager behind",
        target: "1.37",
        change: |inventory| {
            of(inventory, Component::KubeApiserver, 0, "v1.37.0");
            of(inventory, Component::KubeScheduler, 2, "v1.36.0");
        },
        ..READY
    },
    Case {
        why: "a kubectl two minors behind",
        change: |inventory| inventory.kubectl = Some(version("v1.34.0")),
        findings: &[(Info, "version-skew/kubectl-client", &[], &["v1.34.0"])],
        ..READY
    },
    Case {
        why: "a kubectl two minors newer, which fails no gate",
        target: "1.37",
        change: |inventory| inventory.kubectl = Some(version("v1.38.0")),
        findings: &[(Info, "version-skew/kubectl-client", &[], &["v1.38.0"])],
        ..READY
    },
    Case {
        why: "a kubelet that tells no version",
        target: "1.37",
        change: |inventory| kubelet(inventory, "web-3", "v0.0.0-master+a34f1e483104b"),
        findings: &[(
            Info,
            "version-skew/kubelet-unparseable",
            &["web-3"],
            &["v0.0.0-master+a34f1e483104b"],
        )],
        verdict: Verdict::Unknown,
        in_policy: None,
        exit: 2,
        ..READY
    },
    Case {
        why: "a virtual node and its kube-proxy are not judged",
        target: "1.37",
        change: |inventory| {
            let mut aci = with_proxy(node("virtual-aci", "v1.19.10-vk-azure-aci-1.4.16"), "v1.19.10");
            aci.virtual_node = Some(VirtualNode::VirtualKubelet);
            inventory.nodes.push(aci);
        },
        findings: &[(Info, "version-skew/virtual-nodes", &["virtual-aci"], &[])],
        ..READY
    },
    Case {
        why: "an excluded node and its kube-proxy are not judged",
        target: "1.37",
        change: |inventory| {
            let mut old = with_proxy(node("old", "v1.20.0"), "v1.20.0");
            old.excluded = true;
            inventory.nodes.push(old);
        },
        ..READY
    },
    Case {
        why: "most of the pool has a kube-proxy",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies.clear();
        },
        findings: &[(Info, "version-skew/kube-proxy-missing", &["web-2"], &[])],
        ..READY
    },
    Case {
        why: "two of three lack it: that is not most",
        change: |inventory| {
            for name in ["web-2", "web-3"] {
                let at = worker(inventory, name);
                inventory.nodes[at].proxies.clear();
            }
        },
        ..READY
    },
    Case {
        why: "a failed kube-proxy is there",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies.clear();
            inventory.set_aside.push(SetAside {
                component: Component::KubeProxy,
                pod: "kube-system/kube-proxy-x".to_owned(),
                node: Some("web-2".to_owned()),
                why: WhySetAside::Ended,
            });
        },
        ..READY
    },
    Case {
        why: "Fargate and Windows nodes run none",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies.clear();
            inventory.nodes[at].fargate = true;
            let mut windows = node("win-1", "v1.36.4");
            windows.os = Some("windows".to_owned());
            windows.pool = Some("web".to_owned());
            inventory.nodes.push(windows);
        },
        ..READY
    },
    Case {
        why: "where pods were not read, none is missing",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies.clear();
            inventory.gaps.push(refused(Resource::Pods));
        },
        verdict: Verdict::Unknown,
        in_policy: None,
        exit: 2,
        ..READY
    },
    Case {
        why: "an unread kube-proxy of the platform's leaves the verdict",
        target: "1.37",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies = vec![unread_proxy("web-2", Unread::Optional)];
        },
        ..READY
    },
    Case {
        why: "an unread kube-proxy that should have told does not",
        target: "1.37",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].proxies = vec![unread_proxy("web-2", Unread::Required)];
        },
        verdict: Verdict::Unknown,
        in_policy: None,
        exit: 2,
        ..READY
    },
    Case {
        why: "the target is two minors away",
        target: "1.38",
        findings: &[(Info, "version-skew/upgrade-path", &[], &["1.37", "1.38"])],
        ..READY
    },
    Case {
        why: "containerd 1.x ends on the way",
        target: "1.38",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].runtime = Some("containerd://1.7.28".to_owned());
        },
        findings: &[
            (
                Info,
                "node-runtime/containerd",
                &["web-2"],
                &["containerd://1.7.28"],
            ),
            (Info, "version-skew/upgrade-path", &[], &["1.37", "1.38"]),
        ],
        ..READY
    },
    Case {
        why: "containerd 1.x is borne at 1.37",
        target: "1.37",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].runtime = Some("containerd://1.7.28".to_owned());
        },
        ..READY
    },
    Case {
        why: "CRI-O before 1.28 ends with it",
        target: "1.38",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].runtime = Some("cri-o://1.27.3-1.rhaos4.14".to_owned());
        },
        findings: &[
            (
                Info,
                "node-runtime/cri-o",
                &["web-2"],
                &["cri-o://1.27.3-1.rhaos4.14"],
            ),
            (Info, "version-skew/upgrade-path", &[], &["1.37", "1.38"]),
        ],
        ..READY
    },
    Case {
        why: "a kubelet past dockershim has an adapter for Docker already",
        target: "1.37",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].runtime = Some("docker://27.0.3".to_owned());
        },
        ..READY
    },
    Case {
        why: "the rollout leaves a worker behind, and 1.40 will be refused for it",
        target: "1.37",
        rollout: Some(&["cp-1", "cp-2", "cp-3", "web-1", "web-3"]),
        findings: &[(Warning, "rollout/left-behind", &["web-2"], &["v1.36.4"])],
        ..READY
    },
    Case {
        why: "a patch move strands nobody",
        target: "1.36.5",
        rollout: Some(&["web-1"]),
        ..READY
    },
    Case {
        why: "a name that no node has",
        target: "1.37",
        rollout: Some(&["cp-1", "cp-2", "cp-3", "web-1", "web-2", "web-3", "wbe-1"]),
        findings: &[(Warning, "rollout/unknown-node", &["wbe-1"], &[])],
        ..READY
    },
    Case {
        why: "a hostname is a name too",
        target: "1.37",
        change: |inventory| {
            let at = worker(inventory, "web-2");
            inventory.nodes[at].aliases = vec!["ip-10-0-0-2".to_owned()];
        },
        rollout: Some(&["cp-1", "cp-2", "cp-3", "web-1", "ip-10-0-0-2", "web-3"]),
        ..READY
    },
    Case {
        why: "no server version: the target can still be judged, today cannot",
        target: "1.37",
        change: |inventory| {
            inventory.instances.clear();
            kubelet(inventory, "web-2", "v1.33.2");
        },
        findings: &[(
            Blocker,
            "version-skew/kubelet-post-upgrade",
            &["web-2"],
            &["v1.33.2"],
        )],
        verdict: Verdict::Blocked,
        in_policy: None,
        exit: 2,
        ..READY
    },
    Case {
        why: "no node",
        change: |inventory| inventory.nodes.clear(),
        verdict: Verdict::Unknown,
        in_policy: None,
        exit: 2,
        ..READY
    },
];

fn judge(case: &Case) -> Assessment {
    let mut inventory = clean();
    (case.change)(&mut inventory);
    let question = Question {
        rollout: case
            .rollout
            .map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        ..question(case.target)
    };
    evaluate(&inventory, &Policy::upstream(), &question)
}

#[test]
fn each_change_gives_exactly_its_findings() {
    for case in CASES {
        let assessment = judge(case);
        let found: Vec<_> = assessment
            .findings
            .iter()
            .map(|f| {
                let (nodes, versions) = (f.evidence.nodes(), f.evidence.versions());
                (f.severity, f.key().into_owned(), nodes, versions)
            })
            .collect();
        let owned = |list: &[&str]| -> Vec<String> { list.iter().map(|text| (*text).to_owned()).collect() };
        let expected: Vec<_> = case
            .findings
            .iter()
            .map(|(severity, key, nodes, versions)| {
                (*severity, (*key).to_owned(), owned(nodes), owned(versions))
            })
            .collect();
        let which = format!("{} (target {:?})", case.why, case.target);
        assert_eq!(found, expected, "{which}");
        assert_eq!(assessment.verdict, case.verdict, "{which}");
        assert_eq!(assessment.in_policy, case.in_policy, "{which}");
        assert_eq!(assessment.gate.exit_code, case.exit, "{which}");
        assert_eq!(assessment.gate.passed, case.exit == 0, "{which}");
    }
}

#[test]
fn every_rule_has_a_case_for_each_of_its_severities() {
    let mut seen = BTreeSet::new();
    for case in CASES {
        for (severity, key, ..) in case.findings {
            let rule = rules::named(key).unwrap_or_else(|| panic!("{key} is no rule's"));
            assert!(
                rule.severities.contains(severity),
                "{key} is never a {severity:?}"
            );
            seen.insert((rule.name, *severity));
        }
    }
    // The plan's own rule has its cases where plans are made.
    for rule in ALL.iter().filter(|rule| **rule != &rules::no_legal_plan::RULE) {
        for severity in rule.severities {
            assert!(
                seen.contains(&(rule.name, *severity)),
                "{} has no case as {severity:?}",
                rule.name
            );
        }
    }
}

#[test]
fn every_finding_says_what_to_do_and_cites_the_policy() {
    for case in CASES {
        for finding in judge(case).findings {
            let (key, evidence) = (finding.key(), &finding.evidence);
            let cites = finding
                .citations()
                .iter()
                .any(|cited| cited.starts_with("https://kubernetes.io/releases/version-skew-policy/"));
            assert!(
                cites && !sentences::remedy(finding.rule, evidence).is_empty(),
                "{key}"
            );
            let (title, detail) = (sentences::title(evidence), sentences::detail(evidence));
            assert!(!title.is_empty() && !detail.is_empty(), "{key}");
            assert!(
                !evidence.nodes().is_empty() || !evidence.versions().is_empty(),
                "{key}"
            );
        }
    }
}

#[test]
fn the_words_name_the_numbers() {
    let mut inventory = clean();
    kubelet(&mut inventory, "web-1", "v1.32.9");
    kubelet(&mut inventory, "web-2", "v1.33.2");
    kubelet(&mut inventory, "web-3", "v1.33.9");
    let findings = evaluate(&inventory, &Policy::upstream(), &question("1.37")).findings;
    let finding = &findings[0];
    assert_eq!(
        sentences::title(&finding.evidence),
        "3 of 6 kubelets would be too far behind kube-apiserver 1.37"
    );
    assert_eq!(
        sentences::detail(&finding.evidence),
        "kubelet 1.32 (web-1) would be 5 minor versions behind 1.37 (limit 3); kubelet 1.33 (web-2, web-3) would be 4 \
         minor versions behind 1.37 (limit 3)"
    );
    assert_eq!(
        finding.citations(),
        ["https://kubernetes.io/releases/version-skew-policy/#kubelet"]
    );
    assert_eq!(
        sentences::title(&findings[1].evidence),
        "kube-proxy 1.36 is 4 minor versions newer than kubelet 1.32 on web-1"
    );
}

#[test]
fn a_fargate_node_is_told_to_recreate_its_pods() {
    let mut inventory = clean();
    let at = worker(&mut inventory, "web-1");
    kubelet(&mut inventory, "web-1", "v1.33.2");
    inventory.nodes[at].fargate = true;
    let findings = evaluate(&inventory, &Policy::upstream(), &question("1.37")).findings;
    let remedy = sentences::remedy(findings[0].rule, &findings[0].evidence);
    assert!(remedy.contains("recreate the pods"), "{remedy}");
}

#[test]
fn both_keys_fire_for_one_that_is_newer_and_behind_at_once() {
    let mut inventory = clean();
    inventory.kubectl = None;
    inventory.instances = vec![answer("v1.30.0"), answer("v1.36.0")];
    inventory.nodes = vec![node("n", "v1.32.0")];
    let findings = evaluate(&inventory, &Policy::upstream(), &question("")).findings;
    let keys: Vec<_> = findings.iter().map(Finding::key).collect();
    assert_eq!(
        keys,
        [
            "version-skew/apiserver-ha-spread",
            "version-skew/kubelet-current",
            "version-skew/kubelet-newer-than-apiserver"
        ]
    );
}

#[test]
fn lagging_kubelets_are_told_whenever_the_target_is_a_hop() {
    let lagging = |target: &str, change: fn(&mut Inventory)| {
        let mut inventory = clean();
        kubelet(&mut inventory, "web-1", "v1.37.0");
        change(&mut inventory);
        let assessment = evaluate(&inventory, &Policy::upstream(), &question(target));
        let names = assessment.lagging_kubelets.into_iter();
        names
            .map(|lagging| format!("{} {}", lagging.node, lagging.version))
            .collect::<Vec<_>>()
    };
    let all = [
        "cp-1 v1.36.4",
        "cp-2 v1.36.4",
        "cp-3 v1.36.4",
        "web-2 v1.36.4",
        "web-3 v1.36.4",
    ];
    assert_eq!(lagging("1.37", |_| {}), all);
    assert_eq!(lagging("1.37", |inventory| inventory.instances.clear()), all);
    assert!(lagging("", |_| {}).is_empty());
    assert!(lagging("1.36.5", |_| {}).is_empty());
    assert!(lagging("1.36", |_| {}).is_empty());
    let excluded: fn(&mut Inventory) = |inventory| {
        let out = |node: &mut Node| node.excluded = node.name != "web-2";
        inventory.nodes.iter_mut().for_each(out);
    };
    assert_eq!(lagging("1.37", excluded), ["web-2 v1.36.4"]);
}

#[test]
fn left_behind_names_the_first_minor_that_will_be_refused() {
    let mut inventory = clean();
    kubelet(&mut inventory, "web-2", "v1.35.0");
    let question = Question {
        rollout: Some(["cp-1", "cp-2", "cp-3", "web-1"].map(str::to_owned).to_vec()),
        ..question("1.37")
    };
    let assessment = evaluate(&inventory, &Policy::upstream(), &question);
    let finding = &assessment.findings[0];
    assert_eq!(
        sentences::title(&finding.evidence),
        "2 of 6 kubelets below 1.37 are not in the rollout: 1.39 will be refused because of them"
    );
    assert_eq!(
        sentences::detail(&finding.evidence),
        "the upstream policy will refuse 1.39 because of web-2; 1.40 because of web-3"
    );
    let left: Vec<&str> = inventory
        .nodes
        .iter()
        .zip(&assessment.rows)
        .filter(|(_, row)| row.left_behind)
        .map(|(node, _)| node.name.as_str())
        .collect();
    assert_eq!(left, ["web-2", "web-3"]);
}
