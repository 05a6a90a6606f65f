//! What a rule allows, in words: the numbers come from the table of limits.

use std::fmt::Write as _;

use super::numbers::count;
use crate::inventory::component::Component;
use crate::policy::limits::{NODE_UNDER_MIN_COMPATIBILITY, SkewLimit, UPSTREAM};
use crate::policy::rules::{Allows, Rule, Side};

/// What a rule allows.
pub fn allowed(rule: &Rule) -> String {
    match (rule.allows, rule.component) {
        (Allows::ByTable(reference, side), Some(component)) => by_table(component, reference, side),
        (Allows::InWords(text), _) => text.to_owned(),
        // A row of the table is a component's.
        (Allows::ByTable(..), None) => String::new(),
    }
}

fn by_table(component: Component, reference: Component, side: Side) -> String {
    if component == reference {
        let apart = number(component, reference, |row| row.older);
        return format!("Instances of {component} may be {apart} apart.");
    }
    let older = || number(component, reference, |row| row.older);
    let newer = || number(component, reference, |row| row.newer);
    let may_be_less = "A platform policy or a custom policy may allow less.";
    match (side, reference) {
        (Side::Older, _) => format!(
            "A {component} may be {} older than {reference}. {may_be_less}",
            older()
        ),
        (Side::OlderToday, _) => format!(
            "A {component} may be {} older than the newest {reference}, and not {} the highest minCompatibility that a \
             {reference} reports. {may_be_less}",
            older(),
            if component.is_manager() {
                "below".to_owned()
            } else {
                let below = usize::from(NODE_UNDER_MIN_COMPATIBILITY);
                format!("more than {} below", count(below, "minor version"))
            }
        ),
        (Side::Newer, _) => match newer().as_str() {
            "0 minor versions" => format!("A {component} may never be newer than the oldest {reference}."),
            newer => format!("A {component} may be {newer} newer than the oldest {reference}."),
        },
        (Side::EitherWay, Component::Kubelet) => format!(
            "A {component} may be {} older or newer than the kubelet of its node. {may_be_less}",
            older()
        ),
        (Side::EitherWay, _) => format!(
            "A {component} may be {} older than the newest {reference}, and {} newer than the oldest.",
            older(),
            newer()
        ),
    }
}

/// `3 minor versions, or 2 where the kubelet itself is below 1.25,`: the newest row first.
fn number(component: Component, reference: Component, of: impl Fn(&SkewLimit) -> u16) -> String {
    let rows = UPSTREAM
        .iter()
        .filter(|row| row.component == component && row.reference == reference);
    let mut rows: Vec<&SkewLimit> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.from));
    let Some((newest, older)) = rows.split_first() else {
        return String::new();
    };
    let mut text = count(usize::from(of(newest)), "minor version");
    let differing = older.iter().filter(|row| of(row) != of(newest));
    let mut has_more = false;
    for row in differing {
        let below = row.to.map_or(row.from, crate::inventory::version::Minor::next);
        let _ = write!(
            text,
            ", or {} where the {component} itself is below {below}",
            of(row)
        );
        has_more = true;
    }
    if has_more {
        text.push(',');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::rules::named;

    #[test]
    fn the_numbers_are_those_of_the_table() {
        for (key, text) in [
            (
                "kubelet-post-upgrade",
                "A kubelet may be 3 minor versions, or 2 where the kubelet itself is below 1.25, older than \
                 kube-apiserver. A platform policy or a custom policy may allow less.",
            ),
            (
                "kube-scheduler-behind",
                "A kube-scheduler may be 1 minor version older than the newest kube-apiserver, and not below the highest \
                 minCompatibility that a kube-apiserver reports. A platform policy or a custom policy may allow less.",
            ),
            (
                "kube-proxy-newer",
                "A kube-proxy may never be newer than the oldest kube-apiserver.",
            ),
            (
                "kube-proxy-kubelet",
                "A kube-proxy may be 3 minor versions, or 2 where the kube-proxy itself is below 1.25, older or newer than \
                 the kubelet of its node. A platform policy or a custom policy may allow less.",
            ),
            (
                "kubectl-client",
                "A kubectl may be 1 minor version older than the newest kube-apiserver, and 1 minor version newer than the \
                 oldest.",
            ),
            (
                "apiserver-ha-spread",
                "Instances of kube-apiserver may be 1 minor version apart.",
            ),
        ] {
            assert_eq!(allowed(named(key).unwrap()), text, "{key}");
        }
    }
}
