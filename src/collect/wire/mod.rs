//! What the collectors read off the wire, and what `save` writes: Nodes, Pods, Leases, `ClusterOperator`s and version
//! answers, down to the few fields that the product needs.
//!
//! ```text
//!  protobuf ──► proto ─┐                             ┌─► Observed values
//!                      ├─► objects (the fields) ─► read
//!  JSON ──────► json ──┘          ▲
//!                                 └── collect::save writes them
//! ```
//!
//! [`objects`] names each field once, for both encodings. [`proto`] and [`json`] take an object apart into its members
//! without decoding them; [`read`] decodes the members that are wanted. Where the bytes come from is the business of
//! `live` and `dump`.

pub mod json;
mod json_values;
pub(crate) mod objects;
#[cfg(feature = "live")]
pub mod proto;
mod read;

pub use read::{SeenLease, SeenNode, SeenPod, undecodable};
