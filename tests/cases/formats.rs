//! Every case in every format, each read by a parser that is not ours: all say the verdict that was written down
//! by hand, and all tell every gap.

use std::path::Path;

use kubectl_skew::render::escape::visible;
use kubectl_skew::render::{Format, Style, aside, json, render};
use kubectl_skew::report::Report;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{Html, Selector};
use serde_json::Value;
use serde_sarif::sarif::Sarif;

use crate::case::{Ask, cases, report};

/// What a reader of a format learns.
struct Told {
    /// The verdict, as often as the format says it.
    verdicts: Vec<String>,
    /// Today's state, as often as the format says it.
    today: Vec<Option<bool>>,
    /// Where the gaps are told, without the format's own escapes.
    gaps: String,
}

impl Told {
    /// By a verdict line and the text that the gaps stand in.
    fn by_line(line: &str, gaps: String) -> Self {
        let (verdict, today) = spoken(line);
        Self {
            verdicts: vec![verdict],
            today: vec![today],
            gaps,
        }
    }

    /// By fields of JSON, for programs.
    fn by_fields(value: &Value, gaps: String) -> Self {
        Self {
            verdicts: vec![value["verdict"].as_str().unwrap().to_owned()],
            today: vec![value["inPolicy"].as_bool()],
            gaps,
        }
    }

    /// The same told a second way.
    fn and(mut self, other: Self) -> Self {
        self.verdicts.extend(other.verdicts);
        self.today.extend(other.today);
        self
    }
}

/// The verdict and today's state that a line speaks of: "BLOCKED for 1.37 … · today: in policy" with a target,
/// "IN POLICY today … · verdict: ready" without.
fn spoken(line: &str) -> (String, Option<bool>) {
    let line = line.trim_start_matches(['✗', '?', '✓', ' ']);
    if let Some((verdict, rest)) = line.split_once(" for ") {
        let (_, today) = rest.split_once(" · today: ").unwrap_or_else(|| panic!("{line}"));
        let today = match today {
            "in policy" => Some(true),
            "not assessed" => None,
            _ if today.ends_with(" out of policy") => Some(false),
            _ => panic!("{line}"),
        };
        return (verdict.to_lowercase(), today);
    }
    let (today, rest) = line.split_once(" today ").unwrap_or_else(|| panic!("{line}"));
    let today = match today {
        "IN POLICY" => Some(true),
        "OUT OF POLICY" => Some(false),
        "UNKNOWN" => None,
        _ => panic!("{line}"),
    };
    let (_, verdict) = rest.rsplit_once(" · verdict: ").unwrap();
    (verdict.trim_end_matches(" (no blocker)").to_owned(), today)
}

fn rendered(report: &Report, format: Format) -> String {
    let style = Style {
        utf8: true,
        ..Style::default()
    };
    let mut out = Vec::new();
    render(report, format, &style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn told(report: &Report, format: Format) -> Told {
    let text = rendered(report, format);
    match format {
        Format::Table | Format::Wide => by_table(&text),
        Format::Json => by_value(&serde_json::from_str(&text).unwrap()),
        Format::Yaml => by_value(&serde_saphyr::from_str(&text).unwrap()),
        Format::Junit => by_junit(&text),
        Format::Sarif => by_sarif(&text),
        Format::Markdown => by_markdown(&text),
        Format::Csv => by_csv(&text),
        Format::Html => by_html(&text),
        Format::Name => {
            assert!(text.lines().all(|line| line.starts_with("node/")), "{text}");
            let beside = aside(report, format);
            Told::by_line(&beside[0], beside[1..].join("\n"))
        }
    }
}

fn by_table(text: &str) -> Told {
    let gaps = text.split_once("\nNOT ASSESSED").map_or("", |(_, gaps)| gaps);
    Told::by_line(text.lines().next().unwrap(), gaps.to_owned())
}

fn by_value(value: &Value) -> Told {
    let reasons = value["notAssessed"].as_array().unwrap().iter();
    let reasons: Vec<String> = reasons
        .map(|gap| visible(gap["reason"].as_str().unwrap()).into_owned())
        .collect();
    Told::by_fields(value, reasons.join("\n"))
}

fn by_junit(text: &str) -> Told {
    let document = roxmltree::Document::parse(text).unwrap();
    let name = document.root_element().attribute("name").unwrap();
    let property = |wanted: &str| {
        let mut all = document
            .descendants()
            .filter(|node| node.has_tag_name("property"));
        let found = all.find(|node| node.attribute("name") == Some(wanted)).unwrap();
        found.attribute("value").unwrap().to_owned()
    };
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let names: Vec<&str> = cases.filter_map(|case| case.attribute("name")).collect();
    Told {
        verdicts: vec![property("verdict")],
        today: vec![property("inPolicy").parse().ok()],
        gaps: names.join("\n"),
    }
    .and(Told::by_line(
        name.strip_prefix("kubectl skew: ").unwrap(),
        String::new(),
    ))
}

fn by_sarif(text: &str) -> Told {
    let log: Sarif = serde_json::from_str(text).unwrap();
    let run = serde_json::to_value(&log.runs[0]).unwrap();
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    let messages: Vec<&str> = notes
        .iter()
        .map(|note| note["message"]["text"].as_str().unwrap())
        .collect();
    let summary = run["properties"]["summary"].as_str().unwrap();
    Told::by_fields(&run["properties"], messages.join("\n")).and(Told::by_line(summary, String::new()))
}

fn by_markdown(text: &str) -> Told {
    let (mut title, mut all, mut is_title) = (String::new(), String::new(), false);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => is_title = title.is_empty(),
            Event::End(TagEnd::Heading(_)) => is_title = false,
            Event::Text(part) | Event::Code(part) if is_title => title.push_str(&part),
            Event::Text(part) | Event::Code(part) => all.push_str(&part),
            Event::SoftBreak | Event::HardBreak => all.push(' '),
            Event::End(_) => all.push('\n'),
            _ => {}
        }
    }
    Told::by_line(&title, all)
}

