//! Which proxy, if any, stands between us and the API server: `proxy-url`, else the environment as Go reads
//! it. kube 5.0.0 compares `NO_PROXY` with the proxy's own address, so it gets the finished answer instead.

use std::net::IpAddr;

use http::Uri;
use ipnet::IpNet;

use super::address::Address;
use super::login::Login;

/// Why a proxy cannot be used. Its address is not repeated: it often holds a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    #[error("{0} is not the address of a proxy")]
    Shape(String),
    #[error("{0} does not begin with http://, https:// or socks5://")]
    Scheme(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    /// Scheme, host and port.
    pub(crate) uri: Uri,
    pub(crate) login: Option<Login>,
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
        let shape = || ProxyError::Shape(origin.to_owned());
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None if lenient => ("http".to_owned(), text),
            None => return Err(shape()),
        };
        let (scheme, default_port) = match scheme.as_str() {
            "http" => ("http", 80),
            "https" => ("https", 443),
            "socks5" => ("socks5", 1080),
            // Both names of SOCKS 5 leave the lookup of names to the proxy, here as in Go.
            "socks5h" if lenient => ("socks5", 1080),
            _ => return Err(ProxyError::Scheme(origin.to_owned())),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (login, host) = Login::split(authority).ok_or_else(shape)?;
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let port = if has_port {
            String::new()
        } else {
            format!(":{default_port}")
        };
        let uri: Uri = format!("{scheme}://{host}{port}/").parse().map_err(|_| shape())?;
        if uri.host().is_some_and(|host| !host.is_empty()) && uri.port_u16().is_some() {
            Ok(Self { uri, login })
        } else {
            Err(shape())
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    pub(crate) fn is_socks(&self) -> bool {
        self.uri.scheme_str() == Some("socks5")
    }
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
        let server = Address::parse(server, "--server").unwrap();
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
        let server = Address::parse("https://k.example", "--server").unwrap();
        let proxy = choose(&server, Some("http://ann:p%40ss@p:3128"), |_| None)
            .unwrap()
            .unwrap();
        assert_eq!(proxy.uri.to_string(), "http://p:3128/");
        let login = proxy.login.unwrap();
        assert_eq!((login.user.as_str(), login.password.expose()), ("ann", "p@ss"));
        for url in [
            "p:3128",
            "ftp://ann:pw@p",
            "ann:pw@http://p",
            "http://ann:pw",
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
