//! What a component emulates, and what it is asked to and nobody can read.

use super::build::*;
use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, GapReason};
use crate::inventory::observed::{Listing, ObservedPod, VersionAnswer};
use crate::inventory::unread::UnreadKind;
use crate::inventory::version::Minor;

const APISERVER: Component = Component::KubeApiserver;

/// The pods of the required gaps and of the optional ones.
fn gaps_of(inventory: &Inventory) -> (Vec<String>, Vec<String>) {
    let objects = |is_required: bool| {
        inventory
            .gaps
            .iter()
            .filter(|gap| gap.required == is_required)
            .flat_map(Gap::objects)
            .collect()
    };
    (objects(true), objects(false))
}

#[test]
fn version_tells_what_is_emulated_and_the_highest_floor() {
    let mut observed = cluster("", vec![node("a", "v1.36.0")], Vec::new());
    observed.versions = vec![emulating("v1.37.1", "36", "35"), emulating("v1.37.1", "37", "36")];
    let inventory = inventory(observed);
    assert_eq!(
        apiservers(&inventory),
        ["v1.37.1 v1.37.1 version", "v1.37.1 v1.37.1~1.36 version"]
    );
    assert_eq!(inventory.min_compatibility, Some(Minor::new(36)));
}

#[test]
fn a_pod_emulates_what_its_arguments_say_and_without_any_what_its_servers_version_says() {
    let mut observed = cluster("", vec![node("a", "v1.36.0")], Vec::new());
    observed.versions = vec![emulating("v1.37.1", "36", "35")];
    let manager = |component| static_pod(component, "a", "v1.37.1").argument("--emulated-version=1.36");
    let read = |apiserver| {
        let mut observed = observed.clone();
        observed.pods = Listing::whole(vec![
            apiserver,
            manager(Component::KubeControllerManager),
            manager(Component::KubeScheduler),
        ]);
        inventory(observed)
    };
    let says = read(static_pod(APISERVER, "a", "v1.37.1").argument("--emulated-version=kube=1.36"));
    assert_eq!(apiservers(&says), ["kube-apiserver-a v1.37.1~1.36 pod"]);
    for component in [Component::KubeControllerManager, Component::KubeScheduler] {
        assert_eq!(of(&says, component)[0].effective(), Some(Minor::new(36)));
    }
    let silent = read(static_pod(APISERVER, "a", "v1.37.1").no_arguments());
    assert_eq!(apiservers(&silent), ["kube-apiserver-a v1.37.1~1.36 pod"]);
    let denies = read(static_pod(APISERVER, "a", "v1.37.1"));
    assert_eq!(
        apiservers(&denies),
        ["kube-apiserver-a v1.37.1 pod", "v1.37.1 v1.37.1~1.36 version"],
        "its arguments show that it emulates nothing, so another one answered"
    );
    let other = read(static_pod(APISERVER, "a", "v1.37.0").no_arguments());
    assert_eq!(
        apiservers(&other),
        ["kube-apiserver-a v1.37.0 pod", "v1.37.1 v1.37.1~1.36 version"],
        "another binary's emulation is not its own"
    );
}

#[test]
fn an_emulated_version_that_nobody_can_read_is_a_required_gap() {
    let asks = |component| static_pod(component, "a", "v1.37.1").argument("--emulated-version=$(EMULATED)");
    let plain = |component| static_pod(component, "a", "v1.37.1");
    let read = |git: &str, pods| inventory(cluster(git, vec![node("a", "v1.36.0")], pods));
    for component in [
        APISERVER,
        Component::KubeControllerManager,
        Component::KubeScheduler,
    ] {
        let pods = [
            APISERVER,
            Component::KubeControllerManager,
            Component::KubeScheduler,
        ]
        .map(|each| {
            if each == component {
                asks(each)
            } else {
                plain(each)
            }
        })
        .to_vec();
        let cluster = read("", pods);
        let name = format!("pod/kube-system/{}-a", component.name());
        assert_eq!(gaps_of(&cluster), (vec![name], vec![]));
        let gap = required(&cluster)[0];
        assert_eq!(gap.component(), Some(component));
        assert!(matches!(
            gap.reason,
            GapReason::PodsUnread {
                kind: UnreadKind::Emulation,
                ..
            }
        ));
        // The binary is known all the same.
        let instance = of(&cluster, component)[0];
        assert_eq!(instance.effective(), Some(Minor::new(37)));
    }
}

