//! The matrix: a row a node, a cell for today and one for each minor ahead. A cell says what the kubelet and
//! the kube-proxies of a node, as they are today, would stand like against the apiservers of that column.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apiservers::Apiservers;
use super::assessment::AssessedNode;
use super::cell::{Cell, CellState, Half};
use super::rules;
use super::skew_policy::Policy;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Node, ProxyUnit, Unread};

/// How many minors are previewed without a target.
const PREVIEW: u16 = 3;

/// The minors of the path to `target`, or of the preview.
pub(super) fn columns(apiservers: Option<Apiservers>, target: Option<Minor>, preview: bool) -> Vec<Minor> {
    let Some(Apiservers { lo, .. }) = apiservers else {
        return Vec::new();
    };
    let last = match target {
        Some(target) => target,
        None if preview => lo.newer_by(PREVIEW),
        None => return Vec::new(),
    };
    (lo.number()..last.number())
        .map(|minor| Minor::new(minor).next())
        .collect()
}

/// What makes two nodes alike for the matrix: the minors that run on them and what is unread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Readings {
    kubelet: Option<Minor>,
    proxies: Vec<Reading>,
    /// Whether the kubelet moves with its kube-apiserver, inside the hop.
    is_bound: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    Minor {
        own: Minor,
        /// Whether it moves with its kube-apiserver, inside the hop.
        is_bound: bool,
    },
    Unread(Unread),
}

impl Readings {
    fn of(node: &Node) -> Self {
        let proxies = node.proxies.iter().map(|proxy| match &proxy.version {
            Some(version) => Reading::Minor {
                own: version.minor(),
                is_bound: node.is_bound() && proxy.unit == ProxyUnit::Static,
            },
            None => Reading::Unread(proxy.unread.unwrap_or(Unread::Required)),
        });
        let mut proxies: Vec<Reading> = proxies.collect();
        proxies.sort_unstable();
        proxies.dedup();
        Self {
            kubelet: node.kubelet.version.as_ref().map(Version::minor),
            proxies,
            is_bound: node.is_bound(),
        }
    }

    /// The same once the kube-apiservers are at `minor`: what moves with them is there, or where it is already.
    fn at(&self, minor: Minor) -> Self {
        let kubelet = self
            .kubelet
            .map(|own| if self.is_bound { own.max(minor) } else { own });
        let proxies = self.proxies.iter().map(|reading| match *reading {
            Reading::Minor { own, is_bound: true } => Reading::Minor {
                own: own.max(minor),
                is_bound: true,
            },
            reading => reading,
        });
        Self {
            kubelet,
            proxies: proxies.collect(),
            is_bound: self.is_bound,
        }
    }

    fn minors(&self) -> impl Iterator<Item = Minor> {
        self.proxies.iter().filter_map(|reading| match reading {
            Reading::Minor { own, .. } => Some(*own),
            Reading::Unread(_) => None,
        })
    }
}

/// Everything of a row that the readings settle.
#[derive(Clone)]
struct Row {
    pair_distance: Option<u16>,
    good_until: Option<Minor>,
    now: Cell,
    hops: Arc<[Cell]>,
}

