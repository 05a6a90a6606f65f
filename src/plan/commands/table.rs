//! What an operator types for a step: a row a platform and kind of step, each beside its source and the date that was
//! read. [`super::fill`] puts names in the place of the words in braces.
//!
//! `{to}` is the minor, `{pool}` the pool's name, `{selector}` the label that names the pool, `{node}` a node,
//! `{workload}` and `{namespace}` a kube-proxy workload, `{component}` a control-plane component. `$NAMES` in capitals
//! are the operator's to set.

use super::super::steps::StepKind;

/// A command for a kind of step on one platform.
#[derive(Debug)]
pub struct CommandRow {
    /// The platform, by the name that `platform` has in the report.
    pub platform: &'static str,
    /// The kind of step.
    pub kind: StepKind,
    /// What it is repeated for.
    pub scope: Scope,
    /// The text, with words in braces.
    pub run: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    /// When that was read.
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
    pub platform: &'static str,
    /// The kind of step.
    pub kind: StepKind,
    /// Why, in a sentence.
    pub reason: &'static str,
}

/// When the sources were read.
const READ: &str = "2026-12-01";

const fn row(
    platform: &'static str,
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

/// Every command, `kubectl` for a cluster whose platform is not known.
pub const COMMANDS: &[CommandRow] = &[
    row(
        "kubectl",
        StepKind::Hop,
        Scope::Cluster,
        r"# Upgrade each kube-apiserver to {to}.x, then kube-controller-manager, kube-scheduler and cloud-controller-manager, with the tool that installed them.
kubectl get --raw /version",
        "https://kubernetes.io/docs/tasks/administer-cluster/cluster-upgrade/",
    ),
    row(
        "kubectl",
        StepKind::Kubelets,
        Scope::Nodes,
        r"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# $UPGRADE_NODE upgrades the kubelet of a node to a minor, or replaces the node.
$UPGRADE_NODE {node} {to}
kubectl uncordon {node}",
        "https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/",
    ),
    row(
        "kubectl",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n {namespace} set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n {namespace} rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        "kubectl",
        StepKind::ControlPlane,
        Scope::Cluster,
        r"# Upgrade {component} to {to}.x with the tool that installed it: on each control-plane node, one after the other.
kubectl -n kube-system get pods -o wide",
        "https://kubernetes.io/docs/tasks/administer-cluster/cluster-upgrade/",
    ),
    row(
        "kubectl",
        StepKind::Emulation,
        Scope::Cluster,
        r"# On each control-plane node, one after the other, set --emulated-version={to} for kube-apiserver, then for the other components.
kubectl get --raw /version",
        "https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version/",
    ),
    row(
        "eks",
        StepKind::Hop,
        Scope::Cluster,
        r"aws eks update-cluster-version --name {eks_cluster} --kubernetes-version {to}
aws eks wait cluster-active --name {eks_cluster}",
        "https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html",
    ),
    row(
        "eks",
        StepKind::Kubelets,
        Scope::Pools,
        r"aws eks update-nodegroup-version --cluster-name {eks_cluster} --nodegroup-name {pool} --kubernetes-version {to}
aws eks wait nodegroup-active --cluster-name {eks_cluster} --nodegroup-name {pool}",
        "https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html",
    ),
    row(
        "eks",
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"aws eks update-addon --cluster-name {eks_cluster} --addon-name kube-proxy --addon-version "$KUBE_PROXY_ADDON_VERSION"
aws eks wait addon-active --cluster-name {eks_cluster} --addon-name kube-proxy"#,
        "https://docs.aws.amazon.com/eks/latest/userguide/managing-kube-proxy.html",
    ),
    row(
        "gke",
        StepKind::Hop,
        Scope::Cluster,
        r#"gcloud container clusters upgrade "$CLUSTER" --location "$LOCATION" --master --cluster-version {to}"#,
        "https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster",
    ),
    row(
        "gke",
        StepKind::Kubelets,
        Scope::Pools,
        r#"gcloud container clusters upgrade "$CLUSTER" --location "$LOCATION" --node-pool {pool} --cluster-version {to}"#,
        "https://cloud.google.com/kubernetes-engine/docs/how-to/upgrading-a-cluster",
    ),
    row(
        "gke",
        StepKind::Emulation,
        Scope::Cluster,
        r#"gcloud beta container clusters complete-control-plane-upgrade "$CLUSTER" --location "$LOCATION""#,
        "https://discuss.google.dev/t/introducing-two-step-control-plane-minor-upgrades-with-rollback-safety/296334",
    ),
    row(
        "aks",
        StepKind::Hop,
        Scope::Cluster,
        r#"az aks upgrade --resource-group "$RESOURCE_GROUP" --name "$CLUSTER" --kubernetes-version {to} --control-plane-only"#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        "aks",
        StepKind::Kubelets,
        Scope::Pools,
        r#"az aks nodepool upgrade --resource-group "$RESOURCE_GROUP" --cluster-name "$CLUSTER" --name {pool} --kubernetes-version {to}"#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        "aks",
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"# AKS moves its own kube-proxy DaemonSet: reconcile the cluster, and open a support case if it stays behind.
az aks update --resource-group "$RESOURCE_GROUP" --name "$CLUSTER""#,
        "https://learn.microsoft.com/azure/aks/upgrade-node-pools",
    ),
    row(
        "oke",
        StepKind::Hop,
        Scope::Cluster,
        r#"oci ce cluster update --cluster-id "$CLUSTER_ID" --kubernetes-version v{to}.x --wait-for-state SUCCEEDED"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengupgradingk8smasternode.htm",
    ),
    row(
        "oke",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Node pool {pool}: $NODE_POOL_ID is its OCID.
oci ce node-pool update --node-pool-id "$NODE_POOL_ID" --kubernetes-version v{to}.x --node-pool-cycling-details '{"isNodeCyclingEnabled": true}' --wait-for-state SUCCEEDED"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengupgradingk8sworkernode_topic-Performing_an_InPlace_Worker_Node_Upgrade_by_Cycling_an_Existing_Node_Pool.htm",
    ),
    row(
        "oke",
        StepKind::KubeProxy,
        Scope::Cluster,
        r#"oci ce cluster update-addon --cluster-id "$CLUSTER_ID" --addon-name KubeProxy --from-json '{"version": null}'"#,
        "https://docs.oracle.com/en-us/iaas/Content/ContEng/Tasks/contengconfiguringclusteraddons.htm",
    ),
    row(
        "doks",
        StepKind::Hop,
        Scope::Cluster,
        r#"doctl kubernetes cluster get-upgrades "$CLUSTER"
doctl kubernetes cluster upgrade "$CLUSTER" --version "{to}.x""#,
        "https://docs.digitalocean.com/products/kubernetes/how-to/upgrade-cluster/",
    ),
    row(
        "lke",
        StepKind::Hop,
        Scope::Cluster,
        r#"linode-cli lke cluster-update "$CLUSTER_ID" --k8s_version {to}"#,
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        "lke",
        StepKind::Kubelets,
        Scope::Pools,
        r#"linode-cli lke pool-recycle "$CLUSTER_ID" {pool}"#,
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        "lke",
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# LKE owns this DaemonSet: recycling the nodes renews it.
kubectl -n {namespace} rollout status {workload}",
        "https://techdocs.akamai.com/cloud-computing/docs/lke-versioning-and-life-cycle-policy",
    ),
    row(
        "iks",
        StepKind::Hop,
        Scope::Cluster,
        r#"ibmcloud ks cluster master update --cluster "$CLUSTER" --version {to}"#,
        "https://cloud.ibm.com/docs/containers?topic=containers-update",
    ),
    row(
        "iks",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Worker pool {pool}, one worker after the other; on classic infrastructure: ibmcloud ks worker update.
ibmcloud ks workers --cluster "$CLUSTER" --worker-pool {pool}
ibmcloud ks worker replace --update --cluster "$CLUSTER" --worker "$WORKER""#,
        "https://cloud.ibm.com/docs/containers?topic=containers-update",
    ),
    row(
        "roks",
        StepKind::Hop,
        Scope::Cluster,
        r#"# OpenShift versions: choose the one that carries Kubernetes {to}.
ibmcloud oc cluster master update --cluster "$CLUSTER" --version "$OPENSHIFT_VERSION""#,
        "https://cloud.ibm.com/docs/openshift?topic=openshift-update",
    ),
    row(
        "roks",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# Worker pool {pool}, one worker after the other; on classic infrastructure: ibmcloud oc worker update.
ibmcloud oc workers --cluster "$CLUSTER" --worker-pool {pool}
ibmcloud oc worker replace --update --cluster "$CLUSTER" --worker "$WORKER""#,
        "https://cloud.ibm.com/docs/openshift?topic=openshift-update",
    ),
    row(
        "ack",
        StepKind::Hop,
        Scope::Cluster,
        r#"aliyun cs UpgradeCluster --ClusterId "$CLUSTER_ID" --body '{"next_version": "{to}.x", "master_only": true}'"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/upgrade-clusters",
    ),
    row(
        "ack",
        StepKind::Kubelets,
        Scope::Pools,
        r#"aliyun cs UpgradeClusterNodepool --ClusterId "$CLUSTER_ID" --NodepoolId {pool} --body '{"kubernetes_version": "{to}.x"}'"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/developer-reference/api-cs-2015-12-15-upgradeclusternodepool",
    ),
    row(
        "ack",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"# ACK renews this DaemonSet with its add-on manager.
aliyun cs UpgradeClusterAddons --ClusterId "$CLUSTER_ID" --body '[{"component_name": "kube-proxy"}]'
kubectl -n {namespace} rollout status {workload}"#,
        "https://www.alibabacloud.com/help/en/ack/ack-managed-and-ack-dedicated/user-guide/upgrade-clusters",
    ),
    row(
        "openshift",
        StepKind::Hop,
        Scope::Cluster,
        r#"# OpenShift versions: choose the one that carries Kubernetes {to}.
oc adm upgrade --to="$OPENSHIFT_VERSION"
oc adm wait-for-stable-cluster"#,
        "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/updating_clusters/performing-a-cluster-update",
    ),
    row(
        "openshift",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# The machine config operator drains and renews the nodes of an unpaused pool.
oc patch machineconfigpool/{pool} --type merge --patch '{"spec": {"paused": false}}'
oc wait machineconfigpool/{pool} --for=condition=Updated --timeout=4h"#,
        "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/updating_clusters/performing-a-cluster-update",
    ),
    row(
        "hypershift",
        StepKind::Hop,
        Scope::Cluster,
        r#"kubectl -n "$HOSTED_NAMESPACE" patch hostedcluster "$CLUSTER" --type merge --patch "{\"spec\": {\"release\": {\"image\": \"$RELEASE_IMAGE\"}}}""#,
        "https://hypershift-docs.netlify.app/how-to/upgrades/",
    ),
    row(
        "hypershift",
        StepKind::Kubelets,
        Scope::Pools,
        r#"kubectl -n "$HOSTED_NAMESPACE" patch nodepool {pool} --type merge --patch "{\"spec\": {\"release\": {\"image\": \"$RELEASE_IMAGE\"}}}""#,
        "https://hypershift-docs.netlify.app/how-to/upgrades/",
    ),
    row(
        "kubeadm",
        StepKind::Hop,
        Scope::FirstControlPlaneNode,
        r"# With the package kubeadm {to}.x installed on the node:
ssh {node} sudo kubeadm upgrade apply v{to}.x",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        "kubeadm",
        StepKind::Hop,
        Scope::OtherControlPlaneNodes,
        r"# With the package kubeadm {to}.x installed on the node:
ssh {node} sudo kubeadm upgrade node",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        "kubeadm",
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
        "kubeadm",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n {namespace} set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n {namespace} rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        "kubeadm",
        StepKind::ControlPlane,
        Scope::ControlPlaneNodes,
        r"# Where {component} is behind:
ssh {node} sudo kubeadm upgrade node",
        "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
    ),
    row(
        "kubeadm",
        StepKind::Emulation,
        Scope::ControlPlaneNodes,
        r"# On the node {node}: set --emulated-version={to} in /etc/kubernetes/manifests/kube-apiserver.yaml, then in the other manifests.
kubectl get --raw /version",
        "https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version/",
    ),
    row(
        "kubeone",
        StepKind::Hop,
        Scope::Cluster,
        r"# Set versions.kubernetes to {to}.x in kubeone.yaml, then:
kubeone apply --manifest kubeone.yaml --tfjson .",
        "https://docs.kubermatic.com/kubeone/latest/tutorials/upgrading-clusters/",
    ),
    row(
        "kubeone",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# With machine-controller; static workers move with kubeone apply.
kubectl -n kube-system patch machinedeployment {pool} --type merge --patch "{\"spec\": {\"template\": {\"spec\": {\"versions\": {\"kubelet\": \"{to}.x\"}}}}}""#,
        "https://docs.kubermatic.com/kubeone/latest/tutorials/upgrading-clusters/",
    ),
    row(
        "kubeone",
        StepKind::KubeProxy,
        Scope::Workloads,
        r"kubeone apply --manifest kubeone.yaml --tfjson .
kubectl -n {namespace} rollout status {workload}",
        "https://docs.kubermatic.com/kubeone/latest/tutorials/upgrading-clusters/",
    ),
    row(
        "kubeone",
        StepKind::ControlPlane,
        Scope::Cluster,
        "kubeone apply --manifest kubeone.yaml --tfjson .",
        "https://docs.kubermatic.com/kubeone/latest/tutorials/upgrading-clusters/",
    ),
    row(
        "kops",
        StepKind::Hop,
        Scope::Cluster,
        r#"kops edit cluster "$CLUSTER" --set "spec.kubernetesVersion={to}.x"
kops update cluster "$CLUSTER" --instance-group-roles control-plane,apiserver --yes
kops rolling-update cluster "$CLUSTER" --instance-group-roles control-plane,apiserver --yes"#,
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        "kops",
        StepKind::Kubelets,
        Scope::Pools,
        r#"kops update cluster "$CLUSTER" --instance-group {pool} --yes
kops rolling-update cluster "$CLUSTER" --instance-group {pool} --yes"#,
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        "kops",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kops update cluster "$CLUSTER" --yes
kubectl -n {namespace} rollout status {workload}"#,
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        "kops",
        StepKind::ControlPlane,
        Scope::Cluster,
        r#"kops rolling-update cluster "$CLUSTER" --instance-group-roles control-plane --yes"#,
        "https://kops.sigs.k8s.io/tutorial/upgrading-kubernetes/",
    ),
    row(
        "k3s",
        StepKind::Hop,
        Scope::ControlPlaneNodes,
        r#"# With the configuration that the server has; $K3S_INSTALL_URL is where the install script is.
ssh {node} "curl -sfL $K3S_INSTALL_URL | INSTALL_K3S_CHANNEL=v{to} sh -s - server""#,
        "https://docs.k3s.io/upgrades/manual",
    ),
    row(
        "k3s",
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# With the K3S_URL and K3S_TOKEN of the agent:
ssh {node} "curl -sfL $K3S_INSTALL_URL | INSTALL_K3S_CHANNEL=v{to} sh -s - agent"
kubectl uncordon {node}"#,
        "https://docs.k3s.io/upgrades/manual",
    ),
    row(
        "rke2",
        StepKind::Hop,
        Scope::ControlPlaneNodes,
        r#"# $RKE2_INSTALL_URL is where the install script is.
ssh {node} "curl -sfL $RKE2_INSTALL_URL | sudo INSTALL_RKE2_CHANNEL=v{to} sh - && sudo systemctl restart rke2-server""#,
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        "rke2",
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
ssh {node} "curl -sfL $RKE2_INSTALL_URL | sudo INSTALL_RKE2_CHANNEL=v{to} INSTALL_RKE2_TYPE=agent sh - && sudo systemctl restart rke2-agent"
kubectl uncordon {node}"#,
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        "rke2",
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# RKE2 renews this workload with its servers and agents.
kubectl -n {namespace} rollout status {workload}",
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        "rke2",
        StepKind::ControlPlane,
        Scope::ControlPlaneNodes,
        r"# Where {component} is behind:
ssh {node} sudo systemctl restart rke2-server",
        "https://docs.rke2.io/upgrades/manual_upgrade",
    ),
    row(
        "k0s",
        StepKind::Hop,
        Scope::Cluster,
        r"# Set spec.k0s.version to v{to}.x+k0s.0 in k0sctl.yaml; k0sctl moves the controllers first.
k0sctl apply --config k0sctl.yaml",
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        "k0s",
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
# $INSTALL_K0S puts the k0s {to}.x binary in its place.
ssh {node} "sudo k0s stop && $INSTALL_K0S && sudo k0s start"
kubectl uncordon {node}"#,
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        "k0s",
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# k0s renews its own DaemonSet when the controllers run {to}.
kubectl -n {namespace} rollout status {workload}",
        "https://docs.k0sproject.io/stable/upgrade/",
    ),
    row(
        "talos",
        StepKind::Hop,
        Scope::FirstControlPlaneNode,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        "talos",
        StepKind::Kubelets,
        Scope::Nodes,
        r#"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data
talosctl --nodes {node} patch machineconfig --patch "{\"machine\": {\"kubelet\": {\"image\": \"$REGISTRY/kubelet:v{to}.x\"}}}"
kubectl uncordon {node}"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        "talos",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false
kubectl -n {namespace} rollout status {workload}"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        "talos",
        StepKind::ControlPlane,
        Scope::Cluster,
        r#"talosctl --nodes "$CONTROL_PLANE_ADDRESS" upgrade-k8s --to "{to}.x" --upgrade-kubelet=false"#,
        "https://www.talos.dev/v1.11/kubernetes-guides/upgrading-kubernetes/",
    ),
    row(
        "cluster-api",
        StepKind::Hop,
        Scope::Cluster,
        r#"# In the management cluster; with a ClusterClass set spec.topology.version of the Cluster {capi_cluster} instead.
kubectl -n "$CLUSTER_NAMESPACE" patch kubeadmcontrolplane "$CONTROL_PLANE" --type merge --patch "{\"spec\": {\"version\": \"v{to}.x\"}}""#,
        "https://cluster-api.sigs.k8s.io/tasks/upgrading-clusters",
    ),
    row(
        "cluster-api",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# In the management cluster:
kubectl -n "$CLUSTER_NAMESPACE" patch machinedeployment {pool} --type merge --patch "{\"spec\": {\"template\": {\"spec\": {\"version\": \"v{to}.x\"}}}}""#,
        "https://cluster-api.sigs.k8s.io/tasks/upgrading-clusters",
    ),
    row(
        "cluster-api",
        StepKind::KubeProxy,
        Scope::Workloads,
        r#"kubectl -n {namespace} set image {workload} kube-proxy="$REGISTRY/kube-proxy:v{to}.x"
kubectl -n {namespace} rollout status {workload}"#,
        "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    ),
    row(
        "cluster-api",
        StepKind::ControlPlane,
        Scope::Cluster,
        r#"# In the management cluster: clusterctl replaces the control-plane machines whose {component} is behind.
clusterctl alpha rollout restart kubeadmcontrolplane/"$CONTROL_PLANE" --namespace "$CLUSTER_NAMESPACE""#,
        "https://cluster-api.sigs.k8s.io/clusterctl/commands/alpha-rollout",
    ),
    row(
        "gardener",
        StepKind::Hop,
        Scope::Cluster,
        r#"# In the garden cluster; a worker pool without a version of its own moves with the control plane: pin it first.
kubectl -n "$PROJECT_NAMESPACE" patch shoot "$SHOOT" --type merge --patch "{\"spec\": {\"kubernetes\": {\"version\": \"{to}.x\"}}}""#,
        "https://gardener.cloud/docs/gardener/shoot_updates/",
    ),
    row(
        "gardener",
        StepKind::Kubelets,
        Scope::Pools,
        r#"# In the garden cluster: $WORKER_INDEX is the place of the pool {pool} in spec.provider.workers.
kubectl -n "$PROJECT_NAMESPACE" patch shoot "$SHOOT" --type json --patch "[{\"op\": \"add\", \"path\": \"/spec/provider/workers/$WORKER_INDEX/kubernetes\", \"value\": {\"version\": \"{to}.x\"}}]""#,
        "https://gardener.cloud/docs/gardener/worker_pool_k8s_versions/",
    ),
    row(
        "gardener",
        StepKind::KubeProxy,
        Scope::Workloads,
        r"# Gardener keeps a DaemonSet a pool and version: it moves when the pool does.
kubectl -n {namespace} rollout status {workload}",
        "https://gardener.cloud/docs/gardener/shoot_updates/",
    ),
];

/// Every kind of step that a platform has no command for.
pub const NO_COMMANDS: &[NoCommand] = &[
    NoCommand { platform: "eks", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "eks", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "gke", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "gke", kind: StepKind::KubeProxy, reason: "kube-proxy is a static pod and moves with its node" },
    NoCommand { platform: "aks", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "aks", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "oke", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "oke", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "doks", kind: StepKind::Kubelets, reason: "one operation replaces the control plane and then every node: nodes move in the hop" },
    NoCommand { platform: "doks", kind: StepKind::KubeProxy, reason: "one operation replaces the control plane and then every node: kube-proxy moves in the hop" },
    NoCommand { platform: "doks", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "doks", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "lke", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "lke", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "iks", kind: StepKind::KubeProxy, reason: "the provider moves kube-proxy with the worker" },
    NoCommand { platform: "iks", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "iks", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "roks", kind: StepKind::KubeProxy, reason: "the network operator moves kube-proxy in the hop" },
    NoCommand { platform: "roks", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "roks", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "ack", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "ack", kind: StepKind::Emulation, reason: "the provider does not offer an emulated version" },
    NoCommand { platform: "openshift", kind: StepKind::KubeProxy, reason: "the network operator moves kube-proxy in the hop" },
    NoCommand { platform: "openshift", kind: StepKind::ControlPlane, reason: "the cluster version operator moves these in the hop" },
    NoCommand { platform: "openshift", kind: StepKind::Emulation, reason: "the cluster version operator does not offer an emulated version" },
    NoCommand { platform: "hypershift", kind: StepKind::KubeProxy, reason: "the network operator moves kube-proxy in the hop" },
    NoCommand { platform: "hypershift", kind: StepKind::ControlPlane, reason: "the hosted control plane moves as one" },
    NoCommand { platform: "hypershift", kind: StepKind::Emulation, reason: "the hosted control plane does not offer an emulated version" },
    NoCommand { platform: "kubeone", kind: StepKind::Emulation, reason: "KubeOne does not offer an emulated version" },
    NoCommand { platform: "kops", kind: StepKind::Emulation, reason: "kOps sets no emulated version in a step of its own" },
    NoCommand { platform: "k3s", kind: StepKind::KubeProxy, reason: "kube-proxy runs within k3s and moves with its node" },
    NoCommand { platform: "k3s", kind: StepKind::ControlPlane, reason: "a k3s server is one program: its control plane moves in the hop" },
    NoCommand { platform: "k3s", kind: StepKind::Emulation, reason: "k3s sets no emulated version in a step of its own" },
    NoCommand { platform: "rke2", kind: StepKind::Emulation, reason: "RKE2 sets no emulated version in a step of its own" },
    NoCommand { platform: "k0s", kind: StepKind::ControlPlane, reason: "a k0s controller is one program: its control plane moves in the hop" },
    NoCommand { platform: "k0s", kind: StepKind::Emulation, reason: "k0s sets no emulated version in a step of its own" },
    NoCommand { platform: "talos", kind: StepKind::Emulation, reason: "Talos sets no emulated version in a step of its own" },
    NoCommand { platform: "cluster-api", kind: StepKind::Emulation, reason: "Cluster API sets no emulated version in a step of its own" },
    NoCommand { platform: "gardener", kind: StepKind::ControlPlane, reason: "the provider runs these components and moves them in the hop" },
    NoCommand { platform: "gardener", kind: StepKind::Emulation, reason: "Gardener does not offer an emulated version" },
];
