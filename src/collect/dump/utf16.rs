//! UTF-16, as a Windows shell redirects into a file, read as UTF-8. The byte order mark tells the order; half a
//! pair of surrogates is an error, as broken UTF-8 is.

use std::io::{self, Read};

/// How many bytes are decoded at a time.
const BLOCK: u64 = 32 << 10;

/// The text behind a byte order mark, in UTF-8.
pub(super) struct Utf16<R> {
    inner: R,
    /// Bytes that came and are not decoded yet: an odd one, or the first half of a pair.
    left: Vec<u8>,
    /// `PodCompleteness` by the mark, which is the first unit.
    order: Option<fn([u8; 2]) -> u16>,
    text: Vec<u8>,
    given: usize,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            left: Vec::new(),
            order: None,
            text: Vec::new(),
            given: 0,
        }
    }

    /// Decodes the next block, and says whether there was one.
    fn decode(&mut self) -> io::Result<bool> {
        let came = (&mut self.inner).take(BLOCK).read_to_end(&mut self.left)?;
        if came == 0 && !self.left.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (mut pairs, odd) = self.left.as_chunks::<2>();
        let order = match (self.order, pairs) {
            (None, [mark, rest @ ..]) => {
                pairs = rest;
                *self.order.insert(match mark {
                    [0xfe, 0xff] => u16::from_be_bytes,
                    _ => u16::from_le_bytes,
                })
            }
            (order, _) => order.unwrap_or(u16::from_le_bytes),
        };
        let mut units: Vec<u16> = pairs.iter().copied().map(order).collect();
        // The other half of a pair may come with the next block.
        let is_half = matches!(units.last(), Some(0xd800..0xdc00));
        let left = odd.len() + if is_half { 2 } else { 0 };
        units.truncate(units.len() - usize::from(is_half));
        self.left.drain(..self.left.len() - left);
        self.text.clear();
        self.given = 0;
        for c in char::decode_utf16(units) {
            let c = c.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(came > 0)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A block may hold half a pair and nothing else.
        while self.given == self.text.len() {
            if !self.decode()? {
                return Ok(0);
            }
        }
        let count = (&self.text[self.given..]).read(into)?;
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, io::ErrorKind> {
        let mut text = String::new();
        Utf16::new(bytes)
            .read_to_string(&mut text)
            .map(|_| text)
            .map_err(|error| error.kind())
    }

    fn bytes(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    /// One byte at a time, so that every unit and every pair comes in halves.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let one = into.len().min(1);
            self.0.read(&mut into[..one])
        }
    }

    #[test]
    fn both_orders_read_alike_and_a_later_mark_is_text() {
        let text = "{\"é😀\u{feff}\":1}";
        let marked = format!("\u{feff}{text}");
        assert_eq!(read(&bytes(&marked, u16::to_le_bytes)).unwrap(), text);
        assert_eq!(read(&bytes(&marked, u16::to_be_bytes)).unwrap(), text);
        assert_eq!(read(b"\xff\xfe").unwrap(), "");
    }

    #[test]
    fn a_pair_may_lie_across_two_blocks() {
        for before in 0..3 {
            let block = usize::try_from(BLOCK).unwrap() / 2;
            let text = format!("{}😀😀{}", "x".repeat(block - 1 - before), "y".repeat(block));
            let marked = bytes(&format!("\u{feff}{text}"), u16::to_le_bytes);
            assert_eq!(read(&marked).unwrap(), text);
            let mut slow = String::new();
            Utf16::new(Slow(&marked)).read_to_string(&mut slow).unwrap();
            assert_eq!(slow, text);
        }
    }

    #[test]
    fn half_a_pair_is_no_text_and_half_a_unit_is_a_cut() {
        assert_eq!(read(b"\xff\xfex\0\x3d\xd8y\0"), Err(io::ErrorKind::InvalidData));
        assert_eq!(read(b"\xff\xfex\0\x3d\xdc"), Err(io::ErrorKind::InvalidData));
        assert_eq!(read(b"\xff\xfex\0\x3d\xd8"), Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read(b"\xff\xfex\0y"), Err(io::ErrorKind::UnexpectedEof));
    }
}
