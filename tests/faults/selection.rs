//! A kube-system of more than one page, of which only some pods are read whole: what is observed is what the whole list
//! gives, whatever the server refuses on the way.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex};

use kubectl_skew::collect::connect::Console;
use kubectl_skew::inventory::observed::Observed;

use crate::server::{Encoding, Place, Pod, Reply, Server, cluster, parameter, pod, pods};
use crate::{in_parallel, listed, read_in_pages, read_with_console, status};

/// A read of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    FirstPage,
    Names,
    Labelled,
    ByName,
    /// A page of the whole list behind its first.
    Whole,
}

impl Read {
    pub(crate) fn of(target: &str) -> Option<Self> {
        matches!(Place::of(target), Some(Place::Pods(_))).then_some(())?;
        Some(if parameter(target, "includeObject").is_some() {
            Self::Names
        } else if parameter(target, "labelSelector").is_some() {
            Self::Labelled
        } else if parameter(target, "fieldSelector").is_some() {
            Self::ByName
        } else if parameter(target, "continue").is_some() {
            Self::Whole
        } else {
            Self::FirstPage
        })
    }
}

const PROXY: &str = "r.io/kube-proxy:v1.36.0";

fn labelled(name: &str, label: (&'static str, &'static str), image: &str) -> Pod {
    Pod {
        label: Some(label),
        ..pod(name, image)
    }
}

/// Components by label, by name, by image alone; others beside them.
fn kube_system() -> Vec<Pod> {
    let mut pods = vec![
        labelled("kube-proxy-bbbbb", ("k8s-app", "kube-proxy"), PROXY),
        labelled(
            "kube-proxy-ccccc",
            ("k8s-app", "kube-proxy"),
            "r.io/vendor@sha256:ab",
        ),
        labelled(
            "kube-apiserver-n1",
            ("component", "kube-apiserver"),
            "r.io/kube-apiserver:v1.37.1",
        ),
        pod("kube-scheduler-n1", "r.io/kube-scheduler:v1.37.1"),
        pod(
            "ccm-6b8d7c9f5d-bbbbb",
            "r.io/cloud-pv-vsphere/cloud-provider-vsphere:v1.36.0",
        ),
        labelled(
            "coredns-6b8d7c9f5d-bbbbb",
            ("k8s-app", "kube-dns"),
            "r.io/coredns:v1",
        ),
        labelled(
            "coredns-6b8d7c9f5d-ccccc",
            ("k8s-app", "kube-dns"),
            "r.io/coredns:v1",
        ),
        pod("etcd-n1", "r.io/etcd:3"),
    ];
    // More pods of an unknown stem than are asked for by name.
    for end in ["b", "c", "d", "f", "g", "h", "j", "k", "l", "m"] {
        let name = format!("net-bbbb{end}");
        pods.push(labelled(&name, ("app", "net"), PROXY));
    }
    pods.sort_by(|a, b| a.name.cmp(&b.name));
    pods
}

/// The small cluster with these pods.
fn answer(target: &str, encoding: Encoding, of: &[Pod]) -> Reply {
    match Read::of(target) {
        Some(_) => pods(target, encoding, of),
        None => cluster(target, encoding),
    }
}

/// All that was observed, in an order of its own.
pub(crate) fn shown(observed: &Observed) -> (Option<usize>, BTreeSet<String>, String) {
    let pods = observed.pods.items().iter().map(|pod| format!("{pod:?}"));
    let gaps = format!("{:?}", observed.gaps);
    (listed(&observed.pods), pods.collect(), gaps)
}

/// What the whole list of the same pods gives.
fn whole(of: &[Pod]) -> (Option<usize>, BTreeSet<String>, String) {
    let of = of.to_vec();
    let server = Server::start(move |target| answer(target, Encoding::Json, &of));
    let whole = shown(&read_in_pages(&server, 0).unwrap());
    assert!(whole.0.is_some(), "{whole:?}");
    whole
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What is observed, and what is printed at that level meanwhile.
fn read_verbosely(server: &Server, pages: u32, verbosity: i32) -> (Observed, String) {
    let output = Output::default();
    let console = Console::to(verbosity, Box::new(output.clone()));
    let observed = read_with_console(server, pages, console).unwrap();
    let printed = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    (observed, printed)
}

#[test]
fn the_selection_gives_what_the_whole_list_gives_and_leaves_the_rest_out() {
    let all = kube_system();
    let whole = whole(&all);
    assert_eq!((whole.0, whole.1.len()), (Some(18), 15));
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        for pages in [1, 2, 5, 17] {
            let of = all.clone();
            let asked = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&asked);
            let server = Server::start(move |target| {
                heard
                    .lock()
                    .unwrap()
                    .extend(Read::of(target).map(|read| (read, target.to_owned())));
                answer(target, encoding, &of)
            });
            let (observed, printed) = read_verbosely(&server, pages, 5);
            let what = format!("{encoding:?} in pages of {pages}");
            assert_eq!(shown(&observed), whole, "{what}");
            assert_eq!(printed, "", "{what}");
            let asked = asked.lock().unwrap();
            let count = |read: Read| asked.iter().filter(|(one, _)| *one == read).count();
            assert_eq!(
                (count(Read::FirstPage), count(Read::Whole)),
                (1, 0),
                "{what}: {asked:?}"
            );
            // Of coredns one pod is asked for, where no page has shown it already.
            assert!(count(Read::ByName) <= 5, "{what}: {asked:?}");
        }
        // One page is read whole and nothing else.
        for pages in [18, 500] {
            let of = all.clone();
            let server = Server::start(move |target| {
                assert!(
                    matches!(Read::of(target), None | Some(Read::FirstPage)),
                    "{target}"
                );
                answer(target, encoding, &of)
            });
            assert_eq!(shown(&read_in_pages(&server, pages).unwrap()), whole);
        }
    }
}

