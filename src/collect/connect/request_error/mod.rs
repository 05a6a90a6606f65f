//! What can go wrong between a request and its answer, told apart so that each case says what to do about it.
//!
//! [`error`] is the whole, [`status`] an answer that is no success, [`transport`] a connection that did not come about.
//! Texts of the server are kept as they came; they are masked by [`RequestError::map_texts`], and cut where they are shown.

mod chain;
mod error;
mod status;
mod transport;

use chain::{chain, innermost};
pub(crate) use error::RequestError;
pub(crate) use status::StatusError;
pub(crate) use transport::TransportError;

#[cfg(test)]
mod tests;
