//! `save`: what a judgement needs and nothing else, written where the user says.

use std::path::Path;

use clap::ArgMatches;

use super::flags::CommandLine;
use super::message::{self, Failure};
use super::{output, request, run};
use crate::ci_commands::{Escapes, without_commands};
use crate::collect::save as snapshot;
use crate::inventory::gap::GapReason;
use crate::render::{escape, sentences};

/// What to write, and where.
pub(super) struct Wanted<'a> {
    pub(super) file: &'a Path,
    /// Replace a file that is there.
    pub(super) force: bool,
    /// Replace names by stand-ins.
    pub(super) redact: bool,
}

/// Reads the cluster and writes the small file.
pub(super) fn save(flags: &CommandLine, matches: &ArgMatches, wanted: &Wanted<'_>) -> Result<u8, Failure> {
    let Wanted { file, force, redact } = *wanted;
    let reading = request::reading(flags, matches, false)?;
    request::check_files(flags, [file])?;
    let is_stdout = file.as_os_str() == "-";
    if !force && !is_stdout && std::fs::metadata(file).is_ok_and(|found| found.is_file()) {
        return Err(Failure::new(format!("{} exists already", file.display()))
            .hint("give --force to replace it, or another name"));
    }
    let (observed, masker) = match run::collect(&reading) {
        Ok(collected) => (collected.observed, collected.masker),
        Err(uncollected) => return uncollected.end(),
    };
    for gap in observed.unread() {
        let reason = sentences::gap_reason(&GapReason::Read(gap));
        message::warn(&format!("the snapshot is not whole: {reason}"));
    }
    let mut bytes = Vec::new();
    snapshot::save(&observed, redact, &mut bytes)
        .map_err(|error| Failure::new("cannot put the snapshot together").because(error.to_string()))?;
    // The same values, but safe to look at on a terminal.
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    let text = escape::json(&text);
    let text = without_commands(&text, Escapes::JSON);
    let text = masker.mask_report(text.into_owned().into_bytes());
    if is_stdout {
        return super::print(&text);
    }
    output::file(file, &text).map_err(|error| Failure::from_error(&error))?;
    let nodes = sentences::count(observed.nodes.items().len(), "node");
    let pods = sentences::count(observed.pods.items().len(), "component pod");
    let share = if redact {
        "names are replaced by stand-ins, so it is safe to share"
    } else {
        "it holds the names of the cluster: use --redact for a file to share"
    };
    message::note(
        &format!("wrote {} ({nodes}, {pods}); {share}", file.display()),
        true,
    );
    Ok(0)
}
