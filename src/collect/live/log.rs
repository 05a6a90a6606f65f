//! Requests on stderr at `-v=6` and above, in the manner of kubectl: 6 the URL, status and time, 7 the
//! request's headers, 8 the response's too and the beginning of a document that is no list.
//!
//! Credentials are masked at every level. Of a list the size alone is told: the environment of a pod and the
//! annotations of an object may hold passwords that nothing here could know, and a login page its form's tokens.

use std::fmt::Write;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::encoding::Encoding;
use crate::collect::connect::console::Console;
use crate::collect::connect::request_error::RequestError;
use crate::collect::masking::{cut, escaped};

/// Headers whose value is a credential, whatever a server or a proxy puts into them.
const CREDENTIALS: [&str; 5] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "proxy-authenticate",
];

/// So many characters of a document are shown, as kubectl shows at 8.
const LONGEST_BODY: usize = 1_024;

/// Schemes of `Authorization` that are no secret themselves.
const SCHEMES: [&str; 3] = ["bearer", "basic", "negotiate"];

/// A request that is about to be sent.
pub(super) fn request(console: &Console, url: &str, accept: &str, headers: &[(HeaderName, HeaderValue)]) {
    if !console.is_enabled(7) {
        return;
    }
    let accept = HeaderValue::from_str(accept).ok();
    let accept = accept.iter().map(|value| (&http::header::ACCEPT, value));
    let headers = shown(accept.chain(headers.iter().map(|(name, value)| (name, value))));
    let headers = lines(&headers);
    console.log(
        7,
        &format!(
            "\"Request\" verb=\"GET\" url=\"{}\" headers=<\n{headers} >",
            escaped(url)
        ),
    );
}

/// What came of it.
pub(super) fn response(
    console: &Console,
    url: &str,
    outcome: Result<(StatusCode, &HeaderMap), &RequestError>,
    took: Duration,
) {
    if !console.is_enabled(6) {
        return;
    }
    let millis = took.as_millis();
    let url = escaped(url);
    match outcome {
        Ok((status, headers)) => {
            let status = status.to_string();
            let mut line = format!(
                "\"Response\" verb=\"GET\" url=\"{url}\" status=\"{}\"",
                status.trim_end()
            );
            if console.is_enabled(8) {
                let _ = write!(line, " headers=<\n{} >", lines(&shown(headers.iter())));
            }
            console.log(6, &format!("{line} milliseconds={millis}"));
        }
        Err(fault) => {
            console.log(
                6,
                &format!("\"Response\" verb=\"GET\" url=\"{url}\" error=\"{fault}\" milliseconds={millis}"),
            );
        }
    }
}

/// What the response said, as far as it is a document that can be shown.
pub(super) fn body(console: &Console, encoding: Option<Encoding>, content_type: &str, bytes: &[u8]) {
    if !console.is_enabled(8) {
        return;
    }
    if encoding != Some(Encoding::Json) && !content_type.starts_with("text/plain") {
        let kind = if content_type.is_empty() {
            "no content type"
        } else {
            content_type
        };
        console.log(
            8,
            &format!(
                "\"Response Body\" bytes={} contentType=\"{}\"",
                bytes.len(),
                cut(kind)
            ),
        );
        return;
    }
    // Masked before it is cut, or half a secret could stand at the cut.
    let text = console.mask(&String::from_utf8_lossy(bytes));
    let mut body: String = text.chars().take(LONGEST_BODY).collect();
    let beyond = text.chars().count().saturating_sub(LONGEST_BODY);
    if beyond > 0 {
        let _ = write!(body, " [truncated {beyond} chars]");
    }
    let shown = body.lines().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "\t{}", escaped(line));
        text
    });
    console.log(8, &format!("\"Response Body\" body=<\n{shown} >"));
}

/// A page of a list, of which the size is told.
pub(super) fn page(console: &Console, encoding: Encoding, bytes: usize, items: usize) {
    let kind = match encoding {
        Encoding::Protobuf => "protobuf",
        Encoding::Json => "JSON",
    };
    console.log(
        8,
        &format!("\"Response Body\" bytes={bytes} encoding=\"{kind}\" items={items}"),
    );
}

/// The headers in the order of their names, credentials masked.
fn shown<'a>(headers: impl Iterator<Item = (&'a HeaderName, &'a HeaderValue)>) -> Vec<(String, String)> {
    let mut shown: Vec<(String, String)> = headers
        .map(|(name, value)| {
            let text = String::from_utf8_lossy(value.as_bytes());
            let is_hidden = value.is_sensitive() || CREDENTIALS.contains(&name.as_str());
            let value = if is_hidden {
                masked(name, &text)
            } else {
                cut(&text)
            };
            (canonical(name), value)
        })
        .collect();
    shown.sort();
    shown
}

