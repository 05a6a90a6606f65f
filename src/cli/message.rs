//! What is said on standard error: warnings and the one error that ends a run, its chain printed once, with the
//! line that says what to type next. Everything in them that comes from a cluster or a file is escaped.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;

use crate::ci_commands::{Escapes, without_commands};
use crate::render::escape::{ascii, visible};

/// Why the run ends without a report.
#[derive(Debug)]
pub(super) struct Failure {
    /// What failed, from the outermost to the root.
    chain: Vec<String>,
    /// What to type next.
    hint: Option<String>,
}

impl Failure {
    /// A failure of these words.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            chain: vec![message.into()],
            hint: None,
        }
    }

    /// An error and its sources.
    pub(super) fn from_error(error: &dyn Error) -> Self {
        let mut chain = vec![error.to_string()];
        let mut source = error.source();
        while let Some(cause) = source {
            chain.push(cause.to_string());
            source = cause.source();
        }
        Self { chain, hint: None }
    }

    /// The same with its cause.
    #[must_use]
    pub(super) fn because(mut self, cause: impl Into<String>) -> Self {
        self.chain.push(cause.into());
        self
    }

    /// The same with what to type next.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The text of it: `error: …` and the hint on a line of its own.
    fn text(&self) -> String {
        let mut text = format!("error: {}\n", self.line());
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "{}", shown(hint));
        }
        text
    }

    /// The chain in one line, whatever line breaks a path or a name in it has.
    pub(super) fn line(&self) -> String {
        let mut said: Vec<&str> = Vec::new();
        for link in &self.chain {
            // Libraries like to repeat their cause; once is enough.
            if said.iter().any(|earlier| earlier.contains(link.as_str())) {
                continue;
            }
            said.push(link);
        }
        visible(&said.join(": ")).into_owned()
    }

    /// Prints it as the error that ends the run.
    pub(super) fn print(&self) {
        say(&self.text());
    }
}

/// Makes a panic end the run as every other failure does: with words that say what to do, and without a report.
pub(super) fn speak_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let said = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        own_fault(said.unwrap_or("it did not say why"), &place).print();
        #[expect(
            clippy::exit,
            reason = "a panic in any thread ends the run; nothing may judge on"
        )]
        std::process::exit(i32::from(super::FAILED));
    }));
}

/// A fault of this program and of nothing that it was given.
fn own_fault(said: &str, place: &str) -> Failure {
    Failure::new("kubectl-skew itself broke, and nothing was judged")
        .because(format!("{said} ({place})"))
        .hint(format!(
            "please report it with these words at {}/issues, with the dump where there is one (\"kubectl skew save --redact FILE\")",
            env!("CARGO_PKG_REPOSITORY")
        ))
}

/// Prints a warning: one line, whatever line breaks are in it.
pub(super) fn warn(message: &str) {
    say(&format!("Warning: {}\n", visible(message)));
}

/// Prints what a format on standard output has no room for.
pub(super) fn note(line: &str, is_utf8: bool) {
    let line = visible(line);
    if is_utf8 {
        say(&format!("{line}\n"));
    } else {
        say(&format!("{}\n", ascii(&line)));
    }
}

/// Writes to standard error; where that is closed there is nobody to tell.
fn say(text: &str) {
    let text = without_commands(text, Escapes::SHOWN);
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Text with every character escaped that could move a terminal or hide; line breaks of ours stay.
pub(super) fn shown(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_our_own_says_where_to_take_it() {
        let text = own_fault("index out of bounds", "src/x.rs:1:2").text();
        assert!(text.starts_with(
            "error: kubectl-skew itself broke, and nothing was judged: index out of bounds (src/x.rs:1:2)\n"
        ));
        assert!(text.contains("/issues"), "{text}");
    }

    #[test]
    fn a_chain_is_printed_once_with_its_hint() {
        let failure = Failure::new("cannot read a.json: no such file")
            .because("no such file")
            .because("deeper")
            .hint("check the path");
        assert_eq!(
            failure.text(),
            "error: cannot read a.json: no such file: deeper\ncheck the path\n"
        );
    }

    #[test]
    fn what_could_move_a_terminal_is_escaped() {
        assert_eq!(shown("a\u{1b}[2Jb\r\u{202e}\nc"), "a\\u{1b}[2Jb\\r\\u{202e}\nc");
    }
}
