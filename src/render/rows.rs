//! Which rows of the matrix are shown, in which order and in which groups, and what their cells say in words.
//! The rows shown never change what was judged.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{GroupBy, SortBy, Style, sentences};
use crate::inventory::version::{Minor, Version};
use crate::report::{Cell, CellState, Half, NodeRow, ProxyRow, Report};

/// The rows shown.
pub(super) struct Shown<'a> {
    /// With a heading each where a grouping was asked for.
    pub(super) groups: Vec<Group<'a>>,
    /// How many rows that is.
    pub(super) count: usize,
    /// How many nodes the report has.
    pub(super) total: usize,
}

/// Rows under one heading.
pub(super) struct Group<'a> {
    /// What they have in common.
    pub(super) heading: Option<String>,
    /// The rows.
    pub(super) rows: Vec<&'a NodeRow>,
}

impl<'a> Shown<'a> {
    /// What the style chooses of a report.
    pub(super) fn new(report: &'a Report, style: &Style) -> Self {
        let mut rows: Vec<&NodeRow> = report
            .nodes
            .iter()
            .filter(|row| {
                style
                    .selector
                    .as_ref()
                    .is_none_or(|selector| selector.matches(&row.labels))
            })
            .filter(|row| !style.only_problems || row.is_problem)
            .collect();
        match style.sort_by {
            None => {}
            Some(SortBy::Name) => rows.sort_by_key(|row| &row.name),
            Some(SortBy::Pool) => rows.sort_by_key(|row| (row.pool.is_none(), &row.pool)),
            Some(SortBy::Version) => rows.sort_by_cached_key(|row| {
                let raw = row.kubelet.version.as_deref();
                let release = raw.and_then(|raw| raw.parse::<Version>().ok());
                (release.map(|version| version.release().clone()), raw)
            }),
            Some(SortBy::GoodUntil) => rows.sort_by_key(|row| row.good_until),
        }
        Self {
            count: rows.len(),
            total: report.nodes.len(),
            groups: grouped(rows, style.group_by),
        }
    }

    /// All rows, group after group.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a NodeRow> + '_ {
        self.groups.iter().flat_map(|group| group.rows.iter().copied())
    }

    /// "12 of 5,000 nodes shown", where some are not.
    pub(super) fn partial(&self) -> Option<String> {
        (self.count < self.total).then(|| {
            format!(
                "{} of {} shown",
                sentences::thousands(self.count),
                sentences::count(self.total, "node")
            )
        })
    }
}

fn grouped(rows: Vec<&NodeRow>, by: Option<GroupBy>) -> Vec<Group<'_>> {
    let Some(by) = by else {
        return vec![Group { heading: None, rows }];
    };
    // `None` sorts first and reads last: what has no such property is the remainder.
    let key = |row: &NodeRow| -> (bool, Option<Minor>, Option<String>) {
        let (minor, text) = match by {
            GroupBy::Pool => (None, row.pool.clone()),
            GroupBy::Zone => (None, row.zone.clone()),
            GroupBy::Version => (
                row.kubelet.minor,
                row.kubelet.minor.map(|minor| minor.to_string()),
            ),
        };
        (text.is_none(), minor, text)
    };
    let keys: BTreeSet<_> = rows.iter().map(|row| key(row)).collect();
    keys.into_iter()
        .map(|wanted| {
            let members: Vec<&NodeRow> = rows.iter().copied().filter(|row| key(row) == wanted).collect();
            let name = match (by, wanted.2) {
                (GroupBy::Pool, Some(pool)) => format!("pool {pool}"),
                (GroupBy::Zone, Some(zone)) => format!("zone {zone}"),
                (GroupBy::Version, Some(minor)) => format!("kubelet {minor}"),
                (GroupBy::Pool, None) => "no pool".to_owned(),
                (GroupBy::Zone, None) => "no zone".to_owned(),
                (GroupBy::Version, None) => "kubelet unread".to_owned(),
            };
            Group {
                heading: Some(format!("{name} · {}", sentences::count(members.len(), "node"))),
                rows: members,
            }
        })
        .collect()
}

/// Whether the policy judges it.
pub(super) fn is_judged(row: &NodeRow) -> bool {
    !row.is_virtual && !row.excluded
}

