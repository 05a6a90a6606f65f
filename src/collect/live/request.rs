//! One GET: its headers, its time limits, asking again where that may help, and what its answer is: protobuf,
//! JSON, a refusal in either, or something that is not of the Kubernetes API at all.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER, WARNING};
use http::{HeaderName, HeaderValue, Request, Response, Uri};
use http_body_util::BodyExt;
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use prost::Message;
use tokio::time::{Instant, sleep, timeout_at};

use super::retry_after::retry_after;
use super::{log, redirect};
use crate::collect::connect::console::Console;
use crate::collect::connect::request_error::{RequestError, StatusError};
use crate::collect::connect::{Connection, Limits};
use crate::collect::wire::{json, proto, proto_list};

/// What lists are asked for in: protobuf, and JSON where a server has none.
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf, application/json";

/// What everything else is asked for in.
pub(super) const JSON: &str = "application/json";

/// A refusal is short; what comes beyond is some page.
const LARGEST_REFUSAL: usize = 1 << 20;

/// How often one thing is asked for.
const TRIES: u32 = 4;

/// A server that asks to wait longer than this is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Everything that a request needs.
#[derive(Clone)]
pub(super) struct Requests {
    client: Client,
    pub(super) console: Arc<Console>,
    limits: Limits,
    /// When the whole run must be over.
    deadline: Instant,
    /// The server's address, to be shown.
    base: String,
    headers: Arc<[(HeaderName, HeaderValue)]>,
}

/// An answer whose body is still to come.
pub(super) struct Answer {
    pub(super) encoding: Encoding,
    body: Body,
    until: Instant,
    too_long: RequestError,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Protobuf,
    Json,
}

/// How often one thing was asked for, and when to give up.
#[derive(Debug, Default)]
pub(super) struct Tries {
    made: u32,
}

impl Requests {
    pub(super) fn new(connection: &Connection, deadline: Instant) -> Self {
        Self {
            client: connection.clients.shared.clone(),
            console: Arc::clone(&connection.console),
            limits: connection.limits,
            deadline,
            base: connection
                .address
                .uri
                .to_string()
                .trim_end_matches('/')
                .to_owned(),
            headers: connection.clients.headers.clone().into(),
        }
    }

    /// The same requests over connections of their own.
    pub(super) fn over(&self, client: Client) -> Self {
        Self {
            client,
            ..self.clone()
        }
    }

    /// Asks until there is an answer or no more use in asking.
    pub(super) async fn get(
        &self,
        path: &str,
        accept: &'static str,
        tries: &mut Tries,
    ) -> Result<Answer, RequestError> {
        loop {
            match self.once(path, accept).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => self.pause(fault, tries).await?,
            }
        }
    }

    /// Asks for something small and reads it whole.
    pub(super) async fn text(&self, path: &str) -> Result<Vec<u8>, RequestError> {
        let mut tries = Tries::default();
        loop {
            let mut answer = self.get(path, JSON, &mut tries).await?;
            match answer.whole(LARGEST_REFUSAL).await {
                Ok(_) if answer.encoding != Encoding::Json => {
                    return Err(RequestError::Garbled(
                        "protobuf came where JSON was asked for".to_owned(),
                    ));
                }
                Ok(bytes) => {
                    log::body(&self.console, Some(answer.encoding), JSON, &bytes);
                    return Ok(bytes);
                }
                Err(fault) => self.pause(fault, &mut tries).await?,
            }
        }
    }

    /// Waits before asking again, or gives the fault back where that would not help.
    pub(super) async fn pause(&self, fault: RequestError, tries: &mut Tries) -> Result<(), RequestError> {
        tries.made += 1;
        let backoff = Duration::from_millis(100) * 2_u32.pow(tries.made.min(8));
        let pause = fault.retry_after().unwrap_or_default().max(backoff);
        let in_time = || Instant::now() + pause < self.deadline;
        if !fault.is_passing() || tries.made >= TRIES || pause > LONGEST_PAUSE || !in_time() {
            return Err(fault);
        }
        self.console.log(
            6,
            &format!("\"Asking again\" after={pause:?} because=\"{fault}\""),
        );
        sleep(pause).await;
        Ok(())
    }

    async fn once(&self, path: &str, accept: &'static str) -> Result<Answer, RequestError> {
        let started = Instant::now();
        let (until, too_long) = match self.limits.request {
            Some(limit) if started + limit < self.deadline => {
                (started + limit, RequestError::TimedOut(limit))
            }
            _ => (self.deadline, RequestError::RunTimedOut(self.limits.run)),
        };
        let mut url: Uri = format!("{}{path}", self.base)
            .parse()
            .map_err(|_| RequestError::Garbled("its address does not read".to_owned()))?;
        let mut response = self.send(&url, accept, until, &too_long).await?;
        for _ in 0..redirect::MOST {
            let Some(to) = redirect::target(&response, &url) else {
                break;
            };
            url = to?;
            response = self.send(&url, accept, until, &too_long).await?;
        }
        answer(response, until, too_long, &self.console)
            .await
            .map_err(|fault| self.masked(fault))
    }

    async fn send(
        &self,
        url: &Uri,
        accept: &'static str,
        until: Instant,
        too_long: &RequestError,
    ) -> Result<Response<Body>, RequestError> {
        let started = Instant::now();
        let shown = url.to_string();
        log::request(&self.console, &shown, accept, &self.headers);
        let path = url.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path)
            .header(ACCEPT, accept)
            .body(Body::empty())
            .map_err(|error| RequestError::Garbled(error.to_string()))?;
        let response = match timeout_at(until, self.client.send(request)).await {
            Err(_) => Err(too_long.clone()),
            Ok(Err(error)) => Err(RequestError::of_client(&error)),
            Ok(Ok(response)) => Ok(response),
        };
        let outcome = response
            .as_ref()
            .map(|response| (response.status(), response.headers()));
        log::response(&self.console, &shown, outcome, started.elapsed());
        let response = response?;
        self.show_warnings(response.headers());
        Ok(response)
    }

    /// A server's words may repeat what was sent to it.
    fn masked(&self, fault: RequestError) -> RequestError {
        let mask = |text: Option<String>| text.map(|text| self.console.mask(&text));
        match fault {
            RequestError::Status(status) => RequestError::Status(StatusError {
                reason: mask(status.reason),
                message: mask(status.message),
                ..status
            }),
            RequestError::NotKubernetes {
                code,
                content_type,
                title,
            } => RequestError::NotKubernetes {
                code,
                content_type,
                title: mask(title),
            },
            other => other,
        }
    }

    fn show_warnings(&self, headers: &HeaderMap) {
        for value in headers.get_all(WARNING) {
            if let Some(text) = value.to_str().ok().and_then(warning_text) {
                self.console.warn(&text);
            }
        }
    }
}

