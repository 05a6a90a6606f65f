//! Reading saved dumps: files, directories, streams and archives, down to the same few fields as a live read.
//!
//! ```text
//!  walk ──► unpack ──► stream ──► json ──► objects ──► Observed
//!  (-f)     (gzip,     (which      (lists,  (each kept
//!            tar)       document    items)   once, gaps)
//!                       starts         ▲
//!                       where)         │
//!                          └──► yaml ──┘
//! ```
//!
//! Texts are read through a [`text_buffer`], so that a dump of any size takes the memory of one object. What a dump
//! lacks is said by the inventory; what cannot be read is a [`DumpError`] that names the place. [`observe`] ties the
//! parts together.

mod copies;
mod error;
mod file_kind;
mod json;
mod objects;
mod observe;
mod request;
mod size;
mod stream;
mod text_buffer;
mod unpack;
mod utf16;
mod walk;
mod yaml;

pub use error::{At, DumpError};
pub use observe::observe;
pub use request::{DumpRequest, DumpSource, Input};
