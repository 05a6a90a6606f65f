//! The configuration of a pod: what the service account and the environment say, where nothing else names a
//! server; of the flags, client-go lets server, token and authority through.

use std::path::Path;

use super::ConnectOptions;
use super::kubeconfig::{Cluster, User};
use super::secret::Secret;
use super::settings::Settings;

const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The settings of the pod that this runs in, where it runs in one.
pub fn settings(options: &ConnectOptions, variable: impl Fn(&str) -> Option<String>) -> Option<Settings> {
    from(Path::new(ACCOUNT), options, variable)
}

fn from(
    account: &Path,
    options: &ConnectOptions,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Settings> {
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
    let given = |flag: &Option<String>| flag.clone().filter(|value| !value.is_empty());
    let authority = account.join("ca.crt");
    let flag_token = given(&options.token).map(Secret::new);
    Some(Settings {
        context: None,
        cluster_name: None,
        cluster: Cluster {
            server: given(&options.server).or(Some(format!("https://{host}:{port}"))),
            certificate_authority: options
                .certificate_authority
                .as_deref()
                .or(authority.is_file().then_some(authority.as_path()))
                .map(|path| path.to_string_lossy().into_owned()),
            ..Cluster::default()
        },
        user_name: None,
        user: User {
            token_file: flag_token.is_none().then(|| token.to_string_lossy().into_owned()),
            token: flag_token,
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
        let options = ConnectOptions::default();
        let variable = |name: &str| match name {
            "KUBERNETES_SERVICE_HOST" => Some("fd00::1".to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some("443".to_owned()),
            _ => None,
        };
        assert_eq!(from(folder.path(), &options, variable), None);
        std::fs::write(folder.path().join("token"), "t").unwrap();
        assert_eq!(from(folder.path(), &options, |_| None), None);
        let settings = from(folder.path(), &options, variable).unwrap();
        assert_eq!(settings.cluster.server.as_deref(), Some("https://[fd00::1]:443"));
        assert_eq!(settings.cluster.certificate_authority, None);
        assert!(settings.user.token_file.unwrap().ends_with("/token"));
    }

    #[test]
    fn server_token_and_authority_of_the_command_line_win() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "t").unwrap();
        std::fs::write(folder.path().join("ca.crt"), "c").unwrap();
        let options = ConnectOptions {
            server: Some("https://other".to_owned()),
            token: Some("flag".to_owned()),
            certificate_authority: Some("/ca".into()),
            ..ConnectOptions::default()
        };
        let settings = from(folder.path(), &options, |_| Some("1".to_owned())).unwrap();
        assert_eq!(settings.cluster.server.as_deref(), Some("https://other"));
        assert_eq!(settings.cluster.certificate_authority.as_deref(), Some("/ca"));
        assert_eq!(
            (settings.user.token.unwrap().reveal(), settings.user.token_file),
            ("flag", None)
        );
    }
}
