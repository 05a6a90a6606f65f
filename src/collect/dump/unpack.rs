//! What a file is packed in: gzip, tar, UTF-16. `PodCompleteness` by the first bytes, never by the name; unpacked as a
//! stream, within a bound, since an archive from outside may unpack without end.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::error::DumpError;
use super::text_buffer::TextBuffer;
use super::utf16::Utf16;

/// Dumps deflate to a twentieth; a stream of nothing to a thousandth.
const MAX_RATIO: u64 = 40;
/// Below this much in all inputs together, no ratio is suspicious.
const FREE: u64 = 2 << 30;
/// The longest name of an archive's member.
const MAX_NAME: u64 = 16 << 10;
/// gzip in tar in gzip …
const MAX_LEVELS: usize = 4;
/// How much is looked at to tell what a file is packed in.
const LOOK: usize = 512;

/// Reading failed, or there is more in it than its packed size can hold.
pub(super) fn failed(buffer: &TextBuffer<'_>, error: io::Error) -> DumpError {
    let file = buffer.file().to_string();
    if is_endless(&error) {
        return DumpError::Endless {
            file,
            ratio: MAX_RATIO,
        };
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => DumpError::Cut {
            at: buffer.at(buffer.rest().len()),
            inside: "its packed data".to_owned(),
        },
        _ => DumpError::Broken {
            file,
            line: buffer.line(),
            source: error,
        },
    }
}

/// An archive unpacks to more than the bound.
#[derive(Debug, thiserror::Error)]
#[error("more than {MAX_RATIO} times the packed size")]
struct Endless;

