//! What the collectors read off the wire: the few fields of Nodes, Pods, Leases, `ClusterOperator`s and
//! version answers that the product needs, decoded into [`observed`](crate::inventory::observed) values. The
//! encodings differ, the values do not. Where the bytes come from is the business of `live` and `dump`.

pub mod json;
#[cfg(feature = "live")]
pub mod proto;
#[cfg(feature = "live")]
pub mod proto_list;
