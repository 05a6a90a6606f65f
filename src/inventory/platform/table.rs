//! A row a platform: the marks that show it, and what it does by itself in a hop of the control plane.
//!
//! The order of the rows decides between several: the one that moves the control plane comes first. Cluster API
//! moves the clusters that kubeadm, k0s, k3s, RKE2, Talos or a cloud run for it; OpenShift's own operators and
//! kOps move theirs, whatever else the nodes show.

/// A platform that runs Kubernetes clusters, or upgrades them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    /// Red Hat OpenShift on IBM Cloud.
    Roks,
    /// OpenShift with hosted control planes.
    HyperShift,
    /// OpenShift.
    OpenShift,
    /// kOps.
    Kops,
    /// Cluster API.
    ClusterApi,
    /// Google Kubernetes Engine.
    Gke,
    /// Amazon EKS.
    Eks,
    /// Azure Kubernetes Service.
    Aks,
    /// Oracle Kubernetes Engine.
    Oke,
    /// `DigitalOcean` Kubernetes.
    Doks,
    /// Linode Kubernetes Engine.
    Lke,
    /// IBM Cloud Kubernetes Service.
    Iks,
    /// Alibaba Cloud ACK.
    Ack,
    /// Gardener.
    Gardener,
    /// k0s.
    K0s,
    /// k3s.
    K3s,
    /// RKE2.
    Rke2,
    /// Talos Linux.
    Talos,
    /// kubeadm.
    Kubeadm,
}

/// What a platform does by itself when its control plane is upgraded, and how it upgrades nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// The kube-proxy DaemonSets of kube-system that it moves at the end of the hop.
    pub kube_proxies: &'static [&'static str],
    /// It replaces every node at the end of the hop.
    pub moves_nodes: bool,
    /// Nodes take one minor a roll unless asked otherwise.
    pub one_minor_a_roll: bool,
    /// It allows older nodes only while an upgrade is under way.
    pub lag_only_under_way: bool,
    /// Where that is written.
    pub source: &'static str,
}

/// What a platform does where it leaves everything but the control plane to the operator.
const NOTHING: Upgrade = Upgrade {
    kube_proxies: &[],
    moves_nodes: false,
    one_minor_a_roll: false,
    lag_only_under_way: false,
    source: "",
};

/// How a version string shows a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    /// It holds this text.
    Holds(&'static str),
    /// It ends in `+` and seven hexadecimal digits, with nothing between release and `+` but a pre-release.
    CommitHash,
}

impl Suffix {
    /// Whether `version` carries it.
    pub(super) fn is_in(self, version: &str) -> bool {
        match self {
            Self::Holds(text) => version.contains(text),
            Self::CommitHash => version.split_once('+').is_some_and(|(release, hash)| {
                let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                let is_numbered = release.rsplit_once('-').is_some_and(|(_, last)| is_digits(last));
                hash.len() == 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()) && !is_numbered
            }),
        }
    }
}

