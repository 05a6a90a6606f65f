//! From a kubeconfig and flags to a prepared client: what kubectl would do.
//!
//! [`kubeconfig`] reads and merges the files, [`settings`] chooses and applies flags, [`in_cluster`] stands in
//! where nothing names a server; [`address`], [`proxy`], [`tls`] and [`credentials`] (with [`exec`]) prepare
//! what kube's client is built from. Requests are left to [`super::live`].

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::UnixTime;
use tokio::runtime::Runtime;

pub(crate) mod address;
pub(crate) mod client;
pub(crate) mod console;
pub(crate) mod credentials;
pub(crate) mod duration;
pub(crate) mod error;
pub(crate) mod exec;
pub(crate) mod in_cluster;
pub(crate) mod kubeconfig;
pub(crate) mod masking;
pub(crate) mod proxy;
pub(crate) mod request_error;
pub(crate) mod settings;
pub(crate) mod tls;

pub use console::Console;
pub use error::{ConnectError, ConnectErrorKind};

use address::Address;
use credentials::Credentials;
use exec::ClusterInfo;
use kubeconfig::Kubeconfig;
use settings::{Settings, quote};

/// The connection flags as they were typed, by kubectl's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectOptions {
    /// `--kubeconfig`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--as-user-extra`, `KEY=VALUE` each.
    pub impersonate_extra: Vec<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--insecure-skip-tls-verify`, where it was given.
    pub insecure_skip_tls_verify: Option<bool>,
    /// `--request-timeout`, as typed.
    pub request_timeout: Option<String>,
    /// `--disable-compression`.
    pub disable_compression: bool,
    /// `-v`: from 6 on requests are shown on stderr, credentials masked.
    pub verbosity: i32,
    /// Whether standard input is taken by something else (`--rollout-file -`), so that no exec plugin may have it.
    pub stdin_taken: bool,
}

/// The longest that a run may take where its requests do not set another limit.
const LONGEST: Duration = Duration::from_secs(600);

/// How long reading may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// One request with its answer; `None` sets no limit to it.
    pub(crate) request: Option<Duration>,
    /// The whole run.
    pub(crate) run: Duration,
}

impl Limits {
    /// The limits that `--request-timeout` sets, or the ordinary ones.
    pub(crate) fn new(request_timeout: Option<&str>) -> Result<Self, duration::TimeoutError> {
        let request = match request_timeout.filter(|text| !text.is_empty()) {
            Some(text) => duration::timeout(text)?,
            None => Some(duration::DEFAULT),
        };
        let run = match request {
            None => LONGEST,
            Some(request) => (request * 10)
                .clamp(Duration::from_secs(10), LONGEST)
                .max(request),
        };
        Ok(Self { request, run })
    }
}

/// A cluster that can be asked: a prepared client and the runtime that it lives on.
pub struct Connection {
    pub(crate) runtime: Runtime,
    pub(crate) clients: client::Clients,
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

    /// The same, speaking to another than stderr.
    pub fn open_with(options: &ConnectOptions, console: Console) -> Result<Self, ConnectError> {
        let limits = Limits::new(options.request_timeout.as_deref())?;
        let settings = settings(options, &console)?;
        let cluster = &settings.cluster;
        let address = Address::parse(cluster.server.as_deref().unwrap_or_default())?;
        let proxy = proxy::choose(&address, cluster.proxy_url.as_deref(), |name| {
            std::env::var(name).ok()
        })?;
        let authority = tls::load(
            "the certificate authority",
            cluster.certificate_authority.as_deref(),
            cluster.certificate_authority_data.as_deref(),
        )?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ConnectError::Runtime)?;
        let mut credentials = runtime.block_on(interruptible(async {
            let info = || cluster_info(&settings, authority.as_deref());
            Ok(credentials(&settings, &address, options.stdin_taken, &console, info).await?)
        }))?;
        if let Some(login) = &address.login {
            let basic = proxy::basic(login);
            credentials.secrets.extend([login.clone(), basic.clone()]);
            credentials.authorization = Some(basic);
        }
        let certificate = credentials
            .identity
            .as_ref()
            .map(|identity| &identity.certificate);
        if let Some(Err(error)) = certificate.map(|certificate| certificate.check_time(UnixTime::now())) {
            // API servers answer 401 to it and do not say why.
            console.warn(&format!(
                "the client certificate {error}: renew it or log in again (kubeadm: \"kubeadm certs renew admin.conf\")"
            ));
        }
        console.add_secrets(credentials.secrets.iter().cloned());
        console.add_secrets(
            proxy
                .iter()
                .flat_map(|proxy| proxy.credentials.clone().into_iter().chain(proxy.basic())),
        );
        let prepared = client::Prepared {
            settings: &settings,
            address: &address,
            proxy: proxy.as_ref(),
            authority: authority.as_deref(),
            credentials: &credentials,
        };
        let clients = {
            let _guard = runtime.enter();
            client::Clients::new(&prepared)?
        };
        Ok(Self {
            runtime,
            clients,
            console: Arc::new(console),
            limits,
            address,
            context: settings.context,
            flags: kubectl_flags(options),
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
}

/// The kubeconfig of these options: what completion offers comes from here, too.
pub(crate) fn read_kubeconfig(
    explicit: Option<&std::path::Path>,
) -> Result<Kubeconfig, kubeconfig::KubeconfigError> {
    let home = dirs::home_dir();
    let files = kubeconfig::files(
        explicit,
        std::env::var_os("KUBECONFIG").as_deref(),
        home.as_deref(),
    );
    Kubeconfig::read(files, explicit.is_some_and(|path| !path.as_os_str().is_empty()))
}

fn settings(options: &ConnectOptions, console: &Console) -> Result<Settings, ConnectError> {
    let kubeconfig = read_kubeconfig(options.kubeconfig.as_deref())?;
    if kubeconfig.all_missing
        && !kubeconfig.files.is_empty()
        && std::env::var_os("KUBECONFIG").is_some_and(|list| !list.is_empty())
    {
        let names: Vec<_> = kubeconfig
            .files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        console.warn(&format!(
            "no file that KUBECONFIG names exists: {}",
            names.join(", ")
        ));
    }
    if let Some(settings) = Settings::choose(&kubeconfig, options)? {
        return Ok(settings);
    }
    match in_cluster::settings(options, |name| std::env::var(name).ok()) {
        Some(settings) => Ok(settings?),
        None => Err(Settings::missing(&kubeconfig, options).into()),
    }
}

async fn credentials(
    settings: &Settings,
    address: &Address,
    stdin_taken: bool,
    console: &Console,
    info: impl FnOnce() -> ClusterInfo,
) -> Result<Credentials, credentials::CredentialError> {
    let user = &settings.user;
    if !address.is_tls() {
        let bare = kubeconfig::User {
            impersonate: None,
            impersonate_uid: None,
            impersonate_groups: Vec::new(),
            impersonate_extra: std::collections::BTreeMap::new(),
            ..user.clone()
        };
        if bare != kubeconfig::User::default() {
            console.warn("credentials are not sent over plain http");
        }
        return Ok(Credentials::default());
    }
    let name = settings.user_name.as_deref().unwrap_or_default();
    // A login in the address takes the place of what a plugin would give.
    let bare = address.login.as_ref().map(|_| kubeconfig::User {
        exec: None,
        ..user.clone()
    });
    credentials::gather(bare.as_ref().unwrap_or(user), name, stdin_taken, info).await
}

fn cluster_info(settings: &Settings, authority: Option<&[u8]>) -> ClusterInfo {
    const FOR_PLUGINS: &str = "client.authentication.k8s.io/exec";
    let cluster = &settings.cluster;
    ClusterInfo {
        server: cluster.server.clone().unwrap_or_default(),
        tls_server_name: cluster.tls_server_name.clone(),
        insecure_skip_tls_verify: cluster.insecure_skip_tls_verify,
        certificate_authority_data: authority.map(ClusterInfo::encode_authority),
        proxy_url: cluster.proxy_url.clone(),
        disable_compression: cluster.disable_compression,
        config: cluster
            .extensions
            .iter()
            .find(|it| it.name == FOR_PLUGINS)
            .map(|it| it.extension.clone()),
    }
}

/// The flags that lead kubectl to the same cluster as the same person; no credential is among them.
fn kubectl_flags(options: &ConnectOptions) -> String {
    let kubeconfig = options
        .kubeconfig
        .as_ref()
        .map(|path| path.to_string_lossy().into_owned());
    let server = options.server.as_deref().map(address::without_login);
    let mut flags = String::new();
    for (name, value) in [
        ("kubeconfig", &kubeconfig),
        ("context", &options.context),
        ("cluster", &options.cluster),
        ("user", &options.user),
        ("server", &server),
        ("as", &options.impersonate),
        ("as-uid", &options.impersonate_uid),
    ] {
        if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
            flags.extend([" --", name, " ", &quote(value)]);
        }
    }
    for group in &options.impersonate_groups {
        flags.extend([" --as-group ", &quote(group)]);
    }
    flags
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_finite_whatever_is_asked_for() {
        let limits = |text| {
            let limits = Limits::new(text).unwrap();
            (limits.request.map(|it| it.as_secs()), limits.run.as_secs())
        };
        assert_eq!(limits(None), (Some(30), 300));
        assert_eq!(limits(Some("0")), (None, 600));
        assert_eq!(limits(Some("1s")), (Some(1), 10));
        assert_eq!(limits(Some("2m")), (Some(120), 600));
        assert_eq!(limits(Some("1h")), (Some(3600), 3600));
        assert!(Limits::new(Some("soon")).is_err());
    }

    #[test]
    fn commands_to_verify_lead_to_the_same_cluster_and_hold_no_credential() {
        let options = ConnectOptions {
            context: Some("my prod".to_owned()),
            impersonate: Some("ann".to_owned()),
            token: Some("s3cret".to_owned()),
            server: Some("https://ann:s3cret@k.example/prefix".to_owned()),
            ..ConnectOptions::default()
        };
        assert_eq!(
            kubectl_flags(&options),
            " --context 'my prod' --server https://k.example/prefix --as ann"
        );
    }
}
