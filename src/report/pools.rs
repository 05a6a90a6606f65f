//! The nodes by pool: what each pool runs, its worst cells, and the steps of the plan that touch it.

use std::collections::BTreeMap;

use super::{CellState, NodeRow, Report};
use crate::inventory::version::Minor;

/// The nodes of one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolRow {
    /// The pool; `None` for the nodes without one.
    pub name: Option<String>,
    /// Its nodes.
    pub nodes: usize,
    /// Those that the policy judges.
    pub judged: usize,
    /// Those that are Ready.
    pub ready: usize,
    /// Those that are cordoned.
    pub cordoned: usize,
    /// How many judged nodes run a kubelet of each minor, `None` where it was not read.
    pub kubelets: BTreeMap<Option<Minor>, usize>,
    /// How many judged nodes run a kube-proxy of each minor, `None` where it was not read.
    pub kube_proxies: BTreeMap<Option<Minor>, usize>,
    /// The worst of its nodes today.
    pub now: CellState,
    /// The worst of its nodes at each of [`Report::columns`].
    pub hops: Vec<CellState>,
    /// The highest control-plane minor that all of its nodes may still see; `None` where one is not known.
    pub good_until: Option<Minor>,
    /// The numbers of the plan's steps that move its nodes.
    pub steps: Vec<usize>,
}

impl NodeRow {
    /// Whether the policy judges the node.
    pub fn is_judged(&self) -> bool {
        !self.is_virtual && !self.excluded
    }
}

impl Report {
    /// The pools by name; the nodes without one come last.
    pub fn pools(&self) -> Vec<PoolRow> {
        let mut by_name: BTreeMap<(bool, Option<&str>), Vec<&NodeRow>> = BTreeMap::new();
        for row in &self.nodes {
            let name = row.pool.as_deref();
            by_name.entry((name.is_none(), name)).or_default().push(row);
        }
        by_name
            .into_iter()
            .map(|((_, name), rows)| self.pool(name, &rows))
            .collect()
    }

    fn pool(&self, name: Option<&str>, rows: &[&NodeRow]) -> PoolRow {
        let judged: Vec<&NodeRow> = rows.iter().copied().filter(|row| row.is_judged()).collect();
        let worst = |state: &dyn Fn(&NodeRow) -> Option<CellState>| {
            let states = rows.iter().filter_map(|row| state(row));
            states.min().unwrap_or(CellState::NotJudged)
        };
        let mut kubelets = BTreeMap::new();
        let mut kube_proxies = BTreeMap::new();
        for row in &judged {
            *kubelets.entry(row.kubelet.minor).or_default() += 1;
            for minor in row.kube_proxy.iter().map(|proxy| proxy.minor) {
                *kube_proxies.entry(minor).or_default() += 1;
            }
        }
        let steps = self.plan.iter().flat_map(|plan| &plan.steps);
        let moves = |pool: &crate::plan::steps::StepPool| pool.name.as_deref() == name;
        PoolRow {
            name: name.map(str::to_owned),
            nodes: rows.len(),
            judged: judged.len(),
            ready: rows.iter().filter(|row| row.ready == Some(true)).count(),
            cordoned: rows.iter().filter(|row| row.cordoned).count(),
            kubelets,
            kube_proxies,
            now: worst(&|row| Some(row.now.state)),
            hops: (0..self.columns.len())
                .map(|column| worst(&|row| row.hops.get(column).map(|cell| cell.state)))
                .collect(),
            good_until: judged
                .iter()
                .map(|row| row.good_until)
                .collect::<Option<Vec<_>>>()
                .and_then(|minors| minors.into_iter().min()),
            steps: steps
                .filter(|step| step.pools.iter().any(moves))
                .map(|step| step.number)
                .collect(),
        }
    }
}
