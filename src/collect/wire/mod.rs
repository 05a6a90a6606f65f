//! What stands on the wire: the few fields of Kubernetes' objects that are read, in both encodings. Each
//! decoder ends in the same [`Observed`](crate::inventory::observed) values; nothing is asked for here.

#[cfg(feature = "live")]
pub mod proto;
#[cfg(feature = "live")]
pub mod proto_list;
