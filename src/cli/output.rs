//! Where a report goes: standard output, where a closed pipe ends the run quietly, and files, which appear whole
//! or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputError {
    /// Standard output does not take it.
    #[error("cannot write to standard output")]
    Stdout(#[source] io::Error),
    /// The file cannot be made or filled.
    #[error("cannot write {}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The name stands for a directory.
    #[error("cannot write {}: it is a directory", .0.display())]
    Directory(PathBuf),
}

/// Whether anybody read the output to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// It was taken.
    Stayed,
    /// The pipe was closed: `| head` has seen enough.
    Left,
}

/// Writes to standard output.
pub(super) fn stdout(bytes: &[u8]) -> Result<Reader, OutputError> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Stayed),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Left),
        Err(error) => Err(OutputError::Stdout(error)),
    }
}

/// Writes a file so that it appears whole or not at all: beside its place first, then moved there.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let failed = |source| OutputError::File {
        path: path.to_owned(),
        source,
    };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(OutputError::Directory(path.to_owned())),
        // A pipe or a device cannot be replaced by a file and would not stay half written either.
        Ok(found) if !found.is_file() => return std::fs::write(path, bytes).map_err(failed),
        _ => {}
    }
    // A link keeps being one: what it points to is replaced.
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if std::fs::metadata(&place).is_ok_and(|found| found.permissions().readonly()) {
        return Err(failed(io::Error::from(io::ErrorKind::PermissionDenied)));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kubectl-skew-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask leaves of it, as with any file that a shell makes; reports hold no secret.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut beside = builder.tempfile_in(directory).map_err(failed)?;
    beside
        .write_all(bytes)
        .and_then(|()| beside.flush())
        .map_err(failed)?;
    if let Ok(found) = std::fs::metadata(&place) {
        // The file keeps the mode that it had.
        beside
            .as_file()
            .set_permissions(found.permissions())
            .map_err(failed)?;
    }
    beside.persist(&place).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        file(&path, b"first").unwrap();
        file(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);

        let missing = directory.path().join("no/such/report.json");
        let error = file(&missing, b"x").unwrap_err();
        assert!(matches!(error, OutputError::File { .. }), "{error}");
        assert!(matches!(
            file(directory.path(), b"x"),
            Err(OutputError::Directory(_))
        ));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
