//! The plan's reasons, notes and obstacles in plain words, so that every format says the same. Which step has
//! which reason is settled in `write`; how a step is laid out is a renderer's.

use std::fmt;

use super::steps::{Obstacle, Reason, StepNote};
use crate::inventory::component::Component;
use crate::policy::finding::RuleKey;

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { target } => write!(f, "on the way to {target}"),
            Self::FinishHop => f.write_str(
                "finishes the upgrade under way: the older apiservers come level with the newer ones",
            ),
            Self::BeforeHop { rule, hop } => {
                write!(f, "else, once the hop to {hop} begins, {}", breach(*rule))
            }
            Self::MendToday { rule } => write!(f, "today {}", breach(*rule)),
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
fn breach(rule: RuleKey) -> String {
    match rule {
        RuleKey::KubeletPostUpgrade | RuleKey::KubeletCurrent => {
            "the kubelet is too far behind the newest apiserver".to_owned()
        }
        RuleKey::KubeProxyPostUpgrade | RuleKey::KubeProxyBehind => {
            "the kube-proxy is too far behind the newest apiserver".to_owned()
        }
        RuleKey::KubeProxyKubelet => "kube-proxy and kubelet are too far apart".to_owned(),
        RuleKey::KubeletNewerThanApiserver => "the kubelet is newer than the oldest apiserver".to_owned(),
        RuleKey::KubeProxyNewer => "the kube-proxy is newer than the oldest apiserver".to_owned(),
        RuleKey::ManagerBehind(component) => {
            format!("the {component} is too far behind the newest apiserver")
        }
        RuleKey::ManagerNewer(component) => format!("the {component} is newer than the oldest apiserver"),
        RuleKey::ApiserverHaSpread => "the apiservers are too far apart".to_owned(),
        _ => "a rule is broken".to_owned(),
    }
}

/// The rule that speaks of `component` being behind the newest apiserver today.
pub(super) const fn behind_today(component: Component) -> RuleKey {
    match component {
        Component::Kubelet => RuleKey::KubeletCurrent,
        Component::KubeProxy => RuleKey::KubeProxyBehind,
        other => RuleKey::ManagerBehind(other),
    }
}

/// The rule that speaks of `component` being behind once the apiservers have made a hop.
pub(super) const fn behind_after_hop(component: Component) -> RuleKey {
    match component {
        Component::Kubelet => RuleKey::KubeletPostUpgrade,
        Component::KubeProxy => RuleKey::KubeProxyPostUpgrade,
        other => RuleKey::ManagerBehind(other),
    }
}
