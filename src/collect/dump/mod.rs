//! Reading saved dumps: files, directories, streams and archives, down to the same few fields as a live read.
//!
//! ```text
//!  walk ──► unpack ──► text ──► json ──► gather ──► Observed
//!  (-f)     (gzip,     (what    (objects, (once each,
//!            tar)       stands   lists)    gaps)
//!                       where)     ▲
//!                         └► yaml ─┘
//! ```
//!
//! Texts are read through a [`window`], so that a dump of any size takes the memory of one object. What a dump
//! lacks is said by the inventory; what cannot be read is a [`DumpError`] that names the place.

mod error;
mod gather;
mod json;
mod once;
mod text;
mod unpack;
mod utf16;
mod walk;
mod window;
mod yaml;

pub use error::{At, DumpError};

use std::path::PathBuf;

use jiff::Timestamp;

use crate::collect::location::Location;
use crate::inventory::labels::Wanted;
use crate::inventory::observed::Observed;
use error::Shown;
use gather::Gatherer;
use walk::{Found, Taker};
use window::{Lines, Window};

/// What to read.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    /// `-f`, in the order given.
    pub inputs: Vec<Input>,
    /// `-n`, where it is another namespace than kube-system.
    pub hosted: Option<String>,
    /// Labels and annotations to keep.
    pub wanted: Wanted,
    /// `--server-version`.
    pub server_version: Option<String>,
}

/// One `-f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`.
    Stdin,
    /// A file or a directory.
    Path(PathBuf),
    /// Bytes built into the binary, under a name: the demo.
    Bytes {
        /// What to call it.
        name: String,
        /// The bytes.
        bytes: &'static [u8],
    },
}

/// Where the objects came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpSource {
    /// The inputs as they were named, sorted.
    pub files: Vec<String>,
    /// Inputs that hold no Kubernetes object.
    pub skipped: usize,
    /// When the objects were taken, where that can be told.
    pub captured_at: Option<Timestamp>,
    /// Where each Node and kept Pod stands.
    pub places: Vec<Location>,
    /// Warnings for stderr, in order.
    pub warnings: Vec<String>,
}

/// Reads the inputs.
///
/// `captured_at` is the newest moment that the objects tell of themselves: when a Lease was renewed (every ten
/// seconds) or a kubelet reported (every five minutes at least).
pub fn observe(request: &DumpRequest) -> Result<(Observed, DumpSource), DumpError> {
    let mut reading = Reading {
        gatherer: Gatherer::new(request),
        skipped: 0,
        skipped_first: None,
    };
    walk::walk(&request.inputs, &mut reading)?;
    let mut files: Vec<String> = request.inputs.iter().map(Input::name).collect();
    files.sort();
    files.dedup();
    let Reading {
        mut gatherer,
        skipped,
        skipped_first,
    } = reading;
    if let Some(first) = skipped_first {
        let first = Shown(&first);
        gatherer.warn(match skipped {
            1 => format!("{first} holds nothing that is read and was passed over"),
            _ => format!("{skipped} files hold nothing that is read and were passed over ({first} …)"),
        });
    }
    gatherer.finish(DumpSource {
        files,
        skipped,
        ..DumpSource::default()
    })
}

impl Input {
    /// What to call it.
    fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }
}

/// The texts of one run.
struct Reading<'q> {
    gatherer: Gatherer<'q>,
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

impl Taker for Reading<'_> {
    fn text(&mut self, found: Found<'_>) -> Result<(), DumpError> {
        let Found { name, text, is_named } = found;
        // What a container logs may look like anything, objects included.
        if !is_named && is_log(&name) {
            self.skip(&name);
            return Ok(());
        }
        let (useful, shown) = (self.gatherer.useful(), self.gatherer.shown());
        let mut window = Window::new(text, name.as_str().into(), Lines::Own);
        match text::read(&mut window, &mut self.gatherer) {
            Ok(_) if self.gatherer.useful() > useful => Ok(()),
            Ok(held) if is_named && !held.any => Err(DumpError::Empty { file: name }),
            Ok(held) if is_named && held.documents == 0 => Err(DumpError::NotObjects {
                at: At {
                    file: name.into(),
                    line: 1,
                    column: 1,
                },
                found: "text of another kind",
            }),
            Err(DumpError::NotObjects { .. }) if !is_named && self.gatherer.useful() == useful => {
                self.skip(&name);
                Ok(())
            }
            Ok(_) => {
                self.skip(&name);
                Ok(())
            }
            Err(error) if is_named || self.gatherer.shown() > shown || !error.may_be_passed_over(&name) => {
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
        self.gatherer
            .warn(format!("{} was passed over: {}", Shown(name), Shown(why)));
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
