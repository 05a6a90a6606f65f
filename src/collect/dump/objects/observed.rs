//! The end of a dump: what was gathered as [`Observed`], and the gaps that only the whole of it tells.

use std::borrow::Cow;

use super::collector::ObjectCollector;
use super::kind::Kind;
use crate::collect::dump::DumpSource;
use crate::collect::dump::error::{At, DumpError, Escaped};
use crate::inventory::gap::{Capability, Gap};
use crate::inventory::observed::{Listing, Observed, Origin};

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
        let listed_nodes = nodes.len() + self.broken_nodes.len();
        let listed_pods = pods.len() + self.passed_over + self.broken_pods.len();
        let mut observed = Observed {
            origin: Origin::Files,
            hosted,
            versions: self.versions.into_iter().map(|(answer, _)| answer).collect(),
            connections: None,
            told_version,
            nodes: listing(
                met[Kind::Node as usize],
                nodes,
                listed_nodes,
                self.cut_nodes,
                self.broken_nodes,
            ),
            pods: listing(
                met[Kind::Pod as usize],
                pods,
                listed_pods,
                self.cut_pods,
                self.broken_pods,
            ),
            leases: whole(met[Kind::Lease as usize], self.leases.into_objects()),
            operators: whole(met[Kind::Operator as usize], self.operators.into_objects()),
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
        let mut told: Vec<(Cow<'_, str>, &At)> = self
            .versions
            .iter()
            .map(|(answer, at)| (Cow::Borrowed(answer.git_version.as_str()), at))
            .collect();
        if let (Some(at), false) = (saved, told.is_empty()) {
            told.push((Cow::Borrowed("a snapshot with its own"), at));
        }
        told.sort();
        if told.len() < 2 {
            return;
        }
        let listed: Vec<String> = told
            .iter()
            .map(|(version, at)| format!("{} ({at})", Escaped(version)))
            .collect();
        self.gaps.push(Gap {
            capability: Capability::Versions,
            ..Gap::versions(
                true,
                format!(
                    "the input tells more than one server version: {}; of two clusters give the files of one, within \
                     an upgrade say which with --server-version",
                    listed.join(", ")
                ),
            )
        });
    }
}

fn listing<T>(met: bool, items: Vec<T>, listed: usize, cut: Option<Gap>, broken: Vec<Gap>) -> Listing<T> {
    if met {
        Listing::Read {
            items,
            listed,
            cut,
            broken,
        }
    } else {
        Listing::NotAsked
    }
}

fn whole<T>(met: bool, items: Vec<T>) -> Listing<T> {
    if met {
        Listing::whole(items)
    } else {
        Listing::NotAsked
    }
}
