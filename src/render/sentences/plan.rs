//! The words of a plan: what a step does, why and to whom, what the plan comes to and what it leaves.

use std::collections::BTreeMap;

use super::numbers::{count, names};
use crate::inventory::component::Component;
use crate::plan::steps::{
    Alternative, Cause, GoingBack, Held, NoPlan, Obstacle, Plan, Reason, Remaining, Step, StepKind, StepNote,
    Way,
};
use crate::policy::rules::{Allows, Rule, Side};
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
        workload,
        number: _,
        window: _,
        pools: _,
        reason: _,
        notes: _,
        commands: _,
        going_back: _,
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
            let workload = workload.as_deref().unwrap_or("its workload");
            format!("kube-proxy {moved} on {who}: update {workload}, no drain")
        }
    }
}

/// Why a step is needed.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Target { target } => format!("on the way to {target}"),
        Reason::FinishHop => {
            "completes the running upgrade: the remaining kube-apiservers reach the newest minor".to_owned()
        }
        Reason::BeforeHop {
            rule: _,
            hop,
            component,
            minor,
            limit,
        } => {
            let behind = hop.number().saturating_sub(minor.number());
            format!("required before {hop}: {component} {minor} would be {behind} behind (limit {limit})")
        }
        Reason::MendToday { rule } => {
            format!("out of policy today: {} ({})", broken_rule(rule), rule.key())
        }
        Reason::MakesWay { step } => format!("makes way for step {step}"),
        Reason::Rollout => "the rollout names these nodes".to_owned(),
        Reason::FinishNodes { target } => format!("brings every node to {target}"),
    }
}

/// What else to know about a step.
pub fn note(note: &StepNote, at_most: usize) -> String {
    match note {
        StepNote::NotInRollout(nodes) => format!(
            "not named by the rollout, yet they must move: {}",
            names(nodes, at_most)
        ),
        StepNote::Fargate(nodes) => format!("Fargate: recreate the pods of {}", names(nodes, at_most)),
        StepNote::Cordoned(nodes) => format!("cordoned: {}", names(nodes, at_most)),
        StepNote::NotReady(nodes) => format!("NotReady: {}", names(nodes, at_most)),
        StepNote::KubeProxyOnly(nodes) => format!(
            "only the static kube-proxy moves, the kubelet is there already: {}",
            names(nodes, at_most)
        ),
        StepNote::Excluded(nodes) => format!(
            "excluded, their kube-proxy moves all the same: {}",
            names(nodes, at_most)
        ),
        StepNote::JoinAnew(nodes) => format!(
            "kubeadm upgrades a node one minor at a time; join these nodes anew: {}",
            names(nodes, at_most)
        ),
        StepNote::MayMeetOlderApiserver(nodes) => format!(
            "Cluster API below 1.33: while the hop is under way these kubelets may meet an older kube-apiserver: {}",
            names(nodes, at_most)
        ),
        StepNote::KubeProxyWithFirstApiserver => {
            "kubeadm below 1.28 moves kube-proxy with the first kube-apiserver".to_owned()
        }
        StepNote::Runtime {
            kind,
            kubelet,
            change,
            nodes,
        } => format!(
            "{kind}, from kubelet {kubelet} on {change}: {}",
            names(nodes, at_most)
        ),
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
    let bound = match plan.lower_bound {
        Some(rolls) if !plan.proved => {
            format!(" · not proved least: at least {}", count(rolls, "node roll"))
        }
        _ => String::new(),
    };
    format!(
        "{} · {} · {}{bound}",
        count(plan.hops, "hop"),
        rolls(plan.node_rolls, plan.windows),
        count(plan.kube_proxy_updates, "kube-proxy update")
    )
}

/// "0 node rolls", "9 node rolls in 1 window"
fn rolls(node_rolls: usize, windows: usize) -> String {
    let rolls = count(node_rolls, "node roll");
    match windows {
        0 => rolls,
        windows => format!("{rolls} in {}", count(windows, "window")),
    }
}

/// Why there is no plan.
pub fn no_plan(why: NoPlan) -> &'static str {
    match why {
        NoPlan::NoServerVersion => "no plan: no kube-apiserver version is known",
        NoPlan::NodesNotRead => "no plan: nodes could not be read",
        NoPlan::PodsNotRead => "no plan: pods could not be read",
    }
}

/// What a plan leaves: why it stops, which nodes it does not bring to the target, and what the other ways cost.
pub fn plan_rest(plan: &Plan, pools: &Pools<'_>, at_most: usize) -> Vec<String> {
    let mut rest: Vec<String> = plan.obstacle.iter().map(obstacle).collect();
    let left = [
        (
            "after the upgrade these nodes still run older, supported versions",
            &plan.optional,
        ),
        ("not planned, a version could not be read", &plan.unplanned),
    ];
    let left = left.into_iter().filter(|(_, nodes)| !nodes.is_empty());
    rest.extend(left.map(|(means, nodes)| format!("{means}: {}", pools.describe(nodes, at_most))));
    rest.extend(remaining(&plan.remaining, at_most));
    rest.extend(alternatives(&plan.alternatives));
    rest
}

