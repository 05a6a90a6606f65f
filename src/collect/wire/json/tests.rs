//! What is kept of objects as clusters write them, and what makes one object unreadable.

use super::*;
use crate::inventory::observed::{Owner, VersionAnswer};
use crate::inventory::read_gap::Malformed;

const NODE: &str = r#"{
    "apiVersion": "v1", "kind": "Node",
    "metadata": {
        "name": "web-1", "uid": "u-1", "resourceVersion": "71",
        "labels": {"kubernetes.io/hostname": "web-1", "unwanted": "x", "team": "blue"},
        "annotations": {"kwok.x-k8s.io/node": "fake", "other": "x"},
        "managedFields": [{"fieldsV1": {"f:metadata": {}}}]
    },
    "spec": {"unschedulable": true, "taints": [{"key": "virtual-kubelet.io/provider"}, {"key": "other"}, null]},
    "status": {
        "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}, {"type": "Hostname", "address": "web-1.example"}],
        "conditions": [
            {"type": "MemoryPressure", "status": "False", "lastHeartbeatTime": "2026-03-01T10:00:05Z"},
            {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T10:00:00Z"}
        ],
        "images": [
            {"names": ["registry.example/kube-proxy@sha256:aa", "registry.example/kube-proxy:v1.36.2"]},
            {"names": ["registry.example/kube-proxy@sha256:bb"]},
            {"names": ["registry.example/nginx@sha256:cc", "registry.example/nginx:v1"]},
            {"names": null}
        ],
        "nodeInfo": {"kubeletVersion": "v1.36.2", "kubeProxyVersion": "v1.36.2", "operatingSystem": "linux", "osImage": "Talos (v1.7.6)",
                     "containerRuntimeVersion": ""}
    }
}"#;

fn wanted() -> Wanted {
    Wanted::new(["team".to_owned()])
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn a_node_keeps_what_is_read_of_it() {
    let seen = Parts::of(NODE).unwrap().members().node(&wanted()).unwrap();
    assert_eq!(seen.heartbeat, Some("2026-03-01T10:00:05Z".parse().unwrap()));
    let node = seen.node;
    assert_eq!(node.meta.name, "web-1");
    assert_eq!(node.meta.uid.as_deref(), Some("u-1"));
    assert_eq!(node.meta.resource_version.as_deref(), Some("71"));
    assert_eq!(
        node.meta.labels,
        [pair("kubernetes.io/hostname", "web-1"), pair("team", "blue")]
    );
    assert_eq!(node.meta.annotations, [pair("kwok.x-k8s.io/node", "fake")]);
    assert!(node.cordoned);
    assert_eq!(node.taints, ["virtual-kubelet.io/provider"]);
    assert_eq!(node.ready.as_deref(), Some("True"));
    assert_eq!(node.kubelet_version.as_deref(), Some("v1.36.2"));
    assert_eq!(node.runtime_version, None, "an empty text is none");
    assert_eq!(
        node.os_image.as_deref(),
        Some("Talos"),
        "only what shows a platform"
    );
    assert_eq!(node.hostname.as_deref(), Some("web-1.example"));
    assert_eq!(
        node.images,
        [[
            "registry.example/kube-proxy@sha256:aa",
            "registry.example/kube-proxy:v1.36.2"
        ]]
    );
}

#[test]
fn a_node_of_which_only_the_name_is_left_is_a_node() {
    for text in [
        r#"{"metadata":{"name":"a"}}"#,
        r#"{"kind":"Node","metadata":{"name":"a"},"spec":null,"status":null}"#,
        r#"{"metadata":{"name":"a"},"status":{"nodeInfo":null,"conditions":null}}"#,
    ] {
        let node = node(text, &wanted()).unwrap();
        assert_eq!(node.meta.name, "a");
        assert_eq!(node.kubelet_version, None);
        assert_eq!(node.ready, None);
    }
}

#[test]
fn one_odd_field_makes_one_object_unreadable_and_the_error_names_it() {
    let text = r#"{"metadata":{"name":"web-1"},"status":{"nodeInfo":{"kubeletVersion":136}}}"#;
    let error = node(text, &wanted()).unwrap_err();
    let field = |member: &str, detail: &str| Malformed::Field {
        member: member.to_owned(),
        detail: Some(detail.to_owned()),
    };
    assert_eq!(
        error.malformed,
        field(
            "status",
            "invalid type: integer `136`, expected a string at line 1 column 33"
        )
    );
    assert_eq!((error.namespace, error.name.as_deref()), (None, Some("web-1")));
    let text = r#"{"metadata":{"name":"p","namespace":"kube-system","labels":{"k8s-app":"kube-proxy"}},
        "spec":{"containers":"none"}}"#;
    let error = pod(text, &wanted(), None).unwrap_err();
    assert_eq!(
        error.malformed,
        field(
            "spec",
            "invalid type: string \"none\", expected a list at line 1 column 20"
        )
    );
    let error = node(r#"{"metadata":{"name":["x"]}}"#, &wanted()).unwrap_err();
    assert!(
        matches!(&error.malformed, Malformed::Field { member, .. } if member == "metadata"),
        "{error:?}"
    );
    let error = node(r#"{"metadata":{}}"#, &wanted()).unwrap_err();
    assert_eq!(error.malformed, Malformed::Nameless);
    let elsewhere = r#"{"metadata":{"name":"p","namespace":"shop"},"spec":{"containers":7}}"#;
    assert_eq!(pod(elsewhere, &wanted(), None), Ok(SeenPod::Elsewhere));
}

#[test]
fn a_component_pod_keeps_what_is_read_of_it() {
    let text = r#"{
        "metadata": {"name": "kube-apiserver-cp-1", "namespace": "kube-system", "labels": {"component": "kube-apiserver"},
            "deletionTimestamp": "2026-03-01T10:00:00Z",
            "ownerReferences": [{"kind": "Other", "name": "o"}, {"kind": "Node", "name": "cp-1", "controller": true}]},
        "spec": {"nodeName": "cp-1", "initContainers": [{"name": "i", "image": "x"}],
            "containers": [{"name": "kube-apiserver", "image": "registry.k8s.io/kube-apiserver:v1.36.2",
                "command": ["kube-apiserver"], "args": ["--emulated-version=1.35"]}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "kube-apiserver", "imageID": "",
            "restartCount": 2, "state": {"running": {}}, "lastState": {"terminated": {"exitCode": 1}}}]}
    }"#;
    let pod = pod(text, &wanted(), None).unwrap().kept().unwrap();
    assert!(pod.meta.deleting);
    assert_eq!(
        pod.meta.owner,
        Some(Owner {
            kind: "Node".to_owned(),
            name: "cp-1".to_owned()
        })
    );
    assert_eq!(pod.node.as_deref(), Some("cp-1"));
    assert_eq!(pod.containers.len(), 1);
    assert_eq!(
        pod.containers[0].arguments,
        ["kube-apiserver", "--emulated-version=1.35"]
    );
    assert!(pod.has_status);
    let statuses = pod.statuses.unwrap();
    assert_eq!(statuses[0].image_id, None);
    assert_eq!(statuses[0].restarts, 2);
    assert!(statuses[0].running && statuses[0].has_last_state && !statuses[0].waiting);
}

