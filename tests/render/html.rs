//! HTML read back by scraper.

use kubectl_skew::render::{Format, Style};
use scraper::{Html, Selector};

use crate::samples;
use crate::{piped, rendered, shown};

fn select(page: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector)
        .map(|element| element.text().collect::<String>())
        .collect()
}

#[test]
fn the_matrix_reads_whole_without_a_script() {
    for (name, report) in samples::all() {
        let page = Html::parse_document(&rendered(&report, Format::Html, &piped()));
        let names = select(&page, "#nodes tbody tr[data-row] > th");
        let expected: Vec<String> = report.nodes.iter().map(|row| shown(&row.name)).collect();
        assert_eq!(names, expected, "{name}");
        let cells = select(&page, "#nodes tbody tr[data-row] > td").len();
        assert_eq!(cells, report.nodes.len() * (7 + report.columns.len()), "{name}");
        assert!(select(&page, "tr[hidden]").is_empty(), "{name}");
    }
}

#[test]
fn it_can_be_read_by_keyboard_and_by_ear() {
    let page = Html::parse_document(&rendered(&samples::blocked(), Format::Html, &piped()));
    let regions = Selector::parse(".scroll").unwrap();
    for region in page.select(&regions) {
        assert_eq!(region.attr("tabindex"), Some("0"));
        assert!(region.attr("aria-label").is_some());
    }
    assert_eq!(select(&page, "html[lang=en]").len(), 1);
    assert_eq!(select(&page, "h1").len(), 1);
    assert_eq!(select(&page, "label > input").len(), 2);
    for table in ["#instances", "#nodes"] {
        let headings = select(&page, &format!("{table} > thead th[scope=col]")).len();
        let cells = select(&page, &format!("{table} > tbody > tr:first-child > *")).len();
        // On a phone each cell but the first is labelled, since the headings are out of sight.
        let style = select(&page, "style").concat();
        let labels = style.matches(&format!("{table} td:nth-child(")).count();
        assert_eq!((cells, labels), (headings, headings - 1), "{table}");
    }
}

/// The box on the page and `--only problems` choose alike.
#[test]
fn its_problems_are_those_of_the_flag() {
    for (name, report) in samples::all() {
        let page = Html::parse_document(&rendered(&report, Format::Html, &piped()));
        let only = Style {
            only_problems: true,
            ..piped()
        };
        let chosen = Html::parse_document(&rendered(&report, Format::Html, &only));
        assert_eq!(
            select(&page, "#nodes tr[data-row=problem] > th"),
            select(&chosen, "#nodes tr[data-row] > th"),
            "{name}"
        );
    }
}
