//! `Retry-After`: seconds, as Kubernetes sends them, or a date, as a gateway before it may.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// The three ways to write a date in HTTP (RFC 9110, section 5.6.7); all mean UTC.
const DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

/// How long a server asks to wait, from now on; nothing for a date that has passed.
pub(super) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More than a number holds is longer than anybody waits.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = DATES.iter().find_map(|format| {
        let date = BrokenDownTime::parse(format, value).ok()?.to_datetime().ok()?;
        date.to_zoned(TimeZone::UTC).ok()
    })?;
    Some(Duration::try_from(date.timestamp() - now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(value: &str) -> Option<u64> {
        let now = "1994-11-06T08:49:00Z".parse().unwrap();
        retry_after(value, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds_and_every_date_of_http_are_read() {
        for (value, wait) in [
            ("0", 0),
            (" 120 ", 120),
            ("99999999999999999999999", u64::MAX),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
            ("Sun Nov  6 08:49:37 1994", 37),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0),
            ("Mon, 07 Nov 1994 08:49:00 GMT", 86_400),
        ] {
            assert_eq!(seconds(value), Some(wait), "{value}");
        }
    }

    #[test]
    fn everything_else_asks_for_nothing() {
        for value in [
            "",
            "-1",
            "+5",
            "1.5",
            "5s",
            "soon",
            "1994-11-06T08:49:37Z",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            assert_eq!(seconds(value), None, "{value}");
        }
    }
}
