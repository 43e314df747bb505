//! What stands at the top: per family, how ours compares with the best peer of each row.

use std::fmt::Write as _;

use crate::cell::{self, Cell};
use crate::families::Family;
use crate::record::Record;
use crate::registry;
use crate::statistics::{Claim, Ratio, geometric_mean};

/// How ours did in one family.
#[derive(Clone, Debug)]
pub struct Line {
    /// The family.
    pub family: &'static Family,
    /// Geometric mean of the ratios to the best peer of each row; below one, ours took less.
    pub mean: f64,
    /// Cells in which ours took less, beyond doubt.
    pub wins: usize,
    /// Cells in which the difference is smaller than what matters.
    pub level: usize,
    /// Cells in which ours took more, beyond doubt.
    pub losses: usize,
    /// Cells of which this run cannot tell.
    pub open: usize,
}

/// A cell that ours lost.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Workload, size, jobs, and the runtime of ours if there are several.
    pub name: String,
    /// The peer.
    pub peer: String,
    /// By how much.
    pub ratio: Ratio,
}

/// The whole board.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// One line per family that has cells.
    pub lines: Vec<Line>,
    /// All losses, the worst first.
    pub losses: Vec<Loss>,
}

impl Scoreboard {
    /// The board of some records; `None` if there is nothing to compare.
    pub fn of(records: &[Record]) -> Option<Self> {
        let judged = cell::judged(records);
        if judged.is_empty() {
            return None;
        }
        let lines = registry::families()
            .into_iter()
            .filter_map(|family| Line::of(family, &judged))
            .collect();
        let mut losses: Vec<Loss> = judged
            .iter()
            .filter(|(cell, ratio)| cell.claim(ratio) == Claim::Slower)
            .map(|(cell, ratio)| Loss {
                name: name(cell),
                peer: cell.peer.runtime.clone(),
                ratio: *ratio,
            })
            .collect();
        losses.sort_by(|a, b| b.ratio.value.total_cmp(&a.ratio.value));
        Some(Self { lines, losses })
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let mut text = String::from("drumline against the best peer of each row:\n");
        for line in &self.lines {
            writeln!(text, "  {}", line.to_text()).expect("a string takes everything");
        }
        for loss in &self.losses {
            writeln!(text, "  slower: {}", loss.to_text()).expect("a string takes everything");
        }
        text
    }
}

impl Line {
    fn of(family: &'static Family, judged: &[(Cell<'_>, Ratio)]) -> Option<Self> {
        let of_family = |cell: &Cell<'_>| {
            registry::workload(&cell.ours.workload).is_ok_and(|entry| entry.family == family)
        };
        let judged = || judged.iter().filter(|(cell, _)| of_family(cell));
        let values: Vec<f64> = judged().map(|(_, ratio)| ratio.value).collect();
        let count = |wanted: &[Claim]| {
            let claims = judged().map(|(cell, ratio)| cell.claim(ratio));
            claims.filter(|claim| wanted.contains(claim)).count()
        };
        Some(Self {
            family,
            mean: geometric_mean(&values)?,
            wins: count(&[Claim::Faster]),
            level: count(&[Claim::Level]),
            losses: count(&[Claim::Slower]),
            open: count(&[Claim::TooNoisy, Claim::TooFew, Claim::Disturbed]),
        })
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let Self {
            family,
            mean,
            wins,
            level,
            losses,
            open,
        } = self;
        let mut text = format!(
            "{:16} {mean:.2} × (geometric mean): {wins} faster, {level} level, {losses} slower",
            family.title,
        );
        if *open > 0 {
            write!(text, ", {open} cannot be told").expect("a string takes everything");
        }
        text
    }
}

impl Loss {
    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let Self { name, peer, ratio } = self;
        format!("{name}: {} × {peer}", ratio.text())
    }
}

fn name(cell: &Cell<'_>) -> String {
    let Record {
        workload,
        size_label,
        jobs,
        runtime,
        ..
    } = cell.ours;
    let jobs = match jobs {
        1 => "1 job".to_owned(),
        jobs => format!("{jobs} jobs"),
    };
    match runtime.as_str() {
        "drumline" => format!("{workload} {size_label}, {jobs}"),
        runtime => format!("{workload} {size_label}, {jobs}, {runtime}"),
    }
}
