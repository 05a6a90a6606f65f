//! Percent escapes, by Go's rules for addresses.

use percent_encoding::percent_decode_str;

/// Bytes without their escapes; `None` where a `%` begins none, which Go refuses.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let is_escape = |rest: &str| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit);
    let escapes = text.split('%').skip(1);
    escapes
        .clone()
        .all(is_escape)
        .then(|| percent_decode_str(text).collect())
}
