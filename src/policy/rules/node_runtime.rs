//! `node-runtime/<kind>`: a container runtime that the kubelet drops on the way to the target.

use std::collections::{BTreeMap, BTreeSet};

use super::distance;
use super::rule::{About, Allows, Context, Rule};
use crate::inventory::Node;
use crate::policy::evidence::{Evidence, Runtime};
use crate::policy::runtimes::{ENDS, ends_before};
use crate::policy::verdict::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    name: "node-runtime/<kind>",
    component: None,
    severities: &[Severity::Info],
    about: About::Target,
    what: "Nodes whose container runtime ends at a kubelet minor that is on the way to the target.",
    why: "The control plane can be upgraded without these nodes, but their kubelets cannot follow: from that minor on a \
          kubelet does not start on the runtime that the node has.",
    allows: Allows::InWords(
        "Kubelet 1.24 has no dockershim; 1.26 needs CRI v1 (containerd 1.6); 1.38 is planned to need the \
         RuntimeConfig call (containerd 2.0, CRI-O 1.28). The cgroup version, which matters from 1.35 on, cannot be \
         seen through the API.",
    ),
    remedy: "Give these nodes the newer runtime when, or before, their kubelets reach that minor.",
    source: "https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
    judge: |_, context| {
        let runtimes = judge(context).into_iter();
        runtimes
            .map(|runtime| (Severity::Info, Evidence::Runtime(runtime)))
            .collect()
    },
};

fn judge(context: &Context<'_>) -> Vec<Runtime> {
    let Some(target) = context.target else {
        return Vec::new();
    };
    let mut met: Vec<Vec<&Node>> = vec![Vec::new(); ENDS.len()];
    for node in context.judged_nodes() {
        for end in ends_before(node, target) {
            if let Some(index) = ENDS.iter().position(|other| other == end) {
                met[index].push(node);
            }
        }
    }
    let mut kinds: BTreeMap<&'static str, Runtime> = BTreeMap::new();
    for (end, nodes) in ENDS.iter().zip(met).filter(|(_, nodes)| !nodes.is_empty()) {
        let runtime = kinds.entry(end.kind).or_insert_with(|| Runtime {
            kind: end.kind,
            ends: Vec::new(),
            versions: Vec::new(),
        });
        let names = distance::sorted(nodes.iter().map(|node| node.name.as_str()));
        runtime.ends.push((end, names));
        let versions = nodes.iter().filter_map(|node| node.runtime.as_deref());
        let known = runtime.versions.iter().map(String::as_str);
        let versions: BTreeSet<&str> = versions.chain(known).collect();
        runtime.versions = versions.into_iter().map(str::to_owned).collect();
    }
    kinds.into_values().collect()
}
