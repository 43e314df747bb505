//! What stands at the top: per family, how ours compares with the best peer of each row.
//!
//! A cell in which ours failed, and a peer did not, is lost.

use std::fmt::Write as _;

use crate::cell::{self, Cell, Missing};
use crate::families::Family;
use crate::record::Record;
use crate::registry;
use crate::statistics::{Claim, Ratio, geometric_mean, rounds_that_tell};

/// How ours did in one family.
#[derive(Clone, Debug)]
pub struct Line {
    /// The family.
    pub family: &'static Family,
    /// Geometric mean of the ratios to the best peer of each row; below one, ours took less. There
    /// is none without ratios, and none if a ratio is zero or has no end.
    pub mean: Option<f64>,
    /// Cells in which ours took less, beyond doubt.
    pub wins: usize,
    /// Cells in which the difference is smaller than what matters.
    pub level: usize,
    /// Cells in which ours took more, beyond doubt, and those in which it failed.
    pub losses: usize,
    /// Cells of which this run cannot tell.
    pub open: usize,
}

/// A cell that ours lost.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Workload, size, jobs, and the runtime of ours if there are several.
    pub name: String,
    /// How.
    pub defeat: Defeat,
}

/// How ours lost a cell.
#[derive(Clone, Debug)]
pub enum Defeat {
    /// It failed, and a peer did not.
    Failed {
        /// What went wrong.
        error: String,
    },
    /// It took more.
    Slower {
        /// The peer.
        peer: String,
        /// By how much.
        ratio: Ratio,
    },
}

/// The whole board.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// One line per family that has cells.
    pub lines: Vec<Line>,
    /// All losses, the worst first.
    pub losses: Vec<Loss>,
    /// What else there is to say of cells that cannot be told.
    pub notes: Vec<String>,
}

