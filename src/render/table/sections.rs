//! What stands around the matrix: blocks of a heading and of lines that break at the terminal's width.

mod findings;

use std::io::{self, Write};

use super::layout::{self, Column};
use crate::plan::steps::{Plan, StepKind};
use crate::render::look::{Look, Paint};
use crate::render::rows::Shown;
use crate::render::sentences::{self, Pools};
use crate::render::{Style, escape};
use crate::report::{ControlPlane, InstanceRow, Mode, PathHop, Report};

/// How many names a list shows before "and N more".
const NAMES: usize = 8;
/// Where the text of a labelled line starts.
const LABEL: usize = 11;

/// The page being written.
pub(super) struct Page<'a> {
    pub(super) report: &'a Report,
    pub(super) style: &'a Style,
    pub(super) look: Look,
    pub(super) out: &'a mut dyn Write,
}

impl Page<'_> {
    /// A blank line, the name of a block and what it comes to.
    pub(super) fn heading(&mut self, name: &str, summary: &str) -> io::Result<()> {
        let gap = if summary.is_empty() { "" } else { "  " };
        let line = format!(
            "{}{gap}{}",
            self.look.paint(name, Paint::Strong),
            self.look.plain(summary)
        );
        writeln!(
            self.out,
            "\n{}",
            self.look.wrapped(&line, 0, name.len() + gap.len())
        )
    }

    /// A line that breaks at the terminal's width.
    fn line(&mut self, margin: usize, hanging: usize, text: &str) -> io::Result<()> {
        let text = self.look.plain(text);
        writeln!(self.out, "{}", self.look.wrapped(&text, margin, hanging))
    }

    /// A label and its text.
    fn labelled(&mut self, margin: usize, label: &str, text: &str) -> io::Result<()> {
        self.line(margin, LABEL, &format!("{label:LABEL$}{text}"))
    }

    /// A label and a command or an address, which stays on one line so that it can be copied.
    fn verbatim(&mut self, margin: usize, label: &str, text: &str) -> io::Result<()> {
        let text = self.look.plain(text);
        writeln!(self.out, "{:margin$}{label:LABEL$}{text}", "")
    }

    /// How many names a list shows.
    fn names(&self) -> usize {
        if self.style.fold == Some(false) {
            usize::MAX
        } else {
            NAMES
        }
    }

    pub(super) fn head(&mut self, shown: &Shown<'_>) -> io::Result<()> {
        let report = self.report;
        let source = &report.source;
        writeln!(self.out)?;
        if source.mode == Mode::Example {
            self.labelled(0, "example", "a cluster built into kubectl-skew; none was asked")?;
        }
        if let Some(context) = &source.context {
            self.labelled(0, "context", context)?;
        }
        if !source.files.is_empty() {
            let skipped = match source.skipped {
                0 => String::new(),
                skipped => format!(
                    " ({} without a Kubernetes object)",
                    sentences::count(skipped, "input")
                ),
            };
            self.labelled(
                0,
                "files",
                &format!("{}{skipped}", sentences::names(&source.files, self.names())),
            )?;
        }
        let version = sentences::server(report);
        let at = source
            .api_server
            .as_ref()
            .map_or_else(String::new, |server| format!(" at {server}"));
        self.labelled(0, "server", &format!("{version}{at}"))?;
        match &report.target {
            Some(target) => self.labelled(0, "target", &target.text)?,
            None => self.labelled(
                0,
                "target",
                "none: today is judged, and the next minors are previewed",
            )?,
        }
        let detected = report.policy.detected_from.as_ref();
        let detected = detected.map_or_else(String::new, |from| format!(", detected from {from}"));
        self.labelled(0, "policy", &format!("{}{detected}", report.policy.name))?;
        self.verbatim(0, "", &report.policy.source)?;
        if let Some(taken) = &source.captured_at {
            let age = source
                .age_seconds
                .map_or_else(String::new, |age| format!(", {}", sentences::age(age)));
            self.labelled(0, "taken", &format!("{taken}{age}"))?;
        }
        for assumed in &report.assumed {
            self.labelled(0, "assumed", &sentences::assumed(assumed))?;
        }
        for excluded in &report.excluded {
            self.labelled(0, "excluded", &sentences::excluded(excluded))?;
        }
        self.labelled(0, "scope", sentences::SCOPE)?;
        if let Some(partial) = shown.partial() {
            self.labelled(0, "shown", &partial)?;
        }
        Ok(())
    }

    pub(super) fn control_plane(&mut self) -> io::Result<()> {
        let ControlPlane {
            oldest,
            newest,
            running,
            min_compatibility,
            answers,
            instances,
        } = &self.report.control_plane;
        let span = sentences::span(*oldest, *newest).unwrap_or_else(|| "version unknown".to_owned());
        self.heading("CONTROL PLANE", &span)?;
        if !instances.is_empty() {
            let laid = layout::lay(instance_columns(instances, self.look, self.names()), self.look);
            if !self.style.no_headers {
                writeln!(self.out, "{}", laid.heading)?;
            }
            for row in laid.rows {
                writeln!(self.out, "{row}")?;
            }
        }
        match (answers, running) {
            (Some(answers), _) => self.line(0, 2, answers)?,
            (None, Some(running)) => {
                self.line(
                    0,
                    2,
                    &format!("{} with a live Lease", sentences::count(*running, "apiserver")),
                )?;
            }
            (None, None) => {}
        }
        if let Some(minor) = min_compatibility {
            self.line(0, 2, &format!("compatible down to {minor} (minCompatibility)"))?;
        }
        if let Some(version) = self
            .report
            .kubectl
            .as_ref()
            .and_then(|kubectl| kubectl.version.as_ref())
        {
            self.line(0, 2, &format!("kubectl here is {}", sentences::version(version)))?;
        }
        Ok(())
    }

    pub(super) fn path(&mut self) -> io::Result<()> {
        let report = self.report;
        let Some(first) = report.path.first() else {
            return Ok(());
        };
        let look = self.look;
        let hops = report.path.iter().map(|hop| {
            let mark = look.paint(look.verdict_mark(hop.verdict), Paint::of_verdict(hop.verdict));
            format!("{} {mark}", look.plain(&format!(" ─ {}", hop.to)))
        });
        let hops: Vec<String> = hops.collect();
        let line = format!(
            "{}  {}{}",
            look.paint("PATH", Paint::Strong),
            first.from,
            hops.concat()
        );
        writeln!(self.out, "\n{}", self.look.wrapped(&line, 0, 6))?;
        let pools = Pools::new(&report.nodes);
        for hop in &report.path {
            if let Some(text) = hop_text(hop, &pools, self.names()) {
                self.labelled(2, &hop.to.to_string(), &text)?;
            }
        }
        Ok(())
    }

    pub(super) fn lagging(&mut self) -> io::Result<()> {
        let pools = Pools::new(&self.report.nodes);
        let Some(text) = sentences::lagging(self.report, &pools, self.names()) else {
            return Ok(());
        };
        let line = format!(
            "{}  {}",
            self.look.paint("LAGGING", Paint::Strong),
            self.look.plain(&text)
        );
        writeln!(self.out, "\n{}", self.look.wrapped(&line, 0, 9))
    }

    pub(super) fn plan(&mut self) -> io::Result<()> {
        let report = self.report;
        let Some(plan) = &report.plan else {
            return match report.no_plan {
                Some(why) => writeln!(self.out, "\n{}", sentences::no_plan(why)),
                None => Ok(()),
            };
        };
        let pools = Pools::new(&report.nodes);
        let at_most = self.names();
        self.heading("PLAN", &sentences::plan_counts(plan))?;
        for step in &plan.steps {
            let number = step.number;
            let what = sentences::step(step, &pools, at_most);
            let why = sentences::reason(&step.reason);
            if step.kind == StepKind::Hop {
                self.line(0, 4, &format!("{number:>2}. {what} · {why}"))?;
            } else {
                self.line(0, 4, &format!("{number:>2}. {what}"))?;
                self.labelled(4, "why", &why)?;
            }
            for note in &step.notes {
                self.labelled(4, "note", &sentences::note(note, at_most))?;
            }
        }
        self.plan_rest(plan, &pools, at_most)
    }

    fn plan_rest(&mut self, plan: &Plan, pools: &Pools<'_>, at_most: usize) -> io::Result<()> {
        for text in sentences::plan_rest(plan, pools, at_most) {
            self.line(4, 2, &text)?;
        }
        Ok(())
    }

    pub(super) fn gate(&mut self) -> io::Result<()> {
        writeln!(self.out)?;
        self.line(0, 2, &sentences::gate(self.report))
    }
}

