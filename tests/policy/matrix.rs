//! The matrix: every component against every kube-apiserver minor from 1.16 to 1.40, a line each with the oldest
//! and the newest minor that the policy allows. The lines are typed from
//! <https://kubernetes.io/releases/version-skew-policy/>; nothing of them is computed by the code under test.

use kubectl_skew::inventory::Inventory;
use kubectl_skew::inventory::component::Component;
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::skew_policy::Policy;

use crate::fixtures::{answer, cluster, instance, kube_proxy, m, node, question, version};

/// Server minor, oldest allowed, newest allowed.
type Line = (u16, u16, u16);

/// Component minors that are tried against every line.
const TRIED: std::ops::RangeInclusive<u16> = 10..=44;

/// A kubelet: three older from kubelet 1.25 on, two before; never newer.
#[rustfmt::skip]
const KUBELET: [Line; 25] = [
    (16, 14, 16),
    (17, 15, 17),
    (18, 16, 18),
    (19, 17, 19),
    (20, 18, 20),
    (21, 19, 21),
    (22, 20, 22),
    (23, 21, 23),
    (24, 22, 24),
    (25, 23, 25),
    (26, 24, 26),
    (27, 25, 27),
    (28, 25, 28),
    (29, 26, 29),
    (30, 27, 30),
    (31, 28, 31),
    (32, 29, 32),
    (33, 30, 33),
    (34, 31, 34),
    (35, 32, 35),
    (36, 33, 36),
    (37, 34, 37),
    (38, 35, 38),
    (39, 36, 39),
    (40, 37, 40),
];

/// A kube-proxy: three older from kube-proxy 1.25 on, two before; never newer.
#[rustfmt::skip]
const KUBE_PROXY: [Line; 25] = [
    (16, 14, 16),
    (17, 15, 17),
    (18, 16, 18),
    (19, 17, 19),
    (20, 18, 20),
    (21, 19, 21),
    (22, 20, 22),
    (23, 21, 23),
    (24, 22, 24),
    (25, 23, 25),
    (26, 24, 26),
    (27, 25, 27),
    (28, 25, 28),
    (29, 26, 29),
    (30, 27, 30),
    (31, 28, 31),
    (32, 29, 32),
    (33, 30, 33),
    (34, 31, 34),
    (35, 32, 35),
    (36, 33, 36),
    (37, 34, 37),
    (38, 35, 38),
    (39, 36, 39),
    (40, 37, 40),
];

/// A kube-controller-manager: one older; never newer.
#[rustfmt::skip]
const KUBE_CONTROLLER_MANAGER: [Line; 25] = [
    (16, 15, 16),
    (17, 16, 17),
    (18, 17, 18),
    (19, 18, 19),
    (20, 19, 20),
    (21, 20, 21),
    (22, 21, 22),
    (23, 22, 23),
    (24, 23, 24),
    (25, 24, 25),
    (26, 25, 26),
    (27, 26, 27),
    (28, 27, 28),
    (29, 28, 29),
    (30, 29, 30),
    (31, 30, 31),
    (32, 31, 32),
    (33, 32, 33),
    (34, 33, 34),
    (35, 34, 35),
    (36, 35, 36),
    (37, 36, 37),
    (38, 37, 38),
    (39, 38, 39),
    (40, 39, 40),
];

/// A kube-scheduler: one older; never newer.
#[rustfmt::skip]
const KUBE_SCHEDULER: [Line; 25] = [
    (16, 15, 16),
    (17, 16, 17),
    (18, 17, 18),
    (19, 18, 19),
    (20, 19, 20),
    (21, 20, 21),
    (22, 21, 22),
    (23, 22, 23),
    (24, 23, 24),
    (25, 24, 25),
    (26, 25, 26),
    (27, 26, 27),
    (28, 27, 28),
    (29, 28, 29),
    (30, 29, 30),
    (31, 30, 31),
    (32, 31, 32),
    (33, 32, 33),
    (34, 33, 34),
    (35, 34, 35),
    (36, 35, 36),
    (37, 36, 37),
    (38, 37, 38),
    (39, 38, 39),
    (40, 39, 40),
];

