//! What an operator types for a step: a row a platform and kind of step, each beside its source and the date of the row.
//! [`super::fill`] puts names in the place of the words in braces.
//!
//! `{to}` is the minor, `{pool}` a pool's name, `{node}` a node, `{workload}` a kube-proxy workload, `{component}` a
//! control-plane component, `{cluster}` the cluster's name. `$NAMES` in capitals are the operator's to set: each is in
//! [`VARIABLES`].

use crate::inventory::platform::Platform;
use crate::plan::steps::StepKind;

/// A command for a kind of step on one platform.
#[derive(Debug)]
pub struct CommandRow {
    /// The platform that moves the control plane; `None` where it is not known.
    pub platform: Option<Platform>,
    /// The kind of step.
    pub kind: StepKind,
    /// What it is repeated for.
    pub scope: Scope,
    /// The text, with words in braces.
    pub run: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    /// When the row was written.
    pub date: &'static str,
}

/// What a command is repeated for within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It is typed once.
    Cluster,
    /// Once for the first control-plane node.
    FirstControlPlaneNode,
    /// Once for each control-plane node but the first.
    OtherControlPlaneNodes,
    /// Once for each control-plane node.
    ControlPlaneNodes,
    /// Once for each pool.
    Pools,
    /// Once for each node.
    Nodes,
    /// Once for each kube-proxy workload.
    Workloads,
}

/// Why a platform has no command for a kind of step.
#[derive(Debug)]
pub struct NoCommand {
    /// The platform.
    pub platform: Platform,
    /// The kind of step.
    pub kind: StepKind,
    /// Why, in a sentence.
    pub reason: &'static str,
}

/// When the rows were written. Not every source was opened on that day: check a row before it is relied on.
const READ: &str = "2026-12-01";

const fn row(
    platform: Option<Platform>,
    kind: StepKind,
    scope: Scope,
    run: &'static str,
    source: &'static str,
) -> CommandRow {
    CommandRow {
        platform,
        kind,
        scope,
        run,
        source,
        date: READ,
    }
}

