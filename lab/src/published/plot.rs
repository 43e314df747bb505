//! The plot of a published table: its columns from left to right, figures upwards on a logarithmic
//! scale. What was published is a dashed line, and what is measured here a solid one.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::side_by_side::{Series, SideBySide};
use crate::canvas::{self, Canvas, Heading, Ink, Layout, failed};
use crate::curve::write_names;
use crate::palette::{FAINT, GRID};
use crate::scale::{LogScale, tick_label};

/// How high the plot itself is, in pixels.
const PLOT: i32 = 340;
/// Where it begins and what is free below it.
const LEFT: i32 = 56;
const BOTTOM: i32 = 36;

/// Draws it, as SVG; `None` if the table has no plot.
///
/// # Errors
/// It cannot be drawn.
pub fn draw(table: &SideBySide<'_>, layout: Layout) -> Result<Option<String>> {
    let experiment = table.experiment;
    if !experiment.plot {
        return Ok(None);
    }
    let unit = format!(
        "{}; lower is better; the scale is logarithmic; dashed: published, on {}",
        experiment.unit, experiment.machine
    );
    let heading = Heading::of(layout, &experiment.title, &[&unit]);
    let low = heading.height + PLOT;
    let all = table.series.iter().flat_map(|series| &series.values);
    let up = LogScale::of(all.copied().flatten(), low, heading.height + 12);
    let svg = canvas::draw((layout.width(), low + BOTTOM), |canvas| {
        heading.draw(canvas)?;
        axes(canvas, table, &up, layout)?;
        lines(canvas, table, &up, layout)
    })?;
    Ok(Some(svg))
}

/// Where the plot ends; names of lines lie right of it.
fn right(layout: Layout) -> i32 {
    layout.width()
        - match layout {
            Layout::Wide => 210,
            Layout::Narrow => 184,
        }
}

fn axes(
    canvas: &Canvas<'_, '_>,
    table: &SideBySide<'_>,
    up: &LogScale,
    layout: Layout,
) -> Result<()> {
    let ink = Ink::plain(11, FAINT);
    let columns = &table.experiment.columns;
    let (low, high) = up.ends();
    for (place, column) in columns.iter().enumerate() {
        let x = across(place, columns.len(), layout);
        canvas.line((x, low), (x, high), GRID)?;
        canvas.text(&column.label, (x, low + 14), ink, HPos::Center)?;
    }
    for tick in up.ticks() {
        let y = up.place(tick);
        canvas.line((LEFT, y), (right(layout), y), GRID)?;
        canvas.text(&tick_label(tick), (LEFT - 8, y), ink, HPos::Right)?;
    }
    Ok(())
}

fn lines(
    canvas: &Canvas<'_, '_>,
    table: &SideBySide<'_>,
    up: &LogScale,
    layout: Layout,
) -> Result<()> {
    let area = canvas.area;
    let mut ends = Vec::new();
    for series in &table.series {
        let places = places(series, up, layout);
        let Some(&(_, y)) = places.last() else {
            continue;
        };
        let (r, g, b) = series.colour;
        let colour = RGBColor(r, g, b);
        for &place in &places {
            let dot = Circle::new(place, 3, colour.filled());
            area.draw(&dot).map_err(failed)?;
        }
        let stroke = colour.stroke_width(2);
        if series.is_published {
            let line = plotters::element::DashedPathElement::new(places, 6, 4, stroke);
            area.draw(&line).map_err(failed)?;
        } else {
            area.draw(&PathElement::new(places, stroke))
                .map_err(failed)?;
        }
        ends.push((y, series.label.clone(), colour, false));
    }
    write_names(canvas, ends, up.ends().0, (right(layout), layout.width()))
}

/// Where the points of a series lie; columns without a figure have none.
fn places(series: &Series, up: &LogScale, layout: Layout) -> Vec<(i32, i32)> {
    let columns = series.values.len();
    let places = series.values.iter().enumerate();
    let places = places.filter_map(|(place, value)| {
        // A logarithm needs more than nothing.
        let value = value.filter(|value| *value > 0.0)?;
        Some((across(place, columns, layout), up.place(value)))
    });
    places.collect()
}

/// Where a column lies.
fn across(place: usize, columns: usize, layout: Layout) -> i32 {
    let steps = columns.saturating_sub(1).max(1);
    LEFT + (right(layout) - LEFT) * place as i32 / steps as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::published::evidence::Evidence;
    use crate::published::experiment::named;
    use crate::published::side_by_side::side_by_side;

    fn plot_of(name: &str) -> Option<String> {
        let experiment = named(&[name.to_owned()]).unwrap().remove(0);
        let table = side_by_side(&experiment, &Evidence::default(), &Machine::default()).unwrap();
        draw(&table, Layout::Wide).unwrap()
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
        let up = LogScale::of([1.0, 10.0].into_iter(), 100, 0);
        for layout in Layout::ALL {
            let expected = [(LEFT, 100), (right(layout), 0)];
            assert_eq!(places(&series, &up, layout), expected);
        }
    }
}
