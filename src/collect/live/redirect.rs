//! Redirects are not followed: credentials would go along, and an API server that clients reach by its address
//! sends none. What remains is to say where one leads.

use http::header::LOCATION;
use http::{HeaderMap, StatusCode, Uri};

use crate::collect::connect::request_error::RequestError;

/// The fault that a redirect is; `None` for every other response.
pub(super) fn fault(status: StatusCode, headers: &HeaderMap, asked: &Uri) -> Option<RequestError> {
    if !status.is_redirection() {
        return None;
    }
    let location = headers.get(LOCATION)?.to_str().ok()?;
    Some(RequestError::Elsewhere {
        code: status.as_u16(),
        to: target(location, asked)?,
    })
}

/// Scheme, host and port of a location, and nothing of what follows: it may be a secret.
fn target(location: &str, asked: &Uri) -> Option<String> {
    let scheme = asked.scheme_str()?;
    let whole = match location {
        "" => return None,
        url if url.contains("://") => url.to_owned(),
        host if host.starts_with("//") => format!("{scheme}:{host}"),
        _ => format!("{scheme}://{}", asked.authority()?),
    };
    let uri: Uri = whole.parse().ok()?;
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", uri.scheme_str()?, uri.host()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_of(status: StatusCode, location: &str) -> Option<String> {
        let asked = Uri::from_static("https://k.example:6443/api/v1/nodes?limit=500");
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        fault(status, &headers, &asked).map(|fault| match fault {
            RequestError::Elsewhere { code, to } => format!("{code} {to}"),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_redirect_is_told_without_its_path_and_login() {
        for (location, to) in [
            ("https://login.example/?token=s3cret", "302 https://login.example"),
            ("//login.example:8443/s3cret", "302 https://login.example:8443"),
            ("https://ann:s3cret@login.example/", "302 https://login.example"),
            ("/real?token=s3cret", "302 https://k.example:6443"),
            ("?limit=1", "302 https://k.example:6443"),
        ] {
            assert_eq!(
                target_of(StatusCode::FOUND, location).as_deref(),
                Some(to),
                "{location}"
            );
        }
    }

    #[test]
    fn everything_else_leads_nowhere() {
        for (status, location) in [
            (StatusCode::FOUND, ""),
            (StatusCode::FOUND, "https://"),
            (StatusCode::OK, "/x"),
        ] {
            assert_eq!(target_of(status, location), None, "{status} {location}");
        }
    }
}
