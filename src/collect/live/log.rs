//! Requests on stderr at `-v=6` and above, in the manner of kubectl: 6 the URL, status and time, 7 the
//! request's headers, 8 and 9 the response's too. Credentials are masked at every level, and bodies are not
//! shown: those of pods may hold anything.

use std::fmt::Write;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::collect::connect::fault::{Fault, cut};
use crate::collect::connect::voice::Voice;

/// Headers whose value is a credential, whatever a server or a proxy puts into them.
const CREDENTIALS: [&str; 5] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "proxy-authenticate",
];

/// A request that is about to be sent.
pub(super) fn request(voice: &Voice, url: &str, accept: &str, headers: &[(HeaderName, HeaderValue)]) {
    if !voice.says(7) {
        return;
    }
    let accept = HeaderValue::from_str(accept).ok();
    let accept = accept.iter().map(|value| (&http::header::ACCEPT, value));
    let shown = lines(accept.chain(headers.iter().map(|(name, value)| (name, value))));
    voice.trace(
        7,
        &format!(
            "\"Request\" verb=\"GET\" url=\"{}\" headers=<\n{shown} >",
            cut(url)
        ),
    );
}

/// What came of it.
pub(super) fn response(
    voice: &Voice,
    url: &str,
    outcome: Result<(StatusCode, &HeaderMap), &Fault>,
    took: Duration,
) {
    if !voice.says(6) {
        return;
    }
    let millis = took.as_millis();
    let url = cut(url);
    match outcome {
        Ok((status, headers)) => {
            let status = status.to_string();
            let mut line = format!(
                "\"Response\" verb=\"GET\" url=\"{url}\" status=\"{}\"",
                status.trim_end()
            );
            if voice.says(8) {
                let _ = write!(line, " headers=<\n{} >", lines(headers.iter()));
            }
            voice.trace(6, &format!("{line} milliseconds={millis}"));
        }
        Err(fault) => {
            voice.trace(
                6,
                &format!("\"Response\" verb=\"GET\" url=\"{url}\" error=\"{fault}\" milliseconds={millis}"),
            );
        }
    }
}

fn lines<'a>(headers: impl Iterator<Item = (&'a HeaderName, &'a HeaderValue)>) -> String {
    let mut lines: Vec<String> = headers
        .map(|(name, value)| {
            let hidden = value.is_sensitive() || CREDENTIALS.contains(&name.as_str());
            let shown = if hidden {
                "<masked>".to_owned()
            } else {
                cut(&String::from_utf8_lossy(value.as_bytes()))
            };
            format!("\t{name}: {shown}\n")
        })
        .collect();
    lines.sort();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_whoever_sends_them() {
        let mut sensitive = HeaderValue::from_static("s3cret");
        sensitive.set_sensitive(true);
        let headers = [
            (HeaderName::from_static("x-custom"), sensitive),
            (
                HeaderName::from_static("set-cookie"),
                HeaderValue::from_static("s3cret"),
            ),
            (HeaderName::from_static("audit-id"), HeaderValue::from_static("7")),
        ];
        let shown = lines(headers.iter().map(|(name, value)| (name, value)));
        assert_eq!(
            shown,
            "\taudit-id: 7\n\tset-cookie: <masked>\n\tx-custom: <masked>\n"
        );
    }
}