/// What no step can mend, a line a rule.
fn remaining(remaining: &[Remaining], at_most: usize) -> Vec<String> {
    let mut by_rule: BTreeMap<&'static Rule, Vec<&str>> = BTreeMap::new();
    for Remaining { object, rule } in remaining {
        by_rule.entry(*rule).or_default().push(object);
    }
    let lines = by_rule.into_iter().map(|(rule, objects)| {
        format!(
            "remains out of policy, {} ({}): {}",
            broken_rule(rule),
            rule.key(),
            names(&objects, at_most)
        )
    });
    lines.collect()
}

/// "least: 9 node rolls in 1 window · one minor a roll: 16 in 1"
fn alternatives(alternatives: &[Alternative]) -> Option<String> {
    let costs = alternatives.iter().map(|alternative| {
        let Alternative {
            way,
            windows,
            node_rolls,
        } = alternative;
        let way = match way {
            Way::Least => "least",
            Way::NodeStepOne => "one minor a roll",
            Way::FinishNodes => "all nodes at the target",
        };
        format!("{way}: {}", rolls(*node_rolls, *windows))
    });
    (!alternatives.is_empty()).then(|| costs.collect::<Vec<_>>().join(" · "))
}

/// What going back from a hop costs.
pub fn going_back(going_back: &GoingBack) -> String {
    match going_back {
        GoingBack::Possible {
            node_rolls: 0,
            kube_proxy_updates: 0,
        } => "no node".to_owned(),
        GoingBack::Possible {
            node_rolls,
            kube_proxy_updates: 0,
        } => format!("{} first", count(*node_rolls, "node roll")),
        GoingBack::Possible {
            node_rolls: 0,
            kube_proxy_updates,
        } => format!("{} first", count(*kube_proxy_updates, "kube-proxy update")),
        GoingBack::Possible {
            node_rolls,
            kube_proxy_updates,
        } => format!(
            "{} and {} first",
            count(*node_rolls, "node roll"),
            count(*kube_proxy_updates, "kube-proxy update")
        ),
        GoingBack::NotPossible { min_compatibility } => {
            format!("not possible: minCompatibility {min_compatibility}")
        }
    }
}

/// Why a plan stops before its target.
pub fn obstacle(obstacle: &Obstacle) -> String {
    let Obstacle {
        hop,
        object,
        rule,
        cause,
    } = obstacle;
    let hop = hop.map_or_else(String::new, |minor| format!(" before {minor}"));
    let rule = rule.map_or_else(String::new, |rule| format!(" ({})", rule.key()));
    format!(
        "the plan stops{hop}: {}{rule}",
        self::cause(cause, object.as_deref())
    )
}

/// What is in the way.
pub fn cause(cause: &Cause, object: Option<&str>) -> String {
    match cause {
        Cause::TargetBelowNewest { newest } => {
            format!("the target is below the newest kube-apiserver, {newest}")
        }
        Cause::TooOld {
            component,
            minor,
            newest,
            held,
        } => {
            let object = object.map_or_else(String::new, |object| format!(" of {object}"));
            format!(
                "{component} {minor}{object} is too old for a kube-apiserver at {newest}, and {}",
                self::held(*held)
            )
        }
        Cause::NoOrder { newest } => format!(
            "no order of steps to a kube-apiserver at {newest} keeps every kube-proxy near enough to its kubelet"
        ),
        Cause::SearchStopped => {
            "the search was stopped because the cluster is too mixed: there may be a way, which was not found"
                .to_owned()
        }
        Cause::Refused { broken } => format!(
            "internal error: the plan that was found does not hold ({broken}). Please report it: {}",
            env!("CARGO_PKG_REPOSITORY")
        ),
    }
}

fn held(held: Held) -> String {
    match held {
        Held::Unread => "a version on that node could not be read, so it is not planned for".to_owned(),
        Held::NotListed => "its node is not listed".to_owned(),
        Held::NewerPod { minor } => {
            format!("its workload cannot be updated: a pod of it already runs {minor}")
        }
        Held::NewerKubelet { minor } => {
            format!("the node cannot be rolled before the kube-apiservers reach its {minor}")
        }
        Held::NoStep => "no step that the kube-apiservers allow makes it new enough".to_owned(),
        Held::Raised => "it cannot move before the kube-apiservers".to_owned(),
    }
}

/// What a broken rule comes to, as a sentence.
fn broken_rule(rule: &Rule) -> String {
    let component = rule.component.map_or("component", Component::name);
    match rule.allows {
        Allows::ByTable(_, Side::Older | Side::OlderToday) => {
            format!("{component} too far behind the newest kube-apiserver")
        }
        Allows::ByTable(_, Side::Newer) => format!("{component} newer than the oldest kube-apiserver"),
        Allows::ByTable(Component::Kubelet, Side::EitherWay) => {
            "kube-proxy and kubelet too far apart".to_owned()
        }
        Allows::ByTable(_, Side::EitherWay) => "kube-apiservers too far apart".to_owned(),
        Allows::InWords(_) => rule.key().to_owned(),
    }
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
