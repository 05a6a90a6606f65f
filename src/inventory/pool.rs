//! The pool of a node: a table of the labels by which platforms name pools, a row each. A platform's
//! label wins over a role, the user's `--pool-label` over both.

use super::observed::Meta;

/// Every role is a key of its own behind this prefix.
pub const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
/// The role label of clusters older than 1.16, whose value is the role.
pub const ROLE_VALUE: &str = "kubernetes.io/role";
/// The instance group of a node that kOps made, the control plane's included.
pub(super) const KOPS: &str = "kops.k8s.io/instancegroup";

/// What names a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PoolSource {
    /// The label of a managed node group, all nodes of which run one version by nature.
    NodeGroup,
    /// Another label, a platform's or that of `--pool-label`.
    Label,
    /// The role: such nodes need have nothing else in common.
    Role,
}

/// A label (or annotation) whose value is the pool's name.
struct PoolKey {
    key: &'static str,
    is_annotation: bool,
    source: PoolSource,
}

const fn label(key: &'static str) -> PoolKey {
    PoolKey {
        key,
        is_annotation: false,
        source: PoolSource::Label,
    }
}

/// The label of a managed node group.
const fn group(key: &'static str) -> PoolKey {
    PoolKey {
        source: PoolSource::NodeGroup,
        ..label(key)
    }
}

const fn annotation(key: &'static str) -> PoolKey {
    PoolKey {
        is_annotation: true,
        ..label(key)
    }
}

/// In order: the first that a node has counts. Karpenter comes before the clouds it runs on, because its nodes
/// may carry their labels too.
const POOL_KEYS: &[PoolKey] = &[
    // Karpenter, present and before 0.32: https://karpenter.sh/docs/concepts/nodepools/
    label("karpenter.sh/nodepool"),
    label("karpenter.sh/provisioner-name"),
    // EKS managed node groups: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
    group("eks.amazonaws.com/nodegroup"),
    // eksctl's self-managed groups: https://eksctl.io/usage/nodegroups/
    label("alpha.eksctl.io/nodegroup-name"),
    // EKS on Fargate: https://docs.aws.amazon.com/eks/latest/userguide/fargate-profile.html
    label("eks.amazonaws.com/fargate-profile"),
    // GKE: https://cloud.google.com/kubernetes-engine/docs/concepts/node-pools
    group("cloud.google.com/gke-nodepool"),
    // AKS, present and former: https://learn.microsoft.com/azure/aks/use-labels
    group("kubernetes.azure.com/agentpool"),
    group("agentpool"),
    // OKE: https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengsupportedlabelsusecases.htm
    label("oke.oraclecloud.com/pool.name"),
    label("name.oke.oraclecloud.com/pool"),
    // DOKS: https://docs.digitalocean.com/products/kubernetes/details/managed/
    label("doks.digitalocean.com/node-pool"),
    // LKE: https://github.com/linode/linode-cloud-controller-manager
    group("lke.linode.com/pool-id"),
    // IKS and ROKS: https://cloud.ibm.com/docs/containers?topic=containers-kubernetes-service-cli
    label("ibm-cloud.kubernetes.io/worker-pool-name"),
    // ACK: https://www.alibabacloud.com/help/en/ack/
    group("alibabacloud.com/nodepool-id"),
    group("node.alibabacloud.com/nodepool-id"),
    // TKE: https://www.tencentcloud.com/document/product/457
    label("tke.cloud.tencent.com/nodepool-id"),
    // CCE: https://support.huaweicloud.com/intl/en-us/usermanual-cce/cce_10_0004.html
    label("cce.cloud.com/cce-nodepool"),
    // Scaleway Kapsule: https://www.scaleway.com/en/docs/kubernetes/
    label("k8s.scaleway.com/pool-name"),
    // OVHcloud: https://help.ovhcloud.com/csm/en-public-cloud-kubernetes-node-pools
    label("nodepool"),
    // Exoscale SKS: https://community.exoscale.com/product/compute/containers/
    label("node.exoscale.net/nodepool-id"),
    // kOps: https://kops.sigs.k8s.io/labels/
    label(KOPS),
    // Gardener: https://github.com/gardener/gardener/blob/master/docs/usage/shoot-operations/worker_pool_k8s_versions.md
    label("worker.gardener.cloud/pool"),
    label("worker.garden.sapcloud.io/group"),
    // HyperShift: https://hypershift-docs.netlify.app/
    label("hypershift.openshift.io/nodePool"),
    // Cluster API: https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations
    label("topology.cluster.x-k8s.io/deployment-name"),
    label("cluster.x-k8s.io/deployment-name"),
    annotation("cluster.x-k8s.io/owner-name"),
    // Rancher: https://ranchermanager.docs.rancher.com/
    label("rke.cattle.io/rke-machine-pool-name"),
];

