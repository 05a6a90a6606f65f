//! The page itself. What comes from the cluster stands in code spans and code blocks, escaped as in a comment.

use std::io::{self, Write};

use super::checks::Progress;
use crate::inventory::gap::Gap;
use crate::plan::commands;
use crate::plan::steps::{Plan, Step, StepKind};
use crate::render::escape::visible;
use crate::render::markdown::text::{link, prose};
use crate::render::sentences::{self, Pools};
use crate::report::Report;

/// How many names a line shows.
const NAMES: usize = 20;

/// What this product does not look at and an upgrade needs all the same.
const NOT_LOOKED_AT: [&str; 5] = [
    "An etcd backup was taken, and restoring it was tried.",
    "No workload uses an API that the target removes, and the webhooks work with it.",
    "No PodDisruptionBudget allows zero disruptions: kubectl get poddisruptionbudgets --all-namespaces",
    "There is room (quota, addresses, surge capacity) for the nodes that a roll adds.",
    "The versions of CNI and CoreDNS support each minor on the way.",
];

pub(in crate::render) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let pools = Pools::new(&report.nodes);
    writeln!(out, "# Upgrade runbook\n")?;
    for line in sentences::summary(report) {
        writeln!(out, "{}  ", prose(&line))?;
    }
    writeln!(out, "\n{}", prose(sentences::SCOPE))?;
    before(report, out)?;
    let Some(plan) = &report.plan else {
        let why = report.no_plan.map_or(
            "There is no plan: give a target that the control plane does not run yet.",
            sentences::no_plan,
        );
        return writeln!(out, "\n## Steps\n\n{}", prose(why));
    };
    variables(plan, out)?;
    steps(report, plan, &pools, out)?;
    afterwards(plan, &pools, out)
}

/// What must be true before the first step.
fn before(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Before starting\n")?;
    for gap in &report.not_assessed {
        not_assessed(gap, &report.source.kubectl_flags, out)?;
    }
    writeln!(out, "Not looked at by this tool:\n")?;
    for item in NOT_LOOKED_AT {
        writeln!(out, "- [ ] {}", prose(item))?;
    }
    Ok(())
}

fn not_assessed(gap: &Gap, flags: &str, out: &mut dyn Write) -> io::Result<()> {
    let gap = sentences::gap(gap, flags);
    let weight = if gap.required { "required" } else { "optional" };
    writeln!(out, "- [ ] Not assessed ({weight}): {}", prose(&gap.reason))?;
    for command in gap.verify.iter().chain(&gap.grant) {
        block(command, out)?;
    }
    Ok(())
}

/// What the commands leave to be set.
fn variables(plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    let variables = commands::variables(plan.steps.iter().flat_map(|step| &step.commands));
    if variables.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n## Variables\n\nThe commands below use these; `.x` stands for the patch that you choose.\n"
    )?;
    for (name, meaning) in variables {
        writeln!(out, "- `${name}`: {}", prose(meaning))?;
    }
    Ok(())
}

fn steps(report: &Report, plan: &Plan, pools: &Pools<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Steps\n\n{}", prose(&sentences::plan_counts(plan)))?;
    let mut progress = Progress::new(report);
    let mut window = None;
    for step in &plan.steps {
        if step.window.is_some() && step.window != window {
            window = step.window;
            let number = window.unwrap_or_default();
            writeln!(out, "\n### Window {number} of {}", plan.windows)?;
        } else if step.kind == StepKind::Hop {
            writeln!(out, "\n### Control plane to {}", step.to)?;
        }
        one_step(report, step, pools, &mut progress, out)?;
    }
    Ok(())
}

fn one_step<'a>(
    report: &'a Report,
    step: &'a Step,
    pools: &Pools<'_>,
    progress: &mut Progress<'a>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n- [ ] **{}.** {}",
        step.number,
        prose(&sentences::step(step, pools, NAMES))
    )?;
    writeln!(out, "  - why: {}", prose(&sentences::reason(&step.reason)))?;
    for note in &step.notes {
        writeln!(out, "  - note: {}", prose(&sentences::note(note, NAMES)))?;
    }
    let platform = report.platform.as_ref().map(|detected| detected.platform);
    if step.commands.is_empty()
        && let Some(reason) = commands::no_command(platform, step.kind)
    {
        writeln!(out, "  - no command: {}", prose(reason))?;
    }
    let mut source = "";
    for command in &step.commands {
        block(&command.run, out)?;
        source = command.source;
    }
    if !source.is_empty() {
        writeln!(out, "  - source: {}", link(source))?;
    }
    writeln!(out, "  - done when this line ends with exit code 0:")?;
    block(&progress.check(step), out)?;
    if let Some(going_back) = &step.going_back {
        writeln!(
            out,
            "  - going back from here: {}",
            prose(&sentences::going_back(going_back))
        )?;
    }
    Ok(())
}

/// What is still to be said at the end.
fn afterwards(plan: &Plan, pools: &Pools<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rest = sentences::plan_rest(plan, pools, NAMES);
    if rest.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Afterwards\n")?;
    for line in rest {
        writeln!(out, "- {}", prose(&line))?;
    }
    Ok(())
}

/// A command in a block of its own, below the item that it belongs to.
fn block(command: &str, out: &mut dyn Write) -> io::Result<()> {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    writeln!(out, "\n  {fence}sh")?;
    for line in command.lines() {
        writeln!(out, "  {}", visible(line))?;
    }
    writeln!(out, "  {fence}\n")
}
