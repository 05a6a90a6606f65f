//! A strict scanner of JSON text: where a value ends, and where the members of an object and the elements of
//! an array stand. It checks the whole grammar of what it passes over, builds nothing, and tells a text that
//! is wrong from one that is merely not all there yet. Bytes that are no UTF-8 are the caller's to refuse.

use std::borrow::Cow;
use std::ops::Range;

/// How deep values may nest: what `serde_json` takes as well.
const MAX_DEPTH: u32 = 127;

/// Why a scan did not reach the end of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The text ends inside the value.
    More,
    /// The text is no JSON.
    Bad {
        /// The offset of the first byte that cannot stand there.
        at: usize,
        /// What could have stood there.
        expected: &'static str,
    },
}

const fn bad<T>(at: usize, expected: &'static str) -> Result<T, Stop> {
    Err(Stop::Bad { at, expected })
}

/// The offset of the first byte from `at` on that is no white space.
pub fn space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
        // Indentation: most of the white space there is.
        while text.get(at..at + 8) == Some(b"        ") {
            at += 8;
        }
    }
    at
}

/// The offset behind the value that starts at `at`, behind white space where there is some.
///
/// A number that ends with the text is reported as [`Stop::More`]: another digit may follow.
pub fn value(text: &[u8], at: usize) -> Result<usize, Stop> {
    let mut at = space(text, at);
    // A bit a level, the innermost lowest: 1 is an object, 0 an array.
    let mut objects = 0u128;
    let mut depth = 0u32;
    loop {
        match text.get(at) {
            None => return Err(Stop::More),
            Some(b'"') => at = string(text, at)?,
            Some(&open @ (b'{' | b'[')) => {
                if depth == MAX_DEPTH {
                    return bad(at, "values nested less deep");
                }
                depth += 1;
                objects = (objects << 1) | u128::from(open == b'{');
                at = space(text, at + 1);
                match (open, text.get(at)) {
                    (_, None) => return Err(Stop::More),
                    (b'{', Some(b'}')) | (b'[', Some(b']')) => {
                        objects >>= 1;
                        depth -= 1;
                        at += 1;
                    }
                    (b'{', Some(_)) => {
                        at = key(text, at, "a key or \"}\"")?;
                        continue;
                    }
                    (_, Some(_)) => continue,
                }
            }
            Some(b'-' | b'0'..=b'9') => at = number(text, at)?,
            Some(b't') => at = literal(text, at, b"true")?,
            Some(b'f') => at = literal(text, at, b"false")?,
            Some(b'n') => at = literal(text, at, b"null")?,
            Some(_) => return bad(at, "a value"),
        }
        // A value has ended: close what ends with it.
        loop {
            if depth == 0 {
                return Ok(at);
            }
            at = space(text, at);
            let in_object = objects & 1 == 1;
            match (in_object, text.get(at)) {
                (_, None) => return Err(Stop::More),
                (true, Some(b',')) => {
                    at = key(text, space(text, at + 1), "a key")?;
                    break;
                }
                (false, Some(b',')) => {
                    at = space(text, at + 1);
                    break;
                }
                (true, Some(b'}')) | (false, Some(b']')) => {
                    objects >>= 1;
                    depth -= 1;
                    at += 1;
                }
                (true, Some(_)) => return bad(at, "\",\" or \"}\""),
                (false, Some(_)) => return bad(at, "\",\" or \"]\""),
            }
        }
    }
}

