//! Versions rebuilt: the leading numbers and the suffixes that show a platform. A build, a hash and everything else that
//! a vendor or a user wrote behind them is gone; versions that differ in it alone stay apart by a number.

use super::stand_ins::StandIns;
use crate::inventory::platform::{has_commit_hash, version_suffixes};

/// What stands for a text that shows no version.
const UNREADABLE: &str = "unreadable";

/// By which a node of virtual-kubelet is known.
const VIRTUAL_KUBELET: &str = "-vk-";

/// Container runtimes whose versions are judged.
const RUNTIMES: [&str; 3] = ["docker", "containerd", "cri-o"];

/// The versions of one snapshot.
#[derive(Default)]
pub(super) struct Versions(StandIns);

impl Versions {
    /// A version without what only its owner can know.
    pub(super) fn of(&self, raw: &str) -> String {
        let Some(numbers) = leading_numbers(raw) else {
            let (place, _) = self.0.place(UNREADABLE, raw);
            return numbered(UNREADABLE, place);
        };
        let rest = &raw[numbers.len()..];
        let mut rebuilt = numbers.to_owned();
        for suffix in version_suffixes(raw).chain([VIRTUAL_KUBELET]) {
            if let Some(at) = rest.find(suffix)
                && !rebuilt.contains(suffix)
            {
                let build = &rest[at + suffix.len()..];
                let end = build.find(|c: char| !c.is_ascii_digit() && c != '.');
                rebuilt.push_str(suffix);
                rebuilt.push_str(&build[..end.unwrap_or(build.len())]);
            }
        }
        if rebuilt == numbers && has_commit_hash(raw) {
            let (place, _) = self.0.place(&format!("{numbers}+"), raw);
            return format!("{numbers}+{:07x}", place + 1);
        }
        let (place, _) = self.0.place(&rebuilt, raw);
        numbered(&rebuilt, place)
    }

    /// Numbers those that are known by now.
    pub(super) fn number(&mut self) {
        self.0.number();
    }

    /// The tag of an image, in which `_` stands for `+`.
    pub(super) fn of_tag(&self, tag: &str) -> String {
        self.of(&tag.replace('_', "+")).replace('+', "_")
    }
}

/// The first of several stands as it is.
fn numbered(rebuilt: &str, place: usize) -> String {
    match place {
        0 => rebuilt.to_owned(),
        place => format!("{rebuilt}-b{}", place + 1),
    }
}

/// `v1.36.2` of `v1.36.2-acme.7`.
fn leading_numbers(raw: &str) -> Option<&str> {
    let mut end = usize::from(raw.starts_with('v'));
    let mut parts = 0;
    loop {
        let digits = raw[end..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            break;
        }
        end += digits;
        parts += 1;
        if !raw[end..].starts_with('.') || !raw[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        end += 1;
    }
    (parts >= 2).then_some(&raw[..end])
}

/// A container runtime: its kind and the numbers of its version.
pub(super) fn runtime(raw: &str) -> String {
    let (kind, version) = raw.split_once("://").unwrap_or((raw, ""));
    match (
        RUNTIMES.into_iter().find(|known| *known == kind),
        leading_numbers(version),
    ) {
        (Some(kind), Some(numbers)) => format!("{kind}://{numbers}"),
        (Some(kind), None) => format!("{kind}://{UNREADABLE}"),
        (None, _) => UNREADABLE.to_owned(),
    }
}

/// A number of `/version`, as it writes it: digits, perhaps with a `+`.
pub(super) fn number(raw: &str) -> String {
    raw.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect()
}

/// The value of `--emulated-version`: versions, alone or of a component.
pub(super) fn emulated(raw: &str) -> String {
    let parts = raw.split(',').map(|part| {
        let (of, version) = part.split_once('=').unwrap_or(("", part));
        let version = version.trim_matches(['"', '\'']);
        let version = match leading_numbers(version) {
            Some(numbers) => numbers,
            None if version.is_empty() => "",
            None => UNREADABLE,
        };
        match of.trim_matches(['"', '\'']) {
            "" => version.to_owned(),
            "kube" => format!("kube={version}"),
            _ => format!("other={version}"),
        }
    });
    parts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::version::Version;

    #[test]
    fn a_version_keeps_its_numbers_and_what_shows_a_platform() {
        for (raw, kept) in [
            ("v1.36.2", "v1.36.2"),
            ("1.20.0-beta.2", "1.20.0"),
            ("v1.33.1-eks-acme415", "v1.33.1-eks-"),
            ("v1.27.3-gke.1700.acme", "v1.27.3-gke.1700."),
            ("v1.30.0+k0s.0", "v1.30.0+k0s.0"),
            ("v1.26.13+k3s1", "v1.26.13+k3s1"),
            ("v1.33.1+df9c838", "v1.33.1+0000001"),
            ("v1.24.10.3-acme", "v1.24.10.3"),
            ("v1.19.10-vk-azure-aci-1.4", "v1.19.10-vk-"),
            ("v2.5.21-acme", "v2.5.21"),
            ("acme-v1.36.2", UNREADABLE),
            ("", UNREADABLE),
        ] {
            assert_eq!(Versions::default().of(raw), kept, "{raw}");
            let minor = |text: &str| {
                text.parse::<Version>()
                    .ok()
                    .map(|version| version.release().clone())
            };
            assert_eq!(
                minor(raw).map(|it| (it.minor, it.patch)),
                minor(kept).map(|it| (it.minor, it.patch))
            );
        }
    }

    #[test]
    fn versions_that_differ_in_what_is_gone_stay_apart() {
        let mut versions = Versions::default();
        let all = || {
            [
                "v1.36.2-acme.1",
                "v1.36.2-acme.2",
                "a",
                "b",
                "v1.36.2+df9c838",
                "v1.36.2+df9c839",
            ]
        };
        for raw in all() {
            versions.of(raw);
        }
        versions.number();
        let rebuilt = all().map(|raw| versions.of(raw));
        assert_eq!(
            rebuilt,
            [
                "v1.36.2",
                "v1.36.2-b2",
                "unreadable",
                "unreadable-b2",
                "v1.36.2+0000001",
                "v1.36.2+0000002"
            ]
        );
    }

    #[test]
    fn runtimes_and_emulation_keep_their_numbers() {
        assert_eq!(runtime("containerd://1.7.2-acme1"), "containerd://1.7.2");
        assert_eq!(runtime("acme://1.7"), UNREADABLE);
        assert_eq!(emulated("other=2.1,kube=1.36"), "other=2.1,kube=1.36");
        assert_eq!(emulated("acme=2.1,\"1.36-acme\""), "other=2.1,1.36");
        assert_eq!(emulated("$(ACME)"), UNREADABLE);
        assert_eq!(number("27+acme"), "27+");
    }
}
