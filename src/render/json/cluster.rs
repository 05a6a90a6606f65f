//! The control plane and the nodes, as the output holds them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Text, ToText, output, text};
use crate::inventory::version::Minor;
use crate::report::{self, Half};

output! {
    /// The control plane.
    struct ControlPlane {
        /// The oldest effective apiserver minor.
        oldest: Option<Text>,
        /// The newest effective apiserver minor.
        newest: Option<Text>,
        /// How many apiservers hold a live Lease.
        running: Option<usize>,
        /// The highest minCompatibility minor reported.
        min_compatibility: Option<Text>,
        /// Its instances.
        instances: Vec<Instance>,
    }

    /// A running component of the control plane.
    struct Instance {
        /// The component.
        component: &'static str,
        /// Its name.
        name: Text,
        /// Its node.
        node: Option<Text>,
        /// Its version as read.
        version: Option<Text>,
        /// Its binary's minor.
        minor: Option<Text>,
        /// The minor it emulates.
        emulated_minor: Option<Text>,
        /// What told the version.
        from: &'static str,
        /// Its image.
        image: Option<Text>,
        /// Whether the policy judges it.
        judged: bool,
    }

    /// A node and what runs on it.
    struct Node {
        /// Its name.
        name: Text,
        /// Its pool.
        pool: Option<Text>,
        /// Its roles.
        roles: Vec<Text>,
        /// Whether it is Ready; null where it has no such condition.
        ready: Option<bool>,
        /// Whether it is cordoned.
        cordoned: bool,
        /// Whether it is no kubelet of this cluster.
        r#virtual: bool,
        /// Whether it was taken out of the judgement.
        excluded: bool,
        /// Whether it is a control-plane node whose kubelet moves with its kube-apiserver.
        bound: bool,
        /// Its operating system.
        os: Option<Text>,
        /// Its zone.
        zone: Option<Text>,
        /// Whether its kubelet is below the target minor.
        lagging: bool,
        /// Its kubelet.
        kubelet: Kubelet,
        /// Its kube-proxies.
        kube_proxy: Vec<KubeProxy>,
        /// How many minors kubelet and kube-proxy are apart.
        pair_distance: Option<u16>,
        /// The highest control-plane minor it may still see.
        good_until: Option<Text>,
        /// Whether today's control plane is above that.
        is_out_today: bool,
        /// Today.
        now: Now,
        /// A cell for each minor of the path, or of the preview without a target.
        hops: Vec<HopCell>,
    }

    /// The kubelet of a node.
    struct Kubelet {
        /// Its version as read.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
    }

    /// A kube-proxy on a node.
    struct KubeProxy {
        /// Its pod.
        pod: Text,
        /// Its version; null where it is not known.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
        /// Its image.
        image: Option<Text>,
    }

    /// A kube-proxy on a node that is not listed.
    struct StrayKubeProxy {
        /// Its pod.
        pod: Text,
        /// The node that it names.
        node: Option<Text>,
        /// Its version; null where it is not known.
        version: Option<Text>,
        /// Its minor.
        minor: Option<Text>,
    }

    /// A node today.
    struct Now {
        /// `ok`, `atLimit`, `behind`, `newer`, `unknown` or `notJudged`.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        state: &'static str,
        /// How many minors the kubelet is behind the newest apiserver there; null where it was not read.
        kubelet: Option<i32>,
        /// The same of the kube-proxy; null where there is none or it was not read.
        kube_proxy: Option<i32>,
        /// Keys of the findings that make it so.
        reasons: Vec<Text>,
    }

    /// A node with all apiservers at one minor.
    struct HopCell {
        /// The minor.
        minor: Text,
        /// `ok`, `atLimit`, `behind`, `newer`, `unknown` or `notJudged`.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        state: &'static str,
        /// How many minors the kubelet is behind the newest apiserver there; null where it was not read.
        kubelet: Option<i32>,
        /// The same of the kube-proxy; null where there is none or it was not read.
        kube_proxy: Option<i32>,
        /// Keys of the findings that make it so.
        reasons: Vec<Text>,
    }
}

impl From<&report::ControlPlane> for ControlPlane {
    fn from(control_plane: &report::ControlPlane) -> Self {
        let report::ControlPlane {
            oldest,
            newest,
            running,
            min_compatibility,
            answers: _,
            instances,
        } = control_plane;
        Self {
            oldest: oldest.map(text),
            newest: newest.map(text),
            running: *running,
            min_compatibility: min_compatibility.map(text),
            instances: instances.iter().map(Instance::from).collect(),
        }
    }
}

impl From<&report::InstanceRow> for Instance {
    fn from(row: &report::InstanceRow) -> Self {
        let report::InstanceRow {
            component,
            name,
            node,
            version,
            minor,
            emulated_minor,
            from,
            image,
            judged,
        } = row;
        Self {
            component: component.name(),
            name: name.to_text(),
            node: node.to_text(),
            version: version.to_text(),
            minor: minor.map(text),
            emulated_minor: emulated_minor.map(text),
            from,
            image: image.to_text(),
            judged: *judged,
        }
    }
}

impl Node {
    pub(super) fn new(row: &report::NodeRow, columns: &[Minor]) -> Self {
        let report::NodeRow {
            name,
            pool,
            zone,
            roles,
            ready,
            cordoned,
            is_virtual,
            excluded,
            bound,
            os,
            lagging,
            left_behind: _,
            labels: _,
            kubelet,
            kube_proxy,
            pair_distance,
            good_until,
            is_out_today,
            is_problem: _,
            half_unread: _,
            now,
            hops,
        } = row;
        Self {
            name: name.to_text(),
            pool: pool.to_text(),
            roles: roles.to_text(),
            ready: *ready,
            cordoned: *cordoned,
            r#virtual: *is_virtual,
            excluded: *excluded,
            bound: *bound,
            os: os.to_text(),
            zone: zone.to_text(),
            lagging: *lagging,
            kubelet: Kubelet {
                version: kubelet.version.to_text(),
                minor: kubelet.minor.map(text),
            },
            kube_proxy: kube_proxy.iter().map(KubeProxy::from).collect(),
            pair_distance: *pair_distance,
            good_until: good_until.map(text),
            is_out_today: *is_out_today,
            now: Now {
                state: now.state.name(),
                kubelet: now.kubelet,
                kube_proxy: behind(now.kube_proxy),
                reasons: now.reasons.to_text(),
            },
            hops: columns
                .iter()
                .zip(hops)
                .map(|(minor, hop)| HopCell {
                    minor: text(*minor),
                    state: hop.state.name(),
                    kubelet: hop.kubelet,
                    kube_proxy: behind(hop.kube_proxy),
                    reasons: hop.reasons.to_text(),
                })
                .collect(),
        }
    }
}

fn behind(half: Half) -> Option<i32> {
    match half {
        Half::Behind(minors) => Some(minors),
        Half::Absent | Half::Unread => None,
    }
}

impl From<&report::StrayProxy> for StrayKubeProxy {
    fn from(stray: &report::StrayProxy) -> Self {
        let report::StrayProxy { proxy, node } = stray;
        let KubeProxy {
            pod,
            version,
            minor,
            image: _,
        } = proxy.into();
        Self {
            pod,
            node: node.to_text(),
            version,
            minor,
        }
    }
}

impl From<&report::ProxyRow> for KubeProxy {
    fn from(row: &report::ProxyRow) -> Self {
        let report::ProxyRow {
            pod,
            version,
            minor,
            image,
        } = row;
        Self {
            pod: pod.to_text(),
            version: version.to_text(),
            minor: minor.map(text),
            image: image.to_text(),
        }
    }
}
