//! What a plugin is told about the cluster, where it wants to know.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::collect::kubeconfig::Cluster;

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ClusterInfo {
    pub(super) server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tls_server_name: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) insecure_skip_tls_verify: bool,
    /// Base64 of PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate_authority_data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proxy_url: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) disable_compression: bool,
    /// The cluster's extension for plugins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) config: Option<serde_json::Value>,
}

impl ClusterInfo {
    pub(crate) fn new(cluster: &Cluster, authority: Option<&[u8]>) -> Self {
        const FOR_PLUGINS: &str = "client.authentication.k8s.io/exec";
        let extension = cluster.extensions.iter().find(|it| it.name == FOR_PLUGINS);
        Self {
            server: cluster.server.clone().unwrap_or_default(),
            tls_server_name: cluster.tls_server_name.clone(),
            insecure_skip_tls_verify: cluster.insecure_skip_tls_verify,
            certificate_authority_data: authority.map(|pem| STANDARD.encode(pem)),
            proxy_url: cluster.proxy_url.clone(),
            disable_compression: cluster.disable_compression,
            config: extension.map(|it| it.extension.clone()),
        }
    }
}
