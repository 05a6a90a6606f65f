//! A text as a whole: JSON documents one after the other with log text between them, YAML documents between
//! their `---` lines, or both. Tells which stands where, and reads logs never: a container may log anything,
//! objects too.

use crate::collect::dump::error::DumpError;
use crate::collect::dump::json::{Documents, found};
use crate::collect::dump::objects::ObjectCollector;
use crate::collect::dump::text_buffer::TextBuffer;
use crate::collect::dump::unpack::failed;

/// How much of one line is held while it is looked at.
const MAX_LINE: usize = 64 * 1024;

/// What a text turned out to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::collect::dump) struct Held {
    /// Documents, of whatever kind.
    pub(in crate::collect::dump) documents: usize,
    /// Bytes that are not white space.
    pub(in crate::collect::dump) any: bool,
}

/// What a line between documents is.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// A JSON object or array starts with it.
    Json,
    /// A YAML document starts with it.
    Yaml,
    /// `---` or `...`.
    Mark,
    /// A comment, a directive.
    Comment,
    /// `==== START logs for …`: the text that ends them.
    Logs(Vec<u8>),
    /// What is left of a broken JSON text.
    Debris,
    /// The server's version, as `kubectl version` prints it.
    ServerVersion(String),
    /// The client's, which is never judged.
    ClientVersion,
    /// What is no text: it may have no lines, and no end.
    Binary,
    /// Text of no meaning here.
    Text,
}

/// Reads a whole text into the objects.
pub(in crate::collect::dump) fn read(
    buffer: &mut TextBuffer<'_>,
    objects: &mut ObjectCollector<'_>,
) -> Result<Held, DumpError> {
    let mut held = Held::default();
    let mut behind_separator = false;
    objects.text_begins();
    loop {
        if !blank(buffer)? {
            return Ok(held);
        }
        held.any = true;
        let line = kind_of(line(buffer)?, behind_separator);
        behind_separator = line == Line::Mark || (behind_separator && line == Line::Comment);
        match line {
            Line::Json => {
                if let Err(error) = (Documents { buffer, objects }).document() {
                    if shows_objects(buffer.rest()) {
                        objects.had_shown();
                    }
                    return Err(error);
                }
                held.documents += 1;
                end_of_document(buffer)?;
            }
            Line::Yaml => {
                super::yaml_document::read(buffer, objects)?;
                held.documents += 1;
            }
            // An object may stand behind the mark, on its line.
            Line::Mark => buffer.pass(3),
            Line::Logs(end) => logs(buffer, &end)?,
            Line::Debris => {
                return Err(DumpError::Syntax {
                    at: buffer.at(0),
                    expected: "the start of an object".to_owned(),
                    found: found(buffer.rest(), 0),
                });
            }
            Line::Binary => {
                return Err(DumpError::NotObjects {
                    at: buffer.at(0),
                    found: "binary data",
                });
            }
            Line::ServerVersion(version) => {
                objects.server_version(version, buffer.at(0))?;
                held.documents += 1;
                pass_line(buffer)?;
            }
            Line::ClientVersion => {
                held.documents += 1;
                pass_line(buffer)?;
            }
            Line::Comment | Line::Text => pass_line(buffer)?,
        }
    }
}

/// Passes over white space and byte order marks of texts that were put together; `false` at the end.
pub(super) fn blank(buffer: &mut TextBuffer<'_>) -> Result<bool, DumpError> {
    loop {
        let Some(byte) = buffer.byte(0).map_err(|error| failed(buffer, error))? else {
            return Ok(false);
        };
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => buffer.pass(1),
            0xEF if is_mark(buffer, 0)? => buffer.pass(3),
            _ => return Ok(true),
        }
    }
}

/// Whether a byte order mark stands at an offset.
fn is_mark(buffer: &mut TextBuffer<'_>, at: usize) -> Result<bool, DumpError> {
    buffer.byte(at + 2).map_err(|error| failed(buffer, error))?;
    Ok(buffer.rest()[at..].starts_with("\u{feff}".as_bytes()))
}

/// The line that the buffer stands at, or as much of it as is looked at; without its end.
fn line<'w>(buffer: &'w mut TextBuffer<'_>) -> Result<&'w [u8], DumpError> {
    let end = line_end(buffer, MAX_LINE)?;
    let line = &buffer.rest()[..end.min(buffer.rest().len())];
    Ok(line.strip_suffix(b"\n").unwrap_or(line).trim_ascii_end())
}

/// The offset behind the line's end, or behind what there is of it within the limit.
pub(super) fn line_end(buffer: &mut TextBuffer<'_>, limit: usize) -> Result<usize, DumpError> {
    let mut looked = 0;
    loop {
        if let Some(end) = memchr::memchr(b'\n', &buffer.rest()[looked..]) {
            return Ok(looked + end + 1);
        }
        looked = buffer.rest().len();
        if looked >= limit || !buffer.more().map_err(|error| failed(buffer, error))? {
            return Ok(looked);
        }
    }
}

