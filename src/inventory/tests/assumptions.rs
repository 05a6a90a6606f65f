//! What `--assume` and `--exclude` change, and which gaps they close.

use super::build::*;
use crate::inventory::Inventory;
use crate::inventory::assumption::Assumed;
use crate::inventory::assumption::{AssumeError, Assumption, assume, exclude};
use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::inventory::observed::{Listing, Observed};
use crate::inventory::read_gap::{ReadFault, ReadGap, Resource};
use crate::inventory::selector::NodeSelector;
use crate::inventory::version::Minor;

fn observed() -> Observed {
    cluster(
        "v1.36.0",
        vec![
            node("web-1", "v1.33.0").labelled("cloud.google.com/gke-nodepool", "web"),
            node("web-2", "v1.33.0").labelled("cloud.google.com/gke-nodepool", "web"),
            node("gpu-1", "v1.32.0").labelled("team", "blue"),
            node("odd", "garbage"),
            node("v", "v1.19.10-vk-azure-aci-1.4.16").labelled("team", "vk"),
        ],
        vec![
            proxy("static-1", "web-1", "gke.gcr.io/kube-proxy-amd64:latest").owned_by("Node", "web-1"),
            proxy("ds-2", "web-2", "registry.k8s.io/kube-proxy:latest"),
            proxy("ds-3", "gpu-1", "x/oke-public-kube-proxy@sha256:ab"),
        ],
    )
}

fn with(inventory: Inventory, texts: &[&str]) -> Result<(Inventory, Vec<Assumed>), AssumeError> {
    let assumptions: Vec<Assumption> = texts.iter().map(|text| text.parse().unwrap()).collect();
    assume(inventory, &assumptions)
}

fn without(inventory: Inventory, texts: &[&str]) -> Result<Inventory, AssumeError> {
    let selectors: Vec<NodeSelector> = texts.iter().map(|text| text.parse().unwrap()).collect();
    exclude(inventory, &selectors).map(|(inventory, _)| inventory)
}

fn kubelet(inventory: &Inventory, name: &str) -> Option<u16> {
    named(inventory, name)
        .kubelet
        .version
        .as_ref()
        .map(|version| version.minor().number())
}

fn objects(inventory: &Inventory) -> Vec<String> {
    inventory.gaps.iter().flat_map(Gap::objects).collect()
}

#[test]
fn an_assumption_is_split_at_its_last_equals_sign() {
    let parse = |text: &str| text.parse::<Assumption>();
    assert_eq!(
        parse("team=blue=1.36"),
        Ok(Assumption {
            selector: NodeSelector::Label("team".to_owned(), "blue".to_owned()),
            minor: Minor::new(36),
        })
    );
    assert_eq!(
        parse("kube-proxy=v1.36.2").unwrap().selector,
        NodeSelector::Component(Component::KubeProxy)
    );
    assert!(matches!(parse("kube-proxy"), Err(AssumeError::Shape(_))));
    assert!(matches!(parse("web-1=1.36"), Err(AssumeError::Selector { .. })));
    assert!(matches!(parse("node/web-1="), Err(AssumeError::Minor { .. })));
    assert!(matches!(parse("node/web-1=2.0"), Err(AssumeError::Minor { .. })));
}

#[test]
fn a_node_is_its_kubelet_and_its_static_kube_proxy() {
    let (inventory, assumed) = with(inventory(observed()), &["pool/web=1.36"]).unwrap();
    assert_eq!(kubelet(&inventory, "web-1"), Some(36));
    assert_eq!(kubelet(&inventory, "web-2"), Some(36));
    assert_eq!(kubelet(&inventory, "gpu-1"), Some(32));
    assert_eq!(
        proxies(&inventory, "web-1"),
        [("static-1".to_owned(), Some("1.36".to_owned()))]
    );
    assert_eq!(proxies(&inventory, "web-2"), [("ds-2".to_owned(), None)]);
    assert_eq!(assumed[0].nodes, ["web-1", "web-2"]);
    assert_eq!(
        objects(&inventory),
        ["node/odd", "pod/kube-system/ds-2", "pod/kube-system/ds-3"],
        "the static pod's gap is closed"
    );
}

