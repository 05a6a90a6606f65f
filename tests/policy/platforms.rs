//! The platform policies: for each platform the oldest kubelet that its rules allow, a line for each kube-apiserver
//! minor from 1.16 to 1.40, typed from what the platform publishes; and which of them are in force by
//! themselves.

use kubectl_skew::inventory::Inventory;
use kubectl_skew::inventory::platform::{Detected, Mark, Platform};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::platforms::table::PLATFORMS;
use kubectl_skew::policy::platforms::{self, PolicyChoice};
use kubectl_skew::policy::skew_policy::Policy;
use kubectl_skew::policy::verdict::{Severity, Verdict};
use kubectl_skew::render::sentences;

use crate::fixtures::{cluster, node, question};

/// Server minor, oldest kubelet.
type Line = (u16, u16);

/// Three older from kubelet 1.25 on, two before.
#[rustfmt::skip]
const UPSTREAM: [Line; 25] = [
    (16, 14),
    (17, 15),
    (18, 16),
    (19, 17),
    (20, 18),
    (21, 19),
    (22, 20),
    (23, 21),
    (24, 22),
    (25, 23),
    (26, 24),
    (27, 25),
    (28, 25),
    (29, 26),
    (30, 27),
    (31, 28),
    (32, 29),
    (33, 30),
    (34, 31),
    (35, 32),
    (36, 33),
    (37, 34),
    (38, 35),
    (39, 36),
    (40, 37),
];

/// One older: k0s, ROKS, ACK.
#[rustfmt::skip]
const ONE: [Line; 25] = [
    (16, 15),
    (17, 16),
    (18, 17),
    (19, 18),
    (20, 19),
    (21, 20),
    (22, 21),
    (23, 22),
    (24, 23),
    (25, 24),
    (26, 25),
    (27, 26),
    (28, 27),
    (29, 28),
    (30, 29),
    (31, 30),
    (32, 31),
    (33, 32),
    (34, 33),
    (35, 34),
    (36, 35),
    (37, 36),
    (38, 37),
    (39, 38),
    (40, 39),
];

/// Two older: GKE, IKS, and where asked for by name AKS, Gardener and `KubeOne`.
#[rustfmt::skip]
const TWO: [Line; 25] = [
    (16, 14),
    (17, 15),
    (18, 16),
    (19, 17),
    (20, 18),
    (21, 19),
    (22, 20),
    (23, 21),
    (24, 22),
    (25, 23),
    (26, 24),
    (27, 25),
    (28, 26),
    (29, 27),
    (30, 28),
    (31, 29),
    (32, 30),
    (33, 31),
    (34, 32),
    (35, 33),
    (36, 34),
    (37, 35),
    (38, 36),
    (39, 37),
    (40, 38),
];

/// `OpenShift`: 4.3 is 1.16 and so on to 4.22, which is 1.35: two for an even 4.y, one for an odd one; 1.36 is 5.0 (and 4.23) with one, 5.1 has two, 5.2 three, 5.3 one again.
#[rustfmt::skip]
const OPENSHIFT: [Line; 25] = [
    (16, 15),
    (17, 15),
    (18, 17),
    (19, 17),
    (20, 19),
    (21, 19),
    (22, 21),
    (23, 21),
    (24, 23),
    (25, 23),
    (26, 25),
    (27, 25),
    (28, 27),
    (29, 27),
    (30, 29),
    (31, 29),
    (32, 31),
    (33, 31),
    (34, 33),
    (35, 33),
    (36, 35),
    (37, 35),
    (38, 35),
    (39, 38),
    (40, 38),
];

/// kubeadm: one older up to 1.28, then as upstream.
#[rustfmt::skip]
const KUBEADM: [Line; 25] = [
    (16, 15),
    (17, 16),
    (18, 17),
    (19, 18),
    (20, 19),
    (21, 20),
    (22, 21),
    (23, 22),
    (24, 23),
    (25, 24),
    (26, 25),
    (27, 26),
    (28, 27),
    (29, 26),
    (30, 27),
    (31, 28),
    (32, 29),
    (33, 30),
    (34, 31),
    (35, 32),
    (36, 33),
    (37, 34),
    (38, 35),
    (39, 36),
    (40, 37),
];

fn table(platform: &str) -> &'static [Line; 25] {
    match platform {
        "k0s" | "roks" | "ack" => &ONE,
        "gke" | "iks" | "aks" | "gardener" | "kubeone" => &TWO,
        "openshift" => &OPENSHIFT,
        "kubeadm" => &KUBEADM,
        "k3s" | "rke2" | "hypershift" | "eks" | "oke" => &UPSTREAM,
        other => panic!("{other} has no table here"),
    }
}

fn named(name: &str) -> Policy {
    let choice = PolicyChoice::named(name).expect("a policy's name");
    platforms::choose(&choice, &cluster("v1.36.0", Vec::new()))
}

