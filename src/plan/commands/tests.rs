//! The table holds for every platform, and every command is one that a shell can read.

use std::process::Command as Process;

use super::*;
use crate::inventory::platform::Platform;
use crate::plan::steps::StepKind;

const KINDS: [StepKind; 5] = [
    StepKind::Hop,
    StepKind::Kubelets,
    StepKind::KubeProxy,
    StepKind::ControlPlane,
    StepKind::Emulation,
];

#[test]
fn every_platform_has_a_command_for_every_kind_of_step_or_a_reason_why_not() {
    for platform in Platform::all().map(Some).chain([None]) {
        for kind in KINDS {
            let rows = COMMANDS.iter().filter(|row| row.platform == platform && row.kind == kind).count();
            let reasons = NO_COMMANDS.iter().filter(|row| Some(row.platform) == platform && row.kind == kind);
            let reasons = reasons.count();
            assert!((rows > 0) != (reasons > 0), "{platform:?} {kind:?}: {rows} rows, {reasons} reasons");
        }
    }
}

#[test]
fn every_row_has_its_source_and_every_variable_its_meaning() {
    for row in COMMANDS {
        assert!(row.source.starts_with("https://"), "{}", row.run);
        assert!(row.date.starts_with("2026-"), "{}", row.run);
        for part in row.run.split('$').skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
            let name = &part[..end.unwrap_or(part.len())];
            assert!(VARIABLES.iter().any(|(known, _)| *known == name), "{name} in {}", row.run);
        }
    }
}

#[test]
fn a_shell_reads_every_row() {
    for row in COMMANDS {
        let words = ["{to}", "{pool}", "{node}", "{workload}", "{component}", "{cluster}"];
        let run = words.iter().fold(row.run.to_owned(), |run, word| run.replace(word, "1.36"));
        assert!(!run.contains("{to}"));
        let status = Process::new("sh").args(["-n", "-c", &run]).status().unwrap();
        assert!(status.success(), "{run}");
    }
}
