//! The instances of the control plane, put together from all that shows one: pods, `/version`, k3s and
//! RKE2 server nodes, OpenShift's ClusterOperators. Several sources may show the same apiserver; different versions
//! count, whichever source shows them.

use std::collections::{BTreeMap, BTreeSet};

use super::answers::{Answer, emulation_of, is_same_binary};
use super::bound_nodes;
use super::emulation::Asked;
use super::operators::OperatorVersion;
use super::pods::Counting;
use crate::inventory::component::Component;
use crate::inventory::instance::{self, Instance, InstanceSource};
use crate::inventory::node::Node;
use crate::inventory::version::{Minor, Version};

/// Everything that shows an instance.
pub(super) struct Sources<'a> {
    /// The component pods that count.
    pub(super) pods: &'a [Counting<'a>],
    /// `/version`, or what stands in for it.
    pub(super) answers: &'a [Answer],
    /// How many apiservers hold a live Lease.
    pub(super) running: Option<usize>,
    /// The nodes.
    pub(super) nodes: &'a [Node],
    /// The ClusterOperators.
    pub(super) operators: &'a BTreeMap<Component, OperatorVersion>,
}

/// The instances, sorted.
pub(super) fn instances(sources: &Sources<'_>) -> Vec<Instance> {
    let mut instances: Vec<Instance> = sources
        .pods
        .iter()
        .filter(|pod| pod.claim.component != Component::KubeProxy)
        .map(|pod| of_pod(pod, sources.answers))
        .collect();
    adopt_single(&mut instances, sources);
    instances.extend(sources.operators.iter().filter_map(|(component, operator)| {
        Some(Instance {
            component: *component,
            name: component.name().to_owned(),
            node: None,
            emulated: None,
            version: Some(operator.version.clone()?),
            from: InstanceSource::ClusterOperator,
            image: None,
            judged: true,
        })
    }));
    instances.extend(server_nodes(sources));
    for instance in &mut instances {
        // Neither shows arguments: like a pod without them, each emulates what a server of its version reports.
        if instance.component == Component::KubeApiserver
            && matches!(
                instance.from,
                InstanceSource::ClusterOperator | InstanceSource::ServerNode
            )
        {
            instance.emulated = emulation_of(instance.version.as_ref(), sources.answers);
        }
    }
    let unseen: Vec<_> = sources
        .answers
        .iter()
        .filter(|answer| !instances.iter().any(|instance| gives_answer(instance, answer)))
        .map(of_answer)
        .collect();
    instances.extend(unseen);
    instance::sort(&mut instances);
    instances
}

fn of_pod(pod: &Counting<'_>, answers: &[Answer]) -> Instance {
    let version = pod.version.clone().ok().filter(|_| pod.is_kubernetes);
    let is_silent = pod
        .claim
        .container
        .is_none_or(|container| container.arguments.is_empty());
    let asked = pod.emulation();
    let emulated = if pod.claim.component == Component::KubeApiserver && (is_silent || asked == Asked::Unread)
    {
        emulation_of(version.as_ref(), answers)
    } else {
        // Where the image is unread only the flag shows a minor.
        let is_older = |minor: &Minor| version.as_ref().is_none_or(|version| *minor < version.minor());
        asked.minor().filter(is_older).filter(|_| pod.is_kubernetes)
    };
    Instance {
        component: pod.claim.component,
        name: pod.pod.meta.name.clone(),
        node: pod.node().map(str::to_owned),
        judged: version.is_some() || emulated.is_some(),
        version,
        emulated,
        from: InstanceSource::Pod,
        image: pod.image().map(str::to_owned),
    }
}

/// Whether `/version` reports what an apiserver emulates whose arguments do not show it.
pub(super) fn is_emulation_reported(pod: &Counting<'_>, answers: &[Answer]) -> bool {
    let is_reported = |version: &Version| {
        answers
            .iter()
            .any(|answer| answer.reports_emulation && is_same_binary(version, &answer.version))
    };
    pod.claim.component == Component::KubeApiserver && pod.version.as_ref().is_ok_and(is_reported)
}

/// The answer that is the single apiserver's, where there is one and its image is unread.
pub(super) fn adopted<'a>(
    pods: &[Counting<'_>],
    answers: &'a [Answer],
    running: Option<usize>,
) -> Option<&'a Answer> {
    let mut apiservers = pods
        .iter()
        .filter(|pod| pod.claim.component == Component::KubeApiserver);
    let (Some(single), None) = (apiservers.next(), apiservers.next()) else {
        return None;
    };
    let (first, rest) = answers.split_first()?;
    let is_one_server = rest
        .iter()
        .all(|answer| is_same_binary(&answer.version, &first.version));
    let is_single = running.is_none_or(|running| running == 1);
    // Of answers that differ in what they emulate the lowest counts.
    let lowest = answers.iter().filter(|answer| answer.reports_emulation);
    let lowest = lowest.min_by_key(|answer| answer.effective());
    let is_unread = single.version.is_err() && single.image().is_some() && single.has_run();
    (is_unread && is_single && is_one_server).then(|| lowest.unwrap_or(first))
}

/// A single apiserver whose image is unread has the version of `/version`. It emulates what `/version` reports, or the
/// pod's flag where that reports nothing.
fn adopt_single(instances: &mut [Instance], sources: &Sources<'_>) {
    let Some(answer) = adopted(sources.pods, sources.answers, sources.running) else {
        return;
    };
    for instance in instances {
        if instance.component == Component::KubeApiserver && instance.from == InstanceSource::Pod {
            let flag = instance.emulated.filter(|minor| *minor < answer.version.minor());
            instance.emulated = if answer.reports_emulation {
                answer.emulated
            } else {
                flag
            };
            instance.version = Some(answer.version.clone());
            instance.from = answer.from;
            instance.judged = true;
        }
    }
}

fn server_nodes<'a>(sources: &'a Sources<'_>) -> impl Iterator<Item = Instance> + 'a {
    let apiservers = sources
        .pods
        .iter()
        .filter(|pod| pod.claim.component == Component::KubeApiserver);
    let with_pod: BTreeSet<&str> = apiservers.filter_map(Counting::node).collect();
    sources
        .nodes
        .iter()
        .filter(move |node| !with_pod.contains(node.name.as_str()))
        .filter_map(|node| {
            Some(Instance {
                component: Component::KubeApiserver,
                name: node.name.clone(),
                node: Some(node.name.clone()),
                version: Some(bound_nodes::embedded_apiserver(node)?.clone()),
                emulated: None,
                from: InstanceSource::ServerNode,
                image: None,
                judged: true,
            })
        })
}

fn of_answer(answer: &Answer) -> Instance {
    Instance {
        component: Component::KubeApiserver,
        name: answer.version.raw().to_owned(),
        node: None,
        version: Some(answer.version.clone()),
        emulated: answer.emulated,
        from: answer.from,
        image: None,
        judged: true,
    }
}

/// Whether an instance that is known otherwise is one that gives this answer.
fn gives_answer(instance: &Instance, answer: &Answer) -> bool {
    instance.component == Component::KubeApiserver
        && instance
            .version
            .as_ref()
            .is_some_and(|version| is_same_binary(version, &answer.version))
        && (!answer.reports_emulation || instance.effective() == Some(answer.effective()))
}
