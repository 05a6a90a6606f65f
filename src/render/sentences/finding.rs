//! The sentences of a finding: its title, what was seen and which limit that breaks, and what to do. Written from its
//! evidence, here and nowhere else.

use super::numbers::{count, list, names, of};
use crate::inventory::component::Component;
use crate::policy::evidence::{
    Behind, Client, Evidence, Group, LeftBehind, Limit, Newer, NoLegalPlan, Nodes, Pair, Runtime, SetBy,
    Spread, Subject,
};
use crate::policy::rules::Rule;

/// How many names a detail gives before it counts the rest; a finding's own lists are always complete.
const NAMES: usize = 5;

/// One line that names the numbers.
pub fn title(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Behind(behind) => {
            let (who, is_one) = who(behind.component, &behind.groups, behind.judged);
            let are = match (behind.is_ahead, is_one) {
                (true, _) => "would be",
                (false, true) => "is",
                (false, false) => "are",
            };
            format!("{who} {are} too far behind kube-apiserver {}", behind.apiserver)
        }
        Evidence::Newer(newer) => {
            let (who, is_one) = who(newer.component, &newer.groups, newer.judged);
            let are = if is_one { "is" } else { "are" };
            format!("{who} {are} newer than {}", oldest(newer))
        }
        Evidence::Pair(pair) => {
            let direction = if pair.kube_proxy < pair.kubelet {
                "older"
            } else {
                "newer"
            };
            format!(
                "kube-proxy {} is {} {direction} than kubelet {} on {}",
                pair.kube_proxy,
                minor_versions(pair.distance),
                pair.kubelet,
                pair.node
            )
        }
        Evidence::Spread(spread) => {
            let by = if spread.by_binary {
                " by their binaries"
            } else {
                ""
            };
            let apart = minor_versions(spread.distance);
            format!(
                "kube-apiservers {} to {} are {apart} apart{by}",
                spread.oldest, spread.newest
            )
        }
        Evidence::Client(client) => {
            let Client {
                minor,
                oldest,
                newest,
                ..
            } = client;
            if oldest == newest {
                format!("kubectl {minor} is too far from kube-apiserver {oldest}")
            } else {
                format!("kubectl {minor} is too far from kube-apiservers {oldest} to {newest}")
            }
        }
        Evidence::Path(path) => {
            let (passes, from) = (path.minors.len(), path.from);
            let target = path.minors.last().copied().unwrap_or(from);
            format!(
                "{target} is {} above kube-apiserver {from}",
                minor_versions(passes)
            )
        }
        Evidence::Runtime(runtime) => {
            let nodes = count(evidence.nodes().len(), "node");
            let run = if evidence.nodes().len() == 1 {
                "runs"
            } else {
                "run"
            };
            let first = runtime.ends.first().map(|(end, _)| end.kubelet);
            let first = first.map_or_else(String::new, |minor| format!(" {minor}"));
            format!(
                "{nodes} {run} a {} that is not supported from kubelet{first} on",
                runtime.kind
            )
        }
        Evidence::UnreadableKubelets(Nodes { nodes, of: all, .. }) => {
            let kubelets = of(nodes.len(), *all, "kubelet");
            let has = if nodes.len() == 1 { "reports" } else { "report" };
            format!("{kubelets} {has} no readable version")
        }
        Evidence::VirtualNodes(Nodes { nodes, of: all, .. }) => {
            let are = if nodes.len() == 1 { "is" } else { "are" };
            format!("{} {are} virtual and not judged", of(nodes.len(), *all, "node"))
        }
        Evidence::WithoutKubeProxy(Nodes { nodes, of: all, .. }) => {
            let have = if nodes.len() == 1 { "has" } else { "have" };
            let nodes = of(nodes.len(), *all, "node");
            format!("{nodes} {have} no kube-proxy, which most nodes of the pool have")
        }
        Evidence::LeftBehind(left) => {
            let all: usize = left.refused.iter().map(|(_, nodes)| nodes.len()).sum();
            let are = if all == 1 { "is" } else { "are" };
            let first = left.refused.first().map_or(left.target, |(minor, _)| *minor);
            format!(
                "{} below {} {are} not in the rollout: {first} will be refused because of {}",
                of(all, left.judged, "kubelet"),
                left.target,
                if all == 1 { "it" } else { "them" }
            )
        }
        Evidence::UnknownNames(unknown) => {
            let matches = if unknown.len() == 1 { "matches" } else { "match" };
            format!(
                "{} of the rollout {matches} no node",
                count(unknown.len(), "name")
            )
        }
        Evidence::NoLegalPlan(stop) => match stop.before {
            Some(minor) => format!("no legal plan reaches {minor}"),
            None => "no legal plan reaches the target".to_owned(),
        },
    }
}

