//! `cargo lab compare A B`: what became better or worse.
//!
//! ```text
//! A, B ─► side ─┬─ records ────────────────────────────────┬─► cells ─► words ─► exit code
//!               └─ revisions ─► workshop ─► interleaved ───┘     └─► differences
//! ```

mod cells;
mod differences;
mod interleaved;
#[cfg(test)]
pub(crate) mod made_up;
mod side;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

pub use cells::{Change, Comparison, Design, MARGIN, Verdict};
pub use differences::Difference;
pub use words::quantity_text;

use crate::destination::{Destination, check_file, is_same};
use crate::effort::Effort;
use crate::launch::Launcher;
use crate::options::Options;
use crate::plan::Rounds;
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::workshop::{self, Built, Flags, Source, Workshop};
use crate::{console, definition, export, interrupt};
use interleaved::Plan;
use side::{Side, WORKTREE};

/// How many processes of each side measure a configuration when nothing else is asked for…
const ROUNDS: usize = 20;

/// …and how many where that is too noisy to tell.
const ROUNDS_MAX: usize = 60;

/// What to do about workloads that the lab does not have.
const DEFINED: &str = "name the file that defines them with --define FILE";

/// What the exit code says of a comparison that could not be made.
const TROUBLE: u8 = 2;

/// What `compare` can be told.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What it was: a file with records, the directory of a run, or a revision.
    #[arg(value_name = "A")]
    a: String,
    /// What it is: the same kind of thing as A; WORKTREE is the files as they are.
    #[arg(value_name = "B", default_value = WORKTREE)]
    b: String,
    /// Compares the peers, too, which says how far two sides differ that are the same.
    #[arg(long)]
    all: bool,
    /// Only these workloads, instead of those of the default run or all of the records.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    workload: Vec<String>,
    /// Adds the workloads of this file, which both records were measured with.
    #[arg(long, value_name = "FILE")]
    define: Option<PathBuf>,
    /// Makes every sample of B longer by this percentage, to see whether a slowdown of that size is
    /// found. Two revisions only, best of all the same one twice.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    #[arg(allow_negative_numbers = true)]
    plant: Option<u32>,
    #[command(flatten)]
    options: Options,
}

/// Compares, and says with the exit code how it went: 0 if nothing got worse beyond doubt, 1 if
/// something did, 2 if nothing could be judged.
pub fn run(arguments: &Arguments) -> ExitCode {
    let compared = compare(arguments);
    if let Some(signal) = interrupt::pending() {
        return ExitCode::from(interrupt::exit_code(signal));
    }
    match compared {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            console::note(&format!("error: {error:#}"));
            ExitCode::from(TROUBLE)
        }
    }
}

/// Compares, and returns the number of regressions.
fn compare(arguments: &Arguments) -> Result<usize> {
    if let Some(file) = &arguments.define {
        definition::define(file)?;
    }
    for name in &arguments.workload {
        registry::workload(name).with_context(|| format!("--workload {name} ({DEFINED})"))?;
    }
    ensure!(
        arguments.options.resume.is_none(),
        "a comparison cannot be resumed: --resume is for runs"
    );
    match (Side::of(&arguments.a)?, Side::of(&arguments.b)?) {
        (
            Side::Records {
                file: file_a,
                records: a,
            },
            Side::Records {
                file: file_b,
                records: b,
            },
        ) => {
            ensure!(
                arguments.options.measures_nothing(),
                "records are measured already: --json, --force, --all and --workload are what \
                 applies"
            );
            ensure!(
                arguments.plant.is_none(),
                "--plant slows down what is measured, and records are measured already"
            );
            check_json(&arguments.options, [&file_a, &file_b])?;
            let names = [side::describe(&file_a, &a), side::describe(&file_b, &b)];
            tell(arguments, &[a, b], &names, Design::Apart)
        }
        (Side::Source(a), Side::Source(b)) => {
            ensure!(
                arguments.define.is_none(),
                "--define is for two records: what a file defines is no part of a revision"
            );
            of_sources(arguments, &a, &b)
        }
        (Side::Records { records, .. }, Side::Source(_)) => {
            bail!("{}", advice(&records, &arguments.a))
        }
        (Side::Source(_), Side::Records { records, .. }) => {
            bail!("{}", advice(&records, &arguments.b))
        }
    }
}

/// Looks whether the file of `--json` may be made, or overwritten.
fn check_json(options: &Options, inputs: [&Path; 2]) -> Result<()> {
    let file = options.json.as_deref().filter(|json| *json != "-");
    let Some(file) = file else {
        return Ok(());
    };
    ensure!(
        inputs.iter().all(|input| !is_same(input, file.as_ref())),
        "--json {file}: it is one of the records that are compared; name another file"
    );
    check_file("--json", file, options.force)
}

