//! The platform policies that are known: a row a limit, each beside its source and the date that was read or
//! changed. By minors only. A row whose sources contradict one another, or that nobody has confirmed, is here and
//! says so; it is in force only where the platform is asked for by name. What shows a platform is in
//! `inventory::platform`.

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::skew_policy::ServerMinors;

/// A platform with a name for `--policy`.
#[derive(Debug)]
pub struct Platform {
    /// Its name, as `--policy` takes it.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// Where it publishes its policy.
    pub source: &'static str,
    /// When that was read or changed.
    pub date: &'static str,
    /// What it says, where that is no more than upstream or more than a row holds.
    pub note: &'static str,
    /// Its limits that are stricter than upstream's.
    pub rows: &'static [Row],
}

/// A limit of a platform.
#[derive(Debug)]
pub struct Row {
    /// Who is judged.
    pub component: Component,
    /// Against whom.
    pub reference: Component,
    /// How many minors older it may be.
    pub older: u16,
    /// The server minors that it speaks of.
    pub server: ServerMinors,
    /// Whether its source settles it.
    pub confirmed: bool,
    /// Where it is written.
    pub source: &'static str,
    /// When that was read or changed.
    pub date: &'static str,
}

const fn kubelet(
    older: u16,
    server: ServerMinors,
    confirmed: bool,
    source: &'static str,
    date: &'static str,
) -> Row {
    Row {
        component: Component::Kubelet,
        reference: Component::KubeApiserver,
        older,
        server,
        confirmed,
        source,
        date,
    }
}

const fn every(from: u16, to: Option<u16>, modulus: u16, remainder: u16) -> ServerMinors {
    ServerMinors::Every {
        from: Minor::new(from),
        to: match to {
            Some(to) => Some(Minor::new(to)),
            None => None,
        },
        modulus,
        remainder,
    }
}

const OPENSHIFT: &str = "https://github.com/openshift/cluster-kube-apiserver-operator/pull/1199";
const OPENSHIFT_DATE: &str = "2026-04-16";
const UPSTREAM_ALIKE: &str = "no stricter than upstream";

