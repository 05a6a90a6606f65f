//! TLS as kubectl speaks it, with rustls and ring in place of Go's library.
//!
//! [`pem`] loads what a kubeconfig names; [`certificate`] parses one certificate as Go does ([`names`] and
//! [`public_key`] are parts of it), [`verifier`] judges a server's chain, [`identity`] is our own certificate and key,
//! and [`config`] puts them together. What goes wrong before a handshake is an [`error`], in one a
//! [`handshake_error`]; what is wrong with a certificate a [`certificate_error`].

mod certificate;
mod certificate_error;
mod config;
mod error;
mod handshake_error;
mod identity;
mod names;
mod pem;
mod public_key;
mod verifier;

#[cfg(test)]
pub(crate) use certificate_error::CertificateError;
pub(crate) use config::{Trust, client_config};
pub(crate) use error::TlsError;
pub(crate) use handshake_error::HandshakeError;
pub(crate) use identity::Identity;
pub(crate) use pem::load;

#[cfg(test)]
mod tests;