/// Roles that every platform has; of a node with several the first of these names the pool.
const FIRST_ROLES: [&str; 4] = ["control-plane", "master", "infra", "worker"];

/// The label keys that name a pool.
pub fn keys() -> impl Iterator<Item = &'static str> {
    POOL_KEYS
        .iter()
        .filter(|row| !row.is_annotation)
        .map(|row| row.key)
}

/// The annotation keys that name a pool.
pub fn annotation_keys() -> impl Iterator<Item = &'static str> {
    POOL_KEYS
        .iter()
        .filter(|row| row.is_annotation)
        .map(|row| row.key)
}

/// The pool of a node: by the label asked for, else by its platform's, else by its role.
pub fn pool(meta: &Meta, asked: Option<&str>) -> Option<(String, PoolSource)> {
    if let Some(key) = asked
        && let Some(name) = meta.label(key).filter(|value| !value.is_empty())
    {
        let row = POOL_KEYS.iter().find(|row| row.key == key);
        return Some((name.to_owned(), row.map_or(PoolSource::Label, |row| row.source)));
    }
    let value = |row: &PoolKey| {
        let value = if row.is_annotation {
            meta.annotation(row.key)
        } else {
            meta.label(row.key)
        }?;
        (!value.is_empty()).then(|| (value.to_owned(), row.source))
    };
    POOL_KEYS
        .iter()
        .find_map(value)
        .or_else(|| Some((role_pool(&roles(meta))?, PoolSource::Role)))
}

/// The roles of a node, sorted and without repeats.
pub fn roles(meta: &Meta) -> Vec<String> {
    let mut roles: Vec<String> = meta
        .labels
        .iter()
        .filter_map(|(key, value)| match key.strip_prefix(ROLE_PREFIX) {
            Some(role) => Some(role),
            None => (key == ROLE_VALUE).then_some(value.as_str()),
        })
        .filter(|role| !role.is_empty())
        .map(str::to_owned)
        .collect();
    roles.sort();
    roles.dedup();
    roles
}