fn pass_line(buffer: &mut TextBuffer<'_>) -> Result<(), DumpError> {
    loop {
        let end = line_end(buffer, MAX_LINE)?;
        let is_whole = buffer.rest()[..end].ends_with(b"\n");
        buffer.pass(end);
        if is_whole || buffer.byte(0).map_err(|error| failed(buffer, error))?.is_none() {
            return Ok(());
        }
    }
}

fn kind_of(line: &[u8], behind_separator: bool) -> Line {
    const START: &[u8] = b"==== START logs ";
    if is_separator(line) {
        return Line::Mark;
    }
    match line.first() {
        Some(b'{') => return Line::Json,
        Some(b'[') => {
            // A log line may start with a date in brackets.
            let inner = line[1..].trim_ascii_start();
            let is_array =
                matches!(inner.first(), None | Some(b'{' | b'[' | b']' | b'"')) || inner.starts_with(b"null");
            return if is_array { Line::Json } else { Line::Text };
        }
        // A quoted key may be YAML's; one whose value goes on as JSON's does is not.
        Some(b'"') if is_yaml(line, true) && !matches!(line.last(), Some(b',' | b'{' | b'[')) => {}
        Some(b'}' | b']' | b',' | b':' | b'"') => return Line::Debris,
        // An object on one line whose brace was lost is no text.
        _ if has_members(line) => return Line::Debris,
        Some(b'#' | b'%') => return Line::Comment,
        _ if line.contains(&0) => return Line::Binary,
        _ => {}
    }
    if let Some(of) = line.strip_prefix(START) {
        return Line::Logs([b"==== END logs ", of].concat());
    }
    if is_yaml(line, behind_separator) {
        return Line::Yaml;
    }
    if line.starts_with(b"Client Version: ") {
        return Line::ClientVersion;
    }
    std::str::from_utf8(line)
        .ok()
        .and_then(server_version)
        .map_or(Line::Text, Line::ServerVersion)
}

/// Whether members of an object in JSON stand in a line.
fn has_members(line: &[u8]) -> bool {
    [
        b"\"metadata\":".as_slice(),
        b"\"kind\":",
        b"\"apiVersion\":",
        b"\"items\":",
        b"\"serverVersion\":",
    ]
    .iter()
    .any(|member| memchr::memmem::find(line, member).is_some())
}

pub(super) fn is_separator(line: &[u8]) -> bool {
    [b"---".as_slice(), b"..."].iter().any(|mark| {
        line.strip_prefix(*mark)
            .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    })
}

/// Whether a line is the first of a YAML document of objects: one of their keys, or behind a `---` any key.
fn is_yaml(line: &[u8], any_key: bool) -> bool {
    const KEYS: [&[u8]; 11] = [
        b"apiVersion",
        b"kind",
        b"metadata",
        b"items",
        b"spec",
        b"status",
        b"clientVersion",
        b"serverVersion",
        b"kustomizeVersion",
        b"gitVersion",
        b"emulationMajor",
    ];
    let line = match line.strip_prefix(b"- ") {
        Some(rest) => rest.trim_ascii_start(),
        None => line,
    };
    let quote = line
        .first()
        .copied()
        .filter(|first| matches!(first, b'"' | b'\''));
    let inner = &line[usize::from(quote.is_some())..];
    let end = inner
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"_-./".contains(byte)))
        .unwrap_or(inner.len());
    let (key, rest) = inner.split_at(end);
    let rest = match quote {
        Some(quote) => rest.strip_prefix(&[quote]),
        None => Some(rest),
    };
    let is_key = rest.is_some_and(|rest| {
        rest.strip_prefix(b":")
            .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    });
    is_key && !key.is_empty() && (any_key || KEYS.contains(&key))
}

/// Behind a JSON document nothing may stand on its line but another one.
fn end_of_document(buffer: &mut TextBuffer<'_>) -> Result<(), DumpError> {
    let mut at = 0;
    loop {
        match buffer.byte(at).map_err(|error| failed(buffer, error))? {
            Some(b' ' | b'\t' | b'\r') => at += 1,
            None | Some(b'\n' | b'{' | b'[') => {
                buffer.pass(at);
                return Ok(());
            }
            // The mark of another text that was put behind this one.
            Some(0xEF) if is_mark(buffer, at)? => {
                buffer.pass(at);
                return Ok(());
            }
            Some(_) => {
                return Err(DumpError::Syntax {
                    at: buffer.at(at),
                    expected: "the end of the line behind the object".to_owned(),
                    found: found(buffer.rest(), at),
                });
            }
        }
    }
}

