//! Objects of one kind, each counted once, by namespace and name. The newest by resourceVersion counts, be it one
//! that is not kept; where that cannot be told and they differ, nothing is guessed.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::error::{At, DumpError, Escaped};
use super::size::HeapSize;
use crate::collect::location::Location;
use crate::inventory::observed::{Meta, ObservedLease, ObservedNode, ObservedOperator, ObservedPod};

/// An object with metadata.
pub(super) trait Named: PartialEq + HeapSize {
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

/// Uids that contradict each other are looked at once all objects are there, and of so many at most.
const MAX_CONTRADICTIONS: usize = 16;

/// What is known of a name.
enum Known {
    /// The object is kept, at this index.
    Kept(usize),
    /// The newest copy is none that is kept.
    PassedOver(Option<u64>, At),
}

/// One name with two uids.
struct Contradiction {
    object: String,
    uids: [String; 2],
    first: At,
    second: At,
}

/// The objects of one kind, by name.
pub(super) struct Copies<T> {
    kind: &'static str,
    hashes: RandomState,
    /// By the hash of namespace and name: the names themselves stand in the objects.
    known: HashMap<u64, Known>,
    objects: Vec<Option<(T, At)>>,
    contradictions: Vec<Contradiction>,
    /// How many stood there again and differed, and one of them.
    repeated: Option<(usize, String)>,
    /// How many bytes the objects and what is known of names take, about.
    size: usize,
}

impl<T: Named> Copies<T> {
    pub(super) fn new(kind: &'static str) -> Self {
        Self {
            kind,
            hashes: RandomState::new(),
            known: HashMap::new(),
            objects: Vec::new(),
            contradictions: Vec::new(),
            repeated: None,
            size: 0,
        }
    }

    /// How many objects are kept.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// How many bytes are kept, about.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    fn key(&self, meta: &Meta) -> u64 {
        self.hashes.hash_one((&meta.namespace, &meta.name))
    }

    fn label(&self, meta: &Meta) -> String {
        full_name(self.kind, meta.namespace.as_deref(), &meta.name)
    }

    /// Keeps an object, or the newer of it and its copy.
    pub(super) fn add(&mut self, object: T, at: At) -> Result<(), DumpError> {
        let key = self.key(object.meta());
        let index = match self.known.get(&key) {
            None => {
                self.keep(key, object, at);
                return Ok(());
            }
            Some(Known::PassedOver(version, first)) => {
                // They differ: one of them may be a component's pod, the other is none.
                match newer(*version, number(object.meta())) {
                    Some(Ordering::Greater) => {
                        self.note(object.meta());
                        self.keep(key, object, at);
                        return Ok(());
                    }
                    Some(Ordering::Less) => {
                        self.note(object.meta());
                        return Ok(());
                    }
                    Some(Ordering::Equal) | None => {
                        return Err(DumpError::Ambiguous {
                            object: self.label(object.meta()),
                            first: first.clone(),
                            second: at,
                        });
                    }
                }
            }
            Some(Known::Kept(index)) => *index,
        };
        let Some((first, first_at)) = &self.objects[index] else {
            self.keep(key, object, at);
            return Ok(());
        };
        let (old, new) = (first.meta(), object.meta());
        if let (Some(old_uid), Some(new_uid)) = (uid(old), uid(new))
            && old_uid != new_uid
            && self.contradictions.len() < MAX_CONTRADICTIONS
        {
            self.contradictions.push(Contradiction {
                object: self.label(new),
                uids: [old_uid.to_owned(), new_uid.to_owned()],
                first: first_at.clone(),
                second: at.clone(),
            });
        }
        let order = newer(number(old), number(new));
        match order {
            Some(Ordering::Equal) | None => {
                if differs(first, object) {
                    let label = full_name(self.kind, old.namespace.as_deref(), &old.name);
                    return Err(DumpError::Ambiguous {
                        object: label,
                        first: first_at.clone(),
                        second: at,
                    });
                }
            }
            Some(Ordering::Greater) => {
                self.note(object.meta());
                self.size += size(&object, &at);
                if let Some((object, at)) = self.objects[index].replace((object, at)) {
                    self.size -= size(&object, &at);
                }
            }
            // An older one has nothing to add.
            Some(Ordering::Less) => self.note(object.meta()),
        }
        Ok(())
    }

