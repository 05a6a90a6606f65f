//! How to see that a step is done: one line for a shell, of `kubectl skew -o json` and `jq`, that ends with 0 once
//! the step is done and with another code before. It asks for what runs, not for who moved it, so that it holds after
//! the steps that follow, too.

use std::collections::{BTreeMap, BTreeSet};

use crate::inventory::component::Component;
use crate::inventory::version::Minor;
use crate::plan::steps::{Step, StepKind};
use crate::report::{NodeRow, Report};

/// What each node's kubelet runs while the steps are gone through.
pub(super) struct Progress<'a> {
    report: &'a Report,
    kubelets: BTreeMap<&'a str, Minor>,
}

impl<'a> Progress<'a> {
    /// Before the first step.
    pub(super) fn new(report: &'a Report) -> Self {
        let minor = |row: &'a NodeRow| Some((row.name.as_str(), row.kubelet.minor?));
        Self {
            report,
            kubelets: report.nodes.iter().filter_map(minor).collect(),
        }
    }

    /// The line that shows that `step` is done; later calls take it as done.
    pub(super) fn check(&mut self, step: &'a Step) -> String {
        let to = step.to;
        let claims = match step.kind {
            StepKind::Hop | StepKind::Emulation => {
                let mut claims = vec![control_plane(None, to)];
                claims.extend(self.kubelets_at_least(step));
                claims.extend(
                    step.workload
                        .iter()
                        .filter_map(|workload| kube_proxies(workload, to)),
                );
                claims
            }
            StepKind::ControlPlane => vec![control_plane(step.component, to)],
            StepKind::Kubelets => {
                let proxies = self.static_kube_proxies(step);
                let mut claims = self.kubelets_at_least(step);
                claims.extend(proxies);
                claims
            }
            StepKind::KubeProxy => step
                .workload
                .iter()
                .filter_map(|workload| kube_proxies(workload, to))
                .collect(),
        };
        let program = format!("def n: split(\".\")[1] | tonumber; {}", claims.join(" and "));
        let program = shlex::try_quote(&program).unwrap_or_default();
        let flags = &self.report.source.kubectl_flags;
        format!("kubectl skew{flags} -o json | jq -e {program} >/dev/null")
    }

    /// Where a kubelet is at the minor before the step, only the static kube-proxy beside it shows that it was done.
    fn static_kube_proxies(&self, step: &Step) -> Option<String> {
        let is_there = |name: &&String| {
            let kubelet = self.kubelets.get(name.as_str());
            kubelet.is_some_and(|minor| *minor >= step.to)
        };
        let names: Vec<String> = step
            .kube_proxy_of
            .iter()
            .filter(is_there)
            .map(|name| json(name))
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "([.nodes[] | select(.name | IN({})) | .kubeProxy[].minor | values | n >= {}] | all)",
                names.join(", "),
                step.to.number()
            )
        })
    }

    /// Of each pool no more nodes are below the minor than the step leaves there; of nodes without a pool none.
    fn kubelets_at_least(&mut self, step: &'a Step) -> Vec<String> {
        let moved: BTreeSet<&str> = step.nodes.iter().map(String::as_str).collect();
        for name in &moved {
            if let Some(minor) = self.kubelets.get_mut(name) {
                *minor = step.to.max(*minor);
            }
        }
        let rows = || {
            self.report
                .nodes
                .iter()
                .filter(|row| !row.is_virtual && !row.excluded)
        };
        let moved_rows = || rows().filter(|row| moved.contains(row.name.as_str()));
        let pools: BTreeSet<&str> = moved_rows().filter_map(|row| row.pool.as_deref()).collect();
        let mut claims: Vec<String> = pools
            .into_iter()
            .map(|pool| {
                let of_pool = rows().filter(|row| row.pool.as_deref() == Some(pool));
                let is_below = |row: &&NodeRow| {
                    self.kubelets
                        .get(row.name.as_str())
                        .is_some_and(|minor| *minor < step.to)
                };
                let left = of_pool.filter(is_below).count();
                below(&format!(".pool == {}", json(pool)), step.to, left)
            })
            .collect();
        let alone = moved_rows()
            .filter(|row| row.pool.is_none())
            .map(|row| json(&row.name));
        let alone: Vec<String> = alone.collect();
        if !alone.is_empty() {
            claims.push(below(&format!(".name | IN({})", alone.join(", ")), step.to, 0));
        }
        claims
    }
}

/// No more than `left` of the nodes that `which` selects have a kubelet below `minor`.
fn below(which: &str, minor: Minor, left: usize) -> String {
    let judged = "(.virtual or .excluded) | not";
    let number = minor.number();
    format!(
        "([.nodes[] | select({judged}) | select({which}) | .kubelet.minor | values | select(n < {number})] | length <= {left})"
    )
}

/// All judged instances, of one component or of all, run `minor` or newer; of all, there is one.
fn control_plane(component: Option<Component>, minor: Minor) -> String {
    let which = component.map_or_else(String::new, |component| {
        format!(" | select(.component == {})", json(component.name()))
    });
    format!(
        "([.controlPlane.instances[] | select(.judged){which} | (.emulatedMinor // .minor) | n >= {}] | length > 0 and all)",
        minor.number()
    )
}

/// All pods of a kube-proxy workload ("DaemonSet NAME") run `minor` or newer.
fn kube_proxies(workload: &str, minor: Minor) -> Option<String> {
    let (_, name) = workload.split_once(' ')?;
    let pattern = json(&format!("^{}-[a-z0-9]{{5}}$", name.replace('.', "\\.")));
    Some(format!(
        "([(.nodes[].kubeProxy[], .strayKubeProxies[]) | select(.pod | test({pattern})) | .minor | values | n >= {}] | all)",
        minor.number()
    ))
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
