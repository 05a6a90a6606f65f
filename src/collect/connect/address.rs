//! `server:` as client-go reads it: a URL, or a bare host and port that means plain HTTP; a path is kept as
//! a prefix. kube 5.0.0 panics on an address without a scheme, so none reaches it.

use http::Uri;

use super::masking::SecretString;

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no URL.
    #[error("the server address \"{}\" is no URL or host:port", shown(.0))]
    Shape(String),
    /// Its scheme is neither http nor https.
    #[error("the server address \"{}\" has the scheme {scheme}, and only http and https are spoken", shown(.address))]
    Scheme {
        /// The address.
        address: String,
        /// The scheme.
        scheme: String,
    },
}

/// The same without control characters.
fn shown(address: &str) -> String {
    without_login(address).escape_debug().to_string()
}

/// An address as it was written, without what stands in front of an `@`, which may be a password.
pub(super) fn without_login(address: &str) -> String {
    let (scheme, rest) = address
        .split_once("://")
        .map_or(("", address), |(scheme, rest)| (scheme, rest));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let separator = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{separator}{rest}")
}

/// The API server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// With a scheme, no query and no trailing slash.
    pub(crate) uri: Uri,
    /// User name and password that stand in it, percent-encoded. Go sends them, whatever else there is.
    pub(crate) login: Option<SecretString>,
}

impl Address {
    /// Reads an address.
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        let shape = || AddressError::Shape(text.to_owned());
        let trimmed = text.trim();
        // "host:8080" reads as a scheme and a path, too: only what "://" follows is one.
        let (scheme, rest) = match trimmed.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => ("http".to_owned(), trimmed),
        };
        if scheme != "http" && scheme != "https" {
            return Err(AddressError::Scheme {
                address: text.to_owned(),
                scheme: scheme.escape_debug().to_string(),
            });
        }
        let rest = rest.split('?').next().unwrap_or_default();
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if !trimmed.contains("://") && !matches!(path, "" | "/") {
            return Err(shape());
        }
        let (login, host) = match authority.rsplit_once('@') {
            Some((login, host)) => (Some(SecretString::new(login)), host),
            None => (None, authority),
        };
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

    /// Whether the connection is encrypted.
    pub(crate) fn is_tls(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// The host, an IPv6 address without its brackets.
    pub(crate) fn host(&self) -> &str {
        self.uri
            .host()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']')
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.uri
            .port_u16()
            .unwrap_or(if self.is_tls() { 443 } else { 80 })
    }

    /// Scheme, host and port, as they are shown.
    pub(crate) fn origin(&self) -> String {
        let host = self.uri.host().unwrap_or_default();
        format!(
            "{}://{host}:{}",
            self.uri.scheme_str().unwrap_or("https"),
            self.port()
        )
    }
}

/// A path as Go makes it of what was written: its escapes read, `.`, `..` and doubled slashes gone, then escaped anew;
/// empty for the root.
fn clean(path: &str) -> Option<String> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let bytes = percent_decoded(path)?;
    for part in bytes.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,:;=@".contains(&byte);
    let mut cleaned = String::new();
    for part in parts {
        cleaned.push('/');
        for byte in part {
            if plain(*byte) {
                cleaned.push(char::from(*byte));
            } else {
                cleaned.extend([format!("%{byte:02X}")]);
            }
        }
    }
    Some(cleaned)
}

/// Bytes without their escapes; `None` where a `%` begins none.
pub(super) fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut hex = || char::from(rest.next()?).to_digit(16);
            let (high, low) = (hex()?, hex()?);
            bytes.push(u8::try_from(high << 4 | low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
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
            let address = Address::parse(text).unwrap();
            assert_eq!(
                (address.uri.to_string().as_str(), address.origin().as_str()),
                (uri, origin),
                "{text}"
            );
        }
        let address = Address::parse("https://[::1]:6443").unwrap();
        assert_eq!((address.host(), &address.login), ("::1", &None));
        let address = Address::parse("https://ann:p@w@k.example").unwrap();
        assert_eq!(address.login, Some(SecretString::new("ann:p@w")));
    }

    #[test]
    fn what_is_no_address_is_refused_and_shown_without_a_password() {
        for text in [
            "",
            "https://",
            "host/path",
            "https://k.example:port",
            "https://a b",
            "https://:6443",
            "https://::1",
            "https://::1:6443",
            "fd00::1",
            "https://k.example/%zz",
            "https://k.example/%2",
            "\u{1b}[2J",
        ] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::Shape(_))),
                "{text}"
            );
        }
        let error = Address::parse("ftp://ann:pw@k.example").unwrap_err().to_string();
        assert!(error.contains("scheme ftp") && !error.contains("pw"), "{error}");
    }
}
