//! A list read to its end: page after page, the next one asked for before this one is decoded, items decoded
//! one by one as their bytes come. What breaks off is read again from where it can be, without counting
//! anything twice; what stays broken is said, and never passed off as the whole list.

use std::cell::Cell;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::answer::Answer;
use super::encoding::Encoding;
use super::request::{Requests, Tries, encoded};
use super::{log, table};
use crate::collect::connect::request_error::RequestError;
use crate::collect::wire::json;
use crate::collect::wire::proto;
use crate::collect::wire::proto::list::{ListReader, Part};
use crate::inventory::read_gap::{Sample, UnreadableObject};

/// A page in JSON is held whole. 500 objects weigh a few megabytes; one beyond this is no page.
const LARGEST_PAGE: usize = 48 << 20;

/// Thousands of a table's rows are a megabyte; one beyond this is a list by a server that knows no table.
const LARGEST_TABLE: usize = 8 << 20;

/// How often a list is begun.
const BEGINNINGS: u32 = 3;

/// Decodes one item: `None` where it is passed over, the reason where it cannot be read.
type Decode<'a, T> = Box<dyn Fn(Bytes) -> Result<Option<T>, Box<UnreadableObject>> + 'a>;

/// The same, from the text of an item.
type DecodeText<'a, T> = Box<dyn Fn(&str) -> Result<Option<T>, Box<UnreadableObject>> + 'a>;

/// Reads a page in JSON.
pub(super) enum JsonPage<'a, T> {
    /// A list, item by item.
    List(DecodeText<'a, T>),
    /// A table of pods, by name and node.
    Table(fn(&str, Option<&str>) -> T),
}

/// What to list, and how its items read.
pub(super) struct Spec<'a, T> {
    /// The path, without a query.
    pub(super) path: String,
    /// What stands in the query beside the paging, encoded.
    pub(super) query: String,
    /// The kind that the list must be of.
    pub(super) kind: &'static str,
    /// The encodings asked for.
    pub(super) accept: &'static str,
    /// How many objects to ask for at a time; 0 asks for all.
    pub(super) page: u32,
    pub(super) protobuf: Decode<'a, T>,
    pub(super) json: JsonPage<'a, T>,
}

/// What came of a list.
pub(super) struct Collected<T> {
    /// The items kept.
    pub(super) items: Vec<T>,
    /// How many items the list held, those passed over included.
    pub(super) listed: usize,
    /// Items that could not be read.
    pub(super) broken: Sample<UnreadableObject>,
    /// Why the list is not whole, where it is not.
    pub(super) fault: Option<RequestError>,
}

impl<T> Default for Collected<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            listed: 0,
            broken: Sample::default(),
            fault: None,
        }
    }
}

impl<T> Collected<T> {
    fn add(&mut self, item: Result<Option<T>, Box<UnreadableObject>>) {
        self.listed += 1;
        match item {
            Ok(item) => self.items.extend(item),
            Err(object) => self.broken.add(|| *object),
        }
    }

    fn mark(&self) -> (usize, usize, usize) {
        (self.items.len(), self.listed, self.broken.total())
    }

    fn back_to(&mut self, (items, listed, broken): (usize, usize, usize)) {
        self.items.truncate(items);
        self.listed = listed;
        self.broken.truncate(broken);
    }
}

/// A page that is wanted, and perhaps asked for already.
#[derive(Default)]
struct Page {
    token: Option<String>,
    asked: Option<JoinSet<Result<Answer, RequestError>>>,
}

/// What is done about the page behind one, as soon as the head of that one shows that there is one.
enum NextPage {
    /// It is asked for.
    Ask,
    /// It is not; that it is there is announced, where somebody waits for that.
    Announce(Option<oneshot::Sender<()>>),
}

/// A list on its way.
struct Pager<'a, T> {
    requests: &'a Requests,
    spec: &'a Spec<'a, T>,
    /// How many objects are asked for at a time.
    limit: u32,
    next_page: NextPage,
    /// Counts along.
    seen: &'a Cell<usize>,
    collected: Collected<T>,
}

