//! One GET: its headers, its time limits, asking again where that may help. What answers it is read in [`answer`].

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, HeaderMap, WARNING};
use http::{HeaderName, HeaderValue, Request, Uri};
use kube::Client;
use kube::client::Body;
use tokio::time::{Instant, sleep, timeout_at};

use super::answer::{self, Answer};
use super::encoding::{Encoding, JSON};
use super::{log, redirect};
use crate::collect::connect::console::Console;
use crate::collect::connect::request_error::RequestError;
use crate::collect::connect::{Connection, Limits};

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

/// How often one thing was asked for, and when to give up.
#[derive(Debug, Default)]
pub(super) struct Tries {
    made: u32,
}

impl Requests {
    pub(super) fn new(connection: &Connection, deadline: Instant) -> Self {
        Self {
            client: connection.client.clone(),
            console: Arc::clone(&connection.console),
            limits: connection.limits,
            deadline,
            base: connection
                .address
                .uri
                .to_string()
                .trim_end_matches('/')
                .to_owned(),
            headers: connection.clients.headers().into(),
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
            match self.attempt(path, accept).await {
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
            match answer.whole(answer::LARGEST_REFUSAL).await {
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

    async fn attempt(&self, path: &str, accept: &'static str) -> Result<Answer, RequestError> {
        let started = Instant::now();
        let (until, too_long) = match self.limits.request {
            Some(limit) if started + limit < self.deadline => {
                (started + limit, RequestError::TimedOut(limit))
            }
            _ => (self.deadline, RequestError::RunTimedOut(self.limits.run)),
        };
        let url: Uri = format!("{}{path}", self.base)
            .parse()
            .map_err(|_| RequestError::Garbled("its address does not read".to_owned()))?;
        let shown = url.to_string();
        log::request(&self.console, &shown, accept, &self.headers);
        let request = Request::get(url.path_and_query().map_or("/", |path| path.as_str()))
            .header(ACCEPT, accept)
            .body(Body::empty())
            .map_err(|error| RequestError::Garbled(error.to_string()))?;
        let response = match timeout_at(until, self.client.send(request)).await {
            Err(_) => Err(too_long.clone()),
            Ok(Err(error)) => Err(RequestError::of_client(&error).map_texts(|text| self.console.mask(text))),
            Ok(Ok(response)) => Ok(response),
        };
        let outcome = response
            .as_ref()
            .map(|response| (response.status(), response.headers()));
        log::response(&self.console, &shown, outcome, started.elapsed());
        let response = response?;
        self.show_warnings(response.headers());
        let answer = match redirect::fault(response.status(), response.headers(), &url) {
            Some(fault) => Err(fault),
            None => answer::of(response, until, too_long, &self.console).await,
        };
        answer.map_err(|fault| fault.map_texts(|text| self.console.mask(text)))
    }

    fn show_warnings(&self, headers: &HeaderMap) {
        for value in headers.get_all(WARNING) {
            if let Some(text) = value.to_str().ok().and_then(warning_text) {
                self.console.warn(&text);
            }
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
mod tests {
    use super::*;

    #[test]
    fn a_token_is_encoded_for_the_query() {
        assert_eq!(encoded("a+b/c=~ü"), "a%2Bb%2Fc%3D~%C3%BC");
    }

    #[test]
    fn warnings_read_as_kubernetes_writes_them() {
        let text = |value| warning_text(value);
        assert_eq!(text(r#"299 - "v1 is old""#).as_deref(), Some("v1 is old"));
        assert_eq!(
            text(r#"299 agent "say \"hi\"" "Mon""#).as_deref(),
            Some("say \"hi\"")
        );
        for other in [r#"199 - "x""#, "299 - x", r#"299 - "x"#, ""] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
