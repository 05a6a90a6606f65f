//! One YAML document, made into the JSON text that says the same: from there on YAML and JSON are read by the
//! same code. Every mapping near the root leaves a mark, so that places are told in the YAML's own lines.
//!
//! Scalars resolve by YAML 1.2's core schema, as kubectl writes them: an unquoted `no` is a text, an unquoted
//! `1.30` a number. Anchors are followed, within a bound; merge keys and keys that are no scalars are refused.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// The JSON that a document says, and where its objects stand in the YAML.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) json: Vec<u8>,
    /// From each offset of the JSON on: the line and column of the YAML.
    pub(super) marks: Vec<(u64, u64, u64)>,
}

/// Why a document is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) reason: String,
}

/// Marks are kept this deep: a list, its items, and the same once more in an array of lists.
const MARKED_DEPTH: usize = 5;
const MAX_DEPTH: usize = 127;

/// What is open around the place that is written to.
enum Open {
    List {
        any: bool,
        anchor: usize,
        start: usize,
    },
    Map {
        any: bool,
        at_value: bool,
        anchor: usize,
        start: usize,
    },
}

struct Writer {
    made: Made,
    open: Vec<Open>,
    anchors: HashMap<usize, Range<usize>>,
    first_line: u64,
    limit: usize,
}

/// Makes the document that `text` is into JSON of at most `limit` bytes; its first line is `first_line`.
pub(super) fn to_json(text: &str, first_line: u64, limit: usize) -> Result<Made, Unreadable> {
    let mut writer = Writer {
        made: Made::default(),
        open: Vec::new(),
        anchors: HashMap::new(),
        first_line,
        limit,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Unreadable {
            line: first_line + (error.marker().line() as u64).saturating_sub(1),
            column: error.marker().col() as u64 + 1,
            reason: error.info().to_owned(),
        })?;
        writer.take(event, span)?;
    }
    Ok(writer.made)
}

impl Writer {
    fn refuse<T>(&self, span: Span, reason: impl Into<String>) -> Result<T, Unreadable> {
        Err(Unreadable {
            line: self.first_line + (span.start.line() as u64).saturating_sub(1),
            column: span.start.col() as u64 + 1,
            reason: reason.into(),
        })
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Unreadable> {
        if self.made.json.len() > self.limit {
            return self.refuse(span, "its aliases make it too large to be read");
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain
                    || tag.is_some_and(|tag| !tag.is_yaml_core_schema() || tag.suffix == "str");
                if self.is_key() {
                    if text == "<<" {
                        return self.refuse(span, "merge keys (<<) are not read");
                    }
                    self.key(&text);
                    return Ok(());
                }
                let start = self.value_start();
                self.scalar(&text, is_text);
                self.value_end(anchor, start);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.is_key() => {
                return self.refuse(span, "a key that is a list or a map");
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() == MAX_DEPTH => {
                return self.refuse(span, "lists and maps nested too deep");
            }
            Event::SequenceStart(anchor, _) => {
                let start = self.value_start();
                self.made.json.push(b'[');
                self.open.push(Open::List {
                    any: false,
                    anchor,
                    start,
                });
            }
            Event::MappingStart(anchor, _) => {
                let start = self.value_start();
                if self.open.len() < MARKED_DEPTH {
                    let line = self.first_line + (span.start.line() as u64).saturating_sub(1);
                    self.made
                        .marks
                        .push((start as u64, line, span.start.col() as u64 + 1));
                }
                self.made.json.push(b'{');
                self.open.push(Open::Map {
                    any: false,
                    at_value: false,
                    anchor,
                    start,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { anchor, start, .. }) => {
                    self.made.json.push(b']');
                    self.value_end(anchor, start);
                }
                Some(Open::Map { anchor, start, .. }) => {
                    self.made.json.push(b'}');
                    self.value_end(anchor, start);
                }
                None => return self.refuse(span, "an end without a beginning"),
            },
            Event::Alias(_) if self.is_key() => {
                return self.refuse(span, "a key that is an alias");
            }
            Event::Alias(anchor) => {
                let Some(range) = self.anchors.get(&anchor).cloned() else {
                    return self.refuse(span, "an alias inside what it stands for");
                };
                self.value_start();
                self.made.json.extend_from_within(range);
                self.value_end(0, 0);
            }
            _ => {}
        }
        Ok(())
    }

    fn is_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map { at_value: false, .. }))
    }

    fn key(&mut self, text: &str) {
        if let Some(Open::Map { any, at_value, .. }) = self.open.last_mut() {
            if *any {
                self.made.json.push(b',');
            }
            *any = true;
            *at_value = true;
        }
        self.text(text);
        self.made.json.push(b':');
    }

