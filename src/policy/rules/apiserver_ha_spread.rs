//! `version-skew/apiserver-ha-spread`: kube-apiservers too far from one another.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::ApiserverHaSpread,
    name: "version-skew/apiserver-ha-spread",
    component: Some(Component::KubeApiserver),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Instances of kube-apiserver that are too far apart, by the minors they emulate or by their binaries.",
    why: "They share one store. One that is too old may not read what a newer one has written, and everything else \
          has to fit both.",
    limit: "The newest and the oldest kube-apiserver may be 1 minor apart.",
    remedy: "Move the older instances up, a minor at a time, before anything else moves.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-apiserver",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let apiservers: Vec<_> = skew_limit::instances(context, Component::KubeApiserver).collect();
    let effective = spread(context, apiservers.iter().map(|subject| subject.minor));
    let binary = spread(context, apiservers.iter().map(|subject| subject.version.minor()));
    let (what, (lo, hi)) = match (effective, binary) {
        (Some(span), _) => ("", span),
        (None, Some(span)) => (" by their binaries", span),
        (None, None) => return Vec::new(),
    };
    let distance = skew_limit::plural(lo.distance(hi), "minor");
    let title = format!("kube-apiservers from {lo} to {hi} are {distance} apart{what}");
    let listed = |minor: &Minor| {
        let here = apiservers.iter().filter(|subject| {
            let own = if what.is_empty() {
                subject.minor
            } else {
                subject.version.minor()
            };
            own == *minor
        });
        let mut names: Vec<&str> = here.map(|subject| subject.name).collect();
        names.sort_unstable();
        skew_limit::list(&names)
    };
    let detail = format!(
        "the oldest is {lo} ({}), the newest {hi} ({}): the policy allows 1 minor between them",
        listed(&lo),
        listed(&hi)
    );
    let mut finding = rule.finding(Severity::Warning, title, detail);
    skew_limit::concern(&mut finding, &apiservers);
    vec![finding]
}

fn spread(context: &Context<'_>, minors: impl Iterator<Item = Minor> + Clone) -> Option<(Minor, Minor)> {
    let (lo, hi) = (minors.clone().min()?, minors.max()?);
    context.policy.is_spread(lo, hi).then_some((lo, hi))
}

/// Whether these kube-apiservers would be too far apart by their binaries with none of them below `floor`.
pub(crate) fn is_spread_from<'a>(
    policy: &crate::policy::standing::Policy,
    binaries: impl Iterator<Item = &'a Version>,
    floor: Minor,
) -> bool {
    let minors: Vec<Minor> = binaries.map(|version| version.minor().max(floor)).collect();
    match (minors.iter().min(), minors.iter().max()) {
        (Some(lo), Some(hi)) => policy.is_spread(*lo, *hi),
        _ => false,
    }
}
