//! The objects of all inputs while they are read.

use jiff::Timestamp;

use super::clusters::Clusters;
use super::kind::{self, Kind, Seen, kind_of};
use crate::collect::dump::DumpRequest;
use crate::collect::dump::copies::Copies;
use crate::collect::dump::error::{At, DumpError, Escaped};
use crate::collect::dump::unpack::Unpacking;
use crate::collect::save::Saved;
use crate::collect::wire::SeenPod;
use crate::collect::wire::json::{self, ListHead, Parts};
use crate::inventory::observed::{ObservedLease, ObservedNode, ObservedOperator, ObservedPod, VersionAnswer};
use crate::inventory::read_gap::{CutSign, FilePlace, Malformed, ReadGap, Sample, UnreadableObject};

/// How many warnings are said.
const MAX_WARNINGS: usize = 20;
/// How many files that may have been cut are named.
const MAX_CUT_FILES: usize = 16;
/// How many different answers of `/version` are kept.
const MAX_VERSIONS: usize = 32;
/// How many bytes of objects are kept beside an eighth of what is read: some 17,000 Nodes with a kube-proxy each.
const MAX_KEPT: usize = 24 << 20;

/// The list that an object stands in, as far as it has told of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::collect::dump) struct TypeMeta {
    pub(in crate::collect::dump) kind: Option<String>,
    pub(in crate::collect::dump) api_version: Option<String>,
}

/// What a list without a kind so far held: whether it counts is told by the kind that comes.
#[derive(Debug, Default)]
pub(in crate::collect::dump) struct Undecided {
    seen: Vec<(Seen, At)>,
    /// How much memory they take, about.
    size: usize,
    /// Items that show no kind.
    shapeless: Sample<UnreadableObject>,
    /// Items that cannot be read, by the kind that they show.
    broken: [Sample<UnreadableObject>; 4],
    elsewhere: usize,
    /// Nodes and Pods that were written by hand, not taken from a cluster.
    manifests: usize,
    /// Nodes and Pods that the list holds, by their own kind or its.
    nodes: usize,
    pods: usize,
}

/// How far a Pod was told: what a text that was cut at the end of a line leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PodCompleteness {
    has_status: bool,
    has_phase: bool,
    /// An owner wanted it, and neither a node nor a status came: a cluster's Pod, told up to its containers.
    is_headless: bool,
}

/// The objects of all inputs.
pub(in crate::collect::dump) struct ObjectCollector<'q> {
    pub(super) request: &'q DumpRequest,
    pub(super) nodes: Copies<ObservedNode>,
    pub(super) pods: Copies<ObservedPod>,
    pub(super) leases: Copies<ObservedLease>,
    pub(super) operators: Copies<ObservedOperator>,
    /// Lists and objects of each kind that were met, be they empty or passed over.
    pub(super) met: [bool; 4],
    /// Pods of the namespaces that components run in, passed over.
    pub(super) passed_over: usize,
    /// Pods of other namespaces.
    pub(super) elsewhere: usize,
    pub(super) versions: Vec<(VersionAnswer, At)>,
    pub(super) saved: Option<(Saved, At)>,
    /// Objects of each kind that cannot be read.
    pub(super) broken: [Sample<UnreadableObject>; 4],
    /// Where a list of Nodes, and one of Pods, is one page of a longer one.
    pub(super) page_of_nodes: Option<FilePlace>,
    pub(super) page_of_pods: Option<FilePlace>,
    pub(super) gaps: Vec<ReadGap>,
    pub(super) captured_at: Option<Timestamp>,
    /// Nodes and Pods that no cluster has: how many, and the first.
    pub(super) manifests: usize,
    pub(super) first_manifest: Option<(String, At)>,
    pub(super) clusters: Clusters,
    unpacking: Unpacking,
    pub(super) warnings: Vec<String>,
    /// How much of what is read has been met so far; a file that adds nothing holds nothing.
    useful: usize,
    /// How many Nodes and Pods have been met so far.
    pub(super) shown: usize,
    /// How many had been met when the text began.
    shown_before: usize,
    /// What the Pods before the newest told, of the same text.
    before: PodCompleteness,
    /// The newest Pod of the same text, and the newest object where that is one.
    newest: PodCompleteness,
    last: Option<PodCompleteness>,
}

