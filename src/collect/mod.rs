//! The collectors: the only rooms with doors to the outside. `live` asks a cluster, `dump` reads files; both
//! end in [`Observed`](crate::inventory::observed::Observed) values and judge nothing.

#[cfg(feature = "live")]
pub mod connect;
pub mod dump;
#[cfg_attr(
    not(feature = "live"),
    expect(dead_code, unreachable_pub, reason = "only names are completed without it")
)]
pub(crate) mod kubeconfig;
#[cfg(feature = "live")]
pub mod live;
pub mod location;
#[cfg_attr(
    not(feature = "live"),
    allow(
        dead_code,
        reason = "credentials are sent nowhere without it; the tests use some of it all the same"
    )
)]
pub(crate) mod masking;
#[cfg_attr(
    not(feature = "live"),
    expect(unreachable_pub, reason = "no error of a connection holds its own")
)]
pub(crate) mod program;
pub mod save;
pub(crate) mod small_file;
pub mod wire;
