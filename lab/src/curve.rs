//! A line chart of how loops compare with the plain loop, over their length.
//!
//! Both axes are logarithmic: across, how many items there are; up, by what the plain loop's time
//! is multiplied, with the interval at 95 % where there are processes enough. A level line at 1, a
//! dashed one at what would hardly be noticed, and one line per runtime and number of jobs, which
//! is named where it ends.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::canvas::{self, Canvas, Heading, Ink, Layout, failed};
use crate::palette::{FAINT, GRID, INK, SEQ};
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::scale::{LogScale, tick_label};
use crate::statistics::Ratio;
use crate::workload::{Shows, WorkloadCard, group};

/// How high the plot itself is, in pixels.
const PLOT: i32 = 420;
/// Where it begins and what is free below it.
const LEFT: i32 = 56;
const BOTTOM: i32 = 54;

/// The least distance between the names of two lines.
const NAME_STEP: i32 = 17;

/// What the dashed line allows: this many times the plain loop…
const FACTOR: f64 = 1.1;

/// …and this many nanoseconds per loop.
const EXTRA_NS: f64 = 15.0;

/// How a loop over this many items compares with the plain one.
struct Point {
    items: f64,
    ratio: Ratio,
}

/// One line: points by items.
struct Line {
    name: String,
    colour: RGBColor,
    ours: bool,
    points: Vec<Point>,
}

/// The lines of these records, and (items, nanoseconds) of the plain loop.
fn lines(records: &[&Record]) -> (Vec<Line>, Vec<(f64, f64)>) {
    let plain = || records.iter().filter(|record| record.runtime == "seq");
    let mut seq: Vec<(f64, f64)> = Vec::new();
    for record in plain() {
        seq.extend(record.wall_ns_median.map(|wall| (record.size as f64, wall)));
    }
    seq.sort_by(|a, b| a.0.total_cmp(&b.0));

    let several = records
        .iter()
        .filter(|record| record.runtime != "seq")
        .any(|record| record.jobs != records[records.len() - 1].jobs);
    let mut lines: Vec<Line> = Vec::new();
    for record in records.iter().filter(|record| record.runtime != "seq") {
        let name = if several {
            format!("{}, {}", record.runtime, record.jobs)
        } else {
            record.runtime.clone()
        };
        let plain = plain().find(|plain| plain.size == record.size);
        let ratio = plain.and_then(|plain| record.against(plain, Shows::Curve, 0.95));
        let Some(ratio) = ratio else {
            continue;
        };
        let items = record.size as f64;
        let point = Point { items, ratio };
        if let Some(line) = lines.iter_mut().find(|line| line.name == name) {
            line.points.push(point);
            continue;
        }
        let card = registry::runtime(&record.runtime).ok().map(|r| r.card);
        let (r, g, b) = card.map_or((0, 0, 0), |card| card.colour);
        lines.push(Line {
            name,
            colour: RGBColor(r, g, b),
            ours: card.is_some_and(|card| card.role == Role::Ours),
            points: vec![point],
        });
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.items.total_cmp(&b.items));
    }
    (lines, seq)
}

/// How loops compare with the plain loop over their length.
pub(crate) struct Curve<'a> {
    card: &'a WorkloadCard,
    /// The most jobs.
    jobs: usize,
    lines: Vec<Line>,
    /// The dashed line: items and ratio.
    allowed: Vec<(f64, f64)>,
}

impl<'a> Curve<'a> {
    /// `None` if there is nothing to compare, because `seq` or all others are missing.
    pub(crate) fn of(card: &'a WorkloadCard, records: &[&Record]) -> Option<Self> {
        let (lines, seq) = lines(records);
        let allowed = seq.into_iter();
        let allowed = allowed.map(|(items, plain)| (items, FACTOR + EXTRA_NS / plain));
        (!lines.is_empty()).then(|| Self {
            card,
            jobs: records.iter().map(|record| record.jobs).max().unwrap_or(1),
            lines,
            allowed: allowed.collect(),
        })
    }

    /// Draws it.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub(crate) fn draw(&self, layout: Layout) -> Result<String> {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let ratios = points.flat_map(|point| {
            let ends = point.ratio.interval.map(|ends| [ends.low, ends.high]);
            ends.into_iter().flatten().chain([point.ratio.value])
        });
        let ratios = ratios.chain(self.allowed.iter().map(|point| point.1));
        let unit = format!(
            "median time ÷ median time of the plain loop, jobs {}; lower is better, and above 1 \
             the plain loop is faster; both scales are logarithmic",
            self.jobs
        );
        let heading = Heading::of(layout, self.card.name, &[&unit]);
        let low = heading.height + PLOT;
        let right = layout.width() - names(layout);
        let sizes = self.allowed.iter().map(|point| point.0);
        let picture = Picture {
            lines: &self.lines,
            allowed: &self.allowed,
            up: LogScale::of(ratios, low, heading.height + NAME_STEP),
            across: LogScale::of(sizes, LEFT, right),
            right,
            width: layout.width(),
        };
        canvas::draw((layout.width(), low + BOTTOM), |canvas| {
            heading.draw(canvas)?;
            picture.axes(canvas, self.card.size_counts)?;
            picture.lines(canvas)
        })
    }
}

