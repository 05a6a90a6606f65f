//! How text looks on the terminal at hand: which characters it shows, which colours, how wide it is.
//!
//! The colours are of the 256 that terminals hold fixed, each legible on white and on black alike, and told
//! apart by blue against yellow and by lightness, which colour-blind people see. No colour stands alone: a
//! sign or a word always says the same.

use owo_colors::{OwoColorize, Style as Ink, XtermColors};

use crate::render::{Style, escape, rows, sign_of};
use crate::report::{CellState, Severity, Verdict};

/// What a text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Within the policy.
    Good,
    /// Within the policy, just.
    Limit,
    /// Out of the policy.
    Bad,
    /// Newer than an apiserver.
    Newer,
    /// Not assessed, not judged, or by the way.
    Faint,
    /// A heading.
    Strong,
}

impl Paint {
    /// The colour, where it has one.
    const fn color(self) -> Option<XtermColors> {
        match self {
            Self::Good => Some(XtermColors::LochmaraBlue),
            Self::Limit => Some(XtermColors::PirateGold),
            Self::Bad => Some(XtermColors::Red),
            Self::Newer => Some(XtermColors::FuchsiaPink),
            Self::Faint => Some(XtermColors::Gray),
            Self::Strong => None,
        }
    }

    fn ink(self) -> Ink {
        let ink = Ink::new();
        let ink = match self.color() {
            Some(color) => ink.color(color),
            None => ink,
        };
        match self {
            Self::Bad | Self::Newer | Self::Strong => ink.bold(),
            Self::Good | Self::Limit | Self::Faint => ink,
        }
    }

    /// The paint of a cell.
    pub(super) const fn of_state(state: CellState) -> Self {
        match state {
            CellState::Ok => Self::Good,
            CellState::AtLimit => Self::Limit,
            CellState::Behind => Self::Bad,
            CellState::Newer | CellState::Unknown => Self::Newer,
            CellState::NotJudged => Self::Faint,
        }
    }

    /// The paint of a verdict.
    pub(super) const fn of_verdict(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Blocked => Self::Bad,
            Verdict::Unknown => Self::Newer,
            Verdict::Ready => Self::Good,
        }
    }

    /// The paint of a severity.
    pub(super) const fn of_severity(severity: Severity) -> Self {
        match severity {
            Severity::Blocker => Self::Bad,
            Severity::Warning => Self::Limit,
            Severity::Info => Self::Faint,
        }
    }
}

/// The terminal at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    color: bool,
    utf8: bool,
    /// Its columns; `None` where nothing is cut.
    pub(super) width: Option<usize>,
}

impl Look {
    pub(super) fn new(style: &Style) -> Self {
        Self {
            color: style.color,
            utf8: style.utf8,
            width: style.width,
        }
    }

    /// The same where nothing is cut.
    pub(super) const fn unbounded(self) -> Self {
        Self { width: None, ..self }
    }

    /// `text` safe to show, and of characters that can be shown.
    pub(super) fn plain(self, text: &str) -> String {
        let visible = escape::visible(text);
        if self.utf8 {
            visible.into_owned()
        } else {
            escape::ascii(&visible)
        }
    }

    /// `text` in its colour, line by line. It must be plain already.
    pub(super) fn paint(self, text: &str, paint: Paint) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let lines = text.split('\n').map(|line| line.style(paint.ink()).to_string());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What stands where text was left out.
    pub(super) const fn dots(self) -> &'static str {
        if self.utf8 { "…" } else { "..." }
    }

    /// A cell's sign, or its word.
    pub(super) const fn mark(self, state: CellState) -> &'static str {
        if self.utf8 {
            rows::sign(state)
        } else {
            rows::word(state)
        }
    }

    /// A verdict's sign, or its word.
    pub(super) const fn verdict_mark(self, verdict: Verdict) -> &'static str {
        if self.utf8 {
            sign_of(verdict)
        } else {
            verdict.name()
        }
    }

    /// `text`, which is plain already, broken at the terminal's width behind a margin; the lines after the first
    /// stand `hanging` further in.
    pub(super) fn wrapped(self, text: &str, margin: usize, hanging: usize) -> String {
        let first = " ".repeat(margin);
        let Some(width) = self.width else {
            return format!("{first}{text}");
        };
        let rest = " ".repeat(margin + hanging);
        let options = textwrap::Options::new(width.max(margin + hanging + 20))
            .initial_indent(&first)
            .subsequent_indent(&rest)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::fill(text, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance that WCAG defines, of one of the 256 colours.
    fn luminance(color: u8) -> f64 {
        let level = |step: u8| {
            if step == 0 {
                0.0
            } else {
                f64::from(55 + 40 * u16::from(step))
            }
        };
        let [red, green, blue] = match color {
            16..=231 => [(color - 16) / 36, (color - 16) / 6 % 6, (color - 16) % 6].map(level),
            232..=255 => [f64::from(8 + 10 * u16::from(color - 232)); 3],
            _ => panic!("the first 16 colours are the user's own"),
        }
        .map(|channel| {
            let share = channel / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn every_colour_is_legible_on_white_and_on_black() {
        for paint in [Paint::Good, Paint::Limit, Paint::Bad, Paint::Newer, Paint::Faint] {
            let seen = luminance(u8::from(paint.color().unwrap()));
            assert!(1.05 / (seen + 0.05) >= 3.3, "{paint:?} on white");
            assert!((seen + 0.05) / 0.05 >= 3.3, "{paint:?} on black");
        }
    }

    #[test]
    fn text_breaks_by_columns_and_stays_whole_on_a_pipe() {
        let look = |width| Look {
            color: false,
            utf8: true,
            width,
        };
        let text = "節点 節点 節点 節点 節点 節点";
        assert_eq!(
            look(Some(24)).wrapped(text, 2, 2),
            "  節点 節点 節点 節点\n    節点 節点"
        );
        assert_eq!(look(None).wrapped(text, 2, 2), format!("  {text}"));
    }
}