fn role_pool(roles: &[String]) -> Option<String> {
    // A machine-config pool of one's own (`infra`, `gpu`) comes with the role `worker`; what is special names it.
    let special = roles.iter().find(|role| !FIRST_ROLES.contains(&role.as_str()));
    let control_plane = roles
        .iter()
        .find(|role| matches!(role.as_str(), "control-plane" | "master"));
    match (control_plane, special) {
        (Some(_), _) => Some("control-plane".to_owned()),
        (None, Some(special)) => Some(special.clone()),
        (None, None) => FIRST_ROLES
            .iter()
            .find(|first| roles.iter().any(|role| role == *first))
            .map(|first| (*first).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pool's name alone.
    fn named(meta: &Meta, asked: Option<&str>) -> Option<String> {
        pool(meta, asked).map(|(name, _)| name)
    }

    fn meta(labels: &[(&str, &str)]) -> Meta {
        Meta {
            labels: labels
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            ..Meta::default()
        }
    }

    #[test]
    fn each_platform_names_its_pools_by_its_own_label() {
        for (key, value) in [
            ("karpenter.sh/nodepool", "default"),
            ("karpenter.sh/provisioner-name", "default"),
            ("eks.amazonaws.com/nodegroup", "ng-1"),
            ("alpha.eksctl.io/nodegroup-name", "ng-1"),
            ("eks.amazonaws.com/fargate-profile", "fp-default"),
            ("cloud.google.com/gke-nodepool", "default-pool"),
            ("kubernetes.azure.com/agentpool", "nodepool1"),
            ("agentpool", "nodepool1"),
            ("name.oke.oraclecloud.com/pool", "pool1"),
            ("doks.digitalocean.com/node-pool", "pool-x"),
            ("lke.linode.com/pool-id", "12345"),
            ("ibm-cloud.kubernetes.io/worker-pool-name", "default"),
            ("alibabacloud.com/nodepool-id", "np1"),
            ("kops.k8s.io/instancegroup", "nodes-a"),
            ("worker.gardener.cloud/pool", "pool1"),
            ("topology.cluster.x-k8s.io/deployment-name", "md-0"),
            ("cluster.x-k8s.io/deployment-name", "md-0"),
            ("rke.cattle.io/rke-machine-pool-name", "pool1"),
            ("hypershift.openshift.io/nodePool", "np"),
        ] {
            assert_eq!(
                named(&meta(&[(key, value)]), None).as_deref(),
                Some(value),
                "{key}"
            );
        }
    }

    #[test]
    fn the_label_asked_for_wins_and_falls_back_where_a_node_lacks_it() {
        let node = meta(&[
            ("cloud.google.com/gke-nodepool", "default-pool"),
            ("team", "blue"),
        ]);
        assert_eq!(named(&node, Some("team")).as_deref(), Some("blue"));
        assert_eq!(named(&node, Some("other")).as_deref(), Some("default-pool"));
    }

    #[test]
    fn karpenter_speaks_before_the_cloud_it_runs_on() {
        let node = meta(&[
            ("eks.amazonaws.com/nodegroup", "ng"),
            ("karpenter.sh/nodepool", "spot"),
        ]);
        assert_eq!(named(&node, None).as_deref(), Some("spot"));
    }

    #[test]
    fn without_a_platform_the_role_is_the_pool() {
        for (labels, want) in [
            (
                vec![("node-role.kubernetes.io/control-plane", "")],
                Some("control-plane"),
            ),
            (
                vec![("node-role.kubernetes.io/master", "")],
                Some("control-plane"),
            ),
            (vec![("node-role.kubernetes.io/worker", "")], Some("worker")),
            (
                vec![
                    ("node-role.kubernetes.io/infra", ""),
                    ("node-role.kubernetes.io/worker", ""),
                ],
                Some("infra"),
            ),
            (
                vec![
                    ("node-role.kubernetes.io/gpu", ""),
                    ("node-role.kubernetes.io/worker", ""),
                ],
                Some("gpu"),
            ),
            (vec![("kubernetes.io/role", "node")], Some("node")),
            (vec![], None),
        ] {
            assert_eq!(named(&meta(&labels), None).as_deref(), want, "{labels:?}");
        }
    }

    #[test]
    fn an_empty_value_names_no_pool() {
        assert_eq!(named(&meta(&[("agentpool", "")]), None), None);
    }

    #[test]
    fn only_managed_node_groups_have_one_version_by_nature() {
        let source = |key: &str, asked| pool(&meta(&[(key, "x")]), asked).map(|(_, source)| source);
        for key in [
            "eks.amazonaws.com/nodegroup",
            "cloud.google.com/gke-nodepool",
            "kubernetes.azure.com/agentpool",
            "agentpool",
            "lke.linode.com/pool-id",
            "alibabacloud.com/nodepool-id",
        ] {
            assert_eq!(source(key, None), Some(PoolSource::NodeGroup), "{key}");
            assert_eq!(source(key, Some(key)), Some(PoolSource::NodeGroup), "{key}");
        }
        for key in [
            "karpenter.sh/nodepool",
            "alpha.eksctl.io/nodegroup-name",
            "oke.oraclecloud.com/pool.name",
            "kops.k8s.io/instancegroup",
        ] {
            assert_eq!(source(key, None), Some(PoolSource::Label), "{key}");
        }
        assert_eq!(source("team", Some("team")), Some(PoolSource::Label));
        assert_eq!(
            source("node-role.kubernetes.io/worker", None),
            Some(PoolSource::Role)
        );
    }
}
