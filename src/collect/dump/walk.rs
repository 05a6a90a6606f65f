//! From what `-f` names to texts: files, directories with all that is in them, standard input. Links are
//! followed, and what is reached twice is read once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Input;
use super::error::DumpError;
use super::unpack::{Unpacked, unpack};

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
    /// Something in a directory that is no file and no directory, or could not be unpacked.
    fn passed_over(&mut self, name: &str, why: &str);
}

/// Gives every text of the inputs to the visitor.
pub(super) fn walk(inputs: &[Input], visitor: &mut dyn FileVisitor) -> Result<(), DumpError> {
    if inputs.iter().filter(|input| **input == Input::Stdin).count() > 1 {
        return Err(DumpError::StdinTwice);
    }
    let mut seen = BTreeSet::new();
    for input in inputs {
        match input {
            Input::Stdin => file("-", Box::new(io::stdin().lock()), true, visitor)?,
            Input::Bytes { name, bytes } => file(name, Box::new(*bytes), true, visitor)?,
            Input::Path(path) => {
                let told = fs::metadata(path).map_err(|error| unreadable(path, error))?;
                if told.is_dir() {
                    let mut files = 0;
                    directory(path, &mut seen, &mut files, visitor)?;
                    if files == 0 {
                        return Err(DumpError::NoFile {
                            directory: path.display().to_string(),
                        });
                    }
                } else {
                    open(path, true, visitor)?;
                }
            }
        }
    }
    Ok(())
}

/// All files below a directory, in the order of their names.
fn directory(
    path: &Path,
    seen: &mut BTreeSet<PathBuf>,
    files: &mut usize,
    visitor: &mut dyn FileVisitor,
) -> Result<(), DumpError> {
    let mut open_directories = vec![path.to_owned()];
    while let Some(directory) = open_directories.pop() {
        let real = directory
            .canonicalize()
            .map_err(|error| unreadable(&directory, error))?;
        if !seen.insert(real) {
            continue;
        }
        let entries = fs::read_dir(&directory).map_err(|error| unreadable(&directory, error))?;
        let mut paths = Vec::new();
        for entry in entries {
            paths.push(entry.map_err(|error| unreadable(&directory, error))?.path());
        }
        paths.sort();
        let mut inner = Vec::new();
        for path in paths {
            let name = path.display().to_string();
            match fs::metadata(&path) {
                Ok(told) if told.is_dir() => inner.push(path),
                Ok(told) if told.is_file() => {
                    let real = path.canonicalize().map_err(|error| unreadable(&path, error))?;
                    *files += 1;
                    if seen.insert(real) {
                        open(&path, false, visitor)?;
                    }
                }
                Ok(_) => visitor.passed_over(&name, "it is no regular file"),
                // A link to nothing, or to itself.
                Err(error) => visitor.passed_over(&name, &error.to_string()),
            }
        }
        open_directories.extend(inner.into_iter().rev());
    }
    Ok(())
}

fn open(path: &Path, is_named: bool, visitor: &mut dyn FileVisitor) -> Result<(), DumpError> {
    let opened = File::open(path).map_err(|error| unreadable(path, error))?;
    file(&path.display().to_string(), Box::new(opened), is_named, visitor)
}

fn file(
    name: &str,
    source: Box<dyn Read + '_>,
    is_named: bool,
    visitor: &mut dyn FileVisitor,
) -> Result<(), DumpError> {
    let unpacked = unpack(name, source, &mut |unpacked| {
        let Unpacked {
            name,
            text,
            is_member,
        } = unpacked;
        visitor.text(FoundFile {
            name,
            text,
            is_named: is_named && !is_member,
        })
    });
    match unpacked {
        Err(DumpError::Packed { file, packing }) if !is_named => {
            visitor.passed_over(&file, &format!("it is packed with {packing}, which is not read"));
            Ok(())
        }
        unpacked => unpacked,
    }
}

fn unreadable(path: &Path, source: io::Error) -> DumpError {
    DumpError::Unreadable {
        file: path.display().to_string(),
        source,
    }
}
