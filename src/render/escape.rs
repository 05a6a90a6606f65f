//! Text from the cluster made safe to show. Nothing of it may move a cursor, colour a line, turn the reading
//! direction or hide: such characters are written out as the escape that names them. What a format's own
//! syntax needs besides (XML, HTML, Markdown, CSV) is that format's matter.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

/// Whether `c` does something other than being seen: control characters, marks of reading direction, and
/// characters of no width that could make two names look alike.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || is_noncharacter(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` is no character by Unicode's own word: U+FFFE and U+FFFF, which XML cannot hold, and their like.
fn is_noncharacter(c: char) -> bool {
    u32::from(c) & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// `text` with every hostile character written out: `\n`, `\t`, `\r` or `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    rewritten(text, is_hostile, |c, out| match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // Not `escape_debug`, which shows some marks of direction as they are.
        _ => out.extend(c.escape_unicode()),
    })
}

/// `text` in ASCII alone, for a locale that shows nothing else: our own signs become words or plain signs,
/// other characters are written out.
pub fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => plain.push('\n'),
            '·' => plain.push_str("--"),
            '–' | '─' => plain.push('-'),
            '→' => plain.push_str("->"),
            '×' => plain.push('x'),
            '≤' => plain.push_str("<="),
            '≥' => plain.push_str(">="),
            '…' => plain.push_str("..."),
            ' '..='~' => plain.push(c),
            _ => plain.extend(c.escape_default()),
        }
    }
    plain
}

/// A JSON text in which hostile characters stand as `\uXXXX`: the same value, safe on a terminal.
pub fn json(text: &str) -> Cow<'_, str> {
    rewritten(text, is_hostile_in_document, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").expect("a string takes every write");
        }
    })
}

/// Writes a value as a JSON document of that kind, without holding its text.
pub fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut EscapedJson(out), value)?;
    out.write_all(b"\n")
}

/// Escapes what a serializer of JSON writes through it. Each write of one is a whole text: a string, or a piece of one
/// between two escapes.
struct EscapedJson<'a>(&'a mut dyn Write);

impl Write for EscapedJson<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_all(json(text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A YAML text in which hostile characters stand as `\UXXXXXXXX`. They must all be in double quotes.
pub fn yaml(text: &str) -> Cow<'_, str> {
    rewritten(text, is_hostile_in_document, |c, out| {
        write!(out, "\\U{:08X}", u32::from(c)).expect("a string takes every write");
    })
}

/// Line breaks of a document are its own; those of its values are escaped already.
fn is_hostile_in_document(c: char) -> bool {
    is_hostile(c) && c != '\n'
}

/// `text` with each character that `which` picks written by `escape`.
fn rewritten(text: &str, which: fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(which) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        if which(c) {
            escape(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_instead_of_being_seen_is_written_out() {
        for (text, shown) in [
            ("plain-node.example", "plain-node.example"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("txt\u{202e}gpj.exe", "txt\\u{202e}gpj.exe"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
            ("\u{7f}", "\\u{7f}"),
            (
                "a\u{fffe}b\u{ffff}\u{fdd0}\u{1fffe}",
                "a\\u{fffe}b\\u{ffff}\\u{fdd0}\\u{1fffe}",
            ),
            ("節点-é-🚀", "節点-é-🚀"),
            ("e\u{301}", "e\u{301}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn a_plain_locale_gets_signs_it_can_show_and_the_rest_written_out() {
        assert_eq!(
            ascii("1.36–1.37 now · a ×2 → b…"),
            "1.36-1.37 now -- a x2 -> b..."
        );
        assert_eq!(ascii("é🚀"), "\\u{e9}\\u{1f680}");
    }

    #[test]
    fn escaped_json_is_the_same_value() {
        let value = serde_json::json!({"a": "x\u{202e}y\u{9b}\u{e0041}\u{1b}\u{7f}é"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let safe = json(&text);
        assert!(!safe.contains(|c| is_hostile(c) && c != '\n'), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
