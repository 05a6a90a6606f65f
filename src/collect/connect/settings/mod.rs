//! Which context, cluster and user are meant, and what flags change in them: client-go's rules for what
//! overrides what, and the combinations that it refuses. Files are read in [`super::kubeconfig`]; what the
//! settings mean for the network is left to the modules beside.

use super::ConnectOptions;
use super::kubeconfig::{Cluster, Kubeconfig, User};
use super::masking::SecretString;

/// The cluster and the user of a run, flags applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The context's name, where one is used.
    pub(crate) context: Option<String>,
    /// The cluster's name in the kubeconfig.
    pub(crate) cluster_name: Option<String>,
    /// The cluster.
    pub(crate) cluster: Cluster,
    /// The user's name in the kubeconfig.
    pub(crate) user_name: Option<String>,
    /// The user.
    pub(crate) user: User,
}

/// Why kubeconfig and flags do not say how to connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A name that the kubeconfig does not have.
    #[error("{kind} \"{}\" does not exist in {place}", .name.escape_debug())]
    Unknown {
        /// `context`, `cluster` or `user`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The files that were read.
        place: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// No context is chosen, and no server is given.
    #[error("no context is chosen: current-context is not set in {place}")]
    NoContext {
        /// The files that were read.
        place: String,
        /// The contexts that exist.
        known: Vec<String>,
    },
    /// The context in use says nothing of a cluster.
    #[error("context \"{}\" names no cluster in {place}", .name.escape_debug())]
    NoCluster {
        /// The context.
        name: String,
        /// The files that were read.
        place: String,
    },
    /// There is no configuration at all.
    #[error("no kubeconfig was found: {place}")]
    Nothing {
        /// Where it was looked for.
        place: String,
    },
    /// The cluster has no address.
    #[error("cluster \"{}\" has no server address", .0.escape_debug())]
    NoServer(String),
    /// Two settings exclude one another.
    #[error("{first} and {second} are both set for {kind} \"{}\"", .name.escape_debug())]
    Both {
        /// One.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// `cluster` or `user`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A client certificate without its key.
    #[error("user \"{}\" has a client certificate and no client key", .0.escape_debug())]
    NoKey(String),
    /// Impersonation of groups, a UID or extra without a user.
    #[error("a UID, groups or extra to act as need a user to act as")]
    ImpersonateWhom,
    /// `--as-user-extra` without `=`.
    #[error("--as-user-extra takes KEY=VALUE, not \"{}\"", .0.escape_debug())]
    Extra(String),
}

impl SettingsError {
    /// What to type next.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown {
                kind, name, known, ..
            } => {
                let near = known
                    .iter()
                    .map(|it| (strsim::damerau_levenshtein(it, name), it))
                    .filter(|(distance, it)| *distance <= it.len().max(3) / 3)
                    .min();
                Some(match near {
                    Some((_, near)) => format!("did you mean --{kind} {}?", quote(near)),
                    None => list_hint(kind, known),
                })
            }
            Self::NoContext { known, .. } => Some(list_hint("context", known)),
            Self::NoCluster { .. } => {
                Some("name one with --cluster NAME, or a server with --server URL".to_owned())
            }
            Self::Nothing { .. } => Some(
                "name one with --kubeconfig FILE, or a server with --server URL; \
                 \"kubectl config view\" shows what kubectl uses"
                    .to_owned(),
            ),
            Self::NoServer(_) => Some("give its address with --server URL".to_owned()),
            Self::ImpersonateWhom => Some("add --as USER".to_owned()),
            Self::Both { .. } | Self::NoKey(_) | Self::Extra(_) => None,
        }
    }
}

fn list_hint(kind: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "\"kubectl config view\" shows what the kubeconfig holds".to_owned();
    }
    let shown: Vec<_> = known.iter().take(10).map(|name| quote(name)).collect();
    let more = if known.len() > 10 { ", …" } else { "" };
    format!("choose one with --{kind}: {}{more}", shown.join(", "))
}

/// A word as a shell takes it; control characters are escaped.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!(
            "'{}'",
            word.escape_debug()
                .to_string()
                .replace("\\'", "'")
                .replace('\'', "'\\''")
        )
    }
}

