//! Markdown read back by pulldown-cmark, as GitHub's dialect.

use kubectl_skew::render::{Format, GroupBy, Style};
use kubectl_skew::report::Report;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::samples;
use crate::{piped, rendered, shown};

fn events(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect()
}

/// The text of the first cell of each row of the matrix.
fn first_cells(text: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let (mut is_in_row, mut column) = (false, 0);
    for event in events(text) {
        match event {
            Event::Start(Tag::TableRow) => (is_in_row, column) = (true, 0),
            Event::End(TagEnd::TableRow) => is_in_row = false,
            Event::Start(Tag::TableCell) => {
                column += 1;
                if is_in_row && column == 1 {
                    cells.push(String::new());
                }
            }
            Event::Text(part) | Event::Code(part) if is_in_row && column == 1 => {
                cells.last_mut().unwrap().push_str(&part);
            }
            _ => {}
        }
    }
    cells
}

#[test]
fn the_matrix_has_a_row_a_node_and_as_many_cells_as_headings() {
    for (name, report) in samples::all() {
        let text = rendered(&report, Format::Markdown, &piped());
        let cells = first_cells(&text);
        let expected: Vec<String> = report.nodes.iter().map(|row| shown(&row.name)).collect();
        assert_eq!(cells, expected, "{name}");
        let headings = 8 + report.columns.len();
        let count = |tag: fn(&Event<'_>) -> bool| events(&text).iter().filter(|event| tag(event)).count();
        let rows = count(|event| matches!(event, Event::Start(Tag::TableRow | Tag::TableHead)));
        let cells = count(|event| matches!(event, Event::Start(Tag::TableCell)));
        assert_eq!(cells, rows * headings, "{name}");
    }
}

#[test]
fn it_fits_a_comment_and_counts_what_it_leaves_out() {
    let fits = |report: &Report| {
        let text = rendered(report, Format::Markdown, &piped());
        assert!(text.len() < 65_536, "{}", text.len());
        text
    };
    let text = fits(&samples::large(5_000));
    let rows = first_cells(&text).len();
    assert!((400..5_000).contains(&rows), "{rows}");
    let by_pool = Style {
        group_by: Some(GroupBy::Pool),
        ..piped()
    };
    let grouped = rendered(&samples::large(5_000), Format::Markdown, &by_pool);
    let grouped_rows = first_cells(&grouped).len();
    assert!(grouped.len() < 65_536 && grouped_rows > 400, "{}", grouped.len());
    assert!(grouped.contains(&format!("and 4,{:03} more nodes", 1_000 - grouped_rows)));
    let left = 5_000 - rows;
    let left = format!("and {},{:03} more nodes", left / 1_000, left % 1_000);
    assert!(text.contains(&left), "{left}");
    assert!(text.trim_end().ends_with("are not looked at._"));

    let mut crowded = samples::hostile();
    let finding = crowded.findings[1].clone();
    crowded.findings = vec![finding; 5_000];
    let text = fits(&crowded);
    assert!(text.contains(" more findings"));
    assert_eq!(
        text.matches("<details").count(),
        text.matches("</details>").count()
    );
    assert!(first_cells(&text).len() > 1, "findings crowd the matrix out");
}
