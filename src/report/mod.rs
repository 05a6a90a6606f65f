//! The one value that every front end shows. Severity, gate and verdict are settled in it, so that no two
//! formats can disagree; a renderer takes its fields by name and judges nothing. [`assemble`] puts it together.

mod assemble;

pub use assemble::{ReportParts, assemble};

use crate::inventory::component::Component;
use crate::inventory::gap::Gap;
use crate::inventory::platform::Detected;
use crate::inventory::version::Minor;
use crate::plan::steps::{NoPlan, Plan};
use crate::policy::finding::{CellState, Finding, Severity, Verdict};

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
    pub findings: Vec<Finding>,
    /// What was not assessed: required first.
    pub not_assessed: Vec<Gap>,
    /// Kubelets below the target minor.
    pub lagging_kubelets: Vec<LaggingKubelet>,
    /// What the report assumes to be so.
    pub assumed: Vec<Assumed>,
    /// What the user took out of the judgement.
    pub excluded: Vec<Excluded>,
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
    /// Object → file and line, for the formats that point at a place.
    pub places: Vec<Place>,
}

/// Where an object stands in the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// `node/NAME`, or `pod/NAMESPACE/NAME` where the pod tells its namespace.
    pub object: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
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

/// The target as it was asked for, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAsked {
    /// `1.37`, or `1.36.5` for a patch; the words `next` and `+2` where they could not be resolved.
    pub text: String,
    /// What kind of move it is.
    pub kind: TargetKind,
}

/// What a target asks of the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// To move to that minor.
    Hop(Minor),
    /// To take a patch of the minor it runs.
    Patch,
    /// Nothing that can be judged: the gap says why.
    Refused,
}

/// Whether a pipeline may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The threshold; `None` is `never`.
    pub fail_on: Option<Severity>,
    /// Required gaps do not fail it.
    pub allow_incomplete: bool,
    /// Whether it passed.
    pub passed: bool,
    /// 0 or 2.
    pub exit_code: u8,
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
    pub out_today: bool,
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

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says.
    pub state: CellState,
    /// How far the kubelet is behind the newest apiserver there; negative where it is newer, `None` where unread.
    pub kubelet: Option<i32>,
    /// The same of the kube-proxy that is furthest behind (or newest, where that is worse).
    pub kube_proxy: Half,
    /// Keys of the findings that make it so, sorted.
    pub reasons: Vec<String>,
}

/// One half of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// There is none: no kube-proxy on the node.
    Absent,
    /// It is there and unread.
    Unread,
    /// So many minors behind the newest apiserver.
    Behind(i32),
}

/// A hop of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathHop {
    /// The minor before it.
    pub from: Minor,
    /// The minor it reaches.
    pub to: Minor,
    /// What `--target` of that minor would say, with the nodes as they are today.
    pub verdict: Verdict,
    /// Findings that hold there and did not before.
    pub added: Vec<String>,
    /// Findings that held before and no longer do.
    pub resolved: Vec<String>,
    /// How many findings are carried over.
    pub carried: usize,
    /// The nodes that must move first, sorted by name.
    pub move_first: Vec<String>,
}

/// A kubelet below the target minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaggingKubelet {
    /// Its node.
    pub node: String,
    /// Its version, raw.
    pub version: String,
}

/// Something that the report assumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// What `--assume` said before the `=`.
    pub selector: String,
    /// The minor.
    pub minor: Minor,
    /// The nodes that it matched, sorted by name.
    pub nodes: Vec<String>,
}

/// Nodes that the user took out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// What `--exclude` said.
    pub selector: String,
    /// The nodes that it matched, sorted by name.
    pub nodes: Vec<String>,
}
