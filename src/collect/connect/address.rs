//! `server:` as client-go reads it: a URL, or a bare host and port that means plain HTTP; a path is kept as
//! a prefix. kube 5.0.0 panics on an address without a scheme, so none reaches it.

use http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::login::Login;
use super::percent::decoded;

/// Why an address cannot be used. It is not repeated: a password or a token may have been typed into it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("{0} is not a URL or HOST:PORT")]
    Shape(String),
    #[error("{0} does not begin with https:// or http://")]
    Scheme(String),
}

/// The API server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// With a scheme, no query and a trailing slash.
    pub(crate) uri: Uri,
    /// User name and password in front of the host. Go sends them, whatever else there is.
    pub(crate) login: Option<Login>,
}

impl Address {
    /// Reads an address; `origin` names it in errors.
    pub(crate) fn parse(text: &str, origin: &str) -> Result<Self, AddressError> {
        let shape = || AddressError::Shape(origin.to_owned());
        let trimmed = text.trim();
        // "host:8080" reads as a scheme and a path, too: only what "://" follows is one.
        let (scheme, rest) = match trimmed.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => ("http".to_owned(), trimmed),
        };
        if scheme != "http" && scheme != "https" {
            return Err(AddressError::Scheme(origin.to_owned()));
        }
        let rest = rest.split('?').next().unwrap_or_default();
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if !trimmed.contains("://") && !matches!(path, "" | "/") {
            return Err(shape());
        }
        let (login, host) = Login::split(authority).ok_or_else(shape)?;
        let path = clean(path).ok_or_else(shape)?;
        let uri: Uri = format!("{scheme}://{host}{path}/").parse().map_err(|_| shape())?;
        // `http::Uri` takes a port that is no number for none.
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, Some(port)),
            _ => (host, None),
        };
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        // An IPv6 address without its brackets may end in a port or not.
        let is_clear = !name.contains(':') || name.ends_with(']');
        let has_port = port.is_none_or(|port| port.is_empty() || port.parse::<u16>().is_ok());
        if has_host && is_clear && has_port {
            Ok(Self { uri, login })
        } else {
            Err(shape())
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// The host, an IPv6 address without its brackets.
    pub(crate) fn host(&self) -> &str {
        self.uri.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    pub(crate) fn port(&self) -> u16 {
        let usual = if self.is_tls() { 443 } else { 80 };
        self.uri.port_u16().unwrap_or(usual)
    }

    /// The address as it can be typed again.
    pub(crate) fn without_login(&self) -> String {
        self.uri.to_string().trim_end_matches('/').to_owned()
    }

    /// Scheme, host and port, as they are shown.
    pub(crate) fn origin(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or("https");
        format!(
            "{scheme}://{}:{}",
            self.uri.host().unwrap_or_default(),
            self.port()
        )
    }
}

/// A path as Go makes it of what was written: its escapes read, `.`, `..` and doubled slashes gone, then escaped anew;
/// empty for the root.
fn clean(path: &str) -> Option<String> {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~')
        .remove(b'$')
        .remove(b'&')
        .remove(b'+')
        .remove(b',')
        .remove(b':')
        .remove(b';')
        .remove(b'=')
        .remove(b'@');
    let mut parts: Vec<&[u8]> = Vec::new();
    let bytes = decoded(path)?;
    for part in bytes.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let escaped: Vec<_> = parts
        .iter()
        .map(|part| percent_encode(part, ESCAPED).to_string())
        .collect();
    Some(escaped.iter().flat_map(|part| ["/", part]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_as_client_go_reads_them() {
        for (text, uri, origin) in [
            (
                "https://k.example:6443",
                "https://k.example:6443/",
                "https://k.example:6443",
            ),
            (
                "https://k.example/",
                "https://k.example/",
                "https://k.example:443",
            ),
            ("HTTPS://k.example", "https://k.example/", "https://k.example:443"),
            (
                "k.example:8080",
                "http://k.example:8080/",
                "http://k.example:8080",
            ),
            ("localhost", "http://localhost/", "http://localhost:80"),
            (
                "https://r.example/k8s/clusters/c-1/",
                "https://r.example/k8s/clusters/c-1/",
                "https://r.example:443",
            ),
            (
                "https://r.example/p?x=1",
                "https://r.example/p/",
                "https://r.example:443",
            ),
            (
                "https://r.example//a/./b/../c d/%2f/ü/#x",
                "https://r.example/a/c%20d/%C3%BC/%23x/",
                "https://r.example:443",
            ),
            ("https://[::1]:6443", "https://[::1]:6443/", "https://[::1]:6443"),
            (
                "https://ann:pw@k.example",
                "https://k.example/",
                "https://k.example:443",
            ),
            ("10.0.0.1:6443/", "http://10.0.0.1:6443/", "http://10.0.0.1:6443"),
        ] {
            let address = Address::parse(text, "--server").unwrap();
            let read = (address.uri.to_string(), address.origin());
            assert_eq!((read.0.as_str(), read.1.as_str()), (uri, origin), "{text}");
        }
        let address = Address::parse("https://[::1]:6443", "--server").unwrap();
        assert_eq!((address.host(), &address.login), ("::1", &None));
        let login = Address::parse("https://ann:p@%77@k.example", "--server")
            .unwrap()
            .login
            .unwrap();
        assert_eq!((login.user.as_str(), login.password.expose()), ("ann", "p@w"));
    }

    #[test]
    fn what_is_no_address_is_refused_and_not_repeated() {
        for text in [
            "",
            "https://",
            "host/path",
            "https://k.example:s3cret",
            "https://a b",
            "https://:6443",
            "https://::1",
            "https://::1:6443",
            "fd00::1",
            "https://k.example/s3cret%zz",
            "https://ann:s3cret%2@k.example",
            "\u{1b}[2J",
        ] {
            let error = Address::parse(text, "--server").unwrap_err();
            assert_eq!(error.to_string(), "--server is not a URL or HOST:PORT", "{text}");
        }
        for text in ["ftp://ann:s3cret@k.example", "ann:s3cret@https://k.example"] {
            let error = Address::parse(text, "--server").unwrap_err();
            assert_eq!(
                error.to_string(),
                "--server does not begin with https:// or http://",
                "{text}"
            );
        }
    }
}
