//! Every component pod that was seen, each component of it once: those that count, those that are set aside
//! and why, and the version that each image shows.

use std::collections::BTreeSet;

use super::digest::Digests;
use super::emulation::{self, Asked};
use super::run_state::{RunState, is_static};
use crate::inventory::cluster::{SetAside, WhySetAside};
use crate::inventory::component::Component;
use crate::inventory::component_pod::{Claim, claims};
use crate::inventory::image::Reference;
use crate::inventory::kube_proxy::{KubeProxy, ProxyUnit, Unread};
use crate::inventory::observed::{ObservedPod, non_empty};
use crate::inventory::unread::{UnreadPod, WhyUnread};
use crate::inventory::version::Version;

/// A component of a pod that counts.
#[derive(Debug)]
pub(super) struct Counting<'a> {
    /// The pod.
    pub(super) pod: &'a ObservedPod,
    /// The component, and the container that runs it.
    pub(super) claim: Claim<'a>,
    /// Its version, or why that is unread.
    pub(super) version: Result<Version, WhyUnread>,
    /// Whether its version is of Kubernetes' numbering.
    pub(super) is_kubernetes: bool,
}

impl Counting<'_> {
    /// The node that it runs on.
    pub(super) fn node(&self) -> Option<&str> {
        non_empty(self.pod.node.as_deref())
    }

    /// The image, as the pod's spec names it.
    pub(super) fn image(&self) -> Option<&str> {
        image(&self.claim)
    }

    /// Whether it runs, or has run.
    pub(super) fn has_run(&self) -> bool {
        self.version != Err(WhyUnread::NeverRan)
    }

    /// What its arguments ask it to emulate.
    pub(super) fn emulation(&self) -> Asked {
        match (self.claim.component, self.claim.container) {
            (Component::KubeProxy, _) | (_, None) => Asked::Nothing,
            (_, Some(container)) => emulation::of_arguments(&container.arguments),
        }
    }

    /// What stays unread of it; `None` where it is read, or counts by its own numbers.
    pub(super) fn unread(&self) -> Option<UnreadPod> {
        let why = match self.version {
            _ if !self.is_kubernetes => return None,
            Err(why) => why,
            Ok(_) if self.emulation() == Asked::Unread => WhyUnread::Emulation,
            Ok(_) => return None,
        };
        Some(unread(self.pod, &self.claim, why))
    }

    /// What stays unread of it where its version is known otherwise.
    pub(super) fn unread_emulation(&self) -> Option<UnreadPod> {
        (self.emulation() == Asked::Unread).then(|| unread(self.pod, &self.claim, WhyUnread::Emulation))
    }

    /// It as a kube-proxy.
    pub(super) fn kube_proxy(&self) -> KubeProxy {
        KubeProxy {
            pod: self.pod.meta.name.clone(),
            node: self.node().map(str::to_owned),
            version: self.version.as_ref().ok().cloned(),
            unread: self.unread().map(|unread| {
                if unread.required {
                    Unread::Required
                } else {
                    Unread::Optional
                }
            }),
            image: self.image().map(str::to_owned),
            unit: match &self.pod.meta.owner {
                _ if is_static(&self.pod.meta) => ProxyUnit::Static,
                Some(owner) => ProxyUnit::Workload(owner.clone()),
                None => ProxyUnit::Lone,
            },
        }
    }
}

/// All component pods.
#[derive(Debug, Default)]
pub(super) struct Pods<'a> {
    /// Those that count.
    pub(super) counting: Vec<Counting<'a>>,
    /// Those that do not.
    pub(super) set_aside: Vec<SetAside>,
    /// kube-proxies that have ended: nodes may have no others.
    pub(super) ended_proxies: Vec<UnreadPod>,
}

