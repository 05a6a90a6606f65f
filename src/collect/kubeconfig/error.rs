//! Why no kubeconfig could be read. A parser's own words are left out: they quote the file, tokens too.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum KubeconfigError {
    #[error("the kubeconfig file {} cannot be read", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("the kubeconfig file {} is not UTF-8 text", .path.display())]
    Text { path: PathBuf },
    #[error("the kubeconfig file {} does not read as a kubeconfig{}", .path.display(), place(*.line, *.column))]
    Parse { path: PathBuf, line: u64, column: u64 },
    #[error("the kubeconfig file {} holds a {} of version {}, not a Config of v1", .path.display(), .kind.escape_debug(), .version.escape_debug())]
    Kind {
        path: PathBuf,
        kind: String,
        version: String,
    },
    #[error("the kubeconfig file {} has two {list} named \"{}\"", .path.display(), .name.escape_debug())]
    Duplicate {
        path: PathBuf,
        list: &'static str,
        name: String,
    },
}

fn place(line: u64, column: u64) -> String {
    if line == 0 {
        String::new()
    } else {
        format!(": line {line}, column {column}")
    }
}
