//! Puts a report together: the inventory beside its judgement, in the order in which everything is shown.
//! Nothing is judged here.

use super::{
    Assumed, ControlPlane, Excluded, InstanceRow, NodeRow, PathHop, PolicyInForce, ProxyRow, ReadVersion,
    Report, Source, StrayProxy,
};
use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::inventory::version::Version;
use crate::inventory::{Instance, InstanceSource, Inventory, KubeProxy, Node};
use crate::plan::steps::Planned;
use crate::policy::assessment::{AssessedNode, Assessment};
use crate::policy::finding::CellState;
use crate::policy::standing::Policy;

/// All that a report is put together from.
#[derive(Debug)]
pub struct ReportParts<'a> {
    /// What was seen.
    pub inventory: &'a Inventory,
    /// How it was judged.
    pub assessment: &'a Assessment,
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
        assessment,
        policy,
        path,
        plan,
        source,
        assumed,
        excluded,
    } = parts;
    let mut findings = assessment.findings.clone();
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.key.cmp(&b.key)));
    let mut gaps = assessment.gaps.clone();
    Gap::sort(&mut gaps);
    let (plan, no_plan) = match plan {
        Some(Planned::Plan(plan)) => (Some(*plan), None),
        Some(Planned::None(why)) => (None, Some(why)),
        None => (None, None),
    };
    Report {
        source,
        policy: PolicyInForce {
            name: policy.name.clone(),
            source: policy.source.clone(),
            detected_from: policy.detected_from.clone(),
        },
        platform: inventory.platform.clone(),
        server_version: inventory.server_version.clone(),
        target: assessment.target.clone(),
        verdict: assessment.verdict,
        in_policy: assessment.in_policy,
        gate: assessment.gate,
        control_plane: control_plane(inventory, assessment),
        kubectl: inventory.kubectl.as_ref().map(read),
        columns: assessment.columns.clone(),
        nodes: rows(inventory, assessment),
        stray_kube_proxies: inventory.stray_proxies.iter().map(stray).collect(),
        path,
        plan,
        no_plan,
        findings,
        not_assessed: gaps,
        lagging_kubelets: assessment.lagging_kubelets.clone(),
        assumed,
        excluded,
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
        .map(|(node, judgement)| row(node, judgement, assessment))
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

fn row(node: &Node, judgement: &AssessedNode, assessment: &Assessment) -> NodeRow {
    let mut kube_proxy: Vec<ProxyRow> = node.proxies.iter().map(proxy).collect();
    kube_proxy.sort_by(|a, b| a.pod.cmp(&b.pod).then_with(|| a.version.cmp(&b.version)));
    let half_unread =
        node.kubelet.version.is_none() || node.proxies.iter().any(|proxy| proxy.version.is_none());
    let newest = assessment.apiservers.map(|apiservers| apiservers.hi);
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
        out_today: matches!((judgement.good_until, newest), (Some(until), Some(hi)) if until < hi),
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
