//! The judgement itself: the apiservers' span, the target, the rules, the matrix, the gate, in that order.
//! Pure and total. What each rule finds is in `rules`, what a cell says in `matrix`.

use super::apiservers::Apiservers;
use super::assessment::{AssessedNode, Assessment, LaggingKubelet};
use super::question::Question;
use super::rules::{self, Context, Rules};
use super::skew_policy::Policy;
use super::target::TargetAsked;
use super::{gate, matrix, target};
use crate::inventory::Inventory;
use crate::inventory::gap::Gap;
use crate::inventory::version::Minor;

/// Judges `inventory` by `policy`.
pub fn evaluate(inventory: &Inventory, policy: &Policy, question: &Question) -> Assessment {
    evaluate_by(rules::ALL, inventory, policy, question)
}

/// Judges by these rules.
pub(crate) fn evaluate_by(
    rules: Rules,
    inventory: &Inventory,
    policy: &Policy,
    question: &Question,
) -> Assessment {
    let apiservers = Apiservers::of(inventory);
    let resolved = question
        .target
        .as_ref()
        .map(|target| target::resolve(target, inventory, apiservers));
    let (asked, target_gap) = resolved.map_or((None, None), |r| (Some(r.asked), r.gap));
    let hop = asked.as_ref().and_then(TargetAsked::hop);
    let context = Context {
        inventory,
        instances: &inventory.instances,
        policy,
        apiservers,
        target: hop,
        rollout: question.rollout.as_deref(),
        bound_at: None,
    };
    let findings = rules::judge(rules, &context);
    let gaps = gaps(inventory, target_gap, apiservers);
    let columns = matrix::columns(apiservers, hop, asked.is_none());
    let rows = rows(&context, &columns);
    let verdict = gate::verdict(&findings, &gaps);
    Assessment {
        apiservers,
        target: asked,
        verdict,
        in_policy: gate::in_policy(&findings, &gaps),
        gate: gate::gate(question, &findings, &gaps, verdict),
        lagging_kubelets: lagging_kubelets(inventory, &rows),
        columns,
        findings,
        gaps,
        rules,
        rows,
    }
}
/// All gaps, the required ones first.
fn gaps(inventory: &Inventory, of_target: Option<Gap>, apiservers: Option<Apiservers>) -> Vec<Gap> {
    let mut gaps = inventory.gaps.clone();
    gaps.extend(gate::owed(inventory, apiservers));
    gaps.extend(of_target);
    Gap::sort(&mut gaps);
    gaps
}

fn rows(context: &Context<'_>, columns: &[Minor]) -> Vec<AssessedNode> {
    let inventory = context.inventory;
    let mut matrix = matrix::Matrix::new(
        context.policy,
        context.apiservers,
        inventory.min_compatibility,
        columns,
    );
    let nodes = inventory.nodes.iter();
    let mut rows: Vec<AssessedNode> = nodes.map(|node| matrix.row(node, context.target)).collect();
    if let Some(rollout) = context.rollout {
        let listed = rules::rollout_left_behind::listed(rollout);
        for (row, node) in rows.iter_mut().zip(&inventory.nodes) {
            row.left_behind = row.lagging && !rules::rollout_left_behind::is_listed(node, &listed);
        }
    }
    rows
}

fn lagging_kubelets(inventory: &Inventory, rows: &[AssessedNode]) -> Vec<LaggingKubelet> {
    let lagging = inventory.nodes.iter().zip(rows).filter(|(_, row)| row.lagging);
    let mut lagging: Vec<LaggingKubelet> = lagging
        .filter_map(|(node, _)| {
            let version = node.kubelet.version.as_ref()?;
            Some(LaggingKubelet {
                node: node.name.clone(),
                version: version.raw().to_owned(),
            })
        })
        .collect();
    lagging.sort_by(|a, b| a.node.cmp(&b.node));
    lagging
}
