//! The end of a dump: what was gathered as [`Observed`], and the gaps that only the whole of it tells.

use super::clusters::check_versions;
use super::collector::ObjectCollector;
use super::kind::Kind;
use crate::collect::dump::DumpSource;
use crate::collect::dump::error::{At, DumpError, Escaped};
use crate::inventory::observed::{Cut, Listing, Observed, Origin};
use crate::inventory::read_gap::{ReadGap, Sample, UnreadableObject};

impl ObjectCollector<'_> {
    /// What was seen, all inputs being read.
    pub(in crate::collect::dump) fn finish(
        mut self,
        mut source: DumpSource,
    ) -> Result<(Observed, DumpSource), DumpError> {
        if self.shown == 0 {
            if let Some((first, at)) = &self.first_manifest {
                self.warnings.push(format!(
                    "{} manifests are no objects of a cluster ({} at {at} …)",
                    self.manifests,
                    Escaped(first)
                ));
            }
            return Err(DumpError::NoObjects {
                files: source.files.join(", "),
                notes: self.warnings,
            });
        }
        let hosted = self.request.hosted.clone();
        let told_version = self.request.server_version.clone();
        let saved = self.saved.take();
        self.clusters.check()?;
        self.nodes.check_uids()?;
        self.pods.check_uids()?;
        if let Some((first, at)) = &self.first_manifest {
            let first = Escaped(first);
            self.warnings.push(match self.manifests {
                1 => format!("{first} ({at}) has no status, node, uid and creation time: it is a manifest and was passed over"),
                count => format!(
                    "{count} Nodes and Pods have no status, node, uid and creation time ({first} at {at} …): they are \
                     manifests and were passed over"
                ),
            });
        }
        if told_version.is_none() {
            let snapshot = saved.as_ref().map(|(saved, at)| (saved.git_versions(), at));
            let snapshot = snapshot.as_ref().map(|(versions, at)| (versions.as_slice(), *at));
            check_versions(&self.versions, snapshot)?;
            self.several_versions(snapshot);
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

    /// Server versions of several files that may be one cluster's in the middle of an upgrade.
    fn several_versions(&mut self, snapshot: Option<(&[String], &At)>) {
        if self.versions.is_empty() {
            return;
        }
        let own = self
            .versions
            .iter()
            .map(|(answer, at)| (answer.git_version.clone(), at));
        let mut told: Vec<(String, &At)> = own.collect();
        if let Some((versions, at)) = snapshot {
            told.extend(versions.iter().map(|version| (version.clone(), at)));
        }
        told.sort();
        told.dedup_by(|one, other| one.0 == other.0);
        if told.len() > 1 {
            let answers = told
                .into_iter()
                .map(|(version, at)| (Some(version), Some(at.place())));
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
