//! Dumps of every form that clusters are saved in, and of every form that they break in: read to the same
//! objects, or refused with the place and the way out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod broken;
mod folders;
mod forms;
mod inputs;
mod properties;
mod redaction;
mod snapshot;
mod support;
