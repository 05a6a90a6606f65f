//! The local kubectl's version: the one that runs us says where it lies, else the one on `PATH`. It is asked
//! while the reads run, for a short time only, and its absence is no error.

use std::ffi::{OsStr, OsString};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;

use crate::collect::program::{self, Group};

/// How long kubectl may take to say its version.
const LIMIT: Duration = Duration::from_secs(2);

/// Asks kubectl for its version.
pub(super) async fn version() -> Option<String> {
    // kubectl sets this for its plugins from 1.37 on.
    let told = std::env::var_os("KUBECTL_PATH").filter(|path| !path.is_empty());
    ask(&told.unwrap_or_else(|| OsString::from("kubectl"))).await
}

async fn ask(program: &OsStr) -> Option<String> {
    let mut command = tokio::process::Command::new(program::find(program).ok()?);
    command
        .args(["version", "--client", "-o", "json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().ok()?;
    // It may be a script that starts others: all of them end with the time.
    let group = Group::new(child.id());
    let output = tokio::time::timeout(LIMIT, child.wait_with_output())
        .await
        .ok()?
        .ok()?;
    group.release();
    output.status.success().then(|| client_version(&output.stdout))?
}

fn client_version(answer: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        client_version: Version,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    let answer: Answer = serde_json::from_slice(answer).ok()?;
    Some(answer.client_version.git_version).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(program: &std::path::Path) -> Option<String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(ask(program.as_os_str()))
    }

    #[test]
    fn only_the_clients_version_counts() {
        let answer =
            br#"{"clientVersion":{"gitVersion":"v1.37.2"},"serverVersion":{"gitVersion":"v1.30.0"}}"#;
        assert_eq!(client_version(answer).as_deref(), Some("v1.37.2"));
        assert_eq!(
            client_version(br#"{"serverVersion":{"gitVersion":"v1.30.0"}}"#),
            None
        );
        assert_eq!(client_version(b"error: no"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_kubectl_that_is_missing_fails_or_hangs_is_no_version() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let version = r#"echo '{"clientVersion":{"gitVersion":"v1.37.0"}}'"#;
        assert_eq!(asked(&script("good", version)).as_deref(), Some("v1.37.0"));
        assert_eq!(asked(&script("bad", &format!("{version}; exit 1"))), None);
        assert_eq!(asked(&folder.path().join("none")), None);
        let started = std::time::Instant::now();
        assert_eq!(asked(&script("slow", "exec sleep 60")), None);
        assert!(started.elapsed() < LIMIT * 5);
    }
}
