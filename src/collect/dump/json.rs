//! JSON documents of any size through a buffer: objects that stand alone, lists item by item, arrays of either.
//! What is held is one object at a time; kubectl writes a list's `kind` behind its items, so that a list
//! whose end never comes is one that was cut.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::error::DumpError;
use super::objects::{ObjectCollector, TypeMeta, Undecided};
use super::text_buffer::TextBuffer;
use crate::collect::save::{MEMBER, Saved};
use crate::collect::wire::json::{ListHead, Parts};

/// The largest object that is held, in MiB: etcd stores some two.
const MAX_OBJECT: usize = 8;
/// Lists in lists, and arrays of them.
const MAX_LEVELS: usize = 8;

/// Reads documents from a buffer into a collector.
pub(super) struct Documents<'w, 'r, 'g, 'q> {
    pub(super) buffer: &'w mut TextBuffer<'r>,
    pub(super) objects: &'g mut ObjectCollector<'q>,
}

/// What a list has told beside its items so far.
#[derive(Default)]
struct ListSoFar {
    /// The members that tell what it is, as the inside of an object.
    head: String,
    saved: Option<Saved>,
    /// The keys of both.
    keys: Vec<String>,
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

    /// What the decoder says of the text that starts at an offset.
    fn refused(&self, at: usize, error: &serde_json::Error) -> DumpError {
        let message = error.to_string();
        let what = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(what, _)| what);
        let expected = match what.strip_prefix("expected ") {
            Some("ident") => "true, false or null".to_owned(),
            Some(expected) => expected.to_owned(),
            None => format!("JSON ({what})"),
        };
        self.bad(at + offset(&self.buffer.rest()[at..], error), &expected)
    }

    fn cut(&self, inside: &str) -> DumpError {
        DumpError::Cut {
            at: self.buffer.at(self.buffer.rest().len()),
            inside: inside.to_owned(),
        }
    }

    fn more(&mut self, inside: &str) -> Result<(), DumpError> {
        if self.buffer.rest().len() > MAX_OBJECT << 20 {
            return Err(DumpError::TooLarge {
                at: self.buffer.at(0),
                limit: MAX_OBJECT,
            });
        }
        match self.buffer.more() {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.cut(inside)),
            Err(error) => Err(super::unpack::failed(self.buffer, error)),
        }
    }

    /// The offset of the next byte that is no white space, and the byte.
    fn next(&mut self, mut at: usize, inside: &str) -> Result<(usize, u8), DumpError> {
        loop {
            match self.buffer.rest().get(at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
                Some(byte) => return Ok((at, *byte)),
                None => self.more(inside)?,
            }
        }
    }

    /// The value that starts at an offset, and the offset behind it.
    fn value<T: for<'de> Deserialize<'de>>(
        &mut self,
        at: usize,
        inside: &str,
    ) -> Result<(T, usize), DumpError> {
        loop {
            let rest = self.buffer.rest();
            let mut values = Deserializer::from_slice(&rest[at..]).into_iter::<T>();
            let value = values.next();
            let end = at + values.byte_offset();
            match value {
                // A number may go on behind what is there.
                Some(Ok(value)) if end < rest.len() || matches!(rest[end - 1], b'}' | b']' | b'"') => {
                    return Ok((value, end));
                }
                Some(Err(error)) if !error.is_eof() => return Err(self.refused(at, &error)),
                Some(_) | None => self.more(inside)?,
            }
        }
    }

    /// The key that starts at an offset, and the offset of its value.
    fn key(&mut self, at: usize, inside: &str) -> Result<(String, usize), DumpError> {
        if self.buffer.rest()[at] != b'"' {
            return Err(self.bad(at, "a key"));
        }
        let (key, end) = self.value(at, inside)?;
        let (colon, byte) = self.next(end, inside)?;
        if byte != b':' {
            return Err(self.bad(colon, "\":\""));
        }
        let (value, _) = self.next(colon + 1, inside)?;
        Ok((key, value))
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
            Some(b'{') => {
                if let Some(list) = list
                    && self.plain_item(list, undecided)?
                {
                    return Ok(());
                }
                self.object(list, undecided, level)
            }
            Some(b'[') if list.is_none() => {
                self.buffer.pass(1);
                self.elements(None, undecided, "an array", level)
            }
            Some(byte) if list.is_some() && *byte != b'n' => Err(self.bad(0, "an object")),
            Some(_) | None => {
                let (IgnoredAny, end) = self.value(0, "a list")?;
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

    /// Takes the item at the buffer's first byte where it is there as a whole and no list itself, as nearly all are.
    fn plain_item(&mut self, list: &TypeMeta, undecided: &mut Undecided) -> Result<bool, DumpError> {
        let mut objects = Deserializer::from_slice(self.buffer.rest()).into_iter::<Parts<'_>>();
        let Some(Ok(parts)) = objects.next() else {
            return Ok(false);
        };
        if parts.is_list() {
            return Ok(false);
        }
        let end = objects.byte_offset();
        utf8(self.buffer, 0..end)?;
        self.objects.item(&parts, list, undecided, self.buffer.at(0))?;
        self.buffer.pass(end);
        Ok(true)
    }

    /// The object at the buffer's first byte: taken whole, or item by item where it turns out to be a list.
    fn object(
        &mut self,
        list: Option<&TypeMeta>,
        undecided: &mut Undecided,
        level: usize,
    ) -> Result<(), DumpError> {
        let inside = "an object";
        let mut members = Vec::new();
        let (mut at, mut byte) = self.next(1, inside)?;
        while byte != b'}' {
            let (key, start) = self.key(at, inside)?;
            if key == "items" && self.buffer.rest()[start] == b'[' {
                return self.list(&members, start, level);
            }
            let (IgnoredAny, end) = self.value(start, inside)?;
            if ListSoFar::holds(&key) {
                members.push((key, start..end));
            }
            (at, byte) = self.behind(end, inside)?;
        }
        let place = self.buffer.at(0);
        let text = utf8(self.buffer, 0..at + 1)?;
        let parts = Parts::of(text).map_err(|error| self.refused(0, &error))?;
        match list {
            Some(list) => self.objects.item(&parts, list, undecided, place)?,
            None if parts.kind.is_none() && parts.is_version() => self.objects.raw_version(text, place)?,
            None => self.objects.alone(&parts, place)?,
        }
        self.buffer.pass(at + 1);
        Ok(())
    }

    /// What stands behind a member that ends there: the next key, or the brace that closes the object.
    fn behind(&mut self, end: usize, inside: &str) -> Result<(usize, u8), DumpError> {
        match self.next(end, inside)? {
            (at, b'}') => Ok((at, b'}')),
            (at, b',') => match self.next(at + 1, inside)? {
                (at, b'}') => Err(self.bad(at, "a key")),
                next => Ok(next),
            },
            (at, _) => Err(self.bad(at, "\",\" or \"}\"")),
        }
    }

    /// A list, of which the members before `items` were passed over and `items` opens at `open`.
    fn list(
        &mut self,
        before: &[(String, Range<usize>)],
        open: usize,
        level: usize,
    ) -> Result<(), DumpError> {
        let inside = "a list (its kind, which kubectl writes behind the items, never came)";
        let place = self.buffer.at(0);
        let mut list = ListSoFar::default();
        utf8(self.buffer, 0..open)?;
        for (key, range) in before {
            self.list_member(&mut list, key, range.clone())?;
        }
        let head = self.head(&list)?;
        self.buffer.pass(open + 1);
        let mut undecided = Undecided::default();
        let type_meta = TypeMeta {
            kind: head.kind,
            api_version: head.api_version,
        };
        self.elements(Some(&type_meta), &mut undecided, inside, level)?;
        let (mut at, mut byte) = self.behind(0, inside)?;
        while byte != b'}' {
            let (key, start) = self.key(at, inside)?;
            if key == "items" {
                return Err(self.bad(start, "the members of a list once each"));
            }
            let (IgnoredAny, end) = self.value(start, inside)?;
            utf8(self.buffer, 0..end)?;
            self.list_member(&mut list, &key, start..end)?;
            self.buffer.pass(end);
            (at, byte) = self.behind(0, inside)?;
        }
        let head = self.head(&list)?;
        self.buffer.pass(at + 1);
        self.objects.list_ends(&head, undecided, list.saved, &place)
    }

    fn list_member(&self, list: &mut ListSoFar, key: &str, range: Range<usize>) -> Result<(), DumpError> {
        if !ListSoFar::holds(key) {
            return Ok(());
        }
        let start = range.start;
        if list.keys.iter().any(|known| known == key) {
            return Err(self.bad(start, "the members of a list once each"));
        }
        list.keys.push(key.to_owned());
        let text = utf8(self.buffer, range)?;
        if key == MEMBER {
            list.saved = Some(Saved::parse(text).map_err(|error| DumpError::Syntax {
                at: self.buffer.at(start),
                expected: "what kubectl skew save writes".to_owned(),
                found: error.to_string(),
            })?);
        } else {
            let comma = if list.head.is_empty() { "" } else { "," };
            for part in [comma, "\"", key, "\":", text] {
                list.head.push_str(part);
            }
        }
        Ok(())
    }

    fn head(&self, list: &ListSoFar) -> Result<ListHead, DumpError> {
        ListHead::of(&format!("{{{}}}", list.head)).map_err(|error| DumpError::Syntax {
            at: self.buffer.at(0),
            expected: "a list's kind, apiVersion and metadata".to_owned(),
            found: error.to_string(),
        })
    }
}

impl ListSoFar {
    /// Whether that member of a list is read.
    fn holds(key: &str) -> bool {
        ["kind", "apiVersion", "metadata", MEMBER].contains(&key)
    }
}

/// The offset of the byte that the decoder stopped at.
fn offset(text: &[u8], error: &serde_json::Error) -> usize {
    let line = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text)
            .nth(line - 2)
            .map_or(text.len(), |end| end + 1),
    };
    (line + error.column()).saturating_sub(1).min(text.len())
}

/// What stands at that offset, in words for an error.
pub(super) fn found(text: &[u8], at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(16)]);
    match shown.chars().next() {
        None => "the end".to_owned(),
        Some('\n' | '\r') => "the end of the line".to_owned(),
        Some(first) => format!("\"{}\"", first.escape_debug()),
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
