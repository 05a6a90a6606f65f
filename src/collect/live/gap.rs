//! A read that failed becomes a gap: what was not assessed, why, the kubectl command that verifies it by hand
//! and the RBAC rule that would grant it.

use super::list::Collected;
use crate::collect::connect::request_error::RequestError;
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap, Grant, Skipped};
use crate::inventory::observed::Listing;

/// A read, as its gap speaks of it.
pub(super) struct Read {
    /// What was read, as in "the nodes".
    pub(super) what: String,
    /// "were", or "was" where it is one.
    pub(super) were: &'static str,
    /// What follows from not having it.
    pub(super) missed: &'static str,
    pub(super) required: bool,
    pub(super) component: Option<Component>,
    pub(super) skipped: Skipped,
    /// How one object is called: `node/`, `pod/kube-system/`.
    pub(super) object: String,
    /// The kubectl command without the connection's flags.
    pub(super) verify: String,
    /// The connection's flags.
    pub(super) flags: String,
    pub(super) grant: Option<Grant>,
}

impl Read {
    /// The gap for a read that gave nothing, or not all.
    pub(super) fn gap(&self, fault: &RequestError, read: usize) -> Gap {
        let user = match fault {
            RequestError::Status(status) => status.user(),
            _ => None,
        };
        let refused = fault.code() == Some(403);
        let reason = if read > 0 {
            format!("only {read} of {} were read, {}: {fault}", self.what, self.missed)
        } else {
            format!("{} {} not read, {}: {fault}", self.what, self.were, self.missed)
        };
        Gap {
            capability: Capability::Versions,
            required: self.required,
            component: self.component,
            reason,
            partial: true,
            skipped: if read > 0 { Vec::new() } else { vec![self.skipped] },
            objects: Vec::new(),
            verify: Some(format!("{}{}", self.verify, self.flags)),
            grant: self
                .grant
                .clone()
                .filter(|_| refused)
                .map(|grant| Grant { user, ..grant }),
        }
    }

    /// The listing that a collected list is.
    pub(super) fn listing<T>(&self, collected: Collected<T>) -> Listing<T> {
        let Collected {
            items,
            listed,
            broken,
            fault,
        } = collected;
        match fault {
            Some(fault) if listed == 0 => Listing::Failed(self.gap(&fault, 0)),
            fault => Listing::Read {
                items,
                listed,
                cut: fault.map(|fault| self.gap(&fault, listed)),
                broken: broken
                    .into_iter()
                    .map(|(name, why)| self.broken(name.as_deref(), &why))
                    .collect(),
            },
        }
    }

    fn broken(&self, name: Option<&str>, why: &str) -> Gap {
        let objects: Vec<String> = name
            .map(|name| format!("{}{name}", self.object))
            .into_iter()
            .collect();
        let shown = objects.first().map_or_else(
            || format!("one of {}", self.what),
            |it| it.escape_debug().to_string(),
        );
        Gap {
            component: self.component,
            objects,
            verify: Some(format!("{} -o yaml{}", self.verify, self.flags)),
            ..Gap::versions(self.required, format!("{shown} cannot be read: {why}"))
        }
    }
}
