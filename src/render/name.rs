//! `node/NAME` of each node that must move first, a line each, for `xargs`. Whatever else there is to say
//! (the verdict, the gaps) would be taken for a name here: [`super::aside`] gives it to standard error.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::escape::visible;
use crate::report::Report;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let nodes: BTreeSet<&String> = report.path.iter().flat_map(|hop| &hop.move_first).collect();
    for node in nodes {
        writeln!(out, "node/{}", visible(node))?;
    }
    Ok(())
}