impl Answer {
    /// The next bytes of the body; `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, RequestError> {
        loop {
            let frame = timeout_at(self.until, self.body.frame())
                .await
                .map_err(|_| self.too_long.clone())?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(RequestError::of_body(&error)),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// The whole body, where it is no longer than that.
    pub(super) async fn whole(&mut self, longest: usize) -> Result<Vec<u8>, RequestError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > longest {
                return Err(RequestError::Garbled(format!(
                    "it is longer than {longest} bytes"
                )));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

/// Looks at the head of a response: an answer to read on, or a refusal read to its end.
async fn answer(
    response: Response<Body>,
    until: Instant,
    too_long: RequestError,
    console: &Console,
) -> Result<Answer, RequestError> {
    let status = response.status();
    let headers = response.headers();
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let wait = headers
        .get(RETRY_AFTER)
        .and_then(|value| retry_after(value.to_str().ok()?, Timestamp::now()));
    let encoding = encoding(&content_type);
    let mut answer = Answer {
        encoding: encoding.unwrap_or(Encoding::Json),
        body: response.into_body(),
        until,
        too_long,
    };
    if status == http::StatusCode::OK && encoding.is_some() {
        return Ok(answer);
    }
    // A refusal may be cut short or too long: its status says enough.
    let body = match answer.whole(LARGEST_REFUSAL).await {
        Ok(body) => body,
        Err(fault @ (RequestError::TimedOut(_) | RequestError::RunTimedOut(_))) => return Err(fault),
        Err(_) => Vec::new(),
    };
    log::body(console, encoding, &content_type, &body);
    Err(refusal(status.as_u16(), &content_type, encoding, wait, &body))
}

fn encoding(content_type: &str) -> Option<Encoding> {
    let essence = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "application/vnd.kubernetes.protobuf" => Some(Encoding::Protobuf),
        "application/json" => Some(Encoding::Json),
        _ => None,
    }
}

fn refusal(
    code: u16,
    content_type: &str,
    encoding: Option<Encoding>,
    retry_after: Option<Duration>,
    body: &[u8],
) -> RequestError {
    let status = |reason, message| {
        RequestError::Status(StatusError {
            code,
            reason,
            message,
            retry_after,
        })
    };
    match encoding {
        Some(Encoding::Protobuf) => {
            let told = proto_status(body).unwrap_or_default();
            let text = |bytes: &Bytes| {
                Some(String::from_utf8_lossy(bytes).into_owned()).filter(|text| !text.is_empty())
            };
            status(text(&told.reason), text(&told.message))
        }
        Some(Encoding::Json) => {
            let told = json::refusal(body).unwrap_or_default();
            status(told.reason, told.message)
        }
        None => {
            let text = String::from_utf8_lossy(body);
            let is_plain = content_type.starts_with("text/plain") || content_type.is_empty();
            if code >= 400 && is_plain {
                let message = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                return status(None, message);
            }
            // A gateway's page for an error of the server behind it is that error.
            if matches!(code, 401 | 403 | 429 | 500..) {
                return status(None, title(&text));
            }
            RequestError::NotKubernetes {
                code,
                content_type: content_type.to_owned(),
                title: title(&text),
            }
        }
    }
}

/// A `Status` in its protobuf envelope.
fn proto_status(body: &[u8]) -> Option<proto::Status> {
    #[derive(Clone, PartialEq, Message)]
    struct Unknown {
        #[prost(bytes = "bytes", tag = "2")]
        raw: Bytes,
    }
    let envelope = Unknown::decode(body.strip_prefix(proto_list::MAGIC)?).ok()?;
    proto::Status::decode(envelope.raw).ok()
}

/// The title of an HTML page.
fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = page
        .get(start..end)?
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    (!title.is_empty()).then_some(title)
}

/// The text of a `Warning` header that Kubernetes sends: code 299, an agent, a quoted text.
fn warning_text(value: &str) -> Option<String> {
    let rest = value.trim().strip_prefix("299 ")?;
    let (_agent, rest) = rest.trim_start().split_once(' ')?;
    let mut text = String::new();
    let mut chars = rest.trim_start().strip_prefix('"')?.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            _ => text.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests;