impl Scoreboard {
    /// The board of some records; `None` if there is nothing to compare.
    pub fn of(records: &[Record]) -> Option<Self> {
        let judged = cell::judged(records);
        let missing = cell::missing(records);
        if judged.is_empty() && missing.is_empty() {
            return None;
        }
        let lines = registry::families()
            .into_iter()
            .filter_map(|family| Line::of(family, &judged, &missing))
            .collect();
        let failed = missing.iter().filter(|(_, why)| *why == Missing::Failed);
        let mut losses: Vec<Loss> = failed.map(|(ours, _)| Loss::failed(ours)).collect();
        let mut slower: Vec<&(Cell<'_>, Ratio)> = judged
            .iter()
            .filter(|(cell, ratio)| cell.claim(ratio) == Claim::Slower)
            .collect();
        slower.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        losses.extend(slower.into_iter().map(|(cell, ratio)| Loss {
            name: name(cell.ours),
            defeat: Defeat::Slower {
                peer: cell.peer.runtime.clone(),
                ratio: *ratio,
            },
        }));
        Some(Self {
            lines,
            losses,
            notes: notes(&judged, &missing),
        })
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let mut text = String::from("drumline against the best peer of each row:\n");
        for line in &self.lines {
            writeln!(text, "  {}", line.to_text()).expect("a string takes everything");
        }
        for loss in &self.losses {
            writeln!(text, "  {}", loss.to_text()).expect("a string takes everything");
        }
        for note in &self.notes {
            writeln!(text, "  {note}").expect("a string takes everything");
        }
        text
    }
}

/// Why cells cannot be told, where their rows in the tables do not say it all.
fn notes(judged: &[(Cell<'_>, Ratio)], missing: &[(&Record, Missing)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (cell, ratio) in judged {
        if let (Claim::PeerFailed, Some(peer)) = (cell.claim(ratio), cell.failed) {
            notes.push(format!(
                "not told: {}: {} failed in {} of {} rounds, and may be the best peer",
                name(cell.ours),
                peer.runtime,
                peer.failures,
                peer.rounds
            ));
        }
    }
    for (ours, why) in missing {
        if *why == Missing::ExceedsJobs {
            let name = name(ours);
            notes.push(format!(
                "not told: {name}: more items ran at once than there are jobs"
            ));
        }
    }
    let few = |(cell, ratio): &&(Cell<'_>, Ratio)| cell.claim(ratio) == Claim::TooFew;
    let few = judged.iter().filter(few).count();
    if few > 0 {
        let comparisons = judged.iter().map(|(cell, _)| cell.peers).sum();
        notes.push(format!(
            "not told: {few} of {} cells, which have too few rounds: with {comparisons} comparisons \
             a claim needs {} (--rounds)",
            judged.len(),
            rounds_that_tell(comparisons)
        ));
    }
    notes
}

impl Line {
    fn of(
        family: &'static Family,
        judged: &[(Cell<'_>, Ratio)],
        missing: &[(&Record, Missing)],
    ) -> Option<Self> {
        let is_of = |record: &Record| {
            registry::workload(&record.workload).is_ok_and(|entry| entry.family == family)
        };
        let judged = || judged.iter().filter(|(cell, _)| is_of(cell.ours));
        let values: Vec<f64> = judged().map(|(_, ratio)| ratio.value).collect();
        let count = |wanted: &[Claim]| {
            let claims = judged().map(|(cell, ratio)| cell.claim(ratio));
            claims.filter(|claim| wanted.contains(claim)).count()
        };
        let count_missing = |wanted: Missing| {
            let of_family = missing.iter().filter(|(ours, _)| is_of(ours));
            of_family.filter(|(_, why)| *why == wanted).count()
        };
        let (wins, level) = (count(&[Claim::Faster]), count(&[Claim::Level]));
        let slower = count(&[Claim::Slower]);
        let line = Self {
            family,
            mean: geometric_mean(&values).filter(|mean| mean.is_finite()),
            wins,
            level,
            losses: slower + count_missing(Missing::Failed),
            open: values.len() - wins - level - slower + count_missing(Missing::ExceedsJobs),
        };
        let cells = line.wins + line.level + line.losses + line.open;
        (cells > 0).then_some(line)
    }

    /// The mean as tables have it.
    pub fn mean_text(&self) -> String {
        self.mean
            .map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"))
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let Self {
            family,
            mean: _,
            wins,
            level,
            losses,
            open,
        } = self;
        let mut text = format!(
            "{:16} {} × (geometric mean): {wins} faster, {level} level, {losses} slower",
            family.title,
            self.mean_text(),
        );
        if *open > 0 {
            write!(text, ", {open} cannot be told").expect("a string takes everything");
        }
        text
    }
}

impl Loss {
    /// Of a record that failed.
    fn failed(ours: &Record) -> Self {
        let error = ours.error.as_deref().unwrap_or("unknown error");
        let first = error.lines().next().unwrap_or_default();
        Self {
            name: name(ours),
            defeat: Defeat::Failed {
                error: first.to_owned(),
            },
        }
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let name = &self.name;
        match &self.defeat {
            Defeat::Failed { error } => format!("failed: {name}: {error}"),
            Defeat::Slower { peer, ratio } => format!("slower: {name}: {} × {peer}", ratio.text()),
        }
    }
}

fn name(ours: &Record) -> String {
    let Record {
        workload,
        size_label,
        jobs,
        runtime,
        ..
    } = ours;
    let jobs = match jobs {
        1 => "1 job".to_owned(),
        jobs => format!("{jobs} jobs"),
    };
    match runtime.as_str() {
        "drumline" => format!("{workload} {size_label}, {jobs}"),
        runtime => format!("{workload} {size_label}, {jobs}, {runtime}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up::record;

    fn failing(runtime: &str, failures: usize) -> Record {
        let mut failed = record("fib", runtime, 2, &[]);
        (failed.ok, failed.error) = (Some(false), Some("a wrong answer".to_owned()));
        (failed.rounds, failed.failures) = (10, failures);
        failed
    }

    fn counts(board: &Scoreboard) -> [usize; 4] {
        let [line] = &board.lines[..] else {
            panic!("{board:?}");
        };
        [line.wins, line.level, line.losses, line.open]
    }

    #[test]
    fn a_failure_of_ours_is_a_loss() {
        let peer = record("fib", "rayon", 2, &[1.0; 10]);
        let board = Scoreboard::of(&[failing("drumline", 1), peer]).unwrap();
        assert_eq!(counts(&board), [0, 0, 1, 0]);
        assert_eq!(board.losses.len(), 1);
        let text = board.to_text();
        assert!(text.contains("1 slower\n"), "{text}");
        assert!(
            text.contains("  failed: fib , 2 jobs: a wrong answer\n"),
            "{text}"
        );
        assert!(text.contains("– × (geometric mean)"), "{text}");
        // Without a figure of a peer there is nothing that it lost against.
        let board = Scoreboard::of(&[failing("drumline", 10), failing("rayon", 10)]);
        assert!(board.is_none());
    }

    #[test]
    fn a_peer_that_failed_once_may_be_the_best() {
        let ours = |ns| record("fib", "drumline", 2, &[ns; 10]);
        let peer = record("fib", "chili", 2, &[2.0; 10]);
        for (ns, failures, expected) in [
            (1.0, 1, [0, 0, 0, 1]),
            (2.0, 1, [0, 0, 0, 1]),
            (3.0, 1, [0, 0, 1, 0]),
            // One that never has a figure is no rival.
            (1.0, 10, [1, 0, 0, 0]),
        ] {
            let records = [ours(ns), peer.clone(), failing("rayon", failures)];
            let board = Scoreboard::of(&records).unwrap();
            assert_eq!(counts(&board), expected, "{ns}, {failures}");
            let is_named = board.to_text().contains("rayon failed in 1 of 10 rounds");
            assert_eq!(is_named, expected[3] == 1, "{}", board.to_text());
        }
    }

    #[test]
    fn what_exceeds_its_jobs_is_not_told() {
        let mut ours = record("fib", "drumline", 2, &[1.0; 10]);
        ours.items_peak = Some(3);
        let board = Scoreboard::of(&[ours, record("fib", "rayon", 2, &[2.0; 10])]).unwrap();
        assert_eq!(counts(&board), [0, 0, 0, 1]);
        assert!(board.to_text().contains("more items ran at once"));
    }

    #[test]
    fn too_few_rounds_say_how_many_tell() {
        let few = |runtime| record("fib", runtime, 2, &[1.0; 3]);
        let board = Scoreboard::of(&[few("drumline"), few("rayon")]).unwrap();
        let text = board.to_text();
        assert!(text.contains("1 comparisons a claim needs 10"), "{text}");
    }

    /// A figure of zero takes the mean away, and not the line.
    #[test]
    fn a_ratio_of_zero_keeps_its_line() {
        let records = [
            record("fib", "drumline", 2, &[0.0; 10]),
            record("fib", "rayon", 2, &[2.0; 10]),
        ];
        let board = Scoreboard::of(&records).unwrap();
        assert_eq!(counts(&board), [1, 0, 0, 0]);
        assert_eq!(board.lines[0].mean, None);
    }
}
