//! The binary: hands the words it was called with to the command line, and its answer to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubectl_skew::cli::main(std::env::args_os())
}
