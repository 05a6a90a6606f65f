//! Objects of one kind, each counted once: by uid where both tell one, else by namespace and name. The newest
//! by resourceVersion counts; where that cannot be told and they differ, nothing is guessed.

use std::collections::HashMap;

use super::error::{At, DumpError, Escaped};
use crate::collect::location::Location;
use crate::inventory::observed::{Meta, ObservedLease, ObservedNode, ObservedOperator, ObservedPod};

/// An object with metadata.
pub(super) trait Named: PartialEq {
    fn meta(&self) -> &Meta;
    fn meta_mut(&mut self) -> &mut Meta;
}

macro_rules! named {
    ($($kind:ty),*) => {$(
        impl Named for $kind {
            fn meta(&self) -> &Meta {
                &self.meta
            }
            fn meta_mut(&mut self) -> &mut Meta {
                &mut self.meta
            }
        }
    )*};
}

named!(ObservedNode, ObservedPod, ObservedLease, ObservedOperator);

/// The objects of one kind.
pub(super) struct Copies<T> {
    kind: &'static str,
    objects: Vec<(T, At)>,
    by_uid: HashMap<String, usize>,
    by_name: HashMap<(Option<String>, String), usize>,
    /// How many stood there again and differed, and one of them.
    repeated: Option<(usize, String)>,
}

impl<T: Named> Copies<T> {
    pub(super) fn new(kind: &'static str) -> Self {
        Self {
            kind,
            objects: Vec::new(),
            by_uid: HashMap::new(),
            by_name: HashMap::new(),
            repeated: None,
        }
    }

    pub(super) fn add(&mut self, mut object: T, at: At) -> Result<(), DumpError> {
        let meta = object.meta();
        let name = (meta.namespace.clone(), meta.name.clone());
        let by_uid = meta.uid.as_ref().and_then(|uid| self.by_uid.get(uid).copied());
        let Some(known) = by_uid.or_else(|| self.by_name.get(&name).copied()) else {
            let place = self.objects.len();
            if let Some(uid) = meta.uid.clone() {
                self.by_uid.insert(uid, place);
            }
            self.by_name.insert(name, place);
            self.objects.push((object, at));
            return Ok(());
        };
        let (first, first_at) = &mut self.objects[known];
        let label = || full_name(self.kind, name.0.as_deref(), &name.1);
        let (old, new) = (first.meta(), object.meta());
        if (&old.namespace, &old.name) != (&new.namespace, &new.name) {
            return Err(DumpError::TwoNames {
                object: label(),
                first: first_at.clone(),
                second: at,
            });
        }
        if old.uid.is_some() && new.uid.is_some() && old.uid != new.uid {
            return Err(DumpError::TwoObjects {
                object: label(),
                first: first_at.clone(),
                second: at,
            });
        }
        let order = newer(old.resource_version.as_deref(), new.resource_version.as_deref());
        // The same object but for its resourceVersion, or a uid that one of them lacks, differs in nothing read.
        let differs = {
            let (old_version, old_uid) = (old.resource_version.clone(), old.uid.clone());
            let new_meta = object.meta_mut();
            let told = (
                std::mem::replace(&mut new_meta.resource_version, old_version),
                std::mem::replace(&mut new_meta.uid, old_uid),
            );
            let differs = object != *first;
            let new_meta = object.meta_mut();
            (new_meta.resource_version, new_meta.uid) = told;
            differs
        };
        match order {
            Some(std::cmp::Ordering::Equal) | None if differs => {
                return Err(DumpError::Ambiguous {
                    object: label(),
                    first: first_at.clone(),
                    second: at,
                });
            }
            Some(std::cmp::Ordering::Equal) | None => return Ok(()),
            Some(std::cmp::Ordering::Greater) => {}
            Some(std::cmp::Ordering::Less) => {
                // An older one has nothing to add.
                self.note(&name);
                return Ok(());
            }
        }
        if let Some(uid) = object.meta().uid.clone() {
            self.by_uid.insert(uid, known);
        }
        self.by_name.insert(name.clone(), known);
        self.objects[known] = (object, at);
        self.note(&name);
        Ok(())
    }

    fn note(&mut self, name: &(Option<String>, String)) {
        let (count, _) = self
            .repeated
            .get_or_insert_with(|| (0, full_name(self.kind, name.0.as_deref(), &name.1)));
        *count += 1;
    }

