//! Puts a report together: the inventory beside its judgement, in the order in which everything is shown. Nothing is
//! judged here; a plan that stops before the target is made known to the judgement first.

use std::collections::{BTreeMap, BTreeSet};

use super::mending::Mending;
use super::{
    ControlPlane, FindingRow, InstanceRow, NodeRow, OutToday, PolicyInForce, ProxyRow, ReadVersion, Report,
    Source, StrayProxy,
};
use crate::inventory::assumption::{Assumed, Excluded};
use crate::inventory::component::Component;
use crate::inventory::version::Version;
use crate::inventory::{Instance, InstanceSource, Inventory, KubeProxy, Node};
use crate::plan::path::PathHop;
use crate::plan::steps::{Obstacle, Planned, Step};
use crate::policy::assessment::{AssessedNode, Assessment};
use crate::policy::cell::CellState;
use crate::policy::evidence::{Limit, NoLegalPlan};
use crate::policy::finding::Finding;
use crate::policy::gate::Gate;
use crate::policy::question::Question;
use crate::policy::rules::Rule;
use crate::policy::skew_policy::Policy;
use crate::policy::verdict::Severity;

/// All that a report is put together from.
#[derive(Debug)]
pub struct ReportParts<'a> {
    /// What was seen.
    pub inventory: &'a Inventory,
    /// What was asked.
    pub question: &'a Question,
    /// How it was judged.
    pub assessment: Assessment,
    /// By which policy.
    pub policy: &'a Policy,
    /// The path to the target.
    pub path: Vec<PathHop>,
    /// The plan to it.
    pub plan: Option<Planned>,
    /// Where it comes from.
    pub source: Source,
    /// What was assumed.
    pub assumed: Vec<Assumed>,
    /// What was taken out.
    pub excluded: Vec<Excluded>,
}

/// Puts the report together; the same parts give the same report, whatever order they were read in.
pub fn assemble(parts: ReportParts<'_>) -> Report {
    let ReportParts {
        inventory,
        question,
        assessment,
        policy,
        path,
        plan,
        source,
        assumed,
        excluded,
    } = parts;
    let (plan, no_plan) = match plan {
        Some(Planned::Plan(plan)) => (Some(*plan), None),
        Some(Planned::None(why)) => (None, Some(why)),
        None => (None, None),
    };
    let assessment = match plan.as_ref().and_then(|plan| plan.obstacle.as_ref()) {
        Some(obstacle) => assessment.without_a_plan(stop(obstacle), question),
        None => assessment,
    };
    let control_plane = control_plane(inventory, &assessment);
    let out_today = out_today(&assessment.findings);
    let rows = rows(inventory, &assessment);
    let strays = inventory.stray_proxies.iter().map(stray).collect();
    let Assessment {
        target,
        columns,
        findings,
        gaps,
        verdict,
        in_policy,
        gate,
        lagging_kubelets,
        ..
    } = assessment;
    let steps = plan.as_ref().map_or(&[][..], |plan| plan.steps.as_slice());
    let findings = findings_of(inventory, policy, gate, steps, findings);
    Report {
        source,
        policy: PolicyInForce {
            name: policy.name.clone(),
            source: policy.source.clone(),
            detected_from: policy.detected_from.clone(),
        },
        platform: inventory.platform.clone(),
        server_version: inventory.server_version.clone(),
        target,
        verdict,
        in_policy,
        out_today,
        gate,
        control_plane,
        kubectl: inventory.kubectl.as_ref().map(read),
        columns,
        nodes: rows,
        stray_kube_proxies: strays,
        path,
        plan,
        no_plan,
        findings,
        not_assessed: gaps,
        lagging_kubelets,
        assumed,
        excluded,
    }
}

/// What a plan's obstacle comes to as evidence.
fn stop(obstacle: &Obstacle) -> NoLegalPlan {
    NoLegalPlan {
        before: obstacle.hop,
        object: obstacle.object.clone(),
        rule: obstacle.rule.map(Rule::key),
    }
}