/// A cloud-controller-manager: one older; never newer.
#[rustfmt::skip]
const CLOUD_CONTROLLER_MANAGER: [Line; 25] = [
    (16, 15, 16),
    (17, 16, 17),
    (18, 17, 18),
    (19, 18, 19),
    (20, 19, 20),
    (21, 20, 21),
    (22, 21, 22),
    (23, 22, 23),
    (24, 23, 24),
    (25, 24, 25),
    (26, 25, 26),
    (27, 26, 27),
    (28, 27, 28),
    (29, 28, 29),
    (30, 29, 30),
    (31, 30, 31),
    (32, 31, 32),
    (33, 32, 33),
    (34, 33, 34),
    (35, 34, 35),
    (36, 35, 36),
    (37, 36, 37),
    (38, 37, 38),
    (39, 38, 39),
    (40, 39, 40),
];

/// Another kube-apiserver: one apart.
#[rustfmt::skip]
const KUBE_APISERVER: [Line; 25] = [
    (16, 15, 17),
    (17, 16, 18),
    (18, 17, 19),
    (19, 18, 20),
    (20, 19, 21),
    (21, 20, 22),
    (22, 21, 23),
    (23, 22, 24),
    (24, 23, 25),
    (25, 24, 26),
    (26, 25, 27),
    (27, 26, 28),
    (28, 27, 29),
    (29, 28, 30),
    (30, 29, 31),
    (31, 30, 32),
    (32, 31, 33),
    (33, 32, 34),
    (34, 33, 35),
    (35, 34, 36),
    (36, 35, 37),
    (37, 36, 38),
    (38, 37, 39),
    (39, 38, 40),
    (40, 39, 41),
];

/// kubectl: one older, one newer.
#[rustfmt::skip]
const KUBECTL: [Line; 25] = [
    (16, 15, 17),
    (17, 16, 18),
    (18, 17, 19),
    (19, 18, 20),
    (20, 19, 21),
    (21, 20, 22),
    (22, 21, 23),
    (23, 22, 24),
    (24, 23, 25),
    (25, 24, 26),
    (26, 25, 27),
    (27, 26, 28),
    (28, 27, 29),
    (29, 28, 30),
    (30, 29, 31),
    (31, 30, 32),
    (32, 31, 33),
    (33, 32, 34),
    (34, 33, 35),
    (35, 34, 36),
    (36, 35, 37),
    (37, 36, 38),
    (38, 37, 39),
    (39, 38, 40),
    (40, 39, 41),
];

/// The kubelets that a kube-proxy of that minor may stand beside: three apart from kube-proxy 1.25 on, two before.
#[rustfmt::skip]
const KUBELET_BESIDE_KUBE_PROXY: [Line; 25] = [
    (16, 14, 18),
    (17, 15, 19),
    (18, 16, 20),
    (19, 17, 21),
    (20, 18, 22),
    (21, 19, 23),
    (22, 20, 24),
    (23, 21, 25),
    (24, 22, 26),
    (25, 22, 28),
    (26, 23, 29),
    (27, 24, 30),
    (28, 25, 31),
    (29, 26, 32),
    (30, 27, 33),
    (31, 28, 34),
    (32, 29, 35),
    (33, 30, 36),
    (34, 31, 37),
    (35, 32, 38),
    (36, 33, 39),
    (37, 34, 40),
    (38, 35, 41),
    (39, 36, 42),
    (40, 37, 43),
];

/// The findings about `own` of `component` against kube-apiservers at these minors, by key.
fn keys(component: Component, own: u16, servers: &[u16], policy: &Policy) -> Vec<String> {
    let servers: Vec<String> = servers.iter().map(|minor| format!("v1.{minor}.0")).collect();
    let text = format!("v1.{own}.0");
    let mut inventory = Inventory {
        // A node that tells nothing keeps the rest of the report out of the question.
        nodes: vec![node("quiet", "fake")],
        ..cluster(&servers[0], Vec::new())
    };
    inventory.instances = servers.iter().map(|server| answer(server)).collect();
    match component {
        Component::Kubelet => inventory.nodes = vec![node("n", &text)],
        Component::KubeProxy => inventory.stray_proxies = vec![kube_proxy(None, &text)],
        Component::Kubectl => inventory.kubectl = Some(version(&text)),
        other => inventory.instances.push(instance(other, "elsewhere", &text)),
    }
    let assessment = evaluate(&inventory, policy, &question(""));
    let findings = assessment.findings.into_iter();
    findings
        .map(|finding| finding.key().into_owned())
        .filter(|key| key != "version-skew/kubelet-unparseable")
        .collect()
}

