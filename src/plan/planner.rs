//! From an inventory and a target to the plan: the stages in order. Every plan is replayed by the check before it is
//! handed out.

use super::check;
use super::commands;
use super::hops::Hops;
use super::nodes::Nodes;
use super::obstacle;
use super::options::{PlanOptions, Settings, WholePools};
use super::pieces::Cluster;
use super::solve::Task;
use super::steps::{Alternative, Cause, NoPlan, Obstacle, Plan, Planned, Way};
use super::violations::Skew;
use super::write::Writer;
use crate::inventory::Inventory;
use crate::inventory::read_gap::Resource;
use crate::inventory::version::Minor;
use crate::policy::skew_policy::Policy;

/// The widest span of minors over which anything is moved.
const WIDEST: u16 = 63;

/// The least work that brings `inventory` to `target`: the hops, and before each only what it asks for.
///
/// Total: what cannot be done is in the plan's obstacle. Every plan has been replayed by [`check::check`].
pub fn plan(inventory: &Inventory, policy: &Policy, target: Minor, options: &PlanOptions) -> Planned {
    if let Some(why) = unread(inventory) {
        return Planned::None(why);
    }
    let settings = options.settle(inventory);
    let Some(cluster) = Cluster::of(inventory, options, settings) else {
        return Planned::None(NoPlan::NoServerVersion);
    };
    let plan = if target < cluster.today.hi {
        stopped(Cause::TargetBelowNewest {
            newest: cluster.today.hi,
        })
    } else {
        let plan = least(inventory, policy, target, options, settings, &cluster);
        match check::check(inventory, policy, target, options, &plan) {
            Ok(()) => plan,
            Err(broken) => stopped(Cause::Refused { broken }),
        }
    };
    let mut plan = Plan {
        finish_nodes: settings.finish_nodes,
        whole_pools: rolls_whole_pools(inventory, settings.whole_pools),
        ..plan
    };
    commands::add_commands(&mut plan, inventory);
    Planned::Plan(Box::new(plan))
}

fn unread(inventory: &Inventory) -> Option<NoPlan> {
    let is_unread = |resource: Resource| {
        let mut gaps = inventory.gaps.iter();
        gaps.any(|gap| gap.required && gap.reason.lacks_list_of(resource))
    };
    if is_unread(Resource::Nodes) {
        Some(NoPlan::NodesNotRead)
    } else if is_unread(Resource::Pods) {
        Some(NoPlan::PodsNotRead)
    } else {
        None
    }
}

fn stopped(cause: Cause) -> Plan {
    Plan {
        obstacle: Some(Obstacle {
            hop: None,
            object: None,
            rule: None,
            cause,
        }),
        ..Plan::default()
    }
}

fn rolls_whole_pools(inventory: &Inventory, whole_pools: WholePools) -> bool {
    let judged = inventory.nodes.iter().filter(|node| node.is_judged());
    whole_pools == WholePools::Labelled || judged.into_iter().any(|node| whole_pools.holds(node))
}

fn least(
    inventory: &Inventory,
    policy: &Policy,
    target: Minor,
    options: &PlanOptions,
    settings: Settings,
    cluster: &Cluster,
) -> Plan {
    let hops = Hops::new(cluster, policy, target);
    let (base, newest) = span(cluster, target);
    let skew = Skew::new(policy, hops.moments(), base, newest.max(target));
    let task = |settings: Settings| Task {
        cluster,
        hops: &hops,
        skew: &skew,
        settings,
        target,
        base,
        newest,
    };
    let task_of_plan = task(settings);
    let solution = task_of_plan.solve();
    let model = task_of_plan.model(solution.last);
    let nodes = Nodes::new(inventory, options);
    let mut writer = Writer::new(&model, &nodes);
    writer.steps(&solution.ways);
    let obstacle = match solution.stuck {
        Some(stuck) => {
            let places = &writer.places()[stuck.part];
            Some(obstacle::of(inventory, &task_of_plan, &model, stuck, places))
        }
        None => hops.obstacle.clone(),
    };
    let mut plan = writer.finish(obstacle.is_some());
    plan.obstacle = obstacle;
    plan.proved = solution.is_proved;
    plan.lower_bound = (!solution.is_proved).then_some(solution.lower_bound);
    if plan.obstacle.is_none() {
        plan.alternatives = alternatives(task, settings, (plan.windows, plan.node_rolls));
    }
    plan
}

/// What each way costs; `own` is what this plan costs. A way that does not reach the target is left out.
fn alternatives<'a>(
    task: impl Fn(Settings) -> Task<'a>,
    own: Settings,
    price: (usize, usize),
) -> Vec<Alternative> {
    let ways = [
        (Way::Least, false, false),
        (Way::NodeStepOne, true, false),
        (Way::FinishNodes, false, true),
    ];
    let priced = ways.into_iter().filter_map(|(way, node_step_one, finish_nodes)| {
        let settings = Settings {
            node_step_one,
            finish_nodes,
            ..own
        };
        let (windows, node_rolls) = if settings == own {
            price
        } else {
            task(settings).price()?
        };
        Some(Alternative {
            way,
            windows,
            node_rolls,
        })
    });
    priced.collect()
}

/// The lowest minor that anything may be brought to, and the newest that anything runs today.
fn span(cluster: &Cluster, target: Minor) -> (Minor, Minor) {
    let pieces = cluster.parts.iter().flat_map(|part| &part.pieces);
    let runs = pieces.flat_map(|piece| &piece.members).map(|member| &member.runs);
    let minors = runs.flat_map(|runs| {
        let pods = runs.pods.iter().map(|&(_, minor)| minor);
        runs.kubelet
            .into_iter()
            .chain(runs.statics.iter().copied())
            .chain(pods)
    });
    let today = (target, cluster.today.hi);
    let (low, high) = minors.fold(today, |(low, high), minor| (low.min(minor), high.max(minor)));
    let base = low.max(target.older_by(WIDEST));
    (base, high.min(base.newer_by(2 * WIDEST)))
}
