//! Tests of the module above.

use super::*;
use crate::inventory::observed::{ContainerStatus, Meta, ObservedContainer, Owner};
use crate::inventory::read_gap::Malformed;

/// A field of length-delimited content, as the encoding has it.
fn field(tag: u8, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(u64::from(tag) << 3 | 2, &mut bytes);
    prost::encoding::encode_varint(content.len() as u64, &mut bytes);
    bytes.extend_from_slice(content);
    bytes
}

fn number(tag: u8, value: u8) -> Vec<u8> {
    vec![tag << 3, value]
}

fn message(fields: &[Vec<u8>]) -> Vec<u8> {
    fields.concat()
}

fn entry(key: &str, value: &str) -> Vec<u8> {
    message(&[field(1, key), field(2, value)])
}

#[test]
fn a_node_keeps_what_is_read_of_it() {
    let metadata = message(&[
        field(1, "n1"),
        field(5, "uid-1"),
        field(6, "77"),
        field(11, entry("kubernetes.io/hostname", "host1")),
        field(11, entry("unwanted", "x")),
        field(12, entry("kwok.x-k8s.io/node", "fake")),
        field(17, "managed fields of any size"),
    ]);
    let spec = message(&[
        field(1, "10.0.0.0/24"),
        number(4, 1),
        field(5, field(1, "virtual-kubelet.io/provider")),
        field(5, field(1, "node.kubernetes.io/unschedulable")),
    ]);
    let info = message(&[
        field(5, "Talos (v1.7.6)"),
        field(6, "containerd://2.1.0"),
        field(7, "v1.36.2"),
        field(8, "v1.36.2"),
        field(9, "linux"),
        field(10, "amd64"),
    ]);
    let status = message(&[
        field(4, message(&[field(1, "MemoryPressure"), field(2, "False")])),
        field(4, message(&[field(1, "Ready"), field(2, "True")])),
        field(5, message(&[field(1, "InternalIP"), field(2, "10.0.0.1")])),
        field(5, message(&[field(1, "Hostname"), field(2, "host1")])),
        field(7, info),
        field(
            8,
            message(&[
                field(1, "r.io/kube-proxy@sha256:aa"),
                field(1, "r.io/kube-proxy:v1.36.2"),
            ]),
        ),
        field(8, message(&[field(1, "r.io/kube-proxy@sha256:bb")])),
        field(
            8,
            message(&[field(1, "r.io/app@sha256:cc"), field(1, "r.io/app:1")]),
        ),
    ]);
    let bytes = message(&[field(1, metadata), field(2, spec), field(3, status)]);
    let node = node(bytes.into(), &Wanted::default()).unwrap();
    assert_eq!(
        node,
        ObservedNode {
            meta: Meta {
                name: "n1".to_owned(),
                uid: Some("uid-1".to_owned()),
                resource_version: Some("77".to_owned()),
                labels: vec![("kubernetes.io/hostname".to_owned(), "host1".to_owned())],
                annotations: vec![("kwok.x-k8s.io/node".to_owned(), "fake".to_owned())],
                ..Meta::default()
            },
            cordoned: true,
            taints: vec!["virtual-kubelet.io/provider".to_owned()],
            ready: Some("True".to_owned()),
            kubelet_version: Some("v1.36.2".to_owned()),
            runtime_version: Some("containerd://2.1.0".to_owned()),
            os: Some("linux".to_owned()),
            os_image: Some("Talos".to_owned()),
            hostname: Some("host1".to_owned()),
            images: vec![vec![
                "r.io/kube-proxy@sha256:aa".to_owned(),
                "r.io/kube-proxy:v1.36.2".to_owned()
            ]],
        }
    );
}

fn pod_bytes(container: &[u8], status: &[u8]) -> Bytes {
    let owner = |kind: &str, name: &str, controller| {
        message(&[field(1, kind), field(3, name), number(6, controller)])
    };
    let metadata = message(&[
        field(1, "kube-proxy-x"),
        field(3, "kube-system"),
        field(9, number(1, 7)),
        field(11, entry("k8s-app", "kube-proxy")),
        field(13, owner("Other", "o", 0)),
        field(13, owner("DaemonSet", "kube-proxy", 1)),
    ]);
    let init = field(20, message(&[field(1, "init"), field(2, "r.io/init:1")]));
    let spec = message(&[init, field(2, container), field(10, "n1")]);
    message(&[field(1, metadata), field(2, spec), field(3, status)]).into()
}