/// A key with its colon: the offset where its value starts.
fn key(text: &[u8], at: usize, expected: &'static str) -> Result<usize, Stop> {
    match text.get(at) {
        None => return Err(Stop::More),
        Some(b'"') => {}
        Some(_) => return bad(at, expected),
    }
    let at = space(text, string(text, at)?);
    match text.get(at) {
        None => Err(Stop::More),
        Some(b':') => Ok(space(text, at + 1)),
        Some(_) => bad(at, "\":\""),
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The offset behind the string whose quote stands at `at`.
fn string(text: &[u8], at: usize) -> Result<usize, Stop> {
    let mut at = at + 1;
    loop {
        // Eight bytes at once; the lowest flag of each test is exact, and only that one is looked at.
        if let Some(eight) = text.get(at..at + 8) {
            let word = u64::from_le_bytes(eight.try_into().expect("eight bytes are eight bytes"));
            let quote = word ^ (ONES * u64::from(b'"'));
            let backslash = word ^ (ONES * u64::from(b'\\'));
            let special = (quote.wrapping_sub(ONES) & !quote)
                | (backslash.wrapping_sub(ONES) & !backslash)
                | (word.wrapping_sub(ONES * 0x20) & !word);
            let special = special & HIGHS;
            if special == 0 {
                at += 8;
                continue;
            }
            at += special.trailing_zeros() as usize / 8;
        }
        match text.get(at) {
            None => return Err(Stop::More),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape(text, at)?,
            Some(0..0x20) => return bad(at, "\"\\\"\" at the end of a string before its line ends"),
            Some(_) => at += 1,
        }
    }
}

/// The offset behind the escape whose backslash stands at `at`.
fn escape(text: &[u8], at: usize) -> Result<usize, Stop> {
    match text.get(at + 1) {
        None => Err(Stop::More),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            for digit in at + 2..at + 6 {
                match text.get(digit) {
                    None => return Err(Stop::More),
                    Some(byte) if byte.is_ascii_hexdigit() => {}
                    Some(_) => return bad(digit, "a hexadecimal digit"),
                }
            }
            Ok(at + 6)
        }
        Some(_) => bad(at + 1, "an escape"),
    }
}

/// The offset behind the number that starts at `at`.
fn number(text: &[u8], at: usize) -> Result<usize, Stop> {
    let digits = |from: usize| {
        let run = text
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        match run.count() {
            0 if from < text.len() => bad(from, "a digit"),
            count => Ok(from + count),
        }
    };
    let first = at + usize::from(text.get(at) == Some(&b'-'));
    let mut at = if text.get(first) == Some(&b'0') {
        first + 1
    } else {
        digits(first)?
    };
    if text.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        at = digits(at + 1 + sign)?;
    }
    if at >= text.len() { Err(Stop::More) } else { Ok(at) }
}

/// The offset behind one of the three words.
fn literal(text: &[u8], at: usize, word: &'static [u8]) -> Result<usize, Stop> {
    for (offset, wanted) in word.iter().enumerate() {
        match text.get(at + offset) {
            None => return Err(Stop::More),
            Some(byte) if byte == wanted => {}
            Some(_) => return bad(at + offset, "true, false or null"),
        }
    }
    Ok(at + word.len())
}

/// The key whose quote stands at `at`, and the offset where its value starts.
pub fn member(text: &[u8], at: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let value = key(text, at, "a key or \"}\"")?;
    let end = string(text, at)?;
    let raw = &text[at..end];
    let inner = &raw[1..raw.len() - 1];
    let name = if inner.contains(&b'\\') {
        serde_json::from_slice::<String>(raw).ok().map(Cow::Owned)
    } else {
        std::str::from_utf8(inner).ok().map(Cow::Borrowed)
    };
    match name {
        Some(name) => Ok((name, value)),
        None => bad(at, "a key in UTF-8"),
    }
}

/// Calls `each` with the key and the place of the value of every member of the object that starts at `at`;
/// returns the offset behind it.
pub fn members<'t>(
    text: &'t [u8],
    at: usize,
    mut each: impl FnMut(Cow<'t, str>, Range<usize>) -> Result<(), Stop>,
) -> Result<usize, Stop> {
    let at = space(text, at);
    match text.get(at) {
        None => return Err(Stop::More),
        Some(b'{') => {}
        Some(_) => return bad(at, "an object"),
    }
    let mut at = space(text, at + 1);
    if text.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        let (name, start) = member(text, at)?;
        let end = value(text, start)?;
        each(name, start..end)?;
        at = space(text, end);
        match text.get(at) {
            None => return Err(Stop::More),
            Some(b',') => at = space(text, at + 1),
            Some(b'}') => return Ok(at + 1),
            Some(_) => return bad(at, "\",\" or \"}\""),
        }
    }
}

