//! From a kubeconfig and flags to a prepared client: what kubectl would do.

use std::path::PathBuf;

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
    pub verbosity: u8,
    /// Whether standard input is taken by something else (`--rollout-file -`), so that no exec plugin may have it.
    pub stdin_taken: bool,
}
