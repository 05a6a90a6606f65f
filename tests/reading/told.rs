//! What a reader of a format learns: the verdict, today's state, the gaps and the nodes.

use kubectl_skew::render::Format;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{Html, Selector};
use serde_json::Value;
use serde_sarif::sarif::Sarif;
use unicode_width::UnicodeWidthChar;

/// What a reader of a format learns.
pub(crate) struct Told {
    /// The verdict, as often as the format says it.
    pub(crate) verdicts: Vec<String>,
    /// Today's state, as often as the format says it.
    pub(crate) today: Vec<Option<bool>>,
    /// Where the gaps are told, without the format's own escapes.
    pub(crate) gaps: String,
    /// The rows of the matrix; `None` where the format has none.
    pub(crate) nodes: Option<Vec<Row>>,
}

/// A row of the matrix.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    /// The node.
    pub(crate) name: String,
    /// Its pool, where the format tells it.
    pub(crate) pool: Option<String>,
    /// The kubelet's version, `?` where unread.
    pub(crate) kubelet: String,
    /// The kube-proxies' versions, `-` for none and `?` where unread.
    pub(crate) kube_proxy: String,
}

impl Row {
    fn of([name, pool, kubelet, kube_proxy]: [&str; 4]) -> Self {
        Self {
            name: name.to_owned(),
            pool: Some(pool.to_owned()),
            kubelet: kubelet.to_owned(),
            kube_proxy: kube_proxy.to_owned(),
        }
    }
}

impl Told {
    /// By a verdict line and the text that the gaps stand in.
    fn by_line(line: &str, gaps: String) -> Self {
        let (verdict, today) = spoken(line);
        Self {
            verdicts: vec![verdict],
            today: vec![today],
            gaps,
            nodes: None,
        }
    }

    /// By fields of JSON, for programs.
    fn by_fields(value: &Value, gaps: String) -> Self {
        Self {
            verdicts: vec![value["verdict"].as_str().unwrap().to_owned()],
            today: vec![value["inPolicy"].as_bool()],
            gaps,
            nodes: None,
        }
    }

    /// The same told a second way.
    fn and(mut self, other: Self) -> Self {
        self.verdicts.extend(other.verdicts);
        self.today.extend(other.today);
        self
    }

    fn of(self, nodes: Vec<Row>) -> Self {
        Self {
            nodes: Some(nodes),
            ..self
        }
    }
}

/// Reads an output without colour; `beside` is what standard error says to it.
pub(crate) fn told(format: Format, text: &str, beside: &str) -> Told {
    match format {
        Format::Table | Format::Wide => by_table(text),
        Format::Json => by_value(&serde_json::from_str(text).unwrap()),
        Format::Yaml => by_value(&serde_saphyr::from_str(text).unwrap()),
        Format::Junit => by_junit(text),
        Format::Sarif => by_sarif(text),
        Format::Markdown => by_markdown(text),
        Format::Csv => by_csv(text),
        Format::Html => by_html(text),
        Format::Runbook => by_runbook(text),
        Format::Name => {
            assert!(text.lines().all(|line| line.starts_with("node/")), "{text}");
            let (line, gaps) = beside.split_once('\n').unwrap_or((beside, ""));
            Told::by_line(line, gaps.to_owned())
        }
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
    let (_, verdict) = rest
        .rsplit_once(" · verdict: ")
        .unwrap_or_else(|| panic!("{line}"));
    (verdict.trim_end_matches(" (no blocker)").to_owned(), today)
}

fn by_table(text: &str) -> Told {
    let gaps = text.split_once("\nNOT ASSESSED").map_or("", |(_, gaps)| gaps);
    Told::by_line(text.lines().next().unwrap(), gaps.to_owned()).of(matrix(text))
}

/// The rows of the table, cut where its headings stand: what is not aligned is not found.
fn matrix(text: &str) -> Vec<Row> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("NODE  "));
    let Some(headings) = lines.next() else {
        return Vec::new();
    };
    let starts: Vec<usize> = ["NODE", "POOL", "STATUS", "KUBELET", "KUBE-PROXY", "PAIR"]
        .iter()
        .map(|heading| {
            let place = headings.find(&format!("{heading} "));
            place.unwrap_or_else(|| panic!("no {heading} in {headings}"))
        })
        .collect();
    lines
        .take_while(|line| !line.is_empty() && !line.starts_with(['✗', '▲', '!', '✓', '·', '?']))
        .map(|line| {
            let cell = |index: usize| cut(line, starts[index], starts[index + 1]);
            Row::of([cell(0), cell(1), cell(3), cell(4)])
        })
        .collect()
}

