//! `cargo lab layouts`: whether a claim hangs on where the linker put the code.
//!
//! The same program is linked five times with its functions in another order, once from objects
//! whose loops begin at cache lines, as the lab has them, and once from objects that are compiled
//! with the flags that users have. Processes of all these builds take turns, round by round. For
//! each cell there is one ratio per build; the median of five is the figure, and their range tells
//! what the layout does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cell::Cell;
use crate::launch::{Launcher, Outcome};
use crate::machine::{self, ALIGNMENT, Build, Machine};
use crate::output;
use crate::record::Record;
use crate::schedule::Schedule;
use crate::statistics::{Summary, median};

/// How many orders of functions there are of each kind of build.
pub const ORDERS: u32 = 5;

/// What a build's objects are compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// Loops begin at cache lines, for every runtime.
    Aligned,
    /// What users have who give no flags.
    Default,
}

impl Flags {
    const ALL: [Self; 2] = [Self::Aligned, Self::Default];

    fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Default => "default",
        }
    }

    fn rustflags(self) -> String {
        match self {
            Self::Aligned => format!("-Cllvm-args={ALIGNMENT}"),
            Self::Default => String::new(),
        }
    }
}

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

/// Makes all builds, and measures the schedule's configurations in all of them.
pub fn run(schedule: &Schedule, rounds: usize) -> Result<Vec<Verdict>> {
    let directory = machine::target_directory().join("lab-layouts");
    let mut verdicts = Vec::new();
    let mut launchers = Vec::new();
    for flags in Flags::ALL {
        for order in 1..=ORDERS {
            output::note(&format!("building: {} flags, order {order}", flags.name()));
            let program = build(&directory, flags, order)?;
            launchers.push((flags, Launcher { program }));
        }
    }
    let (machine, build) = (Machine::look(), Build::look());
    for group in &schedule.groups {
        let mut outcomes: Vec<Vec<Vec<Outcome>>> =
            vec![vec![Vec::new(); group.len()]; launchers.len()];
        for round in 0..rounds {
            for place in 0..group.len() {
                let place = (place + round) % group.len();
                let configuration = &group[place];
                for turn in 0..launchers.len() {
                    let turn = (turn + round) % launchers.len();
                    let (_, launcher) = &launchers[turn];
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
        for flags in Flags::ALL {
            let of_flags: Vec<&[Record]> = launchers
                .iter()
                .zip(&records)
                .filter(|((of, _), _)| *of == flags)
                .map(|(_, records)| records.as_slice())
                .collect();
            verdicts.extend(judge(flags, &of_flags));
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

/// Builds the lab with its functions in another order, and keeps the program.
fn build(directory: &Path, flags: Flags, order: u32) -> Result<PathBuf> {
    let target = directory.join(flags.name());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Cargo gives `RUSTFLAGS` precedence over every configuration, and an empty one means none.
    let status = Command::new(cargo)
        .current_dir(machine::workspace())
        .args(["rustc", "--release", "--quiet", "--package", "drumline-lab"])
        .args(["--bin", "drumline-lab", "--target-dir"])
        .arg(&target)
        .arg("--")
        .arg(format!("-Clink-arg=-Wl,--shuffle-sections=.text*={order}"))
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", flags.rustflags())
        .stdin(Stdio::null())
        .status()
        .context("cargo cannot be started")?;
    ensure!(
        status.success(),
        "the lab cannot be built with its functions in another order; that needs lld as the linker, \
         which Rust uses by itself on x86-64 Linux since 1.90"
    );
    let kept = directory.join(format!("{}-{order}", flags.name()));
    let built = target.join("release/drumline-lab");
    fs::copy(&built, &kept).with_context(|| format!("{} cannot be kept", built.display()))?;
    Ok(kept)
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
