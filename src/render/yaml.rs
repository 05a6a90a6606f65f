//! The JSON value as YAML.

use std::io::{self, Write};

use serde_saphyr::ser_options;

use super::{escape, json::Document};
use crate::report::Report;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let options = ser_options! { prefer_block_scalars: false };
    let text =
        serde_saphyr::to_string_with_options(&Document::from(report), options).map_err(io::Error::other)?;
    out.write_all(escape::yaml(&text).as_bytes())
}
