//! One kubeconfig file: bytes to text, text to its lists; nothing is merged or resolved here.

use std::path::Path;

use serde::Deserialize;

use super::entries::{Cluster, Context, User, or_default, text};
use super::error::KubeconfigError;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct File {
    #[serde(rename = "kind", deserialize_with = "text")]
    kind: Option<String>,
    #[serde(rename = "apiVersion", deserialize_with = "text")]
    api_version: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) current_context: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) clusters: Vec<NamedCluster>,
    #[serde(deserialize_with = "or_default")]
    pub(super) contexts: Vec<NamedContext>,
    #[serde(deserialize_with = "or_default")]
    pub(super) users: Vec<NamedUser>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NamedCluster {
    pub(super) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) cluster: Cluster,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NamedContext {
    pub(super) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) context: Context,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NamedUser {
    pub(super) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) user: User,
}

/// Reads the text of a kubeconfig file.
pub(super) fn parse(path: &Path, text: &str) -> Result<File, KubeconfigError> {
    let options = serde_saphyr::options! {
        // What Go's YAML does with a key that is written twice.
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
    };
    let file: Result<Option<File>, _> = serde_saphyr::from_str_with_options(first_document(text), options);
    let file = file.map(Option::unwrap_or_default).map_err(|error| {
        let location = error.location();
        KubeconfigError::Parse {
            path: path.to_owned(),
            line: location.map_or(0, |at| at.line()),
            column: location.map_or(0, |at| at.column()),
        }
    })?;
    let kind = file.kind.as_deref().unwrap_or("Config");
    let version = file.api_version.as_deref().unwrap_or("v1");
    if (kind, version) == ("Config", "v1") {
        Ok(file)
    } else {
        Err(KubeconfigError::Kind {
            path: path.to_owned(),
            kind: kind.to_owned(),
            version: version.to_owned(),
        })
    }
}

/// Go's YAML reads the first document and leaves what follows it alone.
fn first_document(text: &str) -> &str {
    let mut begun = false;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let is_mark = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.trim_start().len() < rest.len() || rest.is_empty());
        let is_empty = line.trim().is_empty() || line.starts_with(['#', '%']);
        if is_mark && begun {
            break;
        }
        begun |= is_mark || !is_empty;
        end += line.len();
    }
    &text[..end]
}
