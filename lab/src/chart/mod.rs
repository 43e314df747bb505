//! A bar chart per workload, as SVG.
//!
//! One panel per size, one group of bars per number of jobs, one bar per runtime: always in the
//! same order and the same colour, each with its figure. Shorter is better. A workload that is
//! there to show several things has a column of bars for each; see `axis`. A thin bracket
//! shows where the true figure may lie. Bars begin at zero. Only where figures spread over more
//! than a factor of thirty is the scale logarithmic, and then it says where the bars begin. Above
//! each group stands what ours won or lost.

mod column;

use std::collections::BTreeMap;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::axis::{Axis, Point};
use crate::canvas::{self, Canvas, Heading, Ink, Layout};
use crate::curve::Curve;
use crate::palette::{FAINT, INK, LOSS, SEQ};
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::scale::Scale;
use crate::verdict::{self, Judged};
use crate::workload::{Shows, WorkloadCard};
use column::{AXIS_HEAD, BAR, Column};

/// What is free between columns, and below a group and a panel.
const GAP: i32 = 14;
/// Where bars begin in a wide chart; names of runtimes lie left of it.
const NAMES: i32 = 250;
/// The chart of a workload, which can be drawn in both widths.
pub struct Chart<'a> {
    card: &'a WorkloadCard,
    axes: Vec<Axis<'a>>,
    panels: Vec<Panel<'a>>,
    /// What is drawn in place of bars, if the workload shows a curve and there is one.
    curve: Option<Curve<'a>>,
}

/// Bars of one size.
struct Panel<'a> {
    label: String,
    groups: Vec<Group<'a>>,
}

/// Bars of one number of jobs.
struct Group<'a> {
    jobs: usize,
    bars: Vec<Bar<'a>>,
    /// What ours won and lost.
    verdicts: Vec<(String, RGBColor)>,
}

/// The bars of a record, one on each axis where it has a figure.
struct Bar<'a> {
    record: &'a Record,
    points: Vec<Option<Point>>,
}

/// How large what is written is.
fn group_ink() -> Ink {
    Ink::plain(13, FAINT)
}

fn panel_ink() -> Ink {
    Ink::bold(14, INK)
}

fn verdict_ink(colour: RGBColor) -> Ink {
    Ink::plain(12, colour)
}

impl<'a> Chart<'a> {
    /// The chart of one workload. `judged` has the cells of which something may be claimed.
    pub fn of(card: &'a WorkloadCard, records: &[&'a Record], judged: &Judged<'_>) -> Self {
        let axes = Axis::all(card);
        let is_curve = card.shows == Shows::Curve;
        Self {
            card,
            panels: panels(card, &axes, records, judged),
            axes,
            curve: is_curve.then(|| Curve::of(card, records)).flatten(),
        }
    }

    /// Draws it.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn draw(&self, layout: Layout) -> Result<String> {
        if let Some(curve) = &self.curve {
            return curve.draw(layout);
        }
        let mut about = "medians; shorter is better; brackets: 95 % intervals, or all processes \
                         where these are fewer than ten"
            .to_owned();
        if self.panels.iter().any(|panel| panel.seq().is_some()) {
            about += "; the thin line is seq";
        }
        let heading = Heading::of(layout, self.card.name, &[&about]);
        let blocks = self.blocks(layout);
        let heights = self.panels.iter();
        let heights = heights.map(|panel| panel.height(blocks.len(), layout));
        let height = heading.height + heights.sum::<i32>() + GAP;
        canvas::draw((layout.width(), height), |canvas| {
            heading.draw(canvas)?;
            let mut top = heading.height;
            for panel in &self.panels {
                top = panel.draw(canvas, &blocks, layout, top)?;
            }
            Ok(())
        })
    }

    /// The axes that lie beside each other, with their numbers; a narrow chart has one below the
    /// other.
    fn blocks(&self, layout: Layout) -> Vec<Vec<(usize, &Axis<'a>)>> {
        let axes = self.axes.iter().enumerate();
        match layout {
            Layout::Wide => vec![axes.collect()],
            Layout::Narrow => axes.map(|axis| vec![axis]).collect(),
        }
    }
}

