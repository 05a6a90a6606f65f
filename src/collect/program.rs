//! Other programs that are run: which file a name means, by Go's rules, and the end of all that one has started.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Why a name means no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// No directory of PATH has it.
    #[error("was not found")]
    Missing,
    /// PATH leads to it by the current directory, where anybody may have put it.
    #[error("was found as {}, relative to the current directory, and is not run from there", .0.display())]
    Relative(PathBuf),
}

/// The file of a program. A bare name is looked up in our own PATH; Go takes the first that may be run and refuses it
/// where its directory is empty or relative.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, LookupError> {
    find_in(std::env::var_os("PATH").as_deref(), name)
}

fn find_in(path: Option<&OsStr>, name: &OsStr) -> Result<PathBuf, LookupError> {
    if Path::new(name).components().count() > 1 || name.to_string_lossy().contains(std::path::is_separator) {
        return Ok(PathBuf::from(name));
    }
    let directories = std::env::split_paths(path.unwrap_or_default()).map(|directory| {
        if directory.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            directory
        }
    });
    let mut suffixed = name.to_owned();
    suffixed.push(std::env::consts::EXE_SUFFIX);
    let mut files = directories.flat_map(|directory| [directory.join(name), directory.join(&suffixed)]);
    match files.find(|file| is_executable(file)) {
        Some(file) if file.is_absolute() => Ok(file),
        Some(file) => Err(LookupError::Relative(file)),
        None => Err(LookupError::Missing),
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// A program in a process group of its own: dropped, it ends with all that it has started.
#[derive(Debug)]
pub(crate) struct Group(Option<u32>);

impl Group {
    /// Takes the number of the process that leads the group.
    pub(crate) fn new(leader: Option<u32>) -> Self {
        Self(leader)
    }

    /// It has ended by itself, and what it left behind it meant to leave.
    pub(crate) fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self
            .0
            .and_then(|leader| rustix::process::Pid::from_raw(leader.cast_signed()))
        {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_program_of_the_current_directory_is_none() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("login", 0o755), ("text", 0o644)] {
            std::fs::write(folder.path().join(name), "").unwrap();
            std::fs::set_permissions(folder.path().join(name), std::fs::Permissions::from_mode(mode))
                .unwrap();
        }
        let absolute = folder.path().to_str().unwrap();
        let up = "../".repeat(std::env::current_dir().unwrap().components().count());
        let relative = format!("{up}{}", absolute.trim_start_matches('/'));
        let found = |path: &str, name: &str| find_in(Some(OsStr::new(path)), OsStr::new(name));
        assert_eq!(found(absolute, "login"), Ok(folder.path().join("login")));
        assert_eq!(
            found(&format!("/none:{absolute}"), "login"),
            Ok(folder.path().join("login"))
        );
        for path in [relative.clone(), format!("{relative}:{absolute}")] {
            assert!(
                matches!(found(&path, "login"), Err(LookupError::Relative(_))),
                "{path}"
            );
        }
        for (path, name) in [
            ("", "login"),
            (absolute, "text"),
            (absolute, "none"),
            (absolute, ""),
        ] {
            assert_eq!(found(path, name), Err(LookupError::Missing), "{path} {name}");
        }
        assert_eq!(found("", "./login"), Ok(PathBuf::from("./login")));
        assert_eq!(find_in(None, OsStr::new("login")), Err(LookupError::Missing));
    }
}
