//! A text that is never shown: tokens, keys, passwords. What prints it is told where it is used.

use std::fmt;

use serde::Deserialize;

/// A credential; `Debug` and `Display` hide it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct SecretString(String);

impl SecretString {
    /// Keeps a text from being shown.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that sends it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<masked>")
    }
}

impl fmt::Display for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<masked>")
    }
}

/// A server's text is cut here: a proxy's error page must not fill the screen.
const SHOWN: usize = 300;

/// A text of somebody else on one line: control characters escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if matches!(c, '"' | '\'' | '\\') {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
    }
    shown
}

/// A text of somebody else on one line: control characters escaped, and not too long.
pub(crate) fn cut(text: &str) -> String {
    let mut shown = escaped(&text.trim().chars().take(SHOWN).collect::<String>());
    if text.trim().chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown_by_any_formatter() {
        let secret = SecretString::new("hunter2");
        assert_eq!(
            format!("{secret} {secret:?} {:?}", Some(&secret)),
            "<masked> <masked> Some(<masked>)"
        );
        assert_eq!(secret.expose(), "hunter2");
    }
}
