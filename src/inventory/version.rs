//! Versions: the only parser of the versions that components report. Judging is by [`Minor`] alone; vendor
//! suffixes are kept for display and never ordered. Targets, which people type, are in `policy::target`.

use std::fmt;
use std::str::FromStr;

/// A minor of Kubernetes 1: the 37 of 1.37.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor(u16);

impl Minor {
    /// The minor of that number.
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// The number after `1.`.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The minor after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The minor so many older, or 1.0 where that would be before it.
    #[must_use]
    pub const fn older_by(self, minors: u16) -> Self {
        Self(self.0.saturating_sub(minors))
    }

    /// The minor so many newer.
    #[must_use]
    pub const fn newer_by(self, minors: u16) -> Self {
        Self(self.0.saturating_add(minors))
    }

    /// How many minors this one is behind `other`; negative where it is newer.
    pub fn behind(self, other: Self) -> i32 {
        i32::from(other.0) - i32::from(self.0)
    }

    /// How far apart two minors are, either way.
    pub fn distance(self, other: Self) -> u16 {
        self.0.abs_diff(other.0)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` would need a string; a width is honoured by the callers' layout, not here.
        write!(f, "1.{}", self.0)
    }
}

/// Why a text is not a Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// There is no text.
    #[error("the version is empty")]
    Empty,
    /// It does not start with `v?MAJOR.MINOR`.
    #[error("\"{}\" does not start with MAJOR.MINOR", .0.escape_debug())]
    Shape(String),
    /// Its major is not 1.
    #[error("\"{}\" is not of major 1, so it is no Kubernetes version", .0.escape_debug())]
    Major(String),
    /// A number in it is larger than any version's.
    #[error("\"{}\" has a number that is too large for a version", .0.escape_debug())]
    TooLarge(String),
}

/// A version as it was read, with the release that its first part names.
///
/// `v?1.MINOR[.PATCH][anything]`: the leading version counts, never a later one in the text, and whatever
/// follows it is kept in [`raw`](Self::raw) alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    raw: String,
    release: semver::Version,
}

impl Version {
    /// The text as it was read.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Its minor.
    pub fn minor(&self) -> Minor {
        Minor::new(u16::try_from(self.release.minor).unwrap_or(u16::MAX))
    }

    /// The same minor under the text that a project writes for it, with the patch that it means.
    #[must_use]
    pub fn shown_as(&self, raw: &str, patch: u64) -> Self {
        Self {
            raw: raw.to_owned(),
            release: semver::Version::new(1, self.release.minor, patch),
        }
    }

    /// The version that a bare minor names: 1.36.
    pub fn of_minor(minor: Minor) -> Self {
        Self {
            raw: minor.to_string(),
            release: semver::Version::new(1, u64::from(minor.number()), 0),
        }
    }

    /// Minor and patch, for the one question that patches answer: is this patch above that one. A version
    /// without a patch reads as patch 0.
    pub fn release(&self) -> &semver::Version {
        &self.release
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return Err(VersionError::Empty);
        }
        let shape = || VersionError::Shape(text.to_owned());
        let body = text.strip_prefix('v').unwrap_or(text);
        let (major, rest) = leading_number(body).ok_or_else(shape)?;
        let (minor, rest) = rest
            .strip_prefix('.')
            .and_then(leading_number)
            .ok_or_else(shape)?;
        let patch = rest
            .strip_prefix('.')
            .and_then(leading_number)
            .map(|(digits, _)| digits);
        if major != "1" {
            return Err(VersionError::Major(text.to_owned()));
        }
        let number = |digits: &str| {
            digits
                .parse::<u16>()
                .map_err(|_| VersionError::TooLarge(text.to_owned()))
        };
        // A patch may be a date or a build number in disguise: it is compared, never judged, so no size is wrong.
        let patch = patch.map_or(0, |digits| digits.parse::<u64>().unwrap_or(u64::MAX));
        let release = semver::Version::new(1, u64::from(number(minor)?), patch);
        Ok(Self {
            raw: text.to_owned(),
            release,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.raw)
    }
}

/// The digits that `text` starts with and what follows them; `None` where it starts with none.
fn leading_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_seen_in_the_wild_read_as_their_leading_minor() {
        for (text, minor) in [
            ("v1.37.2", 37),
            ("1.37", 37),
            ("v1.16.13-eks-ec92d4", 16),
            ("v1.31.13-eks-***", 31),
            ("v1.35.1-gke.1396000", 35),
            ("v1.34.4+k3s1", 34),
            ("v1.32.3+rke2r1", 32),
            ("v1.23.8+k0s.0", 23),
            ("v1.28.3-k0s1", 28),
            ("v1.29.6+aadf0a5", 29),
            ("v1.34.1-aliyun.1", 34),
            ("v1.22.5-tke.5", 22),
            ("v1.17.9-r0-CCE21.1.1.3.B001-17.36.8", 17),
            ("v1.17.11+IKS", 17),
            ("v1.27.7-mirantis-1", 27),
            ("v1.28.7+vmware.1", 28),
            ("v1.7.0+coreos.0", 7),
            ("v1.28.101-akslts", 28),
            ("v1.21.2-13+d2965f0db10712", 21),
            ("v1.27.7-kubeedge-v1.16.0-beta.0.42+6dcb-dirty", 27),
            ("v1.24.10.3", 24),
            ("v1.37.0-rc.1", 37),
            ("v1.37.0-alpha.3+k0s", 37),
            ("1.18+", 18),
            ("v1.19.10-vk-azure-aci-1.4.16", 19),
        ] {
            let version: Version = text.parse().unwrap();
            assert_eq!(version.minor(), Minor::new(minor), "{text}");
            assert_eq!(version.raw(), text);
        }
    }

    #[test]
    fn what_is_no_kubernetes_version_is_an_error_and_never_a_number() {
        let shape = |t: &str| VersionError::Shape(t.to_owned());
        for text in [
            "fake",
            "N/A",
            "kwok-v0.7.0",
            "latest",
            "vv1.2.3",
            " 1.2.3",
            "-1.2",
            "1.",
            "v1",
            "1",
            "١.٢",
        ] {
            assert_eq!(text.parse::<Version>(), Err(shape(text)), "{text}");
        }
        for text in [
            "v2.5.21",
            "v0.0.0-master+a34f1e483104b",
            "v0.31.8",
            "01.30.0",
            "10.2.3",
        ] {
            assert_eq!(
                text.parse::<Version>(),
                Err(VersionError::Major(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!("".parse::<Version>(), Err(VersionError::Empty));
        let large = "v1.99999999999999999999.0";
        assert_eq!(
            large.parse::<Version>(),
            Err(VersionError::TooLarge(large.to_owned()))
        );
    }

    #[test]
    fn minors_count_as_numbers_and_not_as_text() {
        assert!(Minor::new(9) < Minor::new(10));
        assert_eq!(Minor::new(9).behind(Minor::new(10)), 1);
        assert_eq!(Minor::new(38).behind(Minor::new(37)), -1);
        assert_eq!(Minor::new(100).to_string(), "1.100");
        assert_eq!(Minor::new(1).older_by(3), Minor::new(0));
    }

    #[test]
    fn patches_are_compared_by_number() {
        let release = |t: &str| t.parse::<Version>().unwrap().release().clone();
        assert!(release("1.36.10") > release("v1.36.9-gke.1"));
        assert_eq!(release("v1.36.2+k3s1"), release("1.36.2-eks-1"));
        assert_eq!(release("1.36"), release("1.36.0"));
    }
}
