//! Which proxy, if any, stands between us and the API server: `proxy-url`, else the environment as Go reads
//! it. kube 5.0.0 compares `NO_PROXY` with the proxy's own address, so it gets the finished answer instead.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use ipnet::IpNet;

use super::address::{self, Address};
use super::masking::SecretString;

/// Why a proxy cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    /// It is no URL.
    #[error("{origin} is no address of a proxy")]
    Shape {
        /// Where it is set.
        origin: String,
    },
    /// Its scheme is not spoken.
    #[error("{origin} has the scheme \"{}\", and only http, https and socks5 are spoken", .scheme.escape_debug())]
    Scheme {
        /// Where it is set.
        origin: String,
        /// The scheme.
        scheme: String,
    },
}

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    /// Scheme, host and port, without credentials.
    pub(crate) uri: Uri,
    /// User name and password as they stand in the address, percent-encoded.
    pub(crate) credentials: Option<SecretString>,
}

/// Chooses the proxy for the API server: `proxy-url` wins outright.
pub(crate) fn choose(
    server: &Address,
    proxy_url: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Proxy>, ProxyError> {
    if let Some(url) = proxy_url {
        return Proxy::parse(url, "proxy-url of the kubeconfig", false).map(Some);
    }
    let either = |upper: &str, lower: &str| {
        [upper, lower].into_iter().find_map(|name| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(|value| (name.to_owned(), value))
        })
    };
    let chosen = if server.is_tls() {
        either("HTTPS_PROXY", "https_proxy")
    } else {
        either("HTTP_PROXY", "http_proxy")
    };
    let Some((name, value)) = chosen else {
        return Ok(None);
    };
    let exempt = either("NO_PROXY", "no_proxy")
        .map(|(_, list)| list)
        .unwrap_or_default();
    if !uses_proxy(server.host(), server.port(), &exempt) {
        return Ok(None);
    }
    Proxy::parse(&value, &name, true).map(Some)
}

impl Proxy {
    /// Reads an address; `lenient` takes one without a scheme for http, as Go does in the environment.
    fn parse(text: &str, origin: &str, lenient: bool) -> Result<Self, ProxyError> {
        let shape = || ProxyError::Shape {
            origin: origin.to_owned(),
        };
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None if lenient => ("http".to_owned(), text),
            None => return Err(shape()),
        };
        let default_port = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            "socks5" | "socks5h" => 1080,
            _ => {
                return Err(ProxyError::Scheme {
                    origin: origin.to_owned(),
                    scheme,
                });
            }
        };
        if scheme == "socks5h" && !lenient {
            return Err(ProxyError::Scheme {
                origin: origin.to_owned(),
                scheme,
            });
        }
        // Both names of SOCKS 5 leave the lookup of names to the proxy, here as in Go.
        let scheme = if scheme == "socks5h" { "socks5" } else { &scheme };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (credentials, host) = match authority.rsplit_once('@') {
            Some((credentials, host)) => (Some(SecretString::new(credentials)), host),
            None => (None, authority),
        };
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let host = if has_port {
            host.to_owned()
        } else {
            format!("{host}:{default_port}")
        };
        let uri: Uri = format!("{scheme}://{host}/").parse().map_err(|_| shape())?;
        let usable = uri.host().is_some_and(|host| !host.is_empty()) && uri.port_u16().is_some();
        if usable {
            Ok(Self { uri, credentials })
        } else {
            Err(shape())
        }
    }

    /// Whether it speaks SOCKS 5.
    pub(crate) fn is_socks(&self) -> bool {
        self.uri.scheme_str() == Some("socks5")
    }

    /// User name and password in plain.
    pub(crate) fn login(&self) -> Option<(String, String)> {
        self.credentials.as_ref().map(split_login)
    }

    /// The same as an HTTP proxy wants it.
    pub(crate) fn basic(&self) -> Option<SecretString> {
        self.credentials.as_ref().map(basic)
    }
}

/// A name or a password without its escapes, as it is where it does not read.
fn percent_decoded(text: &str) -> String {
    let decoded = address::percent_decoded(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    decoded.unwrap_or_else(|| text.to_owned())
}

/// Name and password as basic authentication sends them, from where they stand in an address.
pub(super) fn basic(login: &SecretString) -> SecretString {
    let (user, password) = split_login(login);
    let pair = STANDARD.encode(format!("{user}:{password}"));
    SecretString::new(format!("Basic {pair}"))
}

fn split_login(login: &SecretString) -> (String, String) {
    let pair = login.expose();
    let (user, password) = pair.split_once(':').unwrap_or((pair, ""));
    (percent_decoded(user), percent_decoded(password))
}

/// Whether a proxy of the environment is used for this server, by Go's rules for `NO_PROXY`.
fn uses_proxy(host: &str, port: u16, exempt: &str) -> bool {
    let ip: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return false;
    }
    let host = host.to_ascii_lowercase();
    !exempt
        .split(',')
        .any(|entry| exempts(&entry.trim().to_ascii_lowercase(), &host, ip, port))
}

