//! Commands that CI runners read in whatever a program prints: `##[`, `##vso[` and `##teamcity[` anywhere in a line,
//! `::` first on one, after blanks too. A name from a cluster must not be able to give one, so their first sign is
//! written in another way: where the format has one by an escape that reads back the same, else as the escape that names
//! it.

use std::borrow::Cow;
use std::io::{self, Write};

/// How a format writes a sign in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Escapes {
    hash: &'static str,
    colon: &'static str,
}

impl Escapes {
    /// For the eye.
    pub(crate) const SHOWN: Self = Self {
        hash: "\\u{23}",
        colon: "\\u{3a}",
    };
    /// Inside a string of JSON; no line of it starts with a colon.
    pub(crate) const JSON: Self = Self {
        hash: "\\u0023",
        colon: ":",
    };
    /// Inside a string of YAML in double quotes.
    pub(crate) const YAML: Self = Self {
        hash: "\\x23",
        colon: ":",
    };
    /// In the text and the attributes of HTML and XML.
    pub(crate) const MARKUP: Self = Self {
        hash: "&#35;",
        colon: "&#58;",
    };
}

/// What stands behind the first `#`.
const BEHIND_HASH: [&str; 3] = ["#[", "#vso[", "#teamcity["];

/// Whether text holds what a runner takes for a command.
pub(crate) fn has_command(text: &str) -> bool {
    matches!(without_commands(text, Escapes::SHOWN), Cow::Owned(_))
}

/// The text without what a runner takes for a command.
pub(crate) fn without_commands(text: &str, escapes: Escapes) -> Cow<'_, str> {
    let is_command = |rest: &str| {
        BEHIND_HASH.iter().any(|command| {
            rest.get(..command.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(command))
        })
    };
    let mut out = String::new();
    let mut copied = 0;
    let mut only_blanks = true;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let escape = match c {
            '#' if is_command(rest) => Some(escapes.hash),
            ':' if only_blanks && rest.starts_with(':') => Some(escapes.colon),
            _ => None,
        };
        if let Some(escape) = escape {
            out.push_str(&text[copied..at]);
            out.push_str(escape);
            copied = at + c.len_utf8();
        }
        only_blanks = c == '\n' || (only_blanks && c.is_whitespace());
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Writes text line by line without what a runner takes for a command.
pub(crate) struct CommandFree<'a> {
    out: &'a mut dyn Write,
    escapes: Escapes,
    line: Vec<u8>,
}

impl<'a> CommandFree<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, escapes: Escapes) -> Self {
        Self {
            out,
            escapes,
            line: Vec::new(),
        }
    }

    /// Writes what is left of the last line.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.end_line()
    }

    fn end_line(&mut self) -> io::Result<()> {
        match std::str::from_utf8(&self.line) {
            Ok(line) => {
                let line = without_commands(line, self.escapes);
                self.out.write_all(line.as_bytes())?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        self.line.clear();
        Ok(())
    }
}

impl Write for CommandFree<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_takes_for_a_command_is_written_in_another_way() {
        for (text, free) in [
            (
                "v1.30.0##[set-output name=verdict;]ready",
                "v1.30.0\\u{23}#[set-output name=verdict;]ready",
            ),
            ("##vso[task.setvariable]", "\\u{23}#vso[task.setvariable]"),
            ("a ##TeamCity[x", "a \\u{23}#TeamCity[x"),
            ("###[x", "#\\u{23}#[x"),
            ("::set-output name=x::y", "\\u{3a}:set-output name=x::y"),
            ("a\n \t::add-mask::b", "a\n \t\\u{3a}:add-mask::b"),
        ] {
            assert_eq!(without_commands(text, Escapes::SHOWN), free);
            assert!(has_command(text) && !has_command(free), "{text}");
        }
        for text in ["", "# a", "## b", "a::b", "x [y]", ":x", "fe80::1"] {
            assert_eq!(without_commands(text, Escapes::SHOWN), text);
        }
    }

    #[test]
    fn a_command_in_pieces_is_found_too() {
        let mut bytes = Vec::new();
        let mut out = CommandFree::new(&mut bytes, Escapes::MARKUP);
        for piece in ["a#", "#", "[b\n ", ":", ":c"] {
            out.write_all(piece.as_bytes()).unwrap();
        }
        out.finish().unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "a&#35;#[b\n &#58;:c");
    }
}
