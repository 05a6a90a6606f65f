//! Reads all inputs of a run, and settles which file of a directory or archive is an error and which is passed over.

use std::io::Read;

use super::error::{At, DumpError, Escaped};
use super::file_kind::FileKind;
use super::objects::ObjectCollector;
use super::request::{DumpRequest, DumpSource, Input};
use super::stream;
use super::text_buffer::{Lines, TextBuffer};
use super::unpack::Unpacking;
use super::walk::{self, FileVisitor, FoundFile};
use crate::inventory::observed::Observed;

/// How many of the files that were passed over are named with the reason.
const NAMED_FILES: usize = 5;
/// The longest output of `kubectl version`.
const MAX_VERSION_TEXT: u64 = 4096;

/// Reads the inputs.
///
/// `captured_at` is the newest moment that the objects tell of themselves: when a Lease was renewed (every ten
/// seconds) or a kubelet reported (every five minutes at least).
pub fn observe(request: &DumpRequest) -> Result<(Observed, DumpSource), DumpError> {
    let unpacking = Unpacking::default();
    let mut reading = Reading {
        objects: ObjectCollector::new(request, unpacking.clone()),
        without_objects: Count::default(),
        unreadable: Count::default(),
    };
    walk::walk(&request.inputs, &unpacking, &mut reading)?;
    let mut files: Vec<String> = request.inputs.iter().map(Input::name).collect();
    files.sort();
    files.dedup();
    let Reading {
        mut objects,
        without_objects,
        unreadable,
    } = reading;
    for (file, why) in &unreadable.first {
        objects.warn(format!("{} was passed over: {}", Escaped(file), Escaped(why)));
    }
    match unreadable.total - unreadable.first.len() {
        0 => {}
        more => objects.warn(format!("{more} more files were passed over")),
    }
    if let Some((first, _)) = without_objects.first.first() {
        let first = Escaped(first);
        objects.warn(match without_objects.total {
            1 => format!("{first} holds nothing that is read and was passed over"),
            total => format!("{total} files hold nothing that is read and were passed over ({first} …)"),
        });
    }
    objects.finish(DumpSource {
        files,
        skipped: without_objects.total + unreadable.total,
        ..DumpSource::default()
    })
}

/// Files that were passed over: how many, and the first of them with the reason.
#[derive(Default)]
struct Count {
    total: usize,
    first: Vec<(String, String)>,
}

impl Count {
    fn add(&mut self, name: &str, why: &str) {
        self.total += 1;
        if self.first.len() < NAMED_FILES {
            self.first.push((name.to_owned(), why.to_owned()));
        }
    }
}

/// The texts of one run.
struct Reading<'q> {
    objects: ObjectCollector<'q>,
    /// Files that hold no object that is read.
    without_objects: Count,
    /// Files that could not be read, and may be passed over.
    unreadable: Count,
}

impl Reading<'_> {
    fn skip(&mut self, name: &str) {
        self.without_objects.add(name, "");
    }

    /// Reads a text file of a directory: the output of `kubectl version`, or nothing.
    fn version_text(&mut self, name: &str, text: Box<dyn Read + '_>) -> Result<(), DumpError> {
        let mut head = Vec::new();
        let read = text.take(MAX_VERSION_TEXT).read_to_end(&mut head);
        let version = read
            .ok()
            .and_then(|_| std::str::from_utf8(&head).ok())
            .and_then(stream::server_version_of_text);
        if let Some(version) = version {
            self.objects.server_version(version, At::start(name))
        } else {
            self.skip(name);
            Ok(())
        }
    }
}

impl FileVisitor for Reading<'_> {
    fn wants(&mut self, name: &str) -> bool {
        let is_wanted = FileKind::of(name) != FileKind::Other;
        if !is_wanted {
            self.skip(name);
        }
        is_wanted
    }

    fn text(&mut self, found: FoundFile<'_>) -> Result<(), DumpError> {
        let FoundFile { name, text, is_named } = found;
        let kind = FileKind::of(&name);
        if !is_named && kind == FileKind::Text {
            return self.version_text(&name, text);
        }
        let (useful, shown) = (self.objects.useful(), self.objects.shown());
        let mut buffer = TextBuffer::new(text, name.as_str().into(), Lines::Own);
        let first = buffer.first_byte();
        let read = stream::read(&mut buffer, &mut self.objects);
        let has_shown = self.objects.shown() > shown;
        match read {
            Ok(_) if self.objects.useful() > useful => Ok(()),
            Ok(held) if is_named && !held.any => Err(DumpError::Empty { file: name }),
            Ok(held) if is_named && held.documents == 0 => Err(DumpError::NotObjects {
                at: At::start(&name),
                found: "text of another kind",
            }),
            Ok(_) => {
                self.skip(&name);
                Ok(())
            }
            Err(error) if is_named => Err(error),
            Err(DumpError::NotObjects { .. }) if !has_shown => {
                self.skip(&name);
                Ok(())
            }
            Err(error) => {
                let is_manifest = kind == FileKind::Manifest || matches!(first, Some(b'{' | b'['));
                if !error.is_of_text() || (is_manifest && has_shown) {
                    return Err(error);
                }
                self.passed_over(&name, &error.to_string());
                Ok(())
            }
        }
    }

    fn passed_over(&mut self, name: &str, why: &str) {
        self.unreadable.add(name, why);
    }
}

impl DumpError {
    /// Whether it is about what stands in a text, not about reading it or about what all texts say together.
    fn is_of_text(&self) -> bool {
        matches!(
            self,
            Self::Syntax { .. }
                | Self::Cut { .. }
                | Self::TooLarge { .. }
                | Self::YamlTooLarge { .. }
                | Self::NotObjects { .. }
        )
    }
}
