//! The pools and the counts of the whole report, as the output holds them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Text, ToText, output, text};
use crate::inventory::version::Minor;
use crate::render::sentences;
use crate::report::{self, PoolRow, Report};

output! {
    /// The report in numbers.
    struct Summary {
        /// The verdict line.
        text: Text,
        /// All nodes listed.
        nodes: usize,
        /// Those that the policy judges.
        judged: usize,
        /// Nodes out of policy today.
        out_today: usize,
        /// Nodes whose kubelet must be upgraded before the control plane reaches the target.
        move_first: usize,
        /// Nodes of which only the kube-proxy must be.
        move_first_proxy_only: usize,
        /// How many gaps `notAssessed` has.
        not_assessed: usize,
    }

    /// The nodes of one pool.
    struct Pool {
        /// Its name; null for the nodes without a pool.
        name: Option<Text>,
        /// Its nodes.
        nodes: usize,
        /// Those that the policy judges.
        judged: usize,
        /// Those that are Ready.
        ready: usize,
        /// Those that are cordoned.
        cordoned: usize,
        /// Its judged nodes by the minor of the kubelet.
        kubelets: Vec<AtMinor>,
        /// Its judged nodes by the minor of the kube-proxy.
        kube_proxies: Vec<AtMinor>,
        /// The worst state of its nodes today.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        now: &'static str,
        /// The worst state of its nodes at each minor of the path, or of the preview without a target.
        hops: Vec<PoolCell>,
        /// The highest control-plane minor that all of its nodes may still see; null where that is not known.
        good_until: Option<Text>,
        /// The numbers of the plan's steps that move its nodes.
        steps: Vec<usize>,
    }

    /// How many nodes run one minor.
    struct AtMinor {
        /// The minor; null where it was not read.
        minor: Option<Text>,
        /// How many.
        nodes: usize,
    }

    /// A pool with all apiservers at one minor.
    struct PoolCell {
        /// The minor.
        minor: Text,
        /// The worst state of its nodes.
        #[schemars(extend("enum" = ["ok", "atLimit", "behind", "newer", "unknown", "notJudged"]))]
        state: &'static str,
    }
}

impl Summary {
    pub(super) fn of(report: &Report) -> Self {
        let report::Summary {
            nodes,
            judged,
            out_today,
            move_first,
            move_first_proxy_only,
            not_assessed,
        } = report.summary();
        Self {
            text: sentences::verdict(report).to_text(),
            nodes,
            judged,
            out_today,
            move_first,
            move_first_proxy_only,
            not_assessed,
        }
    }
}

impl Pool {
    pub(super) fn new(pool: &PoolRow, columns: &[Minor]) -> Self {
        let PoolRow {
            name,
            nodes,
            judged,
            ready,
            cordoned,
            kubelets,
            kube_proxies,
            now,
            hops,
            good_until,
            steps,
        } = pool;
        Self {
            name: name.to_text(),
            nodes: *nodes,
            judged: *judged,
            ready: *ready,
            cordoned: *cordoned,
            kubelets: by_minor(kubelets),
            kube_proxies: by_minor(kube_proxies),
            now: now.name(),
            hops: columns
                .iter()
                .zip(hops)
                .map(|(minor, state)| PoolCell {
                    minor: text(*minor),
                    state: state.name(),
                })
                .collect(),
            good_until: good_until.map(text),
            steps: steps.clone(),
        }
    }
}

fn by_minor(nodes: &BTreeMap<Option<Minor>, usize>) -> Vec<AtMinor> {
    let nodes = nodes.iter();
    nodes
        .map(|(minor, nodes)| AtMinor {
            minor: minor.map(text),
            nodes: *nodes,
        })
        .collect()
}
