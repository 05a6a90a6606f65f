//! What an operator types for each step of a plan. [`table`] has a row a platform and kind of step; [`fill`] puts the
//! names of this cluster into it, quoted for a shell. Nothing here is ever run.

mod fill;
mod table;

pub(super) use fill::add_commands;
pub use fill::{no_command, variables};
pub use table::{COMMANDS, CommandRow, NO_COMMANDS, NoCommand, Scope, VARIABLES};

#[cfg(test)]
mod tests;
