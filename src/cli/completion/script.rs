//! The scripts that bring the candidates to a shell.

use super::shim;
use crate::cli::message::Failure;
use crate::cli::values::ShellName;

/// Prints the script of a shell, or installs kubectl's.
pub(in crate::cli) fn script(shell: ShellName, install: bool) -> Result<u8, Failure> {
    let text = match shell {
        ShellName::Bash => include_str!("kubectl-skew.bash"),
        ShellName::Zsh => include_str!("kubectl-skew.zsh"),
        ShellName::Fish => include_str!("kubectl-skew.fish"),
        ShellName::PowerShell => include_str!("kubectl-skew.ps1"),
        ShellName::Kubectl if install => return shim::install(),
        ShellName::Kubectl => shim::TEXT,
    };
    if install {
        return Err(crate::cli::usage::usage(
            "--install is for 'kubectl skew completion kubectl'; a shell's script goes where the shell reads it"
                .to_owned(),
        ));
    }
    crate::cli::print(text.as_bytes())
}
