//! What all charts are drawn with: a page of one of two widths, lines, and texts that fit.

use anyhow::{Result, anyhow};
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::palette;

/// How wide a chart is. A page has both, and shows the one that its window has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// For windows from 760 pixels on.
    Wide,
    /// For smaller ones, with the same size of letters.
    Narrow,
}

impl Layout {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// The name of the class of elements that only this width shows, in `report.css`.
    pub fn class(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }

    /// The width in pixels.
    pub(crate) fn width(self) -> i32 {
        match self {
            Self::Wide => 860,
            Self::Narrow => 460,
        }
    }

    /// What is free on either side of all that is drawn, in pixels.
    pub(crate) fn margin(self) -> i32 {
        match self {
            Self::Wide => 24,
            Self::Narrow => 12,
        }
    }
}

/// Both widths of a chart, each in an element that is shown if the window has room for it.
///
/// # Errors
/// One of them cannot be drawn.
pub fn both(draw: impl Fn(Layout) -> Result<String>) -> Result<String> {
    let mut html = String::new();
    for layout in Layout::ALL {
        html += &format!(
            "<div class=\"{}\">{}</div>\n",
            layout.class(),
            draw(layout)?
        );
    }
    Ok(html)
}

/// How large a title is, in pixels.
const TITLE: i32 = 18;

/// How many lines a title has at most.
pub(crate) const TITLE_LINES: usize = 2;

/// How large an explanation is.
const ABOUT: i32 = 12;

/// How high a line of text is, as a multiple of its letters.
const LEADING: f64 = 1.35;

/// How wide a letter is on the average, as a multiple of its height. Fonts differ: that of a wide
/// one, in bold and otherwise.
const LETTER: [f64; 2] = [0.62, 0.7];

/// Something to draw on.
pub(crate) struct Canvas<'a, 'b> {
    pub(crate) area: &'a DrawingArea<SVGBackend<'b>, Shift>,
}

/// A text: how large it is, its colour and its weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) size: i32,
    pub(crate) colour: RGBColor,
    pub(crate) is_bold: bool,
}

impl Ink {
    pub(crate) fn plain(size: i32, colour: RGBColor) -> Self {
        Self {
            size,
            colour,
            is_bold: false,
        }
    }

    pub(crate) fn bold(size: i32, colour: RGBColor) -> Self {
        Self {
            size,
            colour,
            is_bold: true,
        }
    }

    /// About how wide a text is, in pixels.
    pub(crate) fn width(self, text: &str) -> i32 {
        let letter = LETTER[usize::from(self.is_bold)];
        (text.chars().count() as f64 * letter * f64::from(self.size)).ceil() as i32
    }

    /// How high a line is, in pixels.
    pub(crate) fn line(self) -> i32 {
        (f64::from(self.size) * LEADING).ceil() as i32
    }

    /// The text, in lines that are no wider than this; a word that is wider is cut off.
    pub(crate) fn wrap(self, text: &str, width: i32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(line) + self.width(word) + self.size / 2 <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(self.fit(word, width)),
            }
        }
        lines
    }

    /// The same in no more lines than these: what there is no room for is an ellipsis.
    pub(crate) fn wrap_within(self, text: &str, width: i32, lines_max: usize) -> Vec<String> {
        let mut lines = self.wrap(text, width);
        if lines.len() > lines_max {
            lines.truncate(lines_max);
            if let Some(last) = lines.last_mut() {
                let more = format!("{last} …");
                *last = if self.width(&more) <= width {
                    more
                } else {
                    self.fit(&more, width)
                };
            }
        }
        lines
    }

    /// The text, or what there is room for and an ellipsis.
    pub(crate) fn fit(self, text: &str, width: i32) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let one = self.width("m").max(1);
        let letters = (width / one - 1).max(0) as usize;
        let begin: String = text.chars().take(letters).collect();
        format!("{begin}…")
    }
}

/// The title of a chart and what explains it: how high they are, and what is drawn.
pub(crate) struct Heading {
    lines: Vec<(String, Ink)>,
    left: i32,
    /// Where the chart may begin.
    pub(crate) height: i32,
}

impl Heading {
    /// A title, and texts below it.
    pub(crate) fn of(layout: Layout, title: &str, about: &[&str]) -> Self {
        let width = layout.width() - 2 * layout.margin();
        let bold = Ink::bold(TITLE, palette::INK);
        let faint = Ink::plain(ABOUT, palette::FAINT);
        let title = bold.wrap_within(title, width, TITLE_LINES);
        let mut lines: Vec<(String, Ink)> = title.into_iter().map(|line| (line, bold)).collect();
        for text in about {
            let wrapped = faint.wrap(text, width);
            lines.extend(wrapped.into_iter().map(|line| (line, faint)));
        }
        let height = lines.iter().map(|(_, ink)| ink.line()).sum::<i32>();
        Self {
            lines,
            left: layout.margin(),
            height: height + 2 * layout.margin().min(16),
        }
    }

