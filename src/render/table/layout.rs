//! Columns fitted to the terminal: long text is shortened in its middle, then whole columns go, the most
//! expendable first. What stays is aligned by the columns that its characters take.

use tabled::builder::Builder;
use tabled::settings::{Padding, Style as Lines};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::render::look::{Look, Paint};

/// The blanks between two columns, as kubectl sets them.
const GAP: usize = 3;
/// The blanks where that is too wide.
const NARROW_GAP: usize = 2;
/// The longest text of a cell, on a pipe too: a cluster may hold a megabyte where a version should stand, and each
/// row is padded to the longest. A name has 253 characters at most.
const MOST: usize = 300;

/// A column: its heading, its cells, and what may be done to it.
pub(super) struct Column {
    /// Its heading, plain.
    pub(super) heading: String,
    /// Its cells, plain, and their colours.
    pub(super) cells: Vec<(String, Option<Paint>)>,
    /// The lowest goes first; `None` stays.
    pub(super) expendable: Option<u32>,
    /// How narrow its text may be made.
    pub(super) at_least: usize,
}

impl Column {
    /// A column that stays, whole.
    pub(super) fn new(heading: &str, cells: Vec<(String, Option<Paint>)>) -> Self {
        Self {
            heading: heading.to_owned(),
            cells,
            expendable: None,
            at_least: usize::MAX,
        }
    }

    /// May go; the lowest number first.
    pub(super) fn expendable(self, order: u32) -> Self {
        Self {
            expendable: Some(order),
            ..self
        }
    }

    /// May be made as narrow as that.
    pub(super) fn shrinking_to(self, at_least: usize) -> Self {
        Self { at_least, ..self }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|(text, _)| text.width());
        cells.max().unwrap_or(0).max(self.heading.width())
    }
}

/// A laid out table.
pub(super) struct Laid {
    /// The line of headings.
    pub(super) heading: String,
    /// A line a row.
    pub(super) rows: Vec<String>,
    /// Headings of the columns that had to go.
    pub(super) dropped: Vec<String>,
}

/// Fits columns to the terminal and sets them side by side.
pub(super) fn lay(mut columns: Vec<Column>, look: Look) -> Laid {
    for (text, _) in columns.iter_mut().flat_map(|column| &mut column.cells) {
        shorten(text, MOST, look.dots());
    }
    let mut dropped = Vec::new();
    let mut gap = GAP;
    if let Some(width) = look.width {
        let mut natural: Vec<usize> = columns.iter().map(Column::width).collect();
        if natural.iter().map(|column| column + GAP).sum::<usize>() > width + GAP {
            gap = NARROW_GAP;
        }
        while narrowest(&columns, &natural) > width {
            let next = columns
                .iter()
                .enumerate()
                .filter_map(|(index, column)| Some((column.expendable?, index)))
                .min();
            let Some((_, index)) = next else { break };
            dropped.push(columns.remove(index).heading);
            natural.remove(index);
        }
        let room = width.saturating_sub(gap * columns.len().saturating_sub(1));
        shrink(&mut columns, &mut natural, room, look);
    }
    let (heading, rows) = side_by_side(&columns, gap, look);
    Laid {
        heading,
        rows,
        dropped,
    }
}

/// The columns that a table takes at least.
fn narrowest(columns: &[Column], natural: &[usize]) -> usize {
    let least = columns
        .iter()
        .zip(natural)
        .map(|(column, natural)| column.at_least.min(*natural));
    least.sum::<usize>() + NARROW_GAP * columns.len().saturating_sub(1)
}

/// Takes from the widest column that still may shrink until all together fit into `room`.
fn shrink(columns: &mut [Column], widths: &mut [usize], room: usize, look: Look) {
    loop {
        let excess = widths.iter().sum::<usize>().saturating_sub(room);
        let widest = widths
            .iter()
            .enumerate()
            .filter(|(index, width)| columns[*index].at_least < **width)
            .max_by_key(|(index, width)| (**width, usize::MAX - index));
        let Some((index, _)) = widest.filter(|_| excess > 0) else {
            break;
        };
        // No narrower than the next widest, so that columns of a length shrink together.
        let rival = widths
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, width)| *width);
        let rival = rival.filter(|rival| *rival < widths[index]).max().unwrap_or(0);
        let floor = columns[index]
            .at_least
            .max(rival)
            .max(widths[index].saturating_sub(excess));
        widths[index] = floor.min(widths[index] - 1).max(columns[index].at_least);
    }
    for (column, width) in columns.iter_mut().zip(widths) {
        for (text, _) in &mut column.cells {
            shorten(text, *width, look.dots());
        }
        shorten(&mut column.heading, *width, look.dots());
    }
}