/// Every command, `None` for a cluster whose platform is not known.
pub const COMMANDS: &[CommandRow] = &[
    row(
        None,
        StepKind::Hop,
        Scope::Cluster,
        r"# Upgrade each kube-apiserver to {to}.x, then kube-controller-manager, kube-scheduler and cloud-controller-manager, with the tool that installed them.
kubectl get --raw /version",
        "https://kubernetes.io/docs/tasks/administer-cluster/cluster-upgrade/",
    ),
    row(
        None,
        StepKind::Kubelets,
        Scope::Nodes,
        r"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# $UPGRADE_NODE upgrades the kubelet of a node to a minor, or replaces the node.
$UPGRADE_NODE {node} {to}
kubectl uncordon {node}",
        "https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/",
    ),
    row(
        None,
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n kube-system set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n kube-system rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        None,
        StepKind::ControlPlane,
        Scope::Cluster,
        r"# Upgrade {component} to {to}.x with the tool that installed it: on each control-plane node, one after the other.
kubectl -n kube-system get pods -o wide",
        "https://kubernetes.io/docs/tasks/administer-cluster/cluster-upgrade/",
    ),
    row(
        None,
        StepKind::Emulation,
        Scope::Cluster,
        r"# On each control-plane node, one after the other, set --emulated-version={to} for kube-apiserver, then for the other components.
kubectl get --raw /version",
        "https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version/",
    ),
    row(
        Some(Platform::Eks),
        StepKind::Hop,
        Scope::Cluster,
        r"aws eks update-cluster-version --name {cluster} --kubernetes-version {to}
aws eks wait cluster-active --name {cluster}",
        "https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html",
    ),
    row(
        Some(Platform::Eks),
        StepKind::Kubelets,
        Scope::Pools,
        r"aws eks update-nodegroup-version --cluster-name {cluster} --nodegroup-name {pool} --kubernetes-version {to}
aws eks wait nodegroup-active --cluster-name {cluster} --nodegroup-name {pool}",
        "https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html",
    ),
    row(
        Some(Platform::Eks),
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"aws eks update-addon --cluster-name {cluster} --addon-name kube-proxy --addon-version "$KUBE_PROXY_ADDON_VERSION"
aws eks wait addon-active --cluster-name {cluster} --addon-name kube-proxy"#,
        "https://docs.aws.amazon.com/eks/latest/userguide/managing-kube-proxy.html",
    ),
    row(
        Some(Platform::Gke),
        StepKind::Hop,
        Scope::Cluster,
        r#"gcloud container clusters upgrade {cluster} --location "$LOCATION" --master --cluster-version {to}"#,
        "https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster",
    ),
    row(
        Some(Platform::Gke),
        StepKind::Kubelets,
        Scope::Pools,
        r#"gcloud container clusters upgrade {cluster} --location "$LOCATION" --node-pool {pool} --cluster-version {to}"#,
        "https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster",
    ),
    row(
        Some(Platform::Gke),
        StepKind::Emulation,
        Scope::Cluster,
        r#"gcloud beta container clusters complete-control-plane-upgrade {cluster} --location "$LOCATION""#,
        "https://discuss.google.dev/t/introducing-two-step-control-plane-minor-upgrades-with-rollback-safety/296334",
    ),
    row(
        Some(Platform::Aks),
        StepKind::Hop,
        Scope::Cluster,
        r#"az aks upgrade --resource-group "$RESOURCE_GROUP" --name {cluster} --kubernetes-version {to} --control-plane-only"#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        Some(Platform::Aks),
        StepKind::Kubelets,
        Scope::Pools,
        r#"az aks nodepool upgrade --resource-group "$RESOURCE_GROUP" --cluster-name {cluster} --name {pool} --kubernetes-version {to}"#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        Some(Platform::Aks),
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"# AKS moves its own kube-proxy DaemonSet: reconcile the cluster, and open a support case if it stays behind.
az aks update --resource-group "$RESOURCE_GROUP" --name {cluster}"#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        Some(Platform::Oke),
        StepKind::Hop,
        Scope::Cluster,
        r#"oci ce cluster update --cluster-id "$CLUSTER_ID" --kubernetes-version v{to}.x --wait-for-state SUCCEEDED"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengupgradingk8smasternode.htm",
    ),
    row(
        Some(Platform::Oke),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Node pool {pool}: $NODE_POOL_ID is its OCID.
oci ce node-pool update --node-pool-id "$NODE_POOL_ID" --kubernetes-version v{to}.x --node-pool-cycling-details '{"isNodeCyclingEnabled": true}' --wait-for-state SUCCEEDED"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengupgradingk8sworkernode_topic-Performing_an_InPlace_Worker_Node_Upgrade_by_Cycling_an_Existing_Node_Pool.htm",
    ),
    row(
        Some(Platform::Oke),
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"oci ce cluster update-addon --cluster-id "$CLUSTER_ID" --addon-name KubeProxy --from-json '{"version": null}'"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengconfiguringclusteraddons.htm",
    ),
    row(
        Some(Platform::Doks),
        StepKind::Hop,
        Scope::Cluster,
        r#"doctl kubernetes cluster get-upgrades {cluster}
doctl kubernetes cluster upgrade {cluster} --version "{to}.x""#,
        "https://docs.digitalocean.com/products/kubernetes/how-to/upgrade-cluster/",
    ),
    row(
        Some(Platform::Lke),
        StepKind::Hop,
        Scope::Cluster,
        r#"linode-cli lke cluster-update "$CLUSTER_ID" --k8s_version {to}"#,
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        Some(Platform::Lke),
        StepKind::Kubelets,
        Scope::Pools,
        r#"linode-cli lke pool-recycle "$CLUSTER_ID" {pool}"#,
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        Some(Platform::Lke),
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# LKE owns this DaemonSet: recycling the nodes renews it.
kubectl -n kube-system rollout status {workload}",
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        Some(Platform::Iks),
        StepKind::Hop,
        Scope::Cluster,
        r"ibmcloud ks cluster master update --cluster {cluster} --version {to}",
        "https://cloud.ibm.com/docs/containers?topic=containers-update",
    ),
    row(
        Some(Platform::Iks),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Worker pool {pool}, one worker after the other; on classic infrastructure: ibmcloud ks worker update.
ibmcloud ks workers --cluster {cluster} --worker-pool {pool}
ibmcloud ks worker replace --update --cluster {cluster} --worker "$WORKER""#,
        "https://cloud.ibm.com/docs/containers?topic=containers-update",
    ),
    row(
        Some(Platform::Roks),
        StepKind::Hop,
        Scope::Cluster,
        r#"# OpenShift versions: choose the one that carries Kubernetes {to}.
ibmcloud oc cluster master update --cluster {cluster} --version "$OPENSHIFT_VERSION""#,
        "https://cloud.ibm.com/docs/openshift?topic=openshift-update",
    ),
    row(
        Some(Platform::Roks),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Worker pool {pool}, one worker after the other; on classic infrastructure: ibmcloud oc worker update.
ibmcloud oc workers --cluster {cluster} --worker-pool {pool}
ibmcloud oc worker replace --update --cluster {cluster} --worker "$WORKER""#,
        "https://cloud.ibm.com/docs/openshift?topic=openshift-update",
    ),
    row(
        Some(Platform::Ack),
        StepKind::Hop,
        Scope::Cluster,
        r#"aliyun cs UpgradeCluster --ClusterId "$CLUSTER_ID" --body '{"next_version": "{to}.x", "master_only": true}'"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/upgrade-clusters",
    ),
    row(
        Some(Platform::Ack),
        StepKind::Kubelets,
        Scope::Pools,
        r#"aliyun cs UpgradeClusterNodepool --ClusterId "$CLUSTER_ID" --NodepoolId {pool} --body '{"kubernetes_version": "{to}.x"}'"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/developer-reference/api-cs-2015-12-15-upgradeclusternodepool",
    ),
    row(
        Some(Platform::Ack),
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"# ACK renews this DaemonSet with its add-on manager.
aliyun cs UpgradeClusterAddons --ClusterId "$CLUSTER_ID" --body '[{"component_name": "kube-proxy"}]'
kubectl -n kube-system rollout status {workload}"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/upgrade-clusters",
    ),
    row(
        Some(Platform::OpenShift),
        StepKind::Hop,
        Scope::Cluster,
        r#"# OpenShift versions: choose the one that carries Kubernetes {to}.
oc adm upgrade --to="$OPENSHIFT_VERSION"
oc adm wait-for-stable-cluster"#,
        "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/updating_clusters/performing-a-cluster-update",
    ),
    row(
        Some(Platform::OpenShift),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# The machine config operator drains and renews the nodes of an unpaused pool.
oc patch machineconfigpool/{pool} --type merge --patch '{"spec": {"paused": false}}'
oc wait machineconfigpool/{pool} --for=condition=Updated --timeout=4h"#,
        "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/updating_clusters/performing-a-cluster-update",
    ),
    row(
        Some(Platform::HyperShift),
        StepKind::Hop,
        Scope::Cluster,
        r#"kubectl -n "$HOSTED_NAMESPACE" patch hostedcluster {cluster} --type merge --patch "{\"spec\": {\"release\": {\"image\": \"$RELEASE_IMAGE\"}}}""#,
        "https://hypershift-docs.netlify.app/how-to/upgrades/",
    ),
    row(
        Some(Platform::HyperShift),
        StepKind::Kubelets,
        Scope::Pools,
        r#"kubectl -n "$HOSTED_NAMESPACE" patch nodepool {pool} --type merge --patch "{\"spec\": {\"release\": {\"image\": \"$RELEASE_IMAGE\"}}}""#,
        "https://hypershift-docs.netlify.app/how-to/upgrades/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::Hop,
        Scope::FirstControlPlaneNode,
        r"# With the package kubeadm {to}.x installed on the node:
ssh {node} sudo kubeadm upgrade apply v{to}.x",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::Hop,
        Scope::OtherControlPlaneNodes,
        r"# With the package kubeadm {to}.x installed on the node:
ssh {node} sudo kubeadm upgrade node",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# $INSTALL_PACKAGES installs kubeadm and kubelet {to}.x on the node.
ssh {node} "$INSTALL_PACKAGES"
ssh {node} sudo kubeadm upgrade node
ssh {node} 'sudo systemctl daemon-reload && sudo systemctl restart kubelet'
kubectl uncordon {node}"#,
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/upgrading-linux-nodes/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n kube-system set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n kube-system rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::ControlPlane,
        Scope::ControlPlaneNodes,
        r"# Where {component} is behind:
ssh {node} sudo kubeadm upgrade node",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        Some(Platform::Kubeadm),
        StepKind::Emulation,
        Scope::ControlPlaneNodes,
        r"# On the node {node}: set --emulated-version={to} in /etc/kubernetes/manifests/kube-apiserver.yaml, then in the other manifests.
kubectl get --raw /version",
        "https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version/",
    ),
    row(
        Some(Platform::Kops),
        StepKind::Hop,
        Scope::Cluster,
        r#"kops edit cluster {cluster} --set "spec.kubernetesVersion={to}.x"
kops update cluster {cluster} --instance-group-roles control-plane,apiserver --yes
kops rolling-update cluster {cluster} --instance-group-roles control-plane,apiserver --yes"#,
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Kops),
        StepKind::Kubelets,
        Scope::Pools,
        r"kops update cluster {cluster} --instance-group {pool} --yes
kops rolling-update cluster {cluster} --instance-group {pool} --yes",
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Kops),
        StepKind::KubeProxy,
        Scope::Workloads,
        r"kops update cluster {cluster} --yes
