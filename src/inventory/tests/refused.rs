//! Reads that were refused, cut, broken, or found nothing.

use super::build::*;
use crate::inventory::component::Component;
use crate::inventory::gap::GapReason;
use crate::inventory::observed::{Cut, Listing, Observed, Origin};
use crate::inventory::read_gap::{Malformed, ReadFault, ReadGap, Resource, Sample, UnreadableObject};

fn healthy() -> Observed {
    cluster(
        "v1.36.0",
        vec![node("a", "v1.36.0")],
        vec![proxy("p", "a", "x/kube-proxy:v1.36.0")],
    )
}

fn refusal() -> ReadFault {
    ReadFault::Status {
        code: 403,
        reason: Some("Forbidden".to_owned()),
        message: None,
        user: Some("someone".to_owned()),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a list holds it so")]
fn cut() -> Option<Cut> {
    Some(Cut::Fault(ReadFault::Cut))
}

fn read_with<T>(items: Vec<T>, cut: Option<Cut>, broken: &[&str]) -> Listing<T> {
    Listing::Read {
        listed: items.len(),
        items,
        cut,
        broken: broken
            .iter()
            .map(|name| UnreadableObject {
                namespace: None,
                name: Some((*name).to_owned()),
                malformed: Malformed::NoContainers,
                at: None,
            })
            .collect(),
    }
}

#[test]
fn refused_nodes_are_a_required_gap_that_keeps_its_way_out() {
    let mut observed = healthy();
    observed.nodes = Listing::Failed(refusal());
    let inventory = inventory(observed);
    assert_eq!(inventory.gaps.len(), 1);
    let gap = &inventory.gaps[0];
    assert!(gap.required && gap.partial);
    assert_eq!(gap.skipped(), Some(Resource::Nodes));
    let grant = gap.grant().unwrap();
    assert_eq!(
        (grant.resource, grant.user.as_deref()),
        ("nodes", Some("someone"))
    );
    assert_eq!(
        inventory.stray_proxies.len(),
        1,
        "still judged against the apiservers"
    );
}

#[test]
fn a_gap_is_partial_unless_nothing_was_read_at_all() {
    let mut observed = Observed {
        nodes: Listing::Failed(refusal()),
        pods: Listing::Failed(refusal()),
        ..Observed::default()
    };
    let dark = inventory(observed.clone());
    assert_eq!(dark.gaps.len(), 3, "nodes, pods, the server: {:?}", dark.gaps);
    assert!(dark.gaps.iter().all(|gap| gap.required && !gap.partial));
    observed.versions = vec![version("v1.36.0")];
    let known = inventory(observed);
    assert!(known.gaps.iter().all(|gap| gap.partial));
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
        assert_eq!(required(&inventory)[0].skipped(), Some(Resource::Nodes));
    }
}

#[test]
fn refused_pods_are_a_required_gap() {
    let mut observed = healthy();
    observed.pods = Listing::Failed(refusal());
    let inventory = inventory(observed);
    assert_eq!(inventory.gaps.len(), 1);
    assert!(inventory.gaps[0].required);
    assert_eq!(inventory.gaps[0].skipped(), Some(Resource::Pods));
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
        assert_eq!(required(&inventory)[0].skipped(), Some(Resource::Pods));
    }
    observed.pods = Listing::Read {
        items: Vec::new(),
        listed: 7,
        cut: None,
        broken: Sample::default(),
    };
    assert_eq!(inventory(observed).gaps, [], "seven pods, none a component's");
}

#[test]
fn refused_leases_and_operators_are_said_and_weigh_nothing() {
    let mut observed = healthy();
    observed.leases = Listing::Failed(refusal());
    observed.operators = Listing::Failed(refusal());
    let inventory = inventory(observed);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| (gap.required, gap.skipped()))
        .collect();
    assert_eq!(
        said,
        [
            (false, Some(Resource::Leases)),
            (false, Some(Resource::ClusterOperators)),
        ]
    );
}

#[test]
fn a_refused_version_weighs_what_it_leaves_unknown() {
    let mut observed = healthy();
    observed.versions.clear();
    observed.gaps = vec![ReadGap::Failed {
        resource: Resource::Version,
        namespace: None,
        read: 0,
        fault: refusal(),
    }];
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
fn a_cut_list_and_broken_objects_weigh_as_their_list_does() {
    let mut observed = healthy();
    observed.nodes = read_with(vec![node("a", "v1.36.0")], cut(), &["b", "c"]);
    observed.pods = read_with(Vec::new(), cut(), &[]);
    observed.leases = read_with(Vec::new(), cut(), &["l"]);
    let inventory = inventory(observed);
    let said: Vec<_> = inventory
        .gaps
        .iter()
        .map(|gap| match &gap.reason {
            GapReason::Read(ReadGap::Failed { resource, .. } | ReadGap::Unreadable { resource, .. }) => {
                (gap.required, *resource, gap.objects())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let objects = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        said,
        [
            (true, Resource::Nodes, objects(&[])),
            (true, Resource::Pods, objects(&[])),
            (true, Resource::Nodes, objects(&["node/b", "node/c"])),
            (false, Resource::Leases, objects(&[])),
            (false, Resource::Leases, objects(&["lease/l"])),
        ]
    );
    assert!(inventory.leaves_out(Resource::Nodes) && inventory.leaves_out(Resource::Pods));
}

#[test]
fn a_version_that_is_none_is_a_required_gap() {
    for git in ["v0.0.0-master+$Format:%h$", "N/A", ""] {
        let mut observed = healthy();
        observed.versions = vec![version(git)];
        let inventory = inventory(observed);
        assert_eq!(required(&inventory).len(), 1, "{git}");
        assert_eq!(required(&inventory)[0].skipped(), Some(Resource::Version));
        assert!(inventory.instances.is_empty());
    }
}
