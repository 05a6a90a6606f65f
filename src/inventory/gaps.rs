//! The gaps that follow from an inventory as it stands: computed from it alone, so that an assumption or an
//! exclusion that changes it changes them too. Gaps that a refused or cut read left are `reading`'s.

use std::collections::BTreeMap;

use super::component::Component;
use super::component_pod::COMPONENT_NAMESPACE;
use super::gap::{Gap, Skipped};
use super::unread::{UnreadPod, WhyUnread};
use super::{Instance, InstanceSource, Inventory, Node};

/// Every gap that follows, in the order of the words of this file; callers sort.
pub(super) fn derive(inventory: &Inventory) -> Vec<Gap> {
    let mut gaps = Vec::new();
    gaps.extend(none_left_to_judge(inventory));
    gaps.extend(unread_kubelets(inventory));
    gaps.extend(unread_pods(inventory));
    gaps.extend(no_server_version(inventory));
    gaps.extend(too_few_apiservers(inventory));
    gaps.extend(absent_managers(inventory));
    gaps
}

fn none_left_to_judge(inventory: &Inventory) -> Option<Gap> {
    if inventory.nodes.is_empty() || inventory.nodes.iter().any(Node::is_judged) {
        return None;
    }
    let why = if inventory.nodes.iter().any(|node| node.excluded) {
        "excluded or virtual"
    } else {
        "virtual"
    };
    let reason = format!("every node is {why}, none is left to judge: kubelet skew was not assessed");
    Some(Gap {
        skipped: vec![Skipped::Nodes],
        verify: Some("kubectl get nodes -o wide".to_owned()),
        ..Gap::versions(true, reason)
    })
}

fn unread_kubelets(inventory: &Inventory) -> Option<Gap> {
    let unread: Vec<&Node> = inventory
        .nodes
        .iter()
        .filter(|node| node.is_judged() && node.kubelet.version.is_none())
        .collect();
    let first = unread.first()?;
    let said = match &first.kubelet.raw {
        Some(raw) => format!("reports \"{raw}\", which is no Kubernetes version"),
        None => "reports none".to_owned(),
    };
    let reason = format!(
        "the kubelet version of {} is unread: {} {said}",
        count(unread.len(), "node"),
        first.name
    );
    let mut objects: Vec<String> = unread.iter().map(|node| format!("node/{}", node.name)).collect();
    objects.sort();
    Some(Gap {
        component: Some(Component::Kubelet),
        objects,
        verify: Some(format!(
            "kubectl get node {} -o jsonpath='{{.status.nodeInfo.kubeletVersion}}'",
            quoted(&first.name)
        )),
        ..Gap::versions(true, reason)
    })
}

/// What pods of one gap have in common beside their component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Unread,
    NeverRan,
    Ended,
    Emulation,
}

impl Kind {
    fn of(why: WhyUnread) -> Self {
        match why {
            WhyUnread::NeverRan => Self::NeverRan,
            WhyUnread::Ended => Self::Ended,
            WhyUnread::Emulation => Self::Emulation,
            WhyUnread::NoImage
            | WhyUnread::NoTag
            | WhyUnread::NotAVersion
            | WhyUnread::ByDigest
            | WhyUnread::OtherName => Self::Unread,
        }
    }
}

/// One gap a component, weight and kind, that names the first pod and lists all.
fn unread_pods(inventory: &Inventory) -> Vec<Gap> {
    let out: std::collections::BTreeSet<&str> = inventory
        .nodes
        .iter()
        .filter(|node| !node.is_judged())
        .map(|node| node.name.as_str())
        .collect();
    let mut groups: BTreeMap<(Component, bool, Kind), Vec<&UnreadPod>> = BTreeMap::new();
    for pod in &inventory.unread {
        // A control-plane component counts wherever it stands; a kube-proxy goes with its node.
        let goes_with_node = pod.component == Component::KubeProxy;
        if goes_with_node && pod.node.as_deref().is_some_and(|node| out.contains(node)) {
            continue;
        }
        groups
            .entry((pod.component, pod.required, Kind::of(pod.why)))
            .or_default()
            .push(pod);
    }
    groups
        .into_iter()
        .map(|((component, required, kind), mut pods)| {
            pods.sort_by_cached_key(|pod| (pod.full_name(), (*pod).clone()));
            unread_gap(component, required, kind, &pods)
        })
        .collect()
}

