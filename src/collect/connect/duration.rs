//! `--request-timeout` as kubectl reads it: whole seconds, or a duration of Go such as `1m30s`.

use std::time::Duration;

/// Why a text is no timeout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{}\" is no timeout: write seconds, or a number with a unit such as 30s, 2m or 1h; 0 sets no limit", .0.escape_debug())]
pub struct TimeoutError(pub String);

/// How long a request may take where nothing is said.
pub(crate) const DEFAULT: Duration = Duration::from_secs(30);

/// Reads a timeout; `None` stands for 0, which sets no limit to a single request.
pub(crate) fn timeout(text: &str) -> Result<Option<Duration>, TimeoutError> {
    let wrong = || TimeoutError(text.to_owned());
    let number = text.strip_prefix('+').unwrap_or(text);
    let whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let duration = if whole {
        Duration::from_secs(number.parse().map_err(|_| wrong())?)
    } else {
        go_duration(text).ok_or_else(wrong)?
    };
    Ok((!duration.is_zero()).then_some(duration))
}

/// A duration of Go that is not negative: numbers, each with its unit, one after the other.
fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    let mut seconds = 0.0_f64;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let end = rest
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(rest.len());
        seconds += number
            * match &rest[..end] {
                "ns" => 1e-9,
                "us" | "µs" | "μs" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = &rest[end..];
    }
    Duration::try_from_secs_f64(seconds).ok()
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
            (".5s", 500),
            ("+2m", 120_000),
            ("250ms", 250),
            ("1000000µs", 1_000),
        ] {
            assert_eq!(timeout(text), Ok(Some(Duration::from_millis(millis))), "{text}");
        }
    }

    #[test]
    fn nought_sets_no_limit() {
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
            "5 s",
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
