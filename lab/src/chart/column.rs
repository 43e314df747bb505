//! The bars of one axis, below each other, with their scale.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::axis::{Axis, Point};
use crate::canvas::{Canvas, Ink, failed};
use crate::palette::{FAINT, GRID, INK};
use crate::scale::{Scale, tick_label};

/// How high a bar is, in pixels.
pub(super) const BAR: i32 = 18;
/// Half of the height of the end of a bracket.
const BRACKET: i32 = 4;
/// How high the name of an axis, its origin and its numbers are together.
pub(super) const AXIS_HEAD: i32 = 52;
/// The fewest pixels between the numbers of a scale.
const NUMBERS_GAP: i32 = 6;

/// Bars of one axis: which it is, their scale, and where they lie.
pub(super) struct Column<'a> {
    pub(super) axis: &'a Axis<'a>,
    pub(super) index: usize,
    pub(super) scale: Scale,
    pub(super) left: i32,
    pub(super) right: i32,
}

impl Column<'_> {
    /// Draws what stands above the bars, and the lines of the scale.
    pub(super) fn head(&self, canvas: &Canvas<'_, '_>, top: i32, bottom: i32) -> Result<()> {
        let width = self.right - self.left;
        let name = Ink::bold(12, INK);
        let label = name.fit(&self.axis.label, width);
        canvas.text(&label, (self.left, top + 9), name, HPos::Left)?;
        let origin = Ink::plain(11, FAINT);
        let text = origin.fit(&self.scale.origin(), width);
        canvas.text(&text, (self.left, top + 24), origin, HPos::Left)?;
        let mut free = self.left - NUMBERS_GAP;
        for tick in self.scale.ticks() {
            let x = self.scale.place(tick);
            canvas.line((x, top + AXIS_HEAD - 6), (x, bottom), GRID)?;
            let label = tick_label(tick);
            let half = origin.width(&label) / 2;
            // The first number stands at the edge, and begins there.
            let from = (x - half).max(self.left);
            if from >= free {
                let place = (from, top + AXIS_HEAD - 13);
                canvas.text(&label, place, origin, HPos::Left)?;
                free = from + 2 * half + NUMBERS_GAP;
            }
        }
        Ok(())
    }

    /// Draws a bar with its bracket and its figure. Ours fill their row.
    pub(super) fn bar(
        &self,
        canvas: &Canvas<'_, '_>,
        Point { value, interval }: Point,
        ink: Ink,
        colour: RGBColor,
        top: i32,
    ) -> Result<()> {
        let middle = top + BAR / 2;
        let end = self.scale.place(value).max(self.left + 1);
        let (opacity, inset) = if ink.is_bold { (1.0, 0) } else { (0.82, 1) };
        let corners = [(self.left, top + inset), (end, top + BAR - inset)];
        let bar = Rectangle::new(corners, colour.mix(opacity).filled());
        canvas.area.draw(&bar).map_err(failed)?;
        let mut right = end;
        if let Some(ends) = interval {
            let [low, high] = [ends.low, ends.high].map(|end| self.scale.place(end));
            right = right.max(high);
            canvas.line((low, middle), (high, middle), INK)?;
            for x in [low, high] {
                canvas.line((x, middle - BRACKET), (x, middle + BRACKET), INK)?;
            }
        }
        let text = self.axis.text(value);
        canvas.text(&text, (right + 6, middle), ink, HPos::Left)
    }
}
