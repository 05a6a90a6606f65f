//! The policy in force: upstream's limits and, where a platform or a policy file is stricter, its own. The only place
//! where a limit is applied to a minor: rules, the matrix, the path and the planner all ask here.

use std::borrow::Cow;

use super::limits::{self, SkewLimit, UPSTREAM};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;

/// A limit stricter than upstream's. It may depend on the server's minor too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StricterLimit {
    /// The limit.
    pub limit: SkewLimit,
    /// The server minors that it is for.
    pub server: ServerMinors,
    /// When its source was read or changed, `YYYY-MM-DD`; a policy file may leave it out.
    pub date: Cow<'static, str>,
}

/// Which server minors a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerMinors {
    /// All.
    All,
    /// From the first to the last, both included, where `minor % modulus == remainder`.
    Every {
        /// The first.
        from: Minor,
        /// The last; `None` for no end.
        to: Option<Minor>,
        /// Divide by this …
        modulus: u16,
        /// … and keep those with this remainder.
        remainder: u16,
    },
}

impl ServerMinors {
    fn contain(self, server: Minor) -> bool {
        match self {
            Self::All => true,
            Self::Every {
                from,
                to,
                modulus,
                remainder,
            } => {
                from <= server
                    && to.is_none_or(|to| server <= to)
                    && server.number().checked_rem(modulus) == Some(remainder)
            }
        }
    }
}

/// Whose limits are in force beside upstream's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// Nobody's.
    Upstream,
    /// A platform's.
    Platform,
    /// Those of a policy file.
    Custom,
}

/// The policy in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its name, as `--policy` takes it.
    pub name: String,
    /// Whose it is.
    pub kind: PolicyKind,
    /// Where it is published; upstream's page for upstream's.
    pub source: String,
    /// What it was detected from; `None` where it was asked for or is the default.
    pub detected_from: Option<String>,
    /// The limits that are stricter than upstream's; none for upstream.
    pub stricter: Vec<StricterLimit>,
}

impl Default for Policy {
    fn default() -> Self {
        Self::upstream()
    }
}

/// The limit that binds, and upstream's beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingLimit<'a> {
    /// How many minors older is allowed.
    pub older: u16,
    /// What upstream allows; the same where upstream binds.
    pub upstream_older: u16,
    /// Whether the policy in force is stricter than upstream here.
    pub is_stricter: bool,
    /// Where it is written.
    pub source: &'a str,
}

impl Policy {
    /// Kubernetes' own policy.
    pub fn upstream() -> Self {
        Self {
            name: "upstream".to_owned(),
            kind: PolicyKind::Upstream,
            source: limits::POLICY_URL.to_owned(),
            detected_from: None,
            stricter: Vec::new(),
        }
    }

    /// The older-than limit for `component` of its own minor `own` against a `reference` at `server`: the stricter of
    /// upstream's and the policy's own.
    pub fn older(
        &self,
        component: Component,
        reference: Component,
        own: Minor,
        server: Minor,
    ) -> BindingLimit<'_> {
        let upstream = limits::limit(UPSTREAM, component, reference, own);
        let upstream_older = upstream.map_or(0, |row| row.older);
        let stricter = self
            .stricter
            .iter()
            .filter(|row| row.server.contain(server))
            .map(|row| &row.limit)
            .filter(|row| row.is_for(component, reference, own))
            .min_by_key(|row| row.older);
        match stricter {
            Some(row) if row.older < upstream_older => BindingLimit {
                older: row.older,
                upstream_older,
                is_stricter: true,
                source: &row.source,
            },
            _ => BindingLimit {
                older: upstream_older,
                upstream_older,
                is_stricter: false,
                source: upstream.map_or(limits::POLICY_URL, |row| row.source.as_ref()),
            },
        }
    }

    /// Whether `component` at `own` is too far behind a newest apiserver at `hi`.
    pub fn is_behind(&self, component: Component, own: Minor, hi: Minor) -> bool {
        own.behind(hi) > i32::from(self.older(component, Component::KubeApiserver, own, hi).older)
    }

    /// Whether `component` at `own` is too far behind today: behind the newest apiserver, or older than the highest
    /// reported minCompatibility allows.
    pub fn is_behind_today(
        &self,
        component: Component,
        own: Minor,
        hi: Minor,
        min_compatibility: Option<Minor>,
    ) -> bool {
        self.is_behind(component, own, hi)
            || min_compatibility
                .and_then(|minor| limits::floor(component, minor))
                .is_some_and(|floor| own < floor)
    }

    /// Whether `component` at `own` is newer than the oldest apiserver at `lo` allows.
    pub fn is_newer(&self, component: Component, own: Minor, lo: Minor) -> bool {
        let newer =
            limits::limit(UPSTREAM, component, Component::KubeApiserver, own).map_or(0, |row| row.newer);
        lo.behind(own) > i32::from(newer)
    }

    /// How far a kube-proxy and the kubelet of its node may be apart, either way.
    pub fn pair_limit(&self, kube_proxy: Minor, kubelet: Minor) -> BindingLimit<'_> {
        self.older(Component::KubeProxy, Component::Kubelet, kube_proxy, kubelet)
    }

    /// Whether a kube-proxy and the kubelet of its node are too far apart.
    pub fn is_pair_apart(&self, kube_proxy: Minor, kubelet: Minor) -> bool {
        kube_proxy.distance(kubelet) > self.pair_limit(kube_proxy, kubelet).older
    }

    /// How far the apiservers may be apart.
    pub fn spread_limit(&self, lo: Minor, hi: Minor) -> BindingLimit<'_> {
        self.older(Component::KubeApiserver, Component::KubeApiserver, lo, hi)
    }

    /// Whether the apiservers are too far apart.
    pub fn is_spread(&self, lo: Minor, hi: Minor) -> bool {
        lo.distance(hi) > self.spread_limit(lo, hi).older
    }

    /// The highest apiserver minor that a kubelet or kube-proxy at `own` may see.
    pub fn good_until(&self, component: Component, own: Minor) -> Minor {
        let mut until = own;
        while !self.is_behind(component, own, until.next()) && until.next() > until {
            until = until.next();
        }
        until
    }
}
