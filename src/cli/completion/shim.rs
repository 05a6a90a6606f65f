//! The small script under the name that kubectl looks for when it completes a plugin. krew installs one file a
//! plugin, so the binary writes it itself (<https://github.com/kubernetes-sigs/krew/issues/812>).

use std::path::PathBuf;

use crate::cli::message::Failure;
use crate::cli::{COMPLETE_NAME, output};

/// The script.
#[cfg(not(windows))]
pub(super) const TEXT: &str = "\
#!/bin/sh
# kubectl runs this to complete the words behind `kubectl skew`.
exec kubectl-skew __complete \"$@\"
";
/// The script.
#[cfg(windows)]
pub(super) const TEXT: &str =
    "@rem kubectl runs this to complete the words behind `kubectl skew`.\r\n@kubectl-skew __complete %*\r\n";

/// Writes it beside the plugin that kubectl finds.
pub(super) fn install() -> Result<u8, Failure> {
    let Some(directory) = plugin_directory() else {
        return Err(
            Failure::new("cannot find kubectl-skew in PATH, so there is no place beside it")
                .hint("write it yourself: kubectl skew completion kubectl > DIRECTORY_IN_PATH/kubectl_complete-skew"),
        );
    };
    let name = if cfg!(windows) {
        format!("{COMPLETE_NAME}.cmd")
    } else {
        COMPLETE_NAME.to_owned()
    };
    let path = directory.join(name);
    if let Ok(there) = std::fs::read(&path)
        && !there
            .windows(b"kubectl-skew".len())
            .any(|part| part == b"kubectl-skew")
    {
        return Err(Failure::new(format!(
            "{} is there already and not from kubectl skew",
            path.display()
        ))
        .hint("remove it first, or put the script elsewhere in PATH"));
    }
    output::file(&path, TEXT.as_bytes()).map_err(|error| Failure::from_error(&error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).map_err(|error| {
            Failure::new(format!("cannot make {} executable", path.display())).because(error.to_string())
        })?;
    }
    crate::cli::print(format!("{}\n", path.display()).as_bytes())
}

/// The first directory of PATH that holds the plugin.
fn plugin_directory() -> Option<PathBuf> {
    let name = format!("kubectl-skew{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .filter(|directory| directory.is_absolute())
        .find(|directory| directory.join(&name).is_file())
}
