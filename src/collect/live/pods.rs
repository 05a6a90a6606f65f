//! The pods of a namespace: read whole where it is asked for or fits one page, else those that a
//! [`Selection`](super::selection) asks for.

use std::cell::Cell;

use futures_util::future::{join, try_join, try_join_all};
use futures_util::stream::{StreamExt, TryStreamExt, iter};
use tokio::sync::oneshot;

use super::Reader;
use super::encoding::{PROTOBUF, TABLE};
use super::list::{Collected, JsonPage, Spec, first_page, list};
use super::pod_name::PodName;
use super::request::encoded;
use super::selection::{Query, Selection, Sighting, TooMany};
use crate::collect::connect::request_error::RequestError;
use crate::collect::wire::{SeenPod, json, proto, undecodable};
use crate::inventory::namespace::COMPONENT_NAMESPACE;
use crate::inventory::observed::ObservedPod;

/// A page of whole pods.
const PAGE: u32 = 500;

/// A page of names.
const NAMES_PAGE: u32 = 5_000;

/// So many pods are asked for by name at once.
const AT_ONCE: usize = 8;

/// Why the whole list is read after all.
#[derive(Debug, thiserror::Error)]
enum ReadWhole {
    #[error("{0}")]
    Failed(RequestError),
    #[error("a pod cannot be read")]
    Unreadable,
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl Reader<'_> {
    /// The pods that may be components': of kube-system, or of the namespace of `-n`.
    pub(super) async fn component_pods(&self) -> Collected<ObservedPod> {
        match self.hosted {
            Some(namespace) => self.whole_namespace(namespace).await,
            None if self.request.chunk_size == Some(0) => self.whole_namespace(COMPONENT_NAMESPACE).await,
            None => self.kube_system().await,
        }
    }

    /// Every pod of a namespace, as far as it may be a component's.
    pub(super) async fn whole_namespace(&self, namespace: &str) -> Collected<ObservedPod> {
        let (wanted, hosted) = (&self.request.wanted, self.hosted);
        let spec = Spec {
            path: pods_of(namespace),
            query: Query::All.parameters(),
            kind: "PodList",
            accept: PROTOBUF,
            page: self.page(PAGE),
            protobuf: Box::new(|bytes| proto::pod(bytes, wanted, hosted).map(SeenPod::kept)),
            json: JsonPage::List(Box::new(|text| {
                json::pod(text, wanted, hosted).map(SeenPod::kept)
            })),
        };
        list(&self.requests, &spec, &self.pods_seen).await
    }

    /// One page is all of a small cluster's. As soon as it shows that there is more, the names of all pods and those
    /// that labels select are asked for beside it.
    async fn kube_system(&self) -> Collected<ObservedPod> {
        let spec = self.sightings(&Query::All);
        let (has_more, told) = oneshot::channel();
        let others = async {
            told.await.ok()?;
            let labelled = Query::of_component_labels();
            let labelled = labelled.iter().map(|query| self.select(query));
            Some(try_join(self.names(), try_join_all(labelled)).await)
        };
        let first = first_page(&self.requests, &spec, &self.pods_seen, has_more);
        let ((first, has_more), others) = join(first, others).await;
        let Some(others) = others.filter(|_| has_more) else {
            return components(first);
        };
        let selected = match others {
            Ok((names, labelled)) => self.selected(first, names, labelled).await,
            Err(why) => Err(why),
        };
        match selected {
            Ok(selected) => selected,
            Err(why) => {
                let console = &self.requests.console;
                console.log(
                    6,
                    &format!("\"Reading every pod of kube-system\" because=\"{why}\""),
                );
                self.pods_seen.set(0);
                self.whole_namespace(COMPONENT_NAMESPACE).await
            }
        }
    }

    /// Asks for pods until nothing is left to ask for.
    async fn selected(
        &self,
        first: Collected<Sighting>,
        names: Vec<PodName>,
        labelled: Vec<Vec<Sighting>>,
    ) -> Result<Collected<ObservedPod>, ReadWhole> {
        let mut selection = Selection::new(names);
        let read = labelled.into_iter().flatten().chain(whole(first)?);
        for sighting in read {
            selection.add(sighting);
        }
        loop {
            let queries = selection.next()?;
            if queries.is_empty() {
                break;
            }
            let answers = iter(&queries).map(|query| self.select(query));
            let mut answers = answers.buffer_unordered(AT_ONCE);
            while let Some(read) = answers.try_next().await? {
                for sighting in read {
                    selection.add(sighting);
                }
            }
        }
        let (items, listed) = selection.finish();
        Ok(Collected {
            items,
            listed,
            ..Collected::default()
        })
    }

    /// The names of all pods.
    async fn names(&self) -> Result<Vec<PodName>, ReadWhole> {
        let spec = Spec {
            path: pods_of(COMPONENT_NAMESPACE),
            query: "includeObject=None".to_owned(),
            kind: "Table",
            accept: TABLE,
            page: self.page(NAMES_PAGE),
            protobuf: Box::new(|_| Err(undecodable(&"a table has no protobuf"))),
            json: JsonPage::Table(PodName::new),
        };
        whole(list(&self.requests, &spec, &Cell::default()).await)
    }

    /// The pods of a query.
    async fn select(&self, query: &Query) -> Result<Vec<Sighting>, ReadWhole> {
        whole(list(&self.requests, &self.sightings(query), &self.pods_seen).await)
    }

    fn sightings(&self, query: &Query) -> Spec<'_, Sighting> {
        let wanted = &self.request.wanted;
        let sighting = |pod| match pod {
            SeenPod::Kept(pod) => Some(Sighting::Component(pod)),
            SeenPod::PassedOver(meta) => Some(Sighting::Other(meta.name.into())),
            SeenPod::Elsewhere => None,
        };
        Spec {
            path: pods_of(COMPONENT_NAMESPACE),
            query: query.parameters(),
            kind: "PodList",
            accept: PROTOBUF,
            page: self.page(PAGE),
            protobuf: Box::new(move |bytes| proto::pod(bytes, wanted, None).map(sighting)),
            json: JsonPage::List(Box::new(move |text| json::pod(text, wanted, None).map(sighting))),
        }
    }
}

/// The path of a namespace's pods.
fn pods_of(namespace: &str) -> String {
    format!("/api/v1/namespaces/{}/pods", encoded(namespace))
}

/// A list of which nothing is missing.
fn whole<T>(collected: Collected<T>) -> Result<Vec<T>, ReadWhole> {
    match collected.fault {
        Some(fault) => Err(ReadWhole::Failed(fault)),
        None if collected.broken.is_empty() => Ok(collected.items),
        None => Err(ReadWhole::Unreadable),
    }
}

/// What may be a component's.
fn components(collected: Collected<Sighting>) -> Collected<ObservedPod> {
    let Collected {
        items,
        listed,
        broken,
        fault,
    } = collected;
    let pods = items.into_iter().filter_map(|sighting| match sighting {
        Sighting::Component(pod) => Some(pod),
        Sighting::Other(_) => None,
    });
    Collected {
        items: pods.collect(),
        listed,
        broken,
        fault,
    }
}
