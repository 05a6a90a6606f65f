//! Reading a live cluster: requests, pages and retries, down to the few fields read.
//!
//! [`observe`] asks for everything at once: `/version`, Nodes, Pods and Leases, the local kubectl beside them;
//! `request` makes one request, `list` reads a list to its end, and what fails becomes a gap in `gap`. How
//! the cluster is reached is [`super::connect`]'s. Longer than most files: the reads that run side by side, and what
//! they leave to one another, are told in one place.

mod answer;
mod encoding;
mod gap;
mod kubectl;
mod list;
mod log;
mod pod_name;
mod pods;
mod redirect;
mod request;
mod retry_after;
mod selection;
mod table;
mod version;

use std::cell::Cell;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::collect::connect::request_error::RequestError;
use crate::collect::connect::{ConnectError, Connection, interruptible};
use crate::collect::masking::cut;
use crate::collect::wire::{json, proto, undecodable};
use crate::inventory::component::Component;
use crate::inventory::component_pod::claims;
use crate::inventory::labels::{OPENSHIFT, Wanted};
use crate::inventory::namespace::{COMPONENT_NAMESPACE, OPENSHIFT_PROXY_NAMESPACE};
use crate::inventory::observed::{
    Listing, Observed, ObservedLease, ObservedNode, ObservedOperator, ObservedPod, Origin, VersionAnswer,
};
use crate::inventory::read_gap::{ReadFault, ReadGap, Resource};
use encoding::{JSON, PROTOBUF};
use gap::listing;
use list::{Collected, JsonPage, Spec, list};
use request::Requests;

/// A page of a list that is never long.
const PAGE: u32 = 500;

/// What to read of the cluster.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// `-n`, where it is another namespace than kube-system.
    pub hosted: Option<String>,
    /// `--chunk-size`: the size of every page; 0 asks for no pages.
    pub chunk_size: Option<u32>,
    /// Labels and annotations to keep.
    pub wanted: Wanted,
    /// `--kubectl-version`: takes the place of asking the local kubectl.
    pub kubectl_version: Option<String>,
    /// `--server-version`: takes the place of `/version`.
    pub server_version: Option<String>,
}

/// Where the answers came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveSource {
    /// The kubeconfig context.
    pub context: Option<String>,
    /// Scheme, host and port.
    pub api_server: String,
    /// The flags that lead kubectl to the same cluster, quoted for a shell, each behind a blank.
    pub kubectl_flags: String,
    /// Whether the nodes did not come because the server could not give them: its store is out of reach, say.
    pub nodes_out_of_reach: bool,
}

/// Reads the cluster. What is refused, missing or failing becomes a gap and the rest is read; an error means
/// that nothing at all could be read.
pub fn observe(
    connection: &Connection,
    request: &LiveRequest,
) -> Result<(Observed, LiveSource), ConnectError> {
    let observed = connection.runtime.block_on(interruptible(async {
        let reader = Reader {
            connection,
            requests: Requests::new(connection, Instant::now() + connection.limits.run),
            request,
            hosted: request
                .hosted
                .as_deref()
                .filter(|name| *name != COMPONENT_NAMESPACE),
            nodes_seen: Cell::default(),
            pods_seen: Cell::default(),
        };
        tokio::select! {
            observed = reader.read() => observed,
            () = reader.show_progress() => unreachable!("progress is shown until the reading ends"),
        }
    }));
    connection.console.done();
    observed.map(|(observed, nodes_out_of_reach)| {
        let source = LiveSource {
            context: connection.context.clone(),
            api_server: connection.api_server(),
            kubectl_flags: connection.flags.clone(),
            nodes_out_of_reach,
        };
        (observed, source)
    })
}

/// One run of reads.
struct Reader<'a> {
    connection: &'a Connection,
    requests: Requests,
    request: &'a LiveRequest,
    hosted: Option<&'a str>,
    nodes_seen: Cell<usize>,
    pods_seen: Cell<usize>,
}

