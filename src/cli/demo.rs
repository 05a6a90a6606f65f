//! The example: a cluster built into the binary, read like any dump, so that everything but the connection can be
//! tried without a cluster. Its objects stand in `demo.yaml`.

use super::flags::CommandLine;
use crate::collect::dump::Input;
use crate::inventory::version::Minor;
use crate::policy::question::{FailOn, Target};

/// Where the example's control plane is asked to go, where the user does not say.
const TARGET: Minor = Minor::new(37);

/// The first line of what a person reads of it. Programs are told by the report's mode.
pub(super) const NOTICE: &str = "EXAMPLE: a cluster built into kubectl skew; none was asked\n\n";

/// The example's objects.
pub(super) fn input() -> Input {
    Input::Bytes {
        name: "example".to_owned(),
        bytes: include_bytes!("demo.yaml"),
    }
}

/// The flags with the example's own defaults: a target that shows a path, and a gate that never fails.
pub(super) fn with_defaults(mut flags: CommandLine) -> CommandLine {
    flags.target.target = flags.target.target.or(Some(Target::Minor(TARGET)));
    flags.gate.fail_on = flags.gate.fail_on.or(Some(FailOn::Never));
    flags
}