fn panels<'a>(
    card: &WorkloadCard,
    axes: &[Axis<'_>],
    records: &[&'a Record],
    judged: &Judged<'_>,
) -> Vec<Panel<'a>> {
    let mut sizes: Vec<u64> = Vec::new();
    for record in records {
        if !sizes.contains(&record.size) {
            sizes.push(record.size);
        }
    }
    let of_size = |size: u64| {
        let mut by_jobs: BTreeMap<usize, Vec<&'a Record>> = BTreeMap::new();
        for &record in records.iter().filter(|record| record.size == size) {
            by_jobs.entry(record.jobs).or_default().push(record);
        }
        let first = by_jobs.values().flatten().next();
        let label = match first.map_or("", |record| &record.size_label) {
            words if words.contains(char::is_alphabetic) => words.to_owned(),
            number => format!("{}: {number}", card.size_counts),
        };
        let groups = by_jobs.into_iter().map(|(jobs, records)| Group {
            jobs,
            verdicts: verdict::all(judged, records[0]).collect(),
            bars: records
                .into_iter()
                .map(|record| Bar::of(record, axes))
                .collect(),
        });
        let groups = groups.collect();
        Panel { label, groups }
    };
    sizes.into_iter().map(of_size).collect()
}

impl<'a> Bar<'a> {
    fn of(record: &'a Record, axes: &[Axis<'_>]) -> Self {
        let points = axes.iter().map(|axis| axis.point(record));
        let points = points.collect();
        Self { record, points }
    }

    /// Draws it with its name.
    fn draw(
        &self,
        canvas: &Canvas<'_, '_>,
        columns: &[Column<'_>],
        layout: Layout,
        top: i32,
    ) -> Result<()> {
        let runtime = &self.record.runtime;
        let card = registry::runtime(runtime).ok().map(|entry| entry.card);
        let (r, g, b) = card.map_or((0, 0, 0), |card| card.colour);
        let colour = RGBColor(r, g, b);
        let ours = card.is_some_and(|card| card.role == Role::Ours);
        let ink = match ours {
            true => Ink::bold(13, colour),
            false => Ink::plain(13, INK),
        };
        let top = match layout {
            Layout::Wide => {
                let name = ink.fit(runtime, NAMES - 10 - layout.margin());
                let place = (NAMES - 10, top + BAR / 2);
                canvas.text(&name, place, ink, HPos::Right)?;
                top
            }
            Layout::Narrow => {
                let name = ink.fit(runtime, layout.width() - 2 * layout.margin());
                canvas.text_before_lines(&name, (layout.margin(), top + 9), ink)?;
                top + 18
            }
        };
        for column in columns {
            let text_place = (column.left + 6, top + BAR / 2);
            if let Some(point) = self.points[column.index] {
                column.bar(canvas, point, ink, colour, top)?;
            } else if self.record.wall_ns_median.is_some() {
                canvas.text("–", text_place, Ink::plain(12, FAINT), HPos::Left)?;
            } else if column.left == bars_left(layout) {
                let is_lost = ours && self.record.error.is_some();
                let ink = Ink::plain(12, if is_lost { LOSS } else { FAINT });
                canvas.text(instead(self.record), text_place, ink, HPos::Left)?;
            }
        }
        Ok(())
    }
}

/// What stands where a bar should be.
fn instead(record: &Record) -> &'static str {
    match record {
        Record { deadlock: true, .. } => "deadlock",
        Record { error: Some(_), .. } => "failed",
        _ => "not applicable",
    }
}

/// Where bars and verdicts begin.
fn bars_left(layout: Layout) -> i32 {
    match layout {
        Layout::Wide => NAMES,
        Layout::Narrow => layout.margin(),
    }
}

/// How high a bar is with its name, which a narrow chart has above it.
fn step(layout: Layout) -> i32 {
    match layout {
        Layout::Wide => BAR + 5,
        Layout::Narrow => BAR + 22,
    }
}

