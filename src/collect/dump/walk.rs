//! From what `-f` names to texts: files, directories with all that is in them, standard input. In a directory links
//! are followed to regular files inside it and nowhere else, and what is reached twice is read once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::DumpError;
use super::request::Input;
use super::unpack::{Unpacked, Unpacking};

/// A text, and whether it was named itself or found in a directory or an archive.
pub(super) struct FoundFile<'r> {
    pub(super) name: String,
    pub(super) text: Box<dyn Read + 'r>,
    pub(super) is_named: bool,
}

/// What to do with the texts.
pub(super) trait FileVisitor {
    /// Takes a text.
    fn text(&mut self, found: FoundFile<'_>) -> Result<(), DumpError>;
    /// Whether a file of a directory or an archive is opened at all, by its name.
    fn wants(&mut self, name: &str) -> bool;
    /// Something in a directory that is no file and no directory, or could not be unpacked.
    fn passed_over(&mut self, name: &str, why: &str);
}

/// Gives every text of the inputs to the visitor.
pub(super) fn walk(
    inputs: &[Input],
    unpacking: &Unpacking,
    visitor: &mut dyn FileVisitor,
) -> Result<(), DumpError> {
    if inputs.iter().filter(|input| **input == Input::Stdin).count() > 1 {
        return Err(DumpError::StdinTwice);
    }
    let mut walk = Walk {
        unpacking,
        visitor,
        named: BTreeSet::new(),
        found: BTreeSet::new(),
    };
    for input in inputs {
        match input {
            Input::Stdin => walk.file("-", Box::new(io::stdin().lock()), true)?,
            Input::Bytes { name, bytes } => walk.file(name, Box::new(*bytes), true)?,
            Input::Path(path) => walk.named(path)?,
        }
    }
    Ok(())
}

struct Walk<'w> {
    unpacking: &'w Unpacking,
    visitor: &'w mut dyn FileVisitor,
    /// What `-f` named so far, and what was found in directories.
    named: BTreeSet<PathBuf>,
    found: BTreeSet<PathBuf>,
}

impl Walk<'_> {
    fn named(&mut self, path: &Path) -> Result<(), DumpError> {
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        if metadata.is_dir() {
            return self.directory(path);
        }
        // A pipe has no path of its own and is never the same twice.
        let real = if metadata.is_file() {
            path.canonicalize().ok()
        } else {
            None
        };
        if real.is_some_and(|real| !self.named.insert(real)) {
            return Ok(());
        }
        self.open(path, true)
    }

    /// All files below a directory, in the order of their names.
    fn directory(&mut self, path: &Path) -> Result<(), DumpError> {
        let root = path.canonicalize().map_err(|error| unreadable(path, error))?;
        let mut files = 0;
        let mut open_directories = vec![path.to_owned()];
        while let Some(directory) = open_directories.pop() {
            let entries = fs::read_dir(&directory).map_err(|error| unreadable(&directory, error))?;
            let mut paths = Vec::new();
            for entry in entries {
                paths.push(entry.map_err(|error| unreadable(&directory, error))?.path());
            }
            paths.sort();
            let mut inner = Vec::new();
            for path in paths {
                let name = path.display().to_string();
                match file_of(&path, &root) {
                    Ok(Entry::Directory) => inner.push(path),
                    Ok(Entry::File(real)) => {
                        files += 1;
                        if self.visitor.wants(&name) && self.found.insert(real) {
                            self.open(&path, false)?;
                        }
                    }
                    Ok(Entry::Other(why)) => self.visitor.passed_over(&name, why),
                    // A link to nothing, or to itself.
                    Err(error) => self.visitor.passed_over(&name, &error.to_string()),
                }
            }
            open_directories.extend(inner.into_iter().rev());
        }
        if files == 0 {
            return Err(DumpError::NoFile {
                directory: path.display().to_string(),
            });
        }
        Ok(())
    }

    fn open(&mut self, path: &Path, is_named: bool) -> Result<(), DumpError> {
        let opened = File::open(path).map_err(|error| unreadable(path, error))?;
        self.file(&path.display().to_string(), Box::new(opened), is_named)
    }

    fn file(&mut self, name: &str, source: Box<dyn Read + '_>, is_named: bool) -> Result<(), DumpError> {
        let visitor = &mut *self.visitor;
        self.unpacking.unpack(name, source, &mut |unpacked| {
            let Unpacked {
                name,
                text,
                is_member,
                unread,
            } = unpacked;
            let is_named = is_named && !is_member;
            match unread {
                Some(packing) if is_named => Err(DumpError::Packed { file: name, packing }),
                Some(packing) => {
                    visitor.passed_over(&name, &format!("it is packed with {packing}, which is not read"));
                    Ok(())
                }
                None if is_member && !visitor.wants(&name) => Ok(()),
                None => visitor.text(FoundFile { name, text, is_named }),
            }
        })
    }
}

/// What a path in a directory is.
enum Entry {
    Directory,
    /// A regular file, by its path without links.
    File(PathBuf),
    Other(&'static str),
}

fn file_of(path: &Path, root: &Path) -> io::Result<Entry> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return Ok(Entry::Directory);
    }
    let real = path.canonicalize()?;
    if metadata.is_symlink() && !real.starts_with(root) {
        return Ok(Entry::Other("it is a link out of the directory"));
    }
    let target = fs::metadata(&real)?;
    Ok(if target.is_file() {
        Entry::File(real)
    } else if target.is_dir() {
        Entry::Other("it is a link to a directory")
    } else {
        Entry::Other("it is no regular file")
    })
}

fn unreadable(path: &Path, source: io::Error) -> DumpError {
    DumpError::Unreadable {
        file: path.display().to_string(),
        source,
    }
}
