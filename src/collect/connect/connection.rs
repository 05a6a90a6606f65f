//! A cluster that can be asked: everything that is prepared before the first request.

use std::sync::Arc;

use kube::Client;
use rustls::pki_types::UnixTime;
use tokio::runtime::Runtime;

use super::address::Address;
use super::client::{Clients, Prepared};
use super::console::Console;
use super::credentials::{self, Credentials};
use super::error::ConnectError;
use super::exec::ClusterInfo;
use super::login::Login;
use super::options::{ConnectOptions, Limits};
use super::proxy;
use super::settings::Settings;
use super::{in_cluster, tls};
use crate::collect::kubeconfig::{Kubeconfig, User};
use crate::collect::masking::Masker;

/// A prepared client and the runtime that it lives on.
pub struct Connection {
    pub(crate) runtime: Runtime,
    /// The client that the reads share, and what makes more of them.
    pub(crate) client: Client,
    pub(crate) clients: Clients,
    pub(crate) console: Arc<Console>,
    pub(crate) limits: Limits,
    pub(crate) address: Address,
    pub(crate) context: Option<String>,
    /// The connection flags as kubectl takes them, for commands that verify by hand.
    pub(crate) flags: String,
}

impl Connection {
    /// Reads the kubeconfig, runs the exec plugin where there is one, and prepares the client. No request is
    /// made.
    pub fn open(options: &ConnectOptions) -> Result<Self, ConnectError> {
        Self::open_with(options, Console::stderr(options.verbosity))
    }

    /// The same, with warnings and requests shown elsewhere than on stderr.
    pub fn open_with(options: &ConnectOptions, console: Console) -> Result<Self, ConnectError> {
        let options = options.clone().given();
        let limits = Limits::new(options.request_timeout.as_deref())?;
        let settings = settings(&options, &console)?;
        let address = address(&settings, &options)?;
        let cluster = &settings.cluster;
        let proxy = proxy::choose(&address, cluster.proxy_url.as_deref(), |name| {
            std::env::var(name).ok()
        })?;
        let logins = [
            &address.login,
            &proxy.as_ref().and_then(|proxy| proxy.login.clone()),
        ]
        .map(Clone::clone);
        console.add_secrets(logins.iter().flatten().flat_map(Login::secrets));
        let authority = tls::load(
            "the certificate authority",
            cluster.certificate_authority.as_deref(),
            cluster.certificate_authority_data.as_deref(),
        )?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ConnectError::Runtime)?;
        let info = || ClusterInfo::new(cluster, authority.as_deref());
        let gathered = credentials(&settings, &address, options.stdin_taken, &console, info);
        let credentials = runtime.block_on(interruptible(gathered))?;
        console.add_secrets(credentials.secrets.iter().cloned());
        let clients = Clients::new(&Prepared {
            settings: &settings,
            address: &address,
            proxy: proxy.as_ref(),
            authority: authority.as_deref(),
            credentials: &credentials,
        })?;
        let client = {
            let _guard = runtime.enter();
            clients.client()?
        };
        let server = options.server.as_ref().map(|_| address.without_login());
        let flags = options.kubectl_flags(server.as_deref());
        Ok(Self {
            client,
            runtime,
            clients,
            console: Arc::new(console),
            limits,
            address,
            context: settings.context,
            flags,
        })
    }

    /// The context in use.
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Scheme, host and port of the API server.
    pub fn api_server(&self) -> String {
        self.address.origin()
    }

    /// The credentials in use, which no report may show.
    pub(crate) fn masker(&self) -> Masker {
        self.console.masker()
    }
}

fn settings(options: &ConnectOptions, console: &Console) -> Result<Settings, ConnectError> {
    let kubeconfig = Kubeconfig::of_this_run(options.kubeconfig.as_deref())?;
    if kubeconfig.all_missing
        && !kubeconfig.files.is_empty()
        && std::env::var_os("KUBECONFIG").is_some_and(|list| !list.is_empty())
    {
        let names: Vec<_> = kubeconfig
            .files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        console.warn(&format!("no file of KUBECONFIG exists: {}", names.join(", ")));
    }
    if let Some(settings) = Settings::choose(&kubeconfig, options)? {
        return Ok(settings);
    }
    match in_cluster::settings(options, |name| std::env::var(name).ok()) {
        Some(settings) => Ok(settings?),
        None => Err(Settings::missing(&kubeconfig, options).into()),
    }
}

fn address(settings: &Settings, options: &ConnectOptions) -> Result<Address, ConnectError> {
    let origin = match (&options.server, &settings.cluster_name) {
        (None, Some(name)) => format!("the server address of cluster \"{}\"", name.escape_debug()),
        (None, None) => "the server address of this pod".to_owned(),
        (Some(_), _) => "--server".to_owned(),
    };
    let server = settings.cluster.server.as_deref().unwrap_or_default();
    Ok(Address::parse(server, &origin)?)
}

async fn credentials(
    settings: &Settings,
    address: &Address,
    stdin_taken: bool,
    console: &Console,
    info: impl FnOnce() -> ClusterInfo,
) -> Result<Credentials, ConnectError> {
    let (user, login) = (&settings.user, address.login.as_ref());
    if !address.is_tls() {
        let acting = User {
            impersonate: user.impersonate.clone(),
            impersonate_uid: user.impersonate_uid.clone(),
            impersonate_groups: user.impersonate_groups.clone(),
            impersonate_extra: user.impersonate_extra.clone(),
            ..User::default()
        };
        if *user != acting || login.is_some() {
            console.warn("credentials are not sent over plain http");
        }
        return Ok(Credentials::default());
    }
    let name = settings.user_name.as_deref().unwrap_or_default();
    let found = credentials::gather(user, name, login, stdin_taken, info).await?;
    if let Some(identity) = &found.identity
        && let Err(error) = identity.certificate.check_time(UnixTime::now())
    {
        // API servers answer 401 to it and do not say why.
        console.warn(&format!(
            "the client certificate {error}: renew it or log in again (kubeadm: \"kubeadm certs renew admin.conf\")"
        ));
    }
    Ok(found)
}

/// Runs until the end, or until somebody presses Ctrl-C.
pub(crate) async fn interruptible<T>(
    work: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    tokio::select! {
        biased;
        outcome = tokio::signal::ctrl_c() => match outcome {
            Ok(()) => Err(ConnectError::Interrupted),
            // Without a handler Ctrl-C ends the process itself, which is as well.
            Err(_) => std::future::pending().await,
        },
        outcome = work => outcome,
    }
}
