//! The support's own promises: what is seeded is what the server says, and nothing outlives a test.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::control_planes::{PAIR, SINGLE};
use crate::support::control_plane::repository;
use crate::support::objects::{gke_kube_proxy, kube_proxy, node};
use crate::support::{ControlPlane, Server};

#[test]
fn seeded_objects_are_what_kubectl_lists() {
    let cluster = SINGLE.scenario([
        node("a", "v1.36.2").cordoned(),
        node("b", "v1.35.0"),
        kube_proxy("a", "v1.36.2"),
        gke_kube_proxy("b", "v1.35.0"),
        kube_proxy("gone", "v1.34.0").evicted(),
        kube_proxy("leaving", "v1.34.0").terminating(),
        kube_proxy("nowhere", "v1.34.0").pending(),
        kube_proxy("never", "v1.34.0").never_pulled(),
    ]);
    let columns =
        "-o=custom-columns=N:.metadata.name,V:.status.nodeInfo.kubeletVersion,U:.spec.unschedulable";
    let nodes = cluster
        .kubectl()
        .args(["get", "nodes", "--no-headers", columns])
        .run()
        .success();
    assert_eq!(words(&nodes), ["a v1.36.2 true", "b v1.35.0 <none>"]);
    let columns = "-o=custom-columns=N:.metadata.name,P:.status.phase,O:.spec.nodeName,\
                   S:.status.containerStatuses[0].state.waiting.reason,W:.metadata.ownerReferences[0].kind";
    let pods = ["get", "pods", "-n", "kube-system", "--no-headers", columns];
    assert_eq!(
        words(&cluster.kubectl().args(pods).run().success()),
        [
            "kube-proxy-a Running a <none> DaemonSet",
            "kube-proxy-b Running b <none> Node",
            "kube-proxy-gone Failed gone <none> DaemonSet",
            "kube-proxy-leaving Running leaving <none> DaemonSet",
            "kube-proxy-never Pending never ImagePullBackOff DaemonSet",
            "kube-proxy-nowhere Pending <none> <none> DaemonSet",
        ]
    );
    let leaving = [
        "get",
        "pod",
        "-n",
        "kube-system",
        "kube-proxy-leaving",
        "-o=jsonpath={.metadata.deletionTimestamp}",
    ];
    assert_ne!(cluster.kubectl().args(leaving).run().success(), "");
    drop(cluster);

    let empty = SINGLE.scenario([]);
    let everything = ["get", "nodes,pods", "-A", "--ignore-not-found"];
    assert_eq!(empty.kubectl().args(everything).run().success(), "");
}

fn words(table: &str) -> Vec<String> {
    table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn two_servers_hold_two_leases_and_a_balancer_reaches_both() {
    let cluster = PAIR.scenario([]);
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases\
                  ?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver";
    within_seconds(30, || {
        let leases: Value = serde_json::from_str(&cluster.api().text(leases).unwrap()).unwrap();
        (leases["items"].as_array().unwrap().len() == 2).then_some(())
    });
    let mut minors: Vec<_> = (0..2)
        .map(|_| {
            cluster
                .kubectl()
                .args(["get", "--raw", "/version"])
                .run()
                .success()
        })
        .map(|answer| serde_json::from_str::<Value>(&answer).unwrap()["minor"].to_string())
        .collect();
    minors.sort();
    assert_eq!(minors, ["\"36\"", "\"37\""]);
}

#[test]
fn a_test_that_panics_leaves_no_server() {
    let mut left = None;
    let panicked = catch_unwind(std::panic::AssertUnwindSafe(|| {
        let plane = ControlPlane::start(&[Server::of("1.37")]);
        left = Some((plane.addresses[0].clone(), plane.directory().to_owned()));
        panic!("as a failing assertion does");
    }));
    assert!(panicked.is_err());
    let (address, directory) = left.unwrap();
    assert!(
        std::net::TcpStream::connect(address).is_err(),
        "kube-apiserver still listens"
    );
    assert!(!directory.exists());
}

/// A test that is killed drops nothing; its end of the keeper's pipe closes all the same.
#[test]
fn a_test_that_is_killed_leaves_no_server() {
    let directory = tempfile::tempdir().unwrap().keep();
    fs::create_dir_all(directory.join("run")).unwrap();
    let pid = directory.with_extension("pid");
    fs::write(
        directory.join("run/server"),
        format!("sleep 1000 & echo $! >{}; wait", pid.display()),
    )
    .unwrap();
    let script = format!(
        "exec 3> >({} {})\nsleep 1000",
        repository().join("tests/support/keeper").display(),
        directory.display()
    );
    let mut test = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let server = within_seconds(10, || {
        fs::read_to_string(&pid).ok().filter(|pid| pid.ends_with('\n'))
    });
    let server = Path::new("/proc").join(server.trim());
    assert!(server.exists());
    test.kill().unwrap();
    test.wait().unwrap();
    within_seconds(10, || (!server.exists() && !directory.exists()).then_some(()));
    fs::remove_file(pid).unwrap();
}

fn within_seconds<T>(seconds: u64, mut found: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < deadline, "not so after {seconds} seconds");
        thread::sleep(Duration::from_millis(20));
    }
}
