//! The blocks of the findings and of what was not assessed: a head each, and labelled lines below it.

use std::io;

use super::Page;
use crate::inventory::gap::Gap;
use crate::policy::finding::{Finding, Severity};
use crate::render::look::Paint;
use crate::render::phrase;

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
                Severity::Info => format!("{} info", phrase::thousands(count)),
                Severity::Blocker | Severity::Warning => phrase::count(count, severity.name()),
            })
            .collect();
        self.heading("FINDINGS", &counts.join(" · "))?;
        for finding in &report.findings {
            self.finding(finding)?;
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let Finding {
            rule: _,
            key,
            severity,
            title,
            detail,
            component: _,
            nodes,
            versions,
            remediation,
            citations,
        } = finding;
        let word = self.look.paint(severity.name(), Paint::of_severity(*severity));
        let title = format!("{word}  {}", self.look.plain(title));
        writeln!(self.out, "{}", self.look.wrapped(&title, 0, 4))?;
        if detail != title.as_str() && !detail.is_empty() {
            self.line(4, 0, detail)?;
        }
        let at_most = self.names();
        for (label, names) in [("nodes", nodes), ("versions", versions)] {
            if !names.is_empty() {
                self.labelled(4, label, &phrase::names(names, at_most))?;
            }
        }
        if !remediation.is_empty() {
            self.labelled(4, "do", remediation)?;
        }
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
        let phrase::GapText {
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
        } = phrase::gap(gap, &self.report.source.kubectl_flags);
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
                more => format!(" · {}", phrase::more(more, "object")),
            };
            self.labelled(
                4,
                "objects",
                &format!("{}{more}", phrase::names(&objects, at_most)),
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
