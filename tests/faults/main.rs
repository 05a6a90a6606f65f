//! A live read against a server that is made to fail: every fault on every read, at the first page and in the
//! middle of a list, ends in a named gap or error within a bounded time. Never is a shorter list passed off as
//! the whole one, and nothing is counted twice.

#![cfg(feature = "live")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod best_effort;
mod lasting;
mod openshift;
mod passing;
mod selection;
mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kubectl_skew::collect::connect::Console;
use kubectl_skew::collect::connect::{ConnectError, ConnectErrorKind, ConnectOptions, Connection};
use kubectl_skew::collect::live::{LiveRequest, observe};
use kubectl_skew::inventory::gap::{Gap, GapReason};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::{Listing, Observed};
use kubectl_skew::inventory::read_gap::{ReadGap, Resource};
use server::{Encoding, Place, Reply, Server, cluster, json_status};

/// One request may take so long, and so the whole run ten times as long.
const REQUEST: &str = "1s";

/// A run of all retries and one silent request, on a busy machine.
const BOUND: Duration = Duration::from_secs(25);

fn options(server: &Server, kubeconfig: &std::path::Path) -> ConnectOptions {
    ConnectOptions {
        kubeconfig: Some(kubeconfig.to_owned()),
        server: Some(server.address()),
        request_timeout: Some(REQUEST.to_owned()),
        ..ConnectOptions::default()
    }
}

fn read(server: &Server) -> Result<Observed, ConnectError> {
    read_in_pages(server, 2)
}

fn read_in_pages(server: &Server, chunk_size: u32) -> Result<Observed, ConnectError> {
    read_with_console(server, chunk_size, Console::to(0, Box::new(std::io::sink())))
}

fn read_with_console(server: &Server, chunk_size: u32, console: Console) -> Result<Observed, ConnectError> {
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, "").expect("a file");
    let connection = Connection::open_with(&options(server, &kubeconfig), console)?;
    let request = LiveRequest {
        hosted: None,
        chunk_size: Some(chunk_size),
        wanted: Wanted::default(),
        kubectl_version: Some("v1.37.0".to_owned()),
        server_version: None,
    };
    observe(&connection, &request).map(|(observed, _)| observed)
}

fn names<'a, T>(listing: &'a Listing<T>, name: impl Fn(&'a T) -> &'a str) -> Vec<&'a str> {
    listing.items().iter().map(name).collect()
}

/// What a whole read of the server's cluster gives.
fn assert_whole(observed: &Observed, what: &str) {
    assert_eq!(observed.versions.len(), 1, "{what}");
    assert_eq!(observed.versions[0].git_version, "v1.37.1", "{what}");
    assert_eq!(
        names(&observed.nodes, |node| &node.meta.name),
        ["n1", "n2", "n3"],
        "{what}"
    );
    assert_eq!(
        names(&observed.pods, |pod| &pod.meta.name),
        ["kube-proxy-a", "kube-proxy-b"],
        "{what}"
    );
    assert_eq!(observed.leases.items().len(), 1, "{what}");
    for (listed, expected) in [
        (listed(&observed.nodes), 3),
        (listed(&observed.pods), 4),
        (listed(&observed.leases), 1),
    ] {
        assert_eq!(listed, Some(expected), "{what}");
    }
    assert!(observed.gaps.is_empty(), "{what}: {:?}", observed.gaps);
}

/// How many objects a whole list held; `None` where it is not whole.
fn listed<T>(listing: &Listing<T>) -> Option<usize> {
    match listing {
        Listing::Read {
            listed,
            cut: None,
            broken,
            ..
        } if broken.is_empty() => Some(*listed),
        _ => None,
    }
}

/// The gap of a list that was not read, or not to its end.
fn gap<T>(listing: &Listing<T>, resource: Resource, namespace: Option<&str>) -> Option<Gap> {
    let mut gaps = listing.unread(resource, namespace).into_iter();
    gaps.find(|gap| matches!(gap, ReadGap::Failed { .. }))
        .map(|gap| Gap::of(GapReason::Read(gap)))
}

fn nodes_gap(observed: &Observed) -> Option<Gap> {
    gap(&observed.nodes, Resource::Nodes, None)
}

/// How many objects had come when the list broke off.
fn read_of(gap: &Gap) -> Option<usize> {
    match &gap.reason {
        GapReason::Read(ReadGap::Failed { read, .. }) => Some(*read),
        _ => None,
    }
}

/// The gap of a read that belongs to no list.
fn other_gap(observed: &Observed) -> Option<Gap> {
    let first = observed.gaps.first().cloned();
    first.map(|gap| Gap::of(GapReason::Read(gap)))
}

