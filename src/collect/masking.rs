//! Credentials that are never shown, and texts of others made fit to be shown: known credentials masked, cut to a
//! length, control characters escaped, in this order, so that no half of a credential is left at a cut.

use std::fmt;

use serde::Deserialize;

/// What stands in the place of a credential, as in kubectl.
const MASK: &str = "<masked>";

/// The same in a report, whatever its format: HTML and XML must still read.
const MASK_IN_REPORT: &str = "[masked]";

/// A text of somebody else is cut here: a proxy's error page must not fill the screen.
const LONGEST: usize = 300;

/// A credential; `Debug` and `Display` hide it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct SecretString(String);

impl SecretString {
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
        f.write_str(MASK)
    }
}

impl fmt::Display for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// The credentials of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masker {
    /// The longest first: one may be a part of another.
    secrets: Vec<SecretString>,
}

impl Masker {
    /// What is shorter would mask every second word, and is no credential.
    const SHORTEST: usize = 4;
    /// So much of the beginning of a credential is masked too: a server may have cut what it repeats.
    const BEGINNING: usize = 12;
    /// A report names objects of the cluster, which a short password may be a part of.
    const SHORTEST_IN_REPORT: usize = 16;

    pub(crate) fn add(&mut self, secrets: impl IntoIterator<Item = SecretString>) {
        for secret in secrets {
            let text = secret.expose();
            // As JSON holds it.
            let quoted = serde_json::Value::from(text).to_string();
            let inner = quoted[1..quoted.len() - 1].to_owned();
            if text.len() >= Self::SHORTEST {
                self.secrets
                    .extend((inner != text).then(|| SecretString::new(inner)));
                self.secrets.push(secret);
            }
        }
        self.secrets
            .sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    }

    /// A text without the credentials in it.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.replace(text, MASK, Self::SHORTEST)
    }

    /// A whole report without the credentials in it.
    pub(crate) fn mask_report(&self, report: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(report) {
            Ok(text) => self
                .replace(&text, MASK_IN_REPORT, Self::SHORTEST_IN_REPORT)
                .into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }

    fn replace(&self, text: &str, mask: &str, shortest: usize) -> String {
        let secrets = self.secrets.iter().map(SecretString::expose);
        secrets
            .filter(|secret| secret.len() >= shortest)
            .fold(text.to_owned(), |text, secret| replaced(&text, secret, mask))
    }
}

/// A text in which a mask stands for a secret and for longer beginnings of it.
fn replaced(text: &str, secret: &str, mask: &str) -> String {
    let beginning = secret.char_indices().nth(Masker::BEGINNING);
    let beginning = beginning.map_or(secret, |(end, _)| &secret[..end]);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(beginning) {
        let (before, found) = rest.split_at(at);
        let alike = found.chars().zip(secret.chars()).take_while(|(a, b)| a == b);
        let length: usize = alike.map(|(c, _)| c.len_utf8()).sum();
        shown.extend([before, mask]);
        rest = &found[length..];
    }
    shown + rest
}

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

/// A text of somebody else on one line, and not too long. What may hold a credential is masked before.
pub(crate) fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masker<const N: usize>(secrets: [&str; N]) -> Masker {
        let mut masker = Masker::default();
        masker.add(secrets.map(SecretString::new));
        masker
    }

    #[test]
    fn a_secret_is_not_shown_by_any_formatter() {
        let secret = SecretString::new("hunter2");
        let shown = format!("{secret} {secret:?} {:?}", Some(&secret));
        assert_eq!(shown, "<masked> <masked> Some(<masked>)");
        assert_eq!(secret.expose(), "hunter2");
    }

    #[test]
    fn what_is_known_is_masked_in_every_form() {
        let masker = masker(["t0psecret-token-of-ann", "pa55\"word", "abc", "pa55"]);
        for (text, shown) in [
            (
                "no t0psecret-token-of-ann, t0psecret-token-of-ann",
                "no <masked>, <masked>",
            ),
            ("cut: t0psecret-token-of", "cut: <masked>"),
            ("cut: t0psecret-to…", "cut: <masked>…"),
            ("short: t0psecret-", "short: t0psecret-"),
            (r#"{"m":"pa55\"word"}"#, r#"{"m":"<masked>"}"#),
            ("pa55\"word and pa55", "<masked> and <masked>"),
            ("abc", "abc"),
        ] {
            assert_eq!(masker.mask(text), shown);
        }
    }

    #[test]
    fn a_report_keeps_names_that_a_short_password_is_part_of() {
        let masker = masker(["worker", "t0psecret-token-of-ann"]);
        let report = masker.mask_report(b"worker-1 v1.36.0-t0psecret-token-of-ann".to_vec());
        assert_eq!(String::from_utf8(report).unwrap(), "worker-1 v1.36.0-[masked]");
        assert_eq!(masker.mask_report(vec![0xff]), [0xff]);
    }

    #[test]
    fn a_text_of_somebody_else_is_one_short_line() {
        assert_eq!(cut(" a\n\u{1b}[2J\"b\" "), "a\\n\\u{1b}[2J\"b\"");
        let long = cut(&"x".repeat(1_000));
        assert_eq!((long.chars().count(), long.ends_with('…')), (301, true));
    }
}
