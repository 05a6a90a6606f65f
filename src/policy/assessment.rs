//! What a judgement of one inventory comes to, before it is put together into a report.

use std::sync::Arc;

use super::cell::Cell;
use super::finding::{Finding, Verdict};
use super::gate::Gate;
use super::standing::Apiservers;
use super::target::TargetAsked;
use crate::inventory::gap::Gap;
use crate::inventory::version::Minor;

/// The judgement of one inventory.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The effective apiserver minors; `None` where no version is known.
    pub apiservers: Option<Apiservers>,
    /// The target, resolved.
    pub target: Option<TargetAsked>,
    /// The minors of the path (or of the preview).
    pub columns: Vec<Minor>,
    /// The findings, in report order.
    pub findings: Vec<Finding>,
    /// All gaps, the inventory's and the target's, in report order.
    pub gaps: Vec<Gap>,
    /// The verdict.
    pub verdict: Verdict,
    /// Today, whatever the target.
    pub in_policy: Option<bool>,
    /// The gate.
    pub gate: Gate,
    /// A row for each node of the inventory, in its order.
    pub rows: Vec<AssessedNode>,
    /// Kubelets below the target minor, by node name.
    pub lagging_kubelets: Vec<LaggingKubelet>,
}

/// The judgement of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct AssessedNode {
    /// How far kubelet and kube-proxy are apart: the largest distance.
    pub pair_distance: Option<u16>,
    /// The highest control-plane minor that it may still see.
    pub good_until: Option<Minor>,
    /// Its kubelet is below the target.
    pub lagging: bool,
    /// It is lagging and the rollout does not name it.
    pub left_behind: bool,
    /// Today.
    pub now: Cell,
    /// A cell for each of [`Assessment::columns`]; nodes that run the same share them.
    pub hops: Arc<[Cell]>,
}

/// A kubelet below the target minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaggingKubelet {
    /// Its node.
    pub node: String,
    /// Its version, raw.
    pub version: String,
}