/// Something that nodes or pods of a platform show beside their versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// All of these labels, on a node.
    Labels(&'static [&'static str]),
    /// An annotation of a node that does not carry the label `unless`.
    Annotation { key: &'static str, unless: &'static str },
    /// An annotation of a kube-apiserver pod.
    ApiserverAnnotation(&'static str),
    /// How `nodeInfo.osImage` starts.
    OsImage(&'static str),
}

/// A platform, how it is found, and what it does.
pub(super) struct Row {
    pub(super) platform: Platform,
    /// Its name in the output, and for `--policy` where it has limits of its own.
    name: &'static str,
    pub(super) suffixes: &'static [Suffix],
    pub(super) signs: &'static [Sign],
    /// Whether it only installs or upgrades: then it sets no limits, and is no answer to whose limits hold.
    pub(super) only_upgrades: bool,
    upgrade: Upgrade,
}

const fn row(
    platform: Platform,
    name: &'static str,
    suffixes: &'static [Suffix],
    signs: &'static [Sign],
) -> Row {
    Row {
        platform,
        name,
        suffixes,
        signs,
        only_upgrades: false,
        upgrade: NOTHING,
    }
}

/// Every platform; where a cluster shows several, the first moves its control plane.
pub(super) const PLATFORMS: &[Row] = &[
    row(
        Platform::Roks,
        "roks",
        &[],
        &[Sign::Labels(&[
            "ibm-cloud.kubernetes.io/worker-pool-name",
            "node.openshift.io/os_id",
        ])],
    ),
    row(
        Platform::HyperShift,
        "hypershift",
        &[],
        &[Sign::Labels(&["hypershift.openshift.io/nodePool"])],
    ),
    row(
        Platform::OpenShift,
        "openshift",
        &[Suffix::CommitHash],
        &[Sign::Labels(&["node.openshift.io/os_id"])],
    ),
    row(
        Platform::Kops,
        "kops",
        &[],
        &[Sign::Labels(&["kops.k8s.io/instancegroup"])],
    ),
    Row {
        only_upgrades: true,
        upgrade: Upgrade {
            kube_proxies: &["kube-proxy"],
            source: "https://cluster-api.sigs.k8s.io/tasks/control-plane/kubeadm-control-plane",
            ..NOTHING
        },
        ..row(
            Platform::ClusterApi,
            "cluster-api",
            &[],
            // Rancher makes machines of Cluster API too, and moves the k3s and RKE2 on them itself.
            &[Sign::Annotation {
                key: "cluster.x-k8s.io/cluster-name",
                unless: "rke.cattle.io/machine",
            }],
        )
    },
    row(
        Platform::Gke,
        "gke",
        &[Suffix::Holds("-gke.")],
        &[Sign::Labels(&["cloud.google.com/gke-nodepool"])],
    ),
    row(
        Platform::Eks,
        "eks",
        &[Suffix::Holds("-eks-")],
        &[
            Sign::Labels(&["eks.amazonaws.com/nodegroup"]),
            Sign::Labels(&["eks.amazonaws.com/compute-type"]),
        ],
    ),
    Row {
        upgrade: Upgrade {
            kube_proxies: &["kube-proxy"],
            source: "https://learn.microsoft.com/azure/aks/upgrade-aks-cluster",
            ..NOTHING
        },
        ..row(
            Platform::Aks,
            "aks",
            &[Suffix::Holds("-akslts")],
            &[
                Sign::Labels(&["kubernetes.azure.com/agentpool"]),
                Sign::Labels(&["kubernetes.azure.com/cluster"]),
            ],
        )
    },
    row(
        Platform::Oke,
        "oke",
        &[],
        &[
            Sign::Labels(&["oke.oraclecloud.com/pool.name"]),
            Sign::Labels(&["name.oci.oraclecloud.com/node.pool"]),
        ],
    ),
    Row {
        upgrade: Upgrade {
            moves_nodes: true,
            source: "https://docs.digitalocean.com/products/kubernetes/how-to/upgrade-cluster/",
            ..NOTHING
        },
        ..row(
            Platform::Doks,
            "doks",
            &[],
            &[Sign::Labels(&["doks.digitalocean.com/node-pool"])],
        )
    },
    row(
        Platform::Lke,
        "lke",
        &[],
        &[Sign::Labels(&["lke.linode.com/pool-id"])],
    ),
    row(
        Platform::Iks,
        "iks",
        &[Suffix::Holds("+IKS")],
        &[Sign::Labels(&["ibm-cloud.kubernetes.io/worker-pool-name"])],
    ),
    Row {
        upgrade: Upgrade {
            lag_only_under_way: true,
            source: "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/node-pool-updates",
            ..NOTHING
        },
        ..row(
            Platform::Ack,
            "ack",
            &[Suffix::Holds("-aliyun.")],
            &[Sign::Labels(&["alibabacloud.com/nodepool-id"])],
        )
    },
    row(
        Platform::Gardener,
        "gardener",
        &[],
        &[Sign::Labels(&["worker.gardener.cloud/pool"])],
    ),
    Row {
        upgrade: Upgrade {
            kube_proxies: &["kube-proxy", "kube-proxy-windows"],
            moves_nodes: false,
            one_minor_a_roll: true,
            lag_only_under_way: true,
            source: "https://docs.k0sproject.io/stable/version-skew-policy/",
        },
        ..row(
            Platform::K0s,
            "k0s",
            &[Suffix::Holds("+k0s"), Suffix::Holds("-k0s")],
            &[],
        )
    },
    row(Platform::K3s, "k3s", &[Suffix::Holds("+k3s")], &[]),
    row(Platform::Rke2, "rke2", &[Suffix::Holds("+rke2r")], &[]),
    Row {
        only_upgrades: true,
        upgrade: Upgrade {
            kube_proxies: &["kube-proxy"],
            one_minor_a_roll: true,
            source: "https://docs.siderolabs.com/kubernetes-guides/advanced-guides/upgrading-kubernetes",
            ..NOTHING
        },
        ..row(Platform::Talos, "talos", &[], &[Sign::OsImage("Talos")])
    },
    Row {
        only_upgrades: true,
        upgrade: Upgrade {
            kube_proxies: &["kube-proxy"],
            source: "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
            ..NOTHING
        },
        ..row(
            Platform::Kubeadm,
            "kubeadm",
            &[],
            &[Sign::ApiserverAnnotation(
                "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint",
            )],
        )
    },
];

impl Platform {
    /// Every platform.
    pub fn all() -> impl Iterator<Item = Self> {
        PLATFORMS.iter().map(|row| row.platform)
    }

    fn row(self) -> &'static Row {
        // A row a platform, by a test: the first is never taken for another.
        PLATFORMS
            .iter()
            .find(|row| row.platform == self)
            .unwrap_or(&PLATFORMS[0])
    }

    /// Its name in the output.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it does by itself when its control plane is upgraded.
    pub fn upgrade(self) -> Upgrade {
        self.row().upgrade
    }
}

