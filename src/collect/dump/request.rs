//! What is asked of a dump, and where what was read came from.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::collect::location::Location;
use crate::inventory::labels::Wanted;

/// What to read.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    /// `-f`, in the order given.
    pub inputs: Vec<Input>,
    /// `-n`, where it is another namespace than kube-system.
    pub hosted: Option<String>,
    /// Labels and annotations to keep.
    pub wanted: Wanted,
    /// `--server-version`.
    pub server_version: Option<String>,
}

/// One `-f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`.
    Stdin,
    /// A file or a directory.
    Path(PathBuf),
    /// Bytes built into the binary, under a name: the demo.
    Bytes {
        /// What to call it.
        name: String,
        /// The bytes.
        bytes: &'static [u8],
    },
}

/// Where the objects came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpSource {
    /// The inputs as they were named, sorted.
    pub files: Vec<String>,
    /// Inputs that hold no Kubernetes object.
    pub skipped: usize,
    /// When the objects were taken, where that can be told.
    pub captured_at: Option<Timestamp>,
    /// Where each Node and kept Pod stands.
    pub places: Vec<Location>,
    /// Warnings for stderr, in order.
    pub warnings: Vec<String>,
}

impl Input {
    /// What to call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }
}