fn findings_of(
    inventory: &Inventory,
    policy: &Policy,
    gate: Gate,
    steps: &[Step],
    findings: Vec<Finding>,
) -> Vec<FindingRow> {
    let pools: BTreeMap<&str, &str> = inventory
        .nodes
        .iter()
        .filter_map(|node| Some((node.name.as_str(), node.pool.as_deref()?)))
        .collect();
    let mending = Mending::new(steps, inventory, policy);
    let row = |finding: Finding| {
        let nodes = finding.evidence.nodes();
        let of_nodes: BTreeSet<&str> = nodes
            .iter()
            .filter_map(|node| pools.get(node.as_str()).copied())
            .collect();
        let (limit, upstream_limit) = match finding.evidence.limit() {
            Some(Limit::Minors {
                allowed, upstream, ..
            }) => (Some(*allowed), Some(*upstream)),
            Some(Limit::MinCompatibility { .. }) | None => (None, None),
        };
        FindingRow {
            rule: finding.rule,
            key: finding.key().into_owned(),
            severity: finding.severity,
            pools: of_nodes.into_iter().map(str::to_owned).collect(),
            nodes,
            versions: finding.evidence.versions(),
            limit,
            upstream_limit,
            steps: mending.steps(&finding.evidence),
            citations: finding.citations(),
            fails_gate: gate.fails_on(finding.severity),
            evidence: finding.evidence,
        }
    };
    findings.into_iter().map(row).collect()
}

/// What is out of policy today: nodes, and the components that are not a node's.
fn out_today(findings: &[Finding]) -> OutToday {
    let mut nodes = BTreeSet::new();
    let mut components = BTreeSet::new();
    for finding in findings.iter().filter(|finding| finding.is_out_of_policy_today()) {
        let named = finding.evidence.nodes();
        match finding.rule.component {
            Some(component @ (Component::Kubelet | Component::KubeProxy)) if named.is_empty() => {
                components.insert(component);
            }
            None | Some(Component::Kubelet | Component::KubeProxy) => nodes.extend(named),
            Some(component) => {
                components.insert(component);
            }
        }
    }
    OutToday {
        nodes: nodes.into_iter().collect(),
        components: components.into_iter().collect(),
    }
}

fn read(version: &Version) -> ReadVersion {
    ReadVersion {
        version: Some(version.raw().to_owned()),
        minor: Some(version.minor()),
    }
}

fn control_plane(inventory: &Inventory, assessment: &Assessment) -> ControlPlane {
    let mut instances: Vec<InstanceRow> = inventory.instances.iter().map(instance).collect();
    instances.sort_by(|a, b| {
        let order = |row: &InstanceRow| {
            (
                row.component,
                row.name.clone(),
                row.node.clone(),
                row.version.clone(),
            )
        };
        order(a).cmp(&order(b))
    });
    ControlPlane {
        oldest: assessment.apiservers.map(|apiservers| apiservers.lo),
        newest: assessment.apiservers.map(|apiservers| apiservers.hi),
        running: inventory.running,
        min_compatibility: inventory.min_compatibility,
        answers: answers(inventory),
        instances,
    }
}

fn instance(instance: &Instance) -> InstanceRow {
    InstanceRow {
        component: instance.component,
        name: instance.name.clone(),
        node: instance.node.clone(),
        version: instance.version.as_ref().map(|version| version.raw().to_owned()),
        minor: instance.version.as_ref().map(Version::minor),
        emulated_minor: instance.emulated,
        from: instance.from.name(),
        image: instance.image.clone(),
        judged: instance.judged,
    }
}

/// How several apiservers answered, where they were asked.
fn answers(inventory: &Inventory) -> Option<String> {
    let connections = inventory.connections?;
    let running = inventory.running.filter(|running| *running > 1)?;
    let mut versions: Vec<&Version> = inventory
        .instances
        .iter()
        .filter(|instance| {
            instance.component == Component::KubeApiserver && instance.from == InstanceSource::Version
        })
        .filter_map(|instance| instance.version.as_ref())
        .collect();
    versions.sort_unstable_by(|a, b| a.release().cmp(b.release()).then_with(|| a.raw().cmp(b.raw())));
    versions.dedup();
    let shown: Vec<&str> = versions
        .iter()
        .map(|version| version.raw().strip_prefix('v').unwrap_or(version.raw()))
        .collect();
    let answered = connections.answered;
    let noun = if answered == 1 { "answer" } else { "answers" };
    Some(match shown.as_slice() {
        [] => format!("{running} live, {answered} {noun}"),
        [one] => format!("{running} live, {answered} {noun}, all {one}"),
        many => format!("{running} live, {answered} {noun}: {}", many.join(", ")),
    })
}

