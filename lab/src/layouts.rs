//! `cargo lab layouts`: whether a claim hangs on where the linker put the code.
//!
//! The same program is linked five times with its functions in another order. One link is of
//! objects with loops that begin at cache lines, as the lab has them. Another one is of objects
//! that are compiled with the flags that users have. Processes of all these builds take turns,
//! round by round. For each cell there is one ratio per build; the median of five is the figure,
//! and their range tells what the layout does.

use anyhow::{Result, ensure};

use crate::cell::Cell;
use crate::interrupt;
use crate::launch::Launcher;
use crate::machine::{Build, Machine, workspace};
use crate::outcome::Outcome;
use crate::record::Record;
use crate::schedule::Schedule;
use crate::statistics::{Summary, median};
use crate::workshop::{self, Built, Flags, Source, Workshop};

/// How many orders of functions there are of each kind of build.
pub const ORDERS: usize = 5;

/// One of ours against the best peer, in all builds with the same flags.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The flags.
    pub flags: Flags,
    /// Workload, size, jobs, ours and the peer.
    pub name: String,
    /// The ratios of the builds: their median, and their range.
    pub ratios: Summary,
}

impl Verdict {
    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let Summary {
            median, min, max, ..
        } = self.ratios;
        let hangs = if min < 1.0 && max > 1.0 {
            "; which is faster hangs on the layout"
        } else {
            ""
        };
        format!("{}: {median:.2} ({min:.2}–{max:.2}){hangs}", self.name)
    }
}

/// Makes all builds, and measures the schedule's configurations in all of them. Returns also how
/// many layouts there are of each kind of build.
pub fn run(schedule: &Schedule, rounds: usize) -> Result<(Vec<Verdict>, usize)> {
    let mut launcher = Launcher::new()?;
    let workshop = Workshop::open()?;
    let source = Source::Worktree { root: workspace() };
    let mut built = Vec::new();
    for flags in [Flags::Aligned, Flags::Default] {
        let kind = workshop.build(&source, flags.name(), ORDERS, flags)?;
        workshop::probe(&kind, &mut launcher)?;
        ensure!(interrupt::pending().is_none(), "interrupted");
        built.push(kind);
    }
    let verdicts = measure(schedule, rounds, &built, &mut launcher)?;
    let layouts = built.first().map_or(0, |kind| kind.programs.len());
    Ok((verdicts, layouts))
}

/// Measures everything in all builds, which take turns. A signal ends that.
fn measure(
    schedule: &Schedule,
    rounds: usize,
    built: &[Built],
    launcher: &mut Launcher,
) -> Result<Vec<Verdict>> {
    let programs: Vec<_> = built
        .iter()
        .flat_map(|kind| kind.programs.iter().map(|program| (kind.flags, program)))
        .collect();
    let (machine, build) = (Machine::look(), Build::look_at_workspace());
    let mut verdicts = Vec::new();
    for group in &schedule.groups {
        let mut outcomes: Vec<Vec<Vec<Outcome>>> =
            vec![vec![Vec::new(); group.len()]; programs.len()];
        for round in 0..rounds {
            for place in 0..group.len() {
                let place = (place + round) % group.len();
                let configuration = &group[place];
                for turn in 0..programs.len() {
                    if interrupt::pending().is_some() {
                        // Workloads and sizes that are complete have their verdicts.
                        return Ok(verdicts);
                    }
                    let turn = (turn + round) % programs.len();
                    launcher.program.clone_from(programs[turn].1);
                    let order = configuration.order();
                    outcomes[turn][place].push(launcher.run(&order, &configuration.terms));
                }
            }
        }
        let records: Vec<Vec<Record>> = outcomes
            .iter()
            .map(|outcomes| {
                let each = group.iter().zip(outcomes);
                each.map(|(configuration, outcomes)| {
                    Record::merge(configuration, outcomes, &machine, &build)
                })
                .collect()
            })
            .collect();
        for kind in built {
            let of_flags: Vec<&[Record]> = programs
                .iter()
                .zip(&records)
                .filter(|((of, _), _)| *of == kind.flags)
                .map(|(_, records)| records.as_slice())
                .collect();
            verdicts.extend(judge(kind.flags, &of_flags));
        }
    }
    Ok(verdicts)
}

/// The cells of builds with the same flags. The peer is the best of the first build: a ratio to
/// another peer in each build would say nothing.
fn judge(flags: Flags, builds: &[&[Record]]) -> Vec<Verdict> {
    let Some(first) = builds.first() else {
        return Vec::new();
    };
    let cells = Cell::all(first);
    let verdict = |cell: &Cell<'_>| {
        let ratios: Vec<f64> = builds
            .iter()
            .filter_map(|records| {
                let (ours, peer) = (same(records, cell.ours)?, same(records, cell.peer)?);
                let measure = |record: &Record| median(&record.measures(cell.shows));
                Some(measure(ours)? / measure(peer)?)
            })
            .collect();
        let Record {
            workload,
            size_label,
            jobs,
            runtime,
            ..
        } = cell.ours;
        Some(Verdict {
            flags,
            name: format!(
                "{workload} {size_label}, jobs {jobs}, {runtime} ÷ {}",
                cell.peer.runtime
            ),
            ratios: Summary::of(&ratios)?,
        })
    };
    cells.iter().filter_map(verdict).collect()
}

fn same<'a>(records: &'a [Record], wanted: &Record) -> Option<&'a Record> {
    records.iter().find(|record| {
        record.workload == wanted.workload
            && record.runtime == wanted.runtime
            && (record.size, record.jobs) == (wanted.size, wanted.jobs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ratios: &[f64]) -> Verdict {
        Verdict {
            flags: Flags::Aligned,
            name: "fib 35, jobs 1, drumline ÷ chili".to_owned(),
            ratios: Summary::of(ratios).unwrap(),
        }
    }

    #[test]
    fn the_median_of_five_is_the_figure() {
        let text = verdict(&[0.8, 0.7, 0.9, 0.75, 0.85]).to_text();
        assert_eq!(text, "fib 35, jobs 1, drumline ÷ chili: 0.80 (0.70–0.90)");
        let text = verdict(&[0.8, 0.7, 1.2, 0.75, 0.85]).to_text();
        assert!(text.ends_with("hangs on the layout"), "{text}");
    }
}