/// Leaves out the middle of what is wider than that.
fn shorten(text: &mut String, width: usize, dots: &str) {
    if text.width() > width {
        *text = shortened(text, width, dots);
    }
}

/// `text` with its middle left out.
fn shortened(text: &str, width: usize, dots: &str) -> String {
    let room = width.saturating_sub(dots.width());
    let head = taken(text.chars(), room.div_ceil(2));
    let tail: String = taken(text.chars().rev(), room / 2).chars().rev().collect();
    // A mark without the letter that it belongs to would sit on the dots.
    let tail = tail.trim_start_matches(|c: char| c.width() == Some(0));
    format!("{head}{dots}{tail}")
}

fn taken(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

fn side_by_side(columns: &[Column], gap: usize, look: Look) -> (String, Vec<String>) {
    let mut builder = Builder::default();
    builder.push_record(
        columns
            .iter()
            .map(|column| look.paint(&column.heading, Paint::Strong)),
    );
    let count = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..count {
        builder.push_record(columns.iter().map(|column| {
            let (text, paint) = &column.cells[row];
            paint.map_or_else(|| text.clone(), |paint| look.paint(text, paint))
        }));
    }
    let mut table = builder.build();
    table.with(Lines::empty()).with(Padding::new(0, gap, 0, 0));
    let text = table.to_string();
    let mut lines = text.lines().map(|line| line.trim_end().to_owned());
    let heading = lines.next().unwrap_or_default();
    (heading, lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;

    fn look(width: usize) -> Look {
        Look::new(&Style {
            width: Some(width),
            utf8: true,
            ..Style::default()
        })
    }

    fn column(heading: &str, cells: &[&str]) -> Column {
        Column::new(
            heading,
            cells.iter().map(|cell| ((*cell).to_owned(), None)).collect(),
        )
    }

    #[test]
    fn columns_that_fit_stay_as_they_are() {
        let laid = lay(
            vec![column("NAME", &["a", "bcdefg"]), column("X", &["1", "2"])],
            look(10),
        );
        assert_eq!(laid.heading, "NAME     X");
        assert_eq!(laid.rows, ["a        1", "bcdefg   2"]);
        assert!(laid.dropped.is_empty());
    }

    #[test]
    fn text_shrinks_before_a_column_goes_and_the_most_expendable_goes_first() {
        let columns = || {
            vec![
                column("NAME", &["a-very-long-name-of-a-node"]).shrinking_to(9),
                column("B", &["bbbb"]).expendable(1),
                column("C", &["cccc"]).expendable(0),
                column("D", &["dddd"]),
            ]
        };
        let laid = lay(columns(), look(27));
        assert_eq!(laid.rows, ["a-ve…node  bbbb  cccc  dddd"]);
        let laid = lay(columns(), look(26));
        assert_eq!(laid.dropped, ["C"]);
        assert_eq!(laid.rows, ["a-very-…a-node  bbbb  dddd"]);
        let laid = lay(columns(), look(15));
        assert_eq!(laid.dropped, ["C", "B"]);
        assert_eq!(laid.rows, ["a-ve…node  dddd"]);
    }

    #[test]
    fn wide_and_combining_characters_are_aligned_by_columns() {
        let laid = lay(
            vec![
                column("NAME", &["節点", "e\u{301}a", "🚀"]),
                column("X", &["1", "2", "3"]),
            ],
            look(40),
        );
        assert_eq!(laid.rows, ["節点   1", "e\u{301}a     2", "🚀     3"]);
    }

    #[test]
    fn no_cell_makes_a_table_wide_beyond_reading_even_on_a_pipe() {
        let pipe = Look::new(&Style {
            utf8: true,
            ..Style::default()
        });
        let laid = lay(
            vec![
                column("NAME", &["a", &"b".repeat(500_000)]),
                column("X", &["1", "2"]),
            ],
            pipe,
        );
        assert_eq!(laid.rows[0], format!("a{}1", " ".repeat(302)));
        assert_eq!(
            laid.rows[1],
            format!("{}…{}   2", "b".repeat(150), "b".repeat(149))
        );
    }

    #[test]
    fn a_shortened_text_never_passes_its_width_and_keeps_both_ends() {
        assert_eq!(shortened("spot-arm-1 ×12", 10, "…"), "spot-… ×12");
        assert_eq!(shortened("節点節点節点", 7, "…"), "節…点");
        assert_eq!(shortened("abcdefe\u{301}", 4, "…"), "ab…e\u{301}");
        for width in 1..30 {
            assert!(shortened("節点-node-🚀-e\u{301}-name", width, "…").width() <= width);
        }
    }
}