fn unread_gap(component: Component, required: bool, kind: Kind, pods: &[&UnreadPod]) -> Gap {
    let first = pods[0];
    let name = first.full_name();
    let image = first.image.as_deref().unwrap_or("no image");
    let many = count(pods.len(), "pod");
    let reason = match kind {
        Kind::Unread => format!(
            "the {component} version of {many} is unread: {name} runs {image}, {}",
            why(first.why, component)
        ),
        Kind::NeverRan => format!(
            "{component} has never run in {many}: {name} waits to run {image}, which tells what is wanted and not what runs"
        ),
        Kind::Emulation => format!(
            "the minor that {component} emulates is unread in {many}: the --emulated-version of {name} ({image}) is no version"
        ),
        Kind::Ended => {
            let nodes = pods
                .iter()
                .filter_map(|pod| pod.node.as_deref())
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
                .join(", ");
            format!(
                "no {component} runs on {nodes}, where only ended pods stand: {name} (Failed or Succeeded) ran {image}"
            )
        }
    };
    let mut objects: Vec<String> = pods
        .iter()
        .map(|pod| format!("pod/{}", pod.full_name()))
        .collect();
    objects.sort();
    objects.dedup();
    let namespace = quoted(first.namespace.as_deref().unwrap_or(COMPONENT_NAMESPACE));
    let pod = quoted(&first.pod);
    let verify = match (kind, first.container.as_deref()) {
        (Kind::Unread, Some(container)) => format!(
            "kubectl -n {namespace} exec {pod} -c {} -- {component} --version",
            quoted(container)
        ),
        (Kind::Emulation, _) => format!("kubectl -n {namespace} get pod {pod} -o yaml"),
        _ => format!("kubectl -n {namespace} get pod {pod} -o wide"),
    };
    Gap {
        component: Some(component),
        objects,
        verify: Some(verify),
        ..Gap::versions(required, reason)
    }
}

fn why(why: WhyUnread, component: Component) -> String {
    match why {
        WhyUnread::NoImage => "so nothing tells a version".to_owned(),
        WhyUnread::NoTag => "which has neither tag nor digest".to_owned(),
        WhyUnread::NotAVersion => "whose tag is no Kubernetes version".to_owned(),
        WhyUnread::ByDigest => "a digest that no node's images tie to a tag".to_owned(),
        WhyUnread::OtherName => {
            format!("an image that is not named {component}, so its tag may count anything")
        }
        WhyUnread::NeverRan => "which has never run".to_owned(),
        WhyUnread::Ended => "which has ended".to_owned(),
        WhyUnread::Emulation => "whose --emulated-version is no version".to_owned(),
    }
}

fn apiservers(inventory: &Inventory) -> impl Iterator<Item = &Instance> {
    inventory
        .instances
        .iter()
        .filter(|instance| instance.component == Component::KubeApiserver)
}

/// Whether any kube-apiserver's version is known.
pub(super) fn knows_server(inventory: &Inventory) -> bool {
    apiservers(inventory).any(|instance| instance.effective().is_some())
}

fn no_server_version(inventory: &Inventory) -> Option<Gap> {
    if knows_server(inventory) {
        return None;
    }
    let reason = match (&inventory.server_version, &inventory.hosted) {
        (Some(raw), _) => format!("the server version \"{raw}\" is no Kubernetes version; give it with --server-version"),
        (None, Some(namespace)) => format!(
            "no kube-apiserver version is known: no pod in namespace {namespace} tells one; give it with --server-version"
        ),
        (None, None) => {
            "no kube-apiserver version is known: neither /version nor a kube-apiserver pod tells one; give it with --server-version"
                .to_owned()
        }
    };
    let verify = match &inventory.hosted {
        Some(namespace) => format!("kubectl -n {} get pods -o wide", quoted(namespace)),
        None => "kubectl version".to_owned(),
    };
    Some(Gap {
        component: Some(Component::KubeApiserver),
        skipped: vec![Skipped::Version],
        verify: Some(verify),
        ..Gap::versions(true, reason)
    })
}