/// What was seen and which limit that breaks; where another policy than upstream's refuses, what upstream allows.
pub fn detail(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Behind(behind) => joined(behind.groups.iter().map(|group| group_behind(behind, group))),
        Evidence::Newer(newer) => {
            let oldest = oldest(newer);
            let component = newer.component;
            joined(newer.groups.iter().map(|group| {
                let (minor, who) = (group.minor, subjects(&group.subjects));
                let distance = minor_versions(group.distance);
                format!(
                    "{component} {minor} ({who}) is {distance} newer than {oldest} {}",
                    limit(&group.limit)
                )
            }))
        }
        Evidence::Pair(Pair {
            pods, limit: allowed, ..
        }) => {
            format!("{} {}, either way", names(pods, NAMES), limit(allowed))
        }
        Evidence::Spread(Spread {
            instances,
            limit: allowed,
            ..
        }) => {
            let by_minor = instances.iter();
            let by_minor = by_minor.map(|(minor, who)| format!("kube-apiserver {minor} ({})", subjects(who)));
            format!("{} {}", joined(by_minor), limit(allowed))
        }
        Evidence::Client(Client { version, fitting, .. }) => {
            let fits = match fitting {
                Some((oldest, newest)) if oldest == newest => format!("kubectl {oldest} is supported"),
                Some((oldest, newest)) => format!("kubectl {oldest} to {newest} is supported"),
                None => "no kubectl is supported by all of them".to_owned(),
            };
            format!("the local kubectl is {version}; {fits}")
        }
        Evidence::Path(path) => {
            let minors: Vec<String> = path.minors.iter().map(ToString::to_string).collect();
            format!("the control plane passes through {}", minors.join(", "))
        }
        Evidence::Runtime(Runtime { ends, .. }) => joined(ends.iter().map(|(end, nodes)| {
            let (minor, what, date) = (end.kubelet, end.what, end.date);
            format!("from kubelet {minor} on {what} ({date}): {}", names(nodes, NAMES))
        })),
        Evidence::UnreadableKubelets(Nodes { nodes, versions, .. }) => {
            let quoted: Vec<String> = versions.iter().map(|version| format!("\"{version}\"")).collect();
            let report = if quoted.is_empty() {
                "no version".to_owned()
            } else {
                names(&quoted, NAMES)
            };
            format!("not judged: {} ({report})", names(nodes, NAMES))
        }
        Evidence::VirtualNodes(Nodes { nodes, .. }) => {
            format!("no kubelet of this cluster: {}", names(nodes, NAMES))
        }
        Evidence::WithoutKubeProxy(Nodes { nodes, .. }) => {
            format!("no kube-proxy pod on {}", names(nodes, NAMES))
        }
        Evidence::LeftBehind(LeftBehind { refused, set_by, .. }) => {
            let refused = refused.iter();
            let refused = refused.map(|(minor, nodes)| format!("{minor} because of {}", names(nodes, NAMES)));
            format!("the {} will refuse {}", policy(set_by), joined(refused))
        }
        Evidence::UnknownNames(unknown) => format!("not among the nodes: {}", names(unknown, NAMES)),
        Evidence::NoLegalPlan(NoLegalPlan { object, rule, .. }) => {
            let object = object.as_ref().map(|object| format!("in the way: {object}"));
            let rule = rule.map(|rule| format!("it would break {rule}"));
            match (object, rule) {
                (Some(object), Some(rule)) => format!("{object}; {rule}"),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => "no order of upgrades keeps every state within the policy".to_owned(),
            }
        }
    }
}

/// What to do. The rule's own remedy, unless the evidence allows to name minors.
pub fn remedy(rule: &Rule, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Behind(behind) => {
            let required = behind.is_ahead.then(|| required_before(behind)).flatten();
            let remedy = required.unwrap_or_else(|| rule.remedy.to_owned());
            if behind.fargate.is_empty() {
                return remedy;
            }
            format!(
                "{remedy} On AWS Fargate ({}) recreate the pods instead; such a node is not drained.",
                names(&behind.fargate, NAMES)
            )
        }
        Evidence::Newer(newer) => mend_newer(newer).unwrap_or_else(|| rule.remedy.to_owned()),
        _ => rule.remedy.to_owned(),
    }
}

