//! Larger clusters at random: mixed kube-proxies, two workloads, nodes that move one minor a roll.

use proptest::prelude::*;

use super::world::{TestNode, World};

fn node(first: u16, span: u16) -> impl Strategy<Value = TestNode> {
    let minors = first..first + span;
    let proxy = (
        minors.clone(),
        prop_oneof![Just(None), Just(Some(0)), Just(Some(0)), Just(Some(1))],
    );
    let proxies = proptest::collection::vec(proxy, 0..=2);
    (minors, proxies, 0..20u8).prop_map(|(kubelet, proxies, what)| TestNode {
        kubelet: (what != 0).then_some(kubelet),
        proxies,
        is_unread: what == 1,
    })
}

fn world(most: usize, span: u16) -> impl Strategy<Value = World> {
    (prop_oneof![Just(30u16), Just(21), Just(23)])
        .prop_flat_map(move |first| {
            let nodes = proptest::collection::vec(node(first, span), 1..=most);
            let lo = first..first + span;
            (
                nodes,
                lo,
                0..=1u16,
                0..=3u16,
                proptest::collection::vec(0..=1u16, 0..=2),
                any::<bool>(),
            )
        })
        .prop_map(|(nodes, lo, spread, ahead, managers, step_one)| World {
            lo,
            hi: lo + spread,
            target: lo + spread + ahead,
            nodes,
            managers: managers.into_iter().map(|behind| lo - behind).collect(),
            step_one,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn up_to_three_nodes_over_seven_minors(world in world(3, 7)) {
        world.verify();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn up_to_five_nodes_over_five_minors(world in world(5, 5)) {
        world.verify();
    }
}
