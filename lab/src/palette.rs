//! The colours of charts, on a light page and on a dark one.
//!
//! A chart is drawn for a light page. [`with_dark_scheme`] adds a style that gives each of its
//! colours another one where the reader prefers a dark page. Contrasts are those of WCAG 2: text
//! has at least 4.5 against what is behind it.

use std::collections::BTreeSet;

use plotters::style::{RGBColor, WHITE};

/// Titles and figures.
pub(crate) const INK: RGBColor = RGBColor(31, 35, 40);
/// Explanations and the numbers of scales.
pub(crate) const FAINT: RGBColor = RGBColor(89, 97, 106);
/// Lines of scales.
pub(crate) const GRID: RGBColor = RGBColor(226, 229, 233);
/// The line of plain code.
pub(crate) const SEQ: RGBColor = RGBColor(122, 128, 138);
/// What ours lost.
pub(crate) const LOSS: RGBColor = RGBColor(164, 14, 38);
/// What ours won.
pub(crate) const WIN: RGBColor = RGBColor(17, 99, 41);

/// The page where a reader prefers a dark one; the same in `report.css`.
const DARK_PAGE: RGBColor = RGBColor(13, 17, 23);

/// Colours that have a part of their own on a dark page.
const DARK: [(RGBColor, RGBColor); 5] = [
    (WHITE, DARK_PAGE),
    (INK, RGBColor(230, 237, 243)),
    (FAINT, RGBColor(159, 168, 178)),
    (GRID, RGBColor(45, 51, 59)),
    (LOSS, RGBColor(255, 155, 146)),
];

/// The least contrast between a text and the page.
pub(crate) const CONTRAST_MIN: f64 = 4.5;

/// The colour itself if text of it can be read on a light page; else a darker shade.
pub(crate) fn readable(colour: RGBColor) -> RGBColor {
    shade(colour, RGBColor(0, 0, 0), WHITE)
}

/// What a colour is on a dark page.
fn on_dark(colour: RGBColor) -> RGBColor {
    let known = DARK.iter().find(|(light, _)| *light == colour);
    known.map_or_else(|| shade(colour, WHITE, DARK_PAGE), |&(_, dark)| dark)
}

/// A colour, mixed with as much of another one as it needs to be told from `page`.
fn shade(colour: RGBColor, other: RGBColor, page: RGBColor) -> RGBColor {
    const STEPS: u32 = 50;
    let mixed = (0..=STEPS).map(|step| {
        let part = f64::from(step) / f64::from(STEPS);
        let mix = |from: u8, to: u8| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
        };
        RGBColor(
            mix(colour.0, other.0),
            mix(colour.1, other.1),
            mix(colour.2, other.2),
        )
    });
    let mut readable = mixed.filter(|mixed| contrast(*mixed, page) >= CONTRAST_MIN);
    readable.next().unwrap_or(other)
}

/// The contrast of two colours, from 1 to 21.
fn contrast(one: RGBColor, other: RGBColor) -> f64 {
    let [one, other] = [one, other].map(luminance);
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The relative luminance of a colour, from 0 to 1.
fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
    let [r, g, b] = [r, g, b].map(|part| {
        let part = f64::from(part) / 255.0;
        match part {
            dark if dark <= 0.03928 => dark / 12.92,
            light => ((light + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Adds what the colours of a chart become on a dark page.
pub(crate) fn with_dark_scheme(svg: &str) -> String {
    let mut rules = String::new();
    for property in ["fill", "stroke"] {
        let marker = format!("{property}=\"#");
        let colours = svg.split(&marker).skip(1).filter_map(|rest| rest.get(..6));
        for text in BTreeSet::from_iter(colours) {
            if let Some(colour) = parse(text) {
                let RGBColor(r, g, b) = on_dark(colour);
                rules += &format!(
                    ".chart [{property}=\"#{text}\"]{{{property}:#{r:02x}{g:02x}{b:02x}}}"
                );
            }
        }
    }
    let style = format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>");
    // The first tag is the chart itself.
    match svg.split_once('>') {
        Some((begin, rest)) => {
            let begin = begin.replacen("<svg", "<svg class=\"chart\"", 1);
            format!("{begin}>{style}{rest}")
        }
        None => svg.to_owned(),
    }
}

/// A colour that is written with six hexadecimal digits.
fn parse(text: &str) -> Option<RGBColor> {
    let part = |place: usize| u8::from_str_radix(text.get(place..place + 2)?, 16).ok();
    Some(RGBColor(part(0)?, part(2)?, part(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn contrasts_are_those_of_the_standard() {
        assert!((contrast(WHITE, RGBColor(0, 0, 0)) - 21.0).abs() < 1e-9);
        assert!((contrast(WHITE, WHITE) - 1.0).abs() < 1e-9);
        let grey = contrast(RGBColor(118, 118, 118), WHITE);
        assert!((grey - 4.54).abs() < 0.01, "{grey}");
    }

    #[test]
    fn every_colour_can_be_read_on_both_pages() {
        let runtimes = registry::all_runtimes();
        let runtimes = runtimes.iter().map(|entry| {
            let (r, g, b) = entry.card.colour;
            RGBColor(r, g, b)
        });
        for colour in runtimes.chain([INK, FAINT, LOSS, WIN]) {
            let light = readable(colour);
            assert!(contrast(light, WHITE) >= CONTRAST_MIN, "{light:?}");
            for colour in [colour, light] {
                let dark = on_dark(colour);
                let contrast = contrast(dark, DARK_PAGE);
                assert!(contrast >= CONTRAST_MIN, "{colour:?}, {dark:?}: {contrast}");
            }
        }
        assert_eq!(readable(INK), INK);
    }

    #[test]
    fn a_chart_says_what_its_colours_are_in_the_dark() {
        let svg = "<svg width=\"1\"><rect fill=\"#FFFFFF\"/><path stroke=\"#1F2328\"/></svg>";
        let expected = "<svg class=\"chart\" width=\"1\"><style>@media (prefers-color-scheme:dark){\
                        .chart [fill=\"#FFFFFF\"]{fill:#0d1117}\
                        .chart [stroke=\"#1F2328\"]{stroke:#e6edf3}}</style>\
                        <rect fill=\"#FFFFFF\"/><path stroke=\"#1F2328\"/></svg>";
        assert_eq!(with_dark_scheme(svg), expected);
        for odd in [
            "<svg fill=\"#\"></svg>",
            "<svg fill=\"#zzäzzz\"/>",
            "fill=\"#12",
        ] {
            assert!(!with_dark_scheme(odd).contains("{fill:"), "{odd}");
        }
    }
}
