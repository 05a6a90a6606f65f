//! Every case judged from its redacted snapshot: the same report, up to stand-ins, and no name of the cluster in it.

use std::collections::BTreeSet;

use kubectl_skew::collect::dump::{DumpRequest, Input, observe};
use kubectl_skew::collect::save::save;
use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::observed::{Meta, Observed};
use kubectl_skew::report::Report;

use crate::case::{cases, observed, report_of};

/// What of a report is no name.
fn shape(report: &Report) -> Vec<String> {
    let mut shape = vec![format!(
        "{:?} {:?} {:?} {:?} {:?}",
        report.verdict, report.in_policy, report.gate, report.target, report.policy.name
    )];
    let mut findings: Vec<String> = report
        .findings
        .iter()
        .map(|finding| {
            format!(
                "{:?} {:?} {} nodes, {} versions",
                finding.rule,
                finding.severity,
                finding.nodes.len(),
                finding.versions.len()
            )
        })
        .collect();
    findings.sort();
    let mut rows: Vec<String> = report
        .nodes
        .iter()
        .map(|row| {
            let states = std::iter::once(&row.now).chain(&row.hops).map(|cell| cell.state);
            let proxies: BTreeSet<_> = row.kube_proxy.iter().map(|proxy| proxy.minor).collect();
            format!(
                "{:?} {proxies:?} {:?} {:?} {:?} {:?} {:?}",
                row.kubelet.minor,
                row.pair_distance,
                row.good_until,
                row.is_virtual,
                row.pool.is_some(),
                states.collect::<Vec<_>>()
            )
        })
        .collect();
    rows.sort();
    let gaps = report.not_assessed.iter();
    let mut gaps: Vec<String> = gaps
        .map(|gap| {
            format!(
                "{} {:?} {:?} {}",
                gap.required,
                gap.component(),
                gap.skipped(),
                gap.objects().len()
            )
        })
        .collect();
    gaps.sort();
    let mut instances: Vec<String> = report
        .control_plane
        .instances
        .iter()
        .map(|row| {
            format!(
                "{:?} {:?} {:?} {:?}",
                row.component, row.minor, row.emulated_minor, row.judged
            )
        })
        .collect();
    instances.sort();
    let path = report.path.iter();
    let path = path.map(|hop| format!("{:?} {:?} {}", hop.to, hop.verdict, hop.move_first.len()));
    shape.extend(path);
    shape.extend(findings.into_iter().chain(rows).chain(gaps).chain(instances));
    shape
}

/// The names, hosts, values of labels and images of what was seen.
fn names(observed: &Observed) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let of_meta = |meta: &Meta, names: &mut BTreeSet<String>| {
        names.insert(meta.name.clone());
        names.extend(meta.uid.clone());
        names.extend(meta.namespace.clone());
        names.extend(meta.owner.iter().map(|owner| owner.name.clone()));
        names.extend(
            meta.labels
                .iter()
                .chain(&meta.annotations)
                .map(|(_, value)| value.clone()),
        );
    };
    for node in observed.nodes.items() {
        of_meta(&node.meta, &mut names);
        names.extend(node.hostname.clone());
        names.extend(node.images.iter().flatten().cloned());
    }
    for pod in observed.pods.items() {
        of_meta(&pod.meta, &mut names);
        names.extend(
            pod.containers
                .iter()
                .flat_map(|it| it.image.iter().chain([&it.name]))
                .cloned(),
        );
        let statuses = pod.statuses.iter().flatten();
        names.extend(
            statuses
                .flat_map(|it| it.image.iter().chain(&it.image_id))
                .cloned(),
        );
    }
    for lease in observed.leases.items() {
        of_meta(&lease.meta, &mut names);
    }
    names
}

/// Words of Kubernetes that a name may be, and what is too short or too plain to be looked for.
fn is_nobodys(name: &str) -> bool {
    const WORDS: [&str; 25] = [
        "kube-system",
        "control-plane",
        "master",
        "worker",
        "agent",
        "node",
        "linux",
        "windows",
        "kubernetes",
        "true",
        "system",
        "default",
        "proxy",
        "scheduler",
        "apiserver",
        "kube-proxy-windows",
        "kube-proxy-worker",
        "file",
        "openshift-kube-apiserver",
        "openshift-kube-controller-manager",
        "openshift-kube-scheduler",
        "controller-manager",
        "fargate",
        "fake",
        "virtual-kubelet",
    ];
    name.len() < 4
        || WORDS.contains(&name)
        || Component::named(name).is_some()
        || name.chars().all(|c| !c.is_ascii_alphabetic())
        // Where the case wrote what a stand-in says.
        || name.starts_with("registry.example/kube-proxy:")
        // A name that looks like a stand-in.
        || name.rsplit_once('-').is_some_and(|(stem, number)| {
            ["node", "pod", "kube-proxy", "apiserver"].contains(&stem) && number.parse::<u32>().is_ok()
        })
}

#[test]
fn every_case_is_the_same_without_its_names() {
    let (mut judged, mut wrong) = (0, Vec::new());
    for (folder, case) in cases() {
        for ask in case.asks.iter().filter(|ask| ask.expect.error.is_none()) {
            let id = folder.file_name().unwrap().to_string_lossy().into_owned();
            let (seen, _) = observed(&folder, &case, ask).unwrap();
            let mut bytes = Vec::new();
            save(&seen, true, &mut bytes).unwrap();
            let text = String::from_utf8(bytes.clone()).unwrap();
            let leaked: Vec<String> = names(&seen)
                .into_iter()
                .filter(|name| !is_nobodys(name) && text.contains(&format!("\"{name}\"")))
                .collect();
            if !leaked.is_empty() {
                wrong.push(format!("{id} leaks {leaked:?}"));
            }
            let again = observe(&DumpRequest {
                inputs: vec![Input::Bytes {
                    name: "redacted".to_owned(),
                    bytes: Box::leak(bytes.into_boxed_slice()),
                }],
                hosted: ask.namespace.as_ref().map(|_| "namespace-1".to_owned()),
                wanted: Wanted::default(),
                server_version: None,
            });
            let (again, source) = again.unwrap_or_else(|error| panic!("{id}: {error}"));
            let (seen, dump) = observed(&folder, &case, ask).unwrap();
            let (seen, again) = (report_of(seen, dump, ask), report_of(again, source, ask));
            if shape(&seen) != shape(&again) {
                wrong.push(format!(
                    "{id} as seen {:#?}\nredacted {:#?}",
                    shape(&seen),
                    shape(&again)
                ));
            }
            judged += 1;
        }
    }
    assert!(judged >= 30 && wrong.is_empty(), "{judged}: {}", wrong.join("\n"));
}
