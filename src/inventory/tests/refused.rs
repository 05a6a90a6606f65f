//! Reads that were refused, cut, broken, or found nothing.

use super::build::*;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, Grant, Skipped};
use crate::inventory::observed::{Listing, Observed, Origin};

fn healthy() -> Observed {
    cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0")],
        vec![proxy("p", "a", "x/kube-proxy:v1.36.0")],
    )
}

fn refusal(what: &str) -> Gap {
    Gap {
        grant: Some(Grant {
            group: "",
            resource: "nodes",
            namespace: None,
            user: Some("someone".to_owned()),
        }),
        ..Gap::versions(false, format!("{what} is forbidden"))
    }
}

fn read_with<T>(items: Vec<T>, cut: Option<Gap>, broken: Vec<Gap>) -> Listing<T> {
    Listing::Read {
        listed: items.len(),
        items,
        cut,
        broken,
    }
}

#[test]
fn refused_nodes_are_a_required_gap_that_keeps_its_way_out() {
    let mut observed = healthy();
    observed.nodes = Listing::Failed(refusal("listing nodes"));
    let inventory = inventory(observed);
    assert_eq!(inventory.gaps.len(), 1);
    let gap = &inventory.gaps[0];
    assert!(gap.required);
    assert_eq!(gap.skipped, [Skipped::Nodes]);
    assert_eq!(
        gap.reason,
        "listing nodes is forbidden: kubelet skew was not assessed"
    );
    assert!(gap.grant.is_some());
    assert_eq!(gap.verify.as_deref(), Some("kubectl get nodes -o wide"));
    assert_eq!(
        inventory.stray_proxies.len(),
        1,
        "still judged against the apiservers"
    );
}

#[test]
fn no_nodes_and_virtual_nodes_only_are_a_required_gap() {
    for nodes in [
        Listing::whole(Vec::new()),
        Listing::NotAsked,
        Listing::whole(vec![node("v", "v1.19.10-vk-azure-aci-1.4.16")]),
    ] {
        let mut observed = healthy();
        observed.nodes = nodes;
        let inventory = inventory(observed);
        assert_eq!(required(&inventory).len(), 1);
        assert_eq!(required(&inventory)[0].skipped, [Skipped::Nodes]);
        assert!(
            required(&inventory)[0]
                .reason
                .contains("kubelet skew was not assessed")
        );
    }
}

#[test]
fn refused_pods_are_a_required_gap() {
    let mut observed = healthy();
    observed.pods = Listing::Failed(refusal("listing pods"));
    let inventory = inventory(observed);
    assert_eq!(inventory.gaps.len(), 1);
    assert!(inventory.gaps[0].required);
    assert_eq!(inventory.gaps[0].skipped, [Skipped::Pods]);
}

#[test]
fn a_dump_without_pods_of_the_component_namespace_is_a_required_gap_and_a_live_one_is_not() {
    let mut observed = healthy();
    observed.pods = Listing::whole(Vec::new());
    assert_eq!(inventory(observed.clone()).gaps, [], "an empty kube-system");
    observed.origin = Origin::Files;
    for pods in [Listing::whole(Vec::new()), Listing::NotAsked] {
        observed.pods = pods;
        let inventory = inventory(observed.clone());
        assert_eq!(required(&inventory)[0].skipped, [Skipped::Pods]);
    }
    observed.pods = Listing::Read {
        items: Vec::new(),
        listed: 7,
        cut: None,
        broken: Vec::new(),
    };
    assert_eq!(inventory(observed).gaps, [], "seven pods, none a component's");
}

#[test]
fn refused_leases_and_operators_are_said_and_weigh_nothing() {
    let mut observed = healthy();
    observed.leases = Listing::Failed(Gap {
        required: true,
        ..refusal("listing leases")
    });
    observed.operators = Listing::Failed(refusal("listing clusteroperators"));
    let inventory = inventory(observed);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| (gap.required, gap.skipped.clone()))
        .collect();
    assert_eq!(
        said,
        [
            (false, vec![Skipped::ClusterOperators]),
            (false, vec![Skipped::Leases]),
        ]
    );
}

#[test]
fn a_refused_version_weighs_what_it_leaves_unknown() {
    let refused = || Gap {
        skipped: vec![Skipped::Version],
        ..refusal("asking for /version")
    };
    let mut observed = healthy();
    observed.versions.clear();
    observed.gaps = vec![refused()];
    let dark = inventory(observed.clone());
    assert_eq!(dark.gaps.len(), 1, "one gap says it");
    assert!(dark.gaps[0].required);
    let pods = [
        Component::KubeApiserver,
        Component::KubeControllerManager,
        Component::KubeScheduler,
    ];
    observed.pods = Listing::whole(pods.map(|c| static_pod(c, "a", "v1.36.0")).to_vec());
    let known = inventory(observed);
    assert_eq!(known.gaps.len(), 1);
    assert!(!known.gaps[0].required);
}

#[test]
fn a_cut_list_and_a_broken_object_weigh_as_their_list_does() {
    let mut observed = healthy();
    observed.nodes = read_with(
        vec![node("a", "v1.36.0")],
        Some(refusal("the rest of the nodes")),
        vec![refusal("node b")],
    );
    observed.pods = read_with(Vec::new(), Some(refusal("the rest of the pods")), Vec::new());
    observed.leases = read_with(Vec::new(), Some(refusal("the rest of the leases")), Vec::new());
    let inventory = inventory(observed);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| (gap.required, gap.reason.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (true, "node b is forbidden"),
            (true, "the rest of the nodes is forbidden"),
            (true, "the rest of the pods is forbidden"),
            (false, "the rest of the leases is forbidden"),
        ]
    );
}

#[test]
fn a_version_that_is_none_is_a_required_gap() {
    for git in ["v0.0.0-master+$Format:%h$", "N/A", ""] {
        let mut observed = healthy();
        observed.versions = vec![version(git)];
        let inventory = inventory(observed);
        assert_eq!(required(&inventory).len(), 1, "{git}");
        assert_eq!(required(&inventory)[0].skipped, [Skipped::Version]);
        assert!(inventory.instances.is_empty());
    }
}
