//! `version-skew/upgrade-path`: a target more than one minor away.

use super::rule::{About, Allows, Context, Rule};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::policy::evidence::{Evidence, Path};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "version-skew/upgrade-path",
    component: Some(Component::KubeApiserver),
    severities: &[Severity::Info],
    about: About::Target,
    what: "A target more than one minor above the oldest kube-apiserver, and the minors on the way.",
    why: "kube-apiserver is upgraded one minor at a time, also where it is a single instance: what is deprecated in one \
          minor is converted there and may be removed in the next.",
    allows: Allows::InWords("kube-apiserver is upgraded 1 minor version at a time."),
    remedy: "Upgrade through each minor in turn, and let all kube-apiservers reach one before the next is begun.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kube-apiserver-1",
    judge: |_, context| {
        judge(context)
            .map(|path| (Severity::Info, path))
            .into_iter()
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Option<Evidence> {
    let (target, from) = (context.target?, context.apiservers?.lo);
    (target > from.next()).then(|| {
        let minors = (from.number()..target.number()).map(|minor| Minor::new(minor).next());
        Evidence::Path(Path {
            from,
            minors: minors.collect(),
        })
    })
}
