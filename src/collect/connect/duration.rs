//! `--request-timeout` as kubectl reads it: whole seconds, or a duration of Go such as `1m30s`.

use std::time::Duration;

use jiff::SignedDuration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{}\" is not a timeout: use seconds, or numbers with units such as 30s, 2m or 1h30m; 0 sets no limit", .0.escape_debug())]
pub struct TimeoutError(pub String);

/// How long a request may take without the flag.
pub(crate) const DEFAULT: Duration = Duration::from_secs(30);

/// Reads a timeout; `None` stands for 0, which sets no limit to a single request.
pub(crate) fn timeout(text: &str) -> Result<Option<Duration>, TimeoutError> {
    let duration = match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => text
            .parse::<SignedDuration>()
            .ok()
            .and_then(|it| it.try_into().ok()),
    };
    let duration = duration.ok_or_else(|| TimeoutError(text.to_owned()))?;
    Ok((!duration.is_zero()).then_some(duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_durations_of_go_are_timeouts() {
        for (text, millis) in [
            ("5", 5_000),
            ("+5", 5_000),
            ("30s", 30_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("+2m", 120_000),
            ("250ms", 250),
            ("1000000µs", 1_000),
        ] {
            assert_eq!(timeout(text), Ok(Some(Duration::from_millis(millis))), "{text}");
        }
        for text in ["0", "00", "0s", "0h0m"] {
            assert_eq!(timeout(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "-1",
            "-1s",
            "soon",
            "s",
            "1d",
            "1.s.",
            "..5s",
            "99999999999999999999",
            "1e3s",
            "5ss",
        ] {
            assert_eq!(timeout(text), Err(TimeoutError(text.to_owned())), "{text}");
        }
    }
}