#[test]
fn labels_and_single_nodes_select_too() {
    let (inventory, _) = with(inventory(observed()), &["team=blue=1.35", "node/odd=1.34"]).unwrap();
    assert_eq!(kubelet(&inventory, "gpu-1"), Some(35));
    assert_eq!(kubelet(&inventory, "odd"), Some(34));
    assert!(!objects(&inventory).contains(&"node/odd".to_owned()));
}

#[test]
fn kube_proxies_are_assumed_wherever_they_run() {
    let (inventory, assumed) = with(inventory(observed()), &["kube-proxy=1.36"]).unwrap();
    for name in ["web-1", "web-2", "gpu-1"] {
        assert_eq!(proxies(&inventory, name)[0].1.as_deref(), Some("1.36"));
    }
    assert_eq!(objects(&inventory), ["node/odd"]);
    assert_eq!(assumed[0].nodes, ["gpu-1", "web-1", "web-2"]);
    assert_eq!(kubelet(&inventory, "web-1"), Some(33));
}

#[test]
fn kubelets_are_assumed_on_every_node_but_the_virtual_ones() {
    let (inventory, assumed) = with(inventory(observed()), &["kubelet=1.36"]).unwrap();
    assert_eq!(assumed[0].nodes, ["gpu-1", "odd", "web-1", "web-2"]);
    assert_eq!(kubelet(&inventory, "v"), Some(19));
}

#[test]
fn what_matches_nothing_is_an_error() {
    for text in [
        "node/nobody=1.36",
        "pool/nobody=1.36",
        "team=red=1.36",
        "kube-scheduler=1.36",
        "kubectl=1.36",
    ] {
        assert!(
            matches!(
                with(inventory(observed()), &[text]),
                Err(AssumeError::NoMatch { .. })
            ),
            "{text}"
        );
    }
    assert!(matches!(
        with(inventory(observed()), &["team=vk=1.36"]),
        Err(AssumeError::OnlyVirtual(_))
    ));
}

#[test]
fn kube_apiserver_always_matches() {
    let mut dark = observed();
    dark.versions.clear();
    dark.gaps = vec![ReadGap::Failed {
        resource: Resource::Version,
        namespace: None,
        read: 0,
        fault: ReadFault::Cut,
    }];
    dark.leases = Listing::Failed(ReadFault::Cut);
    let before = inventory(dark);
    assert_eq!(apiservers(&before), Vec::<String>::new());
    let (after, _) = with(before, &["kube-apiserver=1.36"]).unwrap();
    assert_eq!(apiservers(&after), ["kube-apiserver 1.36 assumed"]);
    assert!(after.gaps.iter().all(|gap| gap.skipped().is_none()));
}

#[test]
fn all_apiservers_move_together_and_need_no_count() {
    let mut ha = observed();
    ha.versions = vec![emulating("v1.37.0", "36", "36"), version("v1.36.4")];
    ha.leases = leases(3);
    let before = inventory(ha);
    assert_eq!(optional(&before).len(), 2, "a count and a vendor's kube-proxy");
    let (after, _) = with(before, &["kube-apiserver=1.37"]).unwrap();
    assert_eq!(
        apiservers(&after),
        ["kube-apiserver 1.37 assumed"],
        "two answers alike are one"
    );
    assert_eq!(optional(&after).len(), 1);
    assert_eq!(after.min_compatibility, None);
}

#[test]
fn an_unread_manager_is_closed_by_its_own_assumption() {
    let mut scheduler = static_pod(Component::KubeScheduler, "web-1", "nightly");
    scheduler.containers[0].arguments.clear();
    let observed = cluster("v1.36.0", vec![node("web-1", "v1.36.0")], vec![scheduler]);
    let before = inventory(observed);
    assert_eq!(required(&before).len(), 1);
    let (after, assumed) = with(before, &["kube-scheduler=1.36"]).unwrap();
    assert_eq!(after.gaps, []);
    let scheduler = of(&after, Component::KubeScheduler)[0];
    assert!(scheduler.judged);
    assert_eq!(scheduler.effective(), Some(Minor::new(36)));
    assert_eq!(assumed[0].nodes, ["web-1"]);
}

#[test]
fn a_server_node_takes_its_apiserver_along() {
    let server = |name: &str| node(name, "v1.33.1+k3s1").role("control-plane");
    let before = inventory(cluster(
        "v1.33.1+k3s1",
        vec![server("s1"), server("s2")],
        Vec::new(),
    ));
    let (after, _) = with(before, &["node/s1=1.34"]).unwrap();
    assert_eq!(
        apiservers(&after),
        ["s1 1.34 serverNode", "s2 v1.33.1+k3s1 serverNode"]
    );
}

