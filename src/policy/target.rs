//! What a target asks of this cluster: a hop, a patch move, or nothing that can be judged, and then the gap
//! that says why. How a target is typed is in `question`.

use super::apiservers::Apiservers;
use super::question::{FURTHEST_TARGET, Target};
use crate::inventory::Inventory;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, GapReason, TargetRefusal};
use crate::inventory::version::{Minor, Version};

/// The longest path that is judged: a target may be so far above the newest apiserver, and that one so far above
/// the oldest.
const LONGEST_PATH: u16 = 2 * FURTHEST_TARGET;

/// The target as it was asked for, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAsked {
    /// `1.37`, or `1.36.5` for a patch; the words `next` and `+2` where they could not be resolved.
    pub text: String,
    /// What kind of move it is.
    pub kind: TargetKind,
}

impl TargetAsked {
    /// The minor that the control plane is to move to, where the target is one.
    pub fn hop(&self) -> Option<Minor> {
        match self.kind {
            TargetKind::Hop(minor) => Some(minor),
            TargetKind::Patch | TargetKind::Refused => None,
        }
    }
}

/// What a target asks of the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// To move to that minor.
    Hop(Minor),
    /// To take a patch of the minor it runs.
    Patch,
    /// Nothing that can be judged: the gap says why.
    Refused,
}

/// A target beside the gap that a refused one leaves.
pub(super) struct Resolved {
    pub(super) asked: TargetAsked,
    pub(super) gap: Option<Gap>,
}

/// Resolves `target` for a cluster with these apiservers.
pub(super) fn resolve(target: &Target, inventory: &Inventory, apiservers: Option<Apiservers>) -> Resolved {
    let Some(apiservers) = apiservers else {
        return without_server(target);
    };
    let resolved = match target {
        Target::Next if apiservers.lo < apiservers.hi => hop(apiservers.hi),
        Target::Next => hop(apiservers.hi.next()),
        Target::Plus(steps) => hop(apiservers.hi.newer_by(*steps)),
        Target::Minor(minor) => to_minor(*minor, minor.to_string(), apiservers),
        Target::Patch(version) => to_patch(version, None, inventory, apiservers),
        Target::Build { version, suffix } => to_patch(version, Some(suffix), inventory, apiservers),
    };
    match resolved.asked.kind {
        TargetKind::Hop(minor) if apiservers.lo.distance(minor) > LONGEST_PATH => {
            let why = TargetRefusal::FarAboveOldest {
                oldest: apiservers.lo,
                limit: LONGEST_PATH,
            };
            refused(resolved.asked.text, why)
        }
        _ => resolved,
    }
}

/// Whether the control plane can be asked to go to `minor` at all: above the oldest apiserver and not below the
/// newest.
pub(super) fn is_hop(minor: Minor, apiservers: Apiservers) -> bool {
    minor > apiservers.lo && minor >= apiservers.hi
}

fn hop(minor: Minor) -> Resolved {
    Resolved {
        asked: TargetAsked {
            text: minor.to_string(),
            kind: TargetKind::Hop(minor),
        },
        gap: None,
    }
}

fn refused(text: String, why: TargetRefusal) -> Resolved {
    let reason = GapReason::TargetRefused {
        target: text.clone(),
        why,
    };
    Resolved {
        asked: TargetAsked {
            text,
            kind: TargetKind::Refused,
        },
        gap: Some(Gap::new(true, reason)),
    }
}

fn without_server(target: &Target) -> Resolved {
    match target {
        Target::Minor(minor) => hop(*minor),
        // Without a server a patch of today's minor cannot be told from a hop to it; the hop asks for more.
        Target::Patch(version) | Target::Build { version, .. } => hop(version.minor()),
        Target::Next | Target::Plus(_) => {
            let text = match target {
                Target::Plus(steps) => format!("+{steps}"),
                _ => "next".to_owned(),
            };
            refused(text, TargetRefusal::NoServerVersion)
        }
    }
}

fn to_minor(minor: Minor, text: String, apiservers: Apiservers) -> Resolved {
    let Apiservers { lo, hi } = apiservers;
    if is_hop(minor, apiservers) {
        return hop(minor);
    }
    let why = if minor < lo {
        TargetRefusal::BelowOldest { oldest: lo }
    } else if lo == hi {
        TargetRefusal::AlreadyThere
    } else {
        TargetRefusal::BelowNewest {
            newest: hi.to_string(),
        }
    };
    refused(text, why)
}

/// Whether `/version` reports that release with another suffix.
fn is_another_build(version: &Version, suffix: &str, inventory: &Inventory) -> bool {
    let running = inventory.server_version.as_deref();
    let running = running.and_then(|raw| Some((raw, raw.parse::<Version>().ok()?)));
    running.is_some_and(|(raw, running)| {
        let own = raw.find(['-', '+']).map_or("", |at| &raw[at..]);
        running.release() == version.release() && own != suffix
    })
}

fn to_patch(
    version: &Version,
    suffix: Option<&String>,
    inventory: &Inventory,
    apiservers: Apiservers,
) -> Resolved {
    let minor = version.minor();
    let text = version.raw().to_owned();
    let newest = inventory
        .instances
        .iter()
        .filter(|instance| instance.component == Component::KubeApiserver)
        .filter_map(|instance| instance.version.as_ref())
        .max_by(|a, b| a.release().cmp(b.release()));
    let above = newest.is_none_or(|newest| version.release() > newest.release());
    let level = newest.is_some_and(|newest| version.release() == newest.release());
    let runs = newest.map_or_else(|| apiservers.hi.to_string(), |newest| newest.raw().to_owned());
    if is_hop(minor, apiservers) {
        // While an upgrade is under way, a patch below what the newest apiserver runs would take that one back.
        let takes_back = minor == apiservers.hi && !above && !level;
        return if takes_back {
            refused(text, TargetRefusal::BelowNewest { newest: runs })
        } else {
            to_minor(minor, minor.to_string(), apiservers)
        };
    }
    if apiservers.lo != apiservers.hi || minor != apiservers.hi {
        return to_minor(minor, text, apiservers);
    }
    let is_another_build = level && suffix.is_some_and(|suffix| is_another_build(version, suffix, inventory));
    if above || is_another_build {
        let build = suffix.filter(|_| is_another_build);
        return Resolved {
            asked: TargetAsked {
                text: build.map_or_else(|| text.clone(), |suffix| format!("{text}{suffix}")),
                kind: TargetKind::Patch,
            },
            gap: None,
        };
    }
    refused(text, TargetRefusal::NotAbove { running: runs })
}