    /// Writes what stands before a value; returns the offset where the value starts.
    fn value_start(&mut self) -> usize {
        match self.open.last_mut() {
            Some(Open::List { any, .. }) => {
                if *any {
                    self.made.json.push(b',');
                }
                *any = true;
            }
            // Values at the root one after the other: lines of their own.
            None if !self.made.json.is_empty() => self.made.json.push(b'\n'),
            Some(Open::Map { .. }) | None => {}
        }
        self.made.json.len()
    }

    fn value_end(&mut self, anchor: usize, start: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, start..self.made.json.len());
        }
        if let Some(Open::Map { at_value, .. }) = self.open.last_mut() {
            *at_value = false;
        }
    }

    fn scalar(&mut self, text: &str, is_text: bool) {
        match text {
            _ if is_text => self.text(text),
            "" | "~" | "null" | "Null" | "NULL" => self.made.json.extend_from_slice(b"null"),
            "true" | "True" | "TRUE" => self.made.json.extend_from_slice(b"true"),
            "false" | "False" | "FALSE" => self.made.json.extend_from_slice(b"false"),
            _ if is_number(text) => self.made.json.extend_from_slice(text.as_bytes()),
            _ => self.text(text),
        }
    }

    fn text(&mut self, text: &str) {
        serde_json::to_writer(&mut self.made.json, text).expect("a text is written to memory");
    }
}

/// Whether a plain scalar is a number as JSON writes numbers; others that YAML knows are of no field read.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn json(text: &str) -> String {
        String::from_utf8(to_json(text, 1, 1 << 20).unwrap().json).unwrap()
    }

    #[test]
    fn what_kubectl_writes_says_the_same_in_json() {
        let text = "apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    labels:\n      a: \"\"\n      b: \"1.30\"\n      \
                    c: \"no\"\n  spec: {}\n  status:\n    count: 2\n    ready: true\n    gone: null\n    empty:\n\
                    \u{20}   text: |\n      one\n      two\nkind: List\n";
        assert_eq!(
            json(text),
            r#"{"apiVersion":"v1","items":[{"kind":"Node","metadata":{"labels":{"a":"","b":"1.30","c":"no"}},"spec":{},"status":{"count":2,"ready":true,"gone":null,"empty":null,"text":"one\ntwo\n"}}],"kind":"List"}"#
        );
    }

    #[test]
    fn plain_scalars_resolve_by_the_core_schema() {
        for (text, wanted) in [
            ("no", "\"no\""),
            ("v1.30.0", "\"v1.30.0\""),
            ("1.30", "1.30"),
            ("010", "\"010\""),
            ("+1", "\"+1\""),
            ("~", "null"),
            ("2026-03-01T10:00:00Z", "\"2026-03-01T10:00:00Z\""),
            ("!!str 5", "\"5\""),
            ("'5'", "\"5\""),
            (".nan", "\".nan\""),
        ] {
            assert_eq!(json(&format!("- {text}\n")), format!("[{wanted}]"), "{text}");
        }
    }

    #[test]
    fn marks_tell_the_lines_of_objects() {
        let made = to_json("items:\n- a: 1\n- b: 2\n", 41, 1 << 20).unwrap();
        let lines: Vec<u64> = made.marks.iter().map(|(_, line, _)| *line).collect();
        assert_eq!(lines, [41, 42, 43]);
        let (offset, _, column) = made.marks[2];
        assert!(made.json[usize::try_from(offset).unwrap()..].starts_with(b"{\"b\""));
        assert_eq!(column, 3);
    }

    #[test]
    fn aliases_are_followed_within_a_bound() {
        assert_eq!(json("a: &x {b: 1}\nc: *x\n"), r#"{"a":{"b":1},"c":{"b":1}}"#);
        let mut laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{},", level - 1).repeat(10);
            writeln!(laughs, "a{level}: &a{level} [{below}]").unwrap();
        }
        let error = to_json(&laughs, 1, 1 << 20).unwrap_err();
        assert_eq!(error.reason, "its aliases make it too large to be read");
        assert!(to_json("a: &a [*a]\n", 1, 1 << 20).is_err());
    }

    #[test]
    fn what_cannot_be_read_tells_its_place() {
        let error = to_json("a: 1\nb: [1\nc: 2\n", 11, 1 << 20).unwrap_err();
        assert!(error.line >= 12, "{error:?}");
        let error = to_json("a: 1\n<<: {b: 1}\n", 1, 1 << 20).unwrap_err();
        assert_eq!((error.line, error.column), (2, 1));
        assert!(to_json("? [a]\n: b\n", 1, 1 << 20).is_err());
        assert!(to_json("a: *nothing\n", 1, 1 << 20).is_err());
        let deep = "[".repeat(5000);
        assert!(to_json(&deep, 1, 1 << 20).is_err());
    }
}
