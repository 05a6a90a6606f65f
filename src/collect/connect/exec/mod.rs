//! Exec credential plugins, by client-go's rules: run once a run, told what it may ask on the terminal, its
//! standard error shown, its output read and never printed. kube 5.0.0 runs a plugin three times for each
//! client and quotes its output in errors, so it never sees one.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::kubeconfig::Exec;
use super::masking::SecretString;

/// How long a plugin that cannot ask anything may take.
const LIMIT: Duration = Duration::from_secs(120);

/// More than any credential; what comes beyond is no answer.
const LARGEST: u64 = 4 << 20;

const V1: &str = "client.authentication.k8s.io/v1";
const V1BETA1: &str = "client.authentication.k8s.io/v1beta1";

/// Why a plugin gave no credentials.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The kubeconfig's entry is not complete.
    #[error("the exec plugin of user \"{}\" needs {what}", .user.escape_debug())]
    Incomplete {
        /// Whose.
        user: String,
        /// What is missing or wrong.
        what: String,
    },
    /// Its API version is not spoken.
    #[error("the exec plugin of user \"{}\" asks for API version \"{}\", and only v1 and v1beta1 are spoken", .user.escape_debug(), .version.escape_debug())]
    Version {
        /// Whose.
        user: String,
        /// The version.
        version: String,
    },
    /// It must ask and cannot.
    #[error("the exec plugin {command} must ask for input, and standard input {why}")]
    NotInteractive {
        /// The program.
        command: String,
        /// Why it cannot.
        why: &'static str,
    },
    /// It is not installed.
    #[error("the exec plugin {command} was not found")]
    NotFound {
        /// The program.
        command: String,
        /// `installHint` of the kubeconfig, escaped.
        hint: Option<String>,
    },
    /// It does not start.
    #[error("the exec plugin {command} could not be run")]
    Start {
        /// The program.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It ended with an error.
    #[error("the exec plugin {command} failed with {status}")]
    Failed {
        /// The program.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// It did not end.
    #[error("the exec plugin {command} did not end within {} seconds", LIMIT.as_secs())]
    TimedOut {
        /// The program.
        command: String,
    },
    /// Its answer holds no credentials.
    #[error("the exec plugin {command} {what}")]
    Answer {
        /// The program.
        command: String,
        /// What is wrong.
        what: String,
    },
}

/// What a plugin gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ExecCredential {
    /// A bearer token.
    pub(crate) token: Option<SecretString>,
    /// Certificate and key, PEM.
    pub(crate) identity: Option<(String, SecretString)>,
}

/// What a plugin is told about the cluster, where it wants to know.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ClusterInfo {
    /// The address of the API server.
    pub(crate) server: String,
    /// `tls-server-name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tls_server_name: Option<String>,
    /// `insecure-skip-tls-verify`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) insecure_skip_tls_verify: bool,
    /// The certificate authorities, base64 of PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certificate_authority_data: Option<String>,
    /// The proxy in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proxy_url: Option<String>,
    /// `disable-compression`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disable_compression: bool,
    /// The cluster's extension for plugins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<serde_json::Value>,
}

impl ClusterInfo {
    /// PEM as the plugin gets it.
    pub(crate) fn encode_authority(pem: &[u8]) -> String {
        STANDARD.encode(pem)
    }
}

/// A plugin that is ready to run.
#[derive(Debug)]
pub(crate) struct Plugin<'a> {
    exec: &'a Exec,
    command: &'a str,
    version: &'static str,
    interactive: bool,
}

impl<'a> Plugin<'a> {
    /// Checks an entry of the kubeconfig. `stdin_taken`: something else reads standard input.
    pub(crate) fn new(exec: &'a Exec, user: &str, stdin_taken: bool) -> Result<Self, ExecError> {
        Self::check(exec, user, stdin_taken, io::stdin().is_terminal())
    }

    fn check(exec: &'a Exec, user: &str, stdin_taken: bool, terminal: bool) -> Result<Self, ExecError> {
        let incomplete = |what: &str| ExecError::Incomplete {
            user: user.to_owned(),
            what: what.to_owned(),
        };
        let command = exec.command.as_deref().ok_or_else(|| incomplete("a command"))?;
        let version = match exec.api_version.as_deref() {
            None => return Err(incomplete("an apiVersion")),
            Some(V1) => V1,
            Some(V1BETA1) => V1BETA1,
            Some(other) => {
                return Err(ExecError::Version {
                    user: user.to_owned(),
                    version: other.to_owned(),
                });
            }
        };
        if exec.env.iter().any(|variable| variable.name.is_empty()) {
            return Err(incomplete("a name for each environment variable"));
        }
        let cannot = |why| ExecError::NotInteractive {
            command: command.escape_debug().to_string(),
            why,
        };
        let interactive = match exec.interactive_mode.as_deref() {
            None if version == V1 => {
                return Err(incomplete("an interactiveMode: Never, IfAvailable or Always"));
            }
            None | Some("IfAvailable") => terminal && !stdin_taken,
            Some("Never") => false,
            Some("Always") if !terminal => return Err(cannot("is not a terminal")),
            Some("Always") if stdin_taken => return Err(cannot("is read for a flag")),
            Some("Always") => true,
            Some(other) => {
                return Err(incomplete(&format!(
                    "an interactiveMode of Never, IfAvailable or Always, not \"{}\"",
                    other.escape_debug()
                )));
            }
        };
        Ok(Self {
            exec,
            command,
            version,
            interactive,
        })
    }

