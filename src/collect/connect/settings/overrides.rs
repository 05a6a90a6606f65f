//! What flags change in a cluster and a user of the kubeconfig, and the combinations that client-go refuses.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Settings, SettingsError};
use crate::collect::connect::ConnectOptions;
use crate::collect::masking::SecretString;

impl Settings {
    pub(super) fn override_with(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        self.override_cluster(options);
        self.override_user(options)
    }

    /// Each trust setting on the command line drops the file's, and another server does not keep the file's server name.
    fn override_cluster(&mut self, options: &ConnectOptions) {
        let cluster = &mut self.cluster;
        let insecure = options.insecure_skip_tls_verify == Some(true);
        if insecure || options.certificate_authority.is_some() {
            cluster.insecure_skip_tls_verify = insecure;
            cluster.certificate_authority = options.certificate_authority.as_deref().map(name_of);
            cluster.certificate_authority_data = None;
        }
        if options.server.is_some() || options.tls_server_name.is_some() {
            cluster.tls_server_name.clone_from(&options.tls_server_name);
        }
        replace(&mut cluster.server, options.server.as_ref());
        cluster.disable_compression |= options.disable_compression;
    }

    /// A certificate, a key or a token on the command line drops the file's other form of it.
    fn override_user(&mut self, options: &ConnectOptions) -> Result<(), SettingsError> {
        let user = &mut self.user;
        if let Some(certificate) = &options.client_certificate {
            user.client_certificate = Some(name_of(certificate));
            user.client_certificate_data = None;
        }
        if let Some(key) = &options.client_key {
            user.client_key = Some(name_of(key));
            user.client_key_data = None;
        }
        if let Some(token) = &options.token {
            user.token = Some(SecretString::new(token.clone()));
            user.token_file = None;
        }
        replace(&mut user.impersonate, options.impersonate.as_ref());
        replace(&mut user.impersonate_uid, options.impersonate_uid.as_ref());
        if !options.impersonate_groups.is_empty() {
            user.impersonate_groups.clone_from(&options.impersonate_groups);
        }
        let mut flagged = BTreeMap::<String, Vec<String>>::new();
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
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let (cluster, user) = (&self.cluster, &self.user);
        let (authority, authority_data) = (
            cluster.certificate_authority.is_some(),
            cluster.certificate_authority_data.is_some(),
        );
        let (certificate, certificate_data) = (
            user.client_certificate.is_some(),
            user.client_certificate_data.is_some(),
        );
        let (key, key_data) = (user.client_key.is_some(), user.client_key_data.is_some());
        let has_certificate = certificate || certificate_data;
        let has_token = user.token.is_some() || user.token_file.is_some();
        let has_login = user.username.is_some() || user.password.is_some();
        let both = [
            (
                "cluster",
                "certificate-authority",
                authority,
                "certificate-authority-data",
                authority_data,
            ),
            (
                "cluster",
                "insecure-skip-tls-verify",
                cluster.insecure_skip_tls_verify,
                "a certificate authority",
                authority || authority_data,
            ),
            ("user", "a token", has_token, "a user name or password", has_login),
            (
                "user",
                "client-certificate",
                certificate,
                "client-certificate-data",
                certificate_data,
            ),
            (
                "user",
                "client-key",
                has_certificate && key,
                "client-key-data",
                key_data,
            ),
            (
                "user",
                "exec",
                user.exec.is_some(),
                "auth-provider",
                user.auth_provider.is_some(),
            ),
        ];
        if let Some((kind, first, _, second, _)) = both.into_iter().find(|it| it.2 && it.4) {
            let name = if kind == "user" {
                &self.user_name
            } else {
                &self.cluster_name
            };
            return Err(SettingsError::Both {
                first,
                second,
                kind,
                name: name.clone().unwrap_or_default(),
            });
        }
        if has_certificate && !key && !key_data {
            return Err(SettingsError::NoKey(self.user_name.clone().unwrap_or_default()));
        }
        let needs_user = user.impersonate_uid.is_some()
            || !user.impersonate_groups.is_empty()
            || !user.impersonate_extra.is_empty();
        if needs_user && user.impersonate.is_none() {
            return Err(SettingsError::ImpersonateWhom);
        }
        Ok(())
    }
}

fn replace(setting: &mut Option<String>, flag: Option<&String>) {
    if let Some(flag) = flag {
        *setting = Some(flag.clone());
    }
}

fn name_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
