//! The end of a dump: what was gathered as [`Observed`], and the gaps that only the whole of it tells.

use super::collector::ObjectCollector;
use super::kind::Kind;
use crate::collect::dump::DumpSource;
use crate::collect::dump::error::{At, DumpError};
use crate::inventory::observed::{Cut, Listing, Observed, Origin};
use crate::inventory::read_gap::{ReadGap, Sample, UnreadableObject};

impl ObjectCollector<'_> {
    /// What was seen, all inputs being read.
    pub(in crate::collect::dump) fn finish(
        mut self,
        mut source: DumpSource,
    ) -> Result<(Observed, DumpSource), DumpError> {
        if self.shown == 0 {
            return Err(DumpError::NoObjects {
                files: source.files.join(", "),
                notes: self.warnings,
            });
        }
        let hosted = self.request.hosted.clone();
        let told_version = self.request.server_version.clone();
        let saved = self.saved.take();
        if told_version.is_none() {
            self.two_versions(saved.as_ref().map(|(_, at)| at));
        }
        for repeated in [
            self.nodes.repeated(),
            self.pods.repeated(),
            self.leases.repeated(),
            self.operators.repeated(),
        ]
        .into_iter()
        .flatten()
        {
            self.warnings.push(repeated);
        }
        let met = self.met;
        source.places.extend(self.nodes.places());
        source.places.extend(self.pods.places());
        source.places.sort();
        source.captured_at = self.captured_at;
        source.warnings.append(&mut self.warnings);
        let nodes = self.nodes.into_objects();
        let pods = self.pods.into_objects();
        let [broken_nodes, broken_pods, broken_leases, broken_operators] = self.broken;
        let page = |place| Some(Cut::OnePage(Some(place)));
        let mut observed = Observed {
            origin: Origin::Files,
            hosted,
            versions: self.versions.into_iter().map(|(answer, _)| answer).collect(),
            connections: None,
            told_version,
            nodes: listing(
                met[Kind::Node as usize],
                nodes,
                0,
                self.page_of_nodes.and_then(page),
                broken_nodes,
            ),
            pods: listing(
                met[Kind::Pod as usize],
                pods,
                self.passed_over,
                self.page_of_pods.and_then(page),
                broken_pods,
            ),
            leases: listing(
                met[Kind::Lease as usize],
                self.leases.into_objects(),
                0,
                None,
                broken_leases,
            ),
            operators: listing(
                met[Kind::Operator as usize],
                self.operators.into_objects(),
                0,
                None,
                broken_operators,
            ),
            kubectl: None,
            gaps: self.gaps,
        };
        if let Some((saved, _)) = saved {
            saved.restore(&mut observed);
        }
        Ok((observed, source))
    }

    /// Two servers' versions in one input are two clusters, or one in the middle of an upgrade: said either way.
    fn two_versions(&mut self, saved: Option<&At>) {
        let mut told: Vec<(Option<String>, &At)> = self
            .versions
            .iter()
            .map(|(answer, at)| (Some(answer.git_version.clone()), at))
            .collect();
        if let (Some(at), false) = (saved, told.is_empty()) {
            told.push((None, at));
        }
        told.sort();
        if told.len() > 1 {
            let answers = told.into_iter().map(|(version, at)| (version, Some(at.place())));
            self.gaps.push(ReadGap::SeveralServerVersions {
                answers: answers.collect(),
            });
        }
    }
}

/// A list of which these objects were kept and so many passed over.
fn listing<T>(
    met: bool,
    items: Vec<T>,
    passed_over: usize,
    cut: Option<Cut>,
    broken: Sample<UnreadableObject>,
) -> Listing<T> {
    if met {
        Listing::Read {
            listed: items.len() + passed_over + broken.total(),
            items,
            cut,
            broken,
        }
    } else {
        Listing::NotAsked
    }
}