/// Computes rows; nodes with the same readings share their cells.
pub(super) struct Matrix<'a> {
    policy: &'a Policy,
    apiservers: Option<Apiservers>,
    min_compatibility: Option<Minor>,
    columns: &'a [Minor],
    seen: BTreeMap<Readings, Row>,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(
        policy: &'a Policy,
        apiservers: Option<Apiservers>,
        min_compatibility: Option<Minor>,
        columns: &'a [Minor],
    ) -> Self {
        Self {
            policy,
            apiservers,
            min_compatibility,
            columns,
            seen: BTreeMap::new(),
        }
    }

    /// The row of `node`, for a control plane on its way to `target`.
    pub(super) fn row(&mut self, node: &Node, target: Option<Minor>) -> AssessedNode {
        if !node.is_judged() {
            return self.not_judged(node);
        }
        let readings = Readings::of(node);
        let lagging = match (readings.kubelet, target) {
            (Some(kubelet), Some(target)) => kubelet < target && !readings.is_bound,
            _ => false,
        };
        let row = if let Some(row) = self.seen.get(&readings) {
            row.clone()
        } else {
            let row = self.judge(&readings);
            self.seen.insert(readings, row.clone());
            row
        };
        AssessedNode {
            pair_distance: row.pair_distance,
            good_until: row.good_until,
            lagging,
            left_behind: false,
            is_out_today: matches!((row.good_until, self.apiservers), (Some(until), Some(at)) if until < at.hi),
            now: row.now,
            hops: row.hops,
        }
    }

    fn not_judged(&self, node: &Node) -> AssessedNode {
        let cell = Cell {
            state: CellState::NotJudged,
            kubelet: None,
            kube_proxy: if node.proxies.is_empty() {
                Half::Absent
            } else {
                Half::Unread
            },
            reasons: Vec::new(),
        };
        AssessedNode {
            pair_distance: None,
            good_until: None,
            lagging: false,
            left_behind: false,
            is_out_today: false,
            hops: vec![cell.clone(); self.columns.len()].into(),
            now: cell,
        }
    }

    fn judge(&self, readings: &Readings) -> Row {
        let kubelet = readings.kubelet;
        let pair_distance =
            kubelet.and_then(|kubelet| readings.minors().map(|minor| minor.distance(kubelet)).max());
        let good_until = kubelet.map(|kubelet| {
            let own = self.policy.good_until(Component::Kubelet, kubelet);
            readings
                .minors()
                .map(|minor| self.policy.good_until(Component::KubeProxy, minor))
                .fold(own, Minor::min)
        });
        let now = self.now(readings);
        let hops = self.columns.iter().map(|&column| self.hop(readings, column));
        Row {
            pair_distance,
            good_until,
            now,
            hops: hops.collect(),
        }
    }

    fn now(&self, readings: &Readings) -> Cell {
        let Some(at) = self.apiservers else {
            return Cell {
                state: CellState::Unknown,
                kubelet: None,
                kube_proxy: if readings.proxies.is_empty() {
                    Half::Absent
                } else {
                    Half::Unread
                },
                reasons: unparseable(readings),
            };
        };
        let column = Column {
            at,
            min_compatibility: self.min_compatibility,
            kubelet_behind: rules::kubelet_current::RULE.name,
            kube_proxy_behind: rules::kube_proxy_behind::RULE.name,
        };
        self.cell(readings, &column)
    }

    fn hop(&self, readings: &Readings, minor: Minor) -> Cell {
        let today = self.apiservers.unwrap_or(Apiservers::all_at(minor));
        let at = Apiservers {
            lo: minor,
            hi: minor.max(today.hi),
        };
        // Below today's newest apiserver nothing is asked of the nodes that today does not ask already.
        let post = minor >= today.hi;
        let column = Column {
            at,
            min_compatibility: None,
            kubelet_behind: if post {
                rules::kubelet_post_upgrade::RULE.name
            } else {
                rules::kubelet_current::RULE.name
            },
            kube_proxy_behind: if post {
                rules::kube_proxy_post_upgrade::RULE.name
            } else {
                rules::kube_proxy_behind::RULE.name
            },
        };
        self.cell(&readings.at(minor), &column)
    }

    fn cell(&self, readings: &Readings, column: &Column) -> Cell {
        let mut reasons = unparseable(readings);
        let kubelet = readings.kubelet.map_or(CellState::Unknown, |minor| {
            self.half(Component::Kubelet, minor, column, &mut reasons)
        });
        let mut proxy = (CellState::NotJudged, Half::Absent);
        for reading in &readings.proxies {
            let half = match reading {
                Reading::Minor { own, .. } => (
                    self.half(Component::KubeProxy, *own, column, &mut reasons),
                    Half::Behind(own.behind(column.at.hi)),
                ),
                Reading::Unread(Unread::Required) => (CellState::Unknown, Half::Unread),
                Reading::Unread(Unread::Optional) => (CellState::NotJudged, Half::Unread),
            };
            if is_worse(half, proxy) {
                proxy = half;
            }
        }
        reasons.sort_unstable();
        reasons.dedup();
        Cell {
            state: kubelet.min(proxy.0),
            kubelet: readings.kubelet.map(|minor| minor.behind(column.at.hi)),
            kube_proxy: proxy.1,
            reasons,
        }
    }

    fn half(
        &self,
        component: Component,
        own: Minor,
        column: &Column,
        reasons: &mut Vec<String>,
    ) -> CellState {
        let Apiservers { lo, hi } = column.at;
        let is_kubelet = component == Component::Kubelet;
        let newer = self.policy.is_newer(component, own, lo);
        if newer {
            let rule = if is_kubelet {
                &rules::kubelet_newer::RULE
            } else {
                &rules::kube_proxy_newer::RULE
            };
            reasons.push(rule.name.to_owned());
        }
        if self
            .policy
            .is_behind_today(component, own, hi, column.min_compatibility)
        {
            let key = if is_kubelet {
                column.kubelet_behind
            } else {
                column.kube_proxy_behind
            };
            reasons.push(key.to_owned());
            CellState::Behind
        } else if newer {
            CellState::Newer
        } else if self.policy.is_behind(component, own, hi.next()) {
            CellState::AtLimit
        } else {
            CellState::Ok
        }
    }
}

/// The apiservers of a column, and which rule a node that is behind them breaks.
struct Column {
    at: Apiservers,
    min_compatibility: Option<Minor>,
    kubelet_behind: &'static str,
    kube_proxy_behind: &'static str,
}

fn unparseable(readings: &Readings) -> Vec<String> {
    match readings.kubelet {
        None => vec![rules::kubelet_unparseable::RULE.name.to_owned()],
        Some(_) => Vec::new(),
    }
}

/// The worse state counts; between equals the larger distance, and any distance before none.
fn is_worse(one: (CellState, Half), other: (CellState, Half)) -> bool {
    let distance = |half: Half| match half {
        Half::Absent => (0, 0),
        Half::Unread => (1, 0),
        Half::Behind(minors) => (2, minors.abs()),
    };
    one.0 < other.0 || (one.0 == other.0 && distance(one.1) > distance(other.1))
}
