//! The objects of all inputs while they are read.

use jiff::Timestamp;

use super::kind::{self, Kind, Seen, kind_of};
use crate::collect::dump::DumpRequest;
use crate::collect::dump::copies::Copies;
use crate::collect::dump::error::{At, DumpError, Escaped};
use crate::collect::save::Saved;
use crate::collect::wire::json::{self, ItemError, ListHead, Parts, SeenPod};
use crate::inventory::observed::{ObservedLease, ObservedNode, ObservedOperator, ObservedPod, VersionAnswer};
use crate::inventory::read_gap::{CutSign, FilePlace, Malformed, ReadGap, Sample, UnreadableObject};

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
    /// Items that show no kind.
    shapeless: Sample<UnreadableObject>,
    /// Items that cannot be read, by the kind that they show.
    broken: [Sample<UnreadableObject>; 4],
    pub(super) elsewhere: usize,
    passed_over: usize,
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
    pub(super) warnings: Vec<String>,
    /// How much of what is read has been met so far; a file that adds nothing holds nothing.
    useful: usize,
    /// How many Nodes and Pods have been met so far.
    pub(super) shown: usize,
    /// What the Pods before the newest told, of the same text.
    before: PodCompleteness,
    /// The newest Pod of the same text, and the newest object where that is one.
    newest: PodCompleteness,
    last: Option<PodCompleteness>,
}

impl<'q> ObjectCollector<'q> {
    pub(in crate::collect::dump) fn new(request: &'q DumpRequest) -> Self {
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
            warnings: Vec::new(),
            useful: 0,
            shown: 0,
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

    pub(in crate::collect::dump) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// A text begins: the objects after this are compared with one another alone.
    pub(in crate::collect::dump) fn text_begins(&mut self) {
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

    fn version(&mut self, text: &str, at: At) -> Result<(), DumpError> {
        match json::version(text) {
            Ok(Some(answer)) => self.take(Seen::Version(answer), at),
            Ok(None) => Ok(()),
            Err(error) => Err(DumpError::Syntax {
                expected: "a serverVersion whose fields are strings".to_owned(),
                found: reason(&error),
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
            _ => {}
        }
        let is_settled = parts.kind.is_some() || type_meta.kind.is_some();
        match seen {
            seen if is_settled => self.take(seen, at)?,
            Seen::Pod(SeenPod::Elsewhere) => undecided.elsewhere += 1,
            Seen::Pod(SeenPod::PassedOver) => undecided.passed_over += 1,
            Seen::Other => {}
            Seen::Shapeless => undecided.shapeless.add(|| UnreadableObject {
                namespace: None,
                name: None,
                malformed: Malformed::NoKind,
                at: Some(at.place()),
            }),
            Seen::Broken(kind, error) => undecided.broken[kind as usize].add(|| unreadable(error, &at)),
            seen => undecided.seen.push((seen, at)),
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
            self.met[of as usize] = true;
            self.useful += 1;
        }
        self.elsewhere += undecided.elsewhere;
        self.passed_over += undecided.passed_over;
        let dropped = undecided.elsewhere + undecided.passed_over;
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
            self.saved = Some((saved, at.clone()));
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
        self.gaps.push(ReadGap::FileMayBeCut {
            at: Some(at.place()),
            sign,
        });
    }

    fn take(&mut self, seen: Seen, at: At) -> Result<(), DumpError> {
        let kind = match &seen {
            Seen::Node(_) => Some(Kind::Node),
            Seen::Pod(_) => Some(Kind::Pod),
            Seen::Lease(_) => Some(Kind::Lease),
            Seen::Operator(_) => Some(Kind::Operator),
            Seen::Version(_) | Seen::Refusal(_) | Seen::Broken(..) => None,
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
                self.nodes.add(seen.node, at)?;
            }
            Seen::Pod(SeenPod::Elsewhere) => self.elsewhere += 1,
            Seen::Pod(SeenPod::PassedOver) => self.passed_over += 1,
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
                if !self.versions.iter().any(|(known, _)| *known == answer) {
                    self.versions.push((answer, at));
                }
            }
            Seen::Refusal(message) => {
                self.warn(format!("{at}: an API server's refusal: {}", Escaped(&message)));
            }
            Seen::Broken(kind, error) => {
                let mut objects = Sample::default();
                objects.add(|| unreadable(error, &at));
                self.broken(kind, objects);
            }
            Seen::Other | Seen::Shapeless => {}
        }
        Ok(())
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

fn unreadable(error: ItemError, at: &At) -> UnreadableObject {
    let (namespace, name) = error.full_name();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    UnreadableObject {
        namespace: owned(namespace),
        name: owned(name),
        malformed: Malformed::from(error),
        at: Some(at.place()),
    }
}
/// An error with its sources in one line.
fn reason(error: &ItemError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