/// Every platform.
pub const PLATFORMS: &[Platform] = &[
    Platform {
        name: "k0s",
        title: "k0s",
        source: "https://github.com/k0sproject/k0s/pull/8195",
        date: "2026-08-28",
        note: "a worker may be one minor behind its controllers, while an upgrade is under way",
        rows: &[kubelet(
            1,
            ServerMinors::All,
            true,
            "https://github.com/k0sproject/k0s/pull/8195",
            "2026-08-28",
        )],
    },
    Platform {
        name: "k3s",
        title: "K3s",
        source: "https://docs.k3s.io/upgrades/manual",
        date: "2026-08",
        note: UPSTREAM_ALIKE,
        rows: &[],
    },
    Platform {
        name: "rke2",
        title: "RKE2",
        source: "https://docs.rke2.io/upgrades/manual",
        date: "2026-08",
        note: UPSTREAM_ALIKE,
        rows: &[],
    },
    Platform {
        name: "roks",
        title: "Red Hat OpenShift on IBM Cloud",
        source: "https://cloud.ibm.com/docs/openshift?topic=openshift-update-master",
        date: "2026-11-06",
        note: "a worker may be one minor behind its master, fewer than OpenShift's own rule allows",
        rows: &[kubelet(
            1,
            ServerMinors::All,
            true,
            "https://cloud.ibm.com/docs/openshift?topic=openshift-update-master",
            "2026-11-06",
        )],
    },
    Platform {
        name: "hypershift",
        title: "OpenShift with hosted control planes",
        source: "https://github.com/openshift/hypershift/blob/main/docs/content/reference/versioning-support.md",
        date: "2026-02-03",
        note: "three minors for every 4.y; it also forbids a newer patch, which is not judged",
        rows: &[],
    },
    Platform {
        name: "openshift",
        title: "OpenShift",
        source: OPENSHIFT,
        date: OPENSHIFT_DATE,
        note: "4.y: two minors for an even y, one for an odd y and for 4.23; 5.y: one, two and three minors in turn. \
               1.36 is 4.23 as well as 5.0, which agree",
        rows: &[
            kubelet(2, every(16, Some(35), 2, 1), true, OPENSHIFT, OPENSHIFT_DATE),
            kubelet(1, every(16, Some(35), 2, 0), true, OPENSHIFT, OPENSHIFT_DATE),
            kubelet(1, every(36, None, 3, 0), true, OPENSHIFT, OPENSHIFT_DATE),
            kubelet(2, every(36, None, 3, 1), true, OPENSHIFT, OPENSHIFT_DATE),
            kubelet(3, every(36, None, 3, 2), true, OPENSHIFT, OPENSHIFT_DATE),
        ],
    },
    Platform {
        name: "gke",
        title: "Google Kubernetes Engine",
        source: "https://cloud.google.com/kubernetes-engine/versioning",
        date: "2026-08-21",
        note: "nodes may be two minors behind the control plane",
        rows: &[kubelet(
            2,
            ServerMinors::All,
            true,
            "https://cloud.google.com/kubernetes-engine/versioning",
            "2026-08-21",
        )],
    },
    Platform {
        name: "eks",
        title: "Amazon EKS",
        source: "https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html",
        date: "2024-12-18",
        note: "three minors for kubelets from 1.25 on, two before: upstream's own limits",
        rows: &[],
    },
    Platform {
        name: "aks",
        title: "Azure Kubernetes Service",
        source: "https://learn.microsoft.com/azure/aks/supported-kubernetes-versions",
        date: "2026-08-05",
        note: "one page allows three minors from 1.28 on, another two: the stricter is not confirmed",
        rows: &[kubelet(
            2,
            ServerMinors::All,
            false,
            "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
            "2026-08-05",
        )],
    },
    Platform {
        name: "oke",
        title: "Oracle Kubernetes Engine",
        source: "https://docs.oracle.com/en-us/iaas/Content/ContEng/Concepts/contengupgradeoverview.htm",
        date: "2026-08-14",
        note: UPSTREAM_ALIKE,
        rows: &[],
    },
    Platform {
        name: "iks",
        title: "IBM Cloud Kubernetes Service",
        source: "https://cloud.ibm.com/docs/containers?topic=containers-update",
        date: "2026-07-30",
        note: "workers may be two minors behind the master",
        rows: &[kubelet(
            2,
            ServerMinors::All,
            true,
            "https://cloud.ibm.com/docs/containers?topic=containers-update",
            "2026-07-30",
        )],
    },
    Platform {
        name: "ack",
        title: "Alibaba Cloud ACK",
        source: "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/node-pool-updates",
        date: "2026-03-25",
        note: "nodes have to match the control plane before its next step, so none is ever two behind",
        rows: &[kubelet(
            1,
            ServerMinors::All,
            true,
            "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/node-pool-updates",
            "2026-03-25",
        )],
    },
    Platform {
        name: "gardener",
        title: "Gardener",
        source: "https://github.com/gardener/gardener/blob/master/pkg/api/core/validation/shoot.go",
        date: "2026-08-21",
        note: "the code allows three minors, the documentation still two: the stricter is not confirmed",
        rows: &[kubelet(
            2,
            ServerMinors::All,
            false,
            "https://github.com/gardener/gardener/blob/master/docs/usage/shoot-operations/worker_pool_k8s_versions.md",
            "2026-08-21",
        )],
    },
    Platform {
        name: "kubeone",
        title: "KubeOne",
        source: "https://github.com/kubermatic/kubeone/issues/3010",
        date: "2024-01-14",
        note: "two minors, by what an open issue says of its code: not confirmed by its documentation",
        rows: &[kubelet(
            2,
            ServerMinors::All,
            false,
            "https://github.com/kubermatic/kubeone/issues/3010",
            "2024-01-14",
        )],
    },
    Platform {
        name: "kubeadm",
        title: "kubeadm",
        source: "https://github.com/kubernetes/kubernetes/pull/120825",
        date: "2023-10",
        note: "one minor up to kubeadm 1.28, three from 1.29 on; `--force` overrides it",
        rows: &[kubelet(
            1,
            every(0, Some(28), 1, 0),
            true,
            "https://github.com/kubernetes/kubernetes/pull/120825",
            "2023-10",
        )],
    },
];
