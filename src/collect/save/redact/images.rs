//! Image references rebuilt: what an image runs, by the name that says so, and the version in its tag. Registries and
//! organisations are gone, and every other name with them.

use super::stand_ins::StandIns;
use super::versions::Versions;
use crate::inventory::image::Reference;

/// Where every image comes from.
const REGISTRY: &str = "registry.example";

/// The images of one snapshot.
#[derive(Default)]
pub(super) struct Images {
    others: StandIns,
    digests: StandIns,
}

impl Images {
    /// An image reference without whose it is.
    pub(super) fn of(&self, raw: &str, versions: &Versions) -> String {
        if raw.is_empty() {
            return String::new();
        }
        // A runtime's name for an image may say how it was pulled, or be a digest alone.
        let raw = raw.split_once("://").map_or(raw, |(_, image)| image);
        if raw.starts_with("sha256:") {
            return self.digest(raw);
        }
        let reference = Reference::parse(raw);
        let mut image = match reference.known_path() {
            Some(known) => format!("{REGISTRY}/{known}"),
            None => format!("{REGISTRY}/{}", self.others.of("image", reference.path)),
        };
        if let Some(tag) = reference.tag {
            image.push(':');
            image.push_str(&versions.of_tag(tag));
        }
        if let Some(digest) = reference.digest {
            image.push('@');
            image.push_str(&self.digest(digest));
        }
        image
    }

    /// Numbers those that are known by now.
    pub(super) fn number(&mut self) {
        self.others.number();
        self.digests.number();
    }

    fn digest(&self, raw: &str) -> String {
        let (place, _) = self.digests.place("", raw);
        format!("sha256:{:064x}", place + 1)
    }
}
