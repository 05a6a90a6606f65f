//! The small snapshot that people attach to a ticket: what a judgement needs and nothing else, as a List that
//! `-f` and kubectl can read. Judged, it gives the report that the cluster gave.
//!
//! The items are Nodes, component Pods, Leases and `ClusterOperator`s with the fields that are read. What no
//! object can carry (answers of `/version`, refused reads, how many pods were passed over) stands in a member
//! of the List itself, [`MEMBER`]: kubectl passes over it, and no object of a cluster can bring one along.
//! Replacing names is [`redact`]'s part, the form of the objects [`objects`]'s.

mod objects;
mod redact;
mod state;

use std::io::{self, Write};

use crate::inventory::observed::Observed;
pub(crate) use state::Saved;

/// The member of the List that says what its items cannot.
pub(crate) const MEMBER: &str = "kubectl-skew";

/// Writes a snapshot of what was seen; with `redact`, every name stands as a stable stand-in.
pub fn save(observed: &Observed, redact: bool, into: &mut dyn Write) -> io::Result<()> {
    let redacted;
    let observed = if redact {
        redacted = redact::redact(observed);
        &redacted
    } else {
        observed
    };
    let saved = serde_json::to_string(&Saved::of(observed))?;
    write!(
        into,
        "{{\n\"apiVersion\": \"v1\",\n\"kind\": \"List\",\n\"metadata\": {{\"resourceVersion\": \"\"}},\n\
         \"{MEMBER}\": {saved},\n\"items\": ["
    )?;
    let items = (observed.nodes.items().iter().map(objects::node))
        .chain(observed.pods.items().iter().map(objects::pod))
        .chain(observed.leases.items().iter().map(objects::lease))
        .chain(observed.operators.items().iter().map(objects::operator));
    for (index, item) in items.enumerate() {
        into.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *into, &item)?;
    }
    into.write_all(b"\n]\n}\n")
}
