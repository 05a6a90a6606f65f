//! One run of a plugin: checked, started, waited for.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::answer::{ExecCredential, credential};
use super::cluster_info::ClusterInfo;
use super::error::{ExecError, LIMIT};
use super::{V1, V1BETA1};
use crate::collect::kubeconfig::Exec;
use crate::collect::program::{self, Group, LookupError};

/// More than any credential; what comes beyond is no answer.
const LARGEST: u64 = 4 << 20;

/// A plugin that is ready to run.
#[derive(Debug)]
pub(crate) struct Plugin<'a> {
    exec: &'a Exec,
    /// To be shown.
    command: String,
    version: &'static str,
    pub(super) interactive: bool,
}

impl<'a> Plugin<'a> {
    /// Checks an entry of the kubeconfig. `stdin_taken`: something else reads standard input.
    pub(crate) fn new(exec: &'a Exec, user: &str, stdin_taken: bool) -> Result<Self, ExecError> {
        Self::check(exec, user, stdin_taken, io::stdin().is_terminal())
    }

    pub(super) fn check(
        exec: &'a Exec,
        user: &str,
        stdin_taken: bool,
        terminal: bool,
    ) -> Result<Self, ExecError> {
        let user = || user.escape_debug().to_string();
        let incomplete = |what: &str| ExecError::Incomplete {
            user: user(),
            what: what.to_owned(),
        };
        let command = exec.command.as_deref().ok_or_else(|| incomplete("a command"))?;
        let command = command.escape_debug().to_string();
        let version = match exec.api_version.as_deref() {
            None => return Err(incomplete("an apiVersion")),
            Some(V1) => V1,
            Some(V1BETA1) => V1BETA1,
            Some(other) => {
                return Err(ExecError::Version {
                    user: user(),
                    version: other.escape_debug().to_string(),
                });
            }
        };
        if exec.env.iter().any(|variable| variable.name.is_empty()) {
            return Err(incomplete("a name for each environment variable"));
        }
        let mode = exec.interactive_mode.as_deref();
        let interactive = match mode.unwrap_or(if version == V1 { "" } else { "IfAvailable" }) {
            "Never" => false,
            "IfAvailable" => terminal && !stdin_taken,
            "Always" if terminal && !stdin_taken => true,
            "Always" => {
                let why = if terminal {
                    "is read for a flag"
                } else {
                    "is not a terminal"
                };
                return Err(ExecError::NotInteractive { command, why });
            }
            _ => return Err(incomplete("an interactiveMode: Never, IfAvailable or Always")),
        };
        Ok(Self {
            exec,
            command,
            version,
            interactive,
        })
    }

    /// Runs it, once.
    pub(crate) async fn run(&self, cluster: ClusterInfo) -> Result<ExecCredential, ExecError> {
        let command = || self.command.clone();
        let mut child = self.start(cluster)?;
        // Dropped, it ends all that the plugin has started: after the time is up, and when somebody presses Ctrl-C.
        let group = Group::new(child.id().filter(|_| !self.interactive));
        let work = async {
            let mut answer = Vec::new();
            if let Some(stdout) = child.stdout.take() {
                stdout.take(LARGEST).read_to_end(&mut answer).await?;
            }
            // One that goes on writing to a pipe that nobody reads would never end.
            let is_whole = (answer.len() as u64) < LARGEST;
            Ok::<_, io::Error>((answer, if is_whole { Some(child.wait().await?) } else { None }))
        };
        let outcome = if self.interactive {
            work.await
        } else {
            let in_time = tokio::time::timeout(LIMIT, work).await;
            in_time.map_err(|_| ExecError::TimedOut { command: command() })?
        };
        let (answer, status) = outcome.map_err(|source| ExecError::Start {
            command: command(),
            source,
        })?;
        let Some(status) = status else {
            return Err(ExecError::Answer {
                command: command(),
                what: format!("printed more than {} MiB", LARGEST >> 20),
            });
        };
        group.release();
        if !status.success() {
            return Err(ExecError::Failed {
                command: command(),
                status,
            });
        }
        credential(&answer, self.version).map_err(|what| ExecError::Answer {
            command: command(),
            what,
        })
    }

    fn start(&self, cluster: ClusterInfo) -> Result<Child, ExecError> {
        let not_found = |why| ExecError::NotFound {
            command: self.command.clone(),
            why,
            hint: self.exec.install_hint.as_deref().map(lines_escaped),
        };
        // A bare name is looked up in our own PATH, as in Go; the system would take the one that the kubeconfig sets.
        let name = self.exec.command.as_deref().unwrap_or_default();
        let program = program::find(OsStr::new(name)).map_err(not_found)?;
        let stdin = if self.interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        let environment = self
            .exec
            .env
            .iter()
            .map(|it| (it.name.as_str(), it.value.expose()));
        let mut command = Command::new(program);
        command
            .args(&self.exec.args)
            .envs(environment)
            .env("KUBERNETES_EXEC_INFO", self.info(cluster))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true);
        // Whoever asks on the terminal must stay in its foreground, where Ctrl-C reaches all.
        #[cfg(unix)]
        if !self.interactive {
            command.process_group(0);
        }
        command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => not_found(LookupError::Missing),
            _ => ExecError::Start {
                command: self.command.clone(),
                source,
            },
        })
    }

    /// What stands in `KUBERNETES_EXEC_INFO`.
    pub(super) fn info(&self, cluster: ClusterInfo) -> String {
        let mut spec = serde_json::json!({ "interactive": self.interactive });
        if self.exec.provide_cluster_info {
            spec["cluster"] = serde_json::to_value(cluster).unwrap_or_default();
        }
        serde_json::json!({ "kind": "ExecCredential", "apiVersion": self.version, "spec": spec }).to_string()
    }
}

/// An installation hint comes from a file: its line breaks stay, every other control character is escaped.
pub(super) fn lines_escaped(hint: &str) -> String {
    let lines: Vec<_> = hint.split('\n').map(crate::collect::masking::escaped).collect();
    lines.join("\n")
}
