//! The one value that every front end shows. Severity, gate, verdict and what counts as a problem are settled in it, so
//! that no two formats can disagree; a renderer takes its fields by name and judges nothing. [`assemble`] puts it
//! together, `mending` finds the steps of the plan that mend a finding, `pools` and `summary` count
//! what it holds.

mod assemble;
mod mending;
mod pools;
mod summary;

pub use assemble::{ReportParts, assemble};
pub use pools::PoolRow;
pub use summary::Summary;

// Everything that a report holds is named from here, so that a front end need not know which stage made it.
pub use crate::collect::location::Location;
pub use crate::inventory::assumption::{Assumed, Excluded};
pub use crate::plan::path::PathHop;
pub use crate::policy::assessment::LaggingKubelet;
pub use crate::policy::cell::{Cell, CellState, Half};
pub use crate::policy::evidence::Evidence;
pub use crate::policy::gate::Gate;
pub use crate::policy::target::{TargetAsked, TargetKind};
pub use crate::policy::verdict::{Severity, Verdict};

use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::inventory::platform::Detected;
use crate::inventory::version::Minor;
use crate::plan::steps::{NoPlan, Plan};
use crate::policy::rules::Rule;

/// A judgement of one cluster, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Where it comes from.
    pub source: Source,
    /// The policy in force.
    pub policy: PolicyInForce,
    /// The platform that moves the control plane.
    pub platform: Option<Detected>,
    /// What `/version` says, raw.
    pub server_version: Option<String>,
    /// The target asked for.
    pub target: Option<TargetAsked>,
    /// Whether the control plane may move.
    pub verdict: Verdict,
    /// Whether today's state is within the policy; `None` where that was not assessed.
    pub in_policy: Option<bool>,
    /// What is out of policy today.
    pub out_today: OutToday,
    /// Whether a pipeline may go on.
    pub gate: Gate,
    /// The control plane.
    pub control_plane: ControlPlane,
    /// The local kubectl.
    pub kubectl: Option<ReadVersion>,
    /// The minors that the matrix has columns for: those of the path, or of the preview without a target.
    pub columns: Vec<Minor>,
    /// A row a node: worst first, then pool, then name.
    pub nodes: Vec<NodeRow>,
    /// kube-proxies on nodes that are not listed, or that name no node; sorted by pod.
    pub stray_kube_proxies: Vec<StrayProxy>,
    /// The upgrade path: a row a hop.
    pub path: Vec<PathHop>,
    /// The plan; `None` without a target that is a hop, and where too little was read.
    pub plan: Option<Plan>,
    /// Why there is no plan, where a target asks for one.
    pub no_plan: Option<NoPlan>,
    /// The findings: blockers first, then by key.
    pub findings: Vec<FindingRow>,
    /// What was not assessed: required first.
    pub not_assessed: Vec<Gap>,
    /// Kubelets below the target minor.
    pub lagging_kubelets: Vec<LaggingKubelet>,
    /// What the report assumes to be so.
    pub assumed: Vec<Assumed>,
    /// What the user took out of the judgement.
    pub excluded: Vec<Excluded>,
}

/// What the warnings and blockers about today name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutToday {
    /// Nodes, by their kubelets and kube-proxies, sorted.
    pub nodes: Vec<String>,
    /// Components that are not a node's, in the order of an upgrade.
    pub components: Vec<Component>,
}

/// A finding, with everything that follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// The rule.
    pub rule: &'static Rule,
    /// The stable key.
    pub key: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What it rests on: the sentences are written from it.
    pub evidence: Evidence,
    /// Every node concerned, sorted by name.
    pub nodes: Vec<String>,
    /// The pools of those nodes, sorted by name.
    pub pools: Vec<String>,
    /// Every version concerned, raw, by release.
    pub versions: Vec<String>,
    /// How many minors are allowed, where a limit is broken.
    pub limit: Option<u16>,
    /// How many upstream allows.
    pub upstream_limit: Option<u16>,
    /// The numbers of the plan's steps that mend it.
    pub steps: Vec<usize>,
    /// Where it is written.
    pub citations: Vec<String>,
    /// Whether it fails the gate.
    pub fails_gate: bool,
}

