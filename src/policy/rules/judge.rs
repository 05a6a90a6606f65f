//! Applies rules, and finds one by its key.

use super::ALL;
use super::rule::{Context, Rule};
use crate::policy::finding::Finding;

/// All findings of these rules, in report order.
pub(crate) fn judge<'r>(
    rules: impl IntoIterator<Item = &'r &'static Rule>,
    context: &Context<'_>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &rule in rules {
        let found = (rule.judge)(rule, context).into_iter();
        findings.extend(found.map(|(severity, evidence)| Finding {
            rule,
            severity,
            evidence,
        }));
    }
    in_order(&mut findings);
    findings
}

/// Report order: the heaviest first, then by key.
pub(crate) fn in_order(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| (std::cmp::Reverse(finding.severity), finding.key()));
}

/// The place of a rule in the list: of several, the one to name is the first.
pub fn order(rule: &Rule) -> usize {
    ALL.iter().position(|listed| *listed == rule).unwrap_or(ALL.len())
}

/// The rule that a printed key belongs to: the key of a finding, the rule's own, or either without its first part.
pub fn named(text: &str) -> Option<&'static Rule> {
    let matches = |rule: &Rule, text: &str| {
        text == rule.name || text == rule.key() || {
            let stem = rule.stem();
            stem != rule.name && text.starts_with(stem)
        }
    };
    let find = |text: &str| ALL.iter().copied().find(|rule| matches(rule, text));
    find(text).or_else(|| find(&format!("version-skew/{text}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::policy::rules::{Allows, manager_newer};

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy/rules");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.trim_end_matches(".rs").to_owned())
            .filter(|name| !["mod", "distance", "judge", "rule"].contains(&name.as_str()))
            .collect();
        let list = include_str!("mod.rs");
        for file in &files {
            assert!(list.contains(&format!("    &{file}::")), "{file} is not in ALL");
        }
        let more_for_managers = 3 * 2;
        assert_eq!(ALL.len(), files.len() + more_for_managers);
    }

    #[test]
    fn every_rule_has_its_texts_and_a_key_of_its_own() {
        let mut names = BTreeSet::new();
        for rule in ALL {
            assert!(names.insert(rule.name), "{} is there twice", rule.name);
            let allows = match rule.allows {
                Allows::InWords(text) => text,
                Allows::ByTable(..) => "By the table of limits.",
            };
            for text in [rule.what, rule.why, allows, rule.remedy] {
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
        let key = |text: &str| named(text).map(|rule| rule.name);
        let current = Some("version-skew/kubelet-current");
        assert_eq!(key("version-skew/kubelet-current"), current);
        assert_eq!(key("kubelet-current"), current);
        let pair = Some("version-skew/kube-proxy-kubelet/<node>");
        assert_eq!(key("version-skew/kube-proxy-kubelet/node-1"), pair);
        assert_eq!(key("version-skew/kube-proxy-kubelet"), pair);
        assert_eq!(key("node-runtime/containerd"), Some("node-runtime/<kind>"));
        assert_eq!(
            named("kube-scheduler-newer"),
            Some(&manager_newer::KUBE_SCHEDULER)
        );
        assert_eq!(key("kubelet"), None);
        assert_eq!(key(""), None);
        assert_eq!(key("version-skew/"), None);
    }
}
