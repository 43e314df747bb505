//! The plot of a series: runs from left to right, figures upwards from zero. A line ends where the
//! machine changes, because what comes after it is of another one.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::time_series::{Entry, TimeSeries};
use crate::canvas::{self, Canvas, Heading, Ink, Layout, failed};
use crate::comparison::quantity_text;
use crate::curve::write_names;
use crate::palette::{FAINT, GRID};

/// How high the plot itself is, in pixels.
const PLOT: i32 = 290;
/// Where it begins and what is free below it.
const LEFT: i32 = 92;
const BOTTOM: i32 = 50;

/// What is free between the edges of the plot and the first and the last run.
const INSET: i32 = 30;

/// How many parts the scale has.
const PARTS: u32 = 4;

/// How many pixels a day needs that is written below; of many runs, some have none.
const DAY: i32 = 82;

/// Where figures lie: those of the first run and of the last one, nothing and the highest.
struct Place {
    first: i32,
    last: i32,
    low: i32,
    high: i32,
    highest: f64,
}

impl Place {
    /// Where a figure of a run lies, among all runs.
    fn at(&self, run: usize, runs: usize, value: f64) -> (i32, i32) {
        let steps = runs.saturating_sub(1).max(1);
        let x = self.first + (self.last - self.first) * run as i32 / steps as i32;
        (x, self.up(value))
    }

    fn up(&self, value: f64) -> i32 {
        let share = (value / self.highest).clamp(0.0, 1.0);
        self.low - (f64::from(self.low - self.high) * share).round() as i32
    }
}

/// Draws a series, as SVG.
///
/// # Errors
/// It cannot be drawn.
pub fn draw(series: &TimeSeries, layout: Layout) -> Result<String> {
    let about = "medians of each run, from 0; lower is better; upright: intervals of 95 %, or all \
                 processes";
    let heading = Heading::of(layout, &series.title, &[about]);
    let low = heading.height + PLOT;
    let right = layout.width() - names(layout);
    let place = Place {
        first: LEFT + INSET,
        last: right - INSET,
        low,
        high: heading.height + 8,
        highest: highest(series),
    };
    canvas::draw((layout.width(), low + BOTTOM), |canvas| {
        heading.draw(canvas)?;
        axes(canvas, series, &place)?;
        let ends = figures(canvas, series, &place)?;
        write_names(canvas, ends, low, (right, layout.width()))
    })
}

/// What is free for names right of the plot.
fn names(layout: Layout) -> i32 {
    match layout {
        Layout::Wide => 190,
        Layout::Narrow => 130,
    }
}

fn axes(canvas: &Canvas<'_, '_>, series: &TimeSeries, place: &Place) -> Result<()> {
    let ink = Ink::plain(11, FAINT);
    for part in 0..=PARTS {
        let value = place.highest * f64::from(part) / f64::from(PARTS);
        let y = place.up(value);
        canvas.line((LEFT, y), (place.last + INSET, y), GRID)?;
        let label = quantity_text(series.shows, value);
        canvas.text(&label, (LEFT - 8, y), ink, HPos::Right)?;
    }
    let runs = series.entries.len();
    let room = ((place.last - place.first) / DAY + 1).max(1);
    let step = runs.div_ceil(room.unsigned_abs() as usize).max(1);
    for (run, entry) in series.entries.iter().enumerate().step_by(step) {
        let (x, y) = place.at(run, runs, 0.0);
        canvas.text(&entry.day, (x, y + 14), ink, HPos::Center)?;
        canvas.text(&entry.revision, (x, y + 30), ink, HPos::Center)?;
    }
    Ok(())
}

