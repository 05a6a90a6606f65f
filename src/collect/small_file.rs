//! Files that are meant to be small: a kubeconfig, a token, certificates. Where a device or a mistaken file stands in their
//! place, memory is not filled with it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A kubeconfig of ten thousand clusters is smaller.
const LARGEST: u64 = 64 << 20;

pub(crate) fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!(
            "it is larger than {} MiB",
            LARGEST >> 20
        )));
    }
    Ok(bytes)
}