/// Where a report comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Live or files.
    pub mode: Mode,
    /// The kubeconfig context.
    pub context: Option<String>,
    /// The API server: scheme, host and port only.
    pub api_server: Option<String>,
    /// The flags that lead kubectl to the same cluster, quoted for a shell, each behind a blank.
    pub kubectl_flags: String,
    /// The inputs as they were named on the command line, sorted, each with the place of its objects.
    pub files: Vec<String>,
    /// Inputs of a directory or archive that hold no Kubernetes object.
    pub skipped: usize,
    /// When the objects were taken, RFC 3339, where that can be told.
    pub captured_at: Option<String>,
    /// How long before now that was, in seconds.
    pub age_seconds: Option<i64>,
    /// Where each object was found, for the formats that point at a place.
    pub locations: Vec<Location>,
}

/// What was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A live cluster.
    Live,
    /// Files.
    Files,
    /// The cluster built into the binary.
    Example,
}

/// The policy that judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInForce {
    /// Its name, as `--policy` takes it.
    pub name: String,
    /// Its source.
    pub source: String,
    /// What it was detected from; `None` where it was asked for or is the default.
    pub detected_from: Option<String>,
}

/// The control plane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlPlane {
    /// The oldest effective apiserver minor.
    pub oldest: Option<Minor>,
    /// The newest effective apiserver minor.
    pub newest: Option<Minor>,
    /// How many apiservers hold a live Lease.
    pub running: Option<usize>,
    /// The highest reported minCompatibility.
    pub min_compatibility: Option<Minor>,
    /// "3 live, 3 answers, all 1.36.4", where several apiservers live and were asked.
    pub answers: Option<String>,
    /// Its instances.
    pub instances: Vec<InstanceRow>,
}

/// One instance of the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    /// The component.
    pub component: Component,
    /// Its name.
    pub name: String,
    /// Its node.
    pub node: Option<String>,
    /// Its version, raw.
    pub version: Option<String>,
    /// Its binary's minor.
    pub minor: Option<Minor>,
    /// The minor it emulates.
    pub emulated_minor: Option<Minor>,
    /// What told it: `version`, `pod`, `serverNode` …
    pub from: &'static str,
    /// Its image.
    pub image: Option<String>,
    /// Whether the policy judges it.
    pub judged: bool,
}

/// A version as read, and its minor where it is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadVersion {
    /// Raw.
    pub version: Option<String>,
    /// Its minor.
    pub minor: Option<Minor>,
}

/// A row of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a claim of its own about the node, and renderers take them by name"
)]
pub struct NodeRow {
    /// The node.
    pub name: String,
    /// Its pool.
    pub pool: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// Its roles.
    pub roles: Vec<String>,
    /// Ready; `None` where it has no such condition.
    pub ready: Option<bool>,
    /// Cordoned.
    pub cordoned: bool,
    /// Not a kubelet of this cluster.
    pub is_virtual: bool,
    /// Taken out by the user.
    pub excluded: bool,
    /// Its kubelet moves with its kube-apiserver.
    pub bound: bool,
    /// Its operating system.
    pub os: Option<String>,
    /// Its kubelet is below the target minor.
    pub lagging: bool,
    /// The rollout list does not name it and its kubelet is lagging.
    pub left_behind: bool,
    /// The wanted labels, for `-l`.
    pub labels: Vec<(String, String)>,
    /// Its kubelet.
    pub kubelet: ReadVersion,
    /// Its kube-proxies.
    pub kube_proxy: Vec<ProxyRow>,
    /// How far kubelet and kube-proxy are apart.
    pub pair_distance: Option<u16>,
    /// The highest control-plane minor that it may still see.
    pub good_until: Option<Minor>,
    /// `good_until` is below today's newest apiserver.
    pub is_out_today: bool,
    /// A finding that weighs or a gap names it, or a cell is out or unread.
    pub is_problem: bool,
    /// A half is unread, so that `good_until` is an upper bound.
    pub half_unread: bool,
    /// Today.
    pub now: Cell,
    /// A cell for each of [`Report::columns`].
    pub hops: Vec<Cell>,
}

/// A kube-proxy on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyRow {
    /// The pod.
    pub pod: String,
    /// Its version, raw.
    pub version: Option<String>,
    /// Its minor.
    pub minor: Option<Minor>,
    /// Its image.
    pub image: Option<String>,
}

/// A kube-proxy that belongs to no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayProxy {
    /// The pod and its version.
    pub proxy: ProxyRow,
    /// The node that it names.
    pub node: Option<String>,
}