impl Settings {
    /// Chooses context, cluster and user, and applies the flags. `None` where nothing names a server, so that
    /// only an in-cluster configuration is left.
    pub(crate) fn choose(
        kubeconfig: &Kubeconfig,
        options: &ConnectOptions,
    ) -> Result<Option<Self>, SettingsError> {
        let place = || files(kubeconfig);
        let given = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
        let unknown = |kind, name: &str, known: Vec<&String>| SettingsError::Unknown {
            kind,
            name: name.to_owned(),
            place: if kubeconfig.all_missing || kubeconfig.files.is_empty() {
                format!("any kubeconfig: {}", place())
            } else {
                place()
            },
            known: known.into_iter().cloned().collect(),
        };

        let context_name = given(&options.context).or_else(|| kubeconfig.current_context.clone());
        let context = match &context_name {
            // client-go looks for the empty name, too.
            None => kubeconfig.contexts.get(""),
            Some(name) => Some(
                kubeconfig
                    .contexts
                    .get(name)
                    .ok_or_else(|| unknown("context", name, kubeconfig.contexts.keys().collect()))?,
            ),
        };
        let cluster_flag = given(&options.cluster);
        let cluster_name = cluster_flag.or_else(|| context.and_then(|it| it.cluster.clone()));
        let server_flag = given(&options.server);
        let cluster = cluster_name
            .as_ref()
            .map(|name| (name, kubeconfig.clusters.get(name)));
        let cluster = match cluster {
            None => None,
            Some((_, Some(cluster))) => Some(cluster.clone()),
            // A server given by flag needs no cluster, unless a flag names one.
            Some((_, None)) if server_flag.is_some() && given(&options.cluster).is_none() => None,
            Some((name, None)) => return Err(unknown("cluster", name, kubeconfig.clusters.keys().collect())),
        };
        // kubectl asks for a name and a password where a context's user is gone. That is an error here, unless
        // the command line says who we are.
        let logged_in =
            given(&options.token).is_some() || path(options.client_certificate.as_deref()).is_some();
        let user_name = given(&options.user).or_else(|| context.and_then(|it| it.user.clone()));
        let user = match &user_name {
            None => User::default(),
            Some(name) => match kubeconfig.users.get(name) {
                Some(user) => user.clone(),
                None if logged_in && given(&options.user).is_none() => User::default(),
                None => return Err(unknown("user", name, kubeconfig.users.keys().collect())),
            },
        };
        let mut settings = Self {
            context: context_name,
            cluster_name,
            cluster: cluster.unwrap_or_default(),
            user_name,
            user,
        };
        settings.take_flags(options)?;
        if settings.cluster.server.is_none() {
            return match &settings.cluster_name {
                Some(name) => Err(SettingsError::NoServer(name.clone())),
                None => Ok(None),
            };
        }
        settings.check()?;
        Ok(Some(settings))
    }

    /// Applies the flags, and refuses what client-go refuses.
    pub(crate) fn apply(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        self.take_flags(options)?;
        self.check()
    }

    fn take_flags(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        self.override_cluster(options);
        self.override_user(options)
    }

    /// The error where nothing names a server and no in-cluster configuration is there.
    pub(crate) fn missing(kubeconfig: &Kubeconfig, options: &ConnectOptions) -> SettingsError {
        let flag = options.context.clone().filter(|name| !name.is_empty());
        if let Some(name) = flag.or_else(|| kubeconfig.current_context.clone()) {
            return SettingsError::NoCluster {
                name,
                place: files(kubeconfig),
            };
        }
        if kubeconfig.all_missing || kubeconfig.files.is_empty() {
            SettingsError::Nothing {
                place: files(kubeconfig),
            }
        } else {
            SettingsError::NoContext {
                place: files(kubeconfig),
                known: kubeconfig.contexts.keys().cloned().collect(),
            }
        }
    }

    /// The cluster's flags: each trust setting on the command line drops the file's, and another server does
    /// not keep the file's server name.
    fn override_cluster(&mut self, options: &ConnectOptions) {
        let cluster = &mut self.cluster;
        let authority = path(options.certificate_authority.as_deref());
        let insecure = options.insecure_skip_tls_verify == Some(true);
        if insecure || authority.is_some() {
            cluster.insecure_skip_tls_verify = insecure;
            cluster.certificate_authority = authority;
            cluster.certificate_authority_data = None;
        }
        let server = options.server.clone().filter(|it| !it.is_empty());
        let name = options.tls_server_name.clone().filter(|it| !it.is_empty());
        if server.is_some() || name.is_some() {
            cluster.tls_server_name = name;
        }
        if server.is_some() {
            cluster.server = server;
        }
        cluster.disable_compression |= options.disable_compression;
    }

