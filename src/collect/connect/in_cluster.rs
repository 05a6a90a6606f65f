//! The configuration of a pod: what the service account and the environment say, where nothing else names a
//! server. Flags are applied to it as to a kubeconfig: kubectl 1.37 drops most of them here, or gives the pod up for
//! them, and nobody is to be shown what another user sees.

use std::path::Path;

use super::ConnectOptions;
use super::settings::{Settings, SettingsError};
use crate::collect::kubeconfig::{Cluster, User};

const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The settings of the pod that this runs in, where it runs in one.
pub(crate) fn settings(
    options: &ConnectOptions,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Result<Settings, SettingsError>> {
    let mut settings = from(Path::new(ACCOUNT), variable)?;
    Some(settings.apply(options).map(|()| settings))
}

fn from(account: &Path, variable: impl Fn(&str) -> Option<String>) -> Option<Settings> {
    let filled = |name| variable(name).filter(|value: &String| !value.is_empty());
    let (host, port) = (
        filled("KUBERNETES_SERVICE_HOST")?,
        filled("KUBERNETES_SERVICE_PORT")?,
    );
    let token = account.join("token");
    if !token.is_file() {
        return None;
    }
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host
    };
    let authority = account.join("ca.crt");
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    Some(Settings {
        context: None,
        cluster_name: None,
        cluster: Cluster {
            server: Some(format!("https://{host}:{port}")),
            certificate_authority: authority.is_file().then(|| shown(&authority)),
            ..Cluster::default()
        },
        user_name: None,
        user: User {
            token_file: Some(shown(&token)),
            ..User::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_has_a_host_a_port_and_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let variable = |name: &str| match name {
            "KUBERNETES_SERVICE_HOST" => Some("fd00::1".to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some("443".to_owned()),
            _ => None,
        };
        assert_eq!(from(folder.path(), variable), None);
        std::fs::write(folder.path().join("token"), "t").unwrap();
        assert_eq!(from(folder.path(), |_| None), None);
        let settings = from(folder.path(), variable).unwrap();
        assert_eq!(settings.cluster.server.as_deref(), Some("https://[fd00::1]:443"));
        assert_eq!(settings.cluster.certificate_authority, None);
        assert!(settings.user.token_file.unwrap().ends_with("/token"));
    }
}