fn by_csv(text: &str) -> Told {
    let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(text.as_bytes())
        .records()
        .map(Result::unwrap)
        .collect();
    let of = |record: &'static str| rows.iter().filter(move |row| &row[0] == record);
    let verdict = of("verdict").next().unwrap();
    let gaps: Vec<&str> = of("not assessed").map(|row| &row[row.len() - 1]).collect();
    let line = Told::by_line(&verdict[verdict.len() - 1], gaps.join("\n"));
    Told {
        verdicts: [line.verdicts, vec![verdict[1].to_owned()]].concat(),
        ..line
    }
}

fn by_html(text: &str) -> Told {
    let page = Html::parse_document(text);
    let texts = |selector: &str| -> Vec<String> {
        page.select(&Selector::parse(selector).unwrap())
            .map(|element| element.text().collect())
            .collect()
    };
    Told::by_line(&texts("title")[0], texts("main").concat())
        .and(Told::by_line(&texts("h1")[0], String::new()))
}

/// Calls for the report of each question of each case, but of those that are refused.
fn each(mut with: impl FnMut(&str, &Ask, &Report)) {
    let mut reports = 0;
    for (folder, case) in cases() {
        for ask in case.asks.iter().filter(|ask| ask.expect.error.is_none()) {
            let report = report(&folder, &case, ask).unwrap();
            with(&place(&folder, ask), ask, &report);
            reports += 1;
        }
    }
    assert!(reports >= 30, "{reports} reports");
}

fn place(folder: &Path, ask: &Ask) -> String {
    let id = folder.file_name().unwrap().to_string_lossy();
    format!("{id}, target {}", ask.target.as_deref().unwrap_or("none"))
}

/// A text as it reads, whatever its breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_tells_the_verdict_and_every_gap_of_every_case() {
    let mut wrong = Vec::new();
    let mut gaps = 0;
    each(|place, ask, report| {
        let verdict = ask.expect.verdict.as_deref().unwrap();
        gaps += report.not_assessed.len();
        for format in Format::ALL {
            let told = told(report, format);
            if told.verdicts.iter().any(|said| said != verdict) {
                wrong.push(format!("{place} as {format}: {:?}, not {verdict}", told.verdicts));
            }
            if told.today.iter().any(|said| *said != ask.expect.in_policy) {
                let (said, meant) = (&told.today, ask.expect.in_policy);
                wrong.push(format!("{place} as {format}: inPolicy {said:?}, not {meant:?}"));
            }
            let all = flat(&told.gaps);
            let reasons = report.not_assessed.iter().map(|gap| flat(&visible(&gap.reason)));
            for reason in reasons.filter(|reason| !all.contains(reason)) {
                wrong.push(format!("{place} as {format} lacks the gap: {reason}"));
            }
        }
    });
    assert!(gaps >= 10, "{gaps} gaps");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_json_of_every_case_meets_the_published_schema() {
    let schema: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    each(|place, _, report| {
        let value: Value = serde_json::from_str(&rendered(report, Format::Json)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{place}: {errors:?}");
    });
}
