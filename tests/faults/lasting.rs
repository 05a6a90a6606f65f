//! Faults that stay: on one read, and on all of them.

use std::time::Instant;

use kubectl_skew::collect::connect::{ConnectError, ConnectErrorKind};
use kubectl_skew::render::sentences;

use crate::server::{Encoding, Place, Reply, Server, cluster, gzip_broken, proto_status};
use crate::{BOUND, PLACES, gap_at, in_parallel, read, status};

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
        (
            "407",
            Reply::of(407, "text/html", "<title>Proxy login</title>"),
            "not a Kubernetes API server",
        ),
        ("408", status(408), "408"),
        ("409", status(409), "409"),
        ("410", status(410), "410"),
        ("415", status(415), "415"),
        ("421", status(421), "421"),
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
        ("301 to nowhere", Reply::of(301, "", ""), "301"),
        ("308 of no address", Reply::of(308, "", "").with("location", "https://"), "308"),
        (
            "307 in JSON",
            Reply::json(307, "{}").with("location", "https://login.example"),
            "307",
        ),
        ("304", Reply::json(304, ""), "304"),
        ("login page", html(), "not a Kubernetes API server"),
        ("login page in gzip", html().gzipped(1, None), "not a Kubernetes API server"),
        (
            "login page that calls itself JSON",
            Reply::json(200, "<html><title>Sign in</title></html>"),
            "cannot be read",
        ),
        (
            "text",
            Reply::of(200, "text/plain", "ok"),
            "not a Kubernetes API server",
        ),
        (
            "CBOR",
            Reply::of(200, "application/cbor", "\u{1}"),
            "not a Kubernetes API server",
        ),
        (
            "an encoding that nobody asked for",
            Reply::json(200, "{}").with("content-encoding", "br"),
            "cannot be read",
        ),
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
        ("a byte now and then", Reply::Drip, "within 1 s"),
        (
            "half a head",
            Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-ty".to_vec()),
            "closed before",
        ),
        (
            "a head without end",
            Reply::Raw([b"HTTP/1.1 200 OK\r\nx: ".to_vec(), vec![b'x'; 2 << 20]].concat()),
            "no connection",
        ),
        (
            "two lengths",
            Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\n{}".to_vec()),
            "no connection",
        ),
        (
            "a chunk of no length",
            Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}".to_vec()),
            "closed before",
        ),
    ]
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
        let text = sentences::gap(&gap, " --context x");
        assert!(text.reason.contains(words), "{what}: {}", text.reason);
        assert!(
            text.verify
                .is_some_and(|it| it.starts_with("kubectl get ") && it.ends_with(" --context x")),
            "{what}"
        );
        assert_eq!(
            gap.required,
            matches!(place, Place::Nodes(_) | Place::Pods(_)),
            "{what}"
        );
        // No rule of RBAC on resources grants /version.
        let granted = name.starts_with("403") && place != Place::Version;
        assert_eq!(gap.grant().is_some(), granted, "{what}");
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
