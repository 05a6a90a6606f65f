//! The names that a kubeconfig holds, for completion: read leniently and never written. What is wrong with a
//! kubeconfig is told when it is used, not while somebody types.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

/// How long a completion may wait for the cluster.
const PATIENCE: Duration = Duration::from_secs(2);

/// The names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Contexts.
    pub(super) contexts: Vec<String>,
    /// Clusters.
    pub(super) clusters: Vec<String>,
    /// Users.
    pub(super) users: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    contexts: Option<Vec<Named>>,
    #[serde(default)]
    clusters: Option<Vec<Named>>,
    #[serde(default)]
    users: Option<Vec<Named>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Names {
    /// The names of `--kubeconfig`, else of the files of `KUBECONFIG`, else of the one in the home directory.
    pub(super) fn read(flag: Option<&str>) -> Self {
        let mut names = Self::default();
        for file in files(flag) {
            let Ok(text) = std::fs::read_to_string(file) else {
                continue;
            };
            let Ok(file) = serde_saphyr::from_str::<File>(&text) else {
                continue;
            };
            let of = |list: Option<Vec<Named>>| list.into_iter().flatten().map(|named| named.name);
            names.contexts.extend(of(file.contexts));
            names.clusters.extend(of(file.clusters));
            names.users.extend(of(file.users));
        }
        for list in [&mut names.contexts, &mut names.clusters, &mut names.users] {
            list.sort();
            list.dedup();
        }
        names
    }
}

fn files(flag: Option<&str>) -> Vec<PathBuf> {
    if let Some(file) = flag {
        return vec![file.into()];
    }
    if let Some(list) = std::env::var_os("KUBECONFIG").filter(|list| !list.is_empty()) {
        return std::env::split_paths(&list)
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
    }
    dirs::home_dir()
        .map(|home| home.join(".kube").join("config"))
        .into_iter()
        .collect()
}

/// The namespaces of the cluster, as kubectl lists them; none where it does not answer in time.
pub(super) fn namespaces(kubeconfig: Option<&str>, context: Option<&str>) -> Vec<String> {
    let kubectl = std::env::var_os("KUBECTL_PATH").unwrap_or_else(|| "kubectl".into());
    let mut command = Command::new(Path::new(&kubectl));
    command.args(["get", "namespaces", "--output=name", "--request-timeout=2s"]);
    for (flag, value) in [("--kubeconfig", kubeconfig), ("--context", context)] {
        if let Some(value) = value {
            command.arg(flag).arg(value);
        }
    }
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = spawned else {
        return Vec::new();
    };
    let Some(mut out) = child.stdout.take() else {
        return Vec::new();
    };
    // The pipe is drained aside, so that a long list does not hold kubectl up.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let started = Instant::now();
    let ended_well = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if started.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            _ => break false,
        }
    };
    if !ended_well {
        let _ = child.kill();
        let _ = child.wait();
        return Vec::new();
    }
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.strip_prefix("namespace/"))
        .map(str::to_owned)
        .collect()
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
        assert_eq!(names.contexts, ["dev", "prod"]);
        assert_eq!(names.clusters, ["c"]);
        assert!(names.users.is_empty());

        std::fs::write(&path, "contexts: [").unwrap();
        assert_eq!(Names::read(path.to_str()), Names::default());
    }
}
