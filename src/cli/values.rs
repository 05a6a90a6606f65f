//! How the value of a flag is read: words of a fixed list, and the shapes that are refused before any request.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, PossibleValuesParser, TypedValueParser};

use super::terminal::Color;
use crate::inventory::assumption::Assumption;
use crate::inventory::selector::{NodeSelector, Selector};
use crate::inventory::version::Version;
use crate::policy::platforms::{self, PolicyChoice};
use crate::policy::question::{FailOn, Target};
use crate::policy::verdict::Severity;
use crate::render::{Format, GroupBy, SortBy, UnknownFormat};

/// One of a list of words, each with what it means.
fn word<T: Copy + Send + Sync + 'static>(
    words: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let words: Vec<_> = words.into_iter().collect();
    let names: Vec<_> = words.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).map(move |typed| {
        words
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&typed))
            .map(|(_, value)| *value)
            .expect("the parser before lets only these words through")
    })
}

/// A path; an empty one stands for none, as with kubectl's flags.
pub(super) fn path_or_none() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A boolean as kubectl's flag library reads one.
pub(super) fn boolean() -> impl TypedValueParser<Value = bool> {
    word([
        ("true", true),
        ("false", false),
        ("1", true),
        ("0", false),
        ("t", true),
        ("f", false),
        ("T", true),
        ("F", false),
        ("TRUE", true),
        ("FALSE", false),
        ("True", true),
        ("False", false),
    ])
}

/// `--output`.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    word(Format::ALL.into_iter().map(|format| (format.name(), format)))
}

/// `--fail-on`.
pub(super) fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    word([
        ("blocker", FailOn::Severity(Severity::Blocker)),
        ("warning", FailOn::Severity(Severity::Warning)),
        ("never", FailOn::Never),
    ])
}

/// How far a node moves in one roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeStep {
    /// One minor.
    One,
    /// As far as the policy lets it.
    Max,
}

/// `--node-step`.
pub(super) fn node_step() -> impl TypedValueParser<Value = NodeStep> {
    word([("one", NodeStep::One), ("max", NodeStep::Max)])
}

/// `--color`.
pub(super) fn color() -> impl TypedValueParser<Value = Color> {
    word([
        ("auto", Color::Auto),
        ("always", Color::Always),
        ("never", Color::Never),
    ])
}

/// `--sort-by`.
pub(super) fn sort_by() -> impl TypedValueParser<Value = SortBy> {
    word([
        ("name", SortBy::Name),
        ("pool", SortBy::Pool),
        ("version", SortBy::Version),
        ("good-until", SortBy::GoodUntil),
    ])
}

/// `--group-by`.
pub(super) fn group_by() -> impl TypedValueParser<Value = GroupBy> {
    word([
        ("pool", GroupBy::Pool),
        ("version", GroupBy::Version),
        ("zone", GroupBy::Zone),
    ])
}

/// What `completion` prints for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShellName {
    /// bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell.
    PowerShell,
    /// The script that kubectl itself runs to complete a plugin.
    Kubectl,
}

/// The argument of `completion`.
pub(super) fn shell() -> impl TypedValueParser<Value = ShellName> {
    word([
        ("bash", ShellName::Bash),
        ("zsh", ShellName::Zsh),
        ("fish", ShellName::Fish),
        ("powershell", ShellName::PowerShell),
        ("kubectl", ShellName::Kubectl),
    ])
}

/// `--policy`.
pub(super) fn policy() -> impl TypedValueParser<Value = PolicyChoice> {
    PossibleValuesParser::new(platforms::names())
        .map(|name| PolicyChoice::named(&name).expect("the parser before lets only known names through"))
}

/// A text of the shape that `T` reads.
fn shaped<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    clap::builder::StringValueParser::new().try_map(|text| text.parse::<T>())
}

/// `--target`.
pub(super) fn target() -> impl TypedValueParser<Value = Target> {
    shaped()
}

/// `--assume`.
pub(super) fn assumption() -> impl TypedValueParser<Value = Assumption> {
    shaped()
}

/// `--exclude`.
pub(super) fn node_selector() -> impl TypedValueParser<Value = NodeSelector> {
    shaped()
}

/// `--selector`.
pub(super) fn selector() -> impl TypedValueParser<Value = Selector> {
    shaped()
}

/// A version of Kubernetes, kept as it was typed.
pub(super) fn version() -> impl TypedValueParser<Value = String> {
    clap::builder::StringValueParser::new().try_map(|text| text.parse::<Version>().map(|_| text))
}

/// The key of a label, which cannot be empty.
pub(super) fn label_key() -> impl TypedValueParser<Value = String> {
    NonEmptyStringValueParser::new()
}

/// Why a text names no namespace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{}\" is no namespace: one has at most 63 lower-case letters, digits and dashes, and no dash at either end",
    .0.escape_debug()
)]
pub(super) struct NamespaceError(String);

/// `--namespace`; an empty one is none, as kubectl has it.
pub(super) fn namespace() -> impl TypedValueParser<Value = String> {
    clap::builder::StringValueParser::new().try_map(|text| {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let fits = text.len() <= 63 && text.chars().all(allowed);
        if fits && !text.starts_with('-') && !text.ends_with('-') {
            Ok(text)
        } else {
            Err(NamespaceError(text))
        }
    })
}

/// An `--output-file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileFormat {
    /// The format.
    pub(super) format: Format,
    /// The file.
    pub(super) path: PathBuf,
}

/// Why a text is no `FORMAT=PATH`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileFormatError {
    /// There is no `=`.
    #[error("write FORMAT=PATH, for example junit=skew.xml")]
    Shape,
    /// The format is none.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// There is nothing behind the `=`.
    #[error("no file stands behind the =")]
    NoPath,
    /// Standard output has a flag of its own.
    #[error("standard output takes its format from -o")]
    Stdout,
}

impl FromStr for FileFormat {
    type Err = FileFormatError;

    fn from_str(text: &str) -> Result<Self, FileFormatError> {
        let (format, path) = text.split_once('=').ok_or(FileFormatError::Shape)?;
        let format = format.parse()?;
        match path {
            "" => Err(FileFormatError::NoPath),
            "-" => Err(FileFormatError::Stdout),
            path => Ok(Self {
                format,
                path: path.into(),
            }),
        }
    }
}

/// `--output-file`.
pub(super) fn file_format() -> impl TypedValueParser<Value = FileFormat> {
    shaped()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_file_is_a_format_and_a_path() {
        assert_eq!(
            "JUnit=a=b.xml".parse(),
            Ok(FileFormat {
                format: Format::Junit,
                path: "a=b.xml".into()
            })
        );
        assert_eq!("junit".parse::<FileFormat>(), Err(FileFormatError::Shape));
        assert_eq!("junit=".parse::<FileFormat>(), Err(FileFormatError::NoPath));
        assert_eq!("json=-".parse::<FileFormat>(), Err(FileFormatError::Stdout));
        let typo = "jsno=x".parse::<FileFormat>();
        assert!(matches!(typo, Err(FileFormatError::Format(_))), "{typo:?}");
    }
}
