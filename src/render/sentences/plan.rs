//! The words of a plan: what a step does, why and to whom, what the plan comes to and what it leaves.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers::{count, names};
use crate::inventory::component::Component;
use crate::inventory::gap::Skipped;
use crate::plan::steps::{Obstacle, Plan, Reason, Step, StepKind, StepNote};
use crate::report::{NodeRow, Report};

/// Which nodes stand in which pool, to speak of whole pools where whole pools are meant.
pub struct Pools<'a> {
    of: BTreeMap<&'a str, &'a str>,
    sizes: BTreeMap<&'a str, usize>,
}

impl<'a> Pools<'a> {
    /// The pools of the judged nodes.
    pub fn new(rows: &'a [NodeRow]) -> Self {
        let judged = rows.iter().filter(|row| !row.is_virtual && !row.excluded);
        let mut pools = Self {
            of: BTreeMap::new(),
            sizes: BTreeMap::new(),
        };
        for row in judged {
            if let Some(pool) = &row.pool {
                pools.of.insert(&row.name, pool);
                *pools.sizes.entry(pool).or_default() += 1;
            }
        }
        pools
    }

    /// These nodes: whole pools by name and size, the others by name, at most so many of each.
    pub fn describe(&self, nodes: &[String], at_most: usize) -> String {
        let mut by_pool: BTreeMap<&str, usize> = BTreeMap::new();
        for node in nodes {
            if let Some(pool) = self.of.get(node.as_str()) {
                *by_pool.entry(pool).or_default() += 1;
            }
        }
        let whole: Vec<(&str, usize)> = by_pool
            .into_iter()
            .filter(|(pool, moved)| *moved > 1 && self.sizes.get(pool) == Some(moved))
            .collect();
        let is_whole = |node: &&String| {
            let pool = self.of.get(node.as_str());
            pool.is_some_and(|pool| whole.iter().any(|(name, _)| name == pool))
        };
        let parts: Vec<&String> = nodes.iter().filter(|node| !is_whole(node)).collect();
        let mut said = Vec::new();
        if !whole.is_empty() {
            let pools: Vec<String> = whole
                .iter()
                .map(|(pool, nodes)| format!("pool {pool} ({})", count(*nodes, "node")))
                .collect();
            said.push(names(&pools, at_most));
        }
        if !parts.is_empty() {
            said.push(names(&parts, at_most));
        }
        said.join("; ")
    }
}

/// What a step does, to be read after its number.
pub fn step(step: &Step, pools: &Pools<'_>, at_most: usize) -> String {
    let Step {
        kind,
        from,
        to,
        nodes,
        kube_proxy_of,
        component,
        drain,
        reason: _,
        notes: _,
    } = step;
    let moved = format!("{from} → {to}");
    match kind {
        StepKind::Hop => {
            format!("control plane {moved}: kube-apiserver first, then the managers and the scheduler")
        }
        StepKind::Emulation => format!("emulated version of the apiservers {moved}: no binary moves"),
        StepKind::ControlPlane => {
            let who = component.map_or("the managers and the scheduler", Component::name);
            format!("{who} {moved}")
        }
        StepKind::Kubelets => {
            let what = if kube_proxy_of.is_empty() {
                "kubelet"
            } else {
                "kubelet and static kube-proxy"
            };
            let how = if *drain {
                "drain, then roll"
            } else {
                "roll without a drain"
            };
            let who = pools.describe(nodes, at_most);
            format!("{what} {moved} on {who}: {how}")
        }
        StepKind::KubeProxy => {
            let who = pools.describe(kube_proxy_of, at_most);
            format!("kube-proxy {moved} on {who}: a workload update, no drain")
        }
    }
}

/// Why a step is needed.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::BeforeHop { rule, hop: _ } | Reason::MendToday { rule } => {
            format!("{reason} ({})", rule.key())
        }
        Reason::Target { target: _ } | Reason::FinishHop | Reason::Rollout => reason.to_string(),
    }
}

