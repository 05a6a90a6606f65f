//! Words for numbers and lists: counts with their noun, thousands set apart, names cut with the rest counted.

/// `1 node`, `5,000 nodes`, `2 kube-proxies`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {}", thousands(number), plural(number, noun))
}

/// `9 of 17 nodes`; where there is but one, `1 node`.
pub fn of(number: usize, all: usize, noun: &str) -> String {
    if all <= 1 {
        count(number, noun)
    } else {
        format!("{} of {}", thousands(number), count(all, noun))
    }
}

/// `1 more node`, `4,000 more nodes`.
pub fn more(number: usize, noun: &str) -> String {
    format!("{} more {}", thousands(number), plural(number, noun))
}

fn plural(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix("xy")) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}xies"),
        (_, None) => format!("{noun}s"),
    }
}

/// A number with its thousands set apart.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The first names, and how many more there are.
pub fn names(names: &[impl AsRef<str>], at_most: usize) -> String {
    list(names.iter().take(at_most).map(AsRef::as_ref), names.len())
}

/// A list of which these are the first, of so many.
pub fn list<'a>(shown: impl Iterator<Item = &'a str>, total: usize) -> String {
    let shown: Vec<&str> = shown.collect();
    let list = shown.join(", ");
    match total - shown.len() {
        0 => list,
        rest => format!("{list} and {} more", thousands(rest)),
    }
}

/// How long before now something was.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    format!("{} ago", count(number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_apart_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (5_000_000, "5,000,000")] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "hop"), "0 hops");
        assert_eq!(count(2, "kube-proxy"), "2 kube-proxies");
        assert_eq!(of(9, 5_000, "node"), "9 of 5,000 nodes");
        assert_eq!(of(1, 1, "kubelet"), "1 kubelet");
    }

    #[test]
    fn names_are_cut_with_their_number_and_never_silently() {
        assert_eq!(names(&["a", "b"], 2), "a, b");
        assert_eq!(names(&["a", "b", "c"], 2), "a, b and 1 more");
    }
}