/// The rows of the matrix: the worst first, then by pool (those without one last), then by name.
fn rows(inventory: &Inventory, assessment: &Assessment) -> Vec<NodeRow> {
    let findings = assessment.findings.iter();
    let weighing = findings.filter(|finding| finding.severity > Severity::Info);
    let by_findings = weighing.flat_map(|finding| finding.evidence.nodes());
    let by_gaps = assessment.gaps.iter().flat_map(|gap| gap.reason.nodes());
    let by_gaps = by_gaps.map(str::to_owned);
    let named: BTreeSet<String> = by_findings.chain(by_gaps).collect();
    let mut judged: Vec<(&Node, &AssessedNode)> = inventory.nodes.iter().zip(&assessment.rows).collect();
    judged.sort_by(|(a, a_row), (b, b_row)| {
        worst(a_row)
            .cmp(&worst(b_row))
            .then_with(|| states(a_row).cmp(states(b_row)))
            .then_with(|| pool(a).cmp(&pool(b)))
            .then_with(|| a.name.cmp(&b.name))
    });
    judged
        .into_iter()
        .map(|(node, judgement)| row(node, judgement, named.contains(node.name.as_str())))
        .collect()
}

fn states(row: &AssessedNode) -> impl Iterator<Item = CellState> {
    std::iter::once(row.now.state).chain(row.hops.iter().map(|cell| cell.state))
}

fn worst(row: &AssessedNode) -> Option<CellState> {
    states(row).min()
}

fn pool(node: &Node) -> (bool, Option<&str>) {
    (node.pool.is_none(), node.pool.as_deref())
}

fn row(node: &Node, judgement: &AssessedNode, is_named: bool) -> NodeRow {
    let mut kube_proxy: Vec<ProxyRow> = node.proxies.iter().map(proxy).collect();
    kube_proxy.sort_by(|a, b| a.pod.cmp(&b.pod).then_with(|| a.version.cmp(&b.version)));
    let half_unread =
        node.kubelet.version.is_none() || node.proxies.iter().any(|proxy| proxy.version.is_none());
    let is_bad =
        |state: CellState| matches!(state, CellState::Behind | CellState::Newer | CellState::Unknown);
    NodeRow {
        name: node.name.clone(),
        pool: node.pool.clone(),
        zone: node.zone.clone(),
        roles: node.roles.clone(),
        ready: node.ready,
        cordoned: node.cordoned,
        is_virtual: node.virtual_node.is_some(),
        excluded: node.excluded,
        bound: node.is_bound(),
        os: node.os.clone(),
        lagging: judgement.lagging,
        left_behind: judgement.left_behind,
        labels: node.labels.clone(),
        kubelet: ReadVersion {
            version: node.kubelet.raw.clone(),
            minor: node.kubelet.version.as_ref().map(Version::minor),
        },
        kube_proxy,
        pair_distance: judgement.pair_distance,
        good_until: judgement.good_until,
        is_out_today: judgement.is_out_today,
        is_problem: is_named || states(judgement).any(is_bad),
        half_unread: node.is_judged() && half_unread,
        now: judgement.now.clone(),
        hops: judgement.hops.to_vec(),
    }
}

fn stray(stray: &KubeProxy) -> StrayProxy {
    StrayProxy {
        proxy: proxy(stray),
        node: stray.node.clone(),
    }
}

fn proxy(proxy: &KubeProxy) -> ProxyRow {
    ProxyRow {
        pod: proxy.pod.clone(),
        version: proxy.version.as_ref().map(|version| version.raw().to_owned()),
        minor: proxy.version.as_ref().map(Version::minor),
        image: proxy.image.clone(),
    }
}
