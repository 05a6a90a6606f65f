//! Running the binary, cut off from the cluster and the locale of whoever runs the tests.

use std::ffi::OsStr;
use std::process::{Command, Output};

/// What a run did.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// It ended with that exit code.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
    }

    /// It could not judge and says so: exit 1 and an error that holds `says`.
    #[track_caller]
    pub(crate) fn fails(&self, says: &str) {
        self.ends(1);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert!(self.stderr.contains(says), "{says:?} is not in: {}", self.stderr);
    }
}

/// The binary with these words.
pub(crate) fn command(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"));
    command
        .args(words)
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "100");
    for variable in [
        "KUBECONFIG",
        "KUBERNETES_SERVICE_HOST",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs the binary with these words.
pub(crate) fn skew(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
    Ran::of(command(words).output().unwrap())
}

/// A dump of these tests.
pub(crate) fn dump(name: &str) -> String {
    format!("{}/tests/cli/dumps/{name}", env!("CARGO_MANIFEST_DIR"))
}
