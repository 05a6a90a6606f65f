//! `version-skew/kubelet-unparseable`: kubelets whose version cannot be read.

use super::{About, Context, Rule, skew_limit};
use crate::inventory::component::Component;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::KubeletUnparseable,
    name: "version-skew/kubelet-unparseable",
    component: Some(Component::Kubelet),
    severities: &[Severity::Info],
    about: About::Today,
    what: "Nodes whose kubelet tells no Kubernetes version, or none at all.",
    why: "Such a node may be the very one that is out of policy, so the verdict cannot be ready while it is unread.",
    limit: "status.nodeInfo.kubeletVersion starts with a version of major 1, such as v1.37.0.",
    remedy: "Look at what runs on these nodes. Take one that is no kubelet out of the judgement with --exclude, or say \
             what it runs with --assume.",
    source: "https://kubernetes.io/releases/version-skew-policy/#kubelet",
    judge,
};

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let unread: Vec<_> = context
        .judged_nodes()
        .filter(|node| node.kubelet.version.is_none())
        .collect();
    if unread.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<&str> = unread.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    let mut versions: Vec<String> = unread
        .iter()
        .filter_map(|node| node.kubelet.raw.clone())
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let says = if versions.is_empty() {
        "no version".to_owned()
    } else {
        let quoted: Vec<String> = versions.iter().map(|version| format!("\"{version}\"")).collect();
        skew_limit::list(&quoted)
    };
    let title = format!(
        "{} of unreadable version",
        skew_limit::count(unread.len(), Component::Kubelet)
    );
    let detail = format!("{} say {says}: not judged", skew_limit::list(&names));
    let mut finding = rule.finding(Severity::Info, title, detail);
    finding.nodes = skew_limit::nodes(names.into_iter());
    finding.versions = versions;
    vec![finding]
}