/// Whether a reader under this error, or under one that wraps it, stopped at the bound.
fn is_endless(error: &io::Error) -> bool {
    let mut next = error
        .get_ref()
        .map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(error) = next {
        if error.is::<Endless>() {
            return true;
        }
        next = match error.downcast_ref::<io::Error>() {
            Some(inner) => inner
                .get_ref()
                .map(|inner| inner as &(dyn std::error::Error + 'static)),
            None => error.source(),
        };
    }
    false
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    unpacking: Unpacking,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.unpacking.packed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Stops where more comes out than can have gone in.
struct Bounded<R> {
    inner: R,
    unpacking: Unpacking,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        let Unpacking {
            packed,
            unpacked,
            free,
        } = &self.unpacking;
        let unpacked = unpacked.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        let bound = packed.load(Ordering::Relaxed).saturating_mul(MAX_RATIO);
        if unpacked > *free && unpacked > bound {
            return Err(io::Error::other(Endless));
        }
        Ok(count)
    }
}

/// A text that came out of a file or a member of an archive.
pub(super) struct Unpacked<'r> {
    /// The file's name; a member's behind its archive's.
    pub(super) name: String,
    /// The text.
    pub(super) text: Box<dyn Read + 'r>,
    /// It stands among others in an archive.
    pub(super) is_member: bool,
    /// The packing that it is left in, where that is one that is not read; there is no text then.
    pub(super) unread: Option<&'static str>,
}

/// What the first bytes of a file tell.
#[derive(Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Tar,
    Utf16,
    Unread(&'static str),
    None,
}

fn packing(start: &[u8]) -> Packing {
    match start {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Packing::Utf16,
        [b'P', b'K', 3, 4, ..] => Packing::Unread("zip"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Unread("xz"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Unread("zstd"),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Unread("bzip2"),
        [b'7', b'z', 0xbc, 0xaf, ..] => Packing::Unread("7z"),
        _ if start.get(257..262) == Some(b"ustar") => Packing::Tar,
        _ => Packing::None,
    }
}

/// How much was read of all inputs, and what it unpacked to.
#[derive(Clone)]
pub(super) struct Unpacking {
    packed: Arc<AtomicU64>,
    unpacked: Arc<AtomicU64>,
    free: u64,
}

impl Default for Unpacking {
    fn default() -> Self {
        Self {
            packed: Arc::default(),
            unpacked: Arc::default(),
            free: FREE,
        }
    }
}

/// Takes a text.
type Each<'e> = dyn FnMut(Unpacked<'_>) -> Result<(), DumpError> + 'e;

impl Unpacking {
    /// How many bytes were read, as they are packed.
    pub(super) fn read(&self) -> u64 {
        self.packed.load(Ordering::Relaxed)
    }

    /// Calls `each` with every text that a file holds: itself, or what it unpacks to.
    pub(super) fn unpack(
        &self,
        name: &str,
        file: Box<dyn Read + '_>,
        each: &mut Each<'_>,
    ) -> Result<(), DumpError> {
        let counted = Counted {
            inner: file,
            unpacking: self.clone(),
        };
        self.open(
            Unpacked {
                name: name.to_owned(),
                text: Box::new(counted),
                is_member: false,
                unread: None,
            },
            0,
            each,
        )
    }

    fn open(&self, file: Unpacked<'_>, level: usize, each: &mut Each<'_>) -> Result<(), DumpError> {
        let Unpacked {
            name,
            mut text,
            is_member,
            unread: _,
        } = file;
        let mut start = Vec::with_capacity(LOOK);
        (&mut text)
            .take(LOOK as u64)
            .read_to_end(&mut start)
            .map_err(|error| broken(&name, error))?;
        let found = packing(&start);
        let whole = Cursor::new(start).chain(text);
        let mut unread = None;
        let text: Box<dyn Read + '_> = match found {
            Packing::Gzip | Packing::Tar if level >= MAX_LEVELS => {
                return Err(DumpError::Endless {
                    file: name,
                    ratio: MAX_RATIO,
                });
            }
            Packing::Gzip => {
                let text = Box::new(Bounded {
                    inner: MultiGzDecoder::new(whole),
                    unpacking: self.clone(),
                });
                let file = Unpacked {
                    name,
                    text,
                    is_member,
                    unread: None,
                };
                return self.open(file, level + 1, each);
            }
            Packing::Tar => return self.members(&name, whole, level + 1, each),
            Packing::Unread(packing) => {
                unread = Some(packing);
                Box::new(io::empty())
            }
            Packing::Utf16 => Box::new(Utf16::new(whole)),
            Packing::None => Box::new(whole),
        };
        each(Unpacked {
            name,
            text,
            is_member,
            unread,
        })
    }

    /// The regular files of a tar archive, in its order; links and devices hold nothing.
    fn members(
        &self,
        name: &str,
        archive: impl Read,
        level: usize,
        each: &mut Each<'_>,
    ) -> Result<(), DumpError> {
        let zeros = Arc::new(AtomicU64::new(0));
        let mut archive = tar::Archive::new(Tail {
            inner: archive,
            zeros: Arc::clone(&zeros),
        });
        let mut long_name = None;
        // The raw entries: the archive's own reader of long names holds one of any length.
        let entries = archive.entries().map_err(|error| broken(name, error))?.raw(true);
        for entry in entries {
            let mut entry = entry.map_err(|error| broken(name, error))?;
            let kind = entry.header().entry_type();
            if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
                let mut text = Vec::new();
                (&mut entry)
                    .take(MAX_NAME)
                    .read_to_end(&mut text)
                    .map_err(|error| broken(name, error))?;
                let found = if kind.is_gnu_longname() {
                    text.split(|byte| *byte == 0).next().map(<[u8]>::to_vec)
                } else {
                    pax_path(&text)
                };
                long_name = found.or(long_name);
                continue;
            }
            let short_name = || entry.header().path_bytes().into_owned();
            let path = long_name.take().unwrap_or_else(short_name);
            if !kind.is_file() {
                continue;
            }
            let member = Unpacked {
                name: format!("{name}:{}", String::from_utf8_lossy(&path)),
                text: Box::new(entry),
                is_member: true,
                unread: None,
            };
            self.open(member, level, each)?;
        }
        // What is packed around it has an end of its own, with a checksum.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(|error| broken(name, error))?;
        if zeros.load(Ordering::Relaxed) < 512 {
            return Err(DumpError::Broken {
                file: name.to_owned(),
                line: 0,
                source: io::Error::new(io::ErrorKind::UnexpectedEof, "the archive has no end: it was cut"),
            });
        }
        Ok(())
    }
}

/// The path that a member's extended header gives.
fn pax_path(text: &[u8]) -> Option<Vec<u8>> {
    tar::PaxExtensions::new(text)
        .filter_map(Result::ok)
        .find(|extension| extension.key_bytes() == b"path")
        .map(|extension| extension.value_bytes().to_vec())
}

