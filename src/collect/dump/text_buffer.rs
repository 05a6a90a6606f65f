//! A buffer onto a text that is read once, from its beginning to its end: holds what is being looked at and
//! nothing before it, and knows lines and columns.

use std::io::{self, Read};
use std::sync::Arc;

use super::error::At;

/// How much is asked of the source at once.
const STEP: usize = 256 * 1024;

/// Where the positions of a text are in the file that the user knows.
pub(super) enum Lines {
    /// The text is the file's, starting at this line.
    Own,
    /// The text was made of another: from each offset on, the line and column there.
    Made(Vec<(u64, u64, u64)>),
}

/// The part of a text that is being looked at.
pub(super) struct TextBuffer<'r> {
    source: Box<dyn Read + 'r>,
    file: Arc<str>,
    lines: Lines,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// The offset in the text at which `start` stands.
    offset: u64,
    /// The line that `start` stands in, and the offset where that line starts.
    line: u64,
    line_offset: u64,
}

impl<'r> TextBuffer<'r> {
    pub(super) fn new(source: Box<dyn Read + 'r>, file: Arc<str>, lines: Lines) -> Self {
        Self {
            source,
            file,
            lines,
            bytes: Vec::new(),
            start: 0,
            end: 0,
            ended: false,
            offset: 0,
            line: 1,
            line_offset: 0,
        }
    }

    pub(super) fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// What is there of the rest of the text.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Reads more of the text; `false` where there is no more.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        // At least a step, and as much again as is held: what is looked at twice is then bounded.
        let wanted = self.end + STEP.max(self.end);
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        let before = self.end;
        while self.end < self.bytes.len() {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => {
                    self.end += count;
                    // A pipe gives little at once; waiting for more is dearer than looking at what is there.
                    if self.end - before >= STEP / 4 {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end > before)
    }

    /// The byte at an offset of the rest; `None` at the end of the text.
    pub(super) fn byte(&mut self, at: usize) -> io::Result<Option<u8>> {
        while self.rest().len() <= at {
            if !self.more()? {
                return Ok(None);
            }
        }
        Ok(Some(self.rest()[at]))
    }

    /// The first byte that is no white space, before anything is passed over; `None` where there is none near.
    pub(super) fn first_byte(&mut self) -> Option<u8> {
        // What cannot be read is said by who reads it.
        self.byte(0).ok()?;
        let text = self.rest();
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        text.trim_ascii_start().first().copied()
    }

    /// Passes over so many bytes of the rest.
    pub(super) fn pass(&mut self, count: usize) {
        let passed = &self.bytes[self.start..self.start + count];
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
            self.line_offset = self.offset + last as u64 + 1;
        }
        self.start += count;
        self.offset += count as u64;
        // A buffer that grew for one large object does not stay large.
        if self.start == self.end && self.bytes.len() > 8 * STEP {
            self.bytes = Vec::new();
            self.start = 0;
            self.end = 0;
        }
    }

    /// The place of an offset of the rest.
    pub(super) fn at(&self, at: usize) -> At {
        let offset = self.offset + at as u64;
        let (line, column) = match &self.lines {
            Lines::Own => {
                let before = &self.rest()[..at.min(self.rest().len())];
                let line = self.line + memchr::memchr_iter(b'\n', before).count() as u64;
                let line_offset = memchr::memrchr(b'\n', before)
                    .map_or(self.line_offset, |last| self.offset + last as u64 + 1);
                (line, offset - line_offset + 1)
            }
            Lines::Made(marks) => {
                let behind = marks.partition_point(|(start, _, _)| *start <= offset);
                behind
                    .checked_sub(1)
                    .map_or((1, 1), |last| (marks[last].1, marks[last].2))
            }
        };
        At {
            file: Arc::clone(&self.file),
            line,
            column,
        }
    }

    /// The line that the buffer has come to.
    pub(super) fn line(&self) -> u64 {
        self.at(0).line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, as a slow pipe does.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn lines_and_columns_are_those_of_the_whole_text() {
        let text = b"ab\ncdef\n\nxyz";
        let mut buffer = TextBuffer::new(Box::new(Slow(text)), "f".into(), Lines::Own);
        assert_eq!(buffer.byte(11).unwrap(), Some(b'z'));
        assert_eq!(buffer.byte(12).unwrap(), None);
        let place = |at: &At| (at.line, at.column);
        assert_eq!(place(&buffer.at(0)), (1, 1));
        assert_eq!(place(&buffer.at(4)), (2, 2));
        buffer.pass(4);
        assert_eq!(place(&buffer.at(0)), (2, 2));
        assert_eq!(place(&buffer.at(5)), (4, 1));
        buffer.pass(5);
        assert_eq!(place(&buffer.at(2)), (4, 3));
        assert_eq!(buffer.rest(), b"xyz");
    }

    #[test]
    fn a_made_text_tells_the_places_of_the_text_it_was_made_of() {
        let marks = vec![(0, 3, 1), (10, 7, 5)];
        let buffer = TextBuffer::new(Box::new(io::empty()), "f".into(), Lines::Made(marks));
        assert_eq!((buffer.at(9).line, buffer.at(9).column), (3, 1));
        assert_eq!((buffer.at(10).line, buffer.at(10).column), (7, 5));
    }
}
