//! The published skew limits: one table, each row beside the text it comes from. Every number of the policy
//! that this product knows stands in this file; stricter policies are further tables of the same shape in
//! `platforms`.

use std::borrow::Cow;

use crate::inventory::component::Component;
use crate::inventory::version::Minor;

/// The page that all rows come from.
pub const POLICY_URL: &str = "https://kubernetes.io/releases/version-skew-policy/";

/// A row of the policy: how far one component may be from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkewLimit {
    /// Who is judged.
    pub component: Component,
    /// Against whom.
    pub reference: Component,
    /// How many minors older it may be.
    pub older: u16,
    /// How many minors newer it may be.
    pub newer: u16,
    /// The component's own minors that the row is for: from …
    pub from: Minor,
    /// … to, the last included; `None` where every newer one is meant.
    pub to: Option<Minor>,
    /// The place in the policy that says so.
    pub source: Cow<'static, str>,
}

impl SkewLimit {
    /// Whether the row is for `component` at its own minor `own`, measured against `reference`.
    pub(super) fn is_for(&self, component: Component, reference: Component, own: Minor) -> bool {
        self.component == component
            && self.reference == reference
            && self.from <= own
            && self.to.is_none_or(|to| own <= to)
    }
}

const FIRST: Minor = Minor::new(0);
/// The first component minor that may be three behind.
const N3: Minor = Minor::new(25);
const BEFORE_N3: Option<Minor> = Some(Minor::new(24));

/// The version skew policy of Kubernetes.
pub const UPSTREAM: &[SkewLimit] = &[
    SkewLimit {
        component: Component::KubeApiserver,
        reference: Component::KubeApiserver,
        older: 1,
        newer: 1,
        from: FIRST,
        to: None,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kube-apiserver"),
    },
    SkewLimit {
        component: Component::KubeControllerManager,
        reference: Component::KubeApiserver,
        older: 1,
        newer: 0,
        from: FIRST,
        to: None,
        source: Cow::Borrowed(
            "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        ),
    },
    SkewLimit {
        component: Component::KubeScheduler,
        reference: Component::KubeApiserver,
        older: 1,
        newer: 0,
        from: FIRST,
        to: None,
        source: Cow::Borrowed(
            "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        ),
    },
    SkewLimit {
        component: Component::CloudControllerManager,
        reference: Component::KubeApiserver,
        older: 1,
        newer: 0,
        from: FIRST,
        to: None,
        source: Cow::Borrowed(
            "https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager",
        ),
    },
    SkewLimit {
        component: Component::Kubelet,
        reference: Component::KubeApiserver,
        older: 2,
        newer: 0,
        from: FIRST,
        to: BEFORE_N3,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kubelet"),
    },
    SkewLimit {
        component: Component::Kubelet,
        reference: Component::KubeApiserver,
        older: 3,
        newer: 0,
        from: N3,
        to: None,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kubelet"),
    },
    SkewLimit {
        component: Component::KubeProxy,
        reference: Component::KubeApiserver,
        older: 2,
        newer: 0,
        from: FIRST,
        to: BEFORE_N3,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kube-proxy"),
    },
    SkewLimit {
        component: Component::KubeProxy,
        reference: Component::KubeApiserver,
        older: 3,
        newer: 0,
        from: N3,
        to: None,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kube-proxy"),
    },
    SkewLimit {
        component: Component::KubeProxy,
        reference: Component::Kubelet,
        older: 2,
        newer: 2,
        from: FIRST,
        to: BEFORE_N3,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kube-proxy"),
    },
    SkewLimit {
        component: Component::KubeProxy,
        reference: Component::Kubelet,
        older: 3,
        newer: 3,
        from: N3,
        to: None,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kube-proxy"),
    },
    SkewLimit {
        component: Component::Kubectl,
        reference: Component::KubeApiserver,
        older: 1,
        newer: 1,
        from: FIRST,
        to: None,
        source: Cow::Borrowed("https://kubernetes.io/releases/version-skew-policy/#kubectl"),
    },
];

/// How many minors under the highest minCompatibility a kubelet or kube-proxy may be; managers may not be under it.
/// <https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions>
pub const NODE_UNDER_MIN_COMPATIBILITY: u16 = 2;

/// The oldest minor of `component` that an apiserver whose highest minCompatibility is `min_compatibility` supports;
/// `None` for components that it does not limit.
pub fn floor(component: Component, min_compatibility: Minor) -> Option<Minor> {
    match component {
        Component::Kubelet | Component::KubeProxy => {
            Some(min_compatibility.older_by(NODE_UNDER_MIN_COMPATIBILITY))
        }
        manager if manager.is_manager() => Some(min_compatibility),
        _ => None,
    }
}

/// The row for `component` at its own minor `own`, measured against `reference`.
pub fn limit(
    rows: &[SkewLimit],
    component: Component,
    reference: Component,
    own: Minor,
) -> Option<&SkewLimit> {
    rows.iter().find(|row| row.is_for(component, reference, own))
}
