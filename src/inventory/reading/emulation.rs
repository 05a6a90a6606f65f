//! The minor that a component emulates: by `--emulated-version` among its arguments, and by what
//! `/version` does.

use crate::inventory::version::Minor;

const FLAG: &str = "--emulated-version";

/// What a component's command and arguments ask it to emulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing: it is what its binary is.
    Nothing,
    /// This minor.
    Minor(Minor),
    /// Something that is no version here, such as a variable that its environment fills in.
    Unread,
}

impl Asked {
    /// The minor, where it is read.
    pub(super) fn minor(self) -> Option<Minor> {
        match self {
            Self::Minor(minor) => Some(minor),
            Self::Nothing | Self::Unread => None,
        }
    }
}

/// The minor that a component's command and arguments ask it to emulate. The flag takes `1.36` or `kube=1.36`, in a comma
/// list with other components' too, in the same argument or the next; a shell's command line is read word by word.
pub(super) fn of_arguments(arguments: &[String]) -> Asked {
    let mut words = arguments.iter().flat_map(|argument| argument.split_whitespace());
    let mut asked = Asked::Nothing;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix(FLAG) {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        // Given twice, the last one counts.
        if let Some(value) = value {
            asked = of_flag(value);
        }
    }
    asked
}

fn of_flag(value: &str) -> Asked {
    let mut versions = value
        .trim_matches(|c| matches!(c, '"' | '\''))
        .split(',')
        .filter_map(|part| match part.split_once('=') {
            Some(("kube", version)) => Some(version),
            Some(_) => None,
            None => Some(part),
        })
        .filter(|version| !version.is_empty())
        .peekable();
    if versions.peek().is_none() {
        return Asked::Nothing;
    }
    let minor = versions.find_map(|version| {
        let version = version.strip_prefix('v').unwrap_or(version);
        let (major, minor) = version.split_once('.')?;
        of_numbers(major, minor)
    });
    minor.map_or(Asked::Unread, Asked::Minor)
}

/// The minor of a major and a minor as `/version` writes them: texts, the minor perhaps with a `+`.
pub(super) fn of_numbers(major: &str, minor: &str) -> Option<Minor> {
    let digits = minor
        .find(|c: char| !c.is_ascii_digit())
        .map_or(minor, |end| &minor[..end]);
    (major == "1")
        .then(|| digits.parse().ok().map(Minor::new))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Asked {
        let arguments: Vec<_> = arguments.iter().map(|a| (*a).to_owned()).collect();
        of_arguments(&arguments)
    }

    #[test]
    fn every_way_to_write_the_flag_is_read() {
        for arguments in [
            &["kube-apiserver", "--emulated-version=1.36"][..],
            &["--emulated-version", "1.36"],
            &["--emulated-version=kube=1.36"],
            &["--emulated-version", "kube=1.36"],
            &["--emulated-version=other=2.1,kube=1.36"],
            &["--emulated-version=v1.36"],
            &["--emulated-version=1.30", "--emulated-version=1.36"],
            &[
                "/bin/sh",
                "-c",
                "exec kube-apiserver --v=2 --emulated-version=\"1.36\" 2>&1",
            ],
        ] {
            assert_eq!(of(arguments), Asked::Minor(Minor::new(36)), "{arguments:?}");
        }
    }

    #[test]
    fn what_does_not_ask_to_emulate_is_not_taken_for_it() {
        for arguments in [
            &[][..],
            &["--emulated-version"],
            &["--emulated-version="],
            &["--emulated-version=other=1.36"],
            &["--emulated-version-x=1.36"],
            &["--emulation-forward-compatible=true"],
            &["--min-compatibility-version=1.35"],
        ] {
            assert_eq!(of(arguments), Asked::Nothing, "{arguments:?}");
        }
    }

    #[test]
    fn what_is_no_version_is_not_taken_for_no_emulation() {
        for arguments in [
            &["--emulated-version=2.36"][..],
            &["--emulated-version=$(EMULATED_VERSION)"],
            &["--emulated-version", "kube=latest"],
            &["--emulated-version=1.36", "--emulated-version=${VERSION}"],
        ] {
            assert_eq!(of(arguments), Asked::Unread, "{arguments:?}");
        }
    }

    #[test]
    fn numbers_of_a_version_answer_may_bear_a_plus() {
        assert_eq!(of_numbers("1", "27+"), Some(Minor::new(27)));
        assert_eq!(of_numbers("1", ""), None);
        assert_eq!(of_numbers("", ""), None);
        assert_eq!(of_numbers("2", "1"), None);
        assert_eq!(of_numbers("1", "99999999"), None);
    }
}
