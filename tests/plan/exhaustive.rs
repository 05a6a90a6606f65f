//! Every small cluster there is: the plan is the least work that trying everything finds.

use super::world::{TestNode, World};

/// The first minor of a window of five: one where every kubelet may be three behind, one across 1.25, before which
/// it may be two.
const WINDOWS: [u16; 2] = [30, 22];

/// Apiservers at one minor or in mid-upgrade, and every target in the window from there on.
fn control_planes(first: u16) -> Vec<(u16, u16, u16)> {
    let last = first + 4;
    let mut found = Vec::new();
    for lo in first..=last {
        for hi in lo..=last.min(lo + 2) {
            found.extend((hi..=last).map(|target| (lo, hi, target)));
        }
    }
    found
}

/// Every set of kubelets: nodes that differ in nothing but their names need no second look.
fn kubelets(first: u16, count: usize) -> Vec<Vec<u16>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..count {
        sets = sets
            .into_iter()
            .flat_map(|set: Vec<u16>| {
                let from = set.last().copied().unwrap_or(first);
                (from..=first + 4).map(move |next| [set.clone(), vec![next]].concat())
            })
            .collect();
    }
    sets
}

fn verify_all(first: u16, count: usize, node: impl Fn(u16, u16) -> Option<TestNode>, managers: &[Vec<u16>]) {
    for (lo, hi, target) in control_planes(first) {
        for set in kubelets(first, count) {
            for other in first..=first + 4 {
                let nodes: Option<Vec<TestNode>> = set.iter().map(|&kubelet| node(kubelet, other)).collect();
                let Some(nodes) = nodes else { continue };
                for managers in managers {
                    // A manager newer than the target is told as an obstacle; the stories have it.
                    if managers.iter().any(|&manager| manager > target) {
                        continue;
                    }
                    World {
                        lo,
                        hi,
                        target,
                        nodes: nodes.clone(),
                        managers: managers.clone(),
                        step_one: false,
                    }
                    .verify();
                }
            }
        }
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a kind of node may leave combinations out"
)]
fn with_daemon_set(kubelet: u16, proxy: u16) -> Option<TestNode> {
    Some(TestNode::new(kubelet, vec![(proxy, Some(0))]))
}

#[test]
fn one_and_two_nodes_with_a_daemon_set() {
    for first in WINDOWS {
        verify_all(first, 1, with_daemon_set, &[vec![]]);
        verify_all(first, 2, with_daemon_set, &[vec![]]);
    }
}

#[test]
fn three_nodes_with_a_daemon_set() {
    verify_all(WINDOWS[0], 3, with_daemon_set, &[vec![]]);
}

#[test]
fn three_nodes_with_a_daemon_set_across_the_1_25_rule() {
    verify_all(WINDOWS[1], 3, with_daemon_set, &[vec![]]);
}

#[test]
fn nodes_whose_static_kube_proxy_is_anywhere() {
    for first in WINDOWS {
        let with_static = |kubelet, proxy| Some(TestNode::new(kubelet, vec![(proxy, None)]));
        verify_all(first, 1, with_static, &[vec![]]);
        verify_all(first, 2, with_static, &[vec![]]);
        let beside = |kubelet, first_proxy: u16| {
            (first_proxy == first).then(|| TestNode::new(kubelet, vec![(kubelet, None)]))
        };
        verify_all(first, 3, beside, &[vec![]]);
    }
}

#[test]
fn managers_wherever_they_are() {
    for first in WINDOWS {
        let managers: Vec<Vec<u16>> = (1..=2).flat_map(|count| kubelets(first, count)).collect();
        let without_proxy = |kubelet, proxy| (proxy == first).then(|| TestNode::new(kubelet, vec![]));
        verify_all(first, 1, without_proxy, &managers);
    }
}
