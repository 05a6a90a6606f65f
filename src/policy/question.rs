//! What is asked of a judgement: the target as it was typed, and what the gate is to do. Targets are refused
//! here, before any request is made.

use std::str::FromStr;

use super::apiservers::Apiservers;
use super::verdict::Severity;
use crate::inventory::version::{Minor, Version};

/// The oldest minor that may be asked for.
pub const OLDEST_TARGET: Minor = Minor::new(16);

/// How far above the newest apiserver a target may be; further is taken for a typo.
pub const FURTHEST_TARGET: u16 = 20;

/// The question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Where the control plane is to move; `None` judges today.
    pub target: Option<Target>,
    /// `--fail-on`; `None` where it was not given: blocker with a target, warning without.
    pub fail_on: Option<FailOn>,
    /// `--allow-incomplete`.
    pub allow_incomplete: bool,
    /// The names that `--rollout` and `--rollout-file` list.
    pub rollout: Option<Vec<String>>,
}

/// A target as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A minor.
    Minor(Minor),
    /// A version with a patch.
    Patch(Version),
    /// A build of a patch: the version, and the suffix that was typed with its `-` or `+`.
    Build {
        /// The version without the suffix.
        version: Version,
        /// The suffix.
        suffix: String,
    },
    /// `next`.
    Next,
    /// `+N`.
    Plus(u16),
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of that severity or above.
    Severity(Severity),
    /// Nothing.
    Never,
}

/// Why a target is refused before anything is judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There is no text.
    #[error("the target is empty: give a minor such as 1.37, a patch such as 1.36.5, next, or +1")]
    Empty,
    /// It has another shape.
    #[error(
        "\"{}\" is no target: give a minor such as 1.37, a patch such as 1.36.5, next, or +1",
        .0.escape_debug()
    )]
    Shape(String),
    /// Its major is not 1.
    #[error("\"{}\" is not of major 1: Kubernetes has no other, so give a minor such as 1.37", .0.escape_debug())]
    Major(String),
    /// `+0` moves nothing.
    #[error("+0 is no move: give +1 or more, or leave the target out to judge today")]
    NoStep,
    /// It is older than any minor that is judged, and has the look of a number that lost its last zero.
    #[error(
        "target {typed} is older than 1.16, the oldest that is judged; \
         an unquoted YAML {meant} reads as {typed}, so quote it: \"{meant}\""
    )]
    LostZero {
        /// What was typed.
        typed: Minor,
        /// What was probably meant.
        meant: Minor,
    },
    /// It is older than any minor that is judged.
    #[error("target {0} is older than 1.16, the oldest that is judged: give a newer one")]
    TooOld(Minor),
    /// It is further above the cluster than any upgrade goes.
    #[error(
        "target {target} is more than 20 minors above kube-apiserver {newest}, which looks like a typo: \
         give a minor up to {furthest}"
    )]
    TooFar {
        /// What was asked for.
        target: Minor,
        /// The newest apiserver.
        newest: Minor,
        /// The furthest that is taken.
        furthest: Minor,
    },
    /// `+N` of more than 20.
    #[error("+{0} is more than 20 minors, which looks like a typo: give +20 at most")]
    TooManySteps(String),
}

