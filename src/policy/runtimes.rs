//! Container runtimes that a kubelet minor no longer supports: one table, each row beside its source and date.

use crate::inventory::Node;
use crate::inventory::version::{Minor, Version};

/// Where it is written in which order kubelets follow the control plane.
pub(super) const ORDER_SOURCE: &str = "https://kubernetes.io/releases/version-skew-policy/#kubelet-1";

/// A runtime that a kubelet minor no longer supports.
#[derive(Debug, PartialEq, Eq)]
pub struct RuntimeEnd {
    /// The runtime, as `containerRuntimeVersion` names it before `://`.
    pub kind: &'static str,
    /// The first version of the runtime that is still supported; `None` where none is.
    pub since: Option<(u32, u32)>,
    /// The kubelet minor that no longer supports it.
    pub kubelet: Minor,
    /// What ends, in words.
    pub what: &'static str,
    /// Where it is written.
    pub source: &'static str,
    /// When that was read or changed.
    pub date: &'static str,
}

/// Every runtime that ends, by kind and kubelet minor.
pub const ENDS: &[RuntimeEnd] = &[
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
    RuntimeEnd {
        kind: "docker",
        since: None,
        kubelet: Minor::new(24),
        what: "dockershim is gone, and Docker Engine needs cri-dockerd",
        source: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2221-remove-dockershim",
        date: "2022-05-03",
    },
];

/// The ends that the kubelet of `node` would meet between its own minor and `target`.
pub fn ends_before(node: &Node, target: Minor) -> impl Iterator<Item = &'static RuntimeEnd> {
    let kubelet = node.kubelet.version.as_ref().map(Version::minor);
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