/// A single apiserver whose image is unread, with a flag or without.
fn by_digest(flag: Option<&str>) -> ObservedPod {
    let mut pod = static_pod(APISERVER, "a", "v1");
    pod.containers[0].image = Some("registry.example/kube-apiserver@sha256:aa".to_owned());
    flag.into_iter().fold(pod, super::build::PodWords::argument)
}

#[test]
fn a_flag_counts_also_where_the_image_is_unread_and_version_tells_no_emulation() {
    let read = |versions: Vec<VersionAnswer>, flag| {
        let mut observed = cluster("", vec![node("a", "v1.31.4")], vec![by_digest(flag)]);
        observed.versions = versions;
        inventory(observed)
    };
    let flag = Some("--emulated-version=1.31");
    let plain = || vec![version("v1.32.3")];
    assert_eq!(
        apiservers(&read(plain(), flag)),
        ["kube-apiserver-a v1.32.3~1.31 version"]
    );
    assert_eq!(
        apiservers(&read(plain(), None)),
        ["kube-apiserver-a v1.32.3 version"]
    );
    // Above the binary it is no emulation.
    let above = Some("--emulated-version=1.33");
    assert_eq!(
        apiservers(&read(plain(), above)),
        ["kube-apiserver-a v1.32.3 version"]
    );
    // What `/version` says wins, and of answers that differ the lowest.
    let says = |minor: &str| emulating("v1.34.0", minor, "32");
    assert_eq!(
        apiservers(&read(vec![says("34")], Some("--emulated-version=1.33"))),
        ["kube-apiserver-a v1.34.0 version"]
    );
    let differ = read(vec![says("34"), says("33"), version("v1.34.0")], None);
    assert_eq!(
        of(&differ, APISERVER)[0].effective(),
        Some(Minor::new(33)),
        "{:?}",
        apiservers(&differ)
    );
    // A flag that nobody can read stays unread where `/version` says nothing.
    let odd = read(plain(), Some("--emulated-version=$(EMULATED)"));
    assert_eq!(
        gaps_of(&odd).0,
        ["pod/kube-system/kube-apiserver-a"],
        "the binary is told, what it emulates is not"
    );
    assert_eq!(
        gaps_of(&read(vec![says("34")], Some("--emulated-version=$(EMULATED)"))).0,
        [""; 0]
    );
}

#[test]
fn the_flag_of_one_of_several_unread_apiservers_counts_and_leaves_the_gap() {
    let mut other = by_digest(Some("--emulated-version=1.31"));
    other.meta.name = "kube-apiserver-b".to_owned();
    let pods = vec![by_digest(None), other];
    let read = inventory(cluster("v1.32.3", vec![node("a", "v1.31.4")], pods));
    let effective: Vec<_> = of(&read, APISERVER)
        .into_iter()
        .filter(|instance| instance.judged)
        .filter_map(crate::inventory::Instance::effective)
        .collect();
    assert_eq!(effective, [Minor::new(31), Minor::new(32)]);
    assert_eq!(required(&read).len(), 1);
}

#[test]
fn a_version_that_tells_no_emulation_does_not_stand_in_for_a_flag_that_is_unread() {
    let pod = static_pod(APISERVER, "a", "v1.32.3").argument("--emulated-version=$(EMULATED)");
    let read = inventory(cluster("v1.32.3", vec![node("a", "v1.31.4")], vec![pod]));
    assert_eq!(gaps_of(&read).0, ["pod/kube-system/kube-apiserver-a"]);
}

#[test]
fn version_tells_what_an_apiserver_emulates_whose_arguments_do_not() {
    let mut observed = cluster("", vec![node("a", "v1.36.0")], Vec::new());
    observed.pods = Listing::whole(vec![
        static_pod(APISERVER, "a", "v1.37.1").argument("--emulated-version=$(EMULATED)"),
        static_pod(Component::KubeControllerManager, "a", "v1.37.1"),
        static_pod(Component::KubeScheduler, "a", "v1.37.1"),
    ]);
    observed.versions = vec![emulating("v1.37.1", "36", "35")];
    let told = inventory(observed.clone());
    assert_eq!(apiservers(&told), ["kube-apiserver-a v1.37.1~1.36 pod"]);
    assert_eq!(told.gaps, []);
    observed.versions = vec![emulating("v1.37.0", "36", "35")];
    let another = inventory(observed);
    let (required, _) = gaps_of(&another);
    assert_eq!(
        required,
        ["pod/kube-system/kube-apiserver-a"],
        "another binary's word is not its own"
    );
}