kubectl -n kube-system rollout status {workload}",
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Kops),
        StepKind::ControlPlane,
        Scope::Cluster,
        r"kops rolling-update cluster {cluster} --instance-group-roles control-plane --yes",
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::K3s),
        StepKind::Hop,
        Scope::ControlPlaneNodes,
        r#"# With the configuration that the server has; $K3S_INSTALL_URL is where the install script is.
ssh {node} "curl -sfL $K3S_INSTALL_URL | INSTALL_K3S_CHANNEL=v{to} sh -s - server""#,
        "https://docs.k3s.io/upgrades/manual",
    ),
    row(
        Some(Platform::K3s),
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# With the K3S_URL and K3S_TOKEN of the agent:
ssh {node} "curl -sfL $K3S_INSTALL_URL | INSTALL_K3S_CHANNEL=v{to} sh -s - agent"
kubectl uncordon {node}"#,
        "https://docs.k3s.io/upgrades/manual",
    ),
    row(
        Some(Platform::Rke2),
        StepKind::Hop,
        Scope::ControlPlaneNodes,
        r#"# $RKE2_INSTALL_URL is where the install script is.
ssh {node} "curl -sfL $RKE2_INSTALL_URL | sudo INSTALL_RKE2_CHANNEL=v{to} sh - && sudo systemctl restart rke2-server""#,
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        Some(Platform::Rke2),
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
ssh {node} "curl -sfL $RKE2_INSTALL_URL | sudo INSTALL_RKE2_CHANNEL=v{to} INSTALL_RKE2_TYPE=agent sh - && sudo systemctl restart rke2-agent"
kubectl uncordon {node}"#,
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        Some(Platform::Rke2),
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# RKE2 renews this workload with its servers and agents.
kubectl -n kube-system rollout status {workload}",
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        Some(Platform::Rke2),
        StepKind::ControlPlane,
        Scope::ControlPlaneNodes,
        r"# Where {component} is behind:
ssh {node} sudo systemctl restart rke2-server",
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        Some(Platform::K0s),
        StepKind::Hop,
        Scope::Cluster,
        r"# Set spec.k0s.version to v{to}.x+k0s.0 in k0sctl.yaml; k0sctl moves the controllers first.
k0sctl apply --config k0sctl.yaml",
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        Some(Platform::K0s),
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# $INSTALL_K0S puts the k0s {to}.x binary in its place.
ssh {node} "sudo k0s stop && $INSTALL_K0S && sudo k0s start"
kubectl uncordon {node}"#,
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        Some(Platform::K0s),
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# k0s renews its own DaemonSet when the controllers run {to}.
kubectl -n kube-system rollout status {workload}",
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        Some(Platform::Talos),
        StepKind::Hop,
        Scope::FirstControlPlaneNode,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Talos),
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
talosctl --nodes {node} patch machineconfig --patch "{\"machine\": {\"kubelet\": {\"image\": \"$REGISTRY/kubelet:v{to}.x\"}}}"
kubectl uncordon {node}"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Talos),
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false
kubectl -n kube-system rollout status {workload}"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::Talos),
        StepKind::ControlPlane,
        Scope::Cluster,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        Some(Platform::ClusterApi),
        StepKind::Hop,
        Scope::Cluster,
        r#"# In the management cluster; with a ClusterClass set spec.topology.version of the Cluster {cluster} instead.
