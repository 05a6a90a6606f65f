//! What becomes of the objects of a dump: kept, counted or passed over, and told once where they stand twice.
//! [`object`] tells what each is, [`finish`] makes [`Observed`] and its gaps of them at the end. Where the objects
//! come from is the readers' business.
//!
//! [`Observed`]: crate::inventory::observed::Observed

mod finish;
mod object;

use jiff::Timestamp;

use super::DumpRequest;
use super::error::{At, DumpError, Shown};
use super::once::Once;
use crate::collect::save::Saved;
use crate::collect::wire::json::{self, ItemError, ListHead, Parts, SeenPod};
use crate::inventory::observed::{ObservedLease, ObservedNode, ObservedOperator, ObservedPod, VersionAnswer};
use crate::inventory::read_gap::{CutSign, FilePlace, Malformed, ReadGap, Sample, UnreadableObject};
use object::{Kind, Seen, kind_of};

/// The list that an object stands in, as far as it has told of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Option<String>,
    pub(super) api_version: Option<String>,
}

/// What a list without a kind so far held: whether it counts is told by the kind that comes.
#[derive(Debug, Default)]
pub(super) struct Pending {
    seen: Vec<(Seen, At)>,
    /// Items that show no kind.
    shapeless: Sample<UnreadableObject>,
    /// Items that cannot be read, by the kind that they show.
    broken: [Sample<UnreadableObject>; 4],
    elsewhere: usize,
    passed_over: usize,
    /// Nodes and Pods that the list holds, by their own kind or its.
    nodes: usize,
    pods: usize,
}

/// How far a Pod was told: what a text that was cut at the end of a line leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    has_status: bool,
    has_phase: bool,
    /// An owner wanted it, and neither a node nor a status came: a cluster's Pod, told up to its containers.
    is_headless: bool,
}

/// The objects of all inputs.
pub(super) struct Gatherer<'q> {
    request: &'q DumpRequest,
    nodes: Once<ObservedNode>,
    pods: Once<ObservedPod>,
    leases: Once<ObservedLease>,
    operators: Once<ObservedOperator>,
    /// Lists and objects of each kind that were met, be they empty or passed over.
    met: [bool; 4],
    /// Pods of the namespaces that components run in, passed over.
    passed_over: usize,
    /// Pods of other namespaces.
    elsewhere: usize,
    versions: Vec<(VersionAnswer, At)>,
    saved: Option<(Saved, At)>,
    /// Objects of each kind that cannot be read.
    broken: [Sample<UnreadableObject>; 4],
    /// Where a list of Nodes, and one of Pods, is one page of a longer one.
    page_of_nodes: Option<FilePlace>,
    page_of_pods: Option<FilePlace>,
    gaps: Vec<ReadGap>,
    captured_at: Option<Timestamp>,
    warnings: Vec<String>,
    /// How much of what is read has been met so far; a file that adds nothing holds nothing.
    useful: usize,
    /// How many Nodes and Pods have been met so far.
    shown: usize,
    /// What the Pods before the newest told, of the same text.
    before: Told,
    /// The newest Pod of the same text, and the newest object where that is one.
    newest: Told,
    last: Option<Told>,
}

impl<'q> Gatherer<'q> {
    pub(super) fn new(request: &'q DumpRequest) -> Self {
        Self {
            request,
            nodes: Once::new("node"),
            pods: Once::new("pod"),
            leases: Once::new("lease"),
            operators: Once::new("clusteroperator"),
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
            before: Told::default(),
            newest: Told::default(),
            last: None,
        }
    }

    /// How much of what is read has been met so far.
    pub(super) fn useful(&self) -> usize {
        self.useful
    }

    /// How many Nodes and Pods have been met so far.
    pub(super) fn shown(&self) -> usize {
        self.shown
    }

    /// A text that broke had shown a Node or a Pod before it did.
    pub(super) fn had_shown(&mut self) {
        self.shown += 1;
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// A text begins: the objects after this are compared with one another alone.
    pub(super) fn text_begins(&mut self) {
        self.before = Told::default();
        self.newest = Told::default();
        self.last = None;
    }

    /// Whether the last object of the text says less than it would if it were whole: a sign that the text was cut.
    pub(super) fn last_says_less(&self) -> bool {
        self.last.is_some_and(|last| {
            last.is_headless
                || (self.before.has_status && !last.has_status)
                || (self.before.has_phase && !last.has_phase)
        })
    }

    /// Takes an object that stands alone.
    pub(super) fn alone(&mut self, parts: &Parts<'_>, at: At) -> Result<(), DumpError> {
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
        let seen = object::read(self.request, parts, &Frame::default());
        self.take(seen, at)
    }

    /// Takes what `/version` answered, as `kubectl get --raw /version` writes it.
    pub(super) fn raw_version(&mut self, text: &str, at: At) -> Result<(), DumpError> {
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
    pub(super) fn item(
        &mut self,
        parts: &Parts<'_>,
        frame: &Frame,
        pending: &mut Pending,
        at: At,
    ) -> Result<(), DumpError> {
        let seen = object::read(self.request, parts, frame);
        match &seen {
            Seen::Node(_) | Seen::Broken(Kind::Node, _) => pending.nodes += 1,
            Seen::Pod(_) | Seen::Broken(Kind::Pod, _) => pending.pods += 1,
            _ => {}
        }
        let is_settled = parts.kind.is_some() || frame.kind.is_some();
        match seen {
            seen if is_settled => self.take(seen, at)?,
            Seen::Pod(SeenPod::Elsewhere) => pending.elsewhere += 1,
            Seen::Pod(SeenPod::PassedOver) => pending.passed_over += 1,
            Seen::Other => {}
            Seen::Shapeless => pending.shapeless.add(|| UnreadableObject {
                namespace: None,
                name: None,
                malformed: Malformed::NoKind,
                at: Some(at.place()),
            }),
            Seen::Broken(kind, error) => pending.broken[kind as usize].add(|| unreadable(error, &at)),
            seen => pending.seen.push((seen, at)),
        }
        Ok(())
    }

    /// The list is at its end: what waited for its kind is taken or passed over.
    pub(super) fn list_ends(
        &mut self,
        head: &ListHead,
        pending: Pending,
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
        self.elsewhere += pending.elsewhere;
        self.passed_over += pending.passed_over;
        let dropped = pending.elsewhere + pending.passed_over;
        if dropped > 0 {
            self.met[Kind::Pod as usize] = true;
            self.useful += dropped;
            self.shown += dropped;
        }
        let (nodes, pods) = (pending.nodes, pending.pods);
        for (seen, at) in pending.seen {
            self.take(seen, at)?;
        }
        for (kind, broken) in Kind::ALL.into_iter().zip(pending.broken) {
            self.broken(kind, broken);
        }
        if let Some(kind) = of {
            self.broken(kind, pending.shapeless);
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
    pub(super) fn may_be_cut(&mut self, sign: CutSign, at: &At) {
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
                self.told(Told {
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
                self.warn(format!("{at}: an API server's refusal: {}", Shown(&message)));
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

    fn told(&mut self, told: Told) {
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
