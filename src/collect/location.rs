//! Where an object was found in the input, for the formats that point at a place.

/// The place of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// `node/NAME`, or `pod/NAMESPACE/NAME` where the pod has a namespace.
    pub object: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
}