/// Checks a line of each table against the findings: `behind` below the oldest, `newer` above the newest.
fn check(component: Component, table: &[Line], behind: &str, newer: &str) {
    let upstream = Policy::upstream();
    for &(server, oldest, newest) in table {
        for own in TRIED {
            let expected: Vec<&str> = if own < oldest {
                vec![behind]
            } else if own > newest {
                vec![newer]
            } else {
                vec![]
            };
            let found = keys(component, own, &[server], &upstream);
            assert_eq!(
                found, expected,
                "{component} 1.{own} against kube-apiserver 1.{server}"
            );
        }
    }
    // Two kube-apiservers a minor apart: the newer one's line holds at the bottom, the older one's at the top.
    for lines in table.windows(2) {
        let [(lo, _, newest), (hi, oldest, _)] = [lines[0], lines[1]];
        for own in TRIED {
            let mut expected = Vec::new();
            if own < oldest {
                expected.push(behind);
            }
            if own > newest {
                expected.push(newer);
            }
            expected.dedup();
            let mut found = keys(component, own, &[lo, hi], &upstream);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(
                found, expected,
                "{component} 1.{own} against kube-apiservers 1.{lo} and 1.{hi}"
            );
        }
    }
}

#[test]
fn kubelets() {
    check(
        Component::Kubelet,
        &KUBELET,
        "version-skew/kubelet-current",
        "version-skew/kubelet-newer-than-apiserver",
    );
}

#[test]
fn kube_proxies() {
    check(
        Component::KubeProxy,
        &KUBE_PROXY,
        "version-skew/kube-proxy-behind",
        "version-skew/kube-proxy-newer",
    );
}

#[test]
fn managers() {
    check(
        Component::KubeControllerManager,
        &KUBE_CONTROLLER_MANAGER,
        "version-skew/kube-controller-manager-behind",
        "version-skew/kube-controller-manager-newer",
    );
    check(
        Component::KubeScheduler,
        &KUBE_SCHEDULER,
        "version-skew/kube-scheduler-behind",
        "version-skew/kube-scheduler-newer",
    );
    check(
        Component::CloudControllerManager,
        &CLOUD_CONTROLLER_MANAGER,
        "version-skew/cloud-controller-manager-behind",
        "version-skew/cloud-controller-manager-newer",
    );
}

#[test]
fn kubectl() {
    check(
        Component::Kubectl,
        &KUBECTL,
        "version-skew/kubectl-client",
        "version-skew/kubectl-client",
    );
}

#[test]
fn kube_apiservers_beside_one_another() {
    for (server, oldest, newest) in KUBE_APISERVER {
        for other in TRIED {
            let found = keys(Component::KubeApiserver, other, &[server], &Policy::upstream());
            let apart = other < oldest || other > newest;
            let expected: &[&str] = if apart {
                &["version-skew/apiserver-ha-spread"]
            } else {
                &[]
            };
            assert_eq!(found, expected, "kube-apiservers 1.{server} and 1.{other}");
        }
    }
}

