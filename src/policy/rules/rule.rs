//! What a rule is: its key, its texts, and the function that judges by it.

use std::cmp::Ordering;
use std::fmt;

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::inventory::{Instance, Inventory, Node};
use crate::policy::apiservers::Apiservers;
use crate::policy::evidence::Evidence;
use crate::policy::skew_policy::Policy;
use crate::policy::verdict::Severity;

/// A rule of the policy, and the texts that explain it.
pub struct Rule {
    /// The key as it is printed; where a finding's key goes on, the rest is in angle brackets.
    pub name: &'static str,
    /// The component that it judges, where it is one.
    pub component: Option<Component>,
    /// The severities that its findings may have.
    pub severities: &'static [Severity],
    /// What its findings are about.
    pub about: About,
    /// What it checks.
    pub what: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// What it allows.
    pub allows: Allows,
    /// What to do.
    pub remedy: &'static str,
    /// Where it is written.
    pub source: &'static str,
    /// Judges: a finding's severity and evidence each.
    pub(crate) judge: fn(&Rule, &Context<'_>) -> Vec<(Severity, Evidence)>,
}

impl Rule {
    /// The key without what a finding adds to it.
    pub fn stem(&self) -> &'static str {
        self.name.split_once('<').map_or(self.name, |(stem, _)| stem)
    }

    /// The key as it reads without a finding: `version-skew/kube-proxy-kubelet`.
    pub fn key(&self) -> &'static str {
        self.stem().trim_end_matches('/')
    }
}

// A rule is one of a kind, and its key is its identity.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

impl PartialOrd for Rule {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rule {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What the findings of a rule are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The cluster as it is: these decide whether today is within the policy.
    Today,
    /// The move to the target.
    Target,
    /// The list of nodes that a rollout moves.
    Rollout,
}

/// What a rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allows {
    /// What the table of limits has for the rule's component against that one.
    ByTable(Component, Side),
    /// What no row of the table has.
    InWords(&'static str),
}

/// Which number of a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// How much older, once the target is reached.
    Older,
    /// How much older today, where a minCompatibility may allow less.
    OlderToday,
    /// How much newer.
    Newer,
    /// Both.
    EitherWay,
}

/// What a rule is given to judge: the cluster, and its control plane as it is or as it would be after a hop.
pub(crate) struct Context<'a> {
    pub(crate) inventory: &'a Inventory,
    /// The control plane's instances; the inventory's own, but for a hop of the path.
    pub(crate) instances: &'a [Instance],
    pub(crate) policy: &'a Policy,
    pub(crate) apiservers: Option<Apiservers>,
    /// The minor that the control plane is to reach, where the target is a hop.
    pub(crate) target: Option<Minor>,
    pub(crate) rollout: Option<&'a [String]>,
    /// The minor to which bound control-plane nodes have moved with their kube-apiservers; `None` for today.
    pub(crate) bound_at: Option<Minor>,
}

impl<'a> Context<'a> {
    pub(super) fn judged_nodes(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        self.inventory.nodes.iter().filter(|node| node.is_judged())
    }

    /// The minor that a kubelet, or a kube-proxy that moves with its node, is judged at.
    pub(super) fn at(&self, own: Minor, is_bound: bool) -> Minor {
        match self.bound_at {
            Some(minor) if is_bound => own.max(minor),
            _ => own,
        }
    }
}
