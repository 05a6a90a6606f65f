//! Exec credential plugins, by client-go's rules: run once a run, told what it may ask on the terminal, its
//! standard error shown, its output read and never printed. kube 5.0.0 runs a plugin three times for each
//! client and quotes its output in errors, so it never sees one.

use std::io::{self, IsTerminal};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::kubeconfig::Exec;
use super::secret::Secret;

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
pub struct ExecCredential {
    /// A bearer token.
    pub token: Option<Secret>,
    /// Certificate and key, PEM.
    pub identity: Option<(String, Secret)>,
}

/// What a plugin is told about the cluster, where it wants to know.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClusterInfo {
    /// The address of the API server.
    pub server: String,
    /// `tls-server-name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_server_name: Option<String>,
    /// `insecure-skip-tls-verify`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub insecure_skip_tls_verify: bool,
    /// The certificate authorities, base64 of PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_authority_data: Option<String>,
    /// The proxy in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
    /// `disable-compression`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disable_compression: bool,
    /// The cluster's extension for plugins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
}

impl ClusterInfo {
    /// PEM as the plugin gets it.
    pub fn encode_authority(pem: &[u8]) -> String {
        STANDARD.encode(pem)
    }
}

/// A plugin that is ready to run.
#[derive(Debug)]
pub struct Plugin<'a> {
    exec: &'a Exec,
    command: &'a str,
    version: &'static str,
    interactive: bool,
}