impl<'q> ObjectCollector<'q> {
    pub(in crate::collect::dump) fn new(request: &'q DumpRequest, unpacking: Unpacking) -> Self {
        Self {
            request,
            nodes: Copies::new("node"),
            pods: Copies::new("pod"),
            leases: Copies::new("lease"),
            operators: Copies::new("clusteroperator"),
            met: [false; 4],
            passed_over: 0,
            elsewhere: 0,
            versions: Vec::new(),
            saved: None,
            broken: Default::default(),
            page_of_nodes: None,
            page_of_pods: None,
            gaps: Vec::new(),
            captured_at: None,
            manifests: 0,
            first_manifest: None,
            clusters: Clusters::default(),
            unpacking,
            warnings: Vec::new(),
            useful: 0,
            shown: 0,
            shown_before: 0,
            before: PodCompleteness::default(),
            newest: PodCompleteness::default(),
            last: None,
        }
    }

    /// How much of what is read has been met so far.
    pub(in crate::collect::dump) fn useful(&self) -> usize {
        self.useful
    }

    /// How many Nodes and Pods have been met so far.
    pub(in crate::collect::dump) fn shown(&self) -> usize {
        self.shown
    }

    /// A text that broke had shown a Node or a Pod before it did.
    pub(in crate::collect::dump) fn had_shown(&mut self) {
        self.shown += 1;
    }

