//! Which rules a node, or the pods of a kube-proxy workload, break against given apiservers. The numbers are the
//! policy's; this file only keeps the answers apart, so that "broken anew" can be told from "still broken".

use super::cluster::{MovedBy, Runs};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::rules::{self, Rule};
use crate::policy::skew_policy::Policy;

/// The apiservers at one moment of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The oldest.
    pub(super) lo: Minor,
    /// The newest.
    pub(super) hi: Minor,
    /// The highest minCompatibility, while it is known: of today's apiservers.
    pub(super) min_compatibility: Option<Minor>,
}

impl Moment {
    /// Whether `component` at `own` is too far behind.
    pub(super) fn is_behind(self, policy: &Policy, component: Component, own: Minor) -> bool {
        policy.is_behind_today(component, own, self.hi, self.min_compatibility)
    }

    /// Whether `component` at `own` is too new.
    pub(super) fn is_newer(self, policy: &Policy, component: Component, own: Minor) -> bool {
        policy.is_newer(component, own, self.lo)
    }
}

const BEHIND: u8 = 1;
const NEWER: u8 = 2;
const PAIR: u8 = 4;

/// The rules that a subject breaks: the kubelet's first, then each kube-proxy's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Breaches(Vec<u8>);

impl Breaches {
    /// Those of a kubelet and the kube-proxies beside it; without a kubelet nothing is paired.
    pub(super) fn of(
        policy: &Policy,
        kubelet: Option<Minor>,
        proxies: impl Iterator<Item = Minor>,
        moment: Moment,
    ) -> Self {
        let judged = |component, own| {
            (u8::from(moment.is_behind(policy, component, own)) * BEHIND)
                | (u8::from(moment.is_newer(policy, component, own)) * NEWER)
        };
        let first = kubelet.map_or(0, |own| judged(Component::Kubelet, own));
        let rest = proxies.map(|own| {
            let is_apart = kubelet.is_some_and(|kubelet| policy.is_pair_apart(own, kubelet));
            judged(Component::KubeProxy, own) | (u8::from(is_apart) * PAIR)
        });
        Self(std::iter::once(first).chain(rest).collect())
    }

    /// All those of what a class runs, once a roll brought it to `node` and updates its workloads to `unit`.
    pub(super) fn of_class(
        policy: &Policy,
        runs: &Runs,
        node: Option<Minor>,
        unit: impl Fn(usize) -> Option<Minor>,
        moment: Moment,
    ) -> Self {
        let proxies = runs.proxies.iter().map(|&(minor, moved_by)| {
            let moved = match moved_by {
                MovedBy::Node => node,
                MovedBy::Unit(index) => unit(index),
            };
            moved.unwrap_or(minor)
        });
        Self::of(
            policy,
            runs.kubelet.map(|minor| node.unwrap_or(minor)),
            proxies,
            moment,
        )
    }

    /// Whether a rule is broken here that was not broken there.
    pub(super) fn add_to(&self, before: &Self) -> bool {
        self.0
            .iter()
            .zip(&before.0)
            .any(|(now, before)| now & !before != 0)
    }

    /// Whether anything is too far behind the newest apiserver.
    pub(super) fn has_behind(&self) -> bool {
        self.0.iter().any(|bits| bits & BEHIND != 0)
    }

    /// Whether the kubelet is.
    pub(super) fn has_kubelet_behind(&self) -> bool {
        self.0.first().is_some_and(|bits| bits & BEHIND != 0)
    }

    /// Whether a pair is too far apart.
    pub(super) fn has_pair(&self) -> bool {
        self.0.iter().any(|bits| bits & PAIR != 0)
    }

    /// The rules of today that are broken.
    pub(super) fn rules(&self) -> Vec<&'static Rule> {
        let proxies = self.0.iter().skip(1).fold(0, |all, bits| all | bits);
        let kubelet = self.0.first().copied().unwrap_or_default();
        [
            (kubelet & BEHIND, &rules::kubelet_current::RULE),
            (kubelet & NEWER, &rules::kubelet_newer::RULE),
            (proxies & NEWER, &rules::kube_proxy_newer::RULE),
            (proxies & BEHIND, &rules::kube_proxy_behind::RULE),
            (proxies & PAIR, &rules::kube_proxy_kubelet::RULE),
        ]
        .into_iter()
        .filter_map(|(bits, rule)| (bits != 0).then_some(rule))
        .collect()
    }

    /// How many rules are broken, each subject by its weight: the kubelet's first, then each kube-proxy's.
    pub(super) fn weigh(&self, weights: impl Iterator<Item = u64>) -> u64 {
        self.0
            .iter()
            .zip(weights)
            .map(|(bits, weight)| u64::from(bits.count_ones()).saturating_mul(weight))
            .fold(0, u64::saturating_add)
    }
}
