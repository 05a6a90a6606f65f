//! What the engine alone costs: judging, the path and the plan of a large cluster over ten hops, and how that grows
//! with the nodes.

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::observed::Owner;
use kubectl_skew::inventory::version::Minor;
use kubectl_skew::inventory::{Instance, InstanceSource, Inventory, KubeProxy, Kubelet, Node, ProxyUnit};
use kubectl_skew::plan::{PlanOptions, path, plan};
use kubectl_skew::policy;
use kubectl_skew::policy::question::{Question, Target};
use kubectl_skew::policy::skew_policy::Policy;

const NODES: usize = 5_000;
const POOLS: usize = 50;
const APISERVER: u16 = 30;
const TARGET: u16 = 40;

fn main() {
    divan::main();
}

fn version(minor: u16, patch: usize) -> String {
    format!("v1.{minor}.{patch}")
}

fn node(index: usize) -> Node {
    let pool = index % POOLS;
    let minor = APISERVER - u16::try_from(pool % 4).expect("a small number");
    let name = format!("pool-{pool:02}-node-{index:05}");
    let raw = version(minor, pool % 7);
    // Every third pool has kube-proxy as a static pod, another third a DaemonSet of its own, the rest none.
    let unit = match pool % 3 {
        0 => Some(ProxyUnit::Static),
        1 => Some(ProxyUnit::Workload(Owner {
            kind: "DaemonSet".to_owned(),
            name: format!("kube-proxy-{pool:02}"),
        })),
        _ => None,
    };
    let proxies = unit.map(|unit| KubeProxy {
        pod: format!("kube-proxy-{index:05}"),
        node: Some(name.clone()),
        version: raw.parse().ok(),
        unread: None,
        image: Some(format!("registry.example/kube-proxy:{raw}")),
        unit,
    });
    Node {
        pool: Some(format!("pool-{pool:02}")),
        ready: Some(true),
        os: Some("linux".to_owned()),
        kubelet: Kubelet {
            version: raw.parse().ok(),
            raw: Some(raw),
        },
        proxies: proxies.into_iter().collect(),
        runtime: Some("containerd://1.7.28".to_owned()),
        name,
        ..Node::default()
    }
}

fn cluster(nodes: usize) -> Inventory {
    let instance = |component: Component, index: usize| Instance {
        component,
        name: format!("{component}-{index}"),
        node: None,
        version: version(APISERVER, 2).parse().ok(),
        emulated: None,
        from: InstanceSource::Pod,
        image: None,
        judged: true,
    };
    let instances = [
        Component::KubeApiserver,
        Component::KubeControllerManager,
        Component::KubeScheduler,
    ];
    let mut nodes: Vec<Node> = (0..nodes).map(node).collect();
    nodes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Inventory {
        server_version: Some(version(APISERVER, 2)),
        instances: instances
            .into_iter()
            .flat_map(|component| (0..3).map(move |index| instance(component, index)))
            .collect(),
        nodes,
        ..Inventory::default()
    }
}

fn question() -> Question {
    Question {
        target: Some(Target::Minor(Minor::new(TARGET))),
        ..Question::default()
    }
}

#[divan::bench]
fn judge(bencher: divan::Bencher<'_, '_>) {
    let (inventory, policy, question) = (cluster(NODES), Policy::upstream(), question());
    bencher.bench(|| policy::evaluate(&inventory, &policy, &question));
}

#[divan::bench]
fn path_of_ten_hops(bencher: divan::Bencher<'_, '_>) {
    let (inventory, policy, question) = (cluster(NODES), Policy::upstream(), question());
    let assessment = policy::evaluate(&inventory, &policy, &question);
    bencher.bench(|| path::path(&inventory, &policy, &question, &assessment, None));
}

#[divan::bench]
fn plan_of_ten_hops(bencher: divan::Bencher<'_, '_>) {
    let (inventory, policy) = (cluster(NODES), Policy::upstream());
    bencher.bench(|| plan(&inventory, &policy, Minor::new(TARGET), &PlanOptions::default()));
}

#[divan::bench(args = [5_000, 10_000, 20_000, 50_000])]
fn judge_path_and_plan(bencher: divan::Bencher<'_, '_>, nodes: usize) {
    let (inventory, policy, question) = (cluster(nodes), Policy::upstream(), question());
    bencher.bench(|| {
        let assessment = policy::evaluate(&inventory, &policy, &question);
        let path = path::path(&inventory, &policy, &question, &assessment, None);
        let plan = plan(&inventory, &policy, Minor::new(TARGET), &PlanOptions::default());
        (assessment, path, plan)
    });
}
