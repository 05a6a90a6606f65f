//! Whatever names hold: nothing in an output moves a cursor, runs, is markup, a link, a formula or a mention.

use kubectl_skew::render::Format;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{Html, Selector};

/// Asserts it of an output without colour.
pub(crate) fn harmless(format: Format, text: &str) {
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "{format} ends in a line break"
    );
    acts_on_no_terminal(format, text);
    match format {
        Format::Html => runs_nothing(text),
        Format::Csv => holds_no_formula(text),
        Format::Markdown => has_no_markup_but_ours(text, false),
        Format::Runbook => has_no_markup_but_ours(text, true),
        Format::Table
        | Format::Wide
        | Format::Json
        | Format::Yaml
        | Format::Junit
        | Format::Sarif
        | Format::Name => {}
    }
}

/// Unicode's own words for what is not seen: controls, marks of direction, of joining and of variation, tags, and
/// fillers that look like blanks.
fn is_acting(c: char) -> bool {
    matches!(u32::from(c),
        0..0x20 | 0x7f..=0x9f | 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xfff0..=0xfffb | 0xe0000..=0xe0fff)
}

fn acts_on_no_terminal(format: Format, text: &str) {
    // RFC 4180 ends lines with both.
    let text = if format == Format::Csv {
        text.replace("\r\n", "\n")
    } else {
        text.to_owned()
    };
    let acting: Vec<char> = text.chars().filter(|c| *c != '\n' && is_acting(*c)).collect();
    assert!(acting.is_empty(), "{format}: {acting:?}");
}

/// Elements that ask for something, run something or change what the others mean.
const ACTIVE: &str = "img, svg, math, iframe, object, embed, link, form, base, video, audio, template, slot, [src], \
                      [style], [srcdoc], [action], [formaction], [background], [poster], [ping]";

fn runs_nothing(text: &str) {
    let page = Html::parse_document(text);
    let select = |selector: &str| -> Vec<_> {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector)
            .map(|found| found.value().clone())
            .collect()
    };
    let policy = &select("meta[http-equiv=Content-Security-Policy]")[0];
    let policy = policy.attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert_eq!(
        select("meta[http-equiv]").len(),
        1,
        "nothing refreshes or redirects"
    );
    assert!(
        select("script").len() <= 1 && select("style").len() == 1,
        "one script and one style, ours"
    );
    assert!(select(ACTIVE).is_empty(), "{:?}", select(ACTIVE));
    for element in select("*") {
        for (attribute, value) in element.attrs() {
            assert!(!attribute.starts_with("on"), "{attribute}={value}");
            assert!(attribute != "href" || value.starts_with("https://"), "{value}");
        }
    }
    // The script is as it was written: no text from a cluster got into it.
    let script = include_str!("../../src/render/html/page.js");
    let selector = Selector::parse("script").unwrap();
    for found in page.select(&selector) {
        assert_eq!(found.text().collect::<String>(), script);
    }
}

fn holds_no_formula(text: &str) {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    for record in reader.records() {
        for field in &record.unwrap() {
            let starts = field
                .trim_start()
                .starts_with(['=', '+', '@', '＝', '＋', '－', '＠', '|', '%']);
            assert!(!starts, "{field}");
            let is_ours = field == "-" || field.parse::<i32>().is_ok();
            assert!(!field.trim_start().starts_with('-') || is_ours, "{field}");
        }
    }
}

/// `has_blocks`: commands stand in code blocks, in which nothing is markup.
fn has_no_markup_but_ours(text: &str, has_blocks: bool) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let (mut is_in_link, mut is_in_block) = (false, false);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(_) if is_in_link || is_in_block => {}
            Event::Start(Tag::CodeBlock(_)) if has_blocks => is_in_block = true,
            Event::End(TagEnd::CodeBlock) => is_in_block = false,
            Event::End(TagEnd::Link) => is_in_link = false,
            Event::Start(Tag::Link { dest_url, .. }) => {
                assert!(dest_url.starts_with("https://"), "{dest_url}");
                assert!(!dest_url.contains(['(', ' ']), "{dest_url}");
                is_in_link = true;
            }
            Event::Start(Tag::Image { .. } | Tag::CodeBlock(_) | Tag::Strikethrough)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => panic!("{event:?}"),
            Event::Html(html) | Event::InlineHtml(html) => {
                let html = html.trim();
                // A heading of a folded part is ours too: a number and a noun.
                let is_summary = html
                    .strip_prefix("<summary>")
                    .and_then(|rest| rest.strip_suffix("</summary>"))
                    .or_else(|| {
                        html.strip_prefix("<details><summary>")?
                            .strip_suffix("</summary>")
                    })
                    .or_else(|| {
                        html.strip_prefix("<details open><summary>")?
                            .strip_suffix("</summary>")
                    })
                    .is_some_and(|words| !words.contains('<'));
                let is_ours = ["<br>", "<!-- -->", "</details>"].contains(&html);
                assert!(is_ours || is_summary, "{html}");
            }
            // GitHub makes mentions, references and links of these where they stand in one piece.
            Event::Text(part) => {
                for live in ["@user", "#1", "http://", "https://", "www."] {
                    assert!(!part.contains(live), "{live} in: {part}");
                }
            }
            _ => {}
        }
    }
}