/// Reads a list; `seen` counts along.
pub(super) async fn list<T>(requests: &Requests, spec: &Spec<'_, T>, seen: &Cell<usize>) -> Collected<T> {
    let mut pager = Pager::new(requests, spec, seen);
    for beginning in 1..=BEGINNINGS {
        pager.back_to((0, 0, 0));
        match pager.every_page().await {
            Ok(()) => break,
            // The list has moved on under us. It is begun again, the last time in one piece: that cannot expire.
            Err(RequestError::Expired(_)) if beginning < BEGINNINGS => {
                if beginning + 1 == BEGINNINGS {
                    pager.limit = 0;
                }
            }
            Err(RequestError::Expired(_)) => pager.collected.fault = Some(RequestError::Expired(beginning)),
            Err(fault) => {
                pager.collected.fault = Some(fault);
                break;
            }
        }
    }
    pager.collected.items.shrink_to_fit();
    pager.collected
}

/// Reads the first page of a list, and gives back whether there is more. `has_more` hears it as soon as the page shows
/// it, which one in protobuf does at its head.
pub(super) async fn first_page<T>(
    requests: &Requests,
    spec: &Spec<'_, T>,
    seen: &Cell<usize>,
    has_more: oneshot::Sender<()>,
) -> (Collected<T>, bool) {
    let mut pager = Pager::new(requests, spec, seen);
    pager.next_page = NextPage::Announce(Some(has_more));
    let next = pager.page(Page::default()).await;
    let has_more = matches!(next, Ok(Some(_)));
    pager.collected.fault = next.err();
    (pager.collected, has_more)
}

impl<'a, T> Pager<'a, T> {
    fn new(requests: &'a Requests, spec: &'a Spec<'a, T>, seen: &'a Cell<usize>) -> Self {
        Self {
            requests,
            spec,
            limit: spec.page,
            next_page: NextPage::Ask,
            seen,
            collected: Collected::default(),
        }
    }

    /// Forgets what was read since, which is about to be read again.
    fn back_to(&mut self, mark: (usize, usize, usize)) {
        self.seen.set(self.seen.get() - (self.collected.listed - mark.1));
        self.collected.back_to(mark);
    }

    async fn every_page(&mut self) -> Result<(), RequestError> {
        let mut next = Some(Page::default());
        while let Some(page) = next {
            let has_token = page.token.is_some();
            next = self.page(page).await.map_err(|fault| match fault.code() {
                Some(410) if has_token => RequestError::Expired(1),
                _ => fault,
            })?;
        }
        Ok(())
    }

    /// Reads one page, again where it breaks off, and tells the next one.
    async fn page(&mut self, mut page: Page) -> Result<Option<Page>, RequestError> {
        let path = self.path(page.token.as_deref());
        let mark = self.collected.mark();
        let mut tries = Tries::default();
        loop {
            let answer = match page.asked.take() {
                Some(mut asked) => match asked.join_next().await {
                    Some(Ok(answer)) => answer?,
                    Some(Err(_)) | None => return Err(RequestError::Cut),
                },
                None => self.requests.get(&path, self.spec.accept, &mut tries).await?,
            };
            let read = match answer.encoding {
                Encoding::Protobuf => self.protobuf(answer, page.token.as_deref()).await,
                Encoding::Json => self.json(answer, page.token.as_deref()).await,
            };
            match read {
                Ok(next) => return Ok(next),
                Err(fault) => {
                    self.back_to(mark);
                    self.requests.pause(fault, &mut tries).await?;
                }
            }
        }
    }

    async fn protobuf(
        &mut self,
        mut answer: Answer,
        token: Option<&str>,
    ) -> Result<Option<Page>, RequestError> {
        let mut reader = ListReader::default();
        let mut next = None;
        let (mut bytes, listed) = (0, self.collected.listed);
        let garbled = |error: &dyn std::fmt::Display| RequestError::Garbled(error.to_string());
        while let Some(chunk) = answer.chunk().await? {
            bytes += chunk.len();
            reader.push(&chunk);
            while let Some(part) = reader.part().map_err(|error| garbled(&error))? {
                match part {
                    Part::Kind(kind) => self.check_kind(Some(&String::from_utf8_lossy(&kind)))?,
                    Part::Meta(meta) => {
                        let more = proto::next_page(meta).map_err(|error| garbled(&error))?;
                        next = self.ask_ahead(Some(more), token)?;
                    }
                    Part::Item(item) => {
                        self.collected.add((self.spec.protobuf)(item));
                        self.seen.set(self.seen.get() + 1);
                    }
                }
            }
        }
        // The transport saw no break, so an end too early is a server's or a proxy's, and the same for us.
        reader.finish().map_err(|_| RequestError::Cut)?;
        self.show_page(Encoding::Protobuf, bytes, listed);
        Ok(next)
    }