/// `Ready`, `NotReady`, `cordoned`, `virtual`, `excluded`; `Unknown` without a Ready condition, as kubectl has it.
pub(super) fn status(row: &NodeRow) -> &'static str {
    match row {
        NodeRow { is_virtual: true, .. } => "virtual",
        NodeRow { excluded: true, .. } => "excluded",
        NodeRow {
            ready: Some(false),
            cordoned: true,
            ..
        } => "NotReady,cordoned",
        NodeRow {
            ready: Some(false), ..
        } => "NotReady",
        NodeRow { cordoned: true, .. } => "cordoned",
        NodeRow { ready: None, .. } => "Unknown",
        _ => "Ready",
    }
}

/// The kubelet's version.
pub(super) fn kubelet(row: &NodeRow) -> &str {
    row.kubelet.version.as_deref().map_or("?", sentences::version)
}

/// The kube-proxies' versions: `-` for none, `?` where unread.
pub(super) fn kube_proxy(row: &NodeRow) -> Cow<'_, str> {
    let version = |proxy: &'_ ProxyRow| {
        proxy
            .version
            .clone()
            .map_or_else(|| "?".to_owned(), |raw| sentences::version(&raw).to_owned())
    };
    match row.kube_proxy.as_slice() {
        [] => Cow::Borrowed("-"),
        proxies => {
            let versions: BTreeSet<String> = proxies.iter().map(version).collect();
            Cow::Owned(versions.into_iter().collect::<Vec<_>>().join(","))
        }
    }
}

/// How far the pair is apart.
pub(super) fn pair(row: &NodeRow) -> String {
    row.pair_distance
        .map_or_else(|| "-".to_owned(), |distance| distance.to_string())
}

/// The highest control-plane minor that it may still see.
pub(super) fn good_until(row: &NodeRow) -> String {
    match row.good_until {
        _ if !is_judged(row) => "not judged".to_owned(),
        None => "?".to_owned(),
        Some(_) if row.is_out_today => "out today".to_owned(),
        Some(minor) if row.half_unread => format!("≤{minor}"),
        Some(minor) => minor.to_string(),
    }
}

/// How far kubelet and kube-proxy are behind: `3/4`, `1/-`, `?/2`; nothing where not judged.
pub(super) fn distances(cell: &Cell) -> Option<String> {
    if cell.state == CellState::NotJudged {
        return None;
    }
    let kubelet = cell
        .kubelet
        .map_or_else(|| "?".to_owned(), |minors| minors.to_string());
    let kube_proxy = match cell.kube_proxy {
        Half::Absent => "-".to_owned(),
        Half::Unread => "?".to_owned(),
        Half::Behind(minors) => minors.to_string(),
    };
    Some(format!("{kubelet}/{kube_proxy}"))
}

/// The sign of a state.
pub(super) const fn sign(state: CellState) -> &'static str {
    match state {
        CellState::Ok => "✓",
        CellState::AtLimit => "!",
        CellState::Behind => "✗",
        CellState::Newer => "▲",
        CellState::Unknown => "?",
        CellState::NotJudged => "·",
    }
}

/// The word of a state, where signs cannot be shown or heard.
pub(super) const fn word(state: CellState) -> &'static str {
    match state {
        CellState::Ok => "ok",
        CellState::AtLimit => "limit",
        CellState::Behind => "FAIL",
        CellState::Newer => "NEWER",
        CellState::Unknown => "unknown",
        CellState::NotJudged => "not judged",
    }
}

/// Every state, the worst first.
pub(super) const STATES: [CellState; 6] = [
    CellState::Behind,
    CellState::Newer,
    CellState::Unknown,
    CellState::AtLimit,
    CellState::Ok,
    CellState::NotJudged,
];

/// What a state means.
pub(super) const fn meaning(state: CellState) -> &'static str {
    match state {
        CellState::Behind => "too far behind",
        CellState::Newer => "newer than an apiserver",
        CellState::Unknown => "not assessed",
        CellState::AtLimit => "at the limit",
        CellState::Ok => "within the policy",
        CellState::NotJudged => "not judged",
    }
}

/// The heading of the column for today: "1.36–1.37 now".
pub(super) fn now_heading(report: &Report) -> String {
    let span = sentences::span(report.control_plane.oldest, report.control_plane.newest);
    span.map_or_else(|| "now".to_owned(), |span| format!("{span} now"))
}