impl Target {
    /// Refuses a target too far above this cluster's apiservers to be meant; all others are judged.
    pub fn check_reach(&self, apiservers: Option<Apiservers>) -> Result<(), TargetError> {
        let target = match self {
            Self::Minor(minor) => *minor,
            Self::Patch(version) | Self::Build { version, .. } => version.minor(),
            Self::Next | Self::Plus(_) => return Ok(()),
        };
        match apiservers {
            Some(Apiservers { hi, .. }) if target > hi.newer_by(FURTHEST_TARGET) => {
                Err(TargetError::TooFar {
                    target,
                    newest: hi,
                    furthest: hi.newer_by(FURTHEST_TARGET),
                })
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        if text.is_empty() {
            return Err(TargetError::Empty);
        }
        if text == "next" {
            return Ok(Self::Next);
        }
        if let Some(steps) = text.strip_prefix('+') {
            return plus(text, steps);
        }
        let shape = || TargetError::Shape(text.to_owned());
        let release = without_suffix(text).ok_or_else(shape)?;
        let release = release.strip_prefix('v').unwrap_or(release);
        let parts: Vec<&str> = release.split('.').collect();
        if !(2..=4).contains(&parts.len()) || !parts.iter().all(|part| is_number(part)) {
            return Err(shape());
        }
        if parts[0] != "1" {
            return Err(TargetError::Major(text.to_owned()));
        }
        let minor = Minor::new(parts[1].parse().map_err(|_| shape())?);
        if minor < OLDEST_TARGET {
            return Err(too_old(minor, parts.len() > 2));
        }
        if parts.len() == 2 {
            return Ok(Self::Minor(minor));
        }
        if parts[2..].iter().any(|part| part.parse::<u64>().is_err()) {
            return Err(shape());
        }
        let version = release.parse().map_err(|_| shape())?;
        Ok(match text.find(['-', '+']) {
            Some(at) => Self::Build {
                version,
                suffix: text[at..].to_owned(),
            },
            None => Self::Patch(version),
        })
    }
}

fn plus(text: &str, steps: &str) -> Result<Target, TargetError> {
    if !is_number(steps) {
        return Err(TargetError::Shape(text.to_owned()));
    }
    match steps.parse::<u16>() {
        Ok(0) => Err(TargetError::NoStep),
        Ok(steps) if steps <= FURTHEST_TARGET => Ok(Target::Plus(steps)),
        _ => Err(TargetError::TooManySteps(steps.to_owned())),
    }
}

/// The release without a vendor's suffix; `None` where the suffix is empty or no part of a version.
fn without_suffix(text: &str) -> Option<&str> {
    let Some(at) = text.find(['-', '+']) else {
        return Some(text);
    };
    let suffix = &text[at + 1..];
    (!suffix.is_empty() && suffix.chars().all(|c| c.is_ascii_graphic())).then(|| &text[..at])
}

/// Digits without a leading zero.
fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
}

fn too_old(minor: Minor, has_patch: bool) -> TargetError {
    let meant = Minor::new(minor.number().saturating_mul(10));
    if !has_patch && minor.number() < 10 && meant >= OLDEST_TARGET {
        TargetError::LostZero { typed: minor, meant }
    } else {
        TargetError::TooOld(minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str, suffix: &str) -> Target {
        Target::Build {
            version: text.parse().unwrap(),
            suffix: suffix.to_owned(),
        }
    }

    fn patch(text: &str) -> Target {
        Target::Patch(text.parse().unwrap())
    }

    #[test]
    fn targets_are_minors_patches_next_and_steps() {
        for (text, target) in [
            ("1.37", Target::Minor(Minor::new(37))),
            ("v1.37", Target::Minor(Minor::new(37))),
            ("1.16", Target::Minor(Minor::new(16))),
            ("1.100", Target::Minor(Minor::new(100))),
            ("1.37-gke", Target::Minor(Minor::new(37))),
            ("v1.37+k3s1", Target::Minor(Minor::new(37))),
            ("1.36.5", patch("1.36.5")),
            ("1.36.0", patch("1.36.0")),
            ("v1.36.5-eks-3a10415", build("1.36.5", "-eks-3a10415")),
            ("1.36.5-eks-1+build.2", build("1.36.5", "-eks-1+build.2")),
            ("1.24.10.3", patch("1.24.10.3")),
            ("1.28.101-akslts", build("1.28.101", "-akslts")),
            ("next", Target::Next),
            ("+1", Target::Plus(1)),
            ("+20", Target::Plus(20)),
        ] {
            assert_eq!(text.parse::<Target>(), Ok(target), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_by_what_is_wrong_with_it() {
        for text in [
            "banana",
            "1",
            "v1",
            "1.",
            "1.37.",
            "1.x",
            "1.37.x",
            "1.37.1.1.1",
            " 1.37",
            "1.37 ",
            "Next",
            "NEXT",
            "+",
            "+x",
            "+ 1",
            "-1",
            "1.37-",
            "1.37+",
            "1.037",
            "01.37",
            "1.37\n",
            "1.37-a b",
            "1.99999",
            "vv1.37",
            "١.٣٧",
            "1.37.99999999999999999999",
        ] {
            assert_eq!(
                text.parse::<Target>(),
                Err(TargetError::Shape(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!("".parse::<Target>(), Err(TargetError::Empty));
        assert_eq!("2.0".parse::<Target>(), Err(TargetError::Major("2.0".to_owned())));
        assert_eq!(
            "0.37".parse::<Target>(),
            Err(TargetError::Major("0.37".to_owned()))
        );
        assert_eq!("+0".parse::<Target>(), Err(TargetError::NoStep));
        assert_eq!(
            "+21".parse::<Target>(),
            Err(TargetError::TooManySteps("21".to_owned()))
        );
        assert_eq!(
            "+99999".parse::<Target>(),
            Err(TargetError::TooManySteps("99999".to_owned()))
        );
        assert_eq!("1.15".parse::<Target>(), Err(TargetError::TooOld(Minor::new(15))));
        assert_eq!("1.4.3".parse::<Target>(), Err(TargetError::TooOld(Minor::new(4))));
        assert_eq!("1.1".parse::<Target>(), Err(TargetError::TooOld(Minor::new(1))));
    }

    #[test]
    fn a_lost_zero_says_what_yaml_did_and_to_quote() {
        let error = "1.4".parse::<Target>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "target 1.4 is older than 1.16, the oldest that is judged; \
             an unquoted YAML 1.40 reads as 1.4, so quote it: \"1.40\""
        );
        assert!(
            "1.2"
                .parse::<Target>()
                .unwrap_err()
                .to_string()
                .contains("\"1.20\"")
        );
    }

    #[test]
    fn a_target_more_than_twenty_above_the_newest_apiserver_is_a_typo() {
        let today = Some(Apiservers {
            lo: Minor::new(36),
            hi: Minor::new(37),
        });
        let reach = |text: &str| text.parse::<Target>().unwrap().check_reach(today);
        assert_eq!(reach("1.57"), Ok(()));
        assert_eq!(
            reach("1.58"),
            Err(TargetError::TooFar {
                target: Minor::new(58),
                newest: Minor::new(37),
                furthest: Minor::new(57),
            })
        );
        assert!(reach("1.370.1").is_err());
        assert_eq!(reach("1.16"), Ok(()));
        assert_eq!(reach("+20"), Ok(()));
        assert_eq!("1.370".parse::<Target>().unwrap().check_reach(None), Ok(()));
    }
}