impl Group<'_> {
    /// What ours won and lost, in lines that fit.
    fn verdicts(&self, layout: Layout) -> Vec<(String, RGBColor)> {
        let width = layout.width() - layout.margin() - bars_left(layout);
        let lines = self.verdicts.iter().flat_map(|(text, colour)| {
            let lines = verdict_ink(*colour).wrap(text, width);
            lines.into_iter().map(|line| (line, *colour))
        });
        lines.collect()
    }

    /// How high the number of jobs and the verdicts are.
    fn head(&self, layout: Layout) -> i32 {
        let verdicts = self.verdicts(layout).len() as i32 * verdict_ink(FAINT).line();
        match layout {
            Layout::Wide => verdicts.max(group_ink().line()),
            Layout::Narrow => verdicts + group_ink().line(),
        }
    }

    fn height(&self, layout: Layout) -> i32 {
        self.head(layout) + self.bars.len() as i32 * step(layout) + GAP
    }

    /// Draws it, and returns where it ends.
    fn draw(
        &self,
        canvas: &Canvas<'_, '_>,
        columns: &[Column<'_>],
        layout: Layout,
        top: i32,
    ) -> Result<i32> {
        let label = match self.jobs {
            1 => "1 job".to_owned(),
            jobs => format!("{jobs} jobs"),
        };
        let ink = group_ink();
        let middle = top + ink.line() / 2;
        canvas.text(&label, (layout.margin(), middle), ink, HPos::Left)?;
        let mut line = match layout {
            Layout::Wide => top,
            Layout::Narrow => top + ink.line(),
        };
        for (text, colour) in self.verdicts(layout) {
            let ink = verdict_ink(colour);
            let place = (bars_left(layout), line + ink.line() / 2);
            canvas.text_before_lines(&text, place, ink)?;
            line += ink.line();
        }
        let mut top = top + self.head(layout);
        for bar in &self.bars {
            bar.draw(canvas, columns, layout, top)?;
            top += step(layout);
        }
        Ok(top + GAP)
    }
}

