//! kube's client from prepared settings. Its own loader, retries, proxy rules, exec plugins and token files
//! (kube 5.0.0) are left out: each differs from kubectl, and the modules beside have done that work.

use http::header::{AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::SocksV5;
use hyper_util::rt::TokioExecutor;
use kube::client::{ClientBuilder, ConfigExt};
use kube::{Client, Config};

use super::ConnectError;
use super::address::Address;
use super::credentials::Credentials;
use super::proxy::Proxy;
use super::settings::Settings;
use super::tls;

/// All that a client is made of.
pub(super) struct Prepared<'a> {
    pub(super) settings: &'a Settings,
    pub(super) address: &'a Address,
    pub(super) proxy: Option<&'a Proxy>,
    pub(super) authority: Option<&'a [u8]>,
    pub(super) credentials: &'a Credentials,
}

/// Makes clients of one configuration: each has connections of its own.
pub(in crate::collect) struct Clients {
    config: Config,
    socks_login: Option<(String, String)>,
    /// The client that the reads share.
    pub(in crate::collect) shared: Client,
    /// The headers of every request, for those who log them; credentials are marked as sensitive.
    pub(in crate::collect) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Clients {
    pub(super) fn new(prepared: &Prepared<'_>) -> Result<Self, ConnectError> {
        let config = config(prepared)?;
        let socks_login = prepared
            .proxy
            .filter(|proxy| proxy.is_socks())
            .and_then(Proxy::login);
        let shared = build(&config, socks_login.as_ref())?;
        let headers = config.headers.clone();
        Ok(Self {
            config,
            socks_login,
            shared,
            headers,
        })
    }

    /// A client that shares no connection with any other.
    pub(in crate::collect) fn fresh(&self) -> Result<Client, ConnectError> {
        build(&self.config, self.socks_login.as_ref())
    }
}

fn config(prepared: &Prepared<'_>) -> Result<Config, ConnectError> {
    let cluster = &prepared.settings.cluster;
    let mut address = prepared.address.uri.clone();
    if prepared.proxy.is_some() {
        // hyper-util's tunnel takes an address without a port for one of TLS, whatever its scheme.
        let with_port = format!("{}{}", prepared.address.origin(), address.path());
        address = with_port
            .parse()
            .map_err(|_| ConnectError::Header("the server's address"))?;
    }
    let mut config = Config::new(address);
    config.default_retry = false;
    config.disable_compression = cluster.disable_compression;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify;
    if prepared.address.is_tls() {
        config.root_cert = prepared.authority.map(tls::authorities).transpose()?;
        config.tls_server_name.clone_from(&cluster.tls_server_name);
    }
    if let Some(proxy) = prepared.proxy {
        // kube takes an HTTP proxy's login from its address.
        let address = if proxy.is_socks() {
            proxy.uri.to_string()
        } else {
            proxy.url()
        };
        config.proxy_url = Some(
            address
                .parse()
                .map_err(|_| ConnectError::Header("the proxy's address"))?,
        );
    }
    if let Some((certificate, key)) = &prepared.credentials.identity {
        config.auth_info.client_certificate_data = Some(tls::encode(certificate));
        config.auth_info.client_key_data = Some(tls::encode(key.reveal().as_bytes()).into());
    }
    config.headers = headers(prepared)?;
    Ok(config)
}

fn headers(prepared: &Prepared<'_>) -> Result<Vec<(HeaderName, HeaderValue)>, ConnectError> {
    let value = |what, text: &str| HeaderValue::from_str(text).map_err(|_| ConnectError::Header(what));
    let agent = format!(
        "{}/{} ({}/{})",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        go_os(std::env::consts::OS),
        go_arch(std::env::consts::ARCH),
    );
    let mut headers = vec![(USER_AGENT, value("the user agent", &agent)?)];
    if let Some(authorization) = &prepared.credentials.authorization {
        let mut value = value("the token", authorization.reveal())?;
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

fn build(config: &Config, socks_login: Option<&(String, String)>) -> Result<Client, ConnectError> {
    let (Some((user, password)), Some(proxy)) = (socks_login, &config.proxy_url) else {
        return Client::try_from(config.clone()).map_err(|error| no_client(&error));
    };
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    let connector = SocksV5::new(proxy.clone(), connector).with_auth(user.clone(), password.clone());
    let connector = config
        .rustls_https_connector_with_connector(connector)
        .map_err(|error| no_client(&error))?;
    let service = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector);
    // No layer that unpacks gzip, and so none is asked for.
    Ok(ClientBuilder::new(service, "default")
        .with_layer(&config.base_uri_layer())
        .with_layer(&config.extra_headers_layer().map_err(|error| no_client(&error))?)
        .build())
}

fn no_client(error: &kube::Error) -> ConnectError {
    ConnectError::NoTrust(super::fault::cut(&error.to_string()))
}

/// The key of an attribute as a header bears it: escaped as in a URL, as client-go does.
fn header_key(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte);
    key.to_ascii_lowercase()
        .bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// The names that Go has for systems, and so the audit logs.
fn go_os(os: &str) -> &str {
    if os == "macos" { "darwin" } else { os }
}

fn go_arch(arch: &str) -> &str {
    match arch {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::connect::kubeconfig::User;

    #[test]
    fn keys_are_escaped_as_in_client_go() {
        assert_eq!(header_key("Example.com/Scope"), "example.com%2Fscope");
        assert_eq!(header_key("a%2f ü"), "a%252f%20%C3%BC");
    }

    #[test]
    fn every_attribute_to_act_as_is_a_header() {
        let settings = Settings {
            user: User {
                impersonate: Some("ann".to_owned()),
                impersonate_uid: Some("7".to_owned()),
                impersonate_groups: vec!["a,b".to_owned(), "c".to_owned()],
                impersonate_extra: [("k".to_owned(), vec!["1".to_owned(), "2".to_owned()])].into(),
                ..User::default()
            },
            ..Settings::default()
        };
        let address = Address::parse("https://k.example").unwrap();
        let prepared = Prepared {
            settings: &settings,
            address: &address,
            proxy: None,
            authority: None,
            credentials: &Credentials::default(),
        };
        let headers: Vec<_> = headers(&prepared)
            .unwrap()
            .into_iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        assert!(headers[0].starts_with("user-agent: kubectl-skew/"), "{headers:?}");
        assert_eq!(
            headers[1..],
            [
                "impersonate-user: ann",
                "impersonate-uid: 7",
                "impersonate-group: a,b",
                "impersonate-group: c",
                "impersonate-extra-k: 1",
                "impersonate-extra-k: 2",
            ]
        );
    }
}
