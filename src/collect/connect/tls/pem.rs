//! Certificates and keys as a kubeconfig gives them: a file, or base64 of what would stand in one.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::error::TlsError;

/// Reads PEM from a file, or from base64 in the kubeconfig.
pub(crate) fn load(
    what: &'static str,
    file: Option<&str>,
    data: Option<&str>,
) -> Result<Option<Vec<u8>>, TlsError> {
    if let Some(data) = data {
        let compact: String = data.split_ascii_whitespace().collect();
        let decoded = STANDARD.decode(compact).map_err(|_| TlsError::Base64(what))?;
        return Ok(Some(decoded));
    }
    file.map(|path| {
        fs::read(path).map_err(|source| TlsError::Read {
            what,
            path: PathBuf::from(path),
            source,
        })
    })
    .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_base64_with_or_without_line_breaks() {
        let load = |data| load("the certificate authority", Some("/no/such/file"), Some(data));
        assert_eq!(load("Q0\n E=\n").unwrap().unwrap(), b"CA");
        assert!(matches!(load("!"), Err(TlsError::Base64(_))));
        let file = super::load("the client key", Some("/no/such/file"), None).unwrap_err();
        assert_eq!(file.to_string(), "the client key /no/such/file cannot be read");
    }
}
