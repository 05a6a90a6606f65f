//! What to say to a command line that cannot be read: one line that names the word and the nearest right one,
//! and a line that says where to look. clap finds the mistake; its wording and its exit code stay here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::message::Failure;

/// The nearest of some words to a mistyped one, where one is near.
pub(super) fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&typed, word), word))
        .filter(|(distance, word)| *distance <= (word.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// What clap found wrong, in our words.
pub(super) fn failure(error: &clap::Error, command: &clap::Command) -> Failure {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg).map_or_else(|| "a flag".to_owned(), spelled);
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => unknown_word(&flag, command),
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_word(word, command)
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            usage(format!("{flag} needs a value{}", choices(error)))
        }
        ErrorKind::InvalidValue => usage(format!(
            "{flag} cannot be \"{}\"{}",
            value.escape_debug(),
            choices(error)
        )),
        // The value's own error names it and says what was expected.
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(source) => usage(flag).because(source.to_string()),
            None => usage(format!("{flag} cannot be \"{}\"", value.escape_debug())),
        },
        ErrorKind::NoEquals => usage(format!("{flag} takes its value behind a =")),
        ErrorKind::ArgumentConflict => {
            let other = text(ContextKind::PriorArg).map_or_else(|| "another flag".to_owned(), spelled);
            usage(format!("{flag} cannot be used together with {other}"))
        }
        ErrorKind::MissingRequiredArgument => usage(format!("{flag} is missing")),
        ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => {
            usage(format!("{flag} takes no value like \"{}\"", value.escape_debug()))
        }
        ErrorKind::InvalidUtf8 => usage("a word of the command line is not UTF-8".to_owned()),
        _ => {
            let said = error.to_string();
            let line = said.lines().next().unwrap_or_default();
            usage(line.trim_start_matches("error: ").to_owned())
        }
    }
}

/// A usage failure with the line that says where to look.
pub(super) fn usage(message: String) -> Failure {
    Failure::new(message).hint("see 'kubectl skew --help'")
}

/// A flag without clap's placeholder for its value.
fn spelled(argument: &str) -> String {
    argument
        .split([' ', '=', '['])
        .next()
        .unwrap_or(argument)
        .to_owned()
}

fn choices(error: &clap::Error) -> String {
    if let Some(ContextValue::String(near)) = error.get(ContextKind::SuggestedValue) {
        return format!("; did you mean {near}?");
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(valid)) if valid.len() == 1 => format!("; it can be {}", valid[0]),
        Some(ContextValue::Strings(valid)) if !valid.is_empty() => {
            // Booleans have a dozen spellings; the first two say enough.
            let shown = if valid.iter().any(|word| word == "true") {
                &valid[..2]
            } else {
                &valid[..]
            };
            format!("; it is one of {}", shown.join(", "))
        }
        _ => String::new(),
    }
}

/// A flag, command or stray word that is none of ours.
fn unknown_word(word: &str, command: &clap::Command) -> Failure {
    let shown = word.escape_debug();
    if let Some(long) = word.strip_prefix("--") {
        let flags = command
            .get_arguments()
            .filter(|flag| !flag.is_hide_set())
            .flat_map(|flag| flag.get_long_and_visible_aliases().unwrap_or_default());
        // The word that most other tools have for it.
        let near = if long == "to" {
            Some("target")
        } else {
            nearest(long, flags)
        };
        return usage(match near {
            Some(near) => format!("unknown flag {shown}; did you mean --{near}?"),
            None => format!("unknown flag {shown}"),
        });
    }
    if word.starts_with('-') {
        return usage(format!("unknown flag {shown}"));
    }
    if word.parse::<crate::policy::question::Target>().is_ok() {
        return usage(format!(
            "unknown command \"{shown}\"; did you mean --target {shown}?"
        ));
    }
    if word.contains(['/', '.']) {
        return usage(format!(
            "unknown command \"{shown}\"; did you mean -f {shown}, to judge a dump?"
        ));
    }
    let commands = command
        .get_subcommands()
        .filter(|known| !known.is_hide_set())
        .map(clap::Command::get_name);
    usage(match nearest(word, commands) {
        Some(near) => format!("unknown command \"{shown}\"; did you mean {near}?"),
        None => format!("unknown command \"{shown}\""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        assert_eq!(nearest("jsno", ["json", "yaml", "junit"]), Some("json"));
        assert_eq!(nearest("JSON", ["json", "yaml"]), Some("json"));
        assert_eq!(nearest("tarrget", ["target", "token"]), Some("target"));
        assert_eq!(nearest("banana", ["json", "yaml"]), None);
    }
}
