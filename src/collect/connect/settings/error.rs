//! Why kubeconfig and flags do not say how to connect.

use super::quote;

/// Why kubeconfig and flags do not say how to connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("{kind} \"{}\" does not exist in {place}", .name.escape_debug())]
    Unknown {
        kind: &'static str,
        name: String,
        place: String,
        known: Vec<String>,
    },
    #[error("no context is chosen: current-context is not set in {place}")]
    NoContext { place: String, known: Vec<String> },
    #[error("context \"{}\" names no cluster in {place}", .name.escape_debug())]
    NoCluster { name: String, place: String },
    #[error("no kubeconfig was found: {place}")]
    Nothing { place: String },
    #[error("cluster \"{}\" has no server address", .0.escape_debug())]
    NoServer(String),
    #[error("{first} and {second} are both set for {kind} \"{}\"", .name.escape_debug())]
    Both {
        first: &'static str,
        second: &'static str,
        kind: &'static str,
        name: String,
    },
    #[error("user \"{}\" has a client certificate and no client key", .0.escape_debug())]
    NoKey(String),
    #[error("a UID, groups or extra to act as need a user to act as")]
    ImpersonateWhom,
    #[error("--as-user-extra takes KEY=VALUE, not \"{}\"", .0.escape_debug())]
    Extra(String),
}

impl SettingsError {
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown {
                kind, name, known, ..
            } => {
                let distance = |it: &String| strsim::damerau_levenshtein(it, name);
                let near = known
                    .iter()
                    .filter(|it| distance(it) <= it.len().max(3) / 3)
                    .min_by_key(|it| distance(it));
                Some(match near {
                    Some(near) => format!("did you mean --{kind} {}?", quote(near)),
                    None => list_hint(kind, known),
                })
            }
            Self::NoContext { known, .. } => Some(list_hint("context", known)),
            Self::NoCluster { .. } => {
                Some("name one with --cluster NAME, or a server with --server URL".to_owned())
            }
            Self::Nothing { .. } => Some(
                "name one with --kubeconfig FILE, or a server with --server URL; \
                 \"kubectl config view\" shows what kubectl uses"
                    .to_owned(),
            ),
            Self::NoServer(_) => Some("give its address with --server URL".to_owned()),
            Self::ImpersonateWhom => Some("add --as USER".to_owned()),
            Self::Both { .. } | Self::NoKey(_) | Self::Extra(_) => None,
        }
    }
}

fn list_hint(kind: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "\"kubectl config view\" shows what the kubeconfig holds".to_owned();
    }
    let shown: Vec<_> = known.iter().take(10).map(|name| quote(name)).collect();
    let more = if known.len() > 10 { ", …" } else { "" };
    format!("choose one with --{kind}: {}{more}", shown.join(", "))
}