#[test]
fn what_the_move_to_a_minor_strands_is_what_that_minor_does_not_bear() {
    for (component, table, key) in [
        (Component::Kubelet, KUBELET, "version-skew/kubelet-post-upgrade"),
        (
            Component::KubeProxy,
            KUBE_PROXY,
            "version-skew/kube-proxy-post-upgrade",
        ),
    ] {
        for (target, oldest, _) in table {
            for own in TRIED {
                let text = format!("v1.{own}.0");
                let mut inventory = cluster(&format!("v1.{}.0", target - 1), vec![node("quiet", "fake")]);
                if component == Component::Kubelet {
                    inventory.nodes = vec![node("n", &text)];
                } else {
                    inventory.stray_proxies = vec![kube_proxy(None, &text)];
                }
                let asked = question(&format!("1.{target}"));
                let assessment = evaluate(&inventory, &Policy::upstream(), &asked);
                let fires = assessment.findings.iter().any(|finding| finding.key() == key);
                assert_eq!(fires, own < oldest, "{component} 1.{own} and target 1.{target}");
            }
        }
    }
}

#[test]
fn a_kube_proxy_and_the_kubelet_beside_it() {
    for (proxy, oldest, newest) in KUBELET_BESIDE_KUBE_PROXY {
        for kubelet in TRIED {
            let mut inventory = Inventory {
                nodes: vec![node("n", &format!("v1.{kubelet}.0"))],
                ..Inventory::default()
            };
            let pod = kube_proxy(Some("n"), &format!("v1.{proxy}.0"));
            inventory.nodes[0].proxies.push(pod);
            let assessment = evaluate(&inventory, &Policy::upstream(), &question(""));
            let found: Vec<_> = assessment
                .findings
                .iter()
                .map(kubectl_skew::policy::finding::Finding::key)
                .collect();
            let apart = kubelet < oldest || kubelet > newest;
            let expected: &[&str] = if apart {
                &["version-skew/kube-proxy-kubelet/n"]
            } else {
                &[]
            };
            assert_eq!(found, expected, "kube-proxy 1.{proxy} beside kubelet 1.{kubelet}");
            let distance = assessment.rows[0].pair_distance;
            assert_eq!(distance, Some(proxy.abs_diff(kubelet)));
        }
    }
}

/// What a kube-apiserver that emulates reports, and the oldest and the newest that it bears of a kubelet or
/// kube-proxy, and of the three managers: emulated minor, minCompatibility, node oldest, manager oldest, newest.
#[rustfmt::skip]
const EMULATING: [(u16, u16, u16, u16, u16); 6] = [
    // The default, minCompatibility one below: the classic limits with the emulated minor for the binary's.
    (36, 35, 33, 35, 36),
    (33, 32, 30, 32, 33),
    // At the floor of what may be emulated the two are the same: one fewer at the bottom.
    (31, 31, 29, 31, 31),
    (36, 36, 34, 36, 36),
    // A lowered minCompatibility never allows more than the policy does.
    (36, 33, 33, 35, 36),
    (36, 31, 33, 35, 36),
];

#[test]
fn an_emulating_kube_apiserver_counts_as_what_it_emulates() {
    for (emulated, min_compatibility, node_oldest, manager_oldest, newest) in EMULATING {
        for own in 26..=40 {
            let text = format!("v1.{own}.0");
            let mut inventory = cluster("v1.37.0", vec![node("n", &text)]);
            inventory.instances[0].emulated = Some(m(emulated));
            inventory.min_compatibility = Some(m(min_compatibility));
            inventory.stray_proxies = vec![kube_proxy(None, &text)];
            inventory
                .instances
                .push(instance(Component::KubeScheduler, "elsewhere", &text));
            let assessment = evaluate(&inventory, &Policy::upstream(), &question(""));
            let mut found: Vec<_> = assessment
                .findings
                .iter()
                .map(kubectl_skew::policy::finding::Finding::key)
                .collect();
            found.sort_unstable();
            let mut expected = Vec::new();
            if own > newest {
                expected.push("version-skew/kube-proxy-newer");
                expected.push("version-skew/kube-scheduler-newer");
                expected.push("version-skew/kubelet-newer-than-apiserver");
            }
            if own < node_oldest {
                expected.push("version-skew/kube-proxy-behind");
                expected.push("version-skew/kubelet-current");
            }
            if own < manager_oldest {
                expected.push("version-skew/kube-scheduler-behind");
            }
            expected.sort_unstable();
            let which = format!("1.{own} against 1.37 emulating 1.{emulated} from 1.{min_compatibility}");
            assert_eq!(found, expected, "{which}");
        }
    }
}
