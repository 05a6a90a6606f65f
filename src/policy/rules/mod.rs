//! The rules: a file a rule, and the one list of them all.
//!
//! Each rule states what it checks, why, the limit, the remedy and the source: `explain`, the README's table,
//! the keys of the JSON report and the rules of `JUnit` and SARIF are taken from here and from nowhere else.
//! How far one component may be from another is settled in [`super::standing`]; a rule says what that means.

pub mod apiserver_ha_spread;
pub mod kube_proxy_behind;
pub mod kube_proxy_kubelet;
pub mod kube_proxy_missing;
pub mod kube_proxy_newer;
pub mod kube_proxy_post_upgrade;
pub mod kubectl_client;
pub mod kubelet_current;
pub mod kubelet_newer;
pub mod kubelet_post_upgrade;
pub mod kubelet_unparseable;
pub mod manager_behind;
pub mod manager_newer;
pub mod node_runtime;
pub mod rollout_left_behind;
pub mod rollout_unknown_node;
mod skew_limit;
pub mod upgrade_path;
pub mod virtual_nodes;

use super::finding::{Finding, RuleKey, Severity};
use super::standing::{Apiservers, Policy};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::inventory::{Inventory, Node};

/// Every rule, in the order in which the README lists them.
pub const ALL: &[&Rule] = &[
    &kubelet_post_upgrade::RULE,
    &kube_proxy_post_upgrade::RULE,
    &manager_newer::KUBE_CONTROLLER_MANAGER,
    &manager_newer::KUBE_SCHEDULER,
    &manager_newer::CLOUD_CONTROLLER_MANAGER,
    &kubelet_current::RULE,
    &kubelet_newer::RULE,
    &kube_proxy_newer::RULE,
    &kube_proxy_behind::RULE,
    &kube_proxy_kubelet::RULE,
    &apiserver_ha_spread::RULE,
    &manager_behind::KUBE_CONTROLLER_MANAGER,
    &manager_behind::KUBE_SCHEDULER,
    &manager_behind::CLOUD_CONTROLLER_MANAGER,
    &kubectl_client::RULE,
    &rollout_left_behind::RULE,
    &rollout_unknown_node::RULE,
    &kubelet_unparseable::RULE,
    &virtual_nodes::RULE,
    &kube_proxy_missing::RULE,
    &upgrade_path::RULE,
    &node_runtime::RULE,
];

/// A rule of the policy, and the texts that explain it.
#[derive(Debug)]
pub struct Rule {
    /// Which rule.
    pub key: RuleKey,
    /// The key as it is printed; where a finding's key goes on, the rest stands in angle brackets.
    pub name: &'static str,
    /// The component that it judges, where it is one.
    pub component: Option<Component>,
    /// The severities that its findings may have.
    pub severities: &'static [Severity],
    /// What its findings are about.
    pub about: About,
    /// What it checks.
    pub what: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// The limit.
    pub limit: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// Where it is written.
    pub source: &'static str,
    judge: fn(&Rule, &Context<'_>) -> Vec<Finding>,
}

/// What the findings of a rule are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The cluster as it is: these decide whether today is within the policy.
    Today,
    /// The move to the target.
    Target,
    /// The list of nodes that a rollout moves.
    Rollout,
}

impl Rule {
    /// The key without what a finding adds to it.
    pub fn stem(&self) -> &'static str {
        self.name.split_once('<').map_or(self.name, |(stem, _)| stem)
    }

    /// A finding of this rule, with its own remedy and source.
    fn finding(&self, severity: Severity, title: String, detail: String) -> Finding {
        Finding {
            rule: self.key,
            key: self.name.to_owned(),
            severity,
            title,
            detail,
            component: self.component,
            nodes: Vec::new(),
            versions: Vec::new(),
            remediation: self.remedy.to_owned(),
            citations: vec![self.source.to_owned()],
        }
    }
}

/// What a rule is given to judge.
pub(super) struct Context<'a> {
    pub(super) inventory: &'a Inventory,
    pub(super) policy: &'a Policy,
    pub(super) apiservers: Option<Apiservers>,
    /// The minor that the control plane is to reach, where the target is a hop.
    pub(super) target: Option<Minor>,
    pub(super) rollout: Option<&'a [String]>,
}

impl<'a> Context<'a> {
    fn judged_nodes(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        self.inventory.nodes.iter().filter(|node| node.is_judged())
    }
}

/// All findings of all rules, in report order: the heaviest first, then by key.
pub(super) fn judge(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = ALL.iter().flat_map(|rule| (rule.judge)(rule, context)).collect();
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.key.cmp(&b.key)));
    findings
}

/// The rule of that key.
pub fn rule(key: RuleKey) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.key == key)
}

/// The rule that a printed key belongs to: the key of a finding, the rule's own, or either without its first part.
pub fn named(text: &str) -> Option<&'static Rule> {
    let matches = |rule: &Rule, text: &str| {
        text == rule.name || text == rule.stem().trim_end_matches('/') || {
            let stem = rule.stem();
            stem != rule.name && text.starts_with(stem)
        }
    };
    ALL.iter().copied().find(|rule| matches(rule, text)).or_else(|| {
        ALL.iter()
            .copied()
            .find(|rule| matches(rule, &format!("version-skew/{text}")))
    })
}

/// Whether a rule decides if today is within the policy.
pub fn speaks_of_today(key: RuleKey) -> bool {
    rule(key).is_none_or(|rule| rule.about == About::Today)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy/rules");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.trim_end_matches(".rs").to_owned())
            .filter(|name| name != "mod" && name != "skew_limit")
            .collect();
        let list = include_str!("mod.rs");
        for file in &files {
            assert!(list.contains(&format!("    &{file}::")), "{file} is not in ALL");
        }
        assert_eq!(files.len(), 18);
        assert_eq!(
            ALL.len(),
            18 + 4,
            "the two manager rules speak of three components each"
        );
    }

    #[test]
    fn every_rule_has_its_texts_and_a_key_of_its_own() {
        let mut names = BTreeSet::new();
        for rule in ALL {
            assert!(names.insert(rule.name), "{} is there twice", rule.name);
            for text in [rule.what, rule.why, rule.limit, rule.remedy] {
                assert!(text.len() > 20 && text.ends_with('.'), "{}: {text:?}", rule.name);
            }
            assert!(rule.source.starts_with("https://"), "{}", rule.name);
            assert!(!rule.severities.is_empty(), "{}", rule.name);
            assert!(
                rule.name.starts_with("version-skew/")
                    || rule.name.starts_with("rollout/")
                    || rule.name.starts_with("node-runtime/"),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn a_key_as_printed_finds_its_rule() {
        let key = |text: &str| named(text).map(|rule| rule.key);
        assert_eq!(key("version-skew/kubelet-current"), Some(RuleKey::KubeletCurrent));
        assert_eq!(key("kubelet-current"), Some(RuleKey::KubeletCurrent));
        assert_eq!(
            key("version-skew/kube-proxy-kubelet/node-1"),
            Some(RuleKey::KubeProxyKubelet)
        );
        assert_eq!(
            key("version-skew/kube-proxy-kubelet"),
            Some(RuleKey::KubeProxyKubelet)
        );
        assert_eq!(key("node-runtime/containerd"), Some(RuleKey::NodeRuntime));
        assert_eq!(
            key("kube-scheduler-newer"),
            Some(RuleKey::ManagerNewer(Component::KubeScheduler))
        );
        assert_eq!(key("kubelet"), None);
        assert_eq!(key(""), None);
        assert_eq!(key("version-skew/"), None);
    }
}
