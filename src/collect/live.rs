//! Reading a live cluster: requests, pages and retries, down to the few fields read.

use crate::inventory::labels::Wanted;

/// What to read of the cluster.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// `-n`, where it is another namespace than kube-system.
    pub hosted: Option<String>,
    /// `--chunk-size`; 0 asks for no pages.
    pub chunk_size: u32,
    /// Labels and annotations to keep.
    pub wanted: Wanted,
    /// `--kubectl-version`: takes the place of asking the local kubectl.
    pub kubectl_version: Option<String>,
    /// `--server-version`: takes the place of `/version`.
    pub server_version: Option<String>,
}

/// Where the answers came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveSource {
    /// The kubeconfig context.
    pub context: Option<String>,
    /// Scheme, host and port.
    pub api_server: String,
}
