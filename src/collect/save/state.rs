//! What a snapshot says beside its objects: the answers of `/version`, how each read went, the gaps.

use serde::{Deserialize, Serialize};

use crate::inventory::observed::{Connections, Cut, Listing, Observed, Origin, VersionAnswer};
use crate::inventory::read_gap::{ReadFault, ReadGap, Sample, UnreadableObject};

/// The form of this member; another one is refused.
const FORM: &str = "kubectl-skew/v1";

/// The member as it is written and read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Saved {
    form: String,
    #[serde(default)]
    from_files: bool,
    #[serde(default)]
    server_versions: Vec<SavedVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connections: Option<SavedConnections>,
    nodes: SavedRead,
    pods: SavedRead,
    leases: SavedRead,
    operators: SavedRead,
    #[serde(default)]
    gaps: Vec<ReadGap>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedVersion {
    git_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    emulation: Option<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_compatibility: Option<(String, String)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SavedConnections {
    tried: usize,
    answered: usize,
}

/// How a list was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum SavedRead {
    #[default]
    NotAsked,
    Failed(ReadFault),
    Read {
        listed: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<Cut>,
        #[serde(default, skip_serializing_if = "Sample::is_empty")]
        broken: Sample<UnreadableObject>,
    },
}

impl Saved {
    /// What there is to say beside the objects of what was seen.
    pub(super) fn of(observed: &Observed) -> Self {
        Self {
            form: FORM.to_owned(),
            from_files: observed.origin == Origin::Files,
            server_versions: observed.versions.iter().map(SavedVersion::of).collect(),
            told_version: observed.told_version.clone(),
            connections: observed.connections.map(|connections| SavedConnections {
                tried: connections.tried,
                answered: connections.answered,
            }),
            nodes: SavedRead::of(&observed.nodes),
            pods: SavedRead::of(&observed.pods),
            leases: SavedRead::of(&observed.leases),
            operators: SavedRead::of(&observed.operators),
            gaps: observed.gaps.clone(),
        }
    }

    /// Reads the member.
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let saved: Self = serde_json::from_str(text)?;
        if saved.form == FORM {
            Ok(saved)
        } else {
            let told = saved.form.escape_debug();
            Err(serde::de::Error::custom(format!(
                "form \"{told}\", this version reads \"{FORM}\""
            )))
        }
    }

    /// The server versions that it holds.
    pub(crate) fn git_versions(&self) -> Vec<String> {
        let answers = self.server_versions.iter();
        answers.map(|answer| answer.git_version.clone()).collect()
    }

    /// Puts back what the objects of the snapshot, read alone, do not say.
    pub(crate) fn restore(self, observed: &mut Observed) {
        observed.origin = if self.from_files {
            Origin::Files
        } else {
            Origin::Live
        };
        if observed.told_version.is_none() {
            observed.told_version = self.told_version;
        }
        let own = std::mem::take(&mut observed.versions);
        observed.versions = self.server_versions.into_iter().map(SavedVersion::back).collect();
        for answer in own {
            if !observed.versions.contains(&answer) {
                observed.versions.push(answer);
            }
        }
        observed.connections = self.connections.map(|connections| Connections {
            tried: connections.tried,
            answered: connections.answered,
        });
        self.nodes.restore(&mut observed.nodes);
        self.pods.restore(&mut observed.pods);
        self.leases.restore(&mut observed.leases);
        self.operators.restore(&mut observed.operators);
        observed.gaps.extend(self.gaps);
    }
}

impl SavedVersion {
    fn of(answer: &VersionAnswer) -> Self {
        Self {
            git_version: answer.git_version.clone(),
            emulation: answer.emulation.clone(),
            min_compatibility: answer.min_compatibility.clone(),
        }
    }

    fn back(self) -> VersionAnswer {
        VersionAnswer {
            git_version: self.git_version,
            emulation: self.emulation,
            min_compatibility: self.min_compatibility,
        }
    }
}

impl SavedRead {
    fn of<T>(listing: &Listing<T>) -> Self {
        match listing {
            Listing::NotAsked => Self::NotAsked,
            Listing::Failed(fault) => Self::Failed(fault.clone()),
            Listing::Read {
                listed, cut, broken, ..
            } => Self::Read {
                listed: *listed,
                cut: cut.clone(),
                broken: broken.clone(),
            },
        }
    }

    fn restore<T>(self, listing: &mut Listing<T>) {
        *listing = match (self, std::mem::take(listing)) {
            (Self::NotAsked, read) => read,
            (Self::Failed(fault), Listing::NotAsked) => Listing::Failed(fault),
            // Another file of the input has what the snapshot lacks: that is read, and the gap stays beside it.
            (
                Self::Failed(fault),
                Listing::Read {
                    items,
                    listed,
                    cut,
                    broken,
                },
            ) => Listing::Read {
                items,
                listed,
                cut: cut.or(Some(Cut::Fault(fault))),
                broken,
            },
            (Self::Read { listed, cut, broken }, read) => {
                let (items, own_listed, own_cut, mut all) = match read {
                    Listing::Read {
                        items,
                        listed,
                        cut,
                        broken,
                    } => (items, listed, cut, broken),
                    Listing::NotAsked | Listing::Failed(_) => (Vec::new(), 0, None, Sample::default()),
                };
                all.append(broken);
                Listing::Read {
                    items,
                    listed: own_listed.max(listed),
                    cut: own_cut.or(cut),
                    broken: all,
                }
            }
            (Self::Failed(_), failed @ Listing::Failed(_)) => failed,
        };
    }
}
