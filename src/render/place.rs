//! Where the objects of a report stand in its input, for the formats that point at a place.

use std::collections::BTreeMap;

use crate::report::{Place, Source};

/// The places of a source, by object.
pub(super) struct Places<'a> {
    by_object: BTreeMap<&'a str, &'a Place>,
}

impl<'a> Places<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let by_object = source.places.iter().map(|place| (place.object.as_str(), place));
        Self {
            by_object: by_object.collect(),
        }
    }

    /// The place of `node/NAME`, `pod/NAME` or `pod/NAMESPACE/NAME`; places name pods without their namespace.
    pub(super) fn of(&self, object: &str) -> Option<&'a Place> {
        let exact = self.by_object.get(object).copied();
        exact.or_else(|| {
            let (_, name) = object.strip_prefix("pod/")?.split_once('/')?;
            self.by_object.get(format!("pod/{name}").as_str()).copied()
        })
    }
}
