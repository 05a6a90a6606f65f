//! The connection flags, and how long reading may take.

use std::path::PathBuf;
use std::time::Duration;

use super::duration::{self, TimeoutError};
use super::settings::quote;

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
    /// Whether standard input is read for something else (`--rollout-file -`), so that no exec plugin may have it.
    pub stdin_taken: bool,
}

impl ConnectOptions {
    /// The same without flags that are empty: kubectl takes them for not given.
    pub(crate) fn given(mut self) -> Self {
        for text in [
            &mut self.context,
            &mut self.cluster,
            &mut self.user,
            &mut self.server,
            &mut self.token,
            &mut self.impersonate,
            &mut self.impersonate_uid,
            &mut self.tls_server_name,
            &mut self.request_timeout,
        ] {
            text.take_if(|text| text.is_empty());
        }
        for path in [
            &mut self.kubeconfig,
            &mut self.certificate_authority,
            &mut self.client_certificate,
            &mut self.client_key,
        ] {
            path.take_if(|path| path.as_os_str().is_empty());
        }
        self
    }

    /// The flags that lead kubectl to the same cluster as the same person; no credential is among them.
    pub(super) fn kubectl_flags(&self, server: Option<&str>) -> String {
        let kubeconfig = self.kubeconfig.as_ref().map(|path| path.to_string_lossy());
        let mut flags = String::new();
        for (name, value) in [
            ("kubeconfig", kubeconfig.as_deref()),
            ("context", self.context.as_deref()),
            ("cluster", self.cluster.as_deref()),
            ("user", self.user.as_deref()),
            ("server", server),
            ("as", self.impersonate.as_deref()),
            ("as-uid", self.impersonate_uid.as_deref()),
        ] {
            if let Some(value) = value {
                flags.extend([" --", name, " ", &quote(value)]);
            }
        }
        for group in &self.impersonate_groups {
            flags.extend([" --as-group ", &quote(group)]);
        }
        flags
    }
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
    pub(crate) fn new(request_timeout: Option<&str>) -> Result<Self, TimeoutError> {
        let request = request_timeout.map_or(Ok(Some(duration::DEFAULT)), duration::timeout)?;
        let run = request.map_or(LONGEST, |request| {
            (request * 10)
                .clamp(Duration::from_secs(10), LONGEST)
                .max(request)
        });
        Ok(Self { request, run })
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
            user: Some(String::new()),
            impersonate: Some("ann".to_owned()),
            token: Some("s3cret".to_owned()),
            ..ConnectOptions::default()
        };
        assert_eq!(
            options.given().kubectl_flags(Some("https://k.example/prefix")),
            " --context 'my prod' --server https://k.example/prefix --as ann"
        );
    }
}
