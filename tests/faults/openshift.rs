//! What OpenShift tells in places of its own, made to fail: ClusterOperators, and kube-proxy in a namespace of its own.

use kubectl_skew::inventory::gap::Gap;
use kubectl_skew::inventory::observed::{Listing, Observed};
use kubectl_skew::inventory::read_gap::Resource;
use kubectl_skew::render::sentences::gap_reason;

use crate::server::{Encoding, Reply, Server, cluster};
use crate::{gap, in_parallel, other_gap, read, status};

/// A read of OpenShift's, and which page of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Operators(u8),
    Proxies(u8),
}

const PLACES: [Place; 4] = [
    Place::Operators(1),
    Place::Operators(2),
    Place::Proxies(1),
    Place::Proxies(2),
];

impl Place {
    fn of(target: &str) -> Option<Self> {
        let page = if target.contains("continue=") { 2 } else { 1 };
        if target.starts_with("/apis/config.openshift.io/v1/clusteroperators") {
            Some(Self::Operators(page))
        } else if target.starts_with("/api/v1/namespaces/openshift-kube-proxy/pods") {
            Some(Self::Proxies(page))
        } else {
            None
        }
    }
}

fn list(kind: &str, next: &str, items: &str) -> Reply {
    Reply::json(
        200,
        format!(
            r#"{{"kind":"{kind}","apiVersion":"v1","metadata":{{"continue":"{next}"}},"items":[{items}]}}"#
        ),
    )
}

/// The small cluster, one node of which is of OpenShift; two pages of each of its lists.
fn openshift(target: &str) -> Reply {
    let operator = |name: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}"}},"status":{{"versions":[{{"name":"kube-apiserver","version":"1.36.1"}}]}}}}"#
        )
    };
    let proxy = |name: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"openshift-kube-proxy"}},"spec":{{"nodeName":"n1","containers":[{{"name":"kube-proxy","image":"r.io/kube-proxy:v1.36.0"}}]}},"status":{{"phase":"Running"}}}}"#
        )
    };
    match Place::of(target) {
        Some(Place::Operators(1)) => list("ClusterOperatorList", "next", &operator("kube-apiserver")),
        Some(Place::Operators(_)) => list("ClusterOperatorList", "", &operator("network")),
        Some(Place::Proxies(1)) => list("PodList", "next", &proxy("kube-proxy-x")),
        Some(Place::Proxies(_)) => list("PodList", "", &proxy("kube-proxy-y")),
        None if target.starts_with("/api/v1/nodes") => list(
            "NodeList",
            "",
            r#"{"metadata":{"name":"n1","labels":{"node.openshift.io/os_id":"rhcos"}},"status":{"nodeInfo":{"kubeletVersion":"v1.36.1"}}}"#,
        ),
        None => cluster(target, Encoding::Json),
    }
}

fn gap_at(observed: &Observed, place: Place) -> Option<Gap> {
    match place {
        Place::Operators(_) => gap(&observed.operators, Resource::ClusterOperators, None),
        Place::Proxies(_) => other_gap(observed),
    }
}

fn proxies(observed: &Observed) -> usize {
    let of_openshift = |name: &str| name.starts_with("kube-proxy-x") || name.starts_with("kube-proxy-y");
    observed
        .pods
        .items()
        .iter()
        .filter(|pod| of_openshift(&pod.meta.name))
        .count()
}

#[test]
fn openshift_that_does_not_fail_is_read_whole() {
    let server = Server::start(openshift);
    let observed = read(&server).unwrap();
    assert_eq!((observed.operators.items().len(), proxies(&observed)), (2, 2));
    assert_eq!(PLACES.map(|place| gap_at(&observed, place)), [const { None }; 4]);
}

#[test]
fn a_lasting_fault_on_a_read_of_openshift_is_a_named_gap() {
    let faults = vec![
        (
            "302",
            Reply::of(302, "text/html", "").with("location", "https://x"),
            "302",
        ),
        ("400", status(400), "400"),
        ("401", status(401), "401"),
        ("403", status(403), "403"),
        ("404", status(404), "404"),
        ("410", status(410), "410"),
        ("429", status(429), "429"),
        ("500", status(500), "500"),
        ("503", status(503), "503"),
        (
            "a login page",
            Reply::of(200, "text/html", "<title>Sign in</title>"),
            "not a Kubernetes API server",
        ),
        (
            "a login page of 404",
            Reply::of(404, "text/html", "<title>Sign in</title>"),
            "not a Kubernetes API server",
        ),
        ("empty", Reply::json(200, ""), "cannot be read"),
        ("cut", Reply::Cut, "closed before"),
        ("silent", Reply::Silence, "within 1 s"),
    ];
    let mut cases = Vec::new();
    for place in PLACES {
        cases.extend(faults.iter().cloned().map(|fault| (place, fault)));
    }
    in_parallel(cases, |(place, (name, reply, words))| {
        let what = format!("{name} at {place:?}");
        let expires = name == "410" && matches!(place, Place::Operators(2) | Place::Proxies(2));
        let server = Server::start(move |target| {
            // An expired token is no fault where the list can be read in one piece; here it cannot.
            let hit = Place::of(target) == Some(place);
            if hit { reply.clone() } else { openshift(target) }
        });
        let observed = read(&server).unwrap_or_else(|error| panic!("{what}: {error}"));
        // MicroShift has no ClusterOperators, and says so by this.
        if name == "404" && place == Place::Operators(1) {
            assert!(matches!(observed.operators, Listing::NotAsked), "{what}");
            return;
        }
        let gap = gap_at(&observed, place).unwrap_or_else(|| panic!("{what}: no gap"));
        let words = if expires { "expired 3 times" } else { words };
        let reason = gap_reason(&gap.reason);
        assert!(reason.contains(words), "{what}: {reason}");
        let kept = match place {
            Place::Operators(_) => (observed.operators.items().len(), proxies(&observed) == 2),
            Place::Proxies(_) => (proxies(&observed), observed.operators.items().len() == 2),
        };
        let first_page = matches!(place, Place::Operators(2) | Place::Proxies(2));
        assert_eq!(kept, (usize::from(first_page), true), "{what}");
    });
}
