//! The command line from outside: help, exit codes, what goes to which stream, and an answer to every mistake.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod command;
mod commands;
mod mistakes;
mod runbook;
mod streams;
