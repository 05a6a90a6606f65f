//! The instances of the control plane, put together from everything that tells one: pods, `/version`, k3s and
//! RKE2 server nodes, OpenShift's ClusterOperators. Several sources may tell the same apiserver; what differs
//! counts, whoever tells it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::component::Component;
use super::component_pod::non_empty;
use super::emulation::{self, Asked};
use super::observed::{ObservedLease, ObservedOperator, VersionAnswer};
use super::pods::Counting;
use super::version::{Minor, Version};
use super::{Instance, InstanceSource, Node, binding};

/// How long a Lease lives: apiservers renew theirs every ten seconds and leave it behind for an hour.
const LEASE_LIFE_SECONDS: i64 = 60;

/// The components whose version a ClusterOperator of the same name tells.
pub(super) const OPERATORS: [Component; 3] = [
    Component::KubeApiserver,
    Component::KubeControllerManager,
    Component::KubeScheduler,
];

/// One answer of `/version` that is a Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The binary's version.
    pub(super) version: Version,
    /// The minor it emulates, where another than the binary's.
    pub(super) emulated: Option<Minor>,
    /// Whether it says what it emulates at all: servers below 1.33 and older kubectls leave that out.
    pub(super) tells_emulation: bool,
    /// What gave it.
    pub(super) from: InstanceSource,
}

impl Answer {
    /// The minor that the policy judges.
    pub(super) fn effective(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.version.minor())
    }
}

/// The answers, each once, oldest first.
pub(super) fn answers(versions: &[VersionAnswer], told: Option<&str>) -> Vec<Answer> {
    let mut answers: Vec<Answer> = match told.and_then(|told| non_empty(Some(told))) {
        Some(told) => told
            .parse()
            .map(|version| Answer {
                version,
                emulated: None,
                tells_emulation: false,
                from: InstanceSource::Told,
            })
            .into_iter()
            .collect(),
        None => versions
            .iter()
            .filter_map(|answer| {
                let version: Version = answer.git_version.parse().ok()?;
                let emulated = answer
                    .emulation
                    .as_ref()
                    .and_then(|(major, minor)| emulation::of_numbers(major, minor));
                Some(Answer {
                    emulated: emulated.filter(|minor| *minor < version.minor()),
                    tells_emulation: emulated.is_some(),
                    version,
                    from: InstanceSource::Version,
                })
            })
            .collect(),
    };
    let key = |answer: &Answer| {
        (
            answer.version.release().clone(),
            answer.emulated,
            answer.version.raw().to_owned(),
            answer.tells_emulation,
        )
    };
    answers.sort_by_key(key);
    answers.dedup_by(|later, first| {
        let is_same = (&later.version, later.emulated) == (&first.version, first.emulated);
        first.tells_emulation |= is_same && later.tells_emulation;
        is_same
    });
    answers
}

/// The highest minCompatibility minor of these answers.
pub(super) fn min_compatibility(versions: &[VersionAnswer]) -> Option<Minor> {
    versions
        .iter()
        .filter_map(|answer| answer.min_compatibility.as_ref())
        .filter_map(|(major, minor)| emulation::of_numbers(major, minor))
        .max()
}

/// How many Leases live: those renewed within a minute of the newest renewal among them. The clock of whoever
/// asks plays no part. `None` where no Lease tells when it was renewed.
pub(super) fn live_leases(leases: &[ObservedLease]) -> Option<usize> {
    let renewals = || leases.iter().filter_map(|lease| lease.renewed);
    let newest = renewals().max()?;
    let live = renewals()
        .filter(|renewed| newest.duration_since(*renewed).as_secs() <= LEASE_LIFE_SECONDS)
        .count();
    Some(live)
}

/// What a ClusterOperator tells of its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperatorWord {
    /// The version, where the entry of the operator's own name is one.
    pub(super) version: Option<Version>,
    /// It is moving, and its version changes last.
    pub(super) is_progressing: bool,
}

/// What the ClusterOperators of the control plane tell.
pub(super) fn operator_words(operators: &[ObservedOperator]) -> BTreeMap<Component, OperatorWord> {
    let mut words: BTreeMap<Component, OperatorWord> = BTreeMap::new();
    for operator in operators {
        let Some(component) = OPERATORS
            .into_iter()
            .find(|component| component.name() == operator.meta.name)
        else {
            continue;
        };
        let word = OperatorWord {
            version: operator
                .versions
                .iter()
                .filter(|(name, _)| *name == operator.meta.name)
                .filter_map(|(_, version)| version.parse().ok())
                .min_by(by_release),
            is_progressing: operator.progressing,
        };
        // The same operator twice is for collectors to settle; here the older word is the careful one.
        let said = words.entry(component).or_insert_with(|| word.clone());
        said.is_progressing |= word.is_progressing;
        said.version = match (said.version.take(), word.version) {
            (Some(a), Some(b)) => Some(if by_release(&a, &b).is_le() { a } else { b }),
            _ => None,
        };
    }
    words
}

