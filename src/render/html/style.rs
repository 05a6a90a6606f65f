//! The stylesheet: the colours, the page, and the labels that a table needs where its headings are out of sight.

use super::tables::{INSTANCES, headings};
use crate::report::Report;

const CSS: &str = include_str!("page.css");

/// A colour by its use: on light, on dark.
struct Color(&'static str, &'static str, &'static str);

/// Foregrounds are legible on the backgrounds that they are used with; a test computes it.
const COLORS: [Color; 16] = [
    Color("page", "#ffffff", "#14171c"),
    Color("head", "#f1f3f5", "#1f242c"),
    Color("line", "#d5d9de", "#39404b"),
    Color("text", "#1b1f24", "#e8eaed"),
    Color("faint", "#59616b", "#a5adb8"),
    Color("link", "#0b57a4", "#8ab8ff"),
    Color("ok", "#e3eefb", "#16304d"),
    Color("ok-text", "#0b4a8f", "#a9d0ff"),
    Color("limit", "#fff3c4", "#3d3308"),
    Color("limit-text", "#694d00", "#ffdf7a"),
    Color("bad", "#fde2dd", "#4d1a12"),
    Color("bad-text", "#96180a", "#ffb9ad"),
    Color("newer", "#f1e3fb", "#3a1d4f"),
    Color("newer-text", "#662291", "#e3bcff"),
    Color("unknown", "#e8e8e8", "#34383f"),
    Color("unknown-text", "#41464d", "#d6dae0"),
];

/// The stylesheet of a report.
pub(super) fn stylesheet(report: &Report) -> String {
    let declared = |pick: fn(&Color) -> &'static str| {
        COLORS
            .iter()
            .map(|color| ["--", color.0, ":", pick(color), ";"].concat())
            .collect::<String>()
    };
    let (light, dark) = (declared(|color| color.1), declared(|color| color.2));
    let labels = labels("instances", INSTANCES.map(str::to_owned)) + &labels("nodes", headings(report));
    format!(
        ":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{CSS}\
         @media screen and (max-width:40rem){{{labels}}}\n"
    )
}

/// What stands before each cell of a table whose headings are out of sight.
fn labels(table: &str, headings: impl IntoIterator<Item = String>) -> String {
    let rules: Vec<String> = (2..)
        .zip(headings.into_iter().skip(1))
        .map(|(place, heading)| format!("#{table} td:nth-child({place})::before{{content:\"{heading} \"}}"))
        .collect();
    rules.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast that WCAG defines, of two `#rrggbb`.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |color: &str| {
            let channel = |at: usize| {
                let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
                if share <= 0.040_45 {
                    share / 12.92
                } else {
                    ((share + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// What a rule of the stylesheet sets a property to, where that is a colour of ours.
    fn set<'a>(rule: &'a str, property: &str) -> Option<&'a str> {
        let declarations = rule
            .split(';')
            .filter_map(|declaration| declaration.split_once(':'));
        let mut values = declarations.filter(|(name, _)| name.trim() == property);
        values.next()?.1.trim().strip_prefix("var(--")?.split(')').next()
    }

    /// Each text stands on the background of its own rule, or on any that the page has at large.
    #[test]
    fn every_text_is_legible_on_light_and_on_dark() {
        let color = |name: &str| COLORS.iter().find(|color| color.0 == name).unwrap();
        let rules = CSS.split('}').filter_map(|rule| rule.rsplit_once('{'));
        let mut pairs = Vec::new();
        for (_, rule) in rules {
            let (text, background) = (set(rule, "color"), set(rule, "background"));
            match (text, background) {
                (None, None) => {}
                (text, Some(background)) => pairs.push((text.unwrap_or("text"), background)),
                (Some(text), None) => pairs.extend([(text, "page"), (text, "head")]),
            }
        }
        assert!(
            pairs.contains(&("bad-text", "bad")) && pairs.len() > 12,
            "{pairs:?}"
        );
        for (foreground, background) in pairs {
            let (foreground, background) = (color(foreground), color(background));
            for (scheme, text, behind) in [
                ("light", foreground.1, background.1),
                ("dark", foreground.2, background.2),
            ] {
                let contrast = contrast(text, behind);
                let (text, behind) = (foreground.0, background.0);
                assert!(contrast >= 4.5, "{text} on {behind} in {scheme}: {contrast}");
            }
        }
        // Every colour that the stylesheet names is defined, and every one defined is used.
        for part in CSS.split("var(--").skip(1) {
            let name = part.split(')').next().unwrap();
            assert!(
                COLORS.iter().any(|color| color.0 == name),
                "{name} is not defined"
            );
        }
        for Color(name, _, _) in &COLORS {
            assert!(CSS.contains(&format!("var(--{name})")), "{name} is not used");
        }
    }
}
