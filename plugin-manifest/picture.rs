//! Turns what a terminal would show into an SVG: the picture of the README.
//!
//!     kubectl skew demo --color always | cargo run --example picture > plugin-manifest/demo.svg

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};

/// Columns and rows in units of the picture.
const COLUMN: f64 = 8.4;
const ROW: f64 = 19.0;
const MARGIN: f64 = 16.0;

/// What the page is like in a light and in a dark setting. The table's own colours hold on both.
const STYLE: &str = "\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.page{fill:#fff;stroke:#d1d9e0}
.bold{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#3d444d}}";

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    io::stdout().write_all(draw(&text).as_bytes())
}

/// The picture of a terminal's text, up to the upgrade path: the rest is for reading, not for looking at.
pub(crate) fn draw(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        lines.push(line);
        if plain(line).starts_with("PATH") {
            break;
        }
    }
    let columns = lines
        .iter()
        .map(|line| plain(line).chars().count())
        .max()
        .unwrap_or(0);
    let width = (as_f64(columns) * COLUMN + 2.0 * MARGIN).ceil();
    let height = (as_f64(lines.len()) * ROW + 2.0 * MARGIN).ceil();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The table of kubectl skew demo\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
        width - 1.0,
        height - 1.0
    );
    for (row, line) in lines.iter().enumerate() {
        let y = MARGIN + (as_f64(row) + 0.75) * ROW;
        for piece in pieces(line) {
            let x = MARGIN + as_f64(piece.column) * COLUMN;
            // The length keeps columns straight whatever font is there.
            let length = as_f64(piece.text.chars().count()) * COLUMN;
            let look = piece.look.attributes();
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"{look}>{}</text>",
                escaped(&piece.text)
            );
        }
    }
    svg + "</svg>\n"
}

/// Words of one look that stand together.
struct Piece {
    column: usize,
    text: String,
    look: Look,
}

/// How words look.
#[derive(Clone, Copy, Default)]
struct Look {
    bold: bool,
    /// A colour of the terminal's 256.
    color: Option<u8>,
}

impl Look {
    /// The look behind a sequence such as `38;5;160;1`, of the few that the table uses.
    fn with(mut self, sequence: &str) -> Self {
        let mut codes = sequence.split(';').map(|code| code.parse::<u8>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => self = Self::default(),
                1 => self.bold = true,
                38 => self.color = codes.nth(1),
                other => panic!("the picture knows no code {other}"),
            }
        }
        self
    }

    fn attributes(self) -> String {
        let class = if self.bold { " class=\"bold\"" } else { "" };
        let fill = self.color.map_or_else(String::new, |color| {
            let [red, green, blue] = rgb(color);
            format!(" style=\"fill:#{red:02x}{green:02x}{blue:02x}\"")
        });
        format!("{class}{fill}")
    }
}

/// A colour of the cube of six shades each, or of the greys.
fn rgb(color: u8) -> [u8; 3] {
    assert!(color >= 16, "the first sixteen colours are the terminal's own");
    if color >= 232 {
        return [8 + 10 * (color - 232); 3];
    }
    let shade = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    let index = color - 16;
    [shade(index / 36), shade(index / 6 % 6), shade(index % 6)]
}

/// A line's pieces: split where the look changes and where more than one blank stands.
fn pieces(line: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut look = Look::default();
    let mut column = 0;
    let mut open = false;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some((sequence, behind)) = rest.strip_prefix("\u{1b}[").and_then(|rest| rest.split_once('m')) {
            look = look.with(sequence);
            open = false;
            rest = behind;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let is_gap = c == ' ' && plain(rest).chars().next().is_none_or(|next| next == ' ');
        if is_gap {
            open = false;
        } else if open && let Some(piece) = pieces.last_mut() {
            piece.text.push(c);
        } else if c != ' ' {
            pieces.push(Piece {
                column,
                text: c.to_string(),
                look,
            });
            open = true;
        }
        column += 1;
    }
    pieces
}

/// A line without its colours.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        text.push_str(before);
        rest = sequence.split_once('m').map_or("", |(_, behind)| behind);
    }
    text + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[expect(clippy::cast_precision_loss, reason = "columns and rows of a picture are few")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
