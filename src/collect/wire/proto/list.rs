//! Takes a list apart while it arrives: the envelope that a server puts around protobuf, the list's metadata,
//! and its items one by one as bytes, so that no more than one object is held. Decoding an item is left to
//! [`super`].

use bytes::{Buf, Bytes, BytesMut};
use prost::encoding::decode_varint;

/// The four bytes in front of every protobuf body of Kubernetes.
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// No object of etcd comes near this size; a length beyond it is a broken stream.
const LARGEST: u64 = 8 << 20;

/// A part of a list, in the order in which the server sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The kind that the envelope names, such as `NodeList`.
    Kind(Bytes),
    /// The encoded `ListMeta`.
    Meta(Bytes),
    /// One encoded item.
    Item(Bytes),
}

/// Why a body is not a whole list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenList {
    /// It does not start as protobuf of Kubernetes does.
    #[error("the answer does not start as protobuf of Kubernetes")]
    Magic,
    /// It breaks the rules of the encoding.
    #[error("the answer breaks the protobuf encoding at byte {0}")]
    Encoding(u64),
    /// It ends before what it announced.
    #[error("the answer ends after {0} bytes, before the end of its list")]
    Cut(u64),
}

/// Where the reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Magic,
    /// Among the fields of `runtime.Unknown`.
    Envelope,
    /// Inside the raw bytes, with so many to come.
    List(u64),
}

/// A list that is being read.
#[derive(Debug)]
pub struct ListReader {
    buffer: BytesMut,
    at: At,
    skip: u64,
    consumed: u64,
    seen_list: bool,
}

/// What a field's head says.
struct Head {
    field: u64,
    wire: u8,
    /// Bytes of the head itself.
    size: u64,
    /// Bytes that follow it.
    length: u64,
}

impl Default for ListReader {
    fn default() -> Self {
        Self {
            buffer: BytesMut::new(),
            at: At::Magic,
            skip: 0,
            consumed: 0,
            seen_list: false,
        }
    }
}

