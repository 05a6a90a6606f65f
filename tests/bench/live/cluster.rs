//! A cluster of any size whose objects weigh what real ones weigh: eleven kilobytes of JSON a node, ten a pod.

use serde_json::{Value, json};

use crate::support::objects::{Object, kube_proxy, node, pod};

/// So many nodes, each with a kube-proxy, and other `DaemonSet`s' pods of kube-system up to so many pods in all.
pub(crate) fn objects(nodes: usize, pods: usize) -> Vec<Object> {
    let name = |index: usize| format!("node-{index:05}");
    let version = |index: usize| format!("v1.{}.{}", 35 + index % 3, index % 7);
    let mut objects = Vec::with_capacity(nodes + pods);
    for index in 0..nodes {
        let pool = format!("pool-{}", index % 50);
        objects.push(filled_node(node(&name(index), &version(index)).eks_pool(&pool)));
        let proxy = kube_proxy(&name(index), &version(index));
        let pod = format!("kube-proxy-{}", generated(index));
        objects.push(filled_pod(proxy.with("/metadata/name", pod.into())));
    }
    for index in nodes..pods {
        let daemon = format!("daemon-{}", index / nodes);
        let image = format!("registry.example/team/{daemon}:v2.{}.0", index % 5);
        let pod = pod(
            &format!("{daemon}-{}", generated(index)),
            &name(index % nodes),
            "daemon",
            &image,
        );
        objects.push(filled_pod(pod.label("app", &daemon)));
    }
    objects
}

/// Five letters of those that Kubernetes generates, others for each number.
fn generated(mut number: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    // Numbers in a row should not give names in a row.
    number = number * 7_654_321 % 27_usize.pow(5);
    (0..5)
        .map(|_| {
            let letter = char::from(LETTERS[number % 27]);
            number /= 27;
            letter
        })
        .collect()
}

/// What kubelets add: three dozen images under two names each, conditions, capacity.
fn filled_node(node: Object) -> Object {
    let images: Vec<Value> = (0..36)
        .map(|index| {
            let name = format!("registry.example:5000/organisation/product/component-{index}");
            json!({"names": [format!("{name}@sha256:{index:064x}"), format!("{name}:v1.{index}.3-build.20260821")],
                   "sizeBytes": 123_456_789 + index})
        })
        .collect();
    let conditions: Vec<Value> = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]
        .into_iter()
        .map(|kind| {
            let status = if kind == "Ready" { "True" } else { "False" };
            json!({"type": kind, "status": status, "reason": format!("KubeletHas{kind}"),
                   "message": "the kubelet has said so at its last heartbeat and will say so again",
                   "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"})
        })
        .collect();
    let capacity =
        json!({"cpu": "16", "memory": "65536Mi", "pods": "110", "ephemeral-storage": "104845292Ki"});
    node.with("/status/images", images.into())
        .with("/status/conditions", conditions.into())
        .with("/status/allocatable", capacity.clone())
        .with("/status/capacity", capacity)
        .annotation("volumes.kubernetes.io/controller-managed-attach-detach", "true")
        .annotation("node.alpha.kubernetes.io/ttl", "0")
}

/// What charts and admission add: environment, probes, mounts, tolerations, annotations.
fn filled_pod(pod: Object) -> Object {
    let environment: Vec<Value> = (0..28)
        .map(|index| json!({"name": format!("SETTING_{index}"), "value": format!("{index:0>100}")}))
        .collect();
    let mounts: Vec<Value> = (0..8)
        .map(|index| json!({"name": format!("volume-{index}"), "mountPath": format!("/var/lib/product/directory-{index}")}))
        .collect();
    let volumes: Vec<Value> = (0..8)
        .map(|index| json!({"name": format!("volume-{index}"), "hostPath": {"path": format!("/var/lib/host/{index}")}}))
        .collect();
    let probe = json!({"httpGet": {"path": "/healthz", "port": 10256}, "periodSeconds": 10});
    pod.with("/spec/containers/0/env", environment.into())
        .with("/spec/containers/0/volumeMounts", mounts.into())
        .with("/spec/containers/0/livenessProbe", probe)
        .with("/spec/volumes", volumes.into())
        .with("/spec/tolerations", json!([{"operator": "Exists"}]))
        .annotation("checksum/config", &"0123456789abcdef".repeat(4))
}