#[test]
fn whatever_a_read_of_the_selection_meets_the_whole_list_is_read_without_a_word() {
    let all = kube_system();
    let whole = whole(&all);
    let faults = || {
        vec![
            ("400", status(400)),
            ("401", status(401)),
            ("403", status(403)),
            ("404", Reply::of(404, "text/plain", "404 page not found\n")),
            ("406", status(406)),
            ("500", status(500)),
            (
                "login page",
                Reply::of(200, "text/html", "<title>Sign in</title>"),
            ),
            (
                "another kind",
                Reply::json(200, r#"{"kind":"Status","apiVersion":"v1","metadata":{}}"#),
            ),
            (
                "a list",
                Reply::json(
                    200,
                    r#"{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}"#,
                ),
            ),
            (
                "an object without a name",
                Reply::json(
                    200,
                    r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{}]}"#,
                ),
            ),
            ("broken JSON", Reply::json(200, r#"{"kind":"Table","#)),
            ("cut", Reply::Cut),
            ("closed", Reply::Close),
        ]
    };
    let mut cases = Vec::new();
    for read in [Read::Names, Read::Labelled, Read::ByName] {
        cases.extend(faults().into_iter().map(|(name, reply)| (read, name, reply)));
    }
    in_parallel(cases, |(read, name, reply)| {
        let what = format!("{name} at {read:?}");
        for verbosity in [0, 6] {
            let (of, reply) = (all.clone(), reply.clone());
            let server = Server::start(move |target| {
                if Read::of(target) == Some(read) {
                    reply.clone()
                } else {
                    answer(target, Encoding::Protobuf, &of)
                }
            });
            let (observed, printed) = read_verbosely(&server, 5, verbosity);
            assert_eq!(shown(&observed), whole, "{what}");
            assert_eq!(
                printed.contains("Reading every pod"),
                verbosity == 6,
                "{what}: {printed}"
            );
            assert_eq!(printed.is_empty(), verbosity == 0, "{what}: {printed}");
        }
    });
}

#[test]
fn more_stems_than_are_asked_for_are_read_with_the_whole_list() {
    let name = |index: u8| {
        format!(
            "workload-{}{}",
            char::from(b'a' + index / 8),
            char::from(b'a' + index % 8)
        )
    };
    let mut all: Vec<_> = (0..60).map(|index| pod(&name(index), "r.io/other:1")).collect();
    all.push(pod("zz", PROXY));
    let whole = whole(&all);
    let server = Server::start(move |target| {
        assert_ne!(Read::of(target), Some(Read::ByName));
        answer(target, Encoding::Protobuf, &all)
    });
    assert_eq!(shown(&read_in_pages(&server, 5).unwrap()), whole);
}

#[test]
fn a_pod_that_is_gone_when_it_is_asked_for_is_no_gap() {
    let all = kube_system();
    for gone in ["etcd-n1", "kube-scheduler-n1", "net-bbbbb", "kube-proxy-ccccc"] {
        let of = all.clone();
        let server = Server::start(move |target| {
            let left: Vec<_> = of.iter().filter(|pod| pod.name != gone).cloned().collect();
            let still_there = matches!(Read::of(target), Some(Read::Names));
            answer(target, Encoding::Protobuf, if still_there { &of } else { &left })
        });
        let left: Vec<_> = all.iter().filter(|pod| pod.name != gone).cloned().collect();
        let observed = read_in_pages(&server, 1).unwrap();
        let (listed, pods, gaps) = shown(&observed);
        assert_eq!((pods, gaps.as_str()), (whole(&left).1, "[]"), "{gone}");
        // It was there when the names were read.
        assert_eq!(listed, Some(18), "{gone}");
    }
}

/// A static pod of a name that stands on another node a moment later; one list still has the old one.
#[test]
fn a_pod_of_two_lists_is_one_pod_where_it_was_last() {
    for newer in [Read::FirstPage, Read::Labelled] {
        let server = Server::start(move |target| {
            let mut all = kube_system();
            let proxy = all
                .iter_mut()
                .find(|pod| pod.name == "kube-apiserver-n1")
                .unwrap();
            if Read::of(target) == Some(newer) {
                (proxy.node, proxy.version) = ("n2", 10);
            } else {
                proxy.version = 9;
            }
            answer(target, Encoding::Protobuf, &all)
        });
        let observed = read_in_pages(&server, 17).unwrap();
        let nodes: Vec<_> = observed
            .pods
            .items()
            .iter()
            .filter(|pod| pod.meta.name == "kube-apiserver-n1")
            .map(|pod| pod.node.as_deref())
            .collect();
        assert_eq!(nodes, [Some("n2")], "{newer:?}");
    }
}
