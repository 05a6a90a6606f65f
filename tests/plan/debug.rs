use super::world::{instance, kube_proxy, node};
use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{Inventory, Node};
use kubectl_skew::plan::steps::Plan;
use kubectl_skew::plan::{PlanOptions, plan};
use kubectl_skew::policy::standing::Policy;
use std::time::Instant;

fn cluster(lo: u16, nodes: usize, sets: usize, spread: u16, seed: u64) -> Inventory {
    let mut state = seed;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let proxies: Vec<u16> = (0..sets)
        .map(|_| lo - spread + random(u64::from(spread) + 1) as u16)
        .collect();
    let mut all: Vec<Node> = (0..nodes)
        .map(|index| {
            let pool = index % 50;
            let set = if sets == 0 { None } else { Some(pool % sets) };
            let kubelet = lo - random(u64::from(spread) + 1) as u16;
            let name = format!("pool-{pool:02}-node-{index:05}");
            let proxies = set.map(|set| kube_proxy(&format!("p-{index}"), &name, proxies[set], Some(set)));
            Node {
                pool: Some(format!("pool-{pool:02}")),
                proxies: proxies.into_iter().collect(),
                ..node(&name, kubelet)
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Inventory {
        instances: vec![instance(Component::KubeApiserver, "a", lo)],
        nodes: all,
        ..Inventory::default()
    }
}

#[test]
fn timing() {
    for (what, lo, target, sets, spread) in [
        ("40 sets, 10 hops", 30, 40, 40, 5),
        ("40 sets, 20 hops", 30, 50, 40, 5),
        ("1 set, 10 hops", 30, 40, 1, 5),
        ("1 set, 20 hops", 30, 50, 1, 5),
        ("1 set, 20 hops, wide", 33, 53, 1, 10),
        ("40 sets, 20 hops, wide", 33, 53, 40, 10),
        ("no set, 20 hops", 30, 50, 0, 5),
    ] {
        for seed in [1, 77, 12345] {
            let inventory = cluster(lo, 5000, sets, spread, seed);
            let start = Instant::now();
            let made: Plan = plan(
                &inventory,
                &Policy::upstream(),
                Minor::new(target),
                &PlanOptions::default(),
            )
            .plan()
            .unwrap();
            println!(
                "{what} seed {seed}: {:?} proved {} rolls {} windows {} updates {} steps {} obstacle {:?} alt {:?}",
                start.elapsed(),
                made.proved,
                made.node_rolls,
                made.windows,
                made.kube_proxy_updates,
                made.steps.len(),
                made.obstacle.is_some(),
                made.alternatives
                    .iter()
                    .map(|a| (a.windows, a.node_rolls))
                    .collect::<Vec<_>>()
            );
        }
    }
}
