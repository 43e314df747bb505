//! A bar chart per workload, as SVG.
//!
//! One panel per size, one group of bars per number of jobs, one bar per runtime: always in the
//! same order and the same colour, each with its figure. Shorter is better. A thin bracket shows
//! where the true figure may lie (`Record::spread`). The scale is logarithmic when the figures
//! spread over more than a factor of thirty, and says so.

use anyhow::{Result, anyhow};
use plotters::backend::SVGBackend;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::curve;
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::statistics::Interval;
use crate::table::{figure, measure};
use crate::workload::{Shows, WorkloadCard};

const WIDTH: i32 = 860;
const LEFT: i32 = 240;
const RIGHT: i32 = 110;
const BAR: i32 = 18;
const STEP: i32 = 23;
const GROUP_GAP: i32 = 14;
const PANEL_HEAD: i32 = 44;
const HEAD: i32 = 80;
/// Half of the height of the end of a bracket.
const BRACKET: i32 = 4;
const FOOT: i32 = 22;

pub(crate) const INK: RGBColor = RGBColor(31, 35, 40);
pub(crate) const FAINT: RGBColor = RGBColor(101, 109, 118);
pub(crate) const GRID: RGBColor = RGBColor(226, 229, 233);
pub(crate) const SEQ: RGBColor = RGBColor(122, 128, 138);

struct Bar<'a> {
    record: &'a Record,
    value: Option<f64>,
    /// Where the true value may lie.
    spread: Option<Interval>,
}

struct Panel<'a> {
    label: String,
    groups: Vec<(usize, Vec<Bar<'a>>)>,
}

/// Draws the chart of one workload.
pub fn draw(card: &WorkloadCard, records: &[&Record]) -> Result<String> {
    if card.shows == Shows::Curve
        && let Some(curve) = curve::draw(card, records)?
    {
        return Ok(curve);
    }
    let panels = panels(card, records);
    let height: i32 = HEAD + FOOT + panels.iter().map(Panel::height).sum::<i32>();
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32));
        let area = backend.into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let canvas = Canvas { area: &area };
        canvas.text(card.name, (24, 28), 20, INK, HPos::Left, true)?;
        let unit = match card.shows {
            Shows::Rate | Shows::RateAndThreads => {
                format!("median ns per {}; shorter is better", card.item)
            }
            Shows::Cores => "median time in ms; shorter is better".to_owned(),
            Shows::Ramp => "ms until the last item began; shorter is better".to_owned(),
            Shows::Time | Shows::Curve | Shows::Memory => format!(
                "median ns per {}; shorter is better; the thin line is seq",
                card.item
            ),
            Shows::Rest => "processor time in ms; shorter is better".to_owned(),
            Shows::Waiting | Shows::Handing | Shows::WholeAndMemory => {
                "median time in ms; shorter is better".to_owned()
            }
            Shows::Latency => "median latency in µs; shorter is better".to_owned(),
            Shows::Tail => "latency of 99 of 100 in µs; shorter is better".to_owned(),
            Shows::Heap | Shows::HeapReturned => {
                format!("bytes of heap per {}; shorter is better", card.item)
            }
            Shows::Path => "median time in ms; shorter is better; the thin line is seq".to_owned(),
        };
        canvas.text(&unit, (24, 50), 13, FAINT, HPos::Left, false)?;
        let brackets = "brackets: 95 % intervals, or all processes where these are fewer than ten";
        canvas.text(brackets, (24, 66), 11, FAINT, HPos::Left, false)?;
        let mut top = HEAD;
        for panel in &panels {
            canvas.panel(card, panel, top)?;
            top += panel.height();
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

fn panels<'a>(card: &WorkloadCard, records: &[&'a Record]) -> Vec<Panel<'a>> {
    let mut panels: Vec<(u64, Panel<'a>)> = Vec::new();
    for &record in records {
        let value = measure(card, record).map(|value| match card.shows {
            Shows::Time
            | Shows::Curve
            | Shows::Memory
            | Shows::Rate
            | Shows::RateAndThreads
            | Shows::Heap
            | Shows::HeapReturned => value,
            Shows::Latency | Shows::Tail => value / 1e3,
            Shows::Rest
            | Shows::Waiting
            | Shows::Path
            | Shows::Handing
            | Shows::Cores
            | Shows::Ramp
            | Shows::WholeAndMemory => value / 1e6,
        });
        let spread = record.spread(card.shows).zip(value);
        let spread = spread.map(|(spread, value)| Interval {
            low: spread.low * value,
            high: spread.high * value,
        });
        let bar = Bar {
            record,
            value,
            spread,
        };
        let panel = match panels.iter_mut().position(|(size, _)| *size == record.size) {
            Some(index) => &mut panels[index].1,
            None => {
                let label = match card.shows {
                    _ if record.size_label.contains(|c: char| c.is_alphabetic()) => {
                        record.size_label.clone()
                    }
                    _ => format!("{}: {}", card.size_counts, record.size_label),
                };
                let groups = Vec::new();
                panels.push((record.size, Panel { label, groups }));
                &mut panels.last_mut().expect("one was just added").1
            }
        };
        match panel
            .groups
            .iter_mut()
            .find(|(jobs, _)| *jobs == record.jobs)
        {
            Some((_, bars)) => bars.push(bar),
            None => panel.groups.push((record.jobs, vec![bar])),
        }
    }
    let mut panels: Vec<Panel<'a>> = panels.into_iter().map(|(_, panel)| panel).collect();
    for panel in &mut panels {
        panel.groups.sort_by_key(|(jobs, _)| *jobs);
    }
    panels
}

