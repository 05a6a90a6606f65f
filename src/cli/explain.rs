//! `explain`: a rule in words, with the numbers of a cluster where one is named. The words are the rule's own, and
//! how they look is the renderer's.

use clap::ArgMatches;

use super::flags::{CommandLine, group};
use super::message::Failure;
use super::{request, run, usage};
use crate::ci_commands::{Escapes, without_commands};
use crate::policy::rules;
use crate::render;

/// Flags that name a cluster: without one of them no cluster is asked.
const NAMING: [&str; 4] = [group::TARGET, group::DUMPS, group::READING, group::CONNECTION];

/// Prints a rule, or the list of all.
pub(super) fn explain(flags: &CommandLine, matches: &ArgMatches, key: Option<&str>) -> Result<u8, Failure> {
    let style = request::showing(&flags.output).style;
    let names_cluster = request::typed_of(matches, &NAMING)
        .iter()
        .any(|flag| !super::is_common(flag));
    let mut text = Vec::new();
    let written = match key {
        None if names_cluster => {
            return Err(usage::usage(
                "name the rule whose numbers are wanted: kubectl skew explain KEY".to_owned(),
            ));
        }
        None => render::explain::list(&style, &mut text),
        Some(key) => {
            let rule = rules::named(key).ok_or_else(|| unknown(key))?;
            let report = if names_cluster {
                let reading = request::reading(flags, matches, false)?;
                let judging = request::judging(flags)?;
                let collected = match run::collect(&reading) {
                    Ok(collected) => collected,
                    Err(uncollected) => return uncollected.end(),
                };
                Some(run::report_of(collected, &reading, &judging)?)
            } else {
                None
            };
            render::explain::rule(rule, report.as_ref(), &style, &mut text)
        }
    };
    written.map_err(|error| Failure::new("cannot write the explanation").because(error.to_string()))?;
    let text = String::from_utf8(text).expect("an explanation is text");
    super::print(without_commands(&text, Escapes::SHOWN).as_bytes())
}

fn unknown(key: &str) -> Failure {
    let names = || rules::ALL.iter().map(|rule| rule.name);
    let near =
        usage::nearest(key, names()).or_else(|| usage::nearest(&format!("version-skew/{key}"), names()));
    let shown = key.escape_debug();
    Failure::new(match near {
        Some(near) => format!("no rule has the key \"{shown}\"; did you mean {near}?"),
        None => format!("no rule has the key \"{shown}\""),
    })
    .hint("'kubectl skew explain' lists all keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_key_gets_the_nearest() {
        let failure = format!("{:?}", unknown("kubelet-curent"));
        assert!(
            failure.contains("did you mean version-skew/kubelet-current?"),
            "{failure}"
        );
    }
}
