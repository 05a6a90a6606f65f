//! A list read to its end: page after page, the next one asked for before this one is decoded, items decoded
//! one by one as their bytes come. What breaks off is read again from where it can be, without counting
//! anything twice; what stays broken is said, and never passed off as the whole list.

use std::cell::Cell;

use bytes::Bytes;
use prost::Message;
use tokio::task::JoinSet;

use super::log;
use super::request::{Answer, Encoding, Requests, Tries};
use crate::collect::connect::request_error::RequestError;
use crate::collect::wire::proto_list::{ListReader, Part};
use crate::collect::wire::{json, proto};

/// A page in JSON is held whole; one beyond this is none.
const LARGEST_PAGE: usize = 1 << 30;

/// How often a list is begun.
const BEGINNINGS: u32 = 3;

/// Decodes one item: `None` where it is passed over, the reason where it cannot be read.
type Decode<'a, T> = Box<dyn Fn(Bytes) -> Result<Option<T>, String> + 'a>;

/// The same, from the text of an item.
type DecodeText<'a, T> = Box<dyn Fn(&str) -> Result<Option<T>, String> + 'a>;

/// What to list, and how its items read.
pub(super) struct Spec<'a, T> {
    /// The path, without a query.
    pub(super) path: String,
    /// What stands in the query beside the paging, encoded.
    pub(super) query: &'static str,
    /// The kind that the list must be of.
    pub(super) kind: &'static str,
    /// The encodings asked for.
    pub(super) accept: &'static str,
    pub(super) protobuf: Decode<'a, T>,
    pub(super) json: DecodeText<'a, T>,
}

/// What came of a list.
pub(super) struct Collected<T> {
    /// The items kept.
    pub(super) items: Vec<T>,
    /// How many items the list held, those passed over included.
    pub(super) listed: usize,
    /// Items that could not be read: the name, where that much was readable, and why.
    pub(super) broken: Vec<(Option<String>, String)>,
    /// Why the list is not whole, where it is not.
    pub(super) fault: Option<RequestError>,
}

impl<T> Default for Collected<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            listed: 0,
            broken: Vec::new(),
            fault: None,
        }
    }
}

impl<T> Collected<T> {
    fn add(&mut self, name: impl FnOnce() -> Option<String>, item: Result<Option<T>, String>) {
        self.listed += 1;
        match item {
            Ok(item) => self.items.extend(item),
            Err(why) => self.broken.push((name(), why)),
        }
    }

    fn mark(&self) -> (usize, usize, usize) {
        (self.items.len(), self.listed, self.broken.len())
    }

    fn back_to(&mut self, (items, listed, broken): (usize, usize, usize)) {
        self.items.truncate(items);
        self.listed = listed;
        self.broken.truncate(broken);
    }
}

/// A page that is wanted, and perhaps asked for already.
struct Page {
    token: Option<String>,
    asked: Option<JoinSet<Result<Answer, RequestError>>>,
}

/// A list on its way.
struct Walk<'a, T> {
    requests: &'a Requests,
    spec: &'a Spec<'a, T>,
    chunk: u32,
    seen: &'a Cell<usize>,
    collected: Collected<T>,
}

/// Reads a list. `chunk` objects are asked for at a time, 0 asks for all; `seen` counts along.
pub(super) async fn list<T>(
    requests: &Requests,
    spec: &Spec<'_, T>,
    chunk: u32,
    seen: &Cell<usize>,
) -> Collected<T> {
    let mut walk = Walk {
        requests,
        spec,
        chunk,
        seen,
        collected: Collected::default(),
    };
    for beginning in 1..=BEGINNINGS {
        walk.collected = Collected::default();
        match walk.every_page().await {
            Ok(()) => break,
            // The list has moved on under us. It is begun again, the last time in one piece: that cannot expire.
            Err(RequestError::Expired(_)) if beginning < BEGINNINGS => {
                if beginning + 1 == BEGINNINGS {
                    walk.chunk = 0;
                }
            }
            Err(RequestError::Expired(_)) => walk.collected.fault = Some(RequestError::Expired(beginning)),
            Err(fault) => {
                walk.collected.fault = Some(fault);
                break;
            }
        }
    }
    walk.collected.items.shrink_to_fit();
    walk.collected
}

impl<T> Walk<'_, T> {
    async fn every_page(&mut self) -> Result<(), RequestError> {
        let mut next = Some(Page {
            token: None,
            asked: None,
        });
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
                    self.collected.back_to(mark);
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
                        let meta = proto::ListMeta::decode(meta).map_err(|error| garbled(&error))?;
                        let more = String::from_utf8_lossy(&meta.r#continue).into_owned();
                        next = self.ask_ahead(Some(more), token)?;
                    }
                    Part::Item(item) => {
                        let name = item.clone();
                        self.collected
                            .add(|| proto::name_of(name), (self.spec.protobuf)(item));
                        self.seen.set(self.collected.listed);
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
        let bytes = answer.whole(LARGEST_PAGE).await?;
        let listed = self.collected.listed;
        let spec = self.spec;
        let collected = &mut self.collected;
        let head = json::list(&bytes, |text| {
            collected.add(|| json_name(text), (spec.json)(text));
        })
        .map_err(|error| RequestError::Garbled(error.to_string()))?;
        self.seen.set(self.collected.listed);
        self.show_page(Encoding::Json, bytes.len(), listed);
        self.check_kind(head.kind.as_deref())?;
        self.ask_ahead(head.next, token)
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
                crate::collect::connect::request_error::cut(kind),
                self.spec.kind
            ))),
            None => Err(RequestError::Garbled(format!("it is no {}", self.spec.kind))),
        }
    }

    /// Asks for the page behind this one.
    fn ask_ahead(&self, next: Option<String>, token: Option<&str>) -> Result<Option<Page>, RequestError> {
        let Some(next) = next.filter(|next| !next.is_empty()) else {
            return Ok(None);
        };
        if Some(next.as_str()) == token {
            return Err(RequestError::Garbled(
                "its continue token leads back to the same page".to_owned(),
            ));
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
            query.push(self.spec.query.to_owned());
        }
        if self.chunk > 0 {
            query.push(format!("limit={}", self.chunk));
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

/// A value of a query, or a segment of a path.
pub(super) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// The name of an item in JSON that does not read as a whole.
fn json_name(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        metadata: Name,
    }
    #[derive(serde::Deserialize)]
    struct Name {
        name: String,
    }
    serde_json::from_str::<Named>(text)
        .ok()
        .map(|named| named.metadata.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_encoded_for_the_query() {
        assert_eq!(encoded("a+b/c=~ü"), "a%2Bb%2Fc%3D~%C3%BC");
    }

    #[test]
    fn the_name_of_a_broken_item_is_found() {
        assert_eq!(
            json_name(r#"{"metadata":{"name":"n1"},"status":7}"#).as_deref(),
            Some("n1")
        );
        assert_eq!(json_name(r#"{"metadata":7}"#), None);
    }
}