/// What stands between two columns of a line, each of which must start behind a blank.
fn cut(line: &str, from: usize, to: usize) -> &str {
    let place = |column: usize| {
        let mut used = 0;
        let mut places = line.char_indices();
        let at = places.find(|(_, c)| {
            let is_there = used >= column;
            used += c.width().unwrap_or(0);
            is_there
        });
        let at = at.map_or(line.len(), |(at, _)| at);
        assert!(
            column == 0 || line[..at].ends_with(' '),
            "not aligned at {column}: {line}"
        );
        at
    };
    line[place(from)..place(to)].trim_end()
}

fn by_value(value: &Value) -> Told {
    let reasons = value["notAssessed"].as_array().unwrap().iter();
    let reasons: Vec<&str> = reasons.map(|gap| gap["reason"].as_str().unwrap()).collect();
    let nodes = value["nodes"].as_array().unwrap().iter().map(|node| {
        let text = |value: &Value, none: &str| value.as_str().unwrap_or(none).to_owned();
        let proxies = node["kubeProxy"].as_array().unwrap().iter();
        let proxies: Vec<String> = proxies.map(|proxy| text(&proxy["version"], "?")).collect();
        Row {
            name: text(&node["name"], ""),
            pool: Some(text(&node["pool"], "-")),
            kubelet: text(&node["kubelet"]["version"], "?"),
            kube_proxy: if proxies.is_empty() {
                "-".to_owned()
            } else {
                proxies.join(",")
            },
        }
    });
    Told::by_fields(value, reasons.join("\n")).of(nodes.collect())
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
    let cases = || {
        document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"))
    };
    let names: Vec<&str> = cases().filter_map(|case| case.attribute("name")).collect();
    let pairs = cases().filter(|case| case.attribute("classname") == Some("kubelet and kube-proxy"));
    let nodes = pairs.map(|case| {
        let output = case.children().find(|child| child.has_tag_name("system-out"));
        let line = output.unwrap().text().unwrap().lines().next().unwrap();
        let (line, _) = line.rsplit_once(", good until ").unwrap();
        let (kubelet, kube_proxy) = line.split_once(", kube-proxy ").unwrap();
        Row {
            name: case
                .attribute("name")
                .unwrap()
                .strip_prefix("node/")
                .unwrap()
                .to_owned(),
            pool: None,
            kubelet: kubelet.strip_prefix("kubelet ").unwrap().to_owned(),
            kube_proxy: kube_proxy.to_owned(),
        }
    });
    let line = name.strip_prefix("kubectl skew: ").unwrap();
    Told {
        verdicts: vec![property("verdict")],
        today: vec![property("inPolicy").parse().ok()],
        gaps: names.join("\n"),
        nodes: Some(nodes.collect()),
    }
    .and(Told::by_line(line, String::new()))
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
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => is_title = title.is_empty(),
            Event::End(TagEnd::Heading(_)) => is_title = false,
            Event::Start(Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                if let Some(row) = rows.last_mut() {
                    row.push(String::new());
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                    cell.push_str(&part);
                }
                if is_title { &mut title } else { &mut all }.push_str(&part);
            }
            Event::SoftBreak | Event::HardBreak => all.push(' '),
            Event::End(_) => all.push('\n'),
            _ => {}
        }
    }
    let nodes = rows
        .iter()
        .map(|row| Row::of([0, 1, 3, 4].map(|cell| row[cell].as_str())));
    Told::by_line(&title, all).of(nodes.collect())
}

/// The verdict is the first line below the title.
fn by_runbook(text: &str) -> Told {
    let rest = text.strip_prefix("# Upgrade runbook\n\n").unwrap();
    Told {
        nodes: None,
        ..by_markdown(&format!("# {rest}"))
    }
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
    let nodes = of("node").map(|row| {
        let [name, pool, kubelet, kube_proxy] = [1, 2, 5, 6].map(|cell| undefused(&row[cell]));
        Row::of([
            name,
            if pool.is_empty() { "-" } else { pool },
            kubelet,
            kube_proxy,
        ])
    });
    Told {
        verdicts: [line.verdicts, vec![verdict[1].to_owned()]].concat(),
        ..line
    }
    .of(nodes.collect())
}

/// A cell as a spreadsheet shows it: the quote that makes it text is not seen.
fn undefused(cell: &str) -> &str {
    cell.strip_prefix('\'').unwrap_or(cell)
}

fn by_html(text: &str) -> Told {
    let page = Html::parse_document(text);
    let texts = |selector: &str| -> Vec<String> {
        page.select(&Selector::parse(selector).unwrap())
            .map(|element| element.text().collect())
            .collect()
    };
    let [row, cell] =
        ["#nodes tbody tr[data-row]", "th, td"].map(|selector| Selector::parse(selector).unwrap());
    let nodes = page.select(&row).map(|row| {
        let cells: Vec<String> = row.select(&cell).map(|cell| cell.text().collect()).collect();
        Row::of([0, 1, 3, 4].map(|cell| cells[cell].as_str()))
    });
    Told::by_line(&texts("title")[0], texts("main").concat())
        .and(Told::by_line(&texts("h1")[0], String::new()))
        .of(nodes.collect())
}