impl Panel<'_> {
    fn height(&self) -> i32 {
        let bars: usize = self.groups.iter().map(|(_, bars)| bars.len()).sum();
        let gaps = self.groups.len() as i32;
        PANEL_HEAD + bars as i32 * STEP + gaps * GROUP_GAP + 12
    }

    fn bars(&self) -> impl Iterator<Item = &Bar<'_>> {
        self.groups.iter().flat_map(|(_, bars)| bars)
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.bars()
            .flat_map(|bar| [bar.value, bar.spread.map(|spread| spread.high)])
            .flatten()
            .filter(|value| *value > 0.0)
    }
}

/// Where a value lies between left and right.
enum Scale {
    Linear { high: f64 },
    Logarithmic { low: f64, high: f64 },
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            return Self::Linear { high: 1.0 };
        }
        if high / low > 30.0 {
            let low = 10f64.powf((low.log10() - 0.15).floor());
            Self::Logarithmic { low, high }
        } else {
            Self::Linear { high }
        }
    }

    fn place(&self, value: f64) -> i32 {
        let share = match *self {
            Self::Linear { high } => value / high,
            Self::Logarithmic { low, high } => (value / low).ln() / (high / low).ln(),
        };
        LEFT + (f64::from(WIDTH - LEFT - RIGHT) * share.clamp(0.0, 1.0)).round() as i32
    }

    fn ticks(&self) -> Vec<f64> {
        match *self {
            Self::Linear { high } => {
                let rough = high / 4.0;
                let magnitude = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0]
                    .into_iter()
                    .map(|factor| factor * magnitude)
                    .find(|step| *step >= rough)
                    .unwrap_or(rough);
                let count = (high / step) as u32;
                (0..=count).map(|tick| f64::from(tick) * step).collect()
            }
            Self::Logarithmic { low, high } => {
                let mut ticks = vec![low];
                while ticks[ticks.len() - 1] * 10.0 <= high {
                    ticks.push(ticks[ticks.len() - 1] * 10.0);
                }
                ticks
            }
        }
    }
}

/// Something to draw on.
pub(crate) struct Canvas<'a, 'b> {
    pub(crate) area: &'a DrawingArea<SVGBackend<'b>, plotters::coord::Shift>,
}

impl Canvas<'_, '_> {
    fn panel(&self, card: &WorkloadCard, panel: &Panel<'_>, top: i32) -> Result<()> {
        let scale = Scale::of(panel.values());
        self.text(&panel.label, (24, top + 16), 15, INK, HPos::Left, true)?;
        if matches!(scale, Scale::Logarithmic { .. }) {
            let note = "logarithmic scale";
            self.text(note, (WIDTH - 24, top + 16), 12, FAINT, HPos::Right, false)?;
        }
        let bottom = top + panel.height() - 14;
        for tick in scale.ticks() {
            let x = scale.place(tick);
            self.line((x, top + PANEL_HEAD - 6), (x, bottom), GRID)?;
            let label = tick_label(tick);
            self.text(
                &label,
                (x, top + PANEL_HEAD - 16),
                11,
                FAINT,
                HPos::Center,
                false,
            )?;
        }
        let seq = panel.bars().find(|bar| bar.record.runtime == "seq");
        if let Some(seq) = seq.and_then(|bar| bar.value) {
            let x = scale.place(seq);
            self.line((x, top + PANEL_HEAD - 2), (x, bottom), SEQ)?;
        }
        let mut y = top + PANEL_HEAD;
        for (jobs, bars) in &panel.groups {
            let label = match jobs {
                1 => "1 job".to_owned(),
                jobs => format!("{jobs} jobs"),
            };
            let middle = y + (bars.len() as i32 * STEP) / 2;
            self.text(&label, (24, middle), 13, FAINT, HPos::Left, false)?;
            for bar in bars {
                self.bar(card, bar, &scale, y)?;
                y += STEP;
            }
            y += GROUP_GAP;
        }
        Ok(())
    }

