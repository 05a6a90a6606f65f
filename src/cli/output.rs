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
    /// The directory that it is to stand in is not there.
    #[error("cannot write {}: there is no directory {}", .path.display(), .directory.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
        /// Its directory.
        directory: PathBuf,
    },
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
    files([(path, bytes)])
}

/// Writes files so that all of them appear, whole, or none does.
pub(super) fn files<'a>(wanted: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<(), OutputError> {
    let mut made = Vec::new();
    for (path, bytes) in wanted {
        made.extend(beside(path, bytes)?);
    }
    for Beside { path, file, place } in made {
        file.persist(&place).map_err(|error| OutputError::File {
            path: path.to_owned(),
            source: bare(error.error),
        })?;
    }
    Ok(())
}

/// Whether two names stand for one file, which may not be there yet.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| {
        let place = place(path);
        // Writing to a device or a pipe twice is no loss.
        if std::fs::metadata(&place).is_ok_and(|found| !found.is_file()) {
            return None;
        }
        let directory = std::fs::canonicalize(directory(&place)).ok()?;
        Some(directory.join(place.file_name()?))
    };
    whole(one).is_some_and(|one| whole(other) == Some(one))
}

/// A file filled beside the place that it is for.
struct Beside<'a> {
    path: &'a Path,
    file: tempfile::NamedTempFile,
    place: PathBuf,
}

/// Fills a file beside its place; `None` where the bytes went to a pipe or a device, which cannot be replaced by a
/// file and would not stay half written either.
fn beside<'a>(path: &'a Path, bytes: &[u8]) -> Result<Option<Beside<'a>>, OutputError> {
    let failed = |source| OutputError::File {
        path: path.to_owned(),
        source: bare(source),
    };
    // A link keeps being one: what it points to is replaced.
    let place = place(path);
    let found = match std::fs::metadata(&place) {
        Ok(found) if found.is_dir() => return Err(OutputError::Directory(path.to_owned())),
        Ok(found) if !found.is_file() => {
            return std::fs::write(path, bytes).map(|()| None).map_err(failed);
        }
        Ok(found) if found.permissions().readonly() => {
            return Err(failed(io::ErrorKind::PermissionDenied.into()));
        }
        Ok(found) => Some(found),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Err(_)
            if path
                .as_os_str()
                .to_string_lossy()
                .ends_with(std::path::is_separator) =>
        {
            return Err(OutputError::Directory(path.to_owned()));
        }
        Err(_) => None,
    };
    let directory = directory(&place);
    if !directory.is_dir() {
        return Err(OutputError::NoDirectory {
            path: path.to_owned(),
            directory: directory.to_owned(),
        });
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kubectl-skew-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask leaves of it, as with any file that a shell makes; reports hold no secret.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    // Some file systems find out only here that they are full.
    file.as_file().sync_all().map_err(failed)?;
    if let Some(found) = found {
        // The file keeps the mode that it had.
        file.as_file()
            .set_permissions(found.permissions())
            .map_err(failed)?;
    }
    Ok(Some(Beside { path, file, place }))
}

/// Where a name leads: to the end of links, also where nothing is there yet.
fn place(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&place) else {
            break;
        };
        place = directory(&place).join(target);
    }
    place
}

/// The directory that a file stands in.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// An error without the name of the file beside, which says nothing to whoever named another.
fn bare(error: io::Error) -> io::Error {
    match (error.raw_os_error(), error.kind()) {
        (None, kind) if kind != io::ErrorKind::Other => kind.into(),
        _ => error,
    }
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
        assert!(matches!(error, OutputError::NoDirectory { .. }), "{error}");
        assert!(matches!(
            file(directory.path(), b"x"),
            Err(OutputError::Directory(_))
        ));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_several_files_all_appear_or_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let [good, bad] = [path("good.json"), path("no/such/bad.json")];
        files([(good.as_path(), b"x".as_slice()), (&bad, b"x")]).unwrap_err();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let other = path("other.json");
        files([(good.as_path(), b"x".as_slice()), (&other, b"y")]).unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), b"y");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_whether_its_end_is_there_or_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::os::unix::fs::symlink("end.json", path("link")).unwrap();
        for content in [b"first".as_slice(), b"second"] {
            file(&path("link"), content).unwrap();
            assert_eq!(std::fs::read_link(path("link")).unwrap(), Path::new("end.json"));
            assert_eq!(std::fs::read(path("end.json")).unwrap(), content);
        }
        std::os::unix::fs::symlink("round", path("round")).unwrap();
        file(&path("round"), b"x").unwrap_err();
        assert!(path("round").is_symlink());
    }

    #[test]
    fn one_file_is_known_by_all_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::create_dir(path("sub")).unwrap();
        assert!(is_same_file(&path("a"), &path("./sub/../a")));
        assert!(!is_same_file(&path("a"), &path("b")));
        assert!(!is_same_file(&path("a"), &path("sub/a")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", path("link")).unwrap();
            assert!(is_same_file(&path("a"), &path("link")));
            assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")));
        }
    }
}
