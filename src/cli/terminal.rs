//! What the terminal is and bears: its size, colour, and whether signs beyond ASCII may be used. The only place
//! that asks; the renderers are told.

use std::ffi::OsString;
use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// As the terminal and the environment say.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What there is to know of the place that standard output goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terminal {
    /// Its columns, where it is one.
    pub(super) width: Option<usize>,
    /// Its rows, where it is one.
    pub(super) height: Option<usize>,
    /// It is one.
    pub(super) is_there: bool,
    /// The locale is UTF-8.
    pub(super) utf8: bool,
}

impl Terminal {
    /// Asks the system and the environment.
    pub(super) fn of_stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let size = is_terminal
            .then(|| terminal_size::terminal_size_of(std::io::stdout()))
            .flatten();
        Self {
            width: size.map(|(columns, _)| usize::from(columns.0)).filter(|n| *n > 0),
            height: size.map(|(_, rows)| usize::from(rows.0)).filter(|n| *n > 0),
            is_there: is_terminal,
            utf8: is_utf8(|name| std::env::var_os(name)),
        }
    }
}

/// Whether colour is wanted and borne: the flag, then `NO_COLOR` (present at all, as kubectl has it), then
/// `CLICOLOR_FORCE`, then the terminal.
pub(super) fn is_colored(
    flag: Color,
    is_terminal: bool,
    variable: impl Fn(&str) -> Option<OsString>,
) -> bool {
    match flag {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            if variable("NO_COLOR").is_some() {
                return false;
            }
            if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") {
                return true;
            }
            is_terminal && variable("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Whether the locale is UTF-8: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set decides, as POSIX has it.
/// Windows has no such variables and prints UTF-8.
pub(super) fn is_utf8(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty());
    match set {
        Some(locale) => {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows) || cfg!(target_os = "macos"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        move |name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        }
    }

    #[test]
    fn colour_follows_flag_environment_and_terminal_in_that_order() {
        let auto = |terminal, pairs: &[(&str, &str)]| is_colored(Color::Auto, terminal, environment(pairs));
        assert!(auto(true, &[]));
        assert!(auto(true, &[("TERM", "xterm")]));
        assert!(!auto(false, &[]));
        assert!(!auto(true, &[("TERM", "dumb")]));
        assert!(!auto(true, &[("NO_COLOR", "")]));
        assert!(!auto(true, &[("NO_COLOR", "0"), ("CLICOLOR_FORCE", "1")]));
        assert!(auto(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!auto(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(is_colored(
            Color::Always,
            false,
            environment(&[("NO_COLOR", "1")])
        ));
        assert!(!is_colored(
            Color::Never,
            true,
            environment(&[("CLICOLOR_FORCE", "1")])
        ));
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        assert!(is_utf8(environment(&[("LANG", "de_DE.UTF-8")])));
        assert!(is_utf8(environment(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")])));
        assert!(!is_utf8(environment(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")])));
        assert!(is_utf8(environment(&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")])));
        assert!(!is_utf8(environment(&[("LC_ALL", "POSIX")])));
    }
}
