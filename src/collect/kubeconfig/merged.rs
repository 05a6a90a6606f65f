//! Which files are read, how they merge, and what their relative paths mean.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::entries::{Cluster, Context, User};
use super::error::KubeconfigError;
use super::file::parse;

/// The kubeconfig files of a run, merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kubeconfig {
    /// `current-context` of the first file that sets one.
    pub(crate) current_context: Option<String>,
    pub(crate) contexts: BTreeMap<String, Context>,
    pub(crate) clusters: BTreeMap<String, Cluster>,
    pub(crate) users: BTreeMap<String, User>,
    /// The files that were named, the missing ones too.
    pub(crate) files: Vec<PathBuf>,
    /// Files named by `KUBECONFIG` that are not there, where none of them is.
    pub(crate) all_missing: bool,
}

/// The files that the environment and `--kubeconfig` name.
pub(crate) fn files_of_this_run(explicit: Option<&Path>) -> Vec<PathBuf> {
    let variable = std::env::var_os("KUBECONFIG");
    files(explicit, variable.as_deref(), dirs::home_dir().as_deref())
}

/// `--kubeconfig` alone, else the files of `KUBECONFIG`, else `~/.kube/config`.
fn files(explicit: Option<&Path>, variable: Option<&OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    if let Some(path) = explicit {
        return vec![path.to_owned()];
    }
    let Some(list) = variable.filter(|list| !list.is_empty()) else {
        return home
            .map(|home| home.join(".kube").join("config"))
            .into_iter()
            .collect();
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for path in std::env::split_paths(list) {
        if !path.as_os_str().is_empty() && !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

impl Kubeconfig {
    /// The kubeconfig that the environment and `--kubeconfig` name.
    pub(crate) fn of_this_run(explicit: Option<&Path>) -> Result<Self, KubeconfigError> {
        Self::read(files_of_this_run(explicit), explicit.is_some())
    }

    /// Reads and merges these files. One that is missing is skipped, unless it `must_exist`.
    pub(crate) fn read(files: Vec<PathBuf>, must_exist: bool) -> Result<Self, KubeconfigError> {
        let mut merged = Self {
            all_missing: true,
            ..Self::default()
        };
        for path in &files {
            let bytes = match fs::read(path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => continue,
                Err(source) => {
                    return Err(KubeconfigError::Read {
                        path: path.clone(),
                        source,
                    });
                }
            };
            merged.all_missing = false;
            let text = str::from_utf8(&bytes).map_err(|_| KubeconfigError::Text { path: path.clone() })?;
            merged.add(path, text.trim_start_matches('\u{feff}'))?;
        }
        merged.files = files;
        Ok(merged)
    }

    /// Adds a file: what is set already stays.
    fn add(&mut self, path: &Path, text: &str) -> Result<(), KubeconfigError> {
        let mut file = parse(path, text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for named in &mut file.clusters {
            resolve(folder, &mut named.cluster.certificate_authority);
        }
        for named in &mut file.users {
            let user = &mut named.user;
            resolve(folder, &mut user.client_certificate);
            resolve(folder, &mut user.client_key);
            resolve(folder, &mut user.token_file);
            if let Some(exec) = &mut user.exec
                && exec
                    .command
                    .as_ref()
                    .is_some_and(|it| it.contains(std::path::is_separator))
            {
                resolve(folder, &mut exec.command);
            }
        }
        let list = |entries, list| unique(entries, list, path);
        let clusters = list(file.clusters.iter().map(|it| &it.name).collect(), "clusters");
        let contexts = list(file.contexts.iter().map(|it| &it.name).collect(), "contexts");
        let users = list(file.users.iter().map(|it| &it.name).collect(), "users");
        clusters.and(contexts).and(users)?;
        self.current_context = self.current_context.take().or(file.current_context);
        for named in file.clusters {
            self.clusters.entry(named.name).or_insert(named.cluster);
        }
        for named in file.contexts {
            self.contexts.entry(named.name).or_insert(named.context);
        }
        for named in file.users {
            self.users.entry(named.name).or_insert(named.user);
        }
        Ok(())
    }
}

fn unique(mut names: Vec<&String>, list: &'static str, path: &Path) -> Result<(), KubeconfigError> {
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(KubeconfigError::Duplicate {
            path: path.to_owned(),
            list,
            name: pair[0].clone(),
        }),
        None => Ok(()),
    }
}

fn resolve(folder: &Path, path: &mut Option<String>) {
    if let Some(relative) = path
        && Path::new(relative).is_relative()
        && let Some(absolute) = folder.join(&*relative).to_str()
    {
        absolute.clone_into(relative);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
