//! From a kubeconfig and flags to a prepared client: what kubectl would do.
//!
//! [`connection`] is the whole way: [`settings`] chooses from the kubeconfig and applies the flags ([`options`]),
//! [`in_cluster`] stands in where nothing names a server; [`address`], [`proxy`], [`tls`] and [`credentials`] (with
//! [`exec`] and [`login`]) prepare what [`client`] is built from. What goes wrong before a request is an [`error`], with a
//! request a [`request_error`]; [`console`] is what is said on stderr meanwhile. Requests are left to [`super::live`].

mod address;
mod client;
mod connection;
pub(crate) mod console;
mod credentials;
mod duration;
mod error;
mod exec;
mod in_cluster;
mod login;
mod options;
mod percent;
mod proxy;
pub(crate) mod request_error;
pub(crate) mod settings;
mod tls;

pub(crate) use client::Clients;
pub use connection::Connection;
pub(crate) use connection::interruptible;
pub use console::Console;
pub use error::{ConnectError, ConnectErrorKind};
pub use options::ConnectOptions;
pub(crate) use options::Limits;
