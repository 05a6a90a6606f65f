//! Reads all inputs of a run, and settles which file of a directory or archive is an error and which is passed over.

use super::error::{At, DumpError, Escaped};
use super::objects::ObjectCollector;
use super::request::{DumpRequest, DumpSource, Input};
use super::stream;
use super::text_buffer::{Lines, TextBuffer};
use super::walk::{self, FileVisitor, FoundFile};
use crate::inventory::observed::Observed;

/// Reads the inputs.
///
/// `captured_at` is the newest moment that the objects tell of themselves: when a Lease was renewed (every ten
/// seconds) or a kubelet reported (every five minutes at least).
pub fn observe(request: &DumpRequest) -> Result<(Observed, DumpSource), DumpError> {
    let mut reading = Reading {
        objects: ObjectCollector::new(request),
        skipped: 0,
        skipped_first: None,
    };
    walk::walk(&request.inputs, &mut reading)?;
    let mut files: Vec<String> = request.inputs.iter().map(Input::name).collect();
    files.sort();
    files.dedup();
    let Reading {
        mut objects,
        skipped,
        skipped_first,
    } = reading;
    if let Some(first) = skipped_first {
        let first = Escaped(&first);
        objects.warn(match skipped {
            1 => format!("{first} holds nothing that is read and was passed over"),
            _ => format!("{skipped} files hold nothing that is read and were passed over ({first} …)"),
        });
    }
    objects.finish(DumpSource {
        files,
        skipped,
        ..DumpSource::default()
    })
}

/// The texts of one run.
struct Reading<'q> {
    objects: ObjectCollector<'q>,
    skipped: usize,
    skipped_first: Option<String>,
}

impl Reading<'_> {
    fn skip(&mut self, name: &str) {
        self.skipped += 1;
        if self.skipped_first.is_none() {
            self.skipped_first = Some(name.to_owned());
        }
    }
}

impl FileVisitor for Reading<'_> {
    fn text(&mut self, found: FoundFile<'_>) -> Result<(), DumpError> {
        let FoundFile { name, text, is_named } = found;
        // What a container logs may look like anything, objects included.
        if !is_named && is_log(&name) {
            self.skip(&name);
            return Ok(());
        }
        let (useful, shown) = (self.objects.useful(), self.objects.shown());
        let mut buffer = TextBuffer::new(text, name.as_str().into(), Lines::Own);
        match stream::read(&mut buffer, &mut self.objects) {
            Ok(_) if self.objects.useful() > useful => Ok(()),
            Ok(held) if is_named && !held.any => Err(DumpError::Empty { file: name }),
            Ok(held) if is_named && held.documents == 0 => Err(DumpError::NotObjects {
                at: At {
                    file: name.into(),
                    line: 1,
                    column: 1,
                },
                found: "text of another kind",
            }),
            Err(DumpError::NotObjects { .. }) if !is_named && self.objects.useful() == useful => {
                self.skip(&name);
                Ok(())
            }
            Ok(_) => {
                self.skip(&name);
                Ok(())
            }
            Err(error) if is_named || self.objects.shown() > shown || !error.may_be_passed_over(&name) => {
                Err(error)
            }
            Err(error) => {
                self.passed_over(&name, &error.to_string());
                Ok(())
            }
        }
    }

    fn passed_over(&mut self, name: &str, why: &str) {
        self.skipped += 1;
        self.objects
            .warn(format!("{} was passed over: {}", Escaped(name), Escaped(why)));
    }
}

impl DumpError {
    /// Whether a file among others that broke so, without having shown a Node or a Pod, is none of a dump's.
    fn may_be_passed_over(&self, name: &str) -> bool {
        match self {
            Self::Syntax { .. } | Self::TooLarge { .. } => true,
            Self::Cut { .. } => !has_extension(name, &["json", "yaml", "yml"]),
            _ => false,
        }
    }
}

/// Whether a file's name says that it is a container's or a component's log.
fn is_log(name: &str) -> bool {
    has_extension(name, &["log"]) || name.ends_with("logs.txt")
}

/// Whether a name ends with one of these, be it packed or not.
fn has_extension(name: &str, wanted: &[&str]) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    std::path::Path::new(name)
        .extension()
        .is_some_and(|extension| wanted.iter().any(|wanted| extension.eq_ignore_ascii_case(wanted)))
}
