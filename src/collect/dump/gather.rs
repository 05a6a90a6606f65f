//! What becomes of the objects of a dump: kept, counted or passed over; told once where they stand twice; and
//! at the end, [`Observed`] and its gaps. Where the objects come from is the readers' business.

use std::borrow::Cow;

use jiff::Timestamp;

use super::error::{At, DumpError, Shown};
use super::once::Once;
use super::{DumpRequest, DumpSource};
use crate::collect::save::Saved;
use crate::collect::wire::json::scan;
use crate::collect::wire::json::{self, ItemError, ListHead, Parts, SeenLease, SeenNode, SeenPod};
use crate::inventory::gap::{Capability, Gap, Skipped};
use crate::inventory::observed::{
    Listing, Observed, ObservedLease, ObservedNode, ObservedOperator, ObservedPod, Origin, VersionAnswer,
};

/// The list that an object stands in, as far as it has told of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Option<String>,
    pub(super) api_version: Option<String>,
}

/// What an object is, and what was read of it.
#[derive(Debug)]
enum Seen {
    Node(SeenNode),
    Pod(SeenPod),
    Lease(SeenLease),
    Operator(ObservedOperator),
    Version(VersionAnswer),
    /// What an API server said instead of an answer.
    Refusal(String),
    /// A Node, a Pod … that cannot be read.
    Broken(Kind, ItemError),
    /// Something that is not read.
    Other,
    /// An object without a kind whose form tells none.
    Shapeless,
}

/// The kinds that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Pod,
    Lease,
    Operator,
}

/// What a list without a kind so far held: whether it counts is told by the kind that comes.
#[derive(Debug, Default)]
pub(super) struct Pending {
    seen: Vec<(Seen, At)>,
    elsewhere: usize,
    passed_over: usize,
    /// Nodes and Pods that the list holds, by their own kind or its.
    nodes: usize,
    pods: usize,
}

/// How far an object was told: what a text that was cut at the end of a line leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    has_status: bool,
    has_phase: bool,
    has_system: bool,
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
    broken_nodes: Vec<Gap>,
    broken_pods: Vec<Gap>,
    cut_nodes: Option<Gap>,
    cut_pods: Option<Gap>,
    gaps: Vec<Gap>,
    captured_at: Option<Timestamp>,
    warnings: Vec<String>,
    /// How much of what is read has been met so far; a file that adds nothing holds nothing.
    useful: usize,
    /// How many Nodes and Pods have been met so far.
    shown: usize,
    /// The object before, of the same text.
    before: Told,
    /// The newest object.
    last: Option<Told>,
}

fn what(kind: &str, api_version: Option<&str>) -> Option<Kind> {
    let group = |group: &str| api_version.is_none_or(|api| api.starts_with(group));
    match kind {
        "Node" if matches!(api_version, None | Some("v1")) => Some(Kind::Node),
        "Pod" if matches!(api_version, None | Some("v1")) => Some(Kind::Pod),
        "Lease" if group("coordination.k8s.io/") => Some(Kind::Lease),
        "ClusterOperator" if group("config.openshift.io/") => Some(Kind::Operator),
        _ => None,
    }
}