/// What to do instead of comparing records with something that is measured now.
fn advice(records: &[Record], name: &str) -> String {
    let revisions = records.iter();
    let mut revisions = revisions.filter_map(|record| record.build.git_revision.as_deref());
    let instead = match revisions.next() {
        Some(revision) => format!("compare {revision} {WORKTREE}"),
        None => format!("compare A {WORKTREE}"),
    };
    format!(
        "{name} is a record, and the other side is not. Compare two records, or have both sides \
         measured interleaved: cargo lab {instead}"
    )
}

/// Builds and measures both sides.
fn of_sources(arguments: &Arguments, a: &Source, b: &Source) -> Result<usize> {
    let options = &arguments.options;
    let workloads = registry::all_workloads();
    let chosen = workloads
        .into_iter()
        .filter(|entry| match &arguments.workload[..] {
            [] => entry.card.default_rank.is_some(),
            names => names.iter().any(|name| name == entry.card.name),
        });
    let is_brief = arguments.workload.is_empty();
    let rounds = Rounds::Exactly(ROUNDS);
    let chosen: Vec<_> = chosen.collect();
    let mut schedule = options.schedule(&chosen, rounds, Effort::quick(), is_brief)?;
    for group in &mut schedule.groups {
        let is_wanted = |role| arguments.all || role == Role::Ours;
        group.retain(|configuration| is_wanted(configuration.runtime.card.role));
    }
    let Rounds::Exactly(rounds) = schedule.rounds else {
        unreachable!("a number of rounds was asked for")
    };
    ensure!(
        schedule.groups.iter().any(|group| !group.is_empty()),
        "none of ours is among the runtimes; --all compares the others, too"
    );
    let destination = Destination::make(options)?;
    let directory = &destination.directory;

    // From here on a signal ends what runs, and what was built is removed.
    let mut launcher = Launcher::new()?;
    let workshop = Workshop::open()?;
    let mut build = |source: &Source, side| -> Result<Built> {
        let built = workshop.build(source, side, rounds, Flags::Aligned)?;
        workshop::probe(&built, &mut launcher)?;
        ensure!(interrupt::pending().is_none(), "interrupted");
        Ok(built)
    };
    let mut sides = [build(a, "A")?, build(b, "B")?];
    sides[1].slowdown_percent = arguments.plant;
    let plan = Plan {
        rounds,
        most: if options.counts_rounds() {
            rounds
        } else {
            ROUNDS_MAX
        },
        all: arguments.all,
    };
    let design = plan.design(sides[0].programs.len());
    let records = interleaved::measure(&schedule, plan, &sides, &mut launcher, directory);
    drop(workshop);
    let names = sides.each_ref().map(|side| {
        let count = side.programs.len();
        let planted = side.slowdown_percent.map_or_else(String::new, |percent| {
            format!(", slowed down by {percent} % on purpose")
        });
        format!("{}, {count} builds: {}{planted}", side.name, side.layouts)
    });
    if interrupt::pending().is_some() {
        console::note("interrupted: this is what had been measured");
    }
    let regressions = tell(arguments, &records, &names, design)?;
    console::note(&format!("records: {}", directory.display()));
    Ok(regressions)
}

/// Prints the comparison and returns the number of regressions.
fn tell(
    arguments: &Arguments,
    [a, b]: &[Vec<Record>; 2],
    names: &[String; 2],
    design: Design,
) -> Result<usize> {
    let wanted = |records: &[Record]| -> Vec<Record> {
        let names = &arguments.workload;
        let is_wanted = |record: &&Record| names.is_empty() || names.contains(&record.workload);
        records.iter().filter(is_wanted).cloned().collect()
    };
    let (a, b) = (wanted(a), wanted(b));
    let comparison = Comparison::of(&a, &b, arguments.all, design);
    if comparison.changes.is_empty() {
        let is_unknown = |record: &&Record| registry::workload(&record.workload).is_err();
        let unknown = a.iter().chain(&b).filter(is_unknown);
        let unknown = BTreeSet::from_iter(unknown.map(|record| record.workload.as_str()));
        let unknown = Vec::from_iter(unknown).join(", ");
        ensure!(
            unknown.is_empty(),
            "the two sides have no cell in common of which the lab knows that it is ours; it does \
             not know {unknown}: {DEFINED}, and --all compares all rows"
        );
        bail!("the two sides have no cell in common");
    }
    let text = words::text(&comparison, names);
    match arguments.options.json.as_deref() {
        Some("-") => {
            console::note(text.trim_end());
            export::write_text("-", &words::json_lines(&comparison))?;
        }
        Some(file) => {
            console::print(&text)?;
            std::fs::write(file, words::json_lines(&comparison))
                .map_err(|error| anyhow::anyhow!("{file} cannot be written: {error}"))?;
        }
        None => console::print(&text)?,
    }
    ensure!(
        comparison
            .changes
            .iter()
            .any(|change| change.verdict != Verdict::BrokenBoth),
        "nothing could be judged: all cells failed on both sides"
    );
    let least = comparison.processes_min;
    ensure!(
        !comparison.is_void(),
        "nothing could be judged: of each cell, each side needs {least} processes; measure with \
         --rounds {least} or more (records of an older lab may not say how many there were)"
    );
    Ok(comparison.regressions())
}
