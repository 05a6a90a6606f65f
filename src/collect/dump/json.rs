//! JSON documents of any size through a buffer: objects that stand alone, lists item by item, arrays of either.
//! What is held is one object at a time; kubectl writes a list's `kind` behind its items, so that a list
//! whose end never comes is one that was cut.

use std::ops::Range;

use super::error::DumpError;
use super::objects::{ObjectCollector, TypeMeta, Undecided};
use super::text_buffer::TextBuffer;
use crate::collect::save::Saved;
use crate::collect::wire::json::scan::{self, Stop};
use crate::collect::wire::json::{ListHead, Parts, found};

/// The largest object that is held, in MiB: etcd stores some two.
const MAX_OBJECT: usize = 64;
/// Lists in lists, and arrays of them.
const MAX_LEVELS: usize = 8;

/// A member of the top that is not [`Parts`]'s: what a snapshot says beside its items.
pub(super) const SAVED: &str = crate::collect::save::MEMBER;

/// Reads documents from a buffer into a objects.
pub(super) struct Documents<'w, 'r, 'g, 'q> {
    pub(super) buffer: &'w mut TextBuffer<'r>,
    pub(super) objects: &'g mut ObjectCollector<'q>,
}

/// What a list has told so far.
#[derive(Default)]
struct ListSoFar {
    type_meta: TypeMeta,
    metadata: Option<String>,
    saved: Option<Saved>,
    has_items: bool,
}

impl Documents<'_, '_, '_, '_> {
    /// Reads the document that starts at the buffer's first byte, and nothing behind it.
    pub(super) fn document(&mut self) -> Result<(), DumpError> {
        self.element(None, &mut Undecided::default(), 0)
    }

    fn bad(&self, at: usize, expected: &str) -> DumpError {
        DumpError::Syntax {
            at: self.buffer.at(at),
            expected: expected.to_owned(),
            found: found(self.buffer.rest(), at),
        }
    }

    fn failed(&self, error: std::io::Error) -> DumpError {
        super::unpack::failed(self.buffer, error)
    }

    fn cut(&self, inside: &str) -> DumpError {
        DumpError::Cut {
            at: self.buffer.at(self.buffer.rest().len()),
            inside: inside.to_owned(),
        }
    }

    /// Scans from an offset on, with as much of the text as that takes.
    fn scanned<T>(
        &mut self,
        at: usize,
        inside: &str,
        scan: impl Fn(&[u8], usize) -> Result<T, Stop>,
    ) -> Result<T, DumpError> {
        loop {
            match scan(self.buffer.rest(), at) {
                Ok(value) => return Ok(value),
                Err(Stop::Bad { at, expected }) => return Err(self.bad(at, expected)),
                Err(Stop::More) if self.buffer.rest().len() > MAX_OBJECT << 20 => {
                    return Err(DumpError::TooLarge {
                        at: self.buffer.at(0),
                        limit: MAX_OBJECT,
                    });
                }
                Err(Stop::More) => {
                    if !self.buffer.more().map_err(|error| self.failed(error))? {
                        return Err(self.cut(inside));
                    }
                }
            }
        }
    }

    /// The offset of the next byte that is no white space, and the byte.
    fn next(&mut self, at: usize, inside: &str) -> Result<(usize, u8), DumpError> {
        self.scanned(at, inside, |text, at| {
            let at = scan::space(text, at);
            text.get(at).map(|byte| (at, *byte)).ok_or(Stop::More)
        })
    }

    /// An element of a list or an array, or a document: whatever stands at the buffer's first byte.
    fn element(
        &mut self,
        list: Option<&TypeMeta>,
        undecided: &mut Undecided,
        level: usize,
    ) -> Result<(), DumpError> {
        if level > MAX_LEVELS {
            return Err(self.bad(0, "lists nested less deep"));
        }
        match self.buffer.rest().first() {
            Some(b'{') => self.object(list, undecided, level),
            Some(b'[') if list.is_none() => {
                self.buffer.pass(1);
                self.elements(None, undecided, "an array", level)
            }
            Some(b'n') | None => {
                let end = self.scanned(0, "a list", scan::value)?;
                self.buffer.pass(end);
                Ok(())
            }
            Some(_) if list.is_some() => Err(self.bad(0, "an object")),
            Some(_) => {
                let end = self.scanned(0, "an array", scan::value)?;
                utf8(self.buffer, 0..end)?;
                self.buffer.pass(end);
                Ok(())
            }
        }
    }

    /// The elements of a list or an array whose bracket was passed, and the bracket that closes it.
    fn elements(
        &mut self,
        list: Option<&TypeMeta>,
        undecided: &mut Undecided,
        inside: &str,
        level: usize,
    ) -> Result<(), DumpError> {
        let (at, first) = self.next(0, inside)?;
        self.buffer.pass(at);
        if first == b']' {
            self.buffer.pass(1);
            return Ok(());
        }
        loop {
            self.element(list, undecided, level + 1)?;
            let (at, byte) = self.next(0, inside)?;
            match byte {
                b',' => {
                    let (at, _) = self.next(at + 1, inside)?;
                    self.buffer.pass(at);
                }
                b']' => {
                    self.buffer.pass(at + 1);
                    return Ok(());
                }
                _ => return Err(self.bad(at, "\",\" or \"]\"")),
            }
        }
    }

