//! Words for where a report comes from and what runs there: versions, instances, spans of minors.

use crate::inventory::version::Minor;
use crate::report::{InstanceRow, Mode, Report};

/// The word for where a report comes from.
pub const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "live",
        // The example is a dump that is built in.
        Mode::Files | Mode::Example => "files",
    }
}

/// Where a report comes from, for people: the built-in cluster says what it is.
pub const fn origin(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "a live cluster",
        Mode::Files => "files",
        Mode::Example => "an example built into kubectl skew; no cluster was asked",
    }
}

/// "1.36", or "1.36–1.37" while the apiservers differ.
pub fn span(oldest: Option<Minor>, newest: Option<Minor>) -> Option<String> {
    match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest == newest => Some(oldest.to_string()),
        (Some(oldest), Some(newest)) => Some(format!("{oldest}–{newest}")),
        (Some(minor), None) | (None, Some(minor)) => Some(minor.to_string()),
        (None, None) => None,
    }
}

/// The server's version: what `/version` reports, else the minors of the kube-apiservers that are seen.
pub fn server(report: &Report) -> String {
    let reported = report
        .server_version
        .as_deref()
        .map(|raw| version(raw).to_owned());
    let control_plane = &report.control_plane;
    reported
        .or_else(|| span(control_plane.oldest, control_plane.newest))
        .unwrap_or_else(|| "version unknown".to_owned())
}

/// A version for the eye: without the `v` that every version starts with.
pub fn version(raw: &str) -> &str {
    match raw.strip_prefix('v') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number,
        _ => raw,
    }
}

/// What an instance of the control plane runs.
pub fn instance_version(row: &InstanceRow) -> String {
    let binary = match (&row.version, &row.image) {
        (Some(raw), _) => version(raw).to_owned(),
        (None, Some(image)) => format!("? ({image})"),
        (None, None) => "?".to_owned(),
    };
    let emulated = row
        .emulated_minor
        .map_or_else(String::new, |minor| format!(" emulating {minor}"));
    let own = if row.judged || row.version.is_none() {
        ""
    } else {
        ", not judged"
    };
    format!("{binary}{emulated}{own}")
}

/// What told an instance's version.
pub fn instance_source(from: &str) -> &str {
    match from {
        "version" => "/version",
        "told" => "--server-version",
        "pod" => "its pod",
        "serverNode" => "its server node",
        "clusterOperator" => "ClusterOperator",
        "assumed" => "--assume",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_lose_their_v_and_nothing_else() {
        for (raw, shown) in [
            ("v1.36.2-gke.1", "1.36.2-gke.1"),
            ("1.36", "1.36"),
            ("vk", "vk"),
            ("", ""),
        ] {
            assert_eq!(version(raw), shown);
        }
    }
}
