//! Which rules a node and the kube-proxies on it break against given apiservers. The numbers are the policy's, asked
//! for once a minor and a moment; this file keeps the answers apart, so that "broken anew" can be told from "still
//! broken".

use std::cell::Cell;

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
const APART: u8 = 4;

/// The policy's answers, kept.
pub(super) struct Skew<'a> {
    policy: &'a Policy,
    moments: Vec<Moment>,
    /// From which minor on answers are kept, and how many of them.
    base: u16,
    span: usize,
    kubelets: Vec<Cell<u8>>,
    kube_proxies: Vec<Cell<u8>>,
    pairs: Vec<Cell<u8>>,
}

/// Not asked yet.
const UNASKED: u8 = u8::MAX;

impl<'a> Skew<'a> {
    /// The policy at `moments`; answers are kept for minors from `base` to `top`.
    pub(super) fn new(policy: &'a Policy, moments: Vec<Moment>, base: Minor, top: Minor) -> Self {
        let span = usize::from(top.number() - base.number()) + 1;
        let unasked = |number: usize| vec![Cell::new(UNASKED); number];
        Self {
            policy,
            base: base.number(),
            span,
            kubelets: unasked(moments.len() * span),
            kube_proxies: unasked(moments.len() * span),
            pairs: unasked(span * span),
            moments,
        }
    }

    /// The policy.
    pub(super) const fn policy(&self) -> &'a Policy {
        self.policy
    }

    fn place(&self, minor: Minor) -> Option<usize> {
        let place = usize::from(minor.number().checked_sub(self.base)?);
        (place < self.span).then_some(place)
    }

    fn against_apiservers(&self, known: &[Cell<u8>], component: Component, moment: usize, own: Minor) -> u8 {
        let cell = self.place(own).map(|place| &known[moment * self.span + place]);
        if let Some(kept) = cell.map(Cell::get).filter(|&kept| kept != UNASKED) {
            return kept;
        }
        let at = self.moments[moment];
        let asked = (u8::from(at.is_behind(self.policy, component, own)) * BEHIND)
            | (u8::from(at.is_newer(self.policy, component, own)) * NEWER);
        if let Some(cell) = cell {
            cell.set(asked);
        }
        asked
    }

    /// Whether a kube-proxy is too far from the kubelet of its node.
    pub(super) fn is_apart(&self, kube_proxy: Minor, kubelet: Minor) -> bool {
        let places = self.place(kube_proxy).zip(self.place(kubelet));
        let cell = places.map(|(proxy, kubelet)| &self.pairs[proxy * self.span + kubelet]);
        if let Some(kept) = cell.map(Cell::get).filter(|&kept| kept != UNASKED) {
            return kept != 0;
        }
        let asked = self.policy.is_pair_apart(kube_proxy, kubelet);
        if let Some(cell) = cell {
            cell.set(u8::from(asked));
        }
        asked
    }

    /// Whether a kubelet is too far behind the newest apiserver.
    pub(super) fn is_kubelet_behind(&self, moment: usize, own: Minor) -> bool {
        self.against_apiservers(&self.kubelets, Component::Kubelet, moment, own) & BEHIND != 0
    }

    /// Whether a kube-proxy is too far behind the newest apiserver.
    pub(super) fn is_proxy_behind(&self, moment: usize, own: Minor) -> bool {
        self.against_apiservers(&self.kube_proxies, Component::KubeProxy, moment, own) & BEHIND != 0
    }

    /// What is broken at `moment` by a kubelet and the kube-proxies beside it, each with whether it is held to the
    /// apiservers; without a kubelet nothing is paired.
    pub(super) fn judge(
        &self,
        kubelet: Option<Minor>,
        proxies: impl Iterator<Item = Minor>,
        moment: usize,
    ) -> Violations {
        let mut all = Violations::default();
        if let Some(own) = kubelet {
            let bits = self.against_apiservers(&self.kubelets, Component::Kubelet, moment, own);
            all.0 |= u64::from(bits);
        }
        for (position, own) in proxies.enumerate() {
            let mut bits = self.against_apiservers(&self.kube_proxies, Component::KubeProxy, moment, own);
            if kubelet.is_some_and(|kubelet| self.is_apart(own, kubelet)) {
                bits |= APART;
            }
            all.0 |= u64::from(bits) << (WIDTH * (1 + position.min(MOST_PROXIES - 1)));
        }
        all
    }
}

/// Bits a subject: behind, newer, apart.
const WIDTH: usize = 3;
/// So many kube-proxies of one node are kept apart; the rest counts as one.
const MOST_PROXIES: usize = 20;
/// The first bit of every kube-proxy.
const PROXIES: u64 = 0o111_111_111_111_111_111_110;

/// The rules that a node breaks: the kubelet's, then each kube-proxy's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Violations(u64);

impl Violations {
    /// Whether a rule is broken here that was not broken there.
    pub(super) const fn add_to(self, before: Self) -> bool {
        self.0 & !before.0 != 0
    }

    /// Those of them that are not among the others.
    pub(super) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether nothing is broken.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether anything is too far behind the newest apiserver.
    pub(super) const fn has_behind(self) -> bool {
        self.0 & ((PROXIES | 1) * BEHIND as u64) != 0
    }

    /// The same, where the kubelet and the first so many kube-proxies are not held to the newest apiserver or the
    /// oldest.
    pub(super) const fn exempt(self, proxies: usize) -> Self {
        let subjects = if proxies < MOST_PROXIES {
            1 + proxies
        } else {
            1 + MOST_PROXIES
        };
        let all = (1u64 << (WIDTH * subjects)) - 1;
        let kept = PROXIES * APART as u64;
        Self(self.0 & (!all | kept))
    }

    /// The rules of today that are broken.
    pub(super) fn rules(self) -> impl Iterator<Item = &'static Rule> {
        let proxies = |bit: u8| self.0 & (PROXIES * u64::from(bit)) != 0;
        let kubelet = |bit: u8| self.0 & u64::from(bit) != 0;
        [
            (kubelet(BEHIND), &rules::kubelet_current::RULE),
            (kubelet(NEWER), &rules::kubelet_newer::RULE),
            (proxies(NEWER), &rules::kube_proxy_newer::RULE),
            (proxies(BEHIND), &rules::kube_proxy_behind::RULE),
            (proxies(APART), &rules::kube_proxy_kubelet::RULE),
        ]
        .into_iter()
        .filter_map(|(is_broken, rule)| is_broken.then_some(rule))
    }

    /// How many rules of today are broken.
    pub(super) fn count(self) -> u64 {
        u64::try_from(self.rules().count()).unwrap_or(u64::MAX)
    }
}