/// The gap of the read that was made to fail.
fn gap_at(observed: &Observed, place: Place) -> Option<Gap> {
    let namespace = Some("kube-system");
    match place {
        Place::Version => other_gap(observed),
        Place::Nodes(_) => nodes_gap(observed),
        Place::Pods(_) => gap(&observed.pods, Resource::Pods, namespace),
        Place::Leases => gap(&observed.leases, Resource::Leases, namespace),
    }
}

const PLACES: [Place; 6] = [
    Place::Version,
    Place::Nodes(1),
    Place::Nodes(2),
    Place::Pods(1),
    Place::Pods(2),
    Place::Leases,
];

fn status(code: u16) -> Reply {
    Reply::json(code, json_status(code, "Reason", "no"))
}

/// Runs cases a few at a time: they mostly wait.
fn in_parallel<T: Send>(cases: Vec<T>, run: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                loop {
                    let next = cases
                        .lock()
                        .expect("no case panics while it holds the lock")
                        .next();
                    let Some(case) = next else { break };
                    run(case);
                }
            });
        }
    });
}

#[test]
fn the_server_that_does_not_fail_is_read_whole_in_both_encodings() {
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        for pages in [0, 1, 2, 500] {
            let server = Server::start(move |request| cluster(request, encoding));
            let observed = read_in_pages(&server, pages).unwrap();
            assert_whole(&observed, &format!("{encoding:?} in pages of {pages}"));
        }
    }
    let read_as = |encoding| {
        let server = Server::start(move |request| cluster(request, encoding));
        format!("{:#?}", read(&server).unwrap())
    };
    assert_eq!(read_as(Encoding::Protobuf), read_as(Encoding::Json));
}

#[test]
fn compressed_answers_are_read_whole_or_not_taken_for_whole() {
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        let server = Server::start(move |request| cluster(request, encoding).gzipped(1, None));
        assert_whole(&read(&server).unwrap(), &format!("gzip of {encoding:?}"));
        // The unpacker of the client library ends with the first member, and a body may end too early.
        for (name, members, keep) in [("two members", 2, None), ("half", 1, Some(60))] {
            let server = Server::start(move |request| match Place::of(request) {
                Some(Place::Nodes(2)) => cluster(request, encoding).gzipped(members, keep),
                _ => cluster(request, encoding),
            });
            let observed = read(&server).unwrap();
            let gap = nodes_gap(&observed).unwrap_or_else(|| panic!("{name} of {encoding:?}: no gap"));
            assert_eq!(read_of(&gap), Some(2), "{name}: {gap:?}");
        }
    }
}

#[test]
fn a_user_without_rights_has_gaps_and_no_error() {
    let message = r#"nodes is forbidden: User "ann" cannot list"#;
    let server = Server::start(move |_| Reply::json(403, json_status(403, "Forbidden", message)));
    let observed = read(&server).unwrap();
    for (place, skipped) in [
        (Place::Nodes(1), Resource::Nodes),
        (Place::Pods(1), Resource::Pods),
        (Place::Leases, Resource::Leases),
        (Place::Version, Resource::Version),
    ] {
        let gap = gap_at(&observed, place).unwrap_or_else(|| panic!("no gap for {skipped:?}"));
        assert_eq!(gap.skipped(), Some(skipped));
        let user = gap.grant().and_then(|grant| grant.user);
        let expected = (skipped != Resource::Version).then_some("ann");
        assert_eq!(user.as_deref(), expected);
    }
}

#[test]
fn a_kept_connection_that_the_server_closes_between_pages_is_made_anew() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let server = Server::start(move |request| {
        counter.fetch_add(1, Ordering::SeqCst);
        cluster(request, Encoding::Protobuf).and_close()
    });
    assert_whole(&read_in_pages(&server, 1).unwrap(), "closing after each answer");
    assert!(asked.load(Ordering::SeqCst) >= 9);
}

#[test]
fn nothing_listens_or_nothing_is_there() {
    let server = Server::start(|_| Reply::Close);
    let address = server.address();
    drop(server);
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, "").unwrap();
    let open = |server: &str| {
        let options = ConnectOptions {
            kubeconfig: Some(kubeconfig.clone()),
            server: Some(server.to_owned()),
            request_timeout: Some(REQUEST.to_owned()),
            ..ConnectOptions::default()
        };
        let connection = Connection::open_with(&options, Console::to(0, Box::new(std::io::sink())))?;
        let request = LiveRequest {
            hosted: None,
            chunk_size: None,
            wanted: Wanted::default(),
            kubectl_version: Some("v1.37.0".to_owned()),
            server_version: None,
        };
        observe(&connection, &request).map(|_| ())
    };
    for (server, words) in [
        (address.as_str(), "the connection was refused"),
        ("https://no-such-host.invalid", "could not be resolved"),
    ] {
        let error = open(server).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains(words), "{server}: {source}");
        assert_eq!(error.kind(), ConnectErrorKind::Unreachable);
        assert!(error.hint().is_some());
    }
}
