//! A snapshot read back is what was seen; redacted, it is the same cluster without its names.

use kubectl_skew::collect::save::save;
use kubectl_skew::inventory::observed::*;
use kubectl_skew::inventory::read_gap::*;

use super::support::*;

fn meta(name: &str, namespace: Option<&str>, labels: &[(&str, &str)]) -> Meta {
    let mut labels: Vec<_> = labels
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    labels.sort();
    Meta {
        name: name.to_owned(),
        namespace: namespace.map(ToOwned::to_owned),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("12".to_owned()),
        labels,
        ..Meta::default()
    }
}

/// A cluster with something in every field.
fn cluster() -> Observed {
    let node = |name: &str, pool: &str| ObservedNode {
        meta: meta(
            name,
            None,
            &[
                ("kubernetes.io/hostname", name),
                ("eks.amazonaws.com/nodegroup", pool),
                ("node-role.kubernetes.io/worker", ""),
            ],
        ),
        cordoned: name.ends_with('1'),
        taints: vec!["virtual-kubelet.io/provider".to_owned()],
        ready: Some("True".to_owned()),
        kubelet_version: Some("v1.36.2".to_owned()),
        runtime_version: Some("containerd://2.1.5".to_owned()),
        os: Some("linux".to_owned()),
        os_image: Some("Talos".to_owned()),
        hostname: Some(name.to_owned()),
        images: vec![vec![
            "harbor.acme.example/team/kube-proxy@sha256:aa".to_owned(),
            "harbor.acme.example/team/kube-proxy:v1.36.2".to_owned(),
        ]],
    };
    let mut mirrored = meta(
        "kube-apiserver-acme-1",
        Some("kube-system"),
        &[("component", "kube-apiserver")],
    );
    mirrored.annotations = vec![("kubernetes.io/config.mirror".to_owned(), "abc".to_owned())];
    mirrored.deleting = true;
    mirrored.owner = Some(Owner {
        kind: "Node".to_owned(),
        name: "acme-1".to_owned(),
    });
    let apiserver = ObservedPod {
        meta: mirrored,
        node: Some("acme-1".to_owned()),
        phase: Some("Running".to_owned()),
        has_status: true,
        containers: vec![ObservedContainer {
            name: "kube-apiserver".to_owned(),
            image: Some("registry.k8s.io/kube-apiserver:v1.36.2".to_owned()),
            arguments: vec!["component".to_owned(), "--emulated-version=1.35".to_owned()],
        }],
        statuses: Some(vec![ContainerStatus {
            name: "kube-apiserver".to_owned(),
            image: Some("registry.k8s.io/kube-apiserver:v1.36.2".to_owned()),
            image_id: Some("sha256:bb".to_owned()),
            restarts: 3,
            waiting: false,
            running: true,
            terminated: false,
            has_last_state: true,
        }]),
    };
    let proxy = ObservedPod {
        meta: Meta {
            owner: Some(Owner {
                kind: "DaemonSet".to_owned(),
                name: "kube-proxy-acme".to_owned(),
            }),
            ..meta(
                "kube-proxy-acme-x",
                Some("kube-system"),
                &[("k8s-app", "kube-proxy")],
            )
        },
        node: Some("acme-2".to_owned()),
        containers: vec![ObservedContainer {
            name: "kube-proxy".to_owned(),
            image: Some("harbor.acme.example/team/kube-proxy:v1.36.2".to_owned()),
            arguments: Vec::new(),
        }],
        ..ObservedPod::default()
    };
    Observed {
        origin: Origin::Live,
        versions: vec![VersionAnswer {
            git_version: "v1.36.4".to_owned(),
            emulation: Some(("1".to_owned(), "35".to_owned())),
            min_compatibility: Some(("1".to_owned(), "35".to_owned())),
        }],
        connections: Some(Connections {
            tried: 3,
            answered: 2,
        }),
        nodes: Listing::Read {
            items: vec![node("acme-1", "blue"), node("acme-2", "green")],
            listed: 3,
            cut: None,
            broken: Sample::from_iter([UnreadableObject {
                namespace: None,
                name: Some("acme-3".to_owned()),
                malformed: Malformed::Field {
                    member: "status".to_owned(),
                    detail: Some("invalid type: string \"blue\"".to_owned()),
                },
                at: Some(FilePlace {
                    file: "/home/jane/dump.json".to_owned(),
                    line: 3,
                    column: 7,
                }),
            }]),
        },
        pods: Listing::Read {
            items: vec![apiserver, proxy],
            listed: 40,
            cut: None,
            broken: Sample::default(),
        },
        leases: Listing::whole(vec![ObservedLease {
            meta: meta(
                "apiserver-abc",
                Some("kube-system"),
                &[("apiserver.kubernetes.io/identity", "kube-apiserver")],
            ),
            renewed: Some("2026-03-01T10:00:00.123456Z".parse().unwrap()),
        }]),
        operators: Listing::Failed(ReadFault::Status {
            code: 403,
            reason: Some("Forbidden".to_owned()),
            message: Some("User \"jane@acme.example\" cannot list".to_owned()),
            user: None,
        }),
        gaps: vec![ReadGap::Failed {
            resource: Resource::Version,
            namespace: None,
            read: 0,
            fault: ReadFault::OtherServer {
                code: 302,
                to: Some("https://login.acme.example".to_owned()),
            },
        }],
        ..Observed::default()
    }
}