/// What else to know about a step.
pub fn note(note: &StepNote, at_most: usize) -> String {
    match note {
        StepNote::Workload(name) => format!("all pods of {name}"),
        StepNote::NotInRollout(nodes) => {
            format!(
                "not named by the rollout, yet they must move: {}",
                names(nodes, at_most)
            )
        }
        StepNote::Fargate(nodes) => format!("Fargate: recreate the pods of {}", names(nodes, at_most)),
        StepNote::Cordoned(nodes) => format!("cordoned: {}", names(nodes, at_most)),
        StepNote::NotReady(nodes) => format!("NotReady: {}", names(nodes, at_most)),
        StepNote::Runtime { kind, nodes } => format!("{kind}: {}", names(nodes, at_most)),
    }
}

/// Which kubelets are below the target minor, where some are.
pub fn lagging(report: &Report, pools: &Pools<'_>, at_most: usize) -> Option<String> {
    let nodes: Vec<String> = report
        .lagging_kubelets
        .iter()
        .map(|lagging| lagging.node.clone())
        .collect();
    let target = report.target.as_ref()?;
    (!nodes.is_empty()).then(|| {
        let kubelets = count(nodes.len(), "kubelet");
        format!(
            "{kubelets} below {}: {}",
            target.text,
            pools.describe(&nodes, at_most)
        )
    })
}

/// What a plan comes to.
pub fn plan_counts(plan: &Plan) -> String {
    format!(
        "{} · {} · {}",
        count(plan.hops, "hop"),
        count(plan.node_rolls, "node roll"),
        count(plan.kube_proxy_updates, "kube-proxy update")
    )
}

/// What a plan leaves: why it stops, what it could not reckon with, and which nodes it does not bring to the target.
pub fn plan_rest(report: &Report, plan: &Plan, pools: &Pools<'_>, at_most: usize) -> Vec<String> {
    let left = [
        (
            "still below the target at the end, which the policy allows",
            &plan.optional,
        ),
        ("not planned for, a version is unread", &plan.unplanned),
        ("no step can mend", &plan.remaining),
    ];
    let left = left.into_iter().filter(|(_, nodes)| !nodes.is_empty());
    let left = left.map(|(means, nodes)| format!("{means}: {}", pools.describe(nodes, at_most)));
    plan.obstacle
        .iter()
        .map(obstacle)
        .chain(made_without(report))
        .chain(left)
        .collect()
}

/// What was not read at all though it had to be: a plan of what was is not a plan of the cluster.
fn made_without(report: &Report) -> Option<String> {
    let required = report.not_assessed.iter().filter(|gap| gap.required);
    let unread: BTreeSet<Skipped> = required.flat_map(|gap| gap.skipped.iter().copied()).collect();
    let unread: Vec<&str> = unread.into_iter().map(Skipped::name).collect();
    (!unread.is_empty()).then(|| format!("made without what was not read: {}", unread.join(", ")))
}

/// Why a plan stops before its target.
pub fn obstacle(obstacle: &Obstacle) -> String {
    let Obstacle {
        hop,
        node,
        rule,
        detail,
    } = obstacle;
    let hop = hop.map_or_else(String::new, |minor| format!(" before {minor}"));
    let node = node
        .as_ref()
        .map_or_else(String::new, |node| format!(" at {node}"));
    let rule = rule.map_or_else(String::new, |rule| format!(" ({})", rule.key()));
    format!("the plan stops{hop}{node}: {detail}{rule}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pools_are_named_as_pools_and_parts_by_name() {
        let row = |name: &str, pool: Option<&str>| (name.to_owned(), pool.map(str::to_owned));
        let rows = [
            row("a1", Some("a")),
            row("a2", Some("a")),
            row("b1", Some("b")),
            row("b2", Some("b")),
        ];
        let mut pools = Pools {
            of: BTreeMap::new(),
            sizes: BTreeMap::new(),
        };
        for (name, pool) in &rows {
            let pool = pool.as_deref().unwrap();
            pools.of.insert(name, pool);
            *pools.sizes.entry(pool).or_default() += 1;
        }
        let nodes: Vec<String> = ["a1", "a2", "b1", "c1"].map(str::to_owned).to_vec();
        assert_eq!(pools.describe(&nodes, 5), "pool a (2 nodes); b1, c1");
        assert_eq!(pools.describe(&nodes, 1), "pool a (2 nodes); b1 and 1 more");
    }
}
