//! OpenShift, which runs its control plane by digest and tells its versions through its operators.

use super::build::*;
use crate::inventory::InstanceSource;
use crate::inventory::component::Component;
use crate::inventory::observed::{Listing, Origin};
use crate::inventory::read_gap::Resource;
use crate::inventory::version::Minor;

const APISERVER: Component = Component::KubeApiserver;

#[test]
fn a_dump_of_openshift_without_its_operators_owes_the_managers() {
    let mut apiserver = pod("kube-apiserver-a");
    apiserver.meta.namespace = Some("openshift-kube-apiserver".to_owned());
    let mut observed = cluster(
        "v1.33.1+df9c838",
        vec![node("a", "v1.33.1+df9c838").labelled("node.openshift.io/os_id", "rhcos")],
        vec![apiserver],
    );
    observed.origin = Origin::Files;
    let inventory = inventory(observed);
    let owed: Vec<_> = required(&inventory)
        .iter()
        .filter(|gap| gap.skipped() == Some(Resource::ClusterOperators))
        .filter_map(|gap| gap.component())
        .collect();
    assert_eq!(owed, [Component::KubeControllerManager, Component::KubeScheduler]);
}

#[test]
fn openshift_tells_its_control_plane_by_its_operators() {
    let openshift = |operators| {
        let mut observed = cluster(
            "v1.20.0+df9c838",
            vec![node("a", "v1.20.0+df9c838").labelled("node.openshift.io/os_id", "rhcos")],
            Vec::new(),
        );
        observed.operators = Listing::whole(operators);
        observed
    };
    let all = || {
        vec![
            operator("kube-scheduler", "1.20.0-beta.2"),
            operator("kube-apiserver", "1.20.0-beta.2"),
            operator("kube-controller-manager", "1.20.0-beta.2"),
        ]
    };
    let known = inventory(openshift(all()));
    assert_eq!(
        apiservers(&known),
        ["kube-apiserver 1.20.0-beta.2 clusterOperator"]
    );
    for component in [Component::KubeControllerManager, Component::KubeScheduler] {
        let instances = of(&known, component);
        assert_eq!(instances.len(), 1);
        assert_eq!(instances[0].effective(), Some(Minor::new(20)));
        assert_eq!(instances[0].from, InstanceSource::ClusterOperator);
    }
    assert_eq!(known.gaps, []);

    let mut moving = all();
    moving[1].progressing = true;
    let moving = inventory(openshift(moving));
    assert_eq!(optional(&moving).len(), 1);
    assert_eq!(optional(&moving)[0].component(), Some(APISERVER));
    assert_eq!(required(&moving).len(), 0);

    let mut silent = all();
    silent[0].versions.pop();
    let silent = inventory(openshift(silent));
    assert_eq!(required(&silent)[0].component(), Some(Component::KubeScheduler));
    assert_eq!(silent.gaps.len(), 1, "said once: {:?}", silent.gaps);

    assert_eq!(
        inventory(openshift(Vec::new())).gaps,
        [],
        "no such API is a hidden control plane"
    );
}

#[test]
fn openshift_pods_in_a_dump_go_by_digest_only() {
    let by_digest = |component: Component, on: &str| {
        let name = component.name();
        pod(&format!("{name}-{on}"))
            .namespace(&format!("openshift-{name}"))
            .label("app", &format!("openshift-{name}"))
            .on(on)
            .container(name, "quay.io/openshift-release-dev/ocp@sha256:ab")
            .container("cert-syncer", "quay.io/openshift-release-dev/ocp@sha256:cd")
            .ran()
    };
    let pods: Vec<_> = [
        APISERVER,
        Component::KubeControllerManager,
        Component::KubeScheduler,
        Component::KubeProxy,
    ]
    .into_iter()
    .flat_map(|component| [by_digest(component, "a"), by_digest(component, "b")])
    .chain([pod("installer-7-a")
        .namespace("openshift-kube-apiserver")
        .label("app", "installer")
        .container("installer", "quay.io/openshift-release-dev/ocp@sha256:ef")])
    .collect();
    let mut observed = cluster("v1.17.1", vec![node("a", "v1.17.1")], pods);
    observed.origin = Origin::Files;
    let dark = inventory(observed.clone());
    let unread: Vec<_> = required(&dark).iter().map(|gap| gap.component()).collect();
    assert_eq!(
        unread,
        [
            Some(APISERVER),
            Some(Component::KubeControllerManager),
            Some(Component::KubeScheduler)
        ]
    );
    let proxies: Vec<_> = optional(&dark).iter().map(|gap| gap.component()).collect();
    assert_eq!(proxies, [Some(Component::KubeProxy)]);

    observed.operators = Listing::whole(vec![
        operator("kube-apiserver", "1.17.1"),
        operator("kube-controller-manager", "1.17.1"),
        operator("kube-scheduler", "1.17.1"),
    ]);
    let told = inventory(observed);
    assert_eq!(required(&told).len(), 0);
    assert_eq!(told.set_aside.len(), 6);
    assert_eq!(told.instances.len(), 3);
}

#[test]
fn the_kube_proxies_of_openshift_alone_say_nothing_of_its_other_pods() {
    let kube_proxy = pod("openshift-kube-proxy-x")
        .namespace("openshift-kube-proxy")
        .label("app", "kube-proxy")
        .on("a")
        .container("kube-proxy", "quay.io/openshift-release-dev/ocp@sha256:ab")
        .ran();
    let mut observed = cluster("v1.33.2", vec![node("a", "v1.33.2")], vec![kube_proxy]);
    observed.origin = Origin::Files;
    let alone = inventory(observed.clone());
    let skipped: Vec<_> = required(&alone).iter().map(|gap| gap.skipped()).collect();
    assert_eq!(skipped, [Some(Resource::Pods)]);
    // One more pod of kube-system was listed, whatever it is.
    if let Listing::Read { listed, .. } = &mut observed.pods {
        *listed += 1;
    }
    assert_eq!(required(&inventory(observed)).len(), 0);
}

#[test]
fn an_operator_that_is_missing_beside_others_is_a_required_gap() {
    let read = |operators| {
        let labelled = node("a", "v1.33.1").labelled("node.openshift.io/os_id", "rhcos");
        let mut observed = cluster("v1.33.1", vec![labelled], Vec::new());
        observed.operators = Listing::whole(operators);
        let inventory = inventory(observed);
        required(&inventory)
            .iter()
            .filter_map(|gap| gap.component())
            .collect::<Vec<_>>()
    };
    let version = |name| operator(name, "1.33.1");
    assert_eq!(
        read(vec![version("kube-apiserver"), version("kube-scheduler")]),
        [Component::KubeControllerManager]
    );
    assert_eq!(
        read(vec![
            version("kube-controller-manager"),
            version("kube-scheduler")
        ]),
        [APISERVER]
    );
    assert_eq!(read(vec![version("dns")]), [], "no operator of the control plane");
}
