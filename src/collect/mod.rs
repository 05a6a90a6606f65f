//! The collectors: the only rooms with doors to the outside. `live` asks a cluster, `dump` reads files; both
//! end in [`Observed`](crate::inventory::observed::Observed) values and judge nothing.

#[cfg(feature = "live")]
pub mod connect;
pub mod dump;
#[cfg(feature = "live")]
pub mod live;
pub mod location;
pub mod save;
pub mod wire;