    fn bar(&self, _card: &WorkloadCard, bar: &Bar<'_>, scale: &Scale, y: i32) -> Result<()> {
        let runtime = registry::runtime(&bar.record.runtime)
            .ok()
            .map(|entry| entry.card);
        let (r, g, b) = runtime.map_or((0, 0, 0), |card| card.colour);
        let ours = runtime.is_some_and(|card| card.role == Role::Ours);
        let middle = y + BAR / 2;
        let ink = if ours { RGBColor(r, g, b) } else { INK };
        self.text(
            &bar.record.runtime,
            (LEFT - 10, middle),
            13,
            ink,
            HPos::Right,
            ours,
        )?;
        let Some(value) = bar.value else {
            let word = match bar.record {
                Record { deadlock: true, .. } => "deadlock",
                Record { error: Some(_), .. } => "failed",
                _ => "not applicable",
            };
            return self.text(word, (LEFT + 6, middle), 12, FAINT, HPos::Left, false);
        };
        let end = scale.place(value).max(LEFT + 1);
        let colour = RGBColor(r, g, b)
            .mix(if ours { 1.0 } else { 0.82 })
            .filled();
        let inset = i32::from(!ours);
        let corners = [(LEFT, y + inset), (end, y + BAR - inset)];
        self.area
            .draw(&Rectangle::new(corners, colour))
            .map_err(failed)?;
        let mut right = end;
        if let Some(spread) = bar.spread {
            let [low, high] = [spread.low, spread.high].map(|end| scale.place(end));
            right = right.max(high);
            self.line((low, middle), (high, middle), INK)?;
            for x in [low, high] {
                self.line((x, middle - BRACKET), (x, middle + BRACKET), INK)?;
            }
        }
        let place = (right + 6, middle);
        self.text(&figure(value), place, 13, ink, HPos::Left, ours)
    }

    pub(crate) fn line(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Result<()> {
        self.area
            .draw(&PathElement::new([from, to], colour))
            .map_err(failed)
    }

    pub(crate) fn text(
        &self,
        text: &str,
        at: (i32, i32),
        size: i32,
        colour: RGBColor,
        align: HPos,
        bold: bool,
    ) -> Result<()> {
        let weight = if bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let style = FontDesc::new(FontFamily::SansSerif, f64::from(size), weight)
            .color(&colour)
            .pos(Pos::new(align, VPos::Center));
        self.area.draw_text(text, &style, at).map_err(failed)
    }
}

pub(crate) fn tick_label(tick: f64) -> String {
    if tick >= 1000.0 {
        crate::workload::group(tick.round() as u64)
    } else {
        let text = format!("{tick:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

pub(crate) fn failed<E: std::fmt::Debug>(error: E) -> anyhow::Error {
    anyhow!("a chart cannot be drawn: {error:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::registry::workload;

    #[test]
    fn figures_that_vary_have_brackets() {
        let card = &workload("fib").unwrap().card;
        let brackets = |measures: &[f64]| {
            let mut record = made_up::record("fib", "drumline", 1, measures);
            record.item_ns_median = record.wall_ns_median;
            let svg = draw(card, &[&record]).unwrap();
            svg.matches("polyline").count()
        };
        let without = brackets(&[1e6]);
        let few = brackets(&[0.9e6, 1e6, 1.1e6]);
        assert!(few >= without + 3, "{few} lines, {without} without");
    }

    #[test]
    fn a_bracket_fits_into_its_panel() {
        let card = &workload("fib").unwrap().card;
        let mut record = made_up::record("fib", "drumline", 1, &[1.0, 1.0, 9.0]);
        record.item_ns_median = record.wall_ns_median;
        let panels = panels(card, &[&record]);
        let scale = Scale::of(panels[0].values());
        let high = panels[0].bars().next().unwrap().spread.unwrap().high;
        assert_eq!(scale.place(high), WIDTH - RIGHT);
    }

    #[test]
    fn a_large_spread_is_logarithmic() {
        let scale = Scale::of([1.0, 100.0].into_iter());
        assert!(matches!(scale, Scale::Logarithmic { .. }));
        assert_eq!(scale.place(100.0), WIDTH - RIGHT);
        assert!(scale.place(1.0) > LEFT, "the shortest bar can be seen");
        assert_eq!(scale.ticks(), [0.1, 1.0, 10.0, 100.0]);
    }

    #[test]
    fn a_small_spread_starts_at_zero() {
        let scale = Scale::of([2.0, 8.0].into_iter());
        assert_eq!(scale.place(0.0), LEFT);
        assert_eq!(scale.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0]);
    }
}
