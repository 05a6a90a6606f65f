//! Where a result is: the place of its object in a dump, or a path that stands for it.

use std::fmt::Write as _;

use super::{Artifact, Location, Logical, Physical, Region};
use crate::collect::location::Location as Found;
use crate::render::escape::visible;
use crate::render::locations::Locations;
use crate::report::Report;

/// Tells where an object is: its place in the dump, or a path that stands for it.
pub(super) struct Locator<'a> {
    places: Locations<'a>,
    /// The cluster's name as a segment of a path.
    pub(super) cluster: String,
}

impl<'a> Locator<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let source = &report.source;
        let first_file = source.files.first();
        let cluster = source
            .context
            .as_ref()
            .or(source.api_server.as_ref())
            .or(first_file);
        Self {
            places: Locations::new(source),
            cluster: segment(cluster.map_or("cluster", String::as_str)),
        }
    }

    pub(super) fn location(&self, object: &str) -> Location {
        let (uri, start_line) = match self.places.of(object) {
            Some(Found {
                object: _,
                file,
                line,
            }) => (file_uri(file), *line),
            None => (self.pseudo_path(object), 1),
        };
        let kind = if object.contains('/') {
            "resource"
        } else {
            "module"
        };
        Location {
            physical_location: Physical {
                artifact_location: Artifact { uri },
                region: Region {
                    start_line: start_line.max(1),
                },
            },
            logical_locations: vec![Logical {
                name: visible(object.split_once('/').map_or(object, |(_, name)| name)).into_owned(),
                fully_qualified_name: visible(object).into_owned(),
                kind,
            }],
        }
    }

    /// `cluster/CONTEXT/node/NAME.yaml`
    fn pseudo_path(&self, object: &str) -> String {
        let (kind, name) = object.split_once('/').unwrap_or(("component", object));
        format!("cluster/{}/{kind}/{}.yaml", self.cluster, segment(name))
    }
}

/// A file's path as a URI reference: relative ones stay so, since GitHub resolves them in the repository.
fn file_uri(file: &str) -> String {
    let path = file.replace('\\', "/");
    let segments: Vec<String> = path.split('/').map(segment).collect();
    let path = segments.join("/");
    if path.starts_with('/') {
        format!("file://{path}")
    } else {
        path
    }
}

/// One segment of a path, percent-encoded where it must be.
fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes every write");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uri_references() {
        assert_eq!(segment("gke_prod/eu 1]]>"), "gke_prod%2Feu%201%5D%5D%3E");
        assert_eq!(file_uri("dumps/nodes 1.json"), "dumps/nodes%201.json");
        assert_eq!(file_uri("dumps\\nodes.json"), "dumps/nodes.json");
        assert_eq!(file_uri("/tmp/nodes.json"), "file:///tmp/nodes.json");
    }
}
