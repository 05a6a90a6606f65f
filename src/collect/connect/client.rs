//! kube's client from prepared settings. Its own loader, retries, proxy rules, exec plugins and token files
//! (kube 5.0.0) are left out: each differs from kubectl, and the modules beside have done that work. So is its stack of
//! connectors: it has no place for our trust, for a client certificate that rustls does not read, or for a SOCKS login.

use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use kube::client::{ClientBuilder, ConfigExt};
use kube::{Client, Config};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tower_http::decompression::DecompressionLayer;

use super::ConnectError;
use super::address::Address;
use super::credentials::Credentials;
use super::proxy::Proxy;
use super::settings::Settings;
use super::tls::{Trust, client_config};

/// How long a connection may take to come about, as in client-go.
const CONNECT: Duration = Duration::from_secs(30);

/// All that a client is made of.
pub(super) struct Prepared<'a> {
    pub(super) settings: &'a Settings,
    pub(super) address: &'a Address,
    pub(super) proxy: Option<&'a Proxy>,
    pub(super) authority: Option<&'a [u8]>,
    pub(super) credentials: &'a Credentials,
}

/// Makes clients of one configuration: each has connections of its own.
pub(crate) struct Clients {
    config: Config,
    tls: ClientConfig,
    server_name: Option<ServerName<'static>>,
    proxy: Option<Proxy>,
}

impl Clients {
    pub(super) fn new(prepared: &Prepared<'_>) -> Result<Self, ConnectError> {
        let cluster = &prepared.settings.cluster;
        let name = cluster
            .tls_server_name
            .clone()
            .filter(|_| prepared.address.is_tls());
        let server_name = name.map(ServerName::try_from).transpose();
        Ok(Self {
            config: config(prepared)?,
            tls: client_config(&trust(prepared), prepared.credentials.identity.as_ref())?,
            server_name: server_name.map_err(|_| ConnectError::Header("tls-server-name"))?,
            proxy: prepared.proxy.cloned(),
        })
    }

    /// The headers of every request, for those who log them; credentials are marked as sensitive.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.config.headers
    }

    /// A client that shares no connection with any other.
    pub(crate) fn client(&self) -> Result<Client, ConnectError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        let Some(proxy) = &self.proxy else {
            return self.over(self.https(tcp));
        };
        let address = proxy.uri.clone();
        if proxy.is_socks() {
            let socks = SocksV5::new(address, tcp);
            return self.over(self.https(match &proxy.login {
                Some(login) => socks.with_auth(login.user.clone(), login.password.expose().to_owned()),
                None => socks,
            }));
        }
        let login = proxy
            .login
            .as_ref()
            .map(|login| value("the login of the proxy", login.basic().expose()));
        let login = login.transpose()?;
        if proxy.is_tls() {
            let tunnel = Tunnel::new(address, self.https(tcp));
            return self.over(self.https(match login {
                Some(login) => tunnel.with_auth(login),
                None => tunnel,
            }));
        }
        let tunnel = Tunnel::new(address, tcp);
        self.over(self.https(match login {
            Some(login) => tunnel.with_auth(login),
            None => tunnel,
        }))
    }

    /// TLS on top of a connection, where the address asks for it.
    fn https<C>(&self, connector: C) -> HttpsConnector<C> {
        let mut builder = HttpsConnectorBuilder::new()
            .with_tls_config(self.tls.clone())
            .https_or_http();
        if let Some(name) = &self.server_name {
            builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name.clone()));
        }
        builder.enable_http1().wrap_connector(connector)
    }

    fn over<C>(&self, connector: HttpsConnector<C>) -> Result<Client, ConnectError>
    where
        HttpsConnector<C>: Connect + Clone + Send + Sync + 'static,
    {
        let service = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector);
        let headers = self.config.extra_headers_layer();
        let headers = headers.map_err(|_| ConnectError::Header("a header of the client"))?;
        Ok(ClientBuilder::new(service, "default")
            .with_layer(&headers)
            .with_layer(&DecompressionLayer::new().gzip(!self.config.disable_compression))
            .with_layer(&self.config.base_uri_layer())
            .build())
    }
}

fn config(prepared: &Prepared<'_>) -> Result<Config, ConnectError> {
    // The path stands in every request. hyper-util's tunnel takes an address without a port for one of TLS, whatever
    // its scheme.
    let uri = &prepared.address.uri;
    let origin = match uri.authority() {
        Some(authority) if prepared.proxy.is_none() => {
            format!("{}://{authority}", uri.scheme_str().unwrap_or("https"))
        }
        _ => prepared.address.origin(),
    };
    let origin = origin
        .parse()
        .map_err(|_| ConnectError::Header("the server's address"))?;
    let mut config = Config::new(origin);
    config.disable_compression = prepared.settings.cluster.disable_compression;
    config.headers = headers(prepared)?;
    Ok(config)
}

/// Whom the server, and a proxy that is reached by TLS, are trusted by.
fn trust<'a>(prepared: &Prepared<'a>) -> Trust<'a> {
    let uses_tls = prepared.address.is_tls() || prepared.proxy.is_some_and(Proxy::is_tls);
    match prepared.authority {
        // Without TLS the system's authorities are not looked for, and need not exist.
        _ if prepared.settings.cluster.insecure_skip_tls_verify || !uses_tls => Trust::Everything,
        Some(pem) => Trust::These(pem),
        None => Trust::System,
    }
}

fn value(what: &'static str, text: &str) -> Result<HeaderValue, ConnectError> {
    HeaderValue::from_str(text).map_err(|_| ConnectError::Header(what))
}

fn headers(prepared: &Prepared<'_>) -> Result<Vec<(HeaderName, HeaderValue)>, ConnectError> {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let agent = format!(
        "{name}/{version} ({}/{})",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let mut headers = vec![(USER_AGENT, value("the user agent", &agent)?)];
    if let Some(authorization) = &prepared.credentials.authorization {
        let mut value = value("the token", authorization.expose())?;
        value.set_sensitive(true);
        headers.push((AUTHORIZATION, value));
    }
    let user = &prepared.settings.user;
    let impersonate = |name: &'static str, text: &str| {
        Ok::<_, ConnectError>((HeaderName::from_static(name), value("the name to act as", text)?))
    };
    if let Some(name) = &user.impersonate {
        headers.push(impersonate("impersonate-user", name)?);
    }
    if let Some(uid) = &user.impersonate_uid {
        headers.push(impersonate("impersonate-uid", uid)?);
    }
    for group in &user.impersonate_groups {
        headers.push(impersonate("impersonate-group", group)?);
    }
    for (key, values) in &user.impersonate_extra {
        let name = HeaderName::try_from(format!("impersonate-extra-{}", header_key(key)))
            .map_err(|_| ConnectError::Header("a key of --as-user-extra"))?;
        for text in values {
            headers.push((name.clone(), value("a value of --as-user-extra", text)?));
        }
    }
    Ok(headers)
}

/// The key of an attribute as it stands in a header: escaped as in a URL, as client-go does.
fn header_key(key: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'!')
        .remove(b'#')
        .remove(b'$')
        .remove(b'&')
        .remove(b'\'')
        .remove(b'*')
        .remove(b'+')
        .remove(b'-')
        .remove(b'.')
        .remove(b'^')
        .remove(b'_')
        .remove(b'`')
        .remove(b'|')
        .remove(b'~');
    utf8_percent_encode(&key.to_ascii_lowercase(), ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_escaped_as_in_client_go() {
        assert_eq!(header_key("Example.com/Scope"), "example.com%2Fscope");
        assert_eq!(header_key("a%2f ü"), "a%252f%20%C3%BC");
    }
}