impl<'a> Plugin<'a> {
    /// Checks an entry of the kubeconfig. `stdin_taken`: something else reads standard input.
    pub fn new(exec: &'a Exec, user: &str, stdin_taken: bool) -> Result<Self, ExecError> {
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
    pub async fn run(&self, cluster: Option<ClusterInfo>) -> Result<ExecCredential, ExecError> {
        let shown = self.command.escape_debug().to_string();
        let mut child = tokio::process::Command::new(self.command)
            .args(&self.exec.args)
            .envs(
                self.exec
                    .env
                    .iter()
                    .map(|it| (it.name.as_str(), it.value.reveal())),
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
                    hint: self.exec.install_hint.as_deref().map(lines_escaped),
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
            Ok::<_, io::Error>((answer, child.wait().await?))
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
        if !status.success() {
            return Err(ExecError::Failed {
                command: shown,
                status,
            });
        }
        credential(&answer, self.version).map_err(|what| ExecError::Answer { command: shown, what })
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
    client_key_data: Option<Secret>,
}

/// Reads a plugin's answer; the error never quotes it.
fn credential(answer: &[u8], version: &str) -> Result<ExecCredential, String> {
    let text = std::str::from_utf8(answer).map_err(|_| "answered something that is no text")?;
    let answer: Answer = serde_json::from_str(text)
        .ok()
        .or_else(|| serde_saphyr::from_str(text).ok())
        .ok_or("answered something that is no ExecCredential")?;
    if answer.kind != "ExecCredential" {
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
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let token = filled(status.token).map(Secret::new);
    let key = status.client_key_data.filter(|key| !key.reveal().is_empty());
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
mod tests {
    use super::*;

    fn exec(mode: Option<&str>, version: &str) -> Exec {
        Exec {
            api_version: Some(version.to_owned()),
            command: Some("login".to_owned()),
            interactive_mode: mode.map(str::to_owned),
            ..Exec::default()
        }
    }

    fn interactive(mode: Option<&str>, version: &str, taken: bool, terminal: bool) -> Result<bool, String> {
        Plugin::check(&exec(mode, version), "ann", taken, terminal)
            .map(|plugin| plugin.interactive)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_plugin_may_ask_only_on_a_terminal_that_nothing_else_reads() {
        for (mode, taken, terminal, expected) in [
            (Some("Never"), false, true, Ok(false)),
            (Some("IfAvailable"), false, true, Ok(true)),
            (Some("IfAvailable"), true, true, Ok(false)),
            (Some("IfAvailable"), false, false, Ok(false)),
            (Some("Always"), false, true, Ok(true)),
            (
                Some("Always"),
                false,
                false,
                Err("standard input is not a terminal"),
            ),
            (
                Some("Always"),
                true,
                true,
                Err("standard input is read for a flag"),
            ),
            (Some("Sometimes"), false, true, Err("not \"Sometimes\"")),
            (None, false, true, Err("needs an interactiveMode")),
        ] {
            match (interactive(mode, V1, taken, terminal), expected) {
                (Ok(got), Ok(wanted)) => assert_eq!(got, wanted, "{mode:?}"),
                (Err(got), Err(wanted)) => assert!(got.contains(wanted), "{got}"),
                (got, wanted) => panic!("{mode:?}: {got:?}, not {wanted:?}"),
            }
        }
        assert_eq!(interactive(None, V1BETA1, false, true), Ok(true));
    }

    #[test]
    fn only_two_versions_are_spoken() {
        let error = interactive(
            Some("Never"),
            "client.authentication.k8s.io/v1alpha1",
            false,
            true,
        )
        .unwrap_err();
        assert!(error.contains("v1alpha1\", and only v1 and v1beta1"), "{error}");
        let none = Exec {
            command: Some("x".to_owned()),
            ..Exec::default()
        };
        assert!(
            Plugin::check(&none, "ann", false, true)
                .unwrap_err()
                .to_string()
                .contains("an apiVersion")
        );
    }

    #[test]
    fn the_cluster_is_told_only_where_the_plugin_wants_it() {
        let cluster = ClusterInfo {
            server: "https://k.example".to_owned(),
            certificate_authority_data: Some("Q0E=".to_owned()),
            config: Some(serde_json::json!({"audience": "x"})),
            ..ClusterInfo::default()
        };
        let mut exec = exec(Some("Never"), V1);
        let info = |exec: &Exec| {
            Plugin::check(exec, "ann", false, true)
                .unwrap()
                .info(Some(cluster.clone()))
        };
        assert_eq!(
            info(&exec),
            r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}}"#
        );
        exec.provide_cluster_info = true;
        let told: serde_json::Value = serde_json::from_str(&info(&exec)).unwrap();
        assert_eq!(
            told["spec"]["cluster"],
            serde_json::json!({
                "server": "https://k.example",
                "certificate-authority-data": "Q0E=",
                "config": {"audience": "x"},
            })
        );
    }

    #[test]
    fn answers_read_and_are_never_quoted() {
        let v1 =
            |status: &str| format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}","status":{status}}}"#);
        let token = credential(v1(r#"{"token":"t0ken"}"#).as_bytes(), V1).unwrap();
        assert_eq!(token.token.unwrap().reveal(), "t0ken");
        let both = v1(r#"{"token":"t","clientCertificateData":"C","clientKeyData":"K"}"#);
        let both = credential(both.as_bytes(), V1).unwrap();
        assert!(both.token.is_some() && both.identity.unwrap().0 == "C");
        let yaml = format!("kind: ExecCredential\napiVersion: {V1}\nstatus:\n  token: y\n");
        assert_eq!(
            credential(yaml.as_bytes(), V1).unwrap().token.unwrap().reveal(),
            "y"
        );
        for (answer, wanted) in [
            (v1(r#"{"clientCertificateData":"s3cret"}"#), "alone"),
            (v1("{}"), "without a token"),
            (
                format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}"}}"#),
                "without a status",
            ),
            (
                v1(r#"{"token":"s3cret"}"#).replace("/v1\"", "/v1beta1\""),
                "answered in",
            ),
            ("s3cret".to_owned(), "no ExecCredential"),
            (String::new(), "no ExecCredential"),
            (
                r#"{"kind":"s3cret","status":{"token":"s3cret"}}"#.to_owned(),
                "no ExecCredential",
            ),
        ] {
            let error = credential(answer.as_bytes(), V1).unwrap_err();
            assert!(error.contains(wanted) && !error.contains("s3cret"), "{error}");
        }
        assert!(credential(b"\xff", V1).is_err());
    }

    #[test]
    fn a_hint_keeps_its_lines_and_loses_its_escapes() {
        assert_eq!(
            lines_escaped("brew install x\n\u{1b}[1m"),
            "brew install x\n\\u{1b}[1m"
        );
    }
}