impl ListReader {
    /// Takes the next bytes of the body.
    pub fn push(&mut self, mut chunk: &[u8]) {
        if self.buffer.is_empty() {
            let passed = usize::try_from(self.skip).unwrap_or(usize::MAX).min(chunk.len());
            chunk.advance(passed);
            self.skip -= passed as u64;
            self.consumed += passed as u64;
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// The next part, or `None` where more bytes are needed.
    pub fn part(&mut self) -> Result<Option<Part>, BrokenList> {
        loop {
            if self.skip > 0 {
                let passed = self.skip.min(self.buffer.len() as u64);
                self.take(passed);
                self.skip -= passed;
                if self.skip > 0 {
                    return Ok(None);
                }
            }
            match self.at {
                At::Magic => {
                    if self.buffer.len() < MAGIC.len() {
                        return Ok(None);
                    }
                    if !self.buffer.starts_with(MAGIC) {
                        return Err(BrokenList::Magic);
                    }
                    self.take(MAGIC.len() as u64);
                    self.at = At::Envelope;
                }
                At::Envelope => {
                    let Some(head) = self.head()? else { return Ok(None) };
                    match (head.field, head.wire) {
                        (1, LENGTH) => {
                            let Some(bytes) = self.field(&head)? else {
                                return Ok(None);
                            };
                            if let Some(kind) = type_meta_kind(&bytes) {
                                return Ok(Some(Part::Kind(kind)));
                            }
                        }
                        (2, LENGTH) => {
                            self.take(head.size);
                            self.seen_list = true;
                            self.at = At::List(head.length);
                        }
                        _ => self.pass_over(&head),
                    }
                }
                At::List(0) => self.at = At::Envelope,
                At::List(left) => {
                    let Some(head) = self.head()? else { return Ok(None) };
                    let whole = head.size + head.length;
                    if whole > left {
                        return Err(BrokenList::Encoding(self.consumed));
                    }
                    if matches!((head.field, head.wire), (1 | 2, LENGTH)) {
                        let Some(bytes) = self.field(&head)? else {
                            return Ok(None);
                        };
                        self.at = At::List(left - whole);
                        let part = if head.field == 1 { Part::Meta } else { Part::Item };
                        return Ok(Some(part(bytes)));
                    }
                    self.at = At::List(left - whole);
                    self.pass_over(&head);
                }
            }
        }
    }

    /// Says whether the body ended where its list did.
    pub fn finish(&self) -> Result<(), BrokenList> {
        let whole = self.at == At::Envelope && self.seen_list && self.buffer.is_empty() && self.skip == 0;
        if whole {
            Ok(())
        } else {
            Err(BrokenList::Cut(self.consumed + self.buffer.len() as u64))
        }
    }

    fn take(&mut self, count: u64) -> Bytes {
        self.consumed += count;
        let count = usize::try_from(count).expect("no more than the buffer holds");
        self.buffer.split_to(count).freeze()
    }

    fn pass_over(&mut self, head: &Head) {
        self.take(head.size);
        self.skip = head.length;
    }

    /// The whole field's content, once it is there.
    fn field(&mut self, head: &Head) -> Result<Option<Bytes>, BrokenList> {
        if head.length > LARGEST {
            return Err(BrokenList::Encoding(self.consumed));
        }
        if (self.buffer.len() as u64) < head.size + head.length {
            return Ok(None);
        }
        self.take(head.size);
        Ok(Some(self.take(head.length)))
    }

    fn head(&self) -> Result<Option<Head>, BrokenList> {
        let broken = BrokenList::Encoding(self.consumed);
        let mut bytes = &self.buffer[..];
        let Some(key) = varint(&mut bytes, broken)? else {
            return Ok(None);
        };
        let wire = (key & 7) as u8;
        let mut length = match wire {
            VARINT | LENGTH => 0,
            FIXED64 => 8,
            FIXED32 => 4,
            _ => return Err(broken),
        };
        if matches!(wire, VARINT | LENGTH) {
            let Some(value) = varint(&mut bytes, broken)? else {
                return Ok(None);
            };
            if wire == LENGTH {
                length = value;
            }
        }
        Ok(Some(Head {
            field: key >> 3,
            wire,
            size: (self.buffer.len() - bytes.len()) as u64,
            length,
        }))
    }
}

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const LENGTH: u8 = 2;
const FIXED32: u8 = 5;

/// A varint, or `None` where its last byte has not come yet.
fn varint(bytes: &mut &[u8], broken: BrokenList) -> Result<Option<u64>, BrokenList> {
    let end = bytes.iter().take(10).position(|byte| byte & 0x80 == 0);
    match end {
        Some(_) => decode_varint(bytes).map(Some).map_err(|_| broken),
        None if bytes.len() >= 10 => Err(broken),
        None => Ok(None),
    }
}

/// Field 2 of a `TypeMeta`.
fn type_meta_kind(bytes: &Bytes) -> Option<Bytes> {
    #[derive(Clone, PartialEq, prost::Message)]
    struct TypeMeta {
        #[prost(bytes = "bytes", tag = "2")]
        kind: Bytes,
    }
    prost::Message::decode(bytes.clone())
        .ok()
        .map(|meta: TypeMeta| meta.kind)
        .filter(|kind| !kind.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{kind: NodeList}`, `ListMeta{continue: "next"}`, two items and a content type behind them.
    fn body() -> Vec<u8> {
        let list = [
            &[0x0a, 6, 0x1a, 4][..],
            b"next",
            &[0x12, 3, b'o', b'n', b'e'],
            &[0x12, 3, b't', b'w', b'o'],
        ]
        .concat();
        let mut body = MAGIC.to_vec();
        body.extend([0x0a, 10, 0x12, 8]);
        body.extend(b"NodeList");
        body.extend([0x12, u8::try_from(list.len()).unwrap()]);
        body.extend(list);
        body.extend([0x1a, 0, 0x22, 0]);
        body
    }

    fn parts(body: &[u8], step: usize) -> Result<Vec<Part>, BrokenList> {
        let mut reader = ListReader::default();
        let mut parts = Vec::new();
        for chunk in body.chunks(step) {
            reader.push(chunk);
            while let Some(part) = reader.part()? {
                parts.push(part);
            }
        }
        reader.finish().map(|()| parts)
    }

    #[test]
    fn a_list_comes_apart_the_same_however_it_arrives() {
        let expected = vec![
            Part::Kind(Bytes::from_static(b"NodeList")),
            Part::Meta(Bytes::from_static(b"\x1a\x04next")),
            Part::Item(Bytes::from_static(b"one")),
            Part::Item(Bytes::from_static(b"two")),
        ];
        for step in 1..=body().len() {
            assert_eq!(parts(&body(), step), Ok(expected.clone()), "in pieces of {step}");
        }
    }

    #[test]
    fn a_list_cut_anywhere_is_never_whole() {
        let whole = body();
        // Behind the list itself nothing is missed: the envelope's last fields are optional.
        let list_end = whole.len() - 4;
        for end in 0..list_end {
            assert!(parts(&whole[..end], 7).is_err(), "cut at {end}");
        }
        assert!(parts(&whole[..list_end], 7).is_ok());
    }

    #[test]
    fn what_is_no_protobuf_is_an_error() {
        assert_eq!(parts(b"<html>", 6), Err(BrokenList::Magic));
        assert_eq!(parts(b"k8s\0\x0f\xff", 6), Err(BrokenList::Encoding(4)));
        let mut endless = MAGIC.to_vec();
        endless.extend([0xff; 12]);
        assert_eq!(parts(&endless, 99), Err(BrokenList::Encoding(4)));
    }

    #[test]
    fn an_item_longer_than_its_list_is_an_error() {
        let mut body = MAGIC.to_vec();
        body.extend([0x12, 4, 0x12, 200, 1, 0]);
        assert_eq!(parts(&body, 99), Err(BrokenList::Encoding(6)));
    }
}
