//! The command line: what was typed, what is asked, and where the stages meet.
//!
//! [`flags`] is what can be typed and [`values`] how a value is read; [`usage`] answers mistakes. [`request`]
//! settles what the flags ask for together, and [`run`] is the program in short: it leads one cluster through all
//! stages. The other commands are [`demo`], [`explain`], [`save`] and [`completion`]. Standard output carries the
//! report alone ([`output`]); warnings and errors go to standard error ([`message`]).

mod completion;
mod demo;
mod explain;
mod flags;
mod message;
mod output;
mod request;
mod run;
mod save;
mod terminal;
mod usage;
mod values;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};

use flags::{Command, CommandLine, group};
use message::Failure;
use output::Reader;

/// The exit code of whatever kept the cluster from being judged.
const FAILED: u8 = 1;

/// The name under which kubectl looks for a plugin's completion.
const COMPLETE_NAME: &str = "kubectl_complete-skew";

/// Runs the command line and says how it ended.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    message::speak_of_panics();
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_default();
    let arguments: Vec<OsString> = arguments.collect();
    let is_completer = Path::new(&program)
        .file_stem()
        .is_some_and(|name| name == COMPLETE_NAME);
    if is_completer {
        return completion::complete(&arguments);
    }
    if arguments.first().is_some_and(|word| word == "__complete") {
        return completion::complete(&arguments[1..]);
    }
    match dispatch(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print();
            ExitCode::from(FAILED)
        }
    }
}

/// The command line's definition, complete.
fn command() -> clap::Command {
    let mut command = CommandLine::command();
    command.build();
    for (name, foreign) in FOREIGN {
        command = command.mut_subcommand(name, |sub| {
            sub.mut_args(|flag| {
                let is_foreign = flag
                    .get_help_heading()
                    .is_some_and(|heading| foreign.contains(&heading));
                if is_foreign { flag.hide(true) } else { flag }
            })
        });
    }
    command
}

/// Flags that every command takes, whatever their group: how its words look, and what it says of its requests.
fn is_common(flag: &str) -> bool {
    matches!(flag, "--color" | "--v")
}

/// The groups of flags that a command does not take.
const FOREIGN: [(&str, &[&str]); 5] = [
    ("demo", &[group::CONNECTION, group::DUMPS]),
    ("explain", &[group::OUTPUT]),
    (
        "save",
        &[group::TARGET, group::WHAT_IF, group::GATE, group::OUTPUT],
    ),
    ("completion", &group::ALL),
    ("man", &group::ALL),
];

fn dispatch(arguments: &[OsString]) -> Result<u8, Failure> {
    let command = command();
    let words = std::iter::once(OsString::from("kubectl skew")).chain(arguments.iter().cloned());
    let matches = match command.clone().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return mistaken(&error, &command),
    };
    let flags = CommandLine::from_arg_matches(&matches).map_err(|error| usage::failure(&error, &command))?;
    if let Some((name, inner)) = matches.subcommand() {
        let foreign = FOREIGN.iter().find(|(known, _)| *known == name);
        let foreign = foreign.map_or(&[][..], |(_, groups)| groups);
        if let Some(flag) = request::typed_of(inner, foreign)
            .into_iter()
            .find(|flag| !is_common(flag))
        {
            return Err(usage::usage(format!("kubectl skew {name} does not take {flag}")));
        }
    }
    match &flags.command {
        None => run::judge(&flags, &matches, false),
        Some(Command::Demo) => run::judge(&demo::with_defaults(flags), &matches, true),
        Some(Command::Explain { key }) => explain::explain(&flags, &matches, key.as_deref()),
        Some(Command::Save { file, force, redact }) => {
            let wanted = save::Wanted {
                file,
                force: *force,
                redact: *redact,
            };
            save::save(&flags, &matches, &wanted)
        }
        Some(Command::Completion { shell, install }) => completion::script(*shell, *install),
        Some(Command::Man) => manual(&command),
    }
}

/// Help and version are answers; everything else is a mistake.
fn mistaken(error: &clap::Error, command: &clap::Command) -> Result<u8, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // clap colours help by the terminal itself.
            match error.print() {
                Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
                    Err(Failure::from_error(&output::OutputError::Stdout(source)))
                }
                _ => Ok(0),
            }
        }
        _ => Err(usage::failure(error, command)),
    }
}

/// The man page.
fn manual(command: &clap::Command) -> Result<u8, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .title("KUBECTL-SKEW")
        .render(&mut page)
        .map_err(|error| Failure::new("cannot write the man page").because(error.to_string()))?;
    print(&page)
}

/// Writes an answer that has no gate.
fn print(bytes: &[u8]) -> Result<u8, Failure> {
    match output::stdout(bytes) {
        Ok(Reader::Stayed | Reader::Left) => Ok(0),
        Err(error) => Err(Failure::from_error(&error)),
    }
}
