//! How one component stands against the apiservers: the only place where a limit is applied to a minor.
//! Rules, the matrix, the path and the planner all ask here.

use std::borrow::Cow;

use super::limits::{self, SkewLimit, UPSTREAM};
use crate::inventory::component::Component;
use crate::inventory::version::Minor;

/// The effective minors of the apiservers: a component is held to the oldest at the top and to the newest at
/// the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Apiservers {
    /// The oldest.
    pub lo: Minor,
    /// The newest.
    pub hi: Minor,
}

impl Apiservers {
    /// All apiservers at one minor.
    pub const fn all_at(minor: Minor) -> Self {
        Self { lo: minor, hi: minor }
    }

    /// The span of these minors; `None` for none.
    pub fn span(minors: impl IntoIterator<Item = Minor>) -> Option<Self> {
        minors.into_iter().fold(None, |span: Option<Self>, minor| {
            Some(span.map_or(Self::all_at(minor), |s| Self {
                lo: s.lo.min(minor),
                hi: s.hi.max(minor),
            }))
        })
    }
}

/// A row of a house policy: a platform's own limit, which may depend on the server's minor too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseLimit {
    /// The limit.
    pub limit: SkewLimit,
    /// The server minors that it speaks of.
    pub server: ServerMinors,
    /// When its source was read or changed, `YYYY-MM-DD`; a policy file need not say.
    pub date: Cow<'static, str>,
}

/// Which server minors a house limit speaks of.
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
    fn speaks_of(self, server: Minor) -> bool {
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

/// The policy in force: upstream's table and, where a platform is stricter, its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its name, as `--policy` takes it.
    pub name: String,
    /// Where the house policy is published; upstream's page without one.
    pub source: String,
    /// What it was detected from; `None` where it was asked for or is the default.
    pub detected_from: Option<String>,
    /// The house rows; none for upstream.
    pub house: Vec<HouseLimit>,
}

impl Default for Policy {
    fn default() -> Self {
        Self::upstream()
    }
}

/// The limit that binds, and who set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding<'a> {
    /// How many minors older is allowed.
    pub older: u16,
    /// What upstream allows; the same where upstream binds.
    pub upstream_older: u16,
    /// Whether the house policy is the stricter one, and binds.
    pub is_house: bool,
    /// Where it is written.
    pub source: &'a str,
    /// Where upstream's own limit is written.
    pub upstream_source: &'a str,
}

impl Policy {
    /// Kubernetes' own policy.
    pub fn upstream() -> Self {
        Self {
            name: "upstream".to_owned(),
            source: limits::POLICY_URL.to_owned(),
            detected_from: None,
            house: Vec::new(),
        }
    }

    /// The older-than limit for `component` of its own minor `own` against a `reference` at `server`: the stricter of
    /// upstream and house.
    pub fn older(
        &self,
        component: Component,
        reference: Component,
        own: Minor,
        server: Minor,
    ) -> Binding<'_> {
        let upstream = limits::limit(UPSTREAM, component, reference, own);
        let upstream_older = upstream.map_or(0, |row| row.older);
        let upstream_source = upstream.map_or(limits::POLICY_URL, |row| row.source.as_ref());
        let house = self
            .house
            .iter()
            .filter(|row| row.server.speaks_of(server))
            .map(|row| &row.limit)
            .filter(|row| {
                row.component == component
                    && row.reference == reference
                    && row.from <= own
                    && row.to.is_none_or(|to| own <= to)
            })
            .min_by_key(|row| row.older);
        match house {
            Some(row) if row.older < upstream_older => Binding {
                older: row.older,
                upstream_older,
                is_house: true,
                source: &row.source,
                upstream_source,
            },
            _ => Binding {
                older: upstream_older,
                upstream_older,
                is_house: false,
                source: upstream_source,
                upstream_source,
            },
        }
    }

    /// Whether `component` at `own` is too far behind a newest apiserver at `hi`.
    pub fn is_behind(&self, component: Component, own: Minor, hi: Minor) -> bool {
        own.behind(hi) > i32::from(self.older(component, Component::KubeApiserver, own, hi).older)
    }

    /// Whether `component` at `own` is too far behind today: behind the newest apiserver, or under what the
    /// highest reported minCompatibility bears.
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
    pub fn pair_limit(&self, kube_proxy: Minor, kubelet: Minor) -> Binding<'_> {
        self.older(Component::KubeProxy, Component::Kubelet, kube_proxy, kubelet)
    }

    /// Whether a kube-proxy and the kubelet of its node are too far apart.
    pub fn is_pair_apart(&self, kube_proxy: Minor, kubelet: Minor) -> bool {
        kube_proxy.distance(kubelet) > self.pair_limit(kube_proxy, kubelet).older
    }

    /// Whether the apiservers are too far apart.
    pub fn is_spread(&self, lo: Minor, hi: Minor) -> bool {
        let limit = self.older(Component::KubeApiserver, Component::KubeApiserver, lo, hi);
        lo.distance(hi) > limit.older
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