/// Takes every component pod to one side or the other.
pub(super) fn pods<'a>(
    seen: &'a [ObservedPod],
    hosted: Option<&str>,
    digests: &Digests<'_>,
    virtual_nodes: &BTreeSet<&str>,
    operators: &BTreeSet<Component>,
) -> Pods<'a> {
    let mut pods = Pods::default();
    let mut alive = Vec::new();
    for (pod, claim) in seen
        .iter()
        .flat_map(|pod| claims(pod, hosted).into_iter().map(move |claim| (pod, claim)))
    {
        let state = RunState::of(pod, claim.container);
        let is_virtual = non_empty(pod.node.as_deref()).is_some_and(|node| virtual_nodes.contains(node));
        let why = if is_virtual {
            Some(WhySetAside::OnVirtualNode)
        } else if state == RunState::Ended {
            if claim.component == Component::KubeProxy {
                pods.ended_proxies.push(unread(pod, &claim, WhyUnread::Ended));
            }
            Some(WhySetAside::Ended)
        } else if state == RunState::Unscheduled {
            Some(WhySetAside::Unscheduled)
        } else if is_openshift(pod) && operators.contains(&claim.component) {
            Some(WhySetAside::OperatorReports)
        } else {
            None
        };
        match why {
            Some(why) => pods.set_aside.push(set_aside(pod, &claim, why)),
            None => alive.push((pod, claim, state)),
        }
    }
    // A pod that is being deleted counts only until another one has taken its place.
    let replaced: BTreeSet<(Component, &str)> = alive
        .iter()
        .filter(|(pod, _, state)| !pod.meta.deleting && *state == RunState::Runs)
        .filter_map(|(pod, claim, _)| Some((claim.component, non_empty(pod.node.as_deref())?)))
        .collect();
    for (pod, claim, state) in alive {
        let is_replaced =
            non_empty(pod.node.as_deref()).is_some_and(|node| replaced.contains(&(claim.component, node)));
        if pod.meta.deleting && is_replaced {
            pods.set_aside.push(set_aside(pod, &claim, WhySetAside::Replaced));
        } else {
            pods.counting.push(counting(pod, claim, state, digests));
        }
    }
    pods
}

fn counting<'a>(
    pod: &'a ObservedPod,
    claim: Claim<'a>,
    state: RunState,
    digests: &Digests<'_>,
) -> Counting<'a> {
    let reference = Reference::parse(image(&claim).unwrap_or_default());
    Counting {
        pod,
        claim,
        version: if state == RunState::NeverRun {
            Err(WhyUnread::NeverRan)
        } else {
            version(pod, &claim, digests)
        },
        is_kubernetes: reference.is_numbered_as_kubernetes(claim.component),
    }
}

/// The version that the component's container runs, or why it is unread.
fn version(pod: &ObservedPod, claim: &Claim<'_>, digests: &Digests<'_>) -> Result<Version, WhyUnread> {
    let container = claim.container.ok_or(WhyUnread::NoImage)?;
    let text = non_empty(container.image.as_deref()).ok_or(WhyUnread::NoImage)?;
    let reference = Reference::parse(text);
    if claim.is_named
        && let Some(version) = reference.version()
    {
        return Ok(version);
    }
    // Where the spec has no digest, the runtime reports what it runs.
    let pulled = pod
        .statuses
        .iter()
        .flatten()
        .filter(|status| status.name == container.name)
        .filter_map(|status| Reference::parse(status.image_id.as_deref()?).digest);
    reference
        .digest
        .into_iter()
        .chain(pulled)
        .find_map(|digest| digests.version(digest, claim.component))
        .ok_or(match (claim.is_named, reference.tag, reference.digest) {
            (_, None, Some(_)) => WhyUnread::ByDigest,
            (false, _, _) => WhyUnread::OtherName,
            (true, None, None) => WhyUnread::NoTag,
            (true, Some(_), _) => WhyUnread::NotAVersion,
        })
}

fn image<'a>(claim: &Claim<'a>) -> Option<&'a str> {
    non_empty(claim.container?.image.as_deref())
}

fn unread(pod: &ObservedPod, claim: &Claim<'_>, why: WhyUnread) -> UnreadPod {
    let is_optional = match claim.component {
        Component::CloudControllerManager => true,
        Component::KubeProxy => !claim.is_named || matches!(why, WhyUnread::NeverRan | WhyUnread::Ended),
        _ => false,
    };
    UnreadPod {
        component: claim.component,
        namespace: non_empty(pod.meta.namespace.as_deref()).map(str::to_owned),
        pod: pod.meta.name.clone(),
        node: non_empty(pod.node.as_deref()).map(str::to_owned),
        container: claim.container.map(|container| container.name.clone()),
        image: image(claim).map(str::to_owned),
        why,
        required: !is_optional,
    }
}

fn set_aside(pod: &ObservedPod, claim: &Claim<'_>, why: WhySetAside) -> SetAside {
    SetAside {
        component: claim.component,
        pod: match non_empty(pod.meta.namespace.as_deref()) {
            Some(namespace) => format!("{namespace}/{}", pod.meta.name),
            None => pod.meta.name.clone(),
        },
        node: non_empty(pod.node.as_deref()).map(str::to_owned),
        why,
    }
}

fn is_openshift(pod: &ObservedPod) -> bool {
    pod.meta
        .namespace
        .as_deref()
        .is_some_and(|namespace| namespace.starts_with("openshift-"))
}