/// `2 of 6 kubelets`, and whether that is one.
fn who(component: Component, groups: &[Group], judged: usize) -> (String, bool) {
    let out = groups.iter().map(|group| group.count).sum();
    (of(out, judged, component.name()), out == 1)
}

/// The kube-apiserver that something is newer than.
fn oldest(newer: &Newer) -> String {
    let Newer { oldest, newest, .. } = newer;
    if oldest == newest {
        format!("kube-apiserver {oldest}")
    } else {
        format!("the oldest kube-apiserver, {oldest}")
    }
}

fn group_behind(behind: &Behind, group: &Group) -> String {
    let (component, apiserver) = (behind.component, behind.apiserver);
    let (minor, who) = (group.minor, subjects(&group.subjects));
    if let Limit::MinCompatibility { reported, oldest } = &group.limit {
        return format!(
            "{component} {minor} ({who}) is below {oldest}, the oldest that a kube-apiserver of minCompatibility \
             {reported} supports"
        );
    }
    let is = if behind.is_ahead { "would be" } else { "is" };
    let distance = minor_versions(group.distance);
    format!(
        "{component} {minor} ({who}) {is} {distance} behind {apiserver} {}",
        beside(group)
    )
}

/// The limit of a group, and what upstream says of that distance.
fn beside(group: &Group) -> String {
    match &group.limit {
        Limit::Minors {
            upstream,
            set_by: SetBy::Platform(_) | SetBy::Custom(_),
            ..
        } => {
            let accepts = if group.distance > *upstream {
                "refuses it too"
            } else {
                "accepts it"
            };
            let own = limit(&group.limit);
            format!("{} and {accepts})", own.trim_end_matches(')'))
        }
        own => limit(own),
    }
}

/// `(limit 3)`, `(limit 1 of the k0s platform policy; upstream allows 3)`.
fn limit(limit: &Limit) -> String {
    match limit {
        Limit::Minors {
            allowed,
            set_by: SetBy::Upstream,
            ..
        } => format!("(limit {allowed})"),
        Limit::Minors {
            allowed,
            upstream,
            set_by,
            ..
        } => {
            format!(
                "(limit {allowed} of the {}; upstream allows {upstream})",
                policy(set_by)
            )
        }
        Limit::MinCompatibility { oldest, .. } => format!("(oldest supported {oldest})"),
    }
}

/// `k0s platform policy`.
fn policy(set_by: &SetBy) -> String {
    match set_by {
        SetBy::Upstream => "upstream policy".to_owned(),
        SetBy::Platform(name) => format!("{name} platform policy"),
        SetBy::Custom(name) => format!("custom policy {name}"),
    }
}

/// What to upgrade before which minor of kube-apiserver.
fn required_before(behind: &Behind) -> Option<String> {
    let before = behind.groups.iter().filter_map(|group| group.fails_from).min()?;
    Some(match behind.component {
        Component::Kubelet => format!(
            "Upgrade the kubelets of these nodes before kube-apiserver reaches {before}: drain each node, upgrade its \
             kubelet, and uncordon it."
        ),
        Component::KubeProxy => format!(
            "Update kube-proxy on these nodes before kube-apiserver reaches {before}: its DaemonSet, its add-on, or, \
             where it is a static pod, the node itself."
        ),
        component => format!("Upgrade {component} before kube-apiserver reaches {before}."),
    })
}

/// What makes the kube-apiservers as new as those that are newer.
fn mend_newer(newer: &Newer) -> Option<String> {
    let Newer {
        component,
        oldest,
        newest,
        groups,
        ..
    } = newer;
    let to = groups.last()?.minor;
    let which = if oldest == newest {
        "kube-apiserver"
    } else if to <= *newest {
        "the older kube-apiservers"
    } else {
        "all kube-apiservers"
    };
    let upgrade = format!("Upgrade {which} to {to}");
    Some(match component {
        Component::Kubelet => {
            format!("{upgrade}. Do not downgrade the nodes. Until then keep new pods off these nodes.")
        }
        component => format!("{upgrade}, or set {component} back to {oldest} until then."),
    })
}

fn subjects(subjects: &[Subject]) -> String {
    list(subjects.iter().take(NAMES).map(Subject::name), subjects.len())
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join("; ")
}

/// `1 minor version`, `4 minor versions`.
fn minor_versions(number: impl Into<usize>) -> String {
    count(number.into(), "minor version")
}
