//! Faults that pass: asking again, beginning again, waiting.

use kubectl_skew::inventory::gap::GapReason;
use kubectl_skew::inventory::observed::Listing;
use kubectl_skew::inventory::read_gap::{ReadFault, ReadGap, Resource};
use kubectl_skew::render::sentences::gap_reason;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::server::{self, Encoding, Place, Reply, Server, cluster, proto_status};
use crate::{PLACES, assert_whole, in_parallel, nodes_gap, read, status};

#[test]
fn a_passing_fault_leaves_no_trace() {
    let passing = || {
        vec![
            ("429", status(429)),
            ("429 with a time", status(429).with("retry-after", "1")),
            (
                "429 with a date that has passed",
                status(429).with("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ),
            ("408", status(408)),
            ("500", status(500)),
            ("501 with a time", status(501).with("retry-after", "0")),
            ("502", Reply::of(502, "text/html", "<html>")),
            ("503", status(503)),
            ("504", status(504)),
            (
                "520 page",
                Reply::of(520, "text/html", "<title>Unknown error</title>"),
            ),
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
    let gap = nodes_gap(&observed).unwrap();
    assert!(gap.required);
    let expired = ReadGap::Failed {
        resource: Resource::Nodes,
        namespace: None,
        read: 2,
        fault: ReadFault::Expired(3),
    };
    assert_eq!(gap.reason, GapReason::Read(expired));
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

    for long in [
        "3600",
        "18446744073709551615",
        "99999999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
        let server = Server::start(move |request| match Place::of(request) {
            Some(Place::Nodes(1)) => status(429).with("retry-after", long),
            _ => cluster(request, Encoding::Protobuf),
        });
        let started = Instant::now();
        let observed = read(&server).unwrap();
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{long} is not waited for"
        );
        assert!(gap_reason(&nodes_gap(&observed).unwrap().reason).contains("429"));
    }
}

#[test]
fn a_server_that_names_a_date_is_asked_again_when_it_has_come() {
    let first = AtomicUsize::new(1);
    let server = Server::start(move |request| {
        let busy = Place::of(request) == Some(Place::Nodes(2)) && first.swap(0, Ordering::SeqCst) == 1;
        if busy {
            let date = jiff::Timestamp::now() + Duration::from_secs(3);
            let date = date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
            status(503).with("retry-after", &date)
        } else {
            cluster(request, Encoding::Protobuf)
        }
    });
    let started = Instant::now();
    assert_whole(&read(&server).unwrap(), "after three seconds");
    // A date has no fractions of a second.
    assert!(started.elapsed() >= Duration::from_secs(2));
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
    let reason = gap_reason(&nodes_gap(&observed).unwrap().reason);
    assert!(reason.contains("leads back to the same page"), "{reason}");
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
        assert_eq!((items.len(), *listed, broken.total()), (2, 3, 1), "{encoding:?}");
        let name = broken.first()[0].full_name(Resource::Nodes);
        assert_eq!(name.as_deref(), Some("node/n2"), "{encoding:?}");
    }
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let server = Server::start(move |target| {
        counter.fetch_add(1, Ordering::SeqCst);
        Reply::of(302, "", "").with("location", target)
    });
    let error = read(&server).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("302"), "{source}");
    assert_eq!(asked.load(Ordering::SeqCst), 4, "four reads");
}