    /// Draws it at the top.
    pub(crate) fn draw(&self, canvas: &Canvas<'_, '_>) -> Result<()> {
        let mut top = self.left.min(16);
        for (line, ink) in &self.lines {
            let middle = top + ink.line() / 2;
            canvas.text(line, (self.left, middle), *ink, HPos::Left)?;
            top += ink.line();
        }
        Ok(())
    }
}

/// Draws a chart of this size, in pixels, as SVG.
///
/// # Errors
/// Something cannot be drawn.
pub(crate) fn draw(
    (width, height): (i32, i32),
    what: impl FnOnce(&Canvas<'_, '_>) -> Result<()>,
) -> Result<String> {
    let mut svg = String::new();
    {
        let size = (width.unsigned_abs(), height.unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        what(&Canvas { area: &area })?;
        area.present().map_err(failed)?;
    }
    Ok(palette::with_dark_scheme(&svg))
}

impl Canvas<'_, '_> {
    pub(crate) fn line(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Result<()> {
        self.area
            .draw(&PathElement::new([from, to], colour))
            .map_err(failed)
    }

    /// Writes a text before lines that it must not be crossed by; `at` is where it begins, in the
    /// middle of its height.
    pub(crate) fn text_before_lines(&self, text: &str, at: (i32, i32), ink: Ink) -> Result<()> {
        let half = ink.line() / 2;
        let corners = [
            (at.0 - 1, at.1 - half),
            (at.0 + ink.width(text), at.1 + half),
        ];
        let page = Rectangle::new(corners, WHITE.filled());
        self.area.draw(&page).map_err(failed)?;
        self.text(text, at, ink, HPos::Left)
    }

    /// Writes a text; `at` is the middle of its height.
    pub(crate) fn text(&self, text: &str, at: (i32, i32), ink: Ink, align: HPos) -> Result<()> {
        // The backend divides by this, and writes pixels.
        const POINTS: f64 = 1.24;
        let weight = if ink.is_bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let size = f64::from(ink.size) * POINTS;
        let style = FontDesc::new(FontFamily::SansSerif, size, weight)
            .color(&palette::readable(ink.colour))
            .pos(Pos::new(align, VPos::Center));
        self.area.draw_text(text, &style, at).map_err(failed)
    }
}

pub(crate) fn failed<E: std::fmt::Debug>(error: E) -> anyhow::Error {
    anyhow!("a chart cannot be drawn: {error:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked_for() {
        let ink = Ink::plain(12, palette::INK);
        let text = "one two three four five six seven eight a-very-long-word-of-one-piece";
        let lines = ink.wrap(text, 120);
        assert!(lines.iter().all(|line| ink.width(line) <= 120), "{lines:?}");
        assert!(lines.last().unwrap().ends_with('…'), "{lines:?}");
        assert_eq!(lines[0], "one two three");
        assert_eq!(ink.wrap("short", 120), ["short"]);
    }

    #[test]
    fn a_title_that_is_too_long_ends_with_an_ellipsis() {
        let title = ["word"; 100].join(" ");
        for layout in Layout::ALL {
            let heading = Heading::of(layout, &title, &[]);
            let [_, (last, ink)] = &heading.lines[..] else {
                panic!("{:?}", heading.lines);
            };
            assert!(last.ends_with('…'), "{last}");
            assert!(ink.width(last) <= layout.width() - 2 * layout.margin());
        }
        let ink = Ink::plain(12, palette::INK);
        assert_eq!(ink.wrap_within("one two", 120, 1), ["one two"]);
        assert_eq!(ink.wrap_within("one two three four", 80, 1), ["one two …"]);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        let ink = Ink::bold(10, palette::INK);
        assert_eq!(ink.fit("drumline", 60), "drumline");
        assert_eq!(ink.fit("drumline", 35), "drum…");
        assert_eq!(ink.fit("drumline", 0), "…");
    }

    #[test]
    fn letters_have_the_size_that_is_asked_for() {
        let svg = draw((100, 20), |canvas| {
            let ink = Ink::plain(13, palette::INK);
            canvas.text("a < b", (2, 10), ink, HPos::Left)
        });
        let svg = svg.unwrap();
        assert!(
            svg.contains("font-size=\"13") && svg.contains("a &lt; b"),
            "{svg}"
        );
    }

    #[test]
    fn a_heading_says_where_the_chart_may_begin() {
        let heading = |layout| Heading::of(layout, "title", &["some words of explanation"; 4]);
        let [wide, narrow] = Layout::ALL.map(heading);
        assert_eq!((wide.lines.len(), narrow.lines.len()), (5, 5));
        assert!(wide.height > narrow.height);
    }
}