fn signs() -> impl Iterator<Item = Sign> {
    PLATFORMS.iter().flat_map(|row| row.signs.iter().copied())
}

/// The labels of nodes that show a platform.
pub fn node_label_keys() -> impl Iterator<Item = &'static str> {
    signs().flat_map(|sign| match sign {
        Sign::Labels(keys) => keys.to_vec(),
        Sign::Annotation { unless, .. } => vec![unless],
        Sign::ApiserverAnnotation(_) | Sign::OsImage(_) => Vec::new(),
    })
}

/// The annotations of nodes that show a platform.
pub fn node_annotation_keys() -> impl Iterator<Item = &'static str> {
    signs().filter_map(|sign| match sign {
        Sign::Annotation { key, .. } => Some(key),
        _ => None,
    })
}

/// The annotations of pods that show a platform.
pub fn pod_annotation_keys() -> impl Iterator<Item = &'static str> {
    signs().filter_map(|sign| match sign {
        Sign::ApiserverAnnotation(key) => Some(key),
        _ => None,
    })
}

/// The texts in a version string by which it shows platforms.
pub fn version_suffixes(version: &str) -> impl Iterator<Item = &'static str> {
    let suffixes = PLATFORMS.iter().flat_map(|row| row.suffixes);
    suffixes.filter_map(move |suffix| match suffix {
        Suffix::Holds(text) if version.contains(text) => Some(*text),
        Suffix::Holds(_) | Suffix::CommitHash => None,
    })
}

/// Whether a version string ends in a commit's hash, as OpenShift's do.
pub fn has_commit_hash(version: &str) -> bool {
    Suffix::CommitHash.is_in(version)
}

/// The start of an operating system's name by which it shows a platform: what a decoder keeps of it.
pub fn shows_platform(os_image: &str) -> Option<&'static str> {
    signs().find_map(|sign| match sign {
        Sign::OsImage(start) => os_image.starts_with(start).then_some(start),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_one_row_and_a_source_for_what_it_does() {
        for row in PLATFORMS {
            let rows = PLATFORMS.iter().filter(|other| other.platform == row.platform);
            assert_eq!(rows.count(), 1, "{}", row.name);
            assert_eq!(row.platform.name(), row.name);
            let is_sourced = row.upgrade.source.starts_with("https://");
            assert_eq!(row.upgrade != NOTHING, is_sourced, "{}", row.name);
        }
    }

    #[test]
    fn what_each_platform_does_in_the_hop() {
        let doing = |does: fn(&Upgrade) -> bool| -> Vec<&str> {
            let rows = PLATFORMS.iter().filter(|row| does(&row.upgrade));
            rows.map(|row| row.name).collect()
        };
        assert_eq!(
            doing(|upgrade| upgrade.kube_proxies.contains(&"kube-proxy")),
            ["cluster-api", "aks", "k0s", "talos", "kubeadm"]
        );
        assert_eq!(
            doing(|upgrade| upgrade.kube_proxies.contains(&"kube-proxy-windows")),
            ["k0s"]
        );
        assert_eq!(doing(|upgrade| upgrade.moves_nodes), ["doks"]);
        assert_eq!(doing(|upgrade| upgrade.one_minor_a_roll), ["k0s", "talos"]);
        assert_eq!(doing(|upgrade| upgrade.lag_only_under_way), ["ack", "k0s"]);
    }

    #[test]
    fn a_commit_hash_shows_openshift_and_nothing_else_does() {
        for (text, is) in [
            ("v1.29.6+aadf0a5", true),
            ("v1.21.0-rc.0+6143dea", true),
            ("v1.22.3-3+9ec7c40", false),
            ("v1.36.4+k3s1", false),
            ("v1.28.7+vmware.1", false),
            ("v1.17.11+IKS", false),
            ("v1.36.4", false),
        ] {
            assert_eq!(Suffix::CommitHash.is_in(text), is, "{text}");
        }
    }
}