kubectl -n "$CLUSTER_NAMESPACE" patch kubeadmcontrolplane "$CONTROL_PLANE" --type merge --patch "{\"spec\": {\"version\": \"v{to}.x\"}}""#,
        "https://cluster-api.sigs.k8s.io/tasks/upgrading-clusters",
    ),
    row(
        Some(Platform::ClusterApi),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# In the management cluster:
kubectl -n "$CLUSTER_NAMESPACE" patch machinedeployment {pool} --type merge --patch "{\"spec\": {\"template\": {\"spec\": {\"version\": \"v{to}.x\"}}}}""#,
        "https://cluster-api.sigs.k8s.io/tasks/upgrading-clusters",
    ),
    row(
        Some(Platform::ClusterApi),
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n kube-system set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n kube-system rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        Some(Platform::ClusterApi),
        StepKind::ControlPlane,
        Scope::Cluster,
        r#"# In the management cluster: clusterctl replaces the control-plane machines whose {component} is behind.
clusterctl alpha rollout restart kubeadmcontrolplane/"$CONTROL_PLANE" --namespace "$CLUSTER_NAMESPACE""#,
        "https://cluster-api.sigs.k8s.io/clusterctl/commands/alpha-rollout",
    ),
    row(
        Some(Platform::Gardener),
        StepKind::Hop,
        Scope::Cluster,
        r#"# In the garden cluster; a worker pool without a version of its own moves with the control plane: pin it first.
kubectl -n "$PROJECT_NAMESPACE" patch shoot "$SHOOT" --type merge --patch "{\"spec\": {\"kubernetes\": {\"version\": \"{to}.x\"}}}""#,
        "https://gardener.cloud/docs/gardener/shoot_updates/",
    ),
    row(
        Some(Platform::Gardener),
        StepKind::Kubelets,
        Scope::Pools,
        r#"# In the garden cluster: $WORKER_INDEX is the place of the pool {pool} in spec.provider.workers.
kubectl -n "$PROJECT_NAMESPACE" patch shoot "$SHOOT" --type json --patch "[{\"op\": \"add\", \"path\": \"/spec/provider/workers/$WORKER_INDEX/kubernetes\", \"value\": {\"version\": \"{to}.x\"}}]""#,
        "https://gardener.cloud/docs/gardener/worker_pool_k8s_versions/",
    ),
    row(
        Some(Platform::Gardener),
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# Gardener keeps a DaemonSet a pool and version: it moves when the pool does.
kubectl -n kube-system rollout status {workload}",
        "https://gardener.cloud/docs/gardener/shoot_updates/",
    ),
];

