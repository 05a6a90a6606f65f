//! What is out of policy in one replayed state, as bits that can be compared with the state before. The numbers
//! are the policy's; each is asked for once a state.

use std::collections::HashMap;

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::finding::RuleKey;
use crate::policy::standing::{Apiservers, Policy};

const BEHIND: u8 = 0b001;
const NEWER: u8 = 0b010;
const APART: u8 = 0b100;

/// All that is out of policy.
#[derive(Default)]
pub(super) struct Flags {
    /// A host: the kubelet's, then each kube-proxy's.
    pub(super) hosts: Vec<Vec<u8>>,
    /// A manager each.
    pub(super) managers: Vec<u8>,
    /// Whether the apiservers are too far apart.
    pub(super) are_apart: bool,
}

/// The policy against the apiservers of one state.
pub(super) struct Skew<'a> {
    policy: &'a Policy,
    apiservers: Apiservers,
    min_compatibility: Option<Minor>,
    known: HashMap<(Component, Minor), u8>,
    pairs: HashMap<(Minor, Minor), u8>,
}

impl<'a> Skew<'a> {
    pub(super) fn new(policy: &'a Policy, apiservers: Apiservers, min_compatibility: Option<Minor>) -> Self {
        Self {
            policy,
            apiservers,
            min_compatibility,
            known: HashMap::new(),
            pairs: HashMap::new(),
        }
    }

    /// How `component` at `own` stands.
    pub(super) fn of(&mut self, component: Component, own: Minor) -> u8 {
        *self.known.entry((component, own)).or_insert_with(|| {
            let Apiservers { lo, hi } = self.apiservers;
            let is_behind = self
                .policy
                .is_behind_today(component, own, hi, self.min_compatibility);
            (u8::from(is_behind) * BEHIND) | (u8::from(self.policy.is_newer(component, own, lo)) * NEWER)
        })
    }

    /// How a kube-proxy stands to the kubelet beside it.
    pub(super) fn pair(&mut self, kube_proxy: Minor, kubelet: Minor) -> u8 {
        *self
            .pairs
            .entry((kube_proxy, kubelet))
            .or_insert_with(|| u8::from(self.policy.is_pair_apart(kube_proxy, kubelet)) * APART)
    }
}

/// The first rule of a host that is broken now and was not before.
pub(super) fn anew(now: &[u8], before: &[u8]) -> Option<RuleKey> {
    let mut pairs = now.iter().zip(before).enumerate();
    pairs.find_map(|(index, (now, before))| rule(index, now & !before))
}

/// The rule of a host that says that it is too far behind.
pub(super) fn behind(now: &[u8]) -> Option<RuleKey> {
    now.iter()
        .enumerate()
        .find_map(|(index, now)| rule(index, now & BEHIND))
}

fn rule(index: usize, bits: u8) -> Option<RuleKey> {
    let is_kubelet = index == 0;
    match bits {
        0 => None,
        bits if bits & BEHIND != 0 && is_kubelet => Some(RuleKey::KubeletPostUpgrade),
        bits if bits & BEHIND != 0 => Some(RuleKey::KubeProxyPostUpgrade),
        bits if bits & NEWER != 0 && is_kubelet => Some(RuleKey::KubeletNewerThanApiserver),
        bits if bits & NEWER != 0 => Some(RuleKey::KubeProxyNewer),
        _ => Some(RuleKey::KubeProxyKubelet),
    }
}

/// The rule that a manager breaks.
pub(super) fn manager_rule(component: Component, bits: u8) -> RuleKey {
    if bits & BEHIND != 0 {
        RuleKey::ManagerBehind(component)
    } else {
        RuleKey::ManagerNewer(component)
    }
}