#[test]
fn the_last_of_two_assumptions_holds() {
    let (inventory, _) = with(inventory(observed()), &["kubelet=1.34", "node/web-1=1.36"]).unwrap();
    assert_eq!(kubelet(&inventory, "web-1"), Some(36));
    assert_eq!(kubelet(&inventory, "web-2"), Some(34));
}

#[test]
fn an_excluded_node_takes_its_gaps_along_and_leaves_the_rest() {
    let before = inventory(observed());
    let after = without(before.clone(), &["node/odd", "pool/web"]).unwrap();
    assert!(named(&after, "odd").excluded);
    assert!(named(&after, "web-1").excluded);
    assert!(!named(&after, "gpu-1").excluded);
    assert_eq!(objects(&after), ["pod/kube-system/ds-3"]);
    let all = without(before.clone(), &["node/odd", "pool/web", "node/gpu-1"]).unwrap();
    assert_eq!(required(&all).len(), 1);
    assert_eq!(
        required(&all)[0].skipped(),
        Some(Resource::Nodes),
        "nothing is left to judge"
    );
    assert!(matches!(
        without(before.clone(), &["node/nobody"]),
        Err(AssumeError::NoMatch { .. })
    ));
    assert!(matches!(
        without(before, &["kube-proxy"]),
        Err(AssumeError::NotNodes(Component::KubeProxy))
    ));
}

#[test]
fn an_apiserver_on_an_excluded_node_still_counts() {
    let mut apiserver = static_pod(Component::KubeApiserver, "a", "x");
    apiserver.containers[0].image = Some("registry.k8s.io/kube-apiserver:nightly".to_owned());
    let mut observed = cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0"), node("b", "v1.36.0")],
        Vec::new(),
    );
    observed.pods = Listing::whole(vec![
        apiserver,
        static_pod(Component::KubeApiserver, "b", "v1.36.0"),
        static_pod(Component::KubeControllerManager, "a", "v1.36.0"),
        static_pod(Component::KubeScheduler, "a", "v1.36.0"),
    ]);
    let after = without(inventory(observed), &["node/a"]).unwrap();
    assert_eq!(of(&after, Component::KubeApiserver).len(), 2);
    assert_eq!(required(&after).len(), 1);
}

#[test]
fn nothing_assumed_changes_nothing() {
    let before = inventory(observed());
    let (after, assumed) = with(before.clone(), &[]).unwrap();
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
    assert_eq!(assumed, []);
    let (named, _) = exclude(before.clone(), &[]).unwrap();
    assert_eq!(format!("{before:?}"), format!("{named:?}"));
}

#[test]
fn an_error_says_what_to_type() {
    let error = "gpu=1.34".parse::<Assumption>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the selector of \"gpu=1.34\" cannot be read; for a pool write pool/gpu=1.34"
    );
    let error = with(inventory(observed()), &["pool/none=1.36"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pool/none matches nothing in this cluster; the pools are web"
    );
    let bare = inventory(cluster("v1.36.0", vec![node("a", "v1.36.0")], Vec::new()));
    let error = with(bare, &["pool/none=1.36"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pool/none matches nothing in this cluster; no node is in a pool"
    );
}

#[test]
fn what_an_operator_leaves_open_is_closed_by_assuming_its_component() {
    let labelled = node("a", "v1.33.1").labelled("node.openshift.io/os_id", "rhcos");
    let mut openshift = cluster("v1.33.1", vec![labelled], Vec::new());
    let mut operators = vec![
        operator("kube-apiserver", "1.33.1"),
        operator("kube-controller-manager", "1.33.1"),
        operator("kube-scheduler", "1.33.1"),
    ];
    operators[1].progressing = true;
    openshift.operators = Listing::whole(operators);
    let before = inventory(openshift);
    assert_eq!(before.gaps.len(), 1);
    let (after, _) = with(before, &["kube-controller-manager=1.33"]).unwrap();
    assert_eq!(after.gaps, []);
}

#[test]
fn a_virtual_node_is_no_more_excluded_than_assumed() {
    let excluded = without(inventory(observed()), &["team=vk"]);
    assert!(matches!(excluded, Err(AssumeError::OnlyVirtual(_))));
}
