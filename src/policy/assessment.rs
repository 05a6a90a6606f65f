//! What a judgement of one inventory comes to, before it is put together into a report.

use std::sync::Arc;

use super::apiservers::Apiservers;
use super::cell::Cell;
use super::evidence::{Evidence, NoLegalPlan};
use super::finding::Finding;
use super::gate::{self, Gate};
use super::question::Question;
use super::rules::{self, Rules};
use super::target::TargetAsked;
use super::verdict::{Severity, Verdict};
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
    /// The rules that were applied.
    pub rules: Rules,
    /// A row for each node of the inventory, in its order.
    pub rows: Vec<AssessedNode>,
    /// Kubelets below the target minor, by node name.
    pub lagging_kubelets: Vec<LaggingKubelet>,
}

impl Assessment {
    /// Adds that no legal plan reaches the target, where nothing else blocks: verdict and gate follow from it.
    #[must_use]
    pub fn without_a_plan(mut self, stop: NoLegalPlan, question: &Question) -> Self {
        if self.verdict == Verdict::Blocked {
            return self;
        }
        self.findings.push(Finding {
            rule: &rules::no_legal_plan::RULE,
            severity: Severity::Blocker,
            evidence: Evidence::NoLegalPlan(stop),
        });
        rules::in_order(&mut self.findings);
        self.verdict = gate::verdict(&self.findings, &self.gaps);
        self.gate = gate::gate(question, &self.findings, &self.gaps, self.verdict);
        self
    }
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
    /// The newest apiserver of today is above what it may still see.
    pub is_out_today: bool,
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
