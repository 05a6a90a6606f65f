//! Redirects: followed as Go follows them while they stay with the server. To another one kubectl takes its credentials
//! along, over plain HTTP too; here they are not.

use http::header::LOCATION;
use http::{Response, StatusCode, Uri};

use crate::collect::connect::request_error::{RequestError, cut};

/// How often one request is led on, as in Go.
pub(super) const MOST: usize = 10;

/// Where a response leads, if it leads anywhere.
pub(super) fn target<B>(response: &Response<B>, asked: &Uri) -> Option<Result<Uri, RequestError>> {
    let status = response.status();
    let leads = matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response
        .headers()
        .get(LOCATION)
        .filter(|_| leads)?
        .to_str()
        .ok()?;
    let to = resolved(location.split('#').next()?, asked)?;
    Some(if origin(&to) == origin(asked) {
        Ok(to)
    } else {
        Err(RequestError::Elsewhere {
            code: status.as_u16(),
            to: shown(&to),
        })
    })
}

/// A location as it is meant from the address that was asked for.
fn resolved(location: &str, asked: &Uri) -> Option<Uri> {
    let scheme = asked.scheme_str()?;
    let here = format!("{scheme}://{}", asked.authority()?);
    let folder = asked.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = match location {
        "" => return None,
        url if url.contains("://") => url.to_owned(),
        host if host.starts_with("//") => format!("{scheme}:{host}"),
        path if path.starts_with('/') => format!("{here}{path}"),
        query if query.starts_with('?') => format!("{here}{}{query}", asked.path()),
        name => format!("{here}{folder}/{name}"),
    };
    whole.parse().ok().filter(|to: &Uri| to.host().is_some())
}

/// Scheme, host and port.
fn origin(uri: &Uri) -> (Option<String>, Option<String>, Option<u16>) {
    let scheme = uri.scheme_str().map(str::to_ascii_lowercase);
    let usual = match scheme.as_deref() {
        Some("https") => Some(443),
        Some("http") => Some(80),
        _ => None,
    };
    let host = uri.host().map(str::to_ascii_lowercase);
    (scheme, host, uri.port_u16().or(usual))
}

/// The origin alone: what follows it may be a secret.
fn shown(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    cut(&format!(
        "{}://{host}{port}",
        uri.scheme_str().unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(code: u16, location: &str) -> Option<Result<String, String>> {
        let asked = Uri::from_static("https://k.example/k8s/api/v1/nodes?limit=500");
        let response = Response::builder()
            .status(code)
            .header(LOCATION, location)
            .body(())
            .unwrap();
        target(&response, &asked).map(|to| to.map(|to| to.to_string()).map_err(|fault| fault.to_string()))
    }

    #[test]
    fn a_redirect_within_the_server_is_followed() {
        for (location, to) in [
            ("/real?limit=1", "https://k.example/real?limit=1"),
            ("HTTPS://K.example:443/x#y", "https://K.example:443/x"),
            ("//k.example/x", "https://k.example/x"),
            ("pods", "https://k.example/k8s/api/v1/pods"),
            ("?limit=1", "https://k.example/k8s/api/v1/nodes?limit=1"),
        ] {
            assert_eq!(led(302, location), Some(Ok(to.to_owned())), "{location}");
        }
    }

    #[test]
    fn a_redirect_to_another_server_is_told_without_its_path() {
        for location in [
            "https://login.example/?token=s3cret",
            "//login.example:443",
            "http://k.example/",
            "https://k.example:8443/",
        ] {
            let told = led(307, location).unwrap().unwrap_err();
            assert!(told.contains("307") && !told.contains("s3cret"), "{told}");
        }
    }

    #[test]
    fn everything_else_leads_nowhere() {
        for (code, location) in [
            (302, ""),
            (302, "https://"),
            (200, "/x"),
            (304, "/x"),
            (300, "/x"),
        ] {
            assert_eq!(led(code, location), None, "{code} {location}");
        }
    }
}
