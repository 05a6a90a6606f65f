//! `node-runtime/<kind>`: a container runtime that the kubelet drops on the way to the target.

use std::collections::BTreeMap;

use super::{About, Context, Rule, skew_limit};
use crate::inventory::Node;
use crate::inventory::version::Minor;
use crate::policy::finding::{Finding, RuleKey, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    key: RuleKey::NodeRuntime,
    name: "node-runtime/<kind>",
    component: None,
    severities: &[Severity::Info],
    about: About::Target,
    what: "Nodes whose container runtime ends at a kubelet minor that lies on the way to the target.",
    why: "The control plane may move on without these nodes, but their kubelets cannot follow: rolled past that minor, \
          a kubelet does not start on the runtime it has.",
    limit: "Kubelet 1.24 has no dockershim; 1.26 needs CRI v1 (containerd 1.6); 1.38 is planned to need the \
            RuntimeConfig call (containerd 2.0, CRI-O 1.28). The cgroup version, which 1.35 asks about too, cannot be \
            seen through the API.",
    remedy: "Give these nodes the newer runtime when, or before, their kubelets reach that minor.",
    source: "https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
    judge,
};

/// A runtime that a kubelet minor no longer bears.
#[derive(Debug)]
pub struct RuntimeEnd {
    /// The runtime, as `containerRuntimeVersion` names it before `://`.
    pub kind: &'static str,
    /// The first version of the runtime that is borne; `None` where none is.
    pub since: Option<(u32, u32)>,
    /// The kubelet minor that bears it no longer.
    pub kubelet: Minor,
    /// What ends, in words.
    pub what: &'static str,
    /// Where it is written.
    pub source: &'static str,
    /// When that was read or changed.
    pub date: &'static str,
}

/// Every runtime that ends.
pub const ENDS: &[RuntimeEnd] = &[
    RuntimeEnd {
        kind: "docker",
        since: None,
        kubelet: Minor::new(24),
        what: "dockershim is gone, and Docker Engine needs cri-dockerd",
        source: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2221-remove-dockershim",
        date: "2022-05-03",
    },
    RuntimeEnd {
        kind: "containerd",
        since: Some((1, 6)),
        kubelet: Minor::new(26),
        what: "CRI v1 is needed, which containerd has from 1.6",
        source: "https://kubernetes.io/blog/2022/12/09/kubernetes-v1-26-release/",
        date: "2022-12-09",
    },
    RuntimeEnd {
        kind: "containerd",
        since: Some((2, 0)),
        kubelet: Minor::new(38),
        what: "the RuntimeConfig call is planned to be needed, which containerd has from 2.0",
        source: "https://github.com/kubernetes/kubernetes/pull/139121",
        date: "2026-05",
    },
    RuntimeEnd {
        kind: "cri-o",
        since: Some((1, 28)),
        kubelet: Minor::new(38),
        what: "the RuntimeConfig call is planned to be needed, which CRI-O has from 1.28",
        source: "https://github.com/kubernetes/kubernetes/pull/139121",
        date: "2026-05",
    },
];

/// The ends that the kubelet of `node` would meet between its own minor and `target`.
pub fn ends_before(node: &Node, target: Minor) -> impl Iterator<Item = &'static RuntimeEnd> {
    let kubelet = node
        .kubelet
        .version
        .as_ref()
        .map(crate::inventory::version::Version::minor);
    let runtime = node.runtime.as_deref().and_then(|text| text.split_once("://"));
    ENDS.iter().filter(move |end| {
        let on_the_way = kubelet.is_some_and(|kubelet| kubelet < end.kubelet && end.kubelet <= target);
        on_the_way
            && runtime.is_some_and(|(kind, version)| {
                kind == end.kind
                    && end
                        .since
                        .is_none_or(|since| release(version).is_some_and(|release| release < since))
            })
    })
}

fn judge(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let Some(target) = context.target else {
        return Vec::new();
    };
    let mut kinds: BTreeMap<&str, BTreeMap<usize, Vec<&Node>>> = BTreeMap::new();
    for node in context.judged_nodes() {
        for end in ends_before(node, target) {
            let place = ENDS
                .iter()
                .position(|other| (other.kind, other.kubelet) == (end.kind, end.kubelet))
                .unwrap_or_default();
            kinds
                .entry(end.kind)
                .or_default()
                .entry(place)
                .or_default()
                .push(node);
        }
    }
    kinds
        .into_iter()
        .map(|(kind, ends)| finding(rule, kind, &ends))
        .collect()
}

fn finding(rule: &Rule, kind: &str, ends: &BTreeMap<usize, Vec<&Node>>) -> Finding {
    let all = || ends.values().flatten();
    let nodes = skew_limit::nodes(all().map(|node| node.name.as_str()));
    let first = ends.keys().map(|place| ENDS[*place].kubelet).min();
    let first = first.map_or_else(String::new, |minor| minor.to_string());
    let title = match nodes.len() {
        1 => format!("1 node runs a {kind} that ends at kubelet {first}"),
        many => format!("{many} nodes run a {kind} that ends at kubelet {first}"),
    };
    let parts = ends.iter().map(|(place, nodes)| {
        let end = &ENDS[*place];
        let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        names.sort_unstable();
        let (what, date) = (end.what, end.date);
        format!(
            "from kubelet {} on {what} ({date}): {}",
            end.kubelet,
            skew_limit::list(&names)
        )
    });
    let mut finding = rule.finding(Severity::Info, title, parts.collect::<Vec<_>>().join("; "));
    finding.key = format!("{}{kind}", rule.stem());
    finding.nodes = nodes;
    let mut versions: Vec<String> = all().filter_map(|node| node.runtime.clone()).collect();
    versions.sort_unstable();
    versions.dedup();
    finding.versions = versions;
    for place in ends.keys() {
        let source = ENDS[*place].source.to_owned();
        if !finding.citations.contains(&source) {
            finding.citations.push(source);
        }
    }
    // The order in which kubelets follow the control plane is the skew policy's.
    finding
        .citations
        .push("https://kubernetes.io/releases/version-skew-policy/#kubelet-1".to_owned());
    finding
}

/// The first two numbers of a runtime's version: `1.7` of `1.7.2-k3s1`.
fn release(version: &str) -> Option<(u32, u32)> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_version_is_read_by_its_first_two_numbers() {
        assert_eq!(release("1.7.2"), Some((1, 7)));
        assert_eq!(release("1.6.8+bottlerocket"), Some((1, 6)));
        assert_eq!(release("2.0.0-rc.1"), Some((2, 0)));
        assert_eq!(release("1.17.3-1.rhaos4.4.el8"), Some((1, 17)));
        assert_eq!(release("Unknown"), None);
        assert_eq!(release(""), None);
    }
}
