//! Text in a comment. What comes from the cluster stands in code spans, where nothing is markup, a mention or a
//! reference; in our own sentences, which name objects too, every mark is escaped.

use super::NAMES;
use crate::render::escape::visible;
use crate::render::sentences;

/// How long one text may be.
const MOST: usize = 600;

/// The first names in code spans, and how many more there are.
pub(in crate::render) fn codes(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMES).map(|name| code(name)).collect();
    sentences::list(shown.iter().map(AsRef::as_ref), names.len())
}

/// Text in a code span, whose fence is longer than any in the text.
pub(in crate::render) fn code(text: &str) -> String {
    let text = bounded(&visible(text));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank on both sides is taken away again by the reader.
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Our own sentence, in which nothing that it names is markup.
pub(in crate::render) fn prose(text: &str) -> String {
    let text = bounded(&visible(text));
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // An empty comment parts a mention or a reference from its name, which an escape would not.
            '@' | '#' => {
                escaped.push(c);
                escaped.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    // GitHub makes links of bare addresses.
    escaped.replace("://", "\\://").replace("www.", "www\\.")
}

/// An address as a link where it is one.
pub(in crate::render) fn link(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#=%&+,".contains(c);
    if text.starts_with("https://") && text.chars().all(is_plain) {
        format!("<{text}>")
    } else {
        code(text)
    }
}

/// `text`, cut where it is long beyond reading.
fn bounded(text: &str) -> String {
    let mut chars = text.chars();
    let mut cut: String = chars.by_ref().take(MOST).collect();
    if chars.next().is_some() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fence_is_closed_by_the_text_in_it() {
        for (text, span) in [
            ("plain", "`plain`"),
            ("a`b", "``a`b``"),
            ("`a``", "``` `a`` ```"),
            (" a", "`  a `"),
        ] {
            assert_eq!(code(text), span);
        }
    }

    #[test]
    fn a_sentence_holds_no_markup_mention_or_address() {
        assert_eq!(
            prose("a|b @c #1 <b> *d* https://e.example www.f.example"),
            r"a\|b @<!-- -->c #<!-- -->1 &lt;b&gt; \*d\* https\://e.example www\.f.example"
        );
        assert_eq!(prose(&"x".repeat(601)), format!("{}…", "x".repeat(600)));
    }
}
