//! `cargo lab published`: the tables of the experiments that Drumline goes back to, with this
//! machine's figures in the same columns.
//!
//! ```text
//! published.json ─► experiment ─┬─► needs ─► schedule (only with --run)
//!                               │               ▼
//!                               └─► side_by_side ◄─ evidence ◄─ records
//!                                       ▼
//!                                   plot, page
//! ```
//! What was published is data, and is never converted. What a machine lacks, such as processors, a
//! peer or a program that was not built, is a row or a note that says so.

mod evidence;
mod experiment;
mod needs;
mod page;
mod plot;
mod quantity;
mod side_by_side;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::archive::Archive;
use crate::destination::Destination;
use crate::journal::Journal;
use crate::launch::Launcher;
use crate::machine::Machine;
use crate::options::Options;
use crate::peers::Places;
use crate::record::Record;
use crate::{console, interrupt, output};
use evidence::Evidence;
use experiment::{Experiment, Row};
use needs::Sizes;

/// More rounds than this are a slip of the finger.
const ROUNDS_MAX: usize = 1000;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  cargo lab published
      the tables with the newest figures that there are, of records in lab/records and of runs in
      target/lab; nothing is measured
  cargo lab published --run
      measures first what no record has, with small sizes, in some minutes
  cargo lab published --run=published --table tree-sum-100M
      one table with its published size, which needs 4 GiB of memory
  cargo lab published --record target/lab/2026-11-28T10-00-00Z
      the figures of one run and no other

A figure is that of the published size if a record has it; else of the size that most records have,
and a note says so. METHODOLOGY.md, \"Published figures\", says more.";

/// What `published` can be told.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Takes this machine's figures from a run's directory or a file of records, and from no other;
    /// may be given several times, and the first one that has a figure is believed.
    #[arg(long, value_name = "DIR|FILE")]
    record: Vec<PathBuf>,
    /// Only these tables.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    table: Vec<String>,
    /// Measures first what no record has.
    #[arg(
        long,
        value_name = "SIZES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "quick"
    )]
    run: Option<Sizes>,
    /// How many fresh processes measure each configuration.
    #[arg(long, value_name = "K", default_value_t = 3, requires = "run")]
    rounds: usize,
    #[command(flatten)]
    places: Places,
    /// Writes the pages to this new or empty directory instead of to one in target/lab.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrites what is in the directory of `--out`.
    #[arg(long)]
    force: bool,
}

/// Makes the pages, and measures before if that is asked for.
///
/// # Errors
/// Something asked for makes no sense, a record cannot be read, or a page cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let experiments = experiment::named(&arguments.table)?;
    let rounds = arguments.rounds;
    ensure!(
        (1..=ROUNDS_MAX).contains(&rounds),
        "--rounds {rounds}: there can be 1 to {ROUNDS_MAX}; try --rounds 3"
    );
    arguments.places.apply();
    let here = Machine::look();
    let archive = match &arguments.record[..] {
        [] => Archive::newest_of(&here),
        paths => Archive::of(paths)?,
    };
    let mut evidence = Evidence::of(archive);
    let mut options = Options::default();
    options.out.clone_from(&arguments.out);
    options.force = arguments.force;
    let destination = Destination::make(&options)?;
    let directory = &destination.directory;
    let mut is_sound = true;
    if let Some(sizes) = arguments.run {
        let records = measure(&experiments, &evidence, &here, sizes, rounds, directory)?;
        is_sound = !records.iter().any(is_broken);
        let name = directory.join("records.jsonl").display().to_string();
        evidence.add(name, records);
    }

    let tables = experiments.iter();
    let tables = tables.map(|experiment| side_by_side::side_by_side(experiment, &evidence, &here));
    let tables = tables.collect::<Result<Vec<_>>>()?;
    // Files come first: a reader of the tables may keep them waiting.
    let pages = [
        ("published.html", page::html(&tables)?),
        ("published.md", page::markdown(&tables)),
    ];
    for (name, text) in &pages {
        let file = directory.join(name);
        let written = fs::write(&file, text);
        written.with_context(|| format!("{} cannot be written", file.display()))?;
    }
    for table in &tables {
        console::print(&format!("{}\n", table.grid.to_text()))?;
    }
    if tables.iter().any(|table| table.is_incomplete) {
        console::print(
            "to measure what is missing: cargo lab published --run, with small sizes, or \
             --run=published\n",
        )?;
    }
    let [(html, _), _] = pages;
    console::print(&format!("page: {}\n", directory.join(html).display()))?;
    if let Some(signal) = interrupt::pending() {
        let directory = directory.display();
        let with = match arguments.out {
            Some(_) => format!(" with --record {directory} and another --out"),
            None => String::new(),
        };
        console::note(&format!(
            "interrupted: what was measured is in {directory}; a further --run{with} measures what \
             is missing"
        ));
        return Ok(ExitCode::from(interrupt::exit_code(signal)));
    }
    Ok(if is_sound {
        ExitCode::SUCCESS
    } else {
        console::note("error: some configurations failed, and their tables say why");
        ExitCode::FAILURE
    })
}

/// Measures what the tables need and no record has.
fn measure(
    experiments: &[Experiment],
    evidence: &Evidence,
    here: &Machine,
    sizes: Sizes,
    rounds: usize,
    directory: &Path,
) -> Result<Vec<Record>> {
    let rows = experiments.iter().map(Experiment::rows);
    let rows: Vec<Row> = rows
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    let schedule = needs::schedule(&rows, evidence, here, sizes, rounds);
    if schedule.groups.is_empty() {
        console::note("nothing is missing: the records have all figures of these sizes");
        return Ok(Vec::new());
    }
    let launcher = Launcher::new()?;
    let journal = Journal::begin(directory, &schedule)?;
    let records = schedule.run(&launcher, journal);
    if !records.is_empty() {
        output::write(directory, &records)?;
    }
    Ok(records)
}

/// Whether a configuration failed. A peer that deadlocks is a result.
fn is_broken(record: &Record) -> bool {
    record.ok == Some(false) && !record.deadlock
}