/// Calls `each` with the place of every element of the array that starts at `at`; returns the offset behind it.
pub fn elements(
    text: &[u8],
    at: usize,
    mut each: impl FnMut(Range<usize>) -> Result<(), Stop>,
) -> Result<usize, Stop> {
    let at = space(text, at);
    match text.get(at) {
        None => return Err(Stop::More),
        Some(b'[') => {}
        Some(_) => return bad(at, "an array"),
    }
    let mut at = space(text, at + 1);
    if text.get(at) == Some(&b']') {
        return Ok(at + 1);
    }
    loop {
        let start = space(text, at);
        let end = value(text, start)?;
        each(start..end)?;
        at = space(text, end);
        match text.get(at) {
            None => return Err(Stop::More),
            Some(b',') => at += 1,
            Some(b']') => return Ok(at + 1),
            Some(_) => return bad(at, "\",\" or \"]\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: [&str; 12] = [
        r#"{"a":[1,-2.5e+3,0,"x\"\u00e9\\",{}],"b":null,"c":{"d":[[],true,false]}}"#,
        "[]",
        "{}",
        r#""text with \\ and \" and /""#,
        r#"{"long":"0123456789abcdef0123456789abcdef","x":"0123456"}"#,
        "[ 1 , 2\n,\t3 ]",
        "{\n        \"indented\":                 [\n1]}",
        "true",
        "null",
        r#"{"":""}"#,
        r#"["é","日本","\ud83d\ude00"]"#,
        "[0.1,1e9,-0]",
    ];

    #[test]
    fn a_whole_value_ends_where_it_ends_and_every_prefix_wants_more() {
        for text in VALUES {
            let whole = format!("{text} ");
            assert_eq!(value(whole.as_bytes(), 0), Ok(text.len()), "{text}");
            for cut in 0..text.len() {
                assert_eq!(
                    value(&text.as_bytes()[..cut], 0),
                    Err(Stop::More),
                    "{text} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_stops_being_so() {
        for (text, at) in [
            ("{,}", 1),
            (r#"{"a" 1}"#, 5),
            (r#"{"a":1,}"#, 7),
            ("[1 2]", 3),
            ("[1,]", 3),
            ("[1}", 2),
            (r#"{"a":1]"#, 6),
            ("[tru]", 4),
            ("[nul", 4),
            ("[01]", 2),
            ("[1.]", 3),
            ("[--1]", 2),
            ("[\"a\nb\"]", 3),
            (r#"["\x"]"#, 3),
            (r#"["\u12g4"]"#, 6),
            ("}", 0),
            ("'a'", 0),
        ] {
            match value(text.as_bytes(), 0) {
                Err(Stop::Bad { at: found, .. }) => assert_eq!(found, at, "{text}"),
                Err(Stop::More) => assert_eq!(text, "[nul"),
                Ok(end) => panic!("{text} was taken, ending at {end}"),
            }
        }
    }

    #[test]
    fn nesting_is_bounded_as_it_is_in_the_decoder() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for levels in [1, 126, 127, 128, 10_000] {
            let text = deep(levels);
            let decoder = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert_eq!(value(text.as_bytes(), 0).is_ok(), decoder, "{levels}");
        }
    }

    #[test]
    fn members_and_elements_are_told_with_their_places() {
        let text = br#" {"kind" : "List","\u0069tems":[ {"a":1} , 2],"x":{}} tail"#;
        let mut seen = Vec::new();
        let end = members(text, 0, |key, place| {
            seen.push((
                key.into_owned(),
                String::from_utf8_lossy(&text[place]).into_owned(),
            ));
            Ok(())
        });
        assert_eq!(end, Ok(text.len() - 5));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            seen,
            [
                pair("kind", "\"List\""),
                pair("items", r#"[ {"a":1} , 2]"#),
                pair("x", "{}")
            ]
        );
        let mut found = Vec::new();
        let array = br#"[ {"a":1} , 2]"#;
        elements(array, 0, |place| {
            found.push(&array[place]);
            Ok(())
        })
        .unwrap();
        assert_eq!(found, [br#"{"a":1}"#.as_slice(), b"2"]);
    }

    proptest! {
        #[test]
        fn it_takes_what_the_decoder_takes(seed in 0usize..VALUES.len(), at in 0usize..100, byte in 0u8..128) {
            let mut text = VALUES[seed].as_bytes().to_vec();
            let at = at % text.len();
            text[at] = byte;
            prop_assume!(std::str::from_utf8(&text).is_ok());
            let decoder = serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok();
            text.push(b' ');
            let ours = value(&text, 0).map(|end| space(&text, end)) == Ok(text.len());
            prop_assert_eq!(ours, decoder, "{}", String::from_utf8_lossy(&text));
        }
    }
}
