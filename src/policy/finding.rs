//! What a judgement says: findings and the verdict. Severities, keys and order are settled here and in the rules;
//! a renderer only shows them.

use std::fmt;

use crate::inventory::component::Component;

/// How much a finding weighs. Ordered: a blocker is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; it gates nothing.
    Info,
    /// Out of policy today, or about to be.
    Warning,
    /// The control plane must not move.
    Blocker,
}

impl Severity {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Blocker => "blocker",
        }
    }
}

/// The rule that speaks. Its text (what it checks, why, remedy, source) is in `rules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKey {
    /// `version-skew/kubelet-post-upgrade`
    KubeletPostUpgrade,
    /// `version-skew/kube-proxy-post-upgrade`
    KubeProxyPostUpgrade,
    /// `version-skew/<manager>-newer`
    ManagerNewer(Component),
    /// `version-skew/kubelet-current`
    KubeletCurrent,
    /// `version-skew/kubelet-newer-than-apiserver`
    KubeletNewerThanApiserver,
    /// `version-skew/kube-proxy-newer`
    KubeProxyNewer,
    /// `version-skew/kube-proxy-behind`
    KubeProxyBehind,
    /// `version-skew/kube-proxy-kubelet/<node>`
    KubeProxyKubelet,
    /// `version-skew/apiserver-ha-spread`
    ApiserverHaSpread,
    /// `version-skew/<manager>-behind`
    ManagerBehind(Component),
    /// `version-skew/kubectl-client`
    KubectlClient,
    /// `version-skew/kubelet-unparseable`
    KubeletUnparseable,
    /// `version-skew/virtual-nodes`
    VirtualNodes,
    /// `version-skew/kube-proxy-missing`
    KubeProxyMissing,
    /// `version-skew/upgrade-path`
    UpgradePath,
    /// `node-runtime/<kind>`
    NodeRuntime,
    /// `rollout/left-behind`
    RolloutLeftBehind,
    /// `rollout/unknown-node`
    RolloutUnknownNode,
}

/// Something that the policy has to say about this cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: RuleKey,
    /// The stable key: no counts, no versions in it.
    pub key: String,
    /// How much it weighs.
    pub severity: Severity,
    /// One line that names the numbers.
    pub title: String,
    /// What was seen and which limit it breaks; says which policy refused and what upstream would have said.
    pub detail: String,
    /// The component that it speaks of.
    pub component: Option<Component>,
    /// Every node concerned, sorted by name.
    pub nodes: Vec<String>,
    /// Every version concerned, raw, sorted by release and without repeats.
    pub versions: Vec<String>,
    /// What to do.
    pub remediation: String,
    /// Where the policy says so.
    pub citations: Vec<String>,
}

/// Whether the control plane may move, by version skew alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A blocker stands.
    Blocked,
    /// No blocker, but something required was not assessed.
    Unknown,
    /// Everything that the policy speaks of was looked at, and nothing blocks.
    Ready,
}

impl Verdict {
    /// Its word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
            Self::Ready => "ready",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