/// Every kind of step that a platform has no command for.
pub const NO_COMMANDS: &[NoCommand] = &[
    NoCommand {
        platform: Platform::Eks,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Eks,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Gke,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Gke,
        kind: StepKind::KubeProxy,
        reason: "kube-proxy is a static pod and moves with its node",
    },
    NoCommand {
        platform: Platform::Aks,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Aks,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Oke,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Oke,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Doks,
        kind: StepKind::Kubelets,
        reason: "one operation replaces the control plane and then every node: nodes move in the hop",
    },
    NoCommand {
        platform: Platform::Doks,
        kind: StepKind::KubeProxy,
        reason: "one operation replaces the control plane and then every node: kube-proxy moves in the hop",
    },
    NoCommand {
        platform: Platform::Doks,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Doks,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Lke,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Lke,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Iks,
        kind: StepKind::KubeProxy,
        reason: "the provider moves kube-proxy with the worker",
    },
    NoCommand {
        platform: Platform::Iks,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Iks,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Roks,
        kind: StepKind::KubeProxy,
        reason: "the network operator moves kube-proxy in the hop",
    },
    NoCommand {
        platform: Platform::Roks,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Roks,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Ack,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Ack,
        kind: StepKind::Emulation,
        reason: "the provider does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::OpenShift,
        kind: StepKind::KubeProxy,
        reason: "the network operator moves kube-proxy in the hop",
    },
    NoCommand {
        platform: Platform::OpenShift,
        kind: StepKind::ControlPlane,
        reason: "the cluster version operator moves these in the hop",
    },
    NoCommand {
        platform: Platform::OpenShift,
        kind: StepKind::Emulation,
        reason: "the cluster version operator does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::HyperShift,
        kind: StepKind::KubeProxy,
        reason: "the network operator moves kube-proxy in the hop",
    },
    NoCommand {
        platform: Platform::HyperShift,
        kind: StepKind::ControlPlane,
        reason: "the hosted control plane moves as one",
    },
    NoCommand {
        platform: Platform::HyperShift,
        kind: StepKind::Emulation,
        reason: "the hosted control plane does not offer an emulated version",
    },
    NoCommand {
        platform: Platform::Kops,
        kind: StepKind::Emulation,
        reason: "kOps sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::K3s,
        kind: StepKind::KubeProxy,
        reason: "kube-proxy runs within k3s and moves with its node",
    },
    NoCommand {
        platform: Platform::K3s,
        kind: StepKind::ControlPlane,
        reason: "a k3s server is one program: its control plane moves in the hop",
    },
    NoCommand {
        platform: Platform::K3s,
        kind: StepKind::Emulation,
        reason: "k3s sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::Rke2,
        kind: StepKind::Emulation,
        reason: "RKE2 sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::K0s,
        kind: StepKind::ControlPlane,
        reason: "a k0s controller is one program: its control plane moves in the hop",
    },
    NoCommand {
        platform: Platform::K0s,
        kind: StepKind::Emulation,
        reason: "k0s sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::Talos,
        kind: StepKind::Emulation,
        reason: "Talos sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::ClusterApi,
        kind: StepKind::Emulation,
        reason: "Cluster API sets no emulated version in a step of its own",
    },
    NoCommand {
        platform: Platform::Gardener,
        kind: StepKind::ControlPlane,
        reason: "the provider runs these components and moves them in the hop",
    },
    NoCommand {
        platform: Platform::Gardener,
        kind: StepKind::Emulation,
        reason: "Gardener does not offer an emulated version",
    },
];