fn exempts(entry: &str, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
    if entry.is_empty() {
        return false;
    }
    if entry == "*" {
        return true;
    }
    if let Ok(net) = entry.parse::<IpNet>() {
        return ip.is_some_and(|ip| net.contains(&ip));
    }
    let (name, wanted_port) = split_port(entry);
    if wanted_port.is_some_and(|wanted| wanted != port.to_string()) || name.is_empty() {
        return false;
    }
    if let Ok(exact) = name.parse::<IpAddr>() {
        return ip == Some(exact);
    }
    let suffix = name
        .strip_prefix('*')
        .filter(|rest| rest.starts_with('.'))
        .unwrap_or(name);
    match suffix.strip_prefix('.') {
        Some(_) => host.ends_with(suffix),
        None => {
            host == suffix
                || host
                    .strip_suffix(suffix)
                    .is_some_and(|front| front.ends_with('.'))
        }
    }
}

/// `host:port` apart; an IPv6 address keeps its colons, and loses its brackets before a port only, as in Go.
fn split_port(entry: &str) -> (&str, Option<&str>) {
    if let Some(rest) = entry.strip_prefix('[')
        && let Some((host, port)) = rest.split_once("]:")
    {
        return (host, Some(port));
    }
    match entry.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, Some(port)),
        _ => (entry, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(
        server: &str,
        proxy_url: Option<&str>,
        env: &[(&str, &str)],
    ) -> Result<Option<String>, ProxyError> {
        let server = Address::parse(server).unwrap();
        let variable = |name: &str| {
            env.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Ok(choose(&server, proxy_url, variable)?.map(|proxy| proxy.uri.to_string()))
    }

    #[test]
    fn the_scheme_of_the_server_chooses_the_variable() {
        let env = [
            ("HTTPS_PROXY", "http://s:1"),
            ("http_proxy", "p"),
            ("ALL_PROXY", "http://a:1"),
        ];
        assert_eq!(
            proxy("https://k.example", None, &env),
            Ok(Some("http://s:1/".to_owned()))
        );
        assert_eq!(
            proxy("http://k.example", None, &env),
            Ok(Some("http://p:80/".to_owned()))
        );
        assert_eq!(proxy("https://k.example", None, &env[1..]), Ok(None));
        let both = [("HTTPS_PROXY", ""), ("https_proxy", "socks5h://x")];
        assert_eq!(
            proxy("https://k.example", None, &both),
            Ok(Some("socks5://x:1080/".to_owned()))
        );
    }

    #[test]
    fn the_kubeconfig_wins_even_over_no_proxy_and_loopback() {
        let env = [("HTTPS_PROXY", "http://s:1"), ("NO_PROXY", "*")];
        for (server, url) in [
            ("https://k.example", "https://p"),
            ("https://127.0.0.1:6443", "https://p:443"),
        ] {
            assert_eq!(
                proxy(server, Some(url), &env),
                Ok(Some("https://p:443/".to_owned()))
            );
        }
    }

    #[test]
    fn no_proxy_is_matched_against_the_server() {
        let env = |list| [("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", list)];
        for (server, list) in [
            ("https://k.example:6443", "k.example"),
            ("https://k.example", "EXAMPLE"),
            ("https://k.example", ".example"),
            ("https://k.example", "*.example"),
            ("https://k.example:6443", "other, k.example:6443"),
            ("https://10.1.2.3:6443", "10.0.0.0/8"),
            ("https://10.1.2.3", "10.1.2.3"),
            ("https://[fd00::1]:6443", "fd00::/8"),
            ("https://[fd00::1]:6443", "[fd00::1]:6443"),
            ("https://k.example", "*"),
            ("https://localhost:6443", ""),
            ("https://127.8.8.8:6443", ""),
            ("https://[::1]:6443", ""),
        ] {
            assert_eq!(proxy(server, None, &env(list)), Ok(None), "{server} by {list}");
        }
        for (server, list) in [
            ("https://k.example", "p"),
            ("https://k.example:6443", "k.example:443"),
            ("https://example", ".example"),
            ("https://notexample", "example"),
            ("https://10.1.2.3", "10.0.0.0/16,,"),
            ("https://10.1.2.3", ":443"),
            ("https://[fd00::1]:6443", "[fd00::1]"),
            ("https://LOCALHOST:6443", ""),
            ("https://localhost.:6443", ""),
            ("https://k.example", ""),
        ] {
            let used = proxy(server, None, &env(list));
            assert_eq!(used, Ok(Some("http://p:1/".to_owned())), "{server} by {list}");
        }
    }

    #[test]
    fn credentials_stand_apart_and_are_never_in_an_error() {
        let server = Address::parse("https://k.example").unwrap();
        let proxy = choose(&server, Some("http://ann:p%40ss@p:3128"), |_| None)
            .unwrap()
            .unwrap();
        assert_eq!(proxy.uri.to_string(), "http://p:3128/");
        assert_eq!(proxy.login(), Some(("ann".to_owned(), "p@ss".to_owned())));
        for url in [
            "p:3128",
            "ftp://ann:pw@p",
            "http://ann:pw@:1",
            "socks5h://p",
            "http://",
        ] {
            let error = choose(&server, Some(url), |_| None).unwrap_err().to_string();
            assert!(
                error.starts_with("proxy-url of the kubeconfig") && !error.contains("pw"),
                "{url}: {error}"
            );
        }
    }
}