    /// The object at the buffer's first byte: taken whole, or item by item where it turns out to be a list.
    fn object(
        &mut self,
        list: Option<&TypeMeta>,
        undecided: &mut Undecided,
        level: usize,
    ) -> Result<(), DumpError> {
        let inside = "an object";
        let place = self.buffer.at(0);
        let mut members: Vec<(&'static str, Range<usize>)> = Vec::with_capacity(8);
        let (mut at, first) = self.next(1, inside)?;
        if first != b'}' {
            loop {
                let (name, value) = self.scanned(at, inside, |text, at| {
                    let (key, value) = scan::member(text, at)?;
                    // Whether a list opens there is asked below.
                    text.get(value).ok_or(Stop::More)?;
                    let known = Parts::MEMBERS.iter().chain([&SAVED]).copied();
                    Ok((known.into_iter().find(|name| *name == key), value))
                })?;
                if name == Some("items") && self.buffer.rest()[value] == b'[' {
                    return self.list(&members, value, level);
                }
                let end = self.scanned(value, inside, scan::value)?;
                members.extend(name.map(|name| (name, value..end)));
                let (next, byte) = self.next(end, inside)?;
                match byte {
                    b',' => at = self.next(next + 1, inside)?.0,
                    b'}' => {
                        at = next;
                        break;
                    }
                    _ => return Err(self.bad(next, "\",\" or \"}\"")),
                }
            }
        }
        let end = at + 1;
        let text = utf8(self.buffer, 0..end)?;
        let mut parts = Parts::default();
        for (name, range) in members {
            if let Err(Stop::Bad { at, expected }) = parts.member(text, name, range) {
                return Err(self.bad(at, expected));
            }
        }
        match list {
            Some(type_meta) => self.objects.item(&parts, type_meta, undecided, place)?,
            None if parts.kind.is_none() && parts.version_members == 2 => {
                self.objects.raw_version(text, place)?;
            }
            None => self.objects.alone(&parts, place)?,
        }
        self.buffer.pass(end);
        Ok(())
    }

    /// A list, of which the members before `items` were scanned and `items` opens at `open`.
    fn list(
        &mut self,
        before: &[(&'static str, Range<usize>)],
        open: usize,
        level: usize,
    ) -> Result<(), DumpError> {
        let inside = "a list (its kind, which kubectl writes behind the items, never came)";
        let place = self.buffer.at(0);
        let mut list = ListSoFar::default();
        utf8(self.buffer, 0..open)?;
        for (name, range) in before {
            self.list_member(&mut list, name, range.clone())?;
        }
        self.buffer.pass(open + 1);
        list.has_items = true;
        let mut undecided = Undecided::default();
        let type_meta = list.type_meta.clone();
        self.elements(Some(&type_meta), &mut undecided, inside, level)?;
        loop {
            let (at, byte) = self.next(0, inside)?;
            match byte {
                b'}' => {
                    self.buffer.pass(at + 1);
                    break;
                }
                b',' => {}
                _ => return Err(self.bad(at, "\",\" or \"}\"")),
            }
            let (at, _) = self.next(at + 1, inside)?;
            let (name, value) = self.scanned(at, inside, |text, at| {
                let (key, value) = scan::member(text, at)?;
                let known = Parts::MEMBERS.iter().chain([&SAVED]).copied();
                Ok((known.into_iter().find(|name| *name == key), value))
            })?;
            let end = self.scanned(value, inside, scan::value)?;
            utf8(self.buffer, 0..end)?;
            if let Some(name) = name {
                self.list_member(&mut list, name, value..end)?;
            }
            self.buffer.pass(end);
        }
        let parts = Parts {
            metadata: list.metadata.as_deref(),
            ..Parts::default()
        };
        let mut head = ListHead::of(&parts).map_err(|error| DumpError::Syntax {
            at: place.clone(),
            expected: "a list's metadata".to_owned(),
            found: error.to_string(),
        })?;
        head.kind = list.type_meta.kind;
        head.api_version = list.type_meta.api_version;
        self.objects.list_ends(&head, undecided, list.saved, &place)
    }

    fn list_member(
        &self,
        list: &mut ListSoFar,
        name: &'static str,
        range: Range<usize>,
    ) -> Result<(), DumpError> {
        let twice = "the members of a list once each";
        let at = range.start;
        let text = utf8(self.buffer, range.clone())?;
        match name {
            "kind" | "apiVersion" => {
                let mut parts = Parts::default();
                if let Err(Stop::Bad { at: inner, expected }) = parts.member(text, name, 0..text.len()) {
                    return Err(self.bad(at + inner, expected));
                }
                let (slot, told) = if name == "kind" {
                    (&mut list.type_meta.kind, parts.kind)
                } else {
                    (&mut list.type_meta.api_version, parts.api_version)
                };
                if slot.is_some() {
                    return Err(self.bad(at, twice));
                }
                *slot = told.map(std::borrow::Cow::into_owned);
            }
            "metadata" if list.metadata.is_some() => return Err(self.bad(at, twice)),
            "metadata" => list.metadata = Some(text.to_owned()),
            "items" if list.has_items => return Err(self.bad(at, twice)),
            SAVED if list.saved.is_some() => return Err(self.bad(at, twice)),
            SAVED => {
                list.saved = Some(Saved::parse(text).map_err(|error| DumpError::Syntax {
                    at: self.buffer.at(at),
                    expected: "what kubectl skew save writes".to_owned(),
                    found: error.to_string(),
                })?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// A part of the rest, as text.
fn utf8<'w>(buffer: &'w TextBuffer<'_>, range: Range<usize>) -> Result<&'w str, DumpError> {
    let start = range.start;
    std::str::from_utf8(&buffer.rest()[range]).map_err(|error| {
        let at = start + error.valid_up_to();
        DumpError::Syntax {
            at: buffer.at(at),
            expected: "UTF-8 (or UTF-16 with a byte order mark)".to_owned(),
            found: format!("the byte 0x{:02x}", buffer.rest()[at]),
        }
    })
}
