//! What is out of policy in one replayed state, as bits that can be compared with the state before. The numbers
//! are the policy's; each is asked for once a state.

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::apiservers::Apiservers;
use crate::policy::rules::{self, Rule};
use crate::policy::skew_policy::Policy;

const BEHIND: u8 = 0b001;
const NEWER: u8 = 0b010;
const APART: u8 = 0b100;

/// Not asked yet.
const UNKNOWN: u8 = u8::MAX;

/// The policy against the apiservers of one state; each minor is asked about once.
pub(super) struct Skew<'a> {
    policy: &'a Policy,
    apiservers: Apiservers,
    min_compatibility: Option<Minor>,
    kubelets: Vec<u8>,
    kube_proxies: Vec<u8>,
}

/// Minors from this one on are asked about each time.
const MOST_MINORS: u16 = 512;

impl<'a> Skew<'a> {
    pub(super) fn new(policy: &'a Policy, apiservers: Apiservers, min_compatibility: Option<Minor>) -> Self {
        Self {
            policy,
            apiservers,
            min_compatibility,
            kubelets: Vec::new(),
            kube_proxies: Vec::new(),
        }
    }

    /// What a kubelet breaks.
    pub(super) fn kubelet(&mut self, own: Minor) -> u8 {
        if let Some(&known) = self.kubelets.get(usize::from(own.number()))
            && known != UNKNOWN
        {
            return known;
        }
        let asked = self.of(Component::Kubelet, own);
        keep(&mut self.kubelets, own, asked)
    }

    /// What a kube-proxy breaks.
    pub(super) fn kube_proxy(&mut self, own: Minor) -> u8 {
        if let Some(&known) = self.kube_proxies.get(usize::from(own.number()))
            && known != UNKNOWN
        {
            return known;
        }
        let asked = self.of(Component::KubeProxy, own);
        keep(&mut self.kube_proxies, own, asked)
    }

    /// What `component` at `own` breaks.
    pub(super) fn of(&self, component: Component, own: Minor) -> u8 {
        let Apiservers { lo, hi } = self.apiservers;
        let is_behind = self
            .policy
            .is_behind_today(component, own, hi, self.min_compatibility);
        (u8::from(is_behind) * BEHIND) | (u8::from(self.policy.is_newer(component, own, lo)) * NEWER)
    }

    /// What a kube-proxy breaks beside its kubelet, whatever the apiservers.
    pub(super) fn pair(&self, kube_proxy: Minor, kubelet: Minor) -> u8 {
        u8::from(self.policy.is_pair_apart(kube_proxy, kubelet)) * APART
    }
}

fn keep(table: &mut Vec<u8>, own: Minor, asked: u8) -> u8 {
    if own.number() < MOST_MINORS {
        let index = usize::from(own.number());
        if table.len() <= index {
            table.resize(index + 1, UNKNOWN);
        }
        table[index] = asked;
    }
    asked
}

/// Only what a pair breaks.
pub(super) const fn of_pair(bits: u8) -> u8 {
    bits & APART
}

/// Whether something is too far behind.
pub(super) const fn is_behind(bits: u8) -> bool {
    bits & BEHIND != 0
}

/// The rule that says of a kubelet or a kube-proxy that it is too far behind after a hop.
pub(super) fn behind(component: Component) -> &'static Rule {
    rule(component, BEHIND)
}

/// The first rule that a kubelet or a kube-proxy breaks anew.
pub(super) fn rule(component: Component, bits: u8) -> &'static Rule {
    let is_kubelet = component == Component::Kubelet;
    match bits {
        bits if bits & BEHIND != 0 && is_kubelet => &rules::kubelet_post_upgrade::RULE,
        bits if bits & BEHIND != 0 => &rules::kube_proxy_post_upgrade::RULE,
        bits if bits & NEWER != 0 && is_kubelet => &rules::kubelet_newer::RULE,
        bits if bits & NEWER != 0 => &rules::kube_proxy_newer::RULE,
        _ => &rules::kube_proxy_kubelet::RULE,
    }
}

/// The rules of today that these bits of a kubelet, a kube-proxy or a manager stand for.
pub(super) fn rules(component: Component, bits: u8) -> Vec<&'static Rule> {
    let (behind, newer) = match component {
        Component::Kubelet => (&rules::kubelet_current::RULE, &rules::kubelet_newer::RULE),
        Component::KubeProxy => (&rules::kube_proxy_behind::RULE, &rules::kube_proxy_newer::RULE),
        manager => (
            rules::manager_behind::of(manager),
            rules::manager_newer::of(manager),
        ),
    };
    let all = [
        (BEHIND, behind),
        (NEWER, newer),
        (APART, &rules::kube_proxy_kubelet::RULE),
    ];
    let broken = all.into_iter().filter(|(bit, _)| bits & bit != 0);
    broken.map(|(_, rule)| rule).collect()
}
