//! The span of the kube-apiservers, which everything else is measured against.

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::inventory::{Instance, Inventory};

/// The effective minors of the kube-apiservers: a component may not be newer than the oldest, nor too far behind the
/// newest.
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

    /// The span of the judged kube-apiservers of a cluster; `None` where no version is known.
    pub fn of(inventory: &Inventory) -> Option<Self> {
        let judged = inventory
            .instances
            .iter()
            .filter(|instance| instance.component == Component::KubeApiserver && instance.judged);
        Self::span(judged.filter_map(Instance::effective))
    }
}