/// What is free for names right of the plot.
fn names(layout: Layout) -> i32 {
    match layout {
        Layout::Wide => 170,
        Layout::Narrow => 130,
    }
}

/// What is drawn, and where.
struct Picture<'a> {
    lines: &'a [Line],
    allowed: &'a [(f64, f64)],
    up: LogScale,
    across: LogScale,
    /// Where the plot ends, and the chart.
    right: i32,
    width: i32,
}

impl Picture<'_> {
    fn at(&self, &(items, ratio): &(f64, f64)) -> (i32, i32) {
        (self.across.place(items), self.up.place(ratio))
    }

    fn axes(&self, canvas: &Canvas<'_, '_>, counts: &str) -> Result<()> {
        let ink = Ink::plain(11, FAINT);
        let (low, high) = self.up.ends();
        let mut free = 0;
        for tick in self.across.ticks() {
            let x = self.across.place(tick);
            canvas.line((x, low), (x, high), GRID)?;
            let label = short(tick as u64);
            let half = ink.width(&label) / 2;
            if x - half >= free {
                canvas.text(&label, (x, low + 14), ink, HPos::Center)?;
                free = x + half + 4;
            }
        }
        for tick in self.up.ticks() {
            let y = self.up.place(tick);
            canvas.line((LEFT, y), (self.right, y), GRID)?;
            canvas.text(&tick_label(tick), (LEFT - 8, y), ink, HPos::Right)?;
        }
        let below = (i32::midpoint(LEFT, self.right), low + 36);
        canvas.text(counts, below, Ink::plain(12, FAINT), HPos::Center)?;
        let one = self.up.place(1.0);
        canvas.line((LEFT, one), (self.right, one), SEQ)
    }

    fn lines(&self, canvas: &Canvas<'_, '_>) -> Result<()> {
        let area = canvas.area;
        let (low, _) = self.up.ends();
        let allowed: Vec<(i32, i32)> = self.allowed.iter().map(|point| self.at(point)).collect();
        let end = allowed.last().map_or(low, |place| place.1);
        let mut ends = vec![(end, format!("{FACTOR} × + {EXTRA_NS} ns"), INK, false)];
        let dashes = plotters::element::DashedPathElement::new(allowed, 6, 4, INK);
        area.draw(&dashes).map_err(failed)?;
        for line in self.lines {
            let mut places = Vec::new();
            for point in &line.points {
                let place = self.at(&(point.items, point.ratio.value));
                if let Some(ends) = point.ratio.interval {
                    let [low, high] = [ends.low, ends.high].map(|end| self.up.place(end));
                    canvas.line((place.0, low), (place.0, high), line.colour)?;
                }
                places.push(place);
            }
            let stroke = line.colour.stroke_width(if line.ours { 3 } else { 2 });
            for &place in &places {
                let dot = Circle::new(place, 3, line.colour.filled());
                area.draw(&dot).map_err(failed)?;
            }
            let end = places.last().map_or(low, |place| place.1);
            ends.push((end, line.name.clone(), line.colour, line.ours));
            area.draw(&PathElement::new(places, stroke))
                .map_err(failed)?;
        }
        write_names(canvas, ends, low, (self.right, self.width))
    }
}

/// Writes the names of lines where these end; `from` is where the plot does, and `to` the chart.
pub(crate) fn write_names(
    canvas: &Canvas<'_, '_>,
    ends: Vec<(i32, String, RGBColor, bool)>,
    lowest: i32,
    (from, to): (i32, i32),
) -> Result<()> {
    for (y, name, colour, is_bold) in spread(ends, lowest) {
        let ink = Ink {
            size: 12,
            colour,
            is_bold,
        };
        let name = ink.fit(&name, to - from - 14);
        canvas.text(&name, (from + 10, y), ink, HPos::Left)?;
    }
    Ok(())
}

/// A power of ten in few letters: `1k`, `10M`.
fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", group(number / 1_000_000)),
    }
}

/// Moves names apart that would lie on each other, and none of them below `lowest`.
fn spread<A, B, C>(mut ends: Vec<(i32, A, B, C)>, lowest: i32) -> Vec<(i32, A, B, C)> {
    ends.sort_by_key(|end| std::cmp::Reverse(end.0));
    let mut limit = lowest;
    for end in &mut ends {
        end.0 = end.0.min(limit);
        limit = end.0 - NAME_STEP;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_lie_on_each_other() {
        let ends = [100, 90, 98, 10].map(|y| (y, y, (), ())).to_vec();
        let places: Vec<_> = spread(ends, 95)
            .into_iter()
            .map(|end| (end.1, end.0))
            .collect();
        assert_eq!(places, [(100, 95), (98, 78), (90, 61), (10, 10)]);
    }

    #[test]
    fn powers_of_ten_are_written_with_few_letters() {
        let texts = [1, 100, 1_000, 100_000, 10_000_000, 1_000_000_000].map(short);
        assert_eq!(texts, ["1", "100", "1k", "100k", "10M", "1,000M"]);
    }
}
