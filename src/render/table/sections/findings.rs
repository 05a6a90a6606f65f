//! The blocks of the findings and of what was not assessed: a head each, and labelled lines below it.

use std::io;

use super::Page;
use crate::inventory::gap::Gap;
use crate::render::look::Paint;
use crate::render::sentences;
use crate::report::{FindingRow, Severity};

impl Page<'_> {
    pub(in crate::render::table) fn findings(&mut self) -> io::Result<()> {
        let report = self.report;
        if report.findings.is_empty() {
            return Ok(());
        }
        let counts: Vec<String> = [Severity::Blocker, Severity::Warning, Severity::Info]
            .into_iter()
            .map(|severity| {
                (
                    severity,
                    report.findings.iter().filter(|f| f.severity == severity).count(),
                )
            })
            .filter(|(_, count)| *count > 0)
            .map(|(severity, count)| match severity {
                Severity::Info => format!("{} info", sentences::thousands(count)),
                Severity::Blocker | Severity::Warning => sentences::count(count, severity.name()),
            })
            .collect();
        self.heading("FINDINGS", &counts.join(" · "))?;
        for finding in &report.findings {
            self.finding(finding)?;
        }
        Ok(())
    }

    fn finding(&mut self, finding: &FindingRow) -> io::Result<()> {
        let FindingRow {
            rule,
            key,
            severity,
            evidence,
            nodes,
            pools: _,
            versions,
            limit: _,
            upstream_limit: _,
            steps: _,
            citations,
            fails_gate: _,
        } = finding;
        let word = self.look.paint(severity.name(), Paint::of_severity(*severity));
        let title = format!("{word}  {}", self.look.plain(&sentences::title(evidence)));
        writeln!(self.out, "{}", self.look.wrapped(&title, 0, 4))?;
        self.line(4, 0, &sentences::detail(evidence))?;
        let at_most = self.names();
        for (label, names) in [("nodes", nodes), ("versions", versions)] {
            if !names.is_empty() {
                self.labelled(4, label, &sentences::names(names, at_most))?;
            }
        }
        self.labelled(4, "fix", &sentences::remedy(rule, evidence))?;
        self.labelled(4, "rule", key)?;
        for citation in citations {
            self.verbatim(4, "source", citation)?;
        }
        Ok(())
    }

    pub(in crate::render::table) fn not_assessed(&mut self) -> io::Result<()> {
        let report = self.report;
        if report.not_assessed.is_empty() {
            return Ok(());
        }
        let required = report.not_assessed.iter().filter(|gap| gap.required).count();
        let optional = report.not_assessed.len() - required;
        self.heading(
            "NOT ASSESSED",
            &format!("{required} required · {optional} optional"),
        )?;
        for gap in &report.not_assessed {
            self.gap(gap)?;
        }
        Ok(())
    }

    fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        let sentences::GapText {
            title: _,
            reason,
            capability,
            required,
            partial: _,
            skipped,
            objects,
            more_objects,
            verify,
            grant,
        } = sentences::gap(gap, &self.report.source.kubectl_flags);
        let (weight, paint) = if required {
            ("required", Paint::Newer)
        } else {
            ("optional", Paint::Faint)
        };
        let head = format!("{}  {}", self.look.paint(weight, paint), self.look.plain(&reason));
        writeln!(self.out, "{}", self.look.wrapped(&head, 0, 4))?;
        let not_read = skipped.map_or_else(String::new, |kind| format!("; not read: {kind}"));
        self.labelled(4, "concerns", &format!("{}{not_read}", capability.name()))?;
        if !objects.is_empty() {
            let at_most = self.names();
            let more = match more_objects {
                0 => String::new(),
                more => format!(" · {}", sentences::more(more, "object")),
            };
            self.labelled(
                4,
                "objects",
                &format!("{}{more}", sentences::names(&objects, at_most)),
            )?;
        }
        if let Some(verify) = verify {
            self.verbatim(4, "verify", &verify)?;
        }
        if let Some(grant) = grant {
            self.verbatim(4, "grant", &grant)?;
        }
        Ok(())
    }
}