    /// Remembers an object that is not kept: another copy of it may be.
    pub(super) fn pass_over(&mut self, meta: &Meta, at: At) -> Result<(), DumpError> {
        let key = self.key(meta);
        let version = number(meta);
        match self.known.get_mut(&key) {
            None => {
                self.size += size_of::<(u64, Known)>();
                self.known.insert(key, Known::PassedOver(version, at));
            }
            Some(Known::PassedOver(known, first)) => {
                if newer(*known, version) == Some(Ordering::Greater) {
                    (*known, *first) = (version, at);
                }
            }
            Some(Known::Kept(index)) => {
                let index = *index;
                let Some((first, first_at)) = &self.objects[index] else {
                    return Ok(());
                };
                match newer(number(first.meta()), version) {
                    Some(Ordering::Greater) => {
                        self.note(meta);
                        if let Some((object, at)) = self.objects[index].take() {
                            self.size -= size(&object, &at);
                        }
                        self.known.insert(key, Known::PassedOver(version, at));
                    }
                    Some(Ordering::Less) => self.note(meta),
                    Some(Ordering::Equal) | None => {
                        return Err(DumpError::Ambiguous {
                            object: self.label(meta),
                            first: first_at.clone(),
                            second: at,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, key: u64, object: T, at: At) {
        self.size += size_of::<(u64, Known)>() + size(&object, &at);
        self.known.insert(key, Known::Kept(self.objects.len()));
        self.objects.push(Some((object, at)));
    }

    fn note(&mut self, meta: &Meta) {
        let kind = self.kind;
        let (count, _) = self
            .repeated
            .get_or_insert_with(|| (0, full_name(kind, meta.namespace.as_deref(), &meta.name)));
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

    /// Refuses a name with two uids; a uid that several names share was written by hand and says nothing.
    pub(super) fn check_uids(&mut self) -> Result<(), DumpError> {
        for contradiction in std::mem::take(&mut self.contradictions) {
            let mut names: [Option<&Meta>; 2] = [None, None];
            let mut is_shared = false;
            for meta in self.objects.iter().flatten().map(|(object, _)| object.meta()) {
                for (uid, name) in contradiction.uids.iter().zip(&mut names) {
                    if meta.uid.as_ref() == Some(uid) {
                        is_shared |= name.replace(meta).is_some();
                    }
                }
            }
            if !is_shared {
                return Err(DumpError::TwoObjects {
                    object: contradiction.object,
                    first: contradiction.first,
                    second: contradiction.second,
                });
            }
        }
        Ok(())
    }

    /// Where each object stands.
    pub(super) fn places(&self) -> impl Iterator<Item = Location> {
        self.objects.iter().flatten().map(|(object, at)| Location {
            object: self.label(object.meta()),
            file: at.file.to_string(),
            line: at.line,
        })
    }

    /// The objects, sorted by namespace and name.
    pub(super) fn into_objects(self) -> Vec<T> {
        let mut objects: Vec<T> = self
            .objects
            .into_iter()
            .flatten()
            .map(|(object, _)| object)
            .collect();
        objects.sort_by(|a, b| {
            let (a, b) = (a.meta(), b.meta());
            (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name))
        });
        objects
    }
}

/// Whether two copies differ in more than their resourceVersion, or a uid.
fn differs<T: Named>(first: &T, mut second: T) -> bool {
    let old = first.meta();
    let (version, uid) = (old.resource_version.clone(), old.uid.clone());
    let meta = second.meta_mut();
    (meta.resource_version, meta.uid) = (version, uid);
    second != *first
}

fn uid(meta: &Meta) -> Option<&str> {
    meta.uid.as_deref().filter(|uid| is_uid(uid))
}

/// Whether a uid is one: a UUID that is not all zeros. What redaction leaves is none.
pub(super) fn is_uid(text: &str) -> bool {
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'-'));
    is_uuid && !is_zero
}

/// The resourceVersion, where it is a number.
fn number(meta: &Meta) -> Option<u64> {
    meta.resource_version.as_deref()?.parse().ok()
}

/// How the second resourceVersion stands to the first, where both are told.
fn newer(first: Option<u64>, second: Option<u64>) -> Option<Ordering> {
    Some(second?.cmp(&first?))
}

/// How many bytes an object and its place take, about.
fn size<T: Named>(object: &T, at: &At) -> usize {
    size_of_val(object) + size_of_val(at) + object.heap_size()
}

/// `KIND/NAMESPACE/NAME`, or `KIND/NAME` where it has no namespace.
fn full_name(kind: &str, namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{kind}/{namespace}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "11111111-2222-3333-4444-555555555555";

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
        let old = node("a", Some(UID), Some("99"), "v1.35.0");
        let new = node("a", Some(UID), Some("100"), "v1.36.0");
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
}