/// Draws points, intervals and lines. Returns where each runtime ends, with its name.
fn figures(
    canvas: &Canvas<'_, '_>,
    series: &TimeSeries,
    place: &Place,
) -> Result<Vec<(i32, String, RGBColor, bool)>> {
    let area = canvas.area;
    let runs = series.entries.len();
    let mut ends = Vec::new();
    for (runtime, (name, (r, g, b))) in series.runtimes.iter().enumerate() {
        let colour = RGBColor(*r, *g, *b);
        let ours = TimeSeries::is_ours(name);
        for (run, entry) in series.entries.iter().enumerate() {
            let Some(figure) = entry.figures[runtime] else {
                continue;
            };
            let at = place.at(run, runs, figure.value);
            let dot = Circle::new(at, 3, colour.filled());
            area.draw(&dot).map_err(failed)?;
            if let Some(ends) = figure.interval {
                let [low, high] = [ends.low, ends.high].map(|end| place.up(end));
                canvas.line((at.0, low), (at.0, high), colour)?;
            }
        }
        let stroke = colour.stroke_width(if ours { 3 } else { 2 });
        for line in lines(&series.entries, runtime, place) {
            area.draw(&PathElement::new(line, stroke)).map_err(failed)?;
        }
        let last = series.entries.iter().rev();
        let last = last.filter_map(|entry| entry.figures[runtime]).next();
        let end = last.map_or(place.low, |figure| place.up(figure.value));
        ends.push((end, name.clone(), colour, ours));
    }
    Ok(ends)
}

/// The lines of a runtime: through all runs of one machine that follow each other.
fn lines(entries: &[Entry], runtime: usize, place: &Place) -> Vec<Vec<(i32, i32)>> {
    let mut lines: Vec<(usize, Vec<(i32, i32)>)> = Vec::new();
    for (run, entry) in entries.iter().enumerate() {
        let Some(figure) = entry.figures[runtime] else {
            continue;
        };
        let at = place.at(run, entries.len(), figure.value);
        match lines.last_mut() {
            Some((machine, line)) if *machine == entry.machine => line.push(at),
            _ => lines.push((entry.machine, vec![at])),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The highest figure with its interval.
fn highest(series: &TimeSeries) -> f64 {
    let figures = series
        .entries
        .iter()
        .flat_map(|entry| &entry.figures)
        .flatten();
    let ends = figures.map(|figure| figure.interval.map_or(figure.value, |ends| ends.high));
    ends.fold(f64::MIN_POSITIVE, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::time_series::Figure;
    use crate::statistics::Interval;
    use crate::workload::Shows;

    fn entry(machine: usize, value: Option<f64>) -> Entry {
        let figure = value.map(|value| Figure {
            value,
            interval: Some(Interval {
                low: value,
                high: 2.0 * value,
            }),
        });
        Entry {
            day: "2026-01-01".to_owned(),
            revision: "0123456".to_owned(),
            machine,
            figures: vec![figure],
        }
    }

    #[test]
    fn a_line_ends_where_the_machine_changes() {
        let entries = [
            entry(1, Some(1.0)),
            entry(1, None),
            entry(1, Some(2.0)),
            entry(2, Some(3.0)),
        ];
        let place = Place {
            first: 100,
            last: 400,
            low: 200,
            high: 50,
            highest: 3.0,
        };
        let lines = lines(&entries, 0, &place);
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1]);
        assert_eq!((lines[0][0], lines[1][0]), ((100, 150), (400, 50)));
    }

    #[test]
    fn a_series_has_a_point_for_each_figure() {
        let series = TimeSeries {
            title: "fib 35, 2 jobs".to_owned(),
            shows: Shows::Time,
            runtimes: vec![("drumline".to_owned(), (1, 2, 3))],
            entries: vec![entry(1, Some(1e6)), entry(1, Some(2e6))],
            machines: vec!["a machine".to_owned()],
        };
        assert_eq!(highest(&series), 4e6);
        for layout in Layout::ALL {
            let svg = draw(&series, layout).unwrap();
            assert_eq!(svg.matches("<circle").count(), 2);
            for part in ["fib 35, 2 jobs", "drumline", "0123456", "4.00 ms", "from 0"] {
                assert!(svg.contains(part), "{part}\n{svg}");
            }
        }
    }
}
