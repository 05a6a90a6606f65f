//! The names that a kubeconfig holds, for completion. What is wrong with a kubeconfig is told when it is used, not while
//! somebody types: a file that cannot be read is passed over.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::collect::kubeconfig::{Kubeconfig, files_of_this_run};
use crate::collect::program::{self, Group};

/// How long a completion may wait for the cluster.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) contexts: BTreeSet<String>,
    pub(super) clusters: BTreeSet<String>,
    pub(super) users: BTreeSet<String>,
}

impl Names {
    /// The names of `--kubeconfig`, else of the files of `KUBECONFIG`, else of the one in the home directory.
    pub(super) fn read(flag: Option<&str>) -> Self {
        let mut names = Self::default();
        for file in files_of_this_run(flag.map(Path::new)) {
            let Ok(read) = Kubeconfig::read(vec![file], true) else {
                continue;
            };
            names.contexts.extend(read.contexts.into_keys());
            names.clusters.extend(read.clusters.into_keys());
            names.users.extend(read.users.into_keys());
        }
        names
    }
}

/// The namespaces of the cluster, as kubectl lists them; none where it does not answer in time.
pub(super) fn namespaces(kubeconfig: Option<&str>, context: Option<&str>) -> Vec<String> {
    let kubectl = std::env::var_os("KUBECTL_PATH").unwrap_or_else(|| OsString::from("kubectl"));
    listed(&kubectl, kubeconfig, context).unwrap_or_default()
}

fn listed(kubectl: &OsStr, kubeconfig: Option<&str>, context: Option<&str>) -> Option<Vec<String>> {
    let mut command = Command::new(program::find(kubectl).ok()?);
    command.args(["get", "namespaces", "--output=name", "--request-timeout=2s"]);
    for (flag, value) in [("--kubeconfig", kubeconfig), ("--context", context)] {
        if let Some(value) = value {
            command.arg(flag).arg(value);
        }
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().ok()?;
    let group = Group::new(Some(child.id()));
    let mut out = child.stdout.take()?;
    // The pipe is drained aside, so that a long list does not hold kubectl up.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if started.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            None => {
                drop(group);
                // Where there are no groups it is ended alone.
                let _ = child.kill();
                return None;
            }
        }
    };
    group.release();
    let text = status.success().then(|| reader.join().ok()?.ok())??;
    let names = text.lines().filter_map(|line| line.strip_prefix("namespace/"));
    Some(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_what_can_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config");
        let text = "apiVersion: v1\nkind: Config\ncontexts:\n- name: prod\n  context: {cluster: c, user: u}\n- name: dev\nclusters:\n- name: c\nusers: null\n";
        std::fs::write(&path, text).unwrap();
        let names = Names::read(path.to_str());
        assert_eq!(Vec::from_iter(names.contexts), ["dev", "prod"]);
        assert_eq!(Vec::from_iter(names.clusters), ["c"]);
        assert!(names.users.is_empty());

        std::fs::write(&path, "contexts: [").unwrap();
        assert_eq!(Names::read(path.to_str()), Names::default());
    }
}