/// Counts the zeros at the end: a tar archive ends with a thousand of them, and one that was cut does not.
struct Tail<R> {
    inner: R,
    zeros: Arc<AtomicU64>,
}

impl<R: Read> Read for Tail<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        let zeros = into[..count].iter().rev().take_while(|byte| **byte == 0).count();
        let before = if zeros == count {
            self.zeros.load(Ordering::Relaxed)
        } else {
            0
        };
        self.zeros.store(before + zeros as u64, Ordering::Relaxed);
        Ok(count)
    }
}

fn broken(name: &str, source: io::Error) -> DumpError {
    if is_endless(&source) {
        return DumpError::Endless {
            file: name.to_owned(),
            ratio: MAX_RATIO,
        };
    }
    DumpError::Broken {
        file: name.to_owned(),
        line: 0,
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn tar_of(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn texts(bytes: &[u8]) -> Result<Vec<(String, String)>, DumpError> {
        let mut texts = Vec::new();
        Unpacking::default().unpack("d", Box::new(bytes), &mut |mut unpacked| {
            let mut text = String::new();
            unpacked
                .text
                .read_to_string(&mut text)
                .map_err(|error| broken("d", error))?;
            texts.push((unpacked.name, text));
            Ok(())
        })?;
        Ok(texts)
    }

    fn pair(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn packings_are_told_by_their_bytes() {
        assert_eq!(texts(b"plain").unwrap(), [pair("d", "plain")]);
        assert_eq!(texts(&gzip(b"plain")).unwrap(), [pair("d", "plain")]);
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(texts(&two).unwrap(), [pair("d", "one two")]);
        let archive = tar_of(&[("a/b.json", b"{}"), ("c.json.gz", &gzip(b"[]"))]);
        let wanted = [pair("d:a/b.json", "{}"), pair("d:c.json.gz", "[]")];
        assert_eq!(texts(&archive).unwrap(), wanted);
        assert_eq!(texts(&gzip(&archive)).unwrap(), wanted);
        let utf16: Vec<u8> = "\u{feff}{\"é\":1}"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(texts(&utf16).unwrap(), [pair("d", "{\"é\":1}")]);
        let utf16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(texts(&utf16).unwrap(), [pair("d", "{}")]);
        let mut unread = None;
        let zip: &[u8] = b"PK\x03\x04rest";
        Unpacking::default()
            .unpack("d", Box::new(zip), &mut |unpacked| {
                unread = unpacked.unread;
                Ok(())
            })
            .unwrap();
        assert_eq!(unread, Some("zip"));
    }

    #[test]
    fn what_was_cut_is_an_error_wherever_it_was_cut() {
        let whole = gzip(&tar_of(&[("a.json", &[b'x'; 700]), ("b.json", b"{}")]));
        for cut in 3..whole.len() {
            assert!(texts(&whole[..cut]).is_err(), "gzip cut at {cut}");
        }
        let whole = tar_of(&[("a.json", &[b'x'; 700]), ("b.json", b"{}")]);
        for cut in (600..whole.len() - 600).step_by(64) {
            assert!(texts(&whole[..cut]).is_err(), "tar cut at {cut}");
        }
    }

    #[test]
    fn an_archive_that_unpacks_without_end_is_stopped() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let nothing = vec![b' '; 1 << 20];
        for _ in 0..120 {
            encoder.write_all(&nothing).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        let read = |bytes: &[u8]| {
            let unpacking = Unpacking {
                free: 100 << 20,
                ..Unpacking::default()
            };
            unpacking.unpack("d", Box::new(bytes), &mut |mut unpacked| {
                io::copy(&mut unpacked.text, &mut io::sink())
                    .map(|_| ())
                    .map_err(|error| broken("d", error))
            })
        };
        assert!(matches!(read(&bomb), Err(DumpError::Endless { .. })));
        assert!(matches!(read(&gzip(&bomb)), Err(DumpError::Endless { .. })));
        let mut nested = gzip(b"{}");
        for _ in 0..10 {
            nested = gzip(&nested);
        }
        assert!(matches!(read(&nested), Err(DumpError::Endless { .. })));
    }
}