/// What the operator sets, and what it is.
pub const VARIABLES: &[(&str, &str)] = &[
    ("CLUSTER", "the name of the cluster"),
    ("CLUSTER_ID", "the identifier of the cluster at the provider"),
    (
        "CLUSTER_NAMESPACE",
        "the namespace of the Cluster in the management cluster",
    ),
    ("CONTROL_PLANE", "the name of the KubeadmControlPlane"),
    ("CONTROL_PLANE_ADDRESS", "the address of one control-plane node"),
    ("CONTROL_PLANE_NODE", "each control-plane node in turn"),
    ("HOSTED_NAMESPACE", "the namespace of the HostedCluster"),
    (
        "INSTALL_K0S",
        "the command that puts the new k0s binary in its place on a node",
    ),
    (
        "INSTALL_PACKAGES",
        "the command that installs kubeadm and kubelet of the new version on a node",
    ),
    ("K3S_INSTALL_URL", "where the install script of k3s is"),
    (
        "KUBE_PROXY_ADDON_VERSION",
        "the version of the kube-proxy add-on: aws eks describe-addon-versions --addon-name kube-proxy",
    ),
    ("LOCATION", "the region or zone of the cluster"),
    ("NODE", "each node of the step in turn"),
    ("NODE_POOL_ID", "the OCID of the node pool"),
    (
        "OPENSHIFT_VERSION",
        "the OpenShift release that carries the Kubernetes minor",
    ),
    ("POOL", "the name of the pool"),
    ("PROJECT_NAMESPACE", "the namespace of the Gardener project"),
    (
        "REGISTRY",
        "the registry that the images of the cluster come from",
    ),
    (
        "RELEASE_IMAGE",
        "the OpenShift release image that carries the Kubernetes minor",
    ),
    ("RESOURCE_GROUP", "the resource group of the cluster"),
    ("RKE2_INSTALL_URL", "where the install script of RKE2 is"),
    ("SHOOT", "the name of the shoot"),
    (
        "UPGRADE_NODE",
        "the command that upgrades the kubelet of a node, or replaces the node",
    ),
    ("WORKER", "each worker of the pool in turn"),
    (
        "WORKER_INDEX",
        "the place of the pool in spec.provider.workers of the shoot, from 0",
    ),
    (
        "WORKLOAD",
        "the workload that owns the kube-proxy pods, such as daemonset/kube-proxy",
    ),
];