#[test]
fn a_component_pod_keeps_what_is_read_of_it() {
    let container = message(&[
        field(1, "kube-proxy"),
        field(2, "r.io/kube-proxy:v1.36.2"),
        field(3, "kube-proxy"),
        field(4, "--v=2"),
    ]);
    let running = message(&[
        field(1, "kube-proxy"),
        field(2, field(2, "")),
        field(3, ""),
        number(5, 3),
        field(6, "r.io/kube-proxy:v1.36.2"),
        field(7, "r.io/kube-proxy@sha256:aa"),
    ]);
    let died = message(&[field(2, field(1, "")), field(3, field(3, number(1, 1)))]);
    let status = message(&[
        field(1, "Running"),
        field(8, running),
        field(8, died),
        field(9, "BestEffort"),
    ]);
    let pod = pod(pod_bytes(&container, &status), &Wanted::default(), None)
        .unwrap()
        .kept()
        .unwrap();
    assert!(pod.meta.deleting && pod.has_status);
    assert_eq!(
        pod.meta.owner,
        Some(Owner {
            kind: "DaemonSet".to_owned(),
            name: "kube-proxy".to_owned()
        })
    );
    assert_eq!(
        (pod.node.as_deref(), pod.phase.as_deref()),
        (Some("n1"), Some("Running"))
    );
    assert_eq!(
        pod.containers,
        [ObservedContainer {
            name: "kube-proxy".to_owned(),
            image: Some("r.io/kube-proxy:v1.36.2".to_owned()),
            arguments: vec!["kube-proxy".to_owned(), "--v=2".to_owned()],
        }]
    );
    let statuses = pod.statuses.unwrap();
    assert_eq!(
        statuses[0],
        ContainerStatus {
            name: "kube-proxy".to_owned(),
            image: Some("r.io/kube-proxy:v1.36.2".to_owned()),
            image_id: Some("r.io/kube-proxy@sha256:aa".to_owned()),
            restarts: 3,
            running: true,
            ..ContainerStatus::default()
        }
    );
    assert!(statuses[1].waiting && statuses[1].has_last_state && !statuses[1].running);
}

#[test]
fn other_pods_are_passed_over_and_bare_ones_are_not() {
    let other = message(&[
        field(1, field(1, "app")),
        field(2, field(2, field(2, "r.io/app:1"))),
    ]);
    let seen = pod(other.into(), &Wanted::default(), None).unwrap();
    assert!(matches!(seen, SeenPod::PassedOver(meta) if meta.name == "app"));
    let bare = message(&[field(1, field(1, "app"))]);
    let error = pod(bare.into(), &Wanted::default(), None).unwrap_err();
    assert_eq!(
        (error.name.as_deref(), error.malformed),
        (Some("app"), Malformed::NoContainers)
    );
}

#[test]
fn an_empty_text_is_absent_and_a_broken_one_takes_nothing_away() {
    let bytes = pod_bytes(&message(&[field(1, b"\xff"), field(2, "")]), &[]);
    let pod = pod(bytes, &Wanted::default(), None).unwrap().kept().unwrap();
    assert_eq!(pod.containers[0].name, "\u{fffd}");
    assert_eq!(
        (pod.containers[0].image.as_ref(), pod.phase, pod.statuses),
        (None, None, None)
    );
    assert!(!pod.has_status);
}

#[test]
fn a_lease_tells_its_renewal() {
    let time = message(&[number(1, 60), number(2, 5)]);
    let identity = entry("apiserver.kubernetes.io/identity", "kube-apiserver");
    let metadata = message(&[field(1, "apiserver-x"), field(11, identity)]);
    let bytes = message(&[field(1, metadata), field(2, field(4, time))]);
    let lease = lease(bytes.into()).unwrap().unwrap();
    assert_eq!(
        lease.renewed,
        Some("1970-01-01T00:01:00.000000005Z".parse().unwrap())
    );
}

#[test]
fn what_does_not_decode_is_an_error_that_names_it_where_it_can() {
    let error = |bytes: Vec<u8>| node(bytes.into(), &Wanted::default()).unwrap_err();
    let broken = error(message(&[field(1, field(1, "n1")), field(3, [0xff])]));
    assert_eq!(broken.name.as_deref(), Some("n1"));
    assert!(
        matches!(&broken.malformed, Malformed::Field { member, .. } if member == "status"),
        "{broken:?}"
    );
    let broken = error(message(&[field(1, field(1, "n1")), vec![3 << 3, 1]]));
    assert_eq!(broken.name.as_deref(), Some("n1"), "it is named before the fault");
    let broken = error(vec![0xff]);
    assert_eq!(broken.name, None);
    assert!(
        matches!(broken.malformed, Malformed::Encoding { .. }),
        "{broken:?}"
    );
    assert_eq!(error(field(2, "")).malformed, Malformed::Nameless);
}

#[test]
fn an_object_of_tiny_fields_without_end_is_refused() {
    let container = field(2, "");
    let pod = |containers: usize| {
        let spec = container.repeat(containers);
        message(&[field(1, field(1, "p")), field(2, spec)])
    };
    assert!(super::pod(pod(1000).into(), &Wanted::default(), None).is_ok());
    let error = super::pod(pod(1_000_000).into(), &Wanted::default(), None).unwrap_err();
    let detail = Some("more than 50000 fields".to_owned());
    assert_eq!(error.malformed, Malformed::Encoding { detail });
}