impl Reader<'_> {
    /// What was observed, and whether the nodes were out of the server's own reach.
    async fn read(&self) -> Result<(Observed, bool), ConnectError> {
        let kubectl = self.ask_kubectl();
        let (version, nodes, pods, leases) =
            tokio::join!(self.version(), self.nodes(), self.component_pods(), self.leases(),);
        self.anything_read(version.as_ref(), nodes.as_ref(), &pods, leases.as_ref())?;
        let nodes_out_of_reach = nodes.as_ref().is_some_and(|nodes| {
            nodes.listed == 0 && nodes.fault.as_ref().is_some_and(RequestError::is_out_of_reach)
        });
        let mut observed = Observed {
            origin: Origin::Live,
            hosted: self.hosted.map(str::to_owned),
            told_version: self.request.server_version.clone(),
            ..Observed::default()
        };
        if let Some(nodes) = nodes {
            observed.nodes = listing(nodes, None);
        }
        observed.pods = listing(pods, Some(self.hosted.unwrap_or(COMPONENT_NAMESPACE)));
        if let Some(leases) = leases {
            observed.leases = listing(leases, Some(COMPONENT_NAMESPACE));
        }
        if let Some(version) = version {
            self.add_versions(version, &mut observed).await;
        }
        let openshift = |node: &ObservedNode| node.meta.label(OPENSHIFT).is_some();
        if observed.nodes.items().iter().any(openshift) {
            self.add_openshift(&mut observed).await;
        }
        observed.kubectl = kubectl.join_all().await.pop().flatten();
        Ok((observed, nodes_out_of_reach))
    }

    /// How many objects to ask for at a time, where a read's own page is `own`.
    fn page(&self, own: u32) -> u32 {
        self.request.chunk_size.unwrap_or(own)
    }

    /// An error where nothing was read and nobody was refused a right: then there is no cluster to judge.
    fn anything_read(
        &self,
        version: Option<&Result<VersionAnswer, RequestError>>,
        nodes: Option<&Collected<ObservedNode>>,
        pods: &Collected<ObservedPod>,
        leases: Option<&Collected<ObservedLease>>,
    ) -> Result<(), ConnectError> {
        let outcomes = [
            version.map(|it| it.as_ref().err()),
            nodes.map(|it| it.fault.as_ref().filter(|_| it.listed == 0)),
            Some(pods.fault.as_ref().filter(|_| pods.listed == 0)),
            leases.map(|it| it.fault.as_ref().filter(|_| it.listed == 0)),
        ];
        let mut faults = Vec::new();
        for outcome in outcomes.into_iter().flatten() {
            match outcome {
                Some(fault) if fault.code() != Some(403) => faults.push(fault),
                _ => return Ok(()),
            }
        }
        let telling = |fault: &&&RequestError| match fault {
            RequestError::Status(status) if status.code == 401 => 0,
            // A page that answers one read is what stands between us and the others.
            RequestError::NotKubernetes { .. } | RequestError::Elsewhere { .. } => 1,
            RequestError::Connect(_) => 2,
            RequestError::TimedOut(_) | RequestError::RunTimedOut(_) => 3,
            RequestError::Status(_) => 4,
            RequestError::Garbled(_) | RequestError::Cut | RequestError::Expired(_) => 5,
        };
        match faults.iter().min_by_key(telling) {
            Some(fault) => Err(ConnectError::nothing_read(
                &self.connection.api_server(),
                (*fault).clone(),
            )),
            None => Ok(()),
        }
    }

    async fn version(&self) -> Option<Result<VersionAnswer, RequestError>> {
        // A hosted control plane's apiserver is not the one that answers.
        if self.hosted.is_some() || self.request.server_version.is_some() {
            return None;
        }
        Some(version::ask(&self.requests).await)
    }

    /// Asks the local kubectl beside the reads; a cluster that cannot be read does not wait for it.
    fn ask_kubectl(&self) -> JoinSet<Option<String>> {
        let told = self.request.kubectl_version.clone();
        let mut asked = JoinSet::new();
        asked.spawn(async move {
            match told {
                Some(version) => Some(version),
                None => kubectl::version().await,
            }
        });
        asked
    }

    async fn nodes(&self) -> Option<Collected<ObservedNode>> {
        if self.hosted.is_some() {
            return None;
        }
        let wanted = &self.request.wanted;
        let spec = Spec {
            path: "/api/v1/nodes".to_owned(),
            query: String::new(),
            kind: "NodeList",
            accept: PROTOBUF,
            page: self.page(PAGE),
            protobuf: Box::new(|bytes| proto::node(bytes, wanted).map(Some)),
            json: JsonPage::List(Box::new(|text| json::node(text, wanted).map(Some))),
        };
        Some(list(&self.requests, &spec, &self.nodes_seen).await)
    }

    async fn leases(&self) -> Option<Collected<ObservedLease>> {
        if self.hosted.is_some() {
            return None;
        }
        let spec = Spec {
            path: format!("/apis/coordination.k8s.io/v1/namespaces/{COMPONENT_NAMESPACE}/leases"),
            query: "labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver".to_owned(),
            kind: "LeaseList",
            accept: PROTOBUF,
            page: self.page(PAGE),
            protobuf: Box::new(proto::lease),
            json: JsonPage::List(Box::new(json::lease)),
        };
        Some(list(&self.requests, &spec, &Cell::default()).await)
    }

    async fn operators(&self) -> Collected<ObservedOperator> {
        let spec = Spec {
            path: "/apis/config.openshift.io/v1/clusteroperators".to_owned(),
            query: String::new(),
            kind: "ClusterOperatorList",
            accept: JSON,
            page: self.page(PAGE),
            protobuf: Box::new(|_| Err(undecodable(&"custom resources have no protobuf"))),
            json: JsonPage::List(Box::new(|text| json::operator(text).map(Some))),
        };
        list(&self.requests, &spec, &Cell::default()).await
    }

    /// The answer of `/version`; where no apiserver pod is seen and several apiservers live, those of more
    /// connections, for each may lead to another one.
    async fn add_versions(&self, first: Result<VersionAnswer, RequestError>, observed: &mut Observed) {
        let sees_apiserver = observed.pods.items().iter().any(|pod| {
            claims(pod, self.hosted)
                .iter()
                .any(|claim| claim.component == Component::KubeApiserver)
        });
        let live = version::live(observed.leases.items());
        match first {
            Ok(answer) => observed.versions.push(answer),
            Err(fault) => observed.gaps.push(ReadGap::Failed {
                resource: Resource::Version,
                namespace: None,
                read: 0,
                fault: ReadFault::from(&fault),
            }),
        }
        if !sees_apiserver && live > 1 {
            let fresh = version::ask_afresh(&self.requests, &self.connection.clients, live).await;
            observed.connections = Some(crate::inventory::observed::Connections {
                tried: fresh.tried,
                answered: fresh.answers.len().max(observed.versions.len()),
            });
            // The first answer adds to them only where no fresh connection led to the same apiserver.
            observed.versions.retain(|first| !fresh.answers.contains(first));
            observed.versions.extend(fresh.answers);
        }
    }

    /// What OpenShift tells in places of its own.
    async fn add_openshift(&self, observed: &mut Observed) {
        const PROXIES: &str = OPENSHIFT_PROXY_NAMESPACE;
        let (operators, proxies) = tokio::join!(self.operators(), self.whole_namespace(PROXIES));
        // MicroShift has no ClusterOperators: its control plane is hidden, and nothing is missing.
        let absent = operators.listed == 0
            && matches!(&operators.fault, Some(RequestError::Status(status)) if status.code == 404);
        if !absent {
            observed.operators = listing(operators, None);
        }
        let proxies = listing(proxies, Some(PROXIES));
        observed
            .gaps
            .extend(proxies.unread(Resource::Pods, Some(PROXIES)));
        if let (
            Listing::Read { items, .. },
            Listing::Read {
                items: pods, listed, ..
            },
        ) = (proxies, &mut observed.pods)
        {
            *listed += items.len();
            pods.extend(items);
        }
    }

    /// Shows how far the reading has come, once it takes long enough to wonder.
    async fn show_progress(&self) {
        sleep(Duration::from_millis(500)).await;
        loop {
            let (nodes, pods) = (self.nodes_seen.get(), self.pods_seen.get());
            let server = self.connection.api_server();
            self.connection
                .console
                .progress(format!("reading {server}: {nodes} nodes, {pods} pods"));
            sleep(Duration::from_millis(100)).await;
        }
    }
}

/// An error with what caused it, on one line.
fn shown(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    cut(&text)
}
