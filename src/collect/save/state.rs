//! What a snapshot says beside its objects: the answers of `/version`, how each read went, the gaps.

use serde::{Deserialize, Serialize};

use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap, Grant, Skipped};
use crate::inventory::observed::{Connections, Listing, Observed, Origin, VersionAnswer};

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
    gaps: Vec<SavedGap>,
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
    Failed(SavedGap),
    Read {
        listed: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<SavedGap>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        broken: Vec<SavedGap>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedGap {
    capability: String,
    reason: String,
    required: bool,
    partial: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    objects: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verify: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grant: Option<SavedGrant>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SavedGrant {
    group: String,
    resource: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
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
            gaps: observed.gaps.iter().map(SavedGap::of).collect(),
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
        observed.gaps.extend(self.gaps.into_iter().map(SavedGap::back));
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
            Listing::Failed(gap) => Self::Failed(SavedGap::of(gap)),
            Listing::Read {
                listed, cut, broken, ..
            } => Self::Read {
                listed: *listed,
                cut: cut.as_ref().map(SavedGap::of),
                broken: broken.iter().map(SavedGap::of).collect(),
            },
        }
    }

    fn restore<T>(self, listing: &mut Listing<T>) {
        let read = std::mem::take(listing);
        *listing = match (self, read) {
            (Self::NotAsked, read) => read,
            // Another file of the input has what the snapshot lacks: that is read, and the gap stays beside it.
            (Self::Failed(gap), Listing::NotAsked) => Listing::Failed(gap.back()),
            (
                Self::Failed(gap),
                Listing::Read {
                    items,
                    listed,
                    cut,
                    broken,
                },
            ) => Listing::Read {
                items,
                listed,
                cut: cut.or_else(|| Some(gap.back())),
                broken,
            },
            (
                Self::Read {
                    listed: told,
                    cut,
                    broken,
                },
                read,
            ) => {
                let (items, listed, own_cut, mut all) = match read {
                    Listing::Read {
                        items,
                        listed,
                        cut,
                        broken,
                    } => (items, listed, cut, broken),
                    Listing::NotAsked | Listing::Failed(_) => (Vec::new(), 0, None, Vec::new()),
                };
                all.extend(broken.into_iter().map(SavedGap::back));
                Listing::Read {
                    items,
                    listed: listed.max(told),
                    cut: own_cut.or_else(|| cut.map(SavedGap::back)),
                    broken: all,
                }
            }
            (Self::Failed(_), failed @ Listing::Failed(_)) => failed,
        };
    }
}

/// The resources that are read, by group.
const RESOURCES: [(&str, &str); 4] = [
    ("", "nodes"),
    ("", "pods"),
    ("coordination.k8s.io", "leases"),
    ("config.openshift.io", "clusteroperators"),
];

const SKIPPED: [Skipped; 5] = [
    Skipped::Nodes,
    Skipped::Pods,
    Skipped::Leases,
    Skipped::Version,
    Skipped::ClusterOperators,
];

impl SavedGap {
    fn of(gap: &Gap) -> Self {
        Self {
            capability: gap.capability.name().to_owned(),
            reason: gap.reason.clone(),
            required: gap.required,
            partial: gap.partial,
            component: gap.component.map(|component| component.name().to_owned()),
            skipped: gap
                .skipped
                .iter()
                .map(|skipped| skipped.name().to_owned())
                .collect(),
            objects: gap.objects.clone(),
            verify: gap.verify.clone(),
            grant: gap.grant.as_ref().map(|grant| SavedGrant {
                group: grant.group.to_owned(),
                resource: grant.resource.to_owned(),
                namespace: grant.namespace.clone(),
                user: grant.user.clone(),
            }),
        }
    }

    fn back(self) -> Gap {
        let named = |name: &str| SKIPPED.into_iter().find(|skipped| skipped.name() == name);
        Gap {
            capability: if self.capability == Capability::Target.name() {
                Capability::Target
            } else {
                Capability::Versions
            },
            required: self.required,
            component: self.component.as_deref().and_then(Component::named),
            reason: self.reason,
            partial: self.partial,
            skipped: self.skipped.iter().filter_map(|name| named(name)).collect(),
            objects: self.objects,
            verify: self.verify,
            grant: self.grant.and_then(SavedGrant::back),
        }
    }
}

impl SavedGrant {
    fn back(self) -> Option<Grant> {
        let known = |(group, resource): &(&str, &str)| *group == self.group && *resource == self.resource;
        let (group, resource) = RESOURCES.into_iter().find(|pair| known(pair))?;
        Some(Grant {
            group,
            resource,
            namespace: self.namespace,
            user: self.user,
        })
    }
}