    /// The user's flags: a certificate, a key or a token on the command line drops the file's other form of it.
    fn override_user(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        let user = &mut self.user;
        if let Some(certificate) = path(options.client_certificate.as_deref()) {
            user.client_certificate = Some(certificate);
            user.client_certificate_data = None;
        }
        if let Some(key) = path(options.client_key.as_deref()) {
            user.client_key = Some(key);
            user.client_key_data = None;
        }
        if let Some(token) = options.token.as_ref().filter(|it| !it.is_empty()) {
            user.token = Some(SecretString::new(token.clone()));
            user.token_file = None;
        }
        if let Some(name) = options.impersonate.as_ref().filter(|it| !it.is_empty()) {
            user.impersonate = Some(name.clone());
        }
        if let Some(uid) = options.impersonate_uid.as_ref().filter(|it| !it.is_empty()) {
            user.impersonate_uid = Some(uid.clone());
        }
        if !options.impersonate_groups.is_empty() {
            user.impersonate_groups.clone_from(&options.impersonate_groups);
        }
        let mut flagged = std::collections::BTreeMap::<String, Vec<String>>::new();
        for extra in &options.impersonate_extra {
            let (key, value) = extra
                .split_once('=')
                .ok_or_else(|| SettingsError::Extra(extra.clone()))?;
            flagged.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        user.impersonate_extra.extend(flagged);
        Ok(())
    }

    /// The combinations that client-go refuses.
    fn check(&self) -> Result<(), SettingsError> {
        let cluster_name = self.cluster_name.clone().unwrap_or_default();
        let user_name = self.user_name.clone().unwrap_or_default();
        let (cluster, user) = (&self.cluster, &self.user);
        let has_authority =
            cluster.certificate_authority.is_some() || cluster.certificate_authority_data.is_some();
        let has_certificate = user.client_certificate.is_some() || user.client_certificate_data.is_some();
        let has_key = user.client_key.is_some() || user.client_key_data.is_some();
        let basic = user.username.is_some() || user.password.is_some();
        for (first, is_first, second, is_second) in [
            (
                "certificate-authority",
                cluster.certificate_authority.is_some(),
                "certificate-authority-data",
                cluster.certificate_authority_data.is_some(),
            ),
            (
                "insecure-skip-tls-verify",
                cluster.insecure_skip_tls_verify,
                "a certificate authority",
                has_authority,
            ),
        ] {
            if is_first && is_second {
                return Err(SettingsError::Both {
                    first,
                    second,
                    kind: "cluster",
                    name: cluster_name,
                });
            }
        }
        for (first, is_first, second, is_second) in [
            (
                "a token",
                user.token.is_some() || user.token_file.is_some(),
                "a user name or password",
                basic,
            ),
            (
                "client-certificate",
                user.client_certificate.is_some(),
                "client-certificate-data",
                user.client_certificate_data.is_some(),
            ),
            (
                "client-key",
                has_certificate && user.client_key.is_some(),
                "client-key-data",
                user.client_key_data.is_some(),
            ),
            (
                "exec",
                user.exec.is_some(),
                "auth-provider",
                user.auth_provider.is_some(),
            ),
        ] {
            if is_first && is_second {
                return Err(SettingsError::Both {
                    first,
                    second,
                    kind: "user",
                    name: user_name,
                });
            }
        }
        if has_certificate && !has_key {
            return Err(SettingsError::NoKey(user_name));
        }
        let needs_whom = user.impersonate_uid.is_some()
            || !user.impersonate_groups.is_empty()
            || !user.impersonate_extra.is_empty();
        if needs_whom && user.impersonate.is_none() {
            return Err(SettingsError::ImpersonateWhom);
        }
        Ok(())
    }
}

fn path(path: Option<&std::path::Path>) -> Option<String> {
    path.filter(|path| !path.as_os_str().is_empty())
        .map(|path| path.to_string_lossy().into_owned())
}

fn files(kubeconfig: &Kubeconfig) -> String {
    let names: Vec<_> = kubeconfig
        .files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match (names.is_empty(), kubeconfig.all_missing) {
        (true, _) => "KUBECONFIG names no file, and ~/.kube/config was not looked for".to_owned(),
        (false, true) => format!("{} does not exist", names.join(", ")),
        (false, false) => names.join(", "),
    }
}

#[cfg(test)]
mod tests;
