//! `version-skew/apiserver-ha-spread`: kube-apiservers too far from one another.

use std::collections::BTreeMap;

use super::distance::{self, Judged};
use super::rule::{About, Allows, Context, Rule, Side};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::evidence::{Evidence, Limit, Spread, Subject};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/apiserver-ha-spread",
    component: Some(Component::KubeApiserver),
    severities: &[Severity::Warning],
    about: About::Today,
    what: "Instances of kube-apiserver that are too far apart, by the minors they emulate or by their binaries.",
    why: "They share one store. One that is too old may not read what a newer one has written, and every other \
          component has to work with all of them.",
    allows: Allows::ByTable(Component::KubeApiserver, Side::EitherWay),
    remedy: "Upgrade the older instances, one minor version at a time, before anything else.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-apiserver",
    judge: |_, context| {
        let apiservers: Vec<Judged<'_>> = distance::instances(context, Component::KubeApiserver).collect();
        let effective = spread(context, &apiservers, false, |one| one.minor);
        let spread = effective.or_else(|| spread(context, &apiservers, true, |one| one.version.minor()));
        spread
            .map(|spread| (Severity::Warning, spread))
            .into_iter()
            .collect()
    },
};

fn spread(
    context: &Context<'_>,
    apiservers: &[Judged<'_>],
    by_binary: bool,
    minor: impl Fn(&Judged<'_>) -> Minor,
) -> Option<Evidence> {
    let mut instances: BTreeMap<Minor, Vec<Subject>> = BTreeMap::new();
    for one in apiservers {
        instances.entry(minor(one)).or_default().push(one.subject());
    }
    let (&oldest, _) = instances.first_key_value()?;
    let (&newest, _) = instances.last_key_value()?;
    if !context.policy.is_spread(oldest, newest) {
        return None;
    }
    for subjects in instances.values_mut() {
        subjects.sort_unstable();
    }
    Some(Evidence::Spread(Spread {
        by_binary,
        distance: oldest.distance(newest),
        limit: Limit::of(context.policy, context.policy.spread_limit(oldest, newest)),
        oldest,
        newest,
        instances: instances.into_iter().collect(),
        versions: distance::raw(apiservers.iter().map(|one| one.version)),
    }))
}