    async fn json(&mut self, mut answer: Answer, token: Option<&str>) -> Result<Option<Page>, RequestError> {
        let largest = match &self.spec.json {
            JsonPage::List(_) => LARGEST_PAGE,
            JsonPage::Table(_) => LARGEST_TABLE,
        };
        let bytes = answer.whole(largest).await?;
        let listed = self.collected.listed;
        let read = self.json_page(&bytes);
        self.seen.set(self.seen.get() + (self.collected.listed - listed));
        self.show_page(Encoding::Json, bytes.len(), listed);
        self.ask_ahead(read?, token)
    }

    /// Reads a page's items, and gives back the token of the page behind it.
    fn json_page(&mut self, bytes: &[u8]) -> Result<Option<String>, RequestError> {
        let collected = &mut self.collected;
        match &self.spec.json {
            JsonPage::List(decode) => {
                let each = |text: &str| collected.add(decode(text));
                let head =
                    json::list(bytes, each).map_err(|error| RequestError::Garbled(error.to_string()))?;
                self.check_kind(head.kind.as_deref())?;
                Ok(head.next)
            }
            JsonPage::Table(row) => {
                let each = |name: &str, node: Option<&str>| collected.add(Ok(Some(row(name, node))));
                let next =
                    table::pods(bytes, each).map_err(|error| RequestError::Garbled(error.to_string()))?;
                Ok(Some(next))
            }
        }
    }

    /// Tells the size of a page of which that many objects were listed before.
    fn show_page(&self, encoding: Encoding, bytes: usize, before: usize) {
        let items = self.collected.listed - before;
        log::page(&self.requests.console, encoding, bytes, items);
    }

    fn check_kind(&self, kind: Option<&str>) -> Result<(), RequestError> {
        match kind {
            Some(kind) if kind == self.spec.kind => Ok(()),
            Some(kind) => Err(RequestError::Garbled(format!(
                "it is a {}, not a {}",
                crate::collect::masking::cut(kind),
                self.spec.kind
            ))),
            None => Err(RequestError::Garbled(format!("it is no {}", self.spec.kind))),
        }
    }

    /// Asks for the page behind this one.
    fn ask_ahead(&mut self, next: Option<String>, token: Option<&str>) -> Result<Option<Page>, RequestError> {
        let Some(next) = next.filter(|next| !next.is_empty()) else {
            return Ok(None);
        };
        if Some(next.as_str()) == token {
            return Err(RequestError::Garbled(
                "its continue token leads back to the same page".to_owned(),
            ));
        }
        if let NextPage::Announce(waiting) = &mut self.next_page {
            if let Some(waiting) = waiting.take() {
                // Whoever waited may have given up.
                let _ = waiting.send(());
            }
            return Ok(Some(Page::default()));
        }
        let path = self.path(Some(&next));
        let (requests, accept) = (self.requests.clone(), self.spec.accept);
        let mut asked = JoinSet::new();
        asked.spawn(async move { requests.get(&path, accept, &mut Tries::default()).await });
        Ok(Some(Page {
            token: Some(next),
            asked: Some(asked),
        }))
    }

    fn path(&self, token: Option<&str>) -> String {
        let mut query = Vec::new();
        if !self.spec.query.is_empty() {
            query.push(self.spec.query.clone());
        }
        if self.limit > 0 {
            query.push(format!("limit={}", self.limit));
        }
        if let Some(token) = token {
            query.push(format!("continue={}", encoded(token)));
        }
        if query.is_empty() {
            self.spec.path.clone()
        } else {
            format!("{}?{}", self.spec.path, query.join("&"))
        }
    }
}