/// What a hop of the path has to say, where it has.
fn hop_text(hop: &PathHop, pools: &Pools<'_>, at_most: usize) -> Option<String> {
    let PathHop {
        from: _,
        to: _,
        verdict: _,
        added,
        resolved,
        carried,
        move_first,
    } = hop;
    let mut said = Vec::new();
    if !move_first.is_empty() {
        let count = sentences::count(move_first.len(), "node");
        said.push(format!(
            "{count} must move first: {}",
            pools.describe(move_first, at_most)
        ));
    }
    if !added.is_empty() {
        said.push(format!("new: {}", sentences::names(added, at_most)));
    }
    if !resolved.is_empty() {
        said.push(format!("gone: {}", sentences::names(resolved, at_most)));
    }
    if *carried > 0 && !said.is_empty() {
        said.push(format!("{carried} as before"));
    }
    (!said.is_empty()).then(|| said.join(" · "))
}

/// Instances alike in one row.
fn instance_columns(instances: &[InstanceRow], look: Look, at_most: usize) -> Vec<Column> {
    let mut groups: Vec<(&InstanceRow, String, Vec<&str>, usize)> = Vec::new();
    for row in instances {
        let version = sentences::instance_version(row);
        let node = row.node.as_deref();
        let alike = groups.iter_mut().find(|(first, text, _, _)| {
            first.component == row.component && *text == version && first.from == row.from
        });
        match alike {
            Some((_, _, nodes, count)) => {
                nodes.extend(node);
                *count += 1;
            }
            None => groups.push((row, version, node.into_iter().collect(), 1)),
        }
    }
    let mut columns: [Vec<(String, Option<Paint>)>; 4] = Default::default();
    for (row, version, nodes, count) in groups {
        let times = if count > 1 {
            format!(" ×{count}")
        } else {
            String::new()
        };
        let on = if nodes.is_empty() {
            "-".to_owned()
        } else {
            sentences::names(&nodes, at_most)
        };
        let cells = [
            format!("{}{times}", row.component),
            version,
            on,
            sentences::instance_source(row.from).to_owned(),
        ];
        for (column, cell) in columns.iter_mut().zip(cells) {
            let paint = (!row.judged).then_some(Paint::Faint);
            column.push((look.plain(&escape::visible(&cell)), paint));
        }
    }
    let [components, versions, nodes, sources] = columns;
    vec![
        Column::new("COMPONENT", components),
        Column::new("VERSION", versions).shrinking_to(12),
        Column::new("ON", nodes).shrinking_to(10).expendable(1),
        Column::new("READ FROM", sources).expendable(0),
    ]
}
