//! Random clusters of platforms that move nodes or kube-proxies in the hop, with every way to plan: no plan is refused
//! by the check that replays it.

use kubectl_skew::inventory::binding::{Binding, BindingKind};
use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::observed::Owner;
use kubectl_skew::inventory::platform::{Detected, Mark, Platform};
use kubectl_skew::inventory::pool::PoolSource;
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{Inventory, Node, ProxyUnit};
use kubectl_skew::plan::steps::Cause;
use kubectl_skew::plan::{PlanOptions, plan};
use kubectl_skew::policy::skew_policy::Policy;
use proptest::prelude::*;

use super::world::{instance, kube_proxy, node};

/// A node: its kubelet, its kube-proxy and whether that is static, whether it is bound, its pool.
type Drawn = (u16, Option<(u16, bool)>, bool, usize);

fn cluster(lo: u16, spread: u16, nodes: &[Drawn], platform: Option<Platform>) -> Inventory {
    let hi = lo + spread;
    let nodes = nodes
        .iter()
        .enumerate()
        .map(|(index, &(kubelet, proxy, is_bound, pool))| {
            let name = format!("node-{index}");
            let proxies = proxy.map(|(minor, is_static)| {
                let mut proxy = kube_proxy(&format!("kube-proxy-{index}"), &name, minor, None);
                if !is_static {
                    proxy.unit = ProxyUnit::Workload(Owner {
                        kind: "DaemonSet".to_owned(),
                        name: "kube-proxy".to_owned(),
                    });
                }
                proxy
            });
            let own = if index % 2 == 0 { lo } else { hi };
            Node {
                proxies: proxies.into_iter().collect(),
                pool: Some(format!("pool-{pool}")),
                pool_source: Some(PoolSource::NodeGroup),
                binding: is_bound.then_some(Binding {
                    kind: BindingKind::OneBinary,
                    apiserver: Some(Minor::new(own)),
                }),
                ..node(&name, kubelet)
            }
        });
    let mut instances = vec![instance(Component::KubeApiserver, "a", lo)];
    if spread > 0 {
        instances.push(instance(Component::KubeApiserver, "b", hi));
    }
    Inventory {
        instances,
        nodes: nodes.collect(),
        platform: platform.map(|platform| Detected {
            platform,
            mark: Mark::ServerVersion(String::new()),
        }),
        ..Inventory::default()
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let proxy = prop_oneof![
        Just(None),
        (28u16..34, any::<bool>()).prop_map(Some),
        (28u16..34, any::<bool>()).prop_map(Some)
    ];
    (28u16..34, proxy, any::<bool>(), 0..2usize)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_plan_is_refused(
        (lo, spread, ahead) in (29u16..33, 0..=1u16, 0..=4u16),
        nodes in proptest::collection::vec(drawn(), 1..=5),
        platform in prop_oneof![
            Just(None), Just(Some(Platform::Kubeadm)), Just(Some(Platform::K0s)), Just(Some(Platform::Doks))
        ],
        (one, finish, whole, keep) in (
            any::<Option<bool>>(), any::<Option<bool>>(), any::<Option<bool>>(), any::<bool>()
        ),
    ) {
        let inventory = cluster(lo, spread, &nodes, platform);
        let options = PlanOptions {
            node_step_one: one,
            finish_nodes: finish,
            whole_pools: whole,
            keep_rollback: keep,
            rollout: None,
        };
        let target = Minor::new(lo + spread + ahead);
        let made = plan(&inventory, &Policy::upstream(), target, &options).plan().expect("enough was read");
        let is_refused = made.obstacle.as_ref().is_some_and(|it| matches!(it.cause, Cause::Refused { .. }));
        prop_assert!(!is_refused, "{:?}", made.obstacle);
        prop_assert!(made.proved);
    }
}