/// A credential, of which kubectl too shows the scheme and no more.
fn masked(name: &HeaderName, value: &str) -> String {
    let scheme = value.split_once(' ').map(|(scheme, _)| scheme);
    let known = |scheme: &&str| SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
    match scheme.filter(known) {
        Some(scheme) if *name == http::header::AUTHORIZATION => format!("{scheme} <masked>"),
        _ => "<masked>".to_owned(),
    }
}

/// A header's name as Go writes it.
fn canonical(name: &HeaderName) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    name.as_str().split('-').map(word).collect::<Vec<_>>().join("-")
}

fn lines(headers: &[(String, String)]) -> String {
    headers.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "\t{name}: {value}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::collect::masking::SecretString;

    #[derive(Clone, Default)]
    struct Ear(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Ear {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is heard at that level, without the heads of the lines.
    fn heard(verbosity: i32, speak: impl FnOnce(&Console)) -> String {
        let ear = Ear::default();
        let console = Console::to(verbosity, Box::new(ear.clone()));
        console.add_secrets([SecretString::new("s3cret-token")]);
        speak(&console);
        let heard = String::from_utf8(ear.0.lock().unwrap().clone()).unwrap();
        let text = |line: &str| line.split_once("] ").map_or(line, |(_, text)| text).to_owned();
        heard.lines().map(text).collect::<Vec<_>>().join("\n")
    }

    fn header(name: &'static str, value: &'static str) -> (HeaderName, HeaderValue) {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    }

    fn shown_lines(headers: &[(HeaderName, HeaderValue)]) -> String {
        lines(&shown(headers.iter().map(|(name, value)| (name, value))))
    }

    #[test]
    fn credentials_are_masked_whoever_sends_them() {
        let mut sensitive = HeaderValue::from_static("s3cret");
        sensitive.set_sensitive(true);
        let headers = [
            (HeaderName::from_static("x-custom"), sensitive),
            header("set-cookie", "s3cret"),
            header("audit-id", "7"),
            header("authorization", "Bearer s3cret"),
            header("proxy-authorization", "Basic s3cret"),
        ];
        assert_eq!(
            shown_lines(&headers),
            "\tAudit-Id: 7\n\tAuthorization: Bearer <masked>\n\tProxy-Authorization: <masked>\n\
             \tSet-Cookie: <masked>\n\tX-Custom: <masked>\n"
        );
        // One word is the credential itself, and a scheme that nobody knows may be.
        for odd in ["s3cret", "s3cret s3cret"] {
            assert_eq!(
                shown_lines(&[header("authorization", odd)]),
                "\tAuthorization: <masked>\n"
            );
        }
    }

    #[test]
    fn a_request_is_shown_with_its_headers_from_7_on() {
        let headers = [
            header("authorization", "Bearer s3cret"),
            header("user-agent", "it's me"),
        ];
        let ask = |console: &Console| request(console, "https://x/a?b='c'", "application/json", &headers);
        assert_eq!(heard(6, ask), "");
        assert_eq!(
            heard(8, ask),
            "\"Request\" verb=\"GET\" url=\"https://x/a?b='c'\" headers=<\n\tAccept: application/json\n\
             \tAuthorization: Bearer <masked>\n\tUser-Agent: it's me\n >"
        );
    }

    #[test]
    fn a_document_is_shown_as_far_as_kubectl_shows_it() {
        let show =
            |text: String| move |console: &Console| body(console, Some(Encoding::Json), "", text.as_bytes());
        assert_eq!(heard(7, show("{}".to_owned())), "");
        assert_eq!(
            heard(8, show("{\n  \"a\": \"\u{1b}[31m\"\n}".to_owned())),
            "\"Response Body\" body=<\n\t{\n\t  \"a\": \"\\u{1b}[31m\"\n\t}\n >"
        );
        let long = "x".repeat(20_000);
        assert!(heard(8, show(long)).ends_with("x [truncated 18976 chars]\n >"));
    }

    #[test]
    fn no_part_of_a_secret_stands_at_the_cut() {
        let text = format!("{}s3cret-token", "x".repeat(1_020));
        let heard = heard(8, |console| {
            body(console, Some(Encoding::Json), "", text.as_bytes());
        });
        assert!(heard.contains("xxx<mas [truncated"), "{heard}");
    }

    #[test]
    fn of_a_page_and_of_protobuf_the_size_is_told() {
        let login = |console: &Console| body(console, None, "text/html", b"<input value=s3cret>");
        assert_eq!(
            heard(10, login),
            "\"Response Body\" bytes=20 contentType=\"text/html\""
        );
        let plain = |console: &Console| body(console, None, "text/plain", b"no");
        assert_eq!(heard(8, plain), "\"Response Body\" body=<\n\tno\n >");
        let list = |console: &Console| page(console, Encoding::Protobuf, 1_234, 5);
        assert_eq!(
            heard(8, list),
            "\"Response Body\" bytes=1234 encoding=\"protobuf\" items=5"
        );
    }
}