#[test]
fn pods_that_can_be_no_components_are_not_kept() {
    let of = |namespace: &str, image: &str| {
        let text = format!(
            r#"{{"metadata":{{"name":"p","namespace":"{namespace}"}},"spec":{{"containers":[{{"image":"{image}"}}]}}}}"#
        );
        let parts = Parts::of(&text).unwrap();
        parts.members().pod(&wanted(), None).unwrap()
    };
    assert_eq!(
        of("shop", "registry.k8s.io/kube-proxy:v1.36.2"),
        SeenPod::Elsewhere
    );
    assert!(matches!(
        of("kube-system", "coredns:v1.12"),
        SeenPod::PassedOver(_)
    ));
    assert!(matches!(
        of("kube-system", "registry.k8s.io/kube-proxy:v1.36.2"),
        SeenPod::Kept(_)
    ));
}

#[test]
fn a_pod_of_which_nothing_tells_what_it_runs_is_no_quiet_matter() {
    let text = r#"{"metadata":{"name":"p","namespace":"kube-system"}}"#;
    let error = pod(text, &wanted(), None).unwrap_err();
    assert_eq!(error.malformed, Malformed::NoContainers);
    assert_eq!(error.namespace.as_deref(), Some("kube-system"));
    assert_eq!(error.name.as_deref(), Some("p"));
}

