//! A text as a whole: a stream of documents. [`documents`] finds where each starts and passes over the log text
//! between them, [`yaml_document`] reads one in YAML; JSON is read by `super::json`.

mod documents;
mod yaml_document;

pub(super) use documents::{read, server_version_of_text};
