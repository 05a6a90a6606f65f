//! What answered a request: a body to read on, a refusal in either encoding, or something that is not of the
//! Kubernetes API at all.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use kube::client::Body;
use tokio::time::{Instant, timeout_at};

use super::encoding::Encoding;
use super::log;
use super::retry_after::retry_after;
use crate::collect::connect::console::Console;
use crate::collect::connect::request_error::{RequestError, StatusError};
use crate::collect::wire::{json, proto};

/// A refusal is short; what comes beyond is some page.
pub(super) const LARGEST_REFUSAL: usize = 1 << 20;

/// An answer whose body is still to come.
pub(super) struct Answer {
    pub(super) encoding: Encoding,
    body: Body,
    until: Instant,
    too_long: RequestError,
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
pub(super) async fn of(
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
    let encoding = Encoding::of(&content_type);
    let mut answer = Answer {
        encoding: encoding.unwrap_or(Encoding::Json),
        body: response.into_body(),
        until,
        too_long,
    };
    if status == StatusCode::OK && encoding.is_some() {
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
            let (reason, message) = proto::refusal(body).unwrap_or_default();
            status(reason, message)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_read_in_every_encoding() {
        let json =
            br#"{"kind":"Status","reason":"Forbidden","message":"User \"ann\" cannot list","code":403}"#;
        let RequestError::Status(status) = refusal(403, "application/json", Some(Encoding::Json), None, json)
        else {
            panic!("no status")
        };
        assert_eq!(status.reason.as_deref(), Some("Forbidden"));
        assert_eq!(status.user().as_deref(), Some("ann"));

        // `Status{reason: "Expired"}` in its envelope.
        let mut body = proto::list::MAGIC.to_vec();
        body.extend([0x12, 9, 0x22, 7]);
        body.extend(b"Expired");
        let kind = Some(Encoding::Protobuf);
        let RequestError::Status(status) =
            refusal(410, "application/vnd.kubernetes.protobuf", kind, None, &body)
        else {
            panic!("no status")
        };
        assert_eq!((status.code, status.reason.as_deref()), (410, Some("Expired")));

        let plain = refusal(
            404,
            "text/plain; charset=utf-8",
            None,
            None,
            b"404 page not found\n",
        );
        assert_eq!(
            plain.to_string(),
            "the server answered 404 Not Found: 404 page not found"
        );
    }

    #[test]
    fn a_login_page_is_named_and_a_gateways_page_keeps_its_status() {
        let page = b"<html><head><TITLE>\n Sign in\x1b[2J </TITLE></head>";
        let fault = refusal(200, "text/html; charset=utf-8", None, None, page);
        assert_eq!(
            fault.to_string(),
            "what answered is not a Kubernetes API server: status 200, text/html; charset=utf-8 titled \"Sign in\\u{1b}[2J\""
        );
        let gateway = refusal(502, "text/html", None, None, b"<title>502 Bad Gateway</title>");
        assert!(gateway.is_passing());
        assert_eq!(
            gateway.to_string(),
            "the server answered 502 Bad Gateway: 502 Bad Gateway"
        );
    }

    #[test]
    fn what_is_no_success_is_never_an_answer() {
        for code in [201, 204, 206, 301, 302, 304] {
            let fault = refusal(code, "application/json", Some(Encoding::Json), None, b"{}");
            assert_eq!(fault.code(), Some(code));
        }
    }
}