    /// Runs it, once.
    pub(crate) async fn run(&self, cluster: Option<ClusterInfo>) -> Result<ExecCredential, ExecError> {
        let shown = self.command.escape_debug().to_string();
        let program = self.program().ok_or_else(|| ExecError::NotFound {
            command: shown.clone(),
            hint: self.hint(),
        })?;
        let mut child = tokio::process::Command::new(program)
            .args(&self.exec.args)
            .envs(
                self.exec
                    .env
                    .iter()
                    .map(|it| (it.name.as_str(), it.value.expose())),
            )
            .env("KUBERNETES_EXEC_INFO", self.info(cluster))
            .stdin(if self.interactive {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => ExecError::NotFound {
                    command: shown.clone(),
                    hint: self.hint(),
                },
                _ => ExecError::Start {
                    command: shown.clone(),
                    source,
                },
            })?;
        let stdout = child.stdout.take();
        let work = async {
            let mut answer = Vec::new();
            if let Some(stdout) = stdout {
                stdout.take(LARGEST).read_to_end(&mut answer).await?;
            }
            if answer.len() as u64 == LARGEST {
                // It would go on writing to a pipe that nobody reads; it ends with this.
                return Ok((answer, None));
            }
            Ok::<_, io::Error>((answer, Some(child.wait().await?)))
        };
        let outcome = if self.interactive {
            work.await
        } else {
            match tokio::time::timeout(LIMIT, work).await {
                Ok(outcome) => outcome,
                Err(_) => return Err(ExecError::TimedOut { command: shown }),
            }
        };
        let (answer, status) = outcome.map_err(|source| ExecError::Start {
            command: shown.clone(),
            source,
        })?;
        let Some(status) = status else {
            return Err(ExecError::Answer {
                command: shown,
                what: format!("answered more than {} MiB", LARGEST >> 20),
            });
        };
        if !status.success() {
            return Err(ExecError::Failed {
                command: shown,
                status,
            });
        }
        credential(&answer, self.version).map_err(|what| ExecError::Answer { command: shown, what })
    }

    /// The program to run. A bare name is looked up on our own `PATH`, as in Go, where the system would take the one that
    /// the kubeconfig sets for the plugin.
    fn program(&self) -> Option<PathBuf> {
        let sets_path = self.exec.env.iter().any(|it| it.name == "PATH");
        if cfg!(windows) || !sets_path || self.command.contains(std::path::is_separator) {
            return Some(PathBuf::from(self.command));
        }
        let paths = std::env::var_os("PATH")?;
        std::env::split_paths(&paths)
            .map(|folder| folder.join(self.command))
            .find(|path| path.is_file())
    }

    fn hint(&self) -> Option<String> {
        self.exec.install_hint.as_deref().map(lines_escaped)
    }

    /// What stands in `KUBERNETES_EXEC_INFO`.
    fn info(&self, cluster: Option<ClusterInfo>) -> String {
        let cluster = cluster.filter(|_| self.exec.provide_cluster_info);
        let mut spec = serde_json::json!({ "interactive": self.interactive });
        if let Some(cluster) = cluster {
            spec["cluster"] = serde_json::to_value(cluster).unwrap_or_default();
        }
        serde_json::json!({ "kind": "ExecCredential", "apiVersion": self.version, "spec": spec }).to_string()
    }
}

/// An installation hint comes from a file: its line breaks stay, every other control character is escaped.
fn lines_escaped(hint: &str) -> String {
    let escaped = |c: char| {
        if c.is_control() && c != '\n' {
            c.escape_debug().to_string()
        } else {
            c.to_string()
        }
    };
    hint.chars().map(escaped).collect()
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    kind: String,
    api_version: String,
    status: Option<AnswerStatus>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AnswerStatus {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<SecretString>,
    expiration_timestamp: Option<String>,
}

/// Reads a plugin's answer; the error never quotes it.
fn credential(answer: &[u8], version: &str) -> Result<ExecCredential, String> {
    let text = std::str::from_utf8(answer).map_err(|_| "answered something that is no text")?;
    let answer: Answer = serde_json::from_str(text)
        .ok()
        .or_else(|| serde_saphyr::from_str(text).ok())
        .ok_or("answered something that is no ExecCredential")?;
    // client-go takes an answer that names its version and no kind.
    let is_one = answer.kind == "ExecCredential" || answer.kind.is_empty() && !answer.api_version.is_empty();
    if !is_one {
        return Err("answered something that is no ExecCredential".to_owned());
    }
    if answer.api_version != version {
        let known = [V1, V1BETA1].contains(&answer.api_version.as_str());
        let other = if known {
            &answer.api_version
        } else {
            "another API version"
        };
        return Err(format!(
            "answered in {other}, and the kubeconfig asks for {version}"
        ));
    }
    let status = answer.status.ok_or("answered without a status")?;
    // When it ends does not matter to a run that is over before; that it reads does, as in client-go.
    let expires = status
        .expiration_timestamp
        .as_deref()
        .map(str::parse::<Timestamp>);
    if expires.is_some_and(|time| time.is_err()) {
        return Err("answered with an expirationTimestamp that is no time".to_owned());
    }
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let token = filled(status.token).map(SecretString::new);
    let key = status.client_key_data.filter(|key| !key.expose().is_empty());
    let identity = match (filled(status.client_certificate_data), key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err("answered with a certificate or a key alone, not both".to_owned()),
    };
    if token.is_none() && identity.is_none() {
        return Err("answered without a token and without a certificate".to_owned());
    }
    Ok(ExecCredential { token, identity })
}

#[cfg(test)]
mod tests;