    /// The warning about objects that stood there again.
    pub(super) fn repeated(&self) -> Option<String> {
        self.repeated.as_ref().map(|(count, example)| {
            let example = Escaped(example);
            match count {
                1 => format!("{example} stands twice in the input: the newest by resourceVersion counts"),
                _ => format!(
                    "{count} objects stand more than once in the input ({example} …): the newest by resourceVersion counts"
                ),
            }
        })
    }

    /// Where each object stands.
    pub(super) fn places(&self) -> impl Iterator<Item = Location> {
        self.objects.iter().map(|(object, at)| {
            let Meta { namespace, name, .. } = object.meta();
            Location {
                object: full_name(self.kind, namespace.as_deref(), name),
                file: at.file.to_string(),
                line: at.line,
            }
        })
    }

    /// The objects, sorted by namespace and name.
    pub(super) fn into_objects(self) -> Vec<T> {
        let mut objects: Vec<T> = self.objects.into_iter().map(|(object, _)| object).collect();
        objects.sort_by(|a, b| {
            let key = |object: &T| (object.meta().namespace.clone(), object.meta().name.clone());
            key(a).cmp(&key(b))
        });
        objects
    }
}

/// `KIND/NAMESPACE/NAME`, or `KIND/NAME` where it has no namespace.
fn full_name(kind: &str, namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{kind}/{namespace}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

/// How the second resourceVersion stands to the first; they are numbers of any length, or nothing is told.
fn newer(first: Option<&str>, second: Option<&str>) -> Option<std::cmp::Ordering> {
    let number = |text: &str| {
        let digits = text.trim_start_matches('0').to_owned();
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some((digits.len(), digits))
    };
    Some(number(second?)?.cmp(&number(first?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u64) -> At {
        At {
            file: "f".into(),
            line,
            column: 1,
        }
    }

    fn node(name: &str, uid: Option<&str>, version: Option<&str>, kubelet: &str) -> ObservedNode {
        ObservedNode {
            meta: Meta {
                name: name.to_owned(),
                uid: uid.map(ToOwned::to_owned),
                resource_version: version.map(ToOwned::to_owned),
                ..Meta::default()
            },
            kubelet_version: Some(kubelet.to_owned()),
            ..ObservedNode::default()
        }
    }

    fn told(nodes: &[ObservedNode]) -> Result<(Vec<String>, bool), String> {
        let mut once = Copies::new("node");
        for (line, node) in (1..).zip(nodes) {
            once.add(node.clone(), at(line))
                .map_err(|error| error.to_string())?;
        }
        let warned = once.repeated().is_some();
        let versions = once
            .into_objects()
            .into_iter()
            .filter_map(|node| node.kubelet_version);
        Ok((versions.collect(), warned))
    }

    #[test]
    fn the_newest_by_resource_version_counts_whichever_comes_first() {
        let old = node("a", Some("u"), Some("99"), "v1.35.0");
        let new = node("a", Some("u"), Some("100"), "v1.36.0");
        let wanted = Ok((vec!["v1.36.0".to_owned()], true));
        assert_eq!(told(&[old.clone(), new.clone()]), wanted);
        assert_eq!(told(&[new.clone(), old.clone()]), wanted);
        assert_eq!(told(&[old.clone(), new, old]), wanted);
    }

    #[test]
    fn equal_objects_are_one_without_a_word() {
        let one = node("a", None, None, "v1.36.0");
        assert_eq!(told(&[one.clone(), one]), Ok((vec!["v1.36.0".to_owned()], false)));
    }

    #[test]
    fn where_it_cannot_be_told_and_they_differ_it_is_an_error() {
        for (first, second) in [
            (None, None),
            (Some("7"), None),
            (Some("7"), Some("7")),
            (Some("a"), Some("b")),
        ] {
            let error = told(&[
                node("a", None, first, "v1.35.0"),
                node("a", None, second, "v1.36.0"),
            ]);
            let error = error.unwrap_err();
            assert!(error.contains("node/a stands twice"), "{error}");
            assert!(error.contains("f:1:1") && error.contains("f:2:1"), "{error}");
        }
    }

    #[test]
    fn one_name_with_two_uids_is_two_clusters() {
        let error = told(&[
            node("a", Some("u-1"), Some("1"), "v1.36.0"),
            node("a", Some("u-2"), Some("2"), "v1.36.0"),
        ]);
        assert!(error.unwrap_err().contains("two uids"));
    }

    #[test]
    fn one_uid_with_two_names_is_no_object_of_a_cluster() {
        let error = told(&[
            node("a", Some("u"), Some("1"), "v1.35.0"),
            node("b", Some("u"), Some("2"), "v1.36.0"),
        ]);
        assert!(error.unwrap_err().contains("node/b has the uid of another"));
    }
}