/// The kind that the form of an object without one tells.
fn shape(parts: &Parts<'_>) -> Option<Kind> {
    let has = |text: Option<&str>, wanted: &str| {
        let mut found = false;
        if let Some(text) = text {
            // A member of another type than an object shows nothing; its grammar was checked before.
            let _ = scan::members(text.as_bytes(), 0, |key, _| {
                found |= key == wanted;
                Ok(())
            });
        }
        found
    };
    if has(parts.status, "nodeInfo") {
        Some(Kind::Node)
    } else if has(parts.spec, "containers") {
        Some(Kind::Pod)
    } else {
        None
    }
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
            broken_nodes: Vec::new(),
            broken_pods: Vec::new(),
            cut_nodes: None,
            cut_pods: None,
            gaps: Vec::new(),
            captured_at: None,
            warnings: Vec::new(),
            useful: 0,
            shown: 0,
            before: Told::default(),
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
        self.last = None;
    }

    /// Whether the last object of the text says less than the ones before it: a sign that the text was cut.
    pub(super) fn last_says_less(&self) -> bool {
        self.last.is_some_and(|last| {
            (self.before.has_status && !last.has_status)
                || (self.before.has_phase && !last.has_phase)
                || (self.before.has_system && !last.has_system)
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
        let seen = self.read(parts, &Frame::default());
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
        let seen = self.read(parts, frame);
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
            other => match what(other, head.api_version.as_deref()) {
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
            let seen = match (seen, of) {
                (Seen::Shapeless, Some(kind)) => Seen::Broken(
                    kind,
                    ItemError::Nameless {
                        kind: "list item that shows neither nodeInfo nor containers, and",
                    },
                ),
                (seen, _) => seen,
            };
            self.take(seen, at)?;
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
        let gap = |resource: &str, skipped| Gap {
            reason: format!(
                "the list of {resource} at {at} is one page of a longer list (metadata.continue is set): the rest is \
                 missing"
            ),
            skipped: vec![skipped],
            verify: Some(match skipped {
                Skipped::Nodes => "kubectl get nodes -o json".to_owned(),
                _ => "kubectl get pods -n kube-system -o json".to_owned(),
            }),
            ..Gap::versions(true, "")
        };
        let unknown = of.is_none() && nodes == 0 && pods == 0;
        if of == Some(Kind::Node) || nodes > 0 || unknown {
            self.met[Kind::Node as usize] = true;
            self.cut_nodes.get_or_insert_with(|| gap("nodes", Skipped::Nodes));
        }
        if of == Some(Kind::Pod) || pods > 0 || unknown {
            self.met[Kind::Pod as usize] = true;
            self.cut_pods.get_or_insert_with(|| gap("pods", Skipped::Pods));
        }
    }

    /// A text whose end says that more of it was there.
    pub(super) fn may_be_cut(&mut self, reason: String) {
        self.gaps.push(Gap::versions(true, reason));
    }

    /// Reads an object as what it is.
    fn read(&self, parts: &Parts<'_>, frame: &Frame) -> Seen {
        let api_version = parts.api_version.as_deref().or(frame.api_version.as_deref());
        let of_list = frame
            .kind
            .as_deref()
            .map(|kind| kind.strip_suffix("List").unwrap_or(kind));
        // Its own kind counts, else the list's; items of a plain List, and objects that stand alone, are told by
        // their form.
        let told = parts.kind.as_deref().or(of_list.filter(|kind| !kind.is_empty()));
        let kind = match told {
            Some("Status") if parts.kind.is_some() => {
                let message = parts.message.and_then(|text| serde_json::from_str(text).ok());
                return Seen::Refusal(message.unwrap_or_else(|| "no reason told".to_owned()));
            }
            Some(kind) => what(kind, api_version),
            None if matches!(api_version, None | Some("v1")) => match shape(parts) {
                Some(kind) => Some(kind),
                None => return Seen::Shapeless,
            },
            None => None,
        };
        let Some(kind) = kind else {
            return Seen::Other;
        };
        let wanted = &self.request.wanted;
        let seen = match kind {
            Kind::Node => json::node_of(parts, wanted).map(Seen::Node),
            Kind::Pod => json::pod_of(parts, wanted, self.request.hosted.as_deref()).map(Seen::Pod),
            Kind::Lease => json::lease_of(parts).map(Seen::Lease),
            Kind::Operator => json::operator_of(parts).map(Seen::Operator),
        };
        seen.unwrap_or_else(|error| Seen::Broken(kind, error))
    }

    fn take(&mut self, seen: Seen, at: At) -> Result<(), DumpError> {
        let kind = match &seen {
            Seen::Node(_) => Some(Kind::Node),
            Seen::Pod(_) => Some(Kind::Pod),
            Seen::Lease(_) => Some(Kind::Lease),
            Seen::Operator(_) => Some(Kind::Operator),
            Seen::Broken(kind, _) => Some(*kind),
            Seen::Version(_) | Seen::Refusal(_) => None,
            Seen::Other | Seen::Shapeless => return Ok(()),
        };
        self.useful += 1;
        if let Some(kind) = kind {
            self.met[kind as usize] = true;
            self.shown += usize::from(matches!(kind, Kind::Node | Kind::Pod));
        }
        match seen {
            Seen::Node(seen) => {
                self.told(Told {
                    has_status: seen.node.kubelet_version.is_some(),
                    has_phase: self.before.has_phase,
                    has_system: seen.node.os.is_some(),
                });
                self.captured_at = self.captured_at.max(seen.heartbeat);
                self.nodes.add(seen.node, at)?;
            }
            Seen::Pod(SeenPod::Elsewhere) => self.elsewhere += 1,
            Seen::Pod(SeenPod::PassedOver) => self.passed_over += 1,
            Seen::Pod(SeenPod::Kept(pod)) => {
                self.told(Told {
                    has_status: pod.has_status,
                    has_phase: pod.phase.is_some(),
                    has_system: self.before.has_system,
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
            Seen::Broken(kind, error) => self.broken(kind, &error, &at),
            Seen::Other | Seen::Shapeless => {}
        }
        Ok(())
    }

    fn told(&mut self, told: Told) {
        if let Some(last) = self.last.replace(told) {
            self.before.has_status |= last.has_status;
            self.before.has_phase |= last.has_phase;
            self.before.has_system |= last.has_system;
        }
    }

    fn broken(&mut self, kind: Kind, error: &ItemError, at: &At) {
        self.last = None;
        let gap = Gap {
            objects: error.object().into_iter().collect(),
            ..Gap::versions(true, format!("{} ({at})", reason(error)))
        };
        match kind {
            Kind::Node => self.broken_nodes.push(gap),
            Kind::Pod => self.broken_pods.push(gap),
            Kind::Lease | Kind::Operator => self.gaps.push(Gap {
                required: false,
                ..gap
            }),
        }
    }

    /// What was seen, all inputs being read.
    pub(super) fn finish(mut self, mut source: DumpSource) -> Result<(Observed, DumpSource), DumpError> {
        if self.shown == 0 {
            return Err(DumpError::NoObjects {
                files: source.files.join(", "),
                notes: self.warnings,
            });
        }
        let hosted = self.request.hosted.clone();
        let told_version = self.request.server_version.clone();
        let saved = self.saved.take();
        if told_version.is_none() {
            self.two_versions(saved.as_ref().map(|(_, at)| at));
        }
        for repeated in [
            self.nodes.repeated(),
            self.pods.repeated(),
            self.leases.repeated(),
            self.operators.repeated(),
        ]
        .into_iter()
        .flatten()
        {
            self.warnings.push(repeated);
        }
        let met = self.met;
        source
            .places
            .extend(self.nodes.places(|node| format!("node/{}", node.meta.name)));
        source
            .places
            .extend(self.pods.places(|pod| format!("pod/{}", pod.meta.name)));
        source.places.sort();
        source.captured_at = self.captured_at;
        source.warnings.append(&mut self.warnings);
        let nodes = self.nodes.into_objects();
        let pods = self.pods.into_objects();
        let listed_nodes = nodes.len() + self.broken_nodes.len();
        let listed_pods = pods.len() + self.passed_over + self.broken_pods.len();
        let mut observed = Observed {
            origin: Origin::Files,
            hosted,
            versions: self.versions.into_iter().map(|(answer, _)| answer).collect(),
            connections: None,
            told_version,
            nodes: listing(
                met[Kind::Node as usize],
                nodes,
                listed_nodes,
                self.cut_nodes,
                self.broken_nodes,
            ),
            pods: listing(
                met[Kind::Pod as usize],
                pods,
                listed_pods,
                self.cut_pods,
                self.broken_pods,
            ),
            leases: whole(met[Kind::Lease as usize], self.leases.into_objects()),
            operators: whole(met[Kind::Operator as usize], self.operators.into_objects()),
            kubectl: None,
            gaps: self.gaps,
        };
        if let Some((saved, _)) = saved {
            saved.restore(&mut observed);
        }
        Ok((observed, source))
    }

    /// Two servers' versions in one input are two clusters, or one in the middle of an upgrade: said either way.
    fn two_versions(&mut self, saved: Option<&At>) {
        let mut told: Vec<(Cow<'_, str>, &At)> = self
            .versions
            .iter()
            .map(|(answer, at)| (Cow::Borrowed(answer.git_version.as_str()), at))
            .collect();
        if let (Some(at), false) = (saved, told.is_empty()) {
            told.push((Cow::Borrowed("a snapshot with its own"), at));
        }
        told.sort();
        if told.len() < 2 {
            return;
        }
        let listed: Vec<String> = told
            .iter()
            .map(|(version, at)| format!("{} ({at})", Shown(version)))
            .collect();
        self.gaps.push(Gap {
            capability: Capability::Versions,
            ..Gap::versions(
                true,
                format!(
                    "the input tells more than one server version: {}; of two clusters give the files of one, within \
                     an upgrade say which with --server-version",
                    listed.join(", ")
                ),
            )
        });
    }
}

fn listing<T>(met: bool, items: Vec<T>, listed: usize, cut: Option<Gap>, broken: Vec<Gap>) -> Listing<T> {
    if met {
        Listing::Read {
            items,
            listed,
            cut,
            broken,
        }
    } else {
        Listing::NotAsked
    }
}

fn whole<T>(met: bool, items: Vec<T>) -> Listing<T> {
    if met {
        Listing::whole(items)
    } else {
        Listing::NotAsked
    }
}

/// An error with its sources in one line, as a gap's reason wants it.
fn reason(error: &ItemError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
