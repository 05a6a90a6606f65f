//! `--best-effort` lets a control plane in trouble pass, and nothing that a person can correct: above all no login page.

use std::process::{Command, Output, Stdio};

use crate::server::{Encoding, Place, Reply, Server, cluster};
use crate::{in_parallel, status};

fn portal() -> Reply {
    Reply::of(200, "text/html", "<html><title>Sign in</title></html>")
}

fn redirect() -> Reply {
    Reply::of(302, "text/html", "").with("location", "https://login.example")
}

fn run(server: &Server) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let address = server.address();
    let args = [
        "--server",
        &address,
        "--target",
        "1.38",
        "--request-timeout",
        "1s",
        "--best-effort",
    ];
    Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .args(args)
        .args(["--kubectl-version", "v1.37.0"])
        .env_clear()
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("the product runs")
}

#[test]
fn a_failing_store_passes_and_a_page_a_redirect_or_a_refusal_never_does() {
    let everywhere: fn(Option<Place>) -> bool = |_| true;
    let nodes: fn(Option<Place>) -> bool = |place| matches!(place, Some(Place::Nodes(_)));
    let lists: fn(Option<Place>) -> bool = |place| place != Some(Place::Version);
    let cases = vec![
        ("503 everywhere", status(503), everywhere, 0),
        ("500 of the nodes", status(500), nodes, 0),
        ("503 of the lists", status(503), lists, 0),
        ("silence of the nodes", Reply::Silence, nodes, 0),
        ("an end of the nodes", Reply::Cut, nodes, 0),
        ("a page everywhere", portal(), everywhere, 1),
        ("a page for the nodes", portal(), nodes, 2),
        ("a page for the lists", portal(), lists, 2),
        ("a redirect everywhere", redirect(), everywhere, 1),
        ("a redirect for the nodes", redirect(), nodes, 2),
        (
            "a network's login everywhere",
            Reply::of(511, "text/html", ""),
            everywhere,
            1,
        ),
        (
            "a network's login for the nodes",
            Reply::of(511, "text/html", ""),
            nodes,
            2,
        ),
        ("401 everywhere", status(401), everywhere, 1),
        ("401 of the nodes", status(401), nodes, 2),
        ("403 of the nodes", status(403), nodes, 2),
        ("404 of the nodes", status(404), nodes, 2),
        ("429 of the nodes", status(429), nodes, 2),
        ("no list of nodes", Reply::json(200, "{}"), nodes, 2),
    ];
    in_parallel(cases, |(name, reply, fails, code)| {
        let server = Server::start(move |request| {
            if fails(Place::of(request)) {
                reply.clone()
            } else {
                cluster(request, Encoding::Protobuf)
            }
        });
        let ran = run(&server);
        assert_eq!(ran.status.code(), Some(code), "{name}: {ran:?}");
        let forgiven = String::from_utf8_lossy(&ran.stderr).contains("--best-effort lets that pass");
        assert_eq!(forgiven, code == 0, "{name}: {ran:?}");
    });
}

#[test]
fn one_page_among_broken_connections_is_what_stands_in_between() {
    let server = Server::start(|request| match Place::of(request) {
        Some(Place::Version) => portal(),
        _ => Reply::Close,
    });
    let ran = run(&server);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(told.contains("titled \"Sign in\""), "{told}");
}
