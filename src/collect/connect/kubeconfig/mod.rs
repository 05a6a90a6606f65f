//! Kubeconfig files as client-go reads them: which files, how they merge, what their relative paths mean.
//! Which of their entries is used, and what flags change in it, is left to [`super::settings`].
//!
//! The types are our own: those of kube 5.0.0 refuse a context without a cluster and a null list, and its
//! loader takes a missing member of `KUBECONFIG` for an error, where kubectl goes on.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use super::masking::SecretString;

mod file;

use file::{decode, parse};

/// The kubeconfig files of a run, merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kubeconfig {
    /// `current-context` of the first file that sets one.
    pub(crate) current_context: Option<String>,
    /// Contexts by name.
    pub(crate) contexts: BTreeMap<String, Context>,
    /// Clusters by name.
    pub(crate) clusters: BTreeMap<String, Cluster>,
    /// Users by name.
    pub(crate) users: BTreeMap<String, User>,
    /// The files that were named, the missing ones too.
    pub(crate) files: Vec<PathBuf>,
    /// Files named by `KUBECONFIG` that are not there, where none of them is.
    pub(crate) all_missing: bool,
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Context {
    /// The name of its cluster.
    #[serde(deserialize_with = "text")]
    pub(crate) cluster: Option<String>,
    /// The name of its user.
    #[serde(deserialize_with = "text")]
    pub(crate) user: Option<String>,
    /// Its namespace; plays no part in what is read, but completion offers it.
    #[serde(deserialize_with = "text")]
    pub(crate) namespace: Option<String>,
}

/// A cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Cluster {
    /// The address of the API server.
    #[serde(deserialize_with = "text")]
    pub(crate) server: Option<String>,
    /// The name that the server's certificate must bear.
    #[serde(deserialize_with = "text")]
    pub(crate) tls_server_name: Option<String>,
    /// Whether the server's certificate is taken as it comes.
    #[serde(deserialize_with = "or_default")]
    pub(crate) insecure_skip_tls_verify: bool,
    /// A file of certificate authorities.
    #[serde(deserialize_with = "text")]
    pub(crate) certificate_authority: Option<String>,
    /// Certificate authorities, base64 of PEM.
    #[serde(deserialize_with = "text")]
    pub(crate) certificate_authority_data: Option<String>,
    /// The proxy.
    #[serde(deserialize_with = "text")]
    pub(crate) proxy_url: Option<String>,
    /// Whether compressed answers are unwanted.
    #[serde(deserialize_with = "or_default")]
    pub(crate) disable_compression: bool,
    /// Extensions; the exec plugin may get one of them.
    #[serde(deserialize_with = "or_default")]
    pub(crate) extensions: Vec<Extension>,
}

/// An extension of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Extension {
    /// Its key.
    pub(crate) name: String,
    /// Whatever it holds.
    pub(crate) extension: serde_json::Value,
}

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct User {
    /// A file with the client's certificate.
    #[serde(deserialize_with = "text")]
    pub(crate) client_certificate: Option<String>,
    /// The client's certificate, base64 of PEM.
    #[serde(deserialize_with = "text")]
    pub(crate) client_certificate_data: Option<String>,
    /// A file with the client's key.
    #[serde(deserialize_with = "text")]
    pub(crate) client_key: Option<String>,
    /// The client's key, base64 of PEM.
    #[serde(deserialize_with = "secret")]
    pub(crate) client_key_data: Option<SecretString>,
    /// A bearer token.
    #[serde(deserialize_with = "secret")]
    pub(crate) token: Option<SecretString>,
    /// A file with a bearer token.
    #[serde(rename = "tokenFile", deserialize_with = "text")]
    pub(crate) token_file: Option<String>,
    /// Whom to act as.
    #[serde(rename = "as", deserialize_with = "text")]
    pub(crate) impersonate: Option<String>,
    /// The UID to act as.
    #[serde(rename = "as-uid", deserialize_with = "text")]
    pub(crate) impersonate_uid: Option<String>,
    /// The groups to act as.
    #[serde(rename = "as-groups", deserialize_with = "or_default")]
    pub(crate) impersonate_groups: Vec<String>,
    /// Further attributes to act as.
    #[serde(rename = "as-user-extra", deserialize_with = "or_default")]
    pub(crate) impersonate_extra: BTreeMap<String, Vec<String>>,
    /// The name for basic authentication.
    #[serde(deserialize_with = "text")]
    pub(crate) username: Option<String>,
    /// The password for basic authentication.
    #[serde(deserialize_with = "secret")]
    pub(crate) password: Option<SecretString>,
    /// The mechanism that exec plugins took the place of.
    #[serde(deserialize_with = "or_default")]
    pub(crate) auth_provider: Option<AuthProvider>,
    /// A plugin that gives credentials.
    #[serde(deserialize_with = "or_default")]
    pub(crate) exec: Option<Exec>,
}