    /// Warns; of very many warnings only the first are said.
    pub(in crate::collect::dump) fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }

    /// A text begins: the objects after this are compared with one another alone.
    pub(in crate::collect::dump) fn text_begins(&mut self) {
        self.shown_before = self.shown;
        self.before = PodCompleteness::default();
        self.newest = PodCompleteness::default();
        self.last = None;
    }

    /// Whether the last object of the text says less than it would if it were whole: a sign that the text was cut.
    pub(in crate::collect::dump) fn last_says_less(&self) -> bool {
        self.last.is_some_and(|last| {
            last.is_headless
                || (self.before.has_status && !last.has_status)
                || (self.before.has_phase && !last.has_phase)
        })
    }

    /// Takes an object that stands alone.
    pub(in crate::collect::dump) fn alone(&mut self, parts: &Parts<'_>, at: At) -> Result<(), DumpError> {
        if parts.kind.is_none() {
            if let Some(text) = parts.server_version {
                return self.version(text.get(), at);
            }
            if let Some(text) = parts.info_version() {
                return self.version(text, at);
            }
            if parts.has_client_version {
                self.useful += 1;
                self.warn(format!(
                    "{at}: kubectl version tells no serverVersion: take it again with the cluster in reach, or give \
                     --server-version"
                ));
                return Ok(());
            }
        }
        let seen = kind::read(self.request, parts, &TypeMeta::default());
        self.take(seen, at)
    }

    /// Takes what `/version` answered, as `kubectl get --raw /version` writes it.
    pub(in crate::collect::dump) fn raw_version(&mut self, text: &str, at: At) -> Result<(), DumpError> {
        self.version(text, at)
    }

    /// Takes the server's version as `kubectl version` prints it.
    pub(in crate::collect::dump) fn server_version(
        &mut self,
        version: String,
        at: At,
    ) -> Result<(), DumpError> {
        let answer = VersionAnswer {
            git_version: version,
            ..VersionAnswer::default()
        };
        self.take(Seen::Version(answer), at)
    }

    fn version(&mut self, text: &str, at: At) -> Result<(), DumpError> {
        match json::version(text) {
            Ok(Some(answer)) => self.take(Seen::Version(answer), at),
            Ok(None) => Ok(()),
            Err(error) => Err(DumpError::Syntax {
                expected: "a serverVersion whose fields are strings".to_owned(),
                found: error.to_string(),
                at,
            }),
        }
    }

    /// Takes an object of a list.
    pub(in crate::collect::dump) fn item(
        &mut self,
        parts: &Parts<'_>,
        type_meta: &TypeMeta,
        undecided: &mut Undecided,
        at: At,
    ) -> Result<(), DumpError> {
        let seen = kind::read(self.request, parts, type_meta);
        match &seen {
            Seen::Node(_) | Seen::Broken(Kind::Node, _) => undecided.nodes += 1,
            Seen::Pod(_) | Seen::Broken(Kind::Pod, _) => undecided.pods += 1,
            Seen::Manifest(..) => undecided.manifests += 1,
            _ => {}
        }
        let is_settled = parts.kind.is_some() || type_meta.kind.is_some();
        match seen {
            seen if is_settled => self.take(seen, at)?,
            Seen::Pod(SeenPod::Elsewhere) => undecided.elsewhere += 1,
            Seen::Other => {}
            Seen::Shapeless => undecided.shapeless.add(|| UnreadableObject {
                namespace: None,
                name: None,
                malformed: Malformed::NoKind,
                at: Some(at.place()),
            }),
            Seen::Broken(kind, error) => undecided.broken[kind as usize].add(|| placed(*error, &at)),
            seen => {
                undecided.size += seen.size();
                undecided.seen.push((seen, at));
                self.check_size(undecided.size)?;
            }
        }
        Ok(())
    }

    /// The list is at its end: what waited for its kind is taken or passed over.
    pub(in crate::collect::dump) fn list_ends(
        &mut self,
        head: &ListHead,
        undecided: Undecided,
        saved: Option<Saved>,
        at: &At,
    ) -> Result<(), DumpError> {
        let kind = head.kind.as_deref().unwrap_or_default();
        let of = match kind.strip_suffix("List").unwrap_or(kind) {
            "" => None,
            other => match kind_of(other, head.api_version.as_deref()) {
                Some(of) => Some(of),
                // A list of something else: what its items looked like was chance.
                None => return Ok(()),
            },
        };
        if let Some(of) = of {
            // A list of manifests alone says nothing about what a cluster has.
            let is_observed = undecided.manifests == 0 || undecided.nodes + undecided.pods > 0;
            self.met[of as usize] |= is_observed;
            self.useful += 1;
        }
        self.elsewhere += undecided.elsewhere;
        let dropped = undecided.elsewhere;
        if dropped > 0 {
            self.met[Kind::Pod as usize] = true;
            self.useful += dropped;
            self.shown += dropped;
        }
        let (nodes, pods) = (undecided.nodes, undecided.pods);
        for (seen, at) in undecided.seen {
            self.take(seen, at)?;
        }
        for (kind, broken) in Kind::ALL.into_iter().zip(undecided.broken) {
            self.broken(kind, broken);
        }
        if let Some(kind) = of {
            self.broken(kind, undecided.shapeless);
        }
        if head.next.is_some() {
            self.page(of, nodes, pods, at);
        }
        if let Some(saved) = saved {
            self.useful += 1;
            match &self.saved {
                Some((first, first_at)) if *first != saved => {
                    return Err(DumpError::TwoSnapshots {
                        first: first_at.clone(),
                        second: at.clone(),
                    });
                }
                _ => self.saved = Some((saved, at.clone())),
            }
        }
        Ok(())
    }

    /// A list that says of itself that its rest is elsewhere.
    fn page(&mut self, of: Option<Kind>, nodes: usize, pods: usize, at: &At) {
        let unknown = of.is_none() && nodes == 0 && pods == 0;
        if of == Some(Kind::Node) || nodes > 0 || unknown {
            self.met[Kind::Node as usize] = true;
            self.page_of_nodes.get_or_insert_with(|| at.place());
        }
        if of == Some(Kind::Pod) || pods > 0 || unknown {
            self.met[Kind::Pod as usize] = true;
            self.page_of_pods.get_or_insert_with(|| at.place());
        }
    }

    /// A text whose end says that more of it was there.
    pub(in crate::collect::dump) fn may_be_cut(&mut self, sign: CutSign, at: &At) {
        // One is enough for the verdict, and a few for who takes the dump again.
        if self.gaps.len() < MAX_CUT_FILES {
            self.gaps.push(ReadGap::FileMayBeCut {
                at: Some(at.place()),
                sign,
            });
        }
    }

    fn take(&mut self, seen: Seen, at: At) -> Result<(), DumpError> {
        let kind = match &seen {
            Seen::Node(_) => Some(Kind::Node),
            Seen::Pod(_) => Some(Kind::Pod),
            Seen::Lease(_) => Some(Kind::Lease),
            Seen::Operator(_) => Some(Kind::Operator),
            Seen::Version(_)
            | Seen::Refusal(_)
            | Seen::Broken(..)
            | Seen::ClusterUid(_)
            | Seen::Manifest(..) => None,
            Seen::Other | Seen::Shapeless => return Ok(()),
        };
        if let Some(kind) = kind {
            self.met[kind as usize] = true;
            self.shown += usize::from(kind.is_judged());
        }
        self.useful += usize::from(!matches!(seen, Seen::Broken(..)));
        match seen {
            Seen::Node(seen) => {
                // What a Node that was cut no longer tells is a gap of its own.
                self.last = None;
                self.captured_at = self.captured_at.max(seen.heartbeat);
                self.clusters.node(&seen.node.meta.name, &at.file);
                self.nodes.add(seen.node, at)?;
            }
            Seen::Pod(SeenPod::Elsewhere) => self.elsewhere += 1,
            Seen::Pod(SeenPod::PassedOver(meta)) => {
                self.passed_over += 1;
                self.pods.pass_over(&meta, at)?;
            }
            Seen::Pod(SeenPod::Kept(pod)) => {
                self.told(PodCompleteness {
                    has_status: pod.has_status,
                    has_phase: pod.phase.is_some(),
                    is_headless: pod.meta.owner.is_some() && pod.node.is_none() && !pod.has_status,
                });
                self.pods.add(pod, at)?;
            }
            Seen::Lease(seen) => {
                self.captured_at = self.captured_at.max(seen.renewed);
                if let Some(lease) = seen.identity {
                    self.leases.add(lease, at)?;
                }
            }
            Seen::Operator(operator) => self.operators.add(operator, at)?,
            Seen::Version(answer) => {
                let is_known = self.versions.iter().any(|(known, _)| *known == answer);
                // Two are a gap already.
                if !is_known && self.versions.len() < MAX_VERSIONS {
                    self.versions.push((answer, at));
                }
            }
            Seen::Refusal(message) => {
                self.warn(format!("{at}: an API server's refusal: {}", Escaped(&message)));
            }
            Seen::ClusterUid(uid) => self.clusters.uid(uid, at),
            Seen::Manifest(kind, name) => {
                self.manifests += 1;
                self.first_manifest
                    .get_or_insert_with(|| (format!("{} {name}", kind.name()), at));
                // Behind what a cluster showed it may be an object that was cut.
                self.last = (self.shown > self.shown_before).then_some(PodCompleteness {
                    is_headless: true,
                    ..PodCompleteness::default()
                });
            }
            Seen::Broken(kind, error) => {
                let mut objects = Sample::default();
                objects.add(|| placed(*error, &at));
                self.broken(kind, objects);
            }
            Seen::Other | Seen::Shapeless => {}
        }
        self.check_size(0)
    }

    /// Refuses more objects than can be judged in bounded memory; `waiting` bytes wait for their list's end.
    fn check_size(&self, waiting: usize) -> Result<(), DumpError> {
        let kept =
            self.nodes.size() + self.pods.size() + self.leases.size() + self.operators.size() + waiting;
        // What a cluster writes of a Node or a Pod is far more than what is kept of it.
        let limit = MAX_KEPT + usize::try_from(self.unpacking.read() / 8).unwrap_or(usize::MAX);
        if kept <= limit {
            return Ok(());
        }
        Err(DumpError::TooMany {
            nodes: self.nodes.len(),
            pods: self.pods.len(),
            limit: limit >> 20,
        })
    }

    fn told(&mut self, told: PodCompleteness) {
        self.before.has_status |= self.newest.has_status;
        self.before.has_phase |= self.newest.has_phase;
        self.newest = told;
        self.last = Some(told);
    }

    fn broken(&mut self, kind: Kind, objects: Sample<UnreadableObject>) {
        let many = objects.total();
        if many > 0 {
            self.last = None;
            self.useful += many;
            self.met[kind as usize] = true;
            self.shown += if kind.is_judged() { many } else { 0 };
            self.broken[kind as usize].append(objects);
        }
    }
}

fn placed(object: UnreadableObject, at: &At) -> UnreadableObject {
    UnreadableObject {
        at: Some(at.place()),
        ..object
    }
}
