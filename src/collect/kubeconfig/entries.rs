//! The entries of a kubeconfig that are read; unknown fields are passed over, as in client-go.
//!
//! The types are our own: those of kube 5.0.0 refuse a context without a cluster and a null list.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::collect::masking::SecretString;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Context {
    #[serde(deserialize_with = "text")]
    pub(crate) cluster: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) user: Option<String>,
    /// Its namespace; plays no part in what is read, but completion offers it.
    #[serde(deserialize_with = "text")]
    pub(crate) namespace: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Cluster {
    #[serde(deserialize_with = "text")]
    pub(crate) server: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) tls_server_name: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) insecure_skip_tls_verify: bool,
    #[serde(deserialize_with = "text")]
    pub(crate) certificate_authority: Option<String>,
    /// Certificate authorities, base64 of PEM.
    #[serde(deserialize_with = "text")]
    pub(crate) certificate_authority_data: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) proxy_url: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) disable_compression: bool,
    /// Extensions; the exec plugin may get one of them.
    #[serde(deserialize_with = "or_default")]
    pub(crate) extensions: Vec<Extension>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Extension {
    pub(crate) name: String,
    pub(crate) extension: serde_json::Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct User {
    #[serde(deserialize_with = "text")]
    pub(crate) client_certificate: Option<String>,
    /// The client's certificate, base64 of PEM.
    #[serde(deserialize_with = "text")]
    pub(crate) client_certificate_data: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) client_key: Option<String>,
    /// The client's key, base64 of PEM.
    #[serde(deserialize_with = "secret")]
    pub(crate) client_key_data: Option<SecretString>,
    #[serde(deserialize_with = "secret")]
    pub(crate) token: Option<SecretString>,
    #[serde(rename = "tokenFile", deserialize_with = "text")]
    pub(crate) token_file: Option<String>,
    #[serde(rename = "as", deserialize_with = "text")]
    pub(crate) impersonate: Option<String>,
    #[serde(rename = "as-uid", deserialize_with = "text")]
    pub(crate) impersonate_uid: Option<String>,
    #[serde(rename = "as-groups", deserialize_with = "or_default")]
    pub(crate) impersonate_groups: Vec<String>,
    #[serde(rename = "as-user-extra", deserialize_with = "or_default")]
    pub(crate) impersonate_extra: BTreeMap<String, Vec<String>>,
    #[serde(deserialize_with = "text")]
    pub(crate) username: Option<String>,
    #[serde(deserialize_with = "secret")]
    pub(crate) password: Option<SecretString>,
    /// The mechanism that exec plugins took the place of.
    #[serde(deserialize_with = "or_default")]
    pub(crate) auth_provider: Option<AuthProvider>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) exec: Option<Exec>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct AuthProvider {
    pub(crate) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) config: BTreeMap<String, SecretString>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Exec {
    #[serde(deserialize_with = "text")]
    pub(crate) api_version: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) command: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) args: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) env: Vec<EnvVar>,
    #[serde(deserialize_with = "text")]
    pub(crate) install_hint: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) interactive_mode: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) provide_cluster_info: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct EnvVar {
    pub(crate) name: String,
    pub(crate) value: SecretString,
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(text(deserializer)?.map(SecretString::new))
}

pub(super) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