/// An auth provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct AuthProvider {
    /// Which one.
    pub(crate) name: String,
    /// Its settings, credentials among them.
    #[serde(deserialize_with = "or_default")]
    pub(crate) config: BTreeMap<String, SecretString>,
}

/// An exec plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Exec {
    /// The version it speaks.
    #[serde(deserialize_with = "text")]
    pub(crate) api_version: Option<String>,
    /// The program.
    #[serde(deserialize_with = "text")]
    pub(crate) command: Option<String>,
    /// Its arguments.
    #[serde(deserialize_with = "or_default")]
    pub(crate) args: Vec<String>,
    /// Environment variables for it.
    #[serde(deserialize_with = "or_default")]
    pub(crate) env: Vec<EnvVar>,
    /// What to tell a person who does not have it.
    #[serde(deserialize_with = "text")]
    pub(crate) install_hint: Option<String>,
    /// `Never`, `IfAvailable` or `Always`.
    #[serde(deserialize_with = "text")]
    pub(crate) interactive_mode: Option<String>,
    /// Whether it is told about the cluster.
    #[serde(deserialize_with = "or_default")]
    pub(crate) provide_cluster_info: bool,
}

/// An environment variable for a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct EnvVar {
    /// Its name.
    pub(crate) name: String,
    /// Its value; often a credential.
    pub(crate) value: SecretString,
}

/// Why no kubeconfig could be read.
#[derive(Debug, thiserror::Error)]
pub enum KubeconfigError {
    /// The file of `--kubeconfig` is not there, or a file cannot be read.
    #[error("the kubeconfig file {} cannot be read", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no UTF-8 or UTF-16 text.
    #[error("the kubeconfig file {} is not text in UTF-8 or UTF-16", .path.display())]
    Text {
        /// Which.
        path: PathBuf,
    },
    /// It is no kubeconfig. The parser's own words are left out: they quote the file, tokens too.
    #[error("the kubeconfig file {} does not read as a kubeconfig{}", .path.display(), place(*.line, *.column))]
    Parse {
        /// Which.
        path: PathBuf,
        /// The line, where it is known.
        line: u64,
        /// The column, where it is known.
        column: u64,
    },
    /// It is an object of another kind.
    #[error("the kubeconfig file {} holds a {} of version {}, not a Config of v1", .path.display(), .kind.escape_debug(), .version.escape_debug())]
    Kind {
        /// Which.
        path: PathBuf,
        /// Its kind.
        kind: String,
        /// Its version.
        version: String,
    },
    /// Two entries of a list in one file have the same name.
    #[error("the kubeconfig file {} has two {list} named \"{}\"", .path.display(), .name.escape_debug())]
    Duplicate {
        /// Which.
        path: PathBuf,
        /// `clusters`, `contexts` or `users`.
        list: &'static str,
        /// The name.
        name: String,
    },
}

fn place(line: u64, column: u64) -> String {
    if line == 0 {
        String::new()
    } else {
        format!(": line {line}, column {column}")
    }
}

/// The files to read: `--kubeconfig` alone, else those of `KUBECONFIG`, else `~/.kube/config`.
pub(crate) fn files(explicit: Option<&Path>, variable: Option<&OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    if let Some(path) = explicit.filter(|path| !path.as_os_str().is_empty()) {
        return vec![path.to_owned()];
    }
    if let Some(list) = variable.filter(|list| !list.is_empty()) {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in std::env::split_paths(list) {
            if !path.as_os_str().is_empty() && !files.contains(&path) {
                files.push(path);
            }
        }
        return files;
    }
    home.map(|home| home.join(".kube").join("config"))
        .into_iter()
        .collect()
}

impl Kubeconfig {
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
            let text = decode(bytes).ok_or_else(|| KubeconfigError::Text { path: path.clone() })?;
            merged.add(path, &text)?;
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

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(text(deserializer)?.map(SecretString::new))
}

fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests;
