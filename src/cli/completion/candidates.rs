//! Candidates for the words typed so far, in the lines that kubectl reads from a plugin's completer. Names come from the
//! kubeconfig alone; only namespaces are asked of the cluster, by kubectl and for two seconds at most.
//!
//! The protocol: <https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/kubectl/pkg/cmd/plugin/plugin_completion.go>

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use jiff::Timestamp;

use super::kubeconfig;
use crate::cli::output;
use crate::inventory::component::Component;
use crate::policy::rules;
use crate::render::Format;

/// Cobra's directives, as bits: do not add a space …
const NO_SPACE: u8 = 2;
/// … and do not complete file names.
const NO_FILES: u8 = 4;

/// Prints the candidates for the last of `words`. Whatever goes wrong, a completer stays silent.
pub(in crate::cli) fn complete(words: &[OsString]) -> ExitCode {
    let words: Vec<OsString> = if words.is_empty() {
        vec![OsString::new()]
    } else {
        words.to_vec()
    };
    let mut typed = vec![OsString::from("kubectl-skew")];
    typed.extend(words.iter().cloned());
    let last = typed.len() - 1;
    let directory = std::env::current_dir().ok();
    let mut command = with_candidates(crate::cli::command(), &words);
    let mut candidates =
        clap_complete::engine::complete(&mut command, typed, last, directory.as_deref()).unwrap_or_default();
    // As in kubectl, a new word is offered flags only where nothing else can stand.
    let is_flag =
        |candidate: &CompletionCandidate| candidate.get_value().as_encoded_bytes().starts_with(b"-");
    let is_new = words.last().is_some_and(|word| word.is_empty());
    if is_new && !candidates.iter().all(is_flag) {
        candidates.retain(|candidate| !is_flag(candidate));
    }
    match output::stdout(lines(&candidates).as_bytes()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The candidates as kubectl reads them: a value, a tab and its help a line, then the directive.
fn lines(candidates: &[CompletionCandidate]) -> String {
    let mut text = String::new();
    let mut all_directories = !candidates.is_empty();
    for candidate in candidates.iter().filter(|candidate| !candidate.is_hide_set()) {
        // What is no UTF-8 or holds a line break cannot be typed back from a line, and what begins with a colon reads as the
        // directive.
        let Some(value) = candidate
            .get_value()
            .to_str()
            .filter(|value| !value.contains(char::is_control) && !value.starts_with(':'))
        else {
            continue;
        };
        all_directories &= value.ends_with(['/', '=']);
        text.push_str(value);
        let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        if let Some(help) = help.lines().next().filter(|help| !help.is_empty()) {
            text.push('\t');
            text.push_str(help);
        }
        text.push('\n');
    }
    let directive = if all_directories && !text.is_empty() {
        NO_FILES | NO_SPACE
    } else {
        NO_FILES
    };
    text + &format!(":{directive}\n")
}

/// The definition with what only completion knows: the names of the kubeconfig, keys and minors.
fn with_candidates(command: Command, words: &[OsString]) -> Command {
    let flags: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let config = kubeconfig::Names::read(value_of(&flags, "--kubeconfig"));
    let contexts = candidates(config.contexts.clone());
    let clusters = candidates(config.clusters.clone());
    let users = candidates(config.users.clone());
    let minors = candidates(minors(Timestamp::now().as_second()));
    let mut targets = vec![
        "next".to_owned(),
        "+1".to_owned(),
        "+2".to_owned(),
        "+3".to_owned(),
    ];
    targets.extend(minors_now());
    let targets = candidates(targets);
    let namespaces = ArgValueCandidates::new(move || {
        kubeconfig::namespaces(value_of(&flags, "--kubeconfig"), value_of(&flags, "--context"))
            .into_iter()
            .map(CompletionCandidate::new)
            .collect()
    });
    let add = |command: Command, id: &'static str, values: ArgValueCandidates| {
        let add_to = |command: Command| {
            if command.get_arguments().any(|flag| flag.get_id() == id) {
                command.mut_arg(id, |flag| flag.add(values.clone()))
            } else {
                command
            }
        };
        add_to(command).mut_subcommands(add_to)
    };
    let command = add(command, "context", contexts);
    let command = add(command, "cluster", clusters);
    let command = add(command, "user", users);
    let command = add(command, "target", targets);
    let command = add(command, "server_version", minors.clone());
    let command = add(command, "kubectl_version", minors);
    let command = add(command, "namespace", namespaces);
    let command = add(command, "assume", candidates(assumable()));
    let command = add(command, "exclude", candidates(SELECTORS.map(ToOwned::to_owned)));
    let formats = Format::ALL.map(|format| format!("{format}="));
    let command = add(command, "output_file", candidates(formats));
    add(command, "key", candidates(keys()))
}

fn candidates(values: impl IntoIterator<Item = String>) -> ArgValueCandidates {
    let values: Vec<String> = values.into_iter().collect();
    ArgValueCandidates::new(move || values.iter().map(CompletionCandidate::new).collect())
}

/// The rules' keys, as far as they are the same for every finding.
fn keys() -> impl Iterator<Item = String> {
    rules::ALL
        .iter()
        .map(|rule| rule.stem().trim_end_matches('/').to_owned())
}

/// What begins a selector of nodes.
const SELECTORS: [&str; 2] = ["node/", "pool/"];

/// What may stand before the minor of an assumption, up to where names of the cluster begin.
fn assumable() -> impl Iterator<Item = String> {
    let components = Component::ALL
        .iter()
        .filter(|component| **component != Component::Kubectl)
        .map(|component| format!("{component}="));
    SELECTORS.iter().map(ToString::to_string).chain(components)
}

fn minors_now() -> Vec<String> {
    minors(Timestamp::now().as_second())
}

/// The minors that a cluster of that day is likely to run or to be moved to, newest first. 1.35 came out in
/// December 2025, and three follow each year; these are suggestions, any other minor is as good.
fn minors(second: i64) -> Vec<String> {
    const DECEMBER_2025: i64 = 1_764_547_200;
    const SECONDS_A_MINOR: i64 = 365 * 86_400 / 3;
    let newest = 35 + ((second - DECEMBER_2025) / SECONDS_A_MINOR).clamp(0, 1_000);
    (newest - 6..=newest + 1)
        .rev()
        .map(|minor| format!("1.{minor}"))
        .collect()
}

/// The value that a flag was given among the words, behind a space or a `=`.
fn value_of<'a>(words: &'a [String], flag: &str) -> Option<&'a str> {
    let behind = words
        .iter()
        .position(|word| word == flag)
        .and_then(|at| words.get(at + 1));
    let joined = || {
        words
            .iter()
            .find_map(|word| word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')))
    };
    behind.map(String::as_str).or_else(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minors_follow_the_calendar() {
        // 30 November 2026.
        let minors = minors(1_796_000_000);
        assert_eq!(minors.first().map(String::as_str), Some("1.38"));
        assert!(minors.contains(&"1.37".to_owned()));
        assert!(minors.contains(&"1.32".to_owned()));
    }

    #[test]
    fn what_is_offered_for_an_assumption_begins_one() {
        for text in assumable() {
            let whole = if text.ends_with('/') {
                format!("{text}a=1.36")
            } else {
                format!("{text}1.36")
            };
            assert!(
                whole.parse::<crate::inventory::assumption::Assumption>().is_ok(),
                "{whole}"
            );
        }
    }

    #[test]
    fn a_flag_has_its_value_behind_a_space_or_an_equals_sign() {
        let words = ["--context", "a", "--kubeconfig=b"].map(String::from);
        assert_eq!(value_of(&words, "--context"), Some("a"));
        assert_eq!(value_of(&words, "--kubeconfig"), Some("b"));
        assert_eq!(value_of(&words, "--user"), None);
    }

    #[test]
    fn candidates_are_lines_and_a_directive() {
        let plain = CompletionCandidate::new("--target").help(Some("Where to".into()));
        assert_eq!(lines(&[plain]), "--target\tWhere to\n:4\n");
        assert_eq!(lines(&[CompletionCandidate::new("dumps/")]), "dumps/\n:6\n");
        for odd in ["a\nb", ":2", ":0+x[$(touch pwned)]"] {
            assert_eq!(lines(&[CompletionCandidate::new(odd)]), ":4\n");
        }
        assert_eq!(lines(&[]), ":4\n");
    }
}
