//! One YAML document among the lines of a text, and the signs that it was cut at its end.

use std::sync::Arc;

use super::documents::{blank, is_separator, line_end, shows_objects};
use crate::collect::dump::error::{At, DumpError};
use crate::collect::dump::json::Documents;
use crate::collect::dump::objects::ObjectCollector;
use crate::collect::dump::text_buffer::{Lines, TextBuffer};
use crate::collect::dump::yaml;
use crate::collect::wire::json::Parts;
use crate::inventory::read_gap::CutSign;

/// The largest document that is held, in MiB.
const MAX_MIB: usize = 256;

/// The lines of a YAML document, and whether the text ends with them.
fn lines(buffer: &mut TextBuffer<'_>) -> Result<(Vec<u8>, bool), DumpError> {
    let place = buffer.at(0);
    let mut text: Vec<u8> = Vec::new();
    loop {
        let end = line_end(buffer, MAX_MIB << 20)?;
        let line = &buffer.rest()[..end];
        if line.is_empty() {
            return Ok((text, true));
        }
        let trimmed = line.trim_ascii_end();
        let ends = is_separator(trimmed)
            || matches!(trimmed.first(), Some(b'{' | b'['))
            || trimmed.starts_with(b"==== START logs ");
        if ends && !text.is_empty() {
            return Ok((text, false));
        }
        text.extend_from_slice(line);
        if text.len() > MAX_MIB << 20 {
            return Err(DumpError::YamlTooLarge {
                at: place,
                limit: MAX_MIB,
            });
        }
        buffer.pass(end);
    }
}

/// Reads a YAML document: the lines up to the next mark, to a line of JSON, or to the end of the text.
pub(super) fn read(buffer: &mut TextBuffer<'_>, objects: &mut ObjectCollector<'_>) -> Result<(), DumpError> {
    let first_line = buffer.line();
    let (text, is_last) = lines(buffer)?;
    let ends_line = text.ends_with(b"\n");
    let file = Arc::clone(buffer.file());
    let text = String::from_utf8(text).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        DumpError::Syntax {
            at: At {
                file: Arc::clone(&file),
                line: first_line + memchr::memchr_iter(b'\n', before).count() as u64,
                column: (at - memchr::memrchr(b'\n', before).map_or(0, |last| last + 1)) as u64 + 1,
            },
            expected: "UTF-8 (or UTF-16 with a byte order mark)".to_owned(),
            found: format!("the byte 0x{:02x}", error.as_bytes()[at]),
        }
    })?;
    let made = yaml::to_json(&text, first_line, MAX_MIB << 20).map_err(|error| {
        if shows_objects(text.as_bytes()) {
            objects.had_shown();
        }
        DumpError::Syntax {
            at: At {
                file: Arc::clone(&file),
                line: error.line,
                column: error.column,
            },
            expected: "YAML".to_owned(),
            found: error.reason,
        }
    })?;
    if is_last && !ends_line {
        let at = At {
            file: Arc::clone(&file),
            line: first_line + memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64,
            column: 1,
        };
        objects.may_be_cut(CutSign::LastLineUnended, &at);
    }
    let is_cut = is_last && !has_kind(&made.json);
    drop(text);
    let mut inner = TextBuffer::new(Box::new(made.json.as_slice()), file, Lines::Made(made.marks));
    while blank(&mut inner)? {
        Documents {
            buffer: &mut inner,
            objects,
        }
        .document()?;
    }
    if is_cut {
        return Err(DumpError::Cut {
            at: buffer.at(0),
            inside: "an object whose kind never came".to_owned(),
        });
    }
    if is_last && ends_line && objects.last_says_less() {
        objects.may_be_cut(CutSign::LastObjectShort, &buffer.at(0));
    }
    Ok(())
}

/// Whether a YAML document that says whose version it is (`apiVersion`) or holds `items` says its kind too.
///
/// kubectl writes keys in the order of the alphabet: a text cut after the first of them has no kind yet.
fn has_kind(json: &[u8]) -> bool {
    let mut documents = serde_json::Deserializer::from_slice(json).into_iter::<Parts<'_>>();
    match documents.next() {
        Some(Ok(parts)) => parts.kind.is_some() || (parts.api_version.is_none() && !parts.is_list()),
        Some(Err(_)) | None => true,
    }
}
