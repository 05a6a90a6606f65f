//! What is said on stderr while a cluster is read: a server's warnings, requests at `-v=6` and above, and how
//! far the reading has come. Nothing that was given to it as a secret is ever written.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::Timestamp;

use crate::collect::masking::{Masker, SecretString, cut};

use crate::ci_commands::{Escapes, without_commands};

/// Stderr, shared by everything that reads.
pub struct Console {
    verbosity: i32,
    state: Mutex<State>,
}

struct State {
    out: Box<dyn Write + Send>,
    warned: BTreeSet<String>,
    masker: Masker,
    bar: ProgressBar,
}

impl Console {
    /// Speaks on stderr.
    pub fn stderr(verbosity: i32) -> Self {
        Self::to(verbosity, Box::new(io::stderr()))
    }

    /// Speaks to this writer.
    pub fn to(verbosity: i32, out: Box<dyn Write + Send>) -> Self {
        Self {
            verbosity,
            state: Mutex::new(State {
                out,
                warned: BTreeSet::new(),
                masker: Masker::default(),
                bar: ProgressBar::hidden(),
            }),
        }
    }

    /// Whether requests are shown in such detail.
    pub(crate) fn is_enabled(&self, verbosity: i32) -> bool {
        self.verbosity >= verbosity
    }

    /// Adds texts that must never be shown.
    pub(crate) fn add_secrets(&self, secrets: impl IntoIterator<Item = SecretString>) {
        self.state().masker.add(secrets);
    }

    /// The credentials that are known.
    pub(crate) fn masker(&self) -> Masker {
        self.state().masker.clone()
    }

    /// A text of somebody else, who may have sent a secret back.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.state().masker.mask(text)
    }

    /// A warning, shown once.
    pub(crate) fn warn(&self, text: &str) {
        let mut state = self.state();
        let text = cut(&state.masker.mask(text));
        if state.warned.insert(text.clone()) {
            state.say(&format!("Warning: {text}"));
        }
    }

    /// A line about a request, where requests are shown in such detail.
    pub(crate) fn log(&self, verbosity: i32, text: &str) {
        if self.is_enabled(verbosity) {
            let head = klog_head(Timestamp::now());
            self.state().say(&format!("{head}{text}"));
        }
    }

    /// Shows how far the reading has come, on a terminal only.
    pub(crate) fn progress(&self, text: String) {
        let mut state = self.state();
        if state.bar.is_hidden() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            state.bar = bar.with_style(ProgressStyle::default_spinner());
        }
        state.bar.set_message(text);
        state.bar.tick();
    }

    /// Takes the progress off the terminal.
    pub(crate) fn done(&self) {
        self.state().bar.finish_and_clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn say(&mut self, text: &str) {
        let text = self.masker.mask(text);
        let text = without_commands(&text, Escapes::SHOWN);
        let Self { out, bar, .. } = self;
        // A closed stderr is no reason to stop.
        bar.suspend(|| drop(writeln!(out, "{text}")));
    }
}

/// The head of a line as klog writes it, in UTC.
fn klog_head(now: Timestamp) -> String {
    let at = now.strftime("%m%d %H:%M:%S%.6f");
    format!("I{at} {:>7} kubectl-skew] ", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Ear(Arc<Mutex<Vec<u8>>>);

    impl Write for Ear {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn heard(verbosity: i32, speak: impl FnOnce(&Console)) -> String {
        let ear = Ear::default();
        speak(&Console::to(verbosity, Box::new(ear.clone())));
        let heard = ear.0.lock().unwrap().clone();
        String::from_utf8(heard).unwrap()
    }

    #[test]
    fn a_warning_is_shown_once_and_escaped() {
        let heard = heard(0, |console| {
            console.warn("old \u{1b}[31mapi");
            console.warn("old \u{1b}[31mapi");
            console.warn("older api");
        });
        assert_eq!(heard, "Warning: old \\u{1b}[31mapi\nWarning: older api\n");
    }

    #[test]
    fn requests_are_shown_from_their_level_on_and_without_secrets() {
        let speak = |console: &Console| {
            console.add_secrets([SecretString::new("t0ken"), SecretString::new("x")]);
            console.log(6, "\"Response\" url=https://x?t0ken");
        };
        assert_eq!(heard(5, speak), "");
        assert!(heard(6, speak).ends_with("\"Response\" url=https://x?<masked>\n"));
        heard(0, |console| {
            console.add_secrets([SecretString::new("t0ken")]);
            assert_eq!(console.mask("no t0ken"), "no <masked>");
        });
    }

    #[test]
    fn the_head_is_klogs() {
        let head = klog_head("2026-11-29T12:34:56.789Z".parse().unwrap());
        assert!(head.starts_with("I1129 12:34:56.789000 "), "{head}");
    }
}
