//! A line chart of how loops compare with the plain loop, over their length.
//!
//! Both axes are logarithmic: across, how many items there are; up, by what the plain loop's time
//! is multiplied, with the interval at 95 % where there are processes enough. A level line at 1, a
//! dashed one at what would hardly be noticed, and one line per runtime and number of jobs, which
//! is named where it ends.

use anyhow::Result;
use plotters::backend::SVGBackend;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::chart::{Canvas, FAINT, GRID, INK, SEQ, failed, tick_label};
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::statistics::Ratio;
use crate::workload::{Shows, WorkloadCard, group};

const WIDTH: i32 = 860;
const HEIGHT: i32 = 560;
const LEFT: i32 = 72;
const RIGHT: i32 = 160;
const TOP: i32 = 84;
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

/// From numbers to places, by their logarithms.
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: i32,
    to: i32,
}

impl Scale {
    /// A scale from one power of ten to another that covers all of these.
    pub(crate) fn of(numbers: impl Iterator<Item = f64>, from: i32, to: i32) -> Self {
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for number in numbers.filter(|number| *number > 0.0) {
            low = low.min(number.log10().floor());
            high = high.max(number.log10().ceil());
        }
        Self {
            low,
            high,
            from,
            to,
        }
    }

    /// Where a number lies, which is more than zero.
    pub(crate) fn place(&self, number: f64) -> i32 {
        let share = (number.log10() - self.low) / (self.high - self.low);
        self.from + (f64::from(self.to - self.from) * share).round() as i32
    }

    /// The powers of ten.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power))
    }
}

/// Draws the chart; `None` where there is nothing to compare, because `seq` or all others are
/// missing.
pub fn draw(card: &WorkloadCard, records: &[&Record]) -> Result<Option<String>> {
    let (lines, seq) = lines(records);
    if lines.is_empty() {
        return Ok(None);
    }
    let allowed: Vec<(f64, f64)> = seq
        .iter()
        .map(|&(items, plain)| (items, FACTOR + EXTRA_NS / plain))
        .collect();
    let points = lines.iter().flat_map(|line| &line.points);
    let ratios = points.flat_map(|point| {
        let ends = point.ratio.interval.map(|ends| [ends.low, ends.high]);
        ends.into_iter().flatten().chain([point.ratio.value])
    });
    let ratios = ratios.chain(allowed.iter().map(|point| point.1));
    let up = Scale::of(ratios, HEIGHT - BOTTOM, TOP);
    let across = Scale::of(seq.iter().map(|point| point.0), LEFT, WIDTH - RIGHT);
    let at = |&(items, ratio): &(f64, f64)| (across.place(items), up.place(ratio));

    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (WIDTH as u32, HEIGHT as u32));
        let area = backend.into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let canvas = Canvas { area: &area };
        canvas.text(card.name, (24, 28), 20, INK, HPos::Left, true)?;
        let jobs = records.iter().map(|record| record.jobs).max().unwrap_or(1);
        let unit = format!(
            "median time ÷ median time of the plain loop, jobs {jobs}; lower is better; \
             both scales are logarithmic"
        );
        canvas.text(&unit, (24, 50), 13, FAINT, HPos::Left, false)?;

        let (low, high) = (up.place(10f64.powf(up.low)), up.place(10f64.powf(up.high)));
        for tick in across.ticks() {
            let x = across.place(tick);
            canvas.line((x, low), (x, high), GRID)?;
            let label = group(tick as u64);
            canvas.text(&label, (x, low + 14), 11, FAINT, HPos::Center, false)?;
        }
        for tick in up.ticks() {
            let y = up.place(tick);
            canvas.line((LEFT, y), (WIDTH - RIGHT, y), GRID)?;
            canvas.text(
                &tick_label(tick),
                (LEFT - 8, y),
                11,
                FAINT,
                HPos::Right,
                false,
            )?;
        }
        let middle = i32::midpoint(LEFT, WIDTH - RIGHT);
        let below = (middle, HEIGHT - 18);
        canvas.text(card.size_counts, below, 13, FAINT, HPos::Center, false)?;
        let one = up.place(1.0);
        canvas.line((LEFT, one), (WIDTH - RIGHT, one), SEQ)?;

        let dashes = plotters::element::DashedPathElement::new(allowed.iter().map(at), 6, 4, INK);
        area.draw(&dashes).map_err(failed)?;
        let mut ends = vec![(
            allowed.last().map_or(low, |point| at(point).1),
            format!("{FACTOR} × + {EXTRA_NS} ns"),
            INK,
            false,
        )];
        for line in &lines {
            let mut places = Vec::new();
            for point in &line.points {
                let place = at(&(point.items, point.ratio.value));
                if let Some(ends) = point.ratio.interval {
                    let [low, high] = [ends.low, ends.high].map(|end| up.place(end));
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
        for (y, name, colour, ours) in spread(ends, low) {
            let place = (WIDTH - RIGHT + 10, y);
            canvas.text(&name, place, 13, colour, HPos::Left, ours)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

/// Moves names apart that would lie on each other, and none of them below `lowest`.
pub(crate) fn spread<A, B, C>(mut ends: Vec<(i32, A, B, C)>, lowest: i32) -> Vec<(i32, A, B, C)> {
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
    fn scales_end_at_powers_of_ten() {
        let scale = Scale::of([0.5, 300.0].into_iter(), 0, 400);
        assert_eq!(scale.place(1.0), 100);
        assert_eq!(
            scale.ticks().collect::<Vec<_>>(),
            [0.1, 1.0, 10.0, 100.0, 1000.0]
        );
    }
}
