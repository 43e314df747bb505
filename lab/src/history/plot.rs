//! The plot of a series: runs from left to right, figures upwards from zero. A line ends where the
//! machine changes, because what comes after it is of another one.

use anyhow::Result;
use plotters::backend::SVGBackend;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::time_series::{Entry, TimeSeries};
use crate::chart::{Canvas, FAINT, GRID, INK, failed};
use crate::comparison::quantity_text;
use crate::curve::spread;

const WIDTH: i32 = 860;
const HEIGHT: i32 = 420;
const LEFT: i32 = 92;
const RIGHT: i32 = 190;
const TOP: i32 = 76;
const BOTTOM: i32 = 56;

/// How many parts the scale has.
const PARTS: u32 = 4;

/// The most days that are written below; of more runs, some have none.
const DAYS_MAX: usize = 8;

/// Draws a series, as SVG.
///
/// # Errors
/// It cannot be drawn.
pub fn draw(series: &TimeSeries) -> Result<String> {
    let highest = highest(series);
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (WIDTH as u32, HEIGHT as u32));
        let area = backend.into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let canvas = Canvas { area: &area };
        canvas.text(&series.title, (24, 28), 20, INK, HPos::Left, true)?;
        let about =
            "medians of each run; lower is better; upright: intervals of 95 %, or all processes";
        canvas.text(about, (24, 50), 13, FAINT, HPos::Left, false)?;
        let low = HEIGHT - BOTTOM;
        for part in 0..=PARTS {
            let value = highest * f64::from(part) / f64::from(PARTS);
            let y = up(value, highest);
            canvas.line((LEFT, y), (WIDTH - RIGHT, y), GRID)?;
            let label = quantity_text(series.shows, value);
            canvas.text(&label, (LEFT - 8, y), 11, FAINT, HPos::Right, false)?;
        }
        let entries = series.entries.len();
        let step = entries.div_ceil(DAYS_MAX).max(1);
        for (place, entry) in series.entries.iter().enumerate().step_by(step) {
            let x = across(place, entries);
            canvas.text(&entry.day, (x, low + 14), 11, FAINT, HPos::Center, false)?;
            canvas.text(
                &entry.revision,
                (x, low + 30),
                11,
                FAINT,
                HPos::Center,
                false,
            )?;
        }
        let mut ends = Vec::new();
        for (runtime, (name, (r, g, b))) in series.runtimes.iter().enumerate() {
            let colour = RGBColor(*r, *g, *b);
            let ours = TimeSeries::is_ours(name);
            for (place, entry) in series.entries.iter().enumerate() {
                let Some(figure) = entry.figures[runtime] else {
                    continue;
                };
                let at = (across(place, entries), up(figure.value, highest));
                area.draw(&Circle::new(at, 3, colour.filled()))
                    .map_err(failed)?;
                if let Some(ends) = figure.interval {
                    let [low, high] = [ends.low, ends.high].map(|end| up(end, highest));
                    canvas.line((at.0, low), (at.0, high), colour)?;
                }
            }
            let stroke = colour.stroke_width(if ours { 3 } else { 2 });
            for line in lines(&series.entries, runtime, highest) {
                area.draw(&PathElement::new(line, stroke)).map_err(failed)?;
            }
            let last = series.entries.iter().rev();
            let last = last.filter_map(|entry| entry.figures[runtime]).next();
            let end = last.map_or(low, |figure| up(figure.value, highest));
            ends.push((end, name.clone(), colour, ours));
        }
        for (y, name, colour, ours) in spread(ends, low) {
            let place = (WIDTH - RIGHT + 10, y);
            canvas.text(&name, place, 13, colour, HPos::Left, ours)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

/// The lines of a runtime: through all runs of one machine that follow each other.
fn lines(entries: &[Entry], runtime: usize, highest: f64) -> Vec<Vec<(i32, i32)>> {
    let mut lines: Vec<(usize, Vec<(i32, i32)>)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let Some(figure) = entry.figures[runtime] else {
            continue;
        };
        let at = (across(place, entries.len()), up(figure.value, highest));
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

/// Where a figure lies, of which the highest is this.
fn up(value: f64, highest: f64) -> i32 {
    let share = (value / highest).clamp(0.0, 1.0);
    let low = HEIGHT - BOTTOM;
    low - (f64::from(low - TOP) * share).round() as i32
}

/// Where a run lies among all of them.
fn across(place: usize, runs: usize) -> i32 {
    let steps = runs.saturating_sub(1).max(1);
    LEFT + 30 + (WIDTH - LEFT - RIGHT - 60) * place as i32 / steps as i32
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
        let lines = lines(&entries, 0, 3.0);
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1]);
        assert_eq!(lines[1][0].1, TOP);
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
        let svg = draw(&series).unwrap();
        assert_eq!(svg.matches("<circle").count(), 2);
        for part in ["fib 35, 2 jobs", "drumline", "0123456", "4.00 ms"] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
    }
}