fn saved(observed: &Observed, redact: bool) -> String {
    let mut bytes = Vec::new();
    save(observed, redact, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn what_is_read_back_is_what_was_seen() {
    let seen = cluster();
    let text = saved(&seen, false);
    let (read, source) = read(&text).unwrap();
    assert_eq!(format!("{read:#?}"), format!("{seen:#?}"));
    assert_eq!(
        source.captured_at,
        Some("2026-03-01T10:00:00.123456Z".parse().unwrap())
    );
    assert_eq!(saved(&read, false), text, "saved again, the same bytes");
}

#[test]
fn a_snapshot_is_a_list_of_kubernetes_objects() {
    let list: serde_json::Value = serde_json::from_str(&saved(&cluster(), false)).unwrap();
    assert_eq!(
        (&list["apiVersion"], &list["kind"]),
        (&"v1".into(), &"List".into())
    );
    let items = list["items"].as_array().unwrap();
    let kinds: Vec<_> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["Node", "Node", "Pod", "Pod", "Lease"]);
    for item in items {
        assert!(
            item["apiVersion"].is_string() && item["metadata"]["name"].is_string(),
            "{item}"
        );
    }
}

#[test]
fn a_redacted_snapshot_names_nobody() {
    let text = saved(&cluster(), true);
    for name in ["acme", "blue", "green", "jane", "harbor", "team", "uid-"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    for kept in [
        "v1.36.2",
        "/kube-apiserver:",
        "kube-system",
        "containerd://2.1.5",
        "eks.amazonaws.com/nodegroup",
    ] {
        assert!(text.contains(kept), "{kept}");
    }
    let (read, _) = read(&text).unwrap();
    let nodes = read.nodes.items();
    assert_eq!([&nodes[0].meta.name, &nodes[1].meta.name], ["node-1", "node-2"]);
    let pool = |node: &ObservedNode| {
        node.meta
            .label("eks.amazonaws.com/nodegroup")
            .map(ToOwned::to_owned)
    };
    assert_ne!(pool(&nodes[0]), pool(&nodes[1]), "pools stay apart");
    let pods = read.pods.items();
    assert_eq!(pods[0].meta.name, "kube-apiserver-1-1");
    assert_eq!(pods[0].node.as_deref(), Some("node-1"), "one name, one stand-in");
    assert_eq!(pods[0].meta.owner.as_ref().unwrap().name, "node-1");
    assert_eq!(pods[1].meta.name, "kube-proxy-1-1");
    let gap_names: Vec<_> = read.unread().iter().map(|gap| format!("{gap:?}")).collect();
    assert!(gap_names[1].contains("node-3"), "{gap_names:?}");
}

#[test]
fn arguments_that_are_nobodys_business_are_not_saved() {
    let mut seen = cluster();
    let Listing::Read { items, .. } = &mut seen.pods else {
        unreachable!("the pods were read");
    };
    items[0].containers[0].arguments = vec![
        "kube-apiserver --token=secret".to_owned(),
        "--emulated-version".to_owned(),
        "kube=1.35".to_owned(),
        "--oidc-client-secret=hidden".to_owned(),
    ];
    let text = saved(&seen, false);
    assert!(!text.contains("secret") && !text.contains("hidden"), "{text}");
    let (read, _) = read(&text).unwrap();
    let arguments = &read.pods.items()[0].containers[0].arguments;
    assert_eq!(arguments, &["component", "--emulated-version", "kube=1.35"]);
}

#[test]
fn a_member_of_another_form_is_refused() {
    let text = saved(&cluster(), false).replace("kubectl-skew/v1", "kubectl-skew/v9");
    assert!(refused(text).contains("what kubectl skew save writes"));
}