fn by_release(a: &Version, b: &Version) -> Ordering {
    a.release().cmp(b.release()).then_with(|| a.raw().cmp(b.raw()))
}

/// Everything that tells an instance.
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
    pub(super) operators: &'a BTreeMap<Component, OperatorWord>,
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
    instances.extend(sources.operators.iter().filter_map(|(component, word)| {
        Some(Instance {
            component: *component,
            name: component.name().to_owned(),
            node: None,
            emulated: None,
            version: Some(word.version.clone()?),
            from: InstanceSource::ClusterOperator,
            image: None,
            judged: true,
        })
    }));
    instances.extend(server_nodes(sources));
    for instance in &mut instances {
        // Neither shows arguments: like a pod without them, each emulates what a server of its version says.
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
        .filter(|answer| !instances.iter().any(|instance| is_told_by(instance, answer)))
        .map(of_answer)
        .collect();
    instances.extend(unseen);
    sort(&mut instances);
    instances
}

/// Sorts instances by component, name and node, and then by all else that may tell two apart.
pub(super) fn sort(instances: &mut [Instance]) {
    let key = |instance: &Instance| {
        (
            instance.component,
            instance.name.clone(),
            instance.node.clone(),
            instance.version.as_ref().map(|version| version.raw().to_owned()),
            instance.emulated,
            instance.from,
            instance.image.clone(),
        )
    };
    instances.sort_by_cached_key(key);
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
        // Where the image is unread the flag is all that tells a minor.
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

/// Whether an apiserver whose arguments do not tell what it emulates is one that `/version` speaks of.
pub(super) fn is_emulation_told(pod: &Counting<'_>, answers: &[Answer]) -> bool {
    let is_told = |version: &Version| {
        answers
            .iter()
            .any(|answer| answer.tells_emulation && is_same_binary(version, &answer.version))
    };
    pod.claim.component == Component::KubeApiserver && pod.version.as_ref().is_ok_and(is_told)
}

/// The minor that servers of that very binary emulate; where they differ, the oldest.
fn emulation_of(version: Option<&Version>, answers: &[Answer]) -> Option<Minor> {
    let version = version?;
    answers
        .iter()
        .filter(|answer| is_same_binary(version, &answer.version))
        .filter_map(|answer| answer.emulated)
        .min()
}

/// The answer that speaks for the single apiserver, where there is one and its image is unread.
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
    let lowest = answers.iter().filter(|answer| answer.tells_emulation);
    let lowest = lowest.min_by_key(|answer| answer.effective());
    let is_unread = single.version.is_err() && single.image().is_some() && single.has_run();
    (is_unread && is_single && is_one_server).then(|| lowest.unwrap_or(first))
}

/// A single apiserver whose image tells nothing is what `/version` says it is. What it emulates `/version` says
/// first, where it says so, and the pod's flag else.
fn adopt_single(instances: &mut [Instance], sources: &Sources<'_>) {
    let Some(answer) = adopted(sources.pods, sources.answers, sources.running) else {
        return;
    };
    for instance in instances {
        if instance.component == Component::KubeApiserver && instance.from == InstanceSource::Pod {
            let flag = instance.emulated.filter(|minor| *minor < answer.version.minor());
            instance.emulated = if answer.tells_emulation {
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
                version: Some(binding::embedded_apiserver(node)?.clone()),
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
fn is_told_by(instance: &Instance, answer: &Answer) -> bool {
    instance.component == Component::KubeApiserver
        && instance
            .version
            .as_ref()
            .is_some_and(|version| is_same_binary(version, &answer.version))
        && (!answer.tells_emulation || instance.effective() == Some(answer.effective()))
}

/// Whether two texts name one release; one that has no patch stands for all of its minor.
fn is_same_binary(a: &Version, b: &Version) -> bool {
    let has_patch = |version: &Version| version.raw().split('.').count() > 2;
    if has_patch(a) && has_patch(b) {
        a.release() == b.release()
    } else {
        a.minor() == b.minor()
    }
}

#[cfg(test)]
mod tests;
