//! The plot of a published table: its columns from left to right, figures upwards on a logarithmic
//! scale. What was published is a dashed line, and what is measured here a solid one.

use anyhow::Result;
use plotters::backend::SVGBackend;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::side_by_side::{Series, SideBySide};
use crate::chart::{Canvas, FAINT, GRID, INK, failed, tick_label};
use crate::curve::{Scale, spread};

const WIDTH: i32 = 860;
const HEIGHT: i32 = 460;
const LEFT: i32 = 72;
const RIGHT: i32 = 210;
const TOP: i32 = 76;
const BOTTOM: i32 = 48;

/// Draws it, as SVG; `None` if the table has no plot.
///
/// # Errors
/// It cannot be drawn.
pub fn draw(table: &SideBySide<'_>) -> Result<Option<String>> {
    let experiment = table.experiment;
    if !experiment.plot {
        return Ok(None);
    }
    let all = || table.series.iter().flat_map(|series| &series.values);
    let up = Scale::of(all().copied().flatten(), HEIGHT - BOTTOM, TOP);
    let columns = experiment.columns.len();
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (WIDTH as u32, HEIGHT as u32));
        let area = backend.into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let canvas = Canvas { area: &area };
        canvas.text(&experiment.title, (24, 28), 20, INK, HPos::Left, true)?;
        let unit = format!(
            "{}; lower is better; the scale is logarithmic; dashed: published, on {}",
            experiment.unit, experiment.machine
        );
        canvas.text(&unit, (24, 50), 13, FAINT, HPos::Left, false)?;
        let low = HEIGHT - BOTTOM;
        for (place, column) in experiment.columns.iter().enumerate() {
            let x = across(place, columns);
            canvas.line((x, low), (x, TOP), GRID)?;
            canvas.text(&column.label, (x, low + 14), 11, FAINT, HPos::Center, false)?;
        }
        for tick in up.ticks() {
            let y = up.place(tick);
            canvas.line((LEFT, y), (WIDTH - RIGHT, y), GRID)?;
            let label = tick_label(tick);
            canvas.text(&label, (LEFT - 8, y), 11, FAINT, HPos::Right, false)?;
        }
        let mut ends = Vec::new();
        for series in &table.series {
            let places = places(series, &up);
            let Some(&(_, y)) = places.last() else {
                continue;
            };
            let (r, g, b) = series.colour;
            let colour = RGBColor(r, g, b);
            for &place in &places {
                area.draw(&Circle::new(place, 3, colour.filled()))
                    .map_err(failed)?;
            }
            let stroke = colour.stroke_width(2);
            if series.is_published {
                let line = plotters::element::DashedPathElement::new(places, 6, 4, stroke);
                area.draw(&line).map_err(failed)?;
            } else {
                area.draw(&PathElement::new(places, stroke))
                    .map_err(failed)?;
            }
            ends.push((y, series.label.clone(), colour, ()));
        }
        for (y, name, colour, ()) in spread(ends, low) {
            let place = (WIDTH - RIGHT + 10, y);
            canvas.text(&name, place, 13, colour, HPos::Left, false)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

/// Where the points of a series lie; columns without a figure have none.
fn places(series: &Series, up: &Scale) -> Vec<(i32, i32)> {
    let columns = series.values.len();
    let places = series.values.iter().enumerate();
    let places = places.filter_map(|(place, value)| {
        // A logarithm needs more than nothing.
        let value = value.filter(|value| *value > 0.0)?;
        Some((across(place, columns), up.place(value)))
    });
    places.collect()
}

/// Where a column lies.
fn across(place: usize, columns: usize) -> i32 {
    let steps = columns.saturating_sub(1).max(1);
    LEFT + (WIDTH - LEFT - RIGHT) * place as i32 / steps as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::evidence::Evidence;
    use crate::published::experiment::named;
    use crate::published::side_by_side::side_by_side;

    fn plot_of(name: &str) -> Option<String> {
        let experiment = named(&[name.to_owned()]).unwrap().remove(0);
        let table = side_by_side(&experiment, &Evidence::default()).unwrap();
        draw(&table).unwrap()
    }

    #[test]
    fn published_lines_are_there_without_any_record() {
        let svg = plot_of("tree-sum-1000").unwrap();
        for part in ["Spice (Zig), published", "Rayon, published", "16 cores"] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
        // A point for each figure, and no row of this machine, which has none.
        assert_eq!(svg.matches("<circle").count(), 14);
        assert!(!svg.contains("drumline"));
        assert!(plot_of("msgsend").is_none());
    }

    #[test]
    fn a_column_without_a_figure_has_no_point() {
        let series = Series {
            label: "a".to_owned(),
            is_published: false,
            colour: (0, 0, 0),
            values: vec![Some(1.0), None, Some(0.0), Some(10.0)],
        };
        let up = Scale::of([1.0, 10.0].into_iter(), 100, 0);
        let right = WIDTH - RIGHT;
        assert_eq!(places(&series, &up), [(LEFT, 100), (right, 0)]);
    }
}