fn fires(policy: &Policy, server: u16, kubelet: u16) -> bool {
    let inventory = cluster(
        &format!("v1.{server}.0"),
        vec![node("n", &format!("v1.{kubelet}.0"))],
    );
    let assessment = evaluate(&inventory, policy, &question(""));
    assessment
        .findings
        .iter()
        .any(|finding| finding.key() == "version-skew/kubelet-current")
}

#[test]
fn every_platform_against_its_table() {
    for platform in PLATFORMS {
        let policy = named(platform.name);
        assert_eq!(policy.name, platform.name);
        for &(server, oldest) in table(platform.name) {
            for kubelet in server - 6..=server {
                assert_eq!(
                    fires(&policy, server, kubelet),
                    kubelet < oldest,
                    "{}: kubelet 1.{kubelet} against kube-apiserver 1.{server}",
                    platform.name
                );
            }
        }
    }
}

#[test]
fn every_row_has_its_source_and_its_date() {
    for platform in PLATFORMS {
        let dated = |date: &str| date.starts_with("202") && date.len() >= 7;
        assert!(
            platform.source.starts_with("https://") && dated(platform.date),
            "{}",
            platform.name
        );
        assert!(
            platform.note.len() > 10 && !platform.title.is_empty(),
            "{}",
            platform.name
        );
        for row in platform.rows {
            assert!(
                row.source.starts_with("https://") && dated(row.date),
                "{}",
                platform.name
            );
        }
    }
}

/// A cluster that shows a platform.
fn showing(platform: Platform) -> Inventory {
    let mark = Mark::ServerVersion("v1.36.4-x".to_owned());
    Inventory {
        distribution: Some(Detected { platform, mark }),
        ..cluster("v1.36.4", Vec::new())
    }
}

#[test]
fn a_platform_that_is_shown_puts_its_confirmed_rows_in_force() {
    for platform in [
        Platform::K0s,
        Platform::Gke,
        Platform::Iks,
        Platform::Ack,
        Platform::OpenShift,
        Platform::Roks,
    ] {
        let chosen = platforms::choose(&PolicyChoice::Auto, &showing(platform));
        assert_eq!(chosen.name, platform.name());
        assert_eq!(
            chosen.detected_from.as_deref(),
            Some("the server version v1.36.4-x")
        );
    }
}

#[test]
fn nothing_stricter_is_confirmed_for_these_so_upstream_holds() {
    for platform in [
        Platform::K3s,
        Platform::Rke2,
        Platform::Eks,
        Platform::Aks,
        Platform::Gardener,
        Platform::HyperShift,
        Platform::Oke,
        Platform::Doks,
    ] {
        let chosen = platforms::choose(&PolicyChoice::Auto, &showing(platform));
        assert_eq!(chosen, Policy::upstream(), "{}", platform.name());
    }
    let none = cluster("v1.36.4", Vec::new());
    assert_eq!(platforms::choose(&PolicyChoice::Auto, &none), Policy::upstream());
}

#[test]
fn a_policy_is_named_in_any_case() {
    for name in ["k0s", "K0S", "K0s"] {
        assert_eq!(PolicyChoice::named(name), Some(PolicyChoice::Named("k0s")));
    }
    assert_eq!(PolicyChoice::named("Upstream"), Some(PolicyChoice::Upstream));
    assert_eq!(PolicyChoice::named("AUTO"), Some(PolicyChoice::Auto));
    assert_eq!(PolicyChoice::named("banana"), None);
}

/// A worker left out at 1.35 with its controllers at 1.36.
#[test]
fn k0s_refuses_to_strand_a_worker_two_minors_behind() {
    let nodes = vec![node("worker-1", "v1.36.4+k0s"), node("worker-2", "v1.35.7+k0s")];
    let inventory = Inventory {
        nodes,
        ..showing(Platform::K0s)
    };
    let policy = platforms::choose(&PolicyChoice::Auto, &inventory);
    let refused = evaluate(&inventory, &policy, &question("1.37"));
    assert_eq!(refused.verdict, Verdict::Blocked);
    let finding = &refused.findings[0];
    assert_eq!(finding.key(), "version-skew/kubelet-post-upgrade");
    assert_eq!(finding.severity, Severity::Blocker);
    assert_eq!(finding.evidence.nodes(), ["worker-2"]);
    assert_eq!(finding.evidence.versions(), ["v1.35.7+k0s"]);
    assert_eq!(
        sentences::detail(&finding.evidence),
        "kubelet 1.35 (worker-2) would be 2 minor versions behind 1.37 (limit 1 of the k0s platform policy; upstream \
         allows 3 and accepts it)"
    );
    assert_eq!(
        finding.citations(),
        [
            "https://kubernetes.io/releases/version-skew-policy/#kubelet",
            "https://github.com/k0sproject/k0s/pull/8195"
        ]
    );
    let upstream = evaluate(&inventory, &Policy::upstream(), &question("1.37"));
    assert_eq!(upstream.verdict, Verdict::Ready);
    let patch = evaluate(&inventory, &policy, &question("1.36.5"));
    assert_eq!((patch.verdict, patch.findings.len()), (Verdict::Ready, 0));
}
