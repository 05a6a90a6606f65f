//! `save`: what a judgement needs and nothing else, written where the user says.

use std::path::Path;

use clap::ArgMatches;

use super::flags::CommandLine;
use super::message::{self, Failure};
use super::{output, request, run};
use crate::collect::save as snapshot;
use crate::inventory::gap::GapReason;
use crate::render::{escape, phrase};

/// Reads the cluster and writes the small file.
pub(super) fn save(
    flags: &CommandLine,
    matches: &ArgMatches,
    file: &Path,
    redact: bool,
) -> Result<u8, Failure> {
    let reading = request::reading(flags, matches, false)?;
    request::check_files(flags, [file])?;
    let observed = match run::collect(&reading) {
        Ok(collected) => collected.observed,
        Err(uncollected) => return uncollected.end(),
    };
    for gap in observed.unread() {
        let reason = phrase::gap_reason(&GapReason::Read(gap));
        message::warn(&format!("the snapshot is not whole: {reason}"));
    }
    let mut bytes = Vec::new();
    snapshot::save(&observed, redact, &mut bytes)
        .map_err(|error| Failure::new("cannot put the snapshot together").because(error.to_string()))?;
    // The same values, but safe to look at on a terminal.
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    let text = escape::json(&text);
    if file.as_os_str() == "-" {
        return super::print(text.as_bytes());
    }
    output::file(file, text.as_bytes()).map_err(|error| Failure::from_error(&error))?;
    Ok(0)
}
