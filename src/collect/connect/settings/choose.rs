//! Which context, cluster and user are meant.

use super::{Settings, SettingsError};
use crate::collect::connect::ConnectOptions;
use crate::collect::kubeconfig::{Kubeconfig, User};

impl Settings {
    /// Chooses context, cluster and user, and applies the flags. `None` where nothing names a server, so that
    /// only an in-cluster configuration is left.
    pub(crate) fn choose(
        kubeconfig: &Kubeconfig,
        options: &ConnectOptions,
    ) -> Result<Option<Self>, SettingsError> {
        let context_name = options
            .context
            .clone()
            .or_else(|| kubeconfig.current_context.clone());
        let context = match &context_name {
            // client-go looks for the empty name, too.
            None => kubeconfig.contexts.get(""),
            Some(name) => match kubeconfig.contexts.get(name) {
                None => return Err(unknown(kubeconfig, "context", name, kubeconfig.contexts.keys())),
                found => found,
            },
        };
        let cluster_name = options.cluster.clone().or_else(|| context?.cluster.clone());
        let cluster = cluster_name
            .as_ref()
            .map(|name| (name, kubeconfig.clusters.get(name)));
        let cluster = match cluster {
            None => None,
            Some((_, Some(cluster))) => Some(cluster.clone()),
            // A server given by flag needs no cluster, unless a flag names one.
            Some(_) if options.server.is_some() && options.cluster.is_none() => None,
            Some((name, None)) => {
                return Err(unknown(kubeconfig, "cluster", name, kubeconfig.clusters.keys()));
            }
        };
        // kubectl asks for a name and a password where a context's user is gone. That is an error here, unless
        // the command line says who we are.
        let logged_in = options.token.is_some() || options.client_certificate.is_some();
        let user_name = options.user.clone().or_else(|| context?.user.clone());
        let user = match &user_name {
            None => User::default(),
            Some(name) => match kubeconfig.users.get(name) {
                Some(user) => user.clone(),
                None if logged_in && options.user.is_none() => User::default(),
                None => return Err(unknown(kubeconfig, "user", name, kubeconfig.users.keys())),
            },
        };
        let mut settings = Self {
            context: context_name,
            cluster_name,
            cluster: cluster.unwrap_or_default(),
            user_name,
            user,
        };
        settings.override_with(options)?;
        match (&settings.cluster.server, &settings.cluster_name) {
            (None, Some(name)) => Err(SettingsError::NoServer(name.clone())),
            (None, None) => Ok(None),
            (Some(_), _) => settings.check().map(|()| Some(settings)),
        }
    }

    /// Applies the flags, and refuses what client-go refuses.
    pub(crate) fn apply(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        self.override_with(options)?;
        self.check()
    }

    /// The error where nothing names a server and no in-cluster configuration is there.
    pub(crate) fn missing(kubeconfig: &Kubeconfig, options: &ConnectOptions) -> SettingsError {
        let place = files(kubeconfig);
        if let Some(name) = options.context.as_ref().or(kubeconfig.current_context.as_ref()) {
            let name = name.clone();
            return SettingsError::NoCluster { name, place };
        }
        if kubeconfig.all_missing || kubeconfig.files.is_empty() {
            return SettingsError::Nothing { place };
        }
        let known = kubeconfig.contexts.keys().cloned().collect();
        SettingsError::NoContext { place, known }
    }
}

fn unknown<'a>(
    kubeconfig: &Kubeconfig,
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a String>,
) -> SettingsError {
    let files = files(kubeconfig);
    let is_none = kubeconfig.all_missing || kubeconfig.files.is_empty();
    SettingsError::Unknown {
        kind,
        name: name.to_owned(),
        place: if is_none {
            format!("any kubeconfig: {files}")
        } else {
            files
        },
        known: known.cloned().collect(),
    }
}

fn files(kubeconfig: &Kubeconfig) -> String {
    let names: Vec<_> = kubeconfig
        .files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match (names.is_empty(), kubeconfig.all_missing) {
        (true, _) => "KUBECONFIG names no file, so ~/.kube/config was not read".to_owned(),
        (false, true) => format!("{} does not exist", names.join(", ")),
        (false, false) => names.join(", "),
    }
}
