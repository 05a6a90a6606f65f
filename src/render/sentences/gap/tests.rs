//! Every reason, and the sentence, the command and the grant that it becomes.

use super::*;
use crate::inventory::version::Minor;

fn texts(reason: GapReason) -> (String, Option<String>) {
    let text = gap(&Gap::of(reason), " --context c");
    (text.reason, text.verify)
}

fn says(reason: GapReason, sentence: &str, command: &str) {
    assert_eq!(texts(reason), (sentence.to_owned(), Some(command.to_owned())));
}

fn owned(text: &str) -> String {
    text.to_owned()
}

fn failed(resource: Resource, namespace: Option<&str>, read: usize, fault: ReadFault) -> GapReason {
    GapReason::Read(ReadGap::Failed {
        resource,
        namespace: namespace.map(str::to_owned),
        read,
        fault,
    })
}

fn status(code: u16, reason: &str, message: Option<&str>, user: Option<&str>) -> ReadFault {
    ReadFault::Status {
        code,
        reason: Some(owned(reason)),
        message: message.map(str::to_owned),
        user: user.map(str::to_owned),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a fault holds it so")]
fn at(line: u64) -> Option<FilePlace> {
    Some(FilePlace {
        file: owned("dump.json"),
        line,
        column: 7,
    })
}

#[test]
fn reads_that_failed() {
    says(
        failed(
            Resource::Nodes,
            None,
            0,
            status(403, "Forbidden", Some("nodes is forbidden"), None),
        ),
        "the nodes were not read, so kubelet skew was not assessed: the server answered 403 Forbidden: nodes is forbidden",
        "kubectl get nodes --context c",
    );
    says(
        failed(Resource::Pods, Some("kube-system"), 1_200, ReadFault::Expired(3)),
        "only 1,200 of the pods of namespace kube-system were read, the rest was not assessed: the list changed faster \
         than it could be read: its continue token expired 3 times",
        "kubectl get pods -n kube-system --context c",
    );
    says(
        failed(Resource::Leases, Some("kube-system"), 0, ReadFault::Cut),
        "the Leases of kube-apiservers were not read, so the number of kube-apiservers is unknown: the connection was \
         closed before the whole answer was read",
        "kubectl get leases -n kube-system -l apiserver.kubernetes.io/identity=kube-apiserver --context c",
    );
    says(
        failed(
            Resource::Version,
            None,
            0,
            ReadFault::TimedOut(Duration::from_millis(1_500)),
        ),
        "/version was not read, so the server version is not known from it: no complete answer within 1500 ms",
        "kubectl get --raw /version --context c",
    );
    says(
        failed(
            Resource::ClusterOperators,
            None,
            0,
            ReadFault::NotKubernetes {
                code: 200,
                content_type: Some(owned("text/html")),
                title: Some(owned("Sign in")),
            },
        ),
        "the ClusterOperators were not read, so OpenShift's control plane was not assessed by them: what answered is \
         not a Kubernetes API server: status 200, text/html titled \"Sign in\"",
        "kubectl get clusteroperators --context c",
    );
}

/// What a redacted snapshot leaves of them is a sentence all the same.
#[test]
fn faults_without_a_word_of_the_server() {
    let bare = [
        (
            ReadFault::Status {
                code: 403,
                reason: None,
                message: None,
                user: None,
            },
            "the server answered 403",
        ),
        (
            ReadFault::OtherServer { code: 302, to: None },
            "the server answered 302 and redirects to another server: no credentials are sent there",
        ),
        (ReadFault::Garbled { detail: None }, "the answer cannot be read"),
        (
            ReadFault::NoConnection { detail: None },
            "there was no connection",
        ),
        (
            ReadFault::RunTimedOut(Duration::from_secs(60)),
            "the time for the whole run, 60 s, was up",
        ),
    ];
    for (fault, sentence) in bare {
        assert_eq!(read_fault(&fault), sentence);
    }
}

#[test]
fn files_that_are_not_whole() {
    says(
        GapReason::Read(ReadGap::OnePage {
            resource: Resource::Nodes,
            at: at(1),
        }),
        "the list of nodes (dump.json:1:7) is one page of a longer list (metadata.continue is set), so the rest is missing",
        "kubectl get nodes -o json --context c",
    );
    says(
        GapReason::Read(ReadGap::FileMayBeCut {
            at: at(6_000),
            sign: CutSign::LastLineUnended,
        }),
        "dump.json ends in the middle of line 6,000 and may have been cut there: take the dump again",
        "kubectl get nodes,pods -A -o json --context c",
    );
    says(
        GapReason::Read(ReadGap::SeveralServerVersions {
            answers: [(Some(owned("v1.35.1")), at(2)), (None, None)]
                .into_iter()
                .collect(),
        }),
        "the input has more than one server version: v1.35.1 (dump.json:2:7), a snapshot of kubectl skew; give the files \
         of one cluster, or the version with --server-version",
        "kubectl version -o json --context c",
    );
}

#[test]
fn objects_that_cannot_be_read_are_counted_and_never_shown_as_a_name() {
    let nodes = |many: usize| {
        let objects = (0..many).map(|number| UnreadableObject {
            namespace: None,
            name: Some(format!("n{number}")),
            malformed: Malformed::Field {
                member: owned("status"),
                detail: Some(owned("invalid type")),
            },
            at: at(3),
        });
        GapReason::Read(ReadGap::Unreadable {
            resource: Resource::Nodes,
            namespace: None,
            objects: objects.collect(),
        })
    };
    says(
        nodes(1),
        "node/n0 (dump.json:3:7) cannot be read: unexpected status: invalid type",
        "kubectl get node/n0 -o yaml --context c",
    );
    let many = gap(&Gap::of(nodes(5_000)), "");
    assert_eq!(
        many.reason,
        "5,000 nodes cannot be read, first node/n0 (dump.json:3:7): unexpected status: invalid type"
    );
    assert_eq!(many.objects.len() + many.more_objects, 5_000);
    assert!(many.objects.len() <= 10 && many.objects.iter().all(|name| name.starts_with("node/n")));
}

fn unread(kind: WhyUnread, image: Option<&str>) -> UnreadPod {
    UnreadPod {
        component: Component::KubeProxy,
        namespace: Some(owned("kube-system")),
        pod: owned("p1"),
        node: Some(owned("a")),
        container: Some(owned("kube-proxy")),
        image: image.map(str::to_owned),
        why: kind,
        required: true,
    }
}

#[test]
fn pods_whose_version_is_unread() {
    let of = |why: WhyUnread, image: Option<&str>| GapReason::PodsUnread {
        component: Component::KubeProxy,
        kind: why.kind(),
        pods: vec![unread(why, image), unread(why, image)],
    };
    let exec = "kubectl exec pod/p1 -n kube-system -c kube-proxy --context c -- kube-proxy --version";
    for (why, sentence) in [
        (
            WhyUnread::ByDigest,
            "image pinned by digest; no node reports its tag",
        ),
        (WhyUnread::NotAVersion, "the tag is not a Kubernetes version"),
        (WhyUnread::NoTag, "the image has neither tag nor digest"),
        (
            WhyUnread::OtherName,
            "the image is not named kube-proxy, so its tag may not be a Kubernetes version",
        ),
    ] {
        let sentence = format!(
            "the kube-proxy version of 2 pods cannot be read: kube-system/p1 runs x/y@z ({sentence})"
        );
        says(of(why, Some("x/y@z")), &sentence, exec);
    }
    says(
        of(WhyUnread::NeverRan, Some("x/kube-proxy:v1.36.0")),
        "kube-proxy has not started in 2 pods: image x/kube-proxy:v1.36.0 of kube-system/p1 shows only the desired version",
        "kubectl get pod/p1 -n kube-system -o wide --context c",
    );
    says(
        of(WhyUnread::Ended, Some("x/kube-proxy:v1.36.0")),
        "no kube-proxy runs on 1 node (a): pod kube-system/p1 (x/kube-proxy:v1.36.0) has failed or completed",
        "kubectl get pod/p1 -n kube-system -o wide --context c",
    );
    says(
        of(WhyUnread::Emulation, None),
        "the emulated version of kube-proxy cannot be read in 2 pods: --emulated-version of kube-system/p1 (no image) is \
         not a version",
        "kubectl get pod/p1 -n kube-system -o yaml --context c",
    );
}

#[test]
fn what_follows_from_an_inventory() {
    let namespace = || owned("tenants");
    let component = Component::KubeScheduler;
    for (reason, sentence, command) in [
        (
            GapReason::NoNodes,
            "no nodes are listed, so kubelet skew was not assessed",
            "kubectl get nodes -o wide --context c",
        ),
        (
            GapReason::NoNodeToJudge { excluded: true },
            "every node is excluded or virtual, so kubelet skew was not assessed",
            "kubectl get nodes -o wide --context c",
        ),
        (
            GapReason::HostedNodes,
            "the nodes of a hosted control plane are listed only by its own cluster, so kubelet skew was not assessed: \
             run kubectl skew with that cluster's kubeconfig",
            "kubectl --kubeconfig HOSTED-CLUSTER-KUBECONFIG get nodes -o wide",
        ),
        (
            GapReason::NoPods {
                namespace: namespace(),
            },
            "there are no pods of namespace tenants, so kube-proxy and control-plane skew were not assessed",
            "kubectl get pods -n tenants -o wide --context c",
        ),
        (
            GapReason::NoComponentPods {
                namespace: namespace(),
            },
            "namespace tenants has no pod of a control-plane component: check the name given with -n",
            "kubectl get pods -n tenants -o wide --context c",
        ),
        (
            GapReason::NoServerVersion {
                reported: Some(owned("N/A")),
                namespace: None,
            },
            "the server version \"N/A\" is not a Kubernetes version; give it with --server-version",
            "kubectl version --context c",
        ),
        (
            GapReason::FewerApiservers {
                live: 3,
                seen: 1,
                by_answers: false,
            },
            "3 kube-apiservers hold a live Lease, but only 1 was seen",
            "kubectl get leases -n kube-system -l apiserver.kubernetes.io/identity=kube-apiserver --context c",
        ),
        (
            GapReason::ManagerNotSeen {
                component,
                namespace: namespace(),
            },
            "kube-apiserver runs, but no running kube-scheduler was seen, so its version was not assessed",
            "kubectl get pods -n tenants -o wide --context c",
        ),
        (
            GapReason::OperatorMissing { component },
            "ClusterOperator kube-scheduler was not found, so the version of kube-scheduler is unknown",
            "kubectl get clusteroperator kube-scheduler -o yaml --context c",
        ),
        (
            GapReason::KubeletsUnread {
                nodes: vec![(owned("a"), Some(owned("fake"))), (owned("b"), None)],
            },
            "the kubelet version of 2 nodes cannot be read: a reports \"fake\", which is not a Kubernetes version",
            "kubectl get node/a -o jsonpath='{.status.nodeInfo.kubeletVersion}' --context c",
        ),
        (
            GapReason::TargetRefused {
                target: owned("1.35"),
                why: TargetRefusal::BelowOldest {
                    oldest: Minor::new(36),
                },
            },
            "the target 1.35 is below kube-apiserver 1.36: a downgrade is not judged",
            "kubectl version --context c",
        ),
    ] {
        says(reason, sentence, command);
    }
}

#[test]
fn a_name_stays_one_word_of_the_shell_and_is_never_a_flag() {
    for name in [
        "p; reboot",
        "$(id)",
        "`id`",
        "it's",
        "a\nb",
        "-oyaml",
        "a -- b",
        "--kubeconfig=/evil",
        "!!",
        "\u{1b}[2J",
        "a\0b",
    ] {
        let mut pod = unread(WhyUnread::ByDigest, None);
        pod.pod = owned(name);
        pod.container = Some(owned(name));
        pod.namespace = Some(owned(name));
        let reason = GapReason::PodsUnread {
            component: Component::KubeProxy,
            kind: UnreadKind::Image,
            pods: vec![pod],
        };
        let command = texts(reason).1.unwrap();
        let kept = name.replace('\0', "");
        let words = shlex::split(&command).unwrap();
        let pod = format!("pod/{kept}");
        let expected = [
            "kubectl",
            "exec",
            &pod,
            "-n",
            &kept,
            "-c",
            &kept,
            "--context",
            "c",
            "--",
            "kube-proxy",
            "--version",
        ];
        assert_eq!(words, expected, "{command}");
    }
}

fn grant_of(resource: Resource, namespace: Option<&str>, user: Option<&str>) -> Option<String> {
    gap(
        &Gap::of(failed(
            resource,
            namespace,
            0,
            status(403, "Forbidden", None, user),
        )),
        "",
    )
    .grant
}

#[test]
fn a_grant_is_two_commands_to_paste() {
    assert_eq!(
        grant_of(Resource::Nodes, None, Some("jane")).as_deref(),
        Some(
            "kubectl create clusterrole kubectl-skew-nodes:jane --verb=list --resource=nodes && \
             kubectl create clusterrolebinding kubectl-skew-nodes:jane \
             --clusterrole=kubectl-skew-nodes:jane --user=jane"
        )
    );
    assert_eq!(
        grant_of(
            Resource::Leases,
            Some("kube-system"),
            Some("system:serviceaccount:ci:reader")
        )
        .as_deref(),
        Some(
            "kubectl create role kubectl-skew-leases:ci:reader -n kube-system --verb=list \
             --resource=leases.coordination.k8s.io && kubectl create rolebinding \
             kubectl-skew-leases:ci:reader -n kube-system --role=kubectl-skew-leases:ci:reader \
             --serviceaccount=ci:reader"
        )
    );
    assert!(
        grant_of(Resource::Pods, Some("x"), None)
            .unwrap()
            .ends_with("--user=USER")
    );
    assert_eq!(grant_of(Resource::Version, None, Some("jane")), None);
    let other = failed(Resource::Nodes, None, 0, status(500, "Error", None, Some("jane")));
    assert_eq!(
        gap(&Gap::of(other), "").grant,
        None,
        "only a refusal can be granted"
    );
}

#[test]
fn a_hostile_user_stays_one_word_of_the_shell() {
    let user = "a'; rm -rf / #";
    let command = grant_of(Resource::Nodes, None, Some(user)).unwrap();
    let words = shlex::split(&command).unwrap();
    assert_eq!(words.last(), Some(&format!("--user={user}")), "{command}");
}