#[test]
fn a_manifest_from_a_disk_has_no_status() {
    for (status, has) in [
        ("null", false),
        ("{}", false),
        (r#"{"phase":"Running"}"#, true),
        (r#"{"containerStatuses":[]}"#, false),
        (r#"{"containerStatuses":[{}]}"#, true),
    ] {
        let text = format!(
            r#"{{"metadata":{{"name":"kube-proxy-a","namespace":"kube-system"}},
                "spec":{{"containers":[{{"image":"k/kube-proxy:v1.36.2"}}]}},"status":{status}}}"#
        );
        let pod = pod(&text, &wanted(), None).unwrap().kept().unwrap();
        assert_eq!(pod.has_status, has, "{status}");
    }
}

#[test]
fn only_an_apiservers_lease_is_kept_and_every_lease_tells_its_time() {
    let identity = r#"{"metadata":{"name":"apiserver-a","namespace":"kube-system",
        "labels":{"apiserver.kubernetes.io/identity":"kube-apiserver"}},
        "spec":{"holderIdentity":"x","renewTime":"2026-03-01T10:00:00.123456Z"}}"#;
    let lease = lease(identity).unwrap().unwrap();
    assert_eq!(
        lease.renewed,
        Some("2026-03-01T10:00:00.123456Z".parse().unwrap())
    );
    let node = r#"{"metadata":{"name":"web-1","namespace":"kube-node-lease"},
        "spec":{"renewTime":"2026-03-01T10:00:07.000000Z"}}"#;
    let seen = Parts::of(node).unwrap().members().lease().unwrap();
    assert_eq!(seen.identity, None);
    assert_eq!(seen.renewed, Some("2026-03-01T10:00:07Z".parse().unwrap()));
}

#[test]
fn an_operator_tells_its_versions_and_whether_it_moves() {
    let text = r#"{"metadata":{"name":"kube-scheduler"},"status":{
        "versions":[{"name":"operator","version":"4.7.16"},{"name":"kube-scheduler","version":"1.20.0-beta.2"},{"name":"raw-internal"}],
        "conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True"}]}}"#;
    let operator = operator(text).unwrap();
    assert!(operator.progressing);
    assert_eq!(
        operator.versions,
        [
            pair("operator", "4.7.16"),
            pair("kube-scheduler", "1.20.0-beta.2")
        ]
    );
}

#[test]
fn a_version_answer_tells_what_it_has() {
    let answer = version(
        r#"{"major":"1","minor":"35","gitVersion":"v1.35.1-gke.1396000","emulationMajor":"1",
        "emulationMinor":"34","minCompatibilityMajor":"1","minCompatibilityMinor":"34","goVersion":"go1.25"}"#,
    );
    assert_eq!(
        answer.unwrap(),
        Some(VersionAnswer {
            git_version: "v1.35.1-gke.1396000".to_owned(),
            emulation: Some(pair("1", "34")),
            min_compatibility: Some(pair("1", "34")),
        })
    );
    let bare = version(r#"{"major":"1","minor":"18+"}"#).unwrap().unwrap();
    assert_eq!(bare.git_version, "v1.18+");
    assert_eq!(version("null").unwrap(), None);
    assert_eq!(version(r#"{"goVersion":"go1.25"}"#).unwrap(), None);
    assert!(version(r#"{"gitVersion":1.37}"#).is_err());
}

#[test]
fn a_page_gives_its_items_one_by_one_and_its_token() {
    let page = br#"{"items":[{"metadata":{"name":"a"}},null, {"metadata":{"name":"b"}}],"kind":"NodeList",
        "apiVersion":"v1","metadata":{"continue":"token","resourceVersion":"9","remainingItemCount":3}}"#;
    let mut names = Vec::new();
    let head = list(page, |item| names.push(node(item, &wanted()).unwrap().meta.name)).unwrap();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        head,
        ListHead {
            kind: Some("NodeList".to_owned()),
            api_version: Some("v1".to_owned()),
            next: Some("token".to_owned()),
        }
    );
    let last = br#"{"kind":"NodeList","metadata":{"continue":""},"items":null}"#;
    assert_eq!(list(last, |_| panic!("no items")).unwrap().next, None);
}

#[test]
fn every_prefix_of_a_page_is_an_error() {
    let page = br#"{"kind":"NodeList","metadata":{},"items":[{"metadata":{"name":"a"}}]}"#;
    for cut in 0..page.len() {
        assert!(list(&page[..cut], |_| {}).is_err(), "cut at {cut}");
    }
    assert_eq!(
        list(b"<html>", |_| {}).unwrap_err().to_string(),
        "expected value at line 1 column 1"
    );
}

#[test]
fn members_told_twice_are_refused() {
    for text in [
        r#"{"kind":"Node","kind":"Pod"}"#,
        r#"{"status":{"nodeInfo":{}},"status":{}}"#,
        r#"{"metadata":{},"\u006detadata":{}}"#,
    ] {
        assert!(Parts::of(text).is_err(), "{text}");
    }
}

#[test]
fn a_refusal_is_told_from_everything_else() {
    let text = br#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"nodes is forbidden","reason":"Forbidden","code":403}"#;
    let refusal = refusal(text).unwrap();
    assert_eq!(refusal.reason.as_deref(), Some("Forbidden"));
    assert_eq!(super::refusal(b"{\"kind\":\"NodeList\"}"), None);
    assert_eq!(super::refusal(b"not found"), None);
}