fn is_pod(instance: &Instance) -> bool {
    instance.from == InstanceSource::Pod || instance.image.is_some()
}

/// Leases say how many apiservers live; fewer seen than live is said.
fn too_few_apiservers(inventory: &Inventory) -> Option<Gap> {
    let live = inventory.running.filter(|live| *live > 1)?;
    // An assumption speaks for all of them, and so does the ClusterOperator.
    let speaks_for_all = |instance: &Instance| {
        matches!(
            instance.from,
            InstanceSource::Assumed | InstanceSource::ClusterOperator
        )
    };
    if apiservers(inventory).any(speaks_for_all) {
        return None;
    }
    let of = |source| {
        apiservers(inventory)
            .filter(|instance| instance.from == source)
            .count()
    };
    let server_nodes = of(InstanceSource::ServerNode);
    let never_ran = inventory
        .unread
        .iter()
        .filter(|pod| pod.component == Component::KubeApiserver && pod.why == WhyUnread::NeverRan)
        .count();
    let pods = apiservers(inventory)
        .filter(|instance| is_pod(instance))
        .count()
        .saturating_sub(never_ran);
    let seen = if pods > 0 {
        pods + server_nodes
    } else {
        let answered = match inventory.connections {
            Some(connections) => connections.answered,
            None => of(InstanceSource::Version)
                .max(of(InstanceSource::Told))
                .max(usize::from(inventory.server_version.is_some())),
        };
        answered.max(server_nodes)
    };
    if seen >= live {
        return None;
    }
    let how = match (pods > 0, seen) {
        (false, _) => "answered when asked for a version",
        (true, 1) => "was seen",
        (true, _) => "were seen",
    };
    let reason = format!("{live} kube-apiservers hold a live Lease, but only {seen} {how}");
    Some(Gap {
        component: Some(Component::KubeApiserver),
        verify: Some(format!(
            "kubectl -n {COMPONENT_NAMESPACE} get leases -l apiserver.kubernetes.io/identity=kube-apiserver"
        )),
        ..Gap::versions(false, reason)
    })
}

/// Where apiservers are seen running, their controller-manager and scheduler should be too.
fn absent_managers(inventory: &Inventory) -> Vec<Gap> {
    let is_seen = apiservers(inventory)
        .any(|instance| is_pod(instance) || instance.from == InstanceSource::ClusterOperator);
    if !is_seen && !inventory.lacks_operators {
        return Vec::new();
    }
    let is_there = |manager: Component| {
        inventory
            .instances
            .iter()
            .any(|instance| instance.component == manager)
    };
    // An operator that tells no version has a gap of its own, which says more.
    let is_said = |manager: Component| {
        let operator = format!("clusteroperator/{manager}");
        inventory.gaps.iter().any(|gap| gap.objects.contains(&operator))
    };
    [Component::KubeControllerManager, Component::KubeScheduler]
        .into_iter()
        .filter(|manager| !is_there(*manager) && !is_said(*manager))
        .map(|manager| {
            if inventory.lacks_operators {
                return Gap {
                    component: Some(manager),
                    skipped: vec![Skipped::ClusterOperators],
                    verify: Some(format!("kubectl get clusteroperator {manager} -o yaml")),
                    ..Gap::versions(
                        true,
                        format!("OpenShift's ClusterOperators are not in the dump: no version of {manager} is known"),
                    )
                };
            }
            let namespace = inventory.hosted.as_deref().unwrap_or(COMPONENT_NAMESPACE);
            Gap {
                component: Some(manager),
                verify: Some(format!("kubectl -n {} get pods -o wide", quoted(namespace))),
                ..Gap::versions(
                    false,
                    format!(
                        "kube-apiserver is seen, but no {manager} that runs: its version was not assessed"
                    ),
                )
            }
        })
        .collect()
}

/// `1 pod`, `2 pods`.
fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// A word as a shell takes it: names come from the cluster, and the command is there to be pasted.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@'));
    if is_plain && !word.starts_with('-') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_more_into_it() {
        assert_eq!(quoted("kube-proxy-abc"), "kube-proxy-abc");
        assert_eq!(quoted("a; rm -rf /"), "'a; rm -rf /'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(id)"), "'$(id)'");
    }
}
