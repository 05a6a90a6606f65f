//! A live read against a server that is made to fail: every fault on every read, at the first page and in the
//! middle of a list, ends in a named gap or error within a bounded time. Never is a shorter list passed off as
//! the whole one, and nothing is counted twice.

#![cfg(feature = "live")]

#[path = "faults/server.rs"]
mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kubectl_skew::collect::connect::voice::Voice;
use kubectl_skew::collect::connect::{ConnectError, ConnectErrorKind, ConnectOptions, Connection};
use kubectl_skew::collect::live::{LiveRequest, observe};
use kubectl_skew::inventory::gap::Gap;
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::{Listing, Observed};
use server::{Encoding, Place, Reply, Server, cluster, gzip_broken, json_status, proto_status};

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
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, "").expect("a file");
    let voice = Voice::to(0, Box::new(std::io::sink()));
    let connection = Connection::open_with(&options(server, &kubeconfig), voice)?;
    let request = LiveRequest {
        hosted: None,
        chunk_size,
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

fn gap<T>(listing: &Listing<T>) -> Option<&Gap> {
    match listing {
        Listing::Failed(gap) | Listing::Read { cut: Some(gap), .. } => Some(gap),
        Listing::NotAsked | Listing::Read { .. } => None,
    }
}

/// The gap of the read that was made to fail.
fn gap_at(observed: &Observed, place: Place) -> Option<&Gap> {
    match place {
        Place::Version => observed.gaps.first(),
        Place::Nodes(_) => gap(&observed.nodes),
        Place::Pods(_) => gap(&observed.pods),
        Place::Leases => gap(&observed.leases),
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

/// Faults that stay, each with words that its gap must hold.
fn lasting() -> Vec<(&'static str, Reply, &'static str)> {
    let html = || {
        Reply::of(
            200,
            "text/html; charset=utf-8",
            "<html><title>Sign in</title></html>",
        )
    };
    vec![
        ("400", status(400), "400"),
        ("401", status(401), "401"),
        ("403", status(403), "403"),
        (
            "403 in protobuf",
            Reply::protobuf(403, proto_status(403, "Forbidden", "no")),
            "403 Forbidden: no",
        ),
        (
            "404",
            Reply::of(404, "text/plain", "404 page not found\n"),
            "404 page not found",
        ),
        ("405", status(405), "405"),
        ("406", status(406), "406"),
        ("409", status(409), "409"),
        ("410", status(410), "410"),
        ("429", status(429), "429"),
        ("500", status(500), "500"),
        ("501", status(501), "501"),
        (
            "502 page",
            Reply::of(502, "text/html", "<title>Bad Gateway</title>"),
            "Bad Gateway",
        ),
        ("503", status(503), "503"),
        ("504", status(504), "504"),
        ("511", Reply::of(511, "text/html", "<title>Log in</title>"), "511"),
        ("204", Reply::of(204, "application/json", ""), "204"),
        ("206", Reply::of(206, "application/json", "{}"), "206"),
        (
            "302",
            Reply::of(302, "text/html", "").with("location", "https://login.example"),
            "302",
        ),
        ("login page", html(), "not a Kubernetes API server"),
        (
            "no content type",
            Reply::of(200, "", "{}"),
            "not a Kubernetes API server",
        ),
        ("JSON of nothing", Reply::json(200, "{}"), "cannot be read"),
        (
            "JSON of another kind",
            Reply::json(200, r#"{"kind":"Status","apiVersion":"v1"}"#),
            "cannot be read",
        ),
        (
            "broken JSON",
            Reply::json(200, r#"{"kind":"NodeList","items":[{"#),
            "cannot be read",
        ),
        ("empty JSON", Reply::json(200, ""), "cannot be read"),
        (
            "broken protobuf",
            Reply::protobuf(200, b"k8s\0\x0f\x0f\x0f".to_vec()),
            "cannot be read",
        ),
        (
            "no protobuf",
            Reply::protobuf(200, b"<html>".to_vec()),
            "cannot be read",
        ),
        (
            "empty protobuf",
            Reply::protobuf(200, Vec::new()),
            "closed before",
        ),
        ("broken gzip", gzip_broken(), "cannot be read"),
        ("cut", Reply::Cut, "closed before"),
        ("cut in chunks", Reply::CutChunks, "closed before"),
        ("closed", Reply::Close, "closed before"),
        (
            "no HTTP",
            Reply::Raw(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()),
            "no connection",
        ),
        ("silent", Reply::Silence, "within 1 s"),
        ("silent in the middle", Reply::Stall, "within 1 s"),
    ]
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
fn a_lasting_fault_on_one_read_is_a_named_gap_and_the_rest_is_read() {
    let mut cases = Vec::new();
    for place in PLACES {
        for (name, reply, words) in lasting() {
            // In the middle of a list that is the expiry of a token: a test of its own.
            if name != "410" || !matches!(place, Place::Nodes(2) | Place::Pods(2)) {
                cases.push((place, name, reply, words));
            }
        }
    }
    in_parallel(cases, |(place, name, reply, words)| {
        let what = format!("{name} at {place:?}");
        let server = Server::start(move |request| {
            if Place::of(request) == Some(place) {
                reply.clone()
            } else {
                cluster(request, Encoding::Protobuf)
            }
        });
        let started = Instant::now();
        let observed = read(&server).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(started.elapsed() < BOUND, "{what} took {:?}", started.elapsed());
        // The answer of /version is JSON, and any JSON object without a version is one that cannot be read.
        let gap = gap_at(&observed, place).unwrap_or_else(|| panic!("{what}: no gap"));
        let protobuf_for_json =
            place == Place::Version && name.ends_with("protobuf") && name != "403 in protobuf";
        let words = if protobuf_for_json {
            "protobuf came where JSON was asked for"
        } else {
            words
        };
        assert!(gap.reason.contains(words), "{what}: {}", gap.reason);
        assert!(
            gap.verify
                .as_ref()
                .is_some_and(|it| it.starts_with("kubectl get ")),
            "{what}"
        );
        assert_eq!(
            gap.required,
            matches!(place, Place::Nodes(_) | Place::Pods(_)),
            "{what}"
        );
        // No rule of RBAC on resources grants /version.
        let granted = name.starts_with("403") && place != Place::Version;
        assert_eq!(gap.grant.is_some(), granted, "{what}");
        let others = PLACES.into_iter().filter(|other| !other.is_same_read(place));
        for other in others {
            assert_eq!(
                gap_at(&observed, other).filter(|it| *it != gap),
                None,
                "{what}: {other:?}"
            );
        }
    });
}

#[test]
fn a_passing_fault_leaves_no_trace() {
    let passing = || {
        vec![
            ("429", status(429)),
            ("429 with a time", status(429).with("retry-after", "1")),
            ("500", status(500)),
            ("502", Reply::of(502, "text/html", "<html>")),
            ("503", status(503)),
            ("504", status(504)),
            ("cut", Reply::Cut),
            ("cut in chunks", Reply::CutChunks),
            ("closed", Reply::Close),
        ]
    };
    let mut cases = Vec::new();
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        for place in PLACES {
            cases.extend(
                passing()
                    .into_iter()
                    .map(|(name, reply)| (encoding, place, name, reply)),
            );
        }
    }
    in_parallel(cases, |(encoding, place, name, reply)| {
        let what = format!("{name} at {place:?} in {encoding:?}");
        let failures = AtomicUsize::new(2);
        let server = Server::start(move |request| {
            let fails = Place::of(request) == Some(place)
                && failures
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                    .is_ok();
            if fails {
                reply.clone()
            } else {
                cluster(request, encoding)
            }
        });
        assert_whole(
            &read(&server).unwrap_or_else(|error| panic!("{what}: {error}")),
            &what,
        );
    });
}

#[test]
fn an_expired_token_starts_the_list_again_and_counts_nothing_twice() {
    // Always: the last beginning asks for the list in one piece.
    for expiries in [1, 2, 99] {
        for place in [Place::Nodes(2), Place::Pods(2)] {
            let left = AtomicUsize::new(expiries);
            let server = Server::start(move |request| {
                let expired = Place::of(request) == Some(place)
                    && left
                        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                        .is_ok();
                if expired {
                    Reply::protobuf(410, proto_status(410, "Expired", "too old"))
                } else {
                    cluster(request, Encoding::Protobuf)
                }
            });
            assert_whole(&read(&server).unwrap(), &format!("{expiries} at {place:?}"));
        }
    }
}

#[test]
fn a_list_that_expires_whatever_is_done_is_cut_and_says_so() {
    let server = Server::start(|request| match Place::of(request) {
        Some(Place::Nodes(1)) => cluster("/api/v1/nodes?limit=2", Encoding::Protobuf),
        Some(Place::Nodes(2)) => status(410),
        _ => cluster(request, Encoding::Protobuf),
    });
    let observed = read(&server).unwrap();
    let gap = gap(&observed.nodes).unwrap();
    assert!(
        gap.required && gap.reason.starts_with("only 2 of the nodes were read"),
        "{}",
        gap.reason
    );
    assert!(
        gap.reason.contains("its continue token expired 3 times"),
        "{}",
        gap.reason
    );
}

#[test]
fn a_server_that_asks_to_wait_is_waited_for_but_not_for_long() {
    let first = AtomicUsize::new(1);
    let server = Server::start(move |request| {
        let busy = Place::of(request) == Some(Place::Nodes(1)) && first.swap(0, Ordering::SeqCst) == 1;
        if busy {
            status(429).with("retry-after", "2")
        } else {
            cluster(request, Encoding::Protobuf)
        }
    });
    let started = Instant::now();
    assert_whole(&read(&server).unwrap(), "after two seconds");
    assert!(started.elapsed() >= Duration::from_secs(2));

    let server = Server::start(|request| match Place::of(request) {
        Some(Place::Nodes(1)) => status(429).with("retry-after", "3600"),
        _ => cluster(request, Encoding::Protobuf),
    });
    let started = Instant::now();
    let observed = read(&server).unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "an hour is not waited for"
    );
    assert!(gap(&observed.nodes).unwrap().reason.contains("429"));
}

#[test]
fn a_token_that_leads_nowhere_does_not_go_on_for_ever() {
    let server = Server::start(|request| {
        let looping = request.contains("/nodes") && request.contains("continue=");
        cluster(
            if looping { "/api/v1/nodes?limit=2" } else { request },
            Encoding::Protobuf,
        )
    });
    let observed = read(&server).unwrap();
    let gap = gap(&observed.nodes).unwrap();
    assert!(
        gap.reason.contains("leads back to the same page"),
        "{}",
        gap.reason
    );
}

#[test]
fn one_object_that_cannot_be_read_is_one_gap_that_names_it() {
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        let server = Server::start(move |request| match Place::of(request) {
            Some(Place::Nodes(_)) => server::nodes_with_a_broken_one(encoding),
            _ => cluster(request, encoding),
        });
        let observed = read(&server).unwrap();
        let Listing::Read {
            items,
            listed,
            cut: None,
            broken,
        } = &observed.nodes
        else {
            panic!("{:?}", observed.nodes)
        };
        assert_eq!((items.len(), *listed, broken.len()), (2, 3, 1), "{encoding:?}");
        assert_eq!(broken[0].objects, ["node/n2"], "{encoding:?}");
        assert!(
            broken[0].required && broken[0].reason.contains("node/n2 cannot be read"),
            "{:?}",
            broken[0]
        );
    }
}

/// Every read fails alike: there is no cluster to judge.
fn failed(reply: &Reply) -> ConnectError {
    let reply = reply.clone();
    let server = Server::start(move |_| reply.clone());
    let started = Instant::now();
    let error = read(&server).expect_err("nothing was read");
    assert!(started.elapsed() < BOUND, "{error} took {:?}", started.elapsed());
    error
}

#[test]
fn a_cluster_that_fails_everywhere_is_an_error_that_says_what_to_do() {
    for (name, reply, _) in lasting() {
        // A server that knows us and refuses is a cluster with gaps.
        if name.starts_with("403") {
            continue;
        }
        let error = failed(&reply);
        let kind = if name == "401" {
            ConnectErrorKind::Unauthorized
        } else {
            ConnectErrorKind::Unreachable
        };
        assert_eq!(error.kind(), kind, "{name}: {error}");
        let source = std::error::Error::source(&error).expect("a cause").to_string();
        let is_silent = matches!(error, ConnectError::Unreachable { .. }) && source.is_empty();
        assert!(!is_silent, "{name}");
    }
    let login = failed(&Reply::of(200, "text/html", "<title>Sign in</title>"));
    assert!(login.hint().unwrap().contains("log in"), "{login}");
}

#[test]
fn a_user_without_rights_has_gaps_and_no_error() {
    let message = r#"nodes is forbidden: User "ann" cannot list"#;
    let server = Server::start(move |_| Reply::json(403, json_status(403, "Forbidden", message)));
    let observed = read(&server).unwrap();
    for (gap, skipped) in [
        (gap(&observed.nodes), "nodes"),
        (gap(&observed.pods), "pods"),
        (gap(&observed.leases), "leases"),
        (observed.gaps.first(), "version"),
    ] {
        let gap = gap.unwrap_or_else(|| panic!("no gap for {skipped}"));
        assert_eq!(
            gap.skipped.iter().map(|it| it.name()).collect::<Vec<_>>(),
            [skipped]
        );
        if skipped != "version" {
            assert_eq!(gap.grant.as_ref().unwrap().user.as_deref(), Some("ann"));
        }
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
        let connection = Connection::open_with(&options, Voice::to(0, Box::new(std::io::sink())))?;
        let request = LiveRequest {
            hosted: None,
            chunk_size: 500,
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
