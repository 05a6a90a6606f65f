//! A snapshot read back says what was seen.

use super::*;

#[test]
fn placeholder() {}