/// Passes over a container's logs, to the line that ends those of the same container.
fn logs(buffer: &mut TextBuffer<'_>, end: &[u8]) -> Result<(), DumpError> {
    pass_line(buffer)?;
    loop {
        // Logs need not end with a line's end: the mark may stand behind their last line.
        if line(buffer)?.ends_with(end) {
            return pass_line(buffer);
        }
        if buffer.byte(0).map_err(|error| failed(buffer, error))?.is_none() {
            return Err(DumpError::Cut {
                at: buffer.at(0),
                inside: "a container's logs".to_owned(),
            });
        }
        pass_line(buffer)?;
    }
}

/// The version in a line that `kubectl version` prints for the server; `oc version` calls it Kubernetes'.
fn server_version(line: &str) -> Option<String> {
    let (name, value) = line.split_once(" Version: ")?;
    if !matches!(name, "Server" | "Kubernetes") {
        return None;
    }
    // Before 1.28: version.Info{Major:"1", Minor:"18", GitVersion:"v1.18.6", …}
    let version = match value.split_once("GitVersion:\"") {
        Some((_, rest)) => rest.split('"').next()?,
        None => value.trim(),
    };
    // Other servers have versions too; Kubernetes' starts with a v.
    version.starts_with("v1.").then(|| version.to_owned())
}

/// The server's version, where a whole text is the output of `kubectl version`.
pub(in crate::collect::dump) fn server_version_of_text(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_output = lines.clone().all(|line| {
        line.starts_with("WARNING: ")
            || line
                .split_once(" Version: ")
                .is_some_and(|(name, _)| !name.contains(' '))
    });
    is_output.then(|| lines.find_map(server_version)).flatten()
}

/// Whether a text that broke looks like one of Nodes or Pods. A template that makes some looks so too, but for what
/// only a cluster writes.
pub(super) fn shows_objects(text: &[u8]) -> bool {
    const OBSERVED: [&[u8]; 4] = [b"nodeInfo", b"kubeletVersion", b"containerStatuses", b"hostIP"];
    const SIGNS: [&[u8]; 5] = [b"\"Node\"", b"\"Pod\"", b"NodeList", b"PodList", b"nodeName"];
    let has = |sign: &[u8]| memchr::memmem::find(text, sign).is_some();
    if OBSERVED.into_iter().any(has) {
        return true;
    }
    if has(b"{{") {
        return false;
    }
    let of_yaml = |line: &[u8]| {
        let line = line.trim_ascii();
        line.ends_with(b"kind: Node") || line.ends_with(b"kind: Pod")
    };
    SIGNS.into_iter().any(has) || text.split(|byte| *byte == b'\n').any(of_yaml)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_between_documents_are_told_apart() {
        for (line, kind) in [
            ("{", Line::Json),
            ("{\"kind\": \"Node\"}", Line::Json),
            ("[", Line::Json),
            ("[ {", Line::Json),
            ("[2026-03-01 10:00:00] started", Line::Text),
            ("apiVersion: v1", Line::Yaml),
            ("- apiVersion: v1", Line::Yaml),
            ("\"kind\": Node", Line::Yaml),
            ("items:", Line::Yaml),
            ("---", Line::Mark),
            ("--- # a", Line::Mark),
            ("--- {}", Line::Mark),
            ("---a", Line::Text),
            ("# comment", Line::Comment),
            ("\u{7f}ELF\0", Line::Binary),
            ("#\"metadata\":{},", Line::Debris),
            ("x\"kind\":\"Node\"}", Line::Debris),
            ("Warning: v1 ComponentStatus is deprecated", Line::Text),
            ("I0102 20:02:25.433799       1 flags.go:64] FLAG", Line::Text),
            ("}", Line::Debris),
            (
                "Server Version: v1.31.1",
                Line::ServerVersion("v1.31.1".to_owned()),
            ),
            (
                "Server Version: version.Info{Major:\"1\", Minor:\"18+\", GitVersion:\"v1.18.6-41+23\", GitCommit:\"0\"}",
                Line::ServerVersion("v1.18.6-41+23".to_owned()),
            ),
            ("Client Version: v1.30.0", Line::ClientVersion),
            ("Server Version: 4.7.16", Line::Text),
            (
                "Kubernetes Version: v1.20.0+df9c838",
                Line::ServerVersion("v1.20.0+df9c838".to_owned()),
            ),
            ("\"metadata\": {", Line::Debris),
            (", //changed", Line::Debris),
        ] {
            assert_eq!(kind_of(line.as_bytes(), false), kind, "{line}");
        }
        assert_eq!(kind_of(b"immutable: true", true), Line::Yaml);
        assert_eq!(
            kind_of(b"==== START logs for container a of pod b/c ====", false),
            Line::Logs(b"==== END logs for container a of pod b/c ====".to_vec())
        );
    }
}
