//! Why a dump was not judged: every error names the file, the place where there is one, and what to do next.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::inventory::read_gap::FilePlace;

/// A place in the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The file, as it was named; a member of an archive behind the archive's name.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
}

impl At {
    /// The start of a file.
    pub(super) fn start(file: &str) -> Self {
        Self {
            file: file.into(),
            line: 1,
            column: 1,
        }
    }

    /// The place as evidence.
    pub(super) fn place(&self) -> FilePlace {
        let Self { file, line, column } = self;
        FilePlace {
            file: file.to_string(),
            line: *line,
            column: *column,
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", Escaped(&self.file), self.line, self.column)
    }
}

/// A text from outside with its control characters escaped.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.chars() {
            if part.is_control() {
                write!(f, "{}", part.escape_default())?;
            } else {
                fmt::Write::write_char(f, part)?;
            }
        }
        Ok(())
    }
}

/// What was noticed, a line each below the error.
struct Notes<'a>(&'a [String]);

impl fmt::Display for Notes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|note| write!(f, "\n  {note}"))
    }
}

/// Why the inputs could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// An input that is not there or may not be read.
    #[error("{} cannot be read", Escaped(file))]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// Reading stopped in the middle, by the system's or a decoder's word.
    #[error(
        "{} stops being readable after line {line}: take the dump again",
        Escaped(file)
    )]
    Broken {
        /// The file.
        file: String,
        /// The last line that was read.
        line: u64,
        /// What the system or the decoder says.
        source: io::Error,
    },
    /// A directory with nothing in it that can be read.
    #[error(
        "directory {} holds no file: give the directory that the dump was written to",
        Escaped(directory)
    )]
    NoFile {
        /// The directory.
        directory: String,
    },
    /// A file without a byte.
    #[error(
        "{} is empty: expected Kubernetes objects as JSON or YAML (kubectl get nodes,pods -A -o json)",
        Escaped(file)
    )]
    Empty {
        /// The file.
        file: String,
    },
    /// A file that is neither JSON nor YAML of objects.
    #[error(
        "{at}: expected Kubernetes objects as JSON or YAML (kubectl get nodes,pods -A -o json), found {found}"
    )]
    NotObjects {
        /// Where.
        at: At,
        /// What it holds, in words.
        found: &'static str,
    },
    /// Text that is not what its beginning promised.
    #[error("{at}: expected {expected}, found {found}")]
    Syntax {
        /// Where.
        at: At,
        /// What could have stood there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The text ends in the middle.
    #[error("{at}: the file ends inside {inside}: it was cut, take the dump again")]
    Cut {
        /// Where it ends.
        at: At,
        /// What was not finished.
        inside: String,
    },
    /// One object larger than any that a cluster can store.
    #[error("{at}: one object of more than {limit} MiB: that is no Kubernetes object")]
    TooLarge {
        /// Where it starts.
        at: At,
        /// The limit.
        limit: usize,
    },
    /// A YAML document that does not fit.
    #[error(
        "{at}: a YAML document of more than {limit} MiB: take the dump with -o json, which is read in any size"
    )]
    YamlTooLarge {
        /// Where it starts.
        at: At,
        /// The limit.
        limit: usize,
    },
    /// An archive that unpacks to far more than a dump does.
    #[error(
        "{} unpacks without end (more than {ratio} times its size): unpack it and give the directory",
        Escaped(file)
    )]
    Endless {
        /// The archive.
        file: String,
        /// The bound.
        ratio: u64,
    },
    /// A packing that is not read.
    #[error(
        "{} is packed with {packing}, which is not read: unpack it and give the file or the directory",
        Escaped(file)
    )]
    Packed {
        /// The file.
        file: String,
        /// `zip`, `xz` …
        packing: &'static str,
    },
    /// `-f -` more than once.
    #[error("-f - is given twice: standard input can be read once")]
    StdinTwice,
    /// One object told twice, differently, without a way to tell which is newer.
    #[error(
        "{} stands twice in the input and differs ({first} and {second}), and no resourceVersion tells \
         which is newer: leave one out",
        Escaped(object)
    )]
    Ambiguous {
        /// `node/NAME` …
        object: String,
        /// Where it stands first.
        first: At,
        /// Where it stands again.
        second: At,
    },
    /// Two objects of one name.
    #[error(
        "{} stands in the input with two uids ({first} and {second}): these are two clusters, or one at \
         two times; give the files of one",
        Escaped(object)
    )]
    TwoObjects {
        /// `node/NAME` …
        object: String,
        /// Where the first stands.
        first: At,
        /// Where the other stands.
        second: At,
    },
    /// Objects of two clusters.
    #[error(
        "the input holds two clusters: {sign} ({first} and {second}); give the files of each alone: \
         kubectl skew -f {alone_first}, then -f {alone_second}"
    )]
    TwoClusters {
        /// What shows it.
        sign: String,
        /// What the first cluster shows, and where.
        first: String,
        /// What the other shows, and where.
        second: String,
        /// What to give alone for the first.
        alone_first: String,
        /// What to give alone for the other.
        alone_second: String,
    },
    /// Two files of `kubectl skew save`.
    #[error("the input holds two files of kubectl skew save ({first} and {second}): give each alone")]
    TwoSnapshots {
        /// Where the first stands.
        first: At,
        /// Where the second stands.
        second: At,
    },
    /// More objects than any cluster has for an input of that size.
    #[error(
        "the input holds more than is kept in memory: {nodes} Nodes and {pods} Pods that may be control-plane or \
         kube-proxy pods, in more than {limit} MiB. Unpack it and give the files, or judge the live cluster"
    )]
    TooMany {
        /// The Nodes so far.
        nodes: usize,
        /// The component pods so far.
        pods: usize,
        /// The bound.
        limit: usize,
    },
    /// Nothing to judge.
    #[error(
        "no Node and no Pod in {}: take a dump with kubectl get nodes,pods -A -o json and, beside it, \
         kubectl version -o json{}",
        Escaped(files),
        Notes(notes)
    )]
    NoObjects {
        /// The inputs.
        files: String,
        /// What was noticed on the way.
        notes: Vec<String>,
    },
}