impl Panel<'_> {
    fn label(&self, layout: Layout) -> Vec<String> {
        let width = layout.width() - 2 * layout.margin();
        panel_ink().wrap_within(&self.label, width, canvas::TITLE_LINES)
    }

    fn height(&self, blocks: usize, layout: Layout) -> i32 {
        let label = self.label(layout).len() as i32 * panel_ink().line();
        let groups: i32 = self.groups.iter().map(|group| group.height(layout)).sum();
        label + blocks as i32 * (AXIS_HEAD + groups) + GAP
    }

    fn bars(&self) -> impl Iterator<Item = &Bar<'_>> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    /// The bars of plain code.
    fn seq(&self) -> Option<&Bar<'_>> {
        self.bars().find(|bar| bar.record.runtime == "seq")
    }

    /// The columns of some axes, side by side.
    fn columns<'a>(&self, axes: &[(usize, &'a Axis<'a>)], layout: Layout) -> Vec<Column<'a>> {
        let left = bars_left(layout);
        let room = layout.width() - layout.margin() - left;
        let each = (room - GAP * (axes.len() as i32 - 1)) / axes.len() as i32;
        let columns = axes.iter().enumerate().map(|(place, &(index, axis))| {
            let left = left + place as i32 * (each + GAP);
            let points = || self.bars().filter_map(|bar| bar.points[index]);
            let ends = points().flat_map(|Point { value, interval }| {
                [value, interval.map_or(value, |ends| ends.high)]
            });
            // Behind the longest bar there must be room for its figure.
            let figures = points().map(|point| Ink::bold(13, INK).width(&axis.text(point.value)));
            let reserve = figures.max().unwrap_or(0) + 10;
            Column {
                axis,
                index,
                scale: Scale::of(ends, left, left + each - reserve),
                left,
                right: left + each,
            }
        });
        columns.collect()
    }

    /// Draws it, and returns where it ends.
    fn draw(
        &self,
        canvas: &Canvas<'_, '_>,
        blocks: &[Vec<(usize, &Axis<'_>)>],
        layout: Layout,
        mut top: i32,
    ) -> Result<i32> {
        let ink = panel_ink();
        for line in self.label(layout) {
            let place = (layout.margin(), top + ink.line() / 2);
            canvas.text(&line, place, ink, HPos::Left)?;
            top += ink.line();
        }
        for axes in blocks {
            let columns = self.columns(axes, layout);
            let groups: i32 = self.groups.iter().map(|group| group.height(layout)).sum();
            let bottom = top + AXIS_HEAD + groups - GAP;
            for column in &columns {
                column.head(canvas, top, bottom)?;
                if let Some(point) = self.seq().and_then(|bar| bar.points[column.index]) {
                    let x = column.scale.place(point.value);
                    canvas.line((x, top + AXIS_HEAD - 4), (x, bottom), SEQ)?;
                }
            }
            top += AXIS_HEAD;
            for group in &self.groups {
                top = group.draw(canvas, &columns, layout, top)?;
            }
        }
        Ok(top + GAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::judged;
    use crate::comparison::made_up;
    use crate::registry::workload;

    fn record(workload: &str, runtime: &str, measures: &[f64]) -> Record {
        let mut record = made_up::record(workload, runtime, 1, measures);
        record.item_ns_median = record.wall_ns_median;
        record.size_label = "35".to_owned();
        record
    }

    fn svg(records: &[Record], layout: Layout) -> String {
        let card = &workload(&records[0].workload).unwrap().card;
        let all: Vec<&Record> = records.iter().collect();
        let chart = Chart::of(card, &all, &judged(records));
        chart.draw(layout).unwrap()
    }

    #[test]
    fn figures_that_vary_have_brackets() {
        let brackets = |measures: &[f64]| {
            let record = record("fib", "drumline", measures);
            svg(&[record], Layout::Wide).matches("polyline").count()
        };
        let without = brackets(&[1e6]);
        let few = brackets(&[0.9e6, 1e6, 1.1e6]);
        assert!(few >= without + 3, "{few} lines, {without} without");
    }

    #[test]
    fn a_bracket_fits_into_its_column() {
        let card = &workload("fib").unwrap().card;
        let record = record("fib", "drumline", &[1.0, 1.0, 9.0]);
        let chart = Chart::of(card, &[&record], &[]);
        let panel = &chart.panels[0];
        for layout in Layout::ALL {
            let columns = panel.columns(&chart.blocks(layout)[0], layout);
            let high = panel.groups[0].bars[0].points[0]
                .unwrap()
                .interval
                .unwrap()
                .high;
            let [column] = &columns[..] else {
                panic!("{} columns", columns.len());
            };
            let place = column.scale.place(high);
            assert!(place > layout.width() / 2 && place < column.right);
            assert_eq!(column.right, layout.width() - layout.margin());
        }
    }

    #[test]
    fn what_ours_lost_and_won_is_told_in_words() {
        let of = |ours: f64| {
            let ours = record("fib", "drumline", &[ours; 10]);
            let peer = record("fib", "rayon", &[1e6; 10]);
            Layout::ALL.map(|layout| svg(&[ours.clone(), peer.clone()], layout))
        };
        for (ours, text) in [
            (2e6, "✗ drumline is slower than rayon: 2.00"),
            (0.5e6, "✓ drumline is faster than rayon: 0.50"),
            (1e6, "= drumline is level with rayon: 1.00"),
        ] {
            for svg in of(ours) {
                assert!(svg.contains(text), "{text}\n{svg}");
            }
        }
        assert!(of(2e6)[0].contains("fill=\"#A40E26\""));
    }

    #[test]
    fn all_axes_of_a_workload_are_drawn_in_both_widths() {
        let record = record("triple-pool", "drumline", &[1e6; 10]);
        for layout in Layout::ALL {
            let svg = svg(std::slice::from_ref(&record), layout);
            for label in ["context switches", "p99 latency, µs", "time, ms"] {
                assert!(svg.contains(label), "{label}\n{svg}");
            }
        }
    }
}
