//! The plan's reasons, notes and obstacles in plain words, so that every format says the same. Which step has
//! which reason is settled in `write`; how a step is laid out is a renderer's.

use std::fmt;

use super::steps::{Obstacle, Reason, StepNote};
use crate::inventory::component::Component;
use crate::policy::rules::{self, Allows, Rule, Side};

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { target } => write!(f, "on the way to {target}"),
            Self::FinishHop => f.write_str(
                "finishes the upgrade under way: the older apiservers come level with the newer ones",
            ),
            Self::BeforeHop { rule, hop } => {
                write!(f, "else, once the hop to {hop} begins, {}", breach(rule))
            }
            Self::MendToday { rule } => write!(f, "today {}", breach(rule)),
            Self::Rollout => f.write_str("the rollout names these nodes"),
        }
    }
}

impl fmt::Display for StepNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workload(name) => write!(f, "all pods of {name}"),
            Self::NotInRollout(nodes) => {
                write!(
                    f,
                    "the rollout does not name {}, which must move",
                    nodes.join(", ")
                )
            }
            Self::Fargate(nodes) => {
                write!(f, "Fargate, moved by recreating the pods: {}", nodes.join(", "))
            }
            Self::Cordoned(nodes) => write!(f, "cordoned: {}", nodes.join(", ")),
            Self::NotReady(nodes) => write!(f, "NotReady: {}", nodes.join(", ")),
            Self::Runtime { kind, nodes } => write!(f, "{kind}: {}", nodes.join(", ")),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hop {
            Some(hop) => write!(f, "the hop to {hop} cannot be made: {}", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

/// What a broken rule comes to, as the end of a sentence.
fn breach(rule: &Rule) -> String {
    let component = rule.component.map_or("component", Component::name);
    match rule.allows {
        Allows::ByTable(_, Side::Older | Side::OlderToday) => {
            format!("the {component} is too far behind the newest apiserver")
        }
        Allows::ByTable(_, Side::Newer) => format!("the {component} is newer than the oldest apiserver"),
        Allows::ByTable(Component::Kubelet, Side::EitherWay) => {
            "kube-proxy and kubelet are too far apart".to_owned()
        }
        Allows::ByTable(_, Side::EitherWay) => "the apiservers are too far apart".to_owned(),
        Allows::InWords(_) => "a rule is broken".to_owned(),
    }
}

/// The rule that speaks of `component` being behind the newest apiserver today.
pub(super) fn behind_today(component: Component) -> &'static Rule {
    match component {
        Component::Kubelet => &rules::kubelet_current::RULE,
        Component::KubeProxy => &rules::kube_proxy_behind::RULE,
        other => rules::manager_behind::of(other),
    }
}

/// The rule that speaks of `component` being behind once the apiservers have made a hop.
pub(super) fn behind_after_hop(component: Component) -> &'static Rule {
    match component {
        Component::Kubelet => &rules::kubelet_post_upgrade::RULE,
        Component::KubeProxy => &rules::kube_proxy_post_upgrade::RULE,
        other => rules::manager_behind::of(other),
    }
}
