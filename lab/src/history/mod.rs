//! `cargo lab history WORKLOAD`: how its figures went over dated records.
//!
//! ```text
//! lab/records ─► archive ─► series (one for each size and number of jobs) ─► plot, page
//! ```

mod plot;
mod time_series;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::archive::Archive;
use crate::destination::Destination;
use crate::options::{self, Options};
use crate::{canvas, console, definition, registry, report};
use time_series::{Filter, TimeSeries};

/// What `history` can be told.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Name of the workload; see `list`.
    #[arg(value_name = "WORKLOAD")]
    workload: String,
    /// Adds the workloads of this file, of which this is one.
    #[arg(long, value_name = "FILE")]
    define: Option<PathBuf>,
    /// Only these runtimes.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    runtime: Vec<String>,
    /// Only this size.
    #[arg(long, value_name = "N", value_parser = options::size)]
    size: Option<u64>,
    /// Only this number of jobs.
    #[arg(long, value_name = "N", value_parser = options::jobs)]
    jobs: Option<usize>,
    /// Reads these records, the newest first, in place of those that are kept in lab/records: a
    /// run's directory, or a file; may be given several times.
    #[arg(long, value_name = "DIR|FILE")]
    record: Vec<PathBuf>,
    /// Writes the page to this new or empty directory instead of to one in target/lab.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrites what is in the directory of `--out`.
    #[arg(long)]
    force: bool,
}

/// Prints the tables, and writes them with their plots to a page.
///
/// # Errors
/// There is no such workload, runtime or figure; or something cannot be read or written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(file) = &arguments.define {
        definition::define(file)?;
    }
    let workload = registry::workload(&arguments.workload)?;
    for name in &arguments.runtime {
        registry::runtime(name)?;
    }
    let archive = match &arguments.record[..] {
        [] => Archive::kept(),
        paths => Archive::of(paths)?,
    };
    let filter = Filter {
        runtimes: arguments.runtime.clone(),
        size: arguments.size,
        jobs: arguments.jobs,
    };
    let all_series = time_series::all(&archive, workload, &filter);
    ensure!(
        !all_series.is_empty(),
        "no record has such figures of {0}; keep one with `cargo lab record {0}`, or name other \
         records with --record",
        workload.card.name
    );
    let mut options = Options::default();
    options.out.clone_from(&arguments.out);
    options.force = arguments.force;
    let destination = Destination::make(&options)?;
    let file = destination.directory.join("history.html");
    fs::write(&file, page(workload.card.name, &all_series)?)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    for series in &all_series {
        console::print(&format!("{}\n", series.grid().to_text()))?;
    }
    console::print(&format!("page: {}\n", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn page(name: &str, all_series: &[TimeSeries]) -> Result<String> {
    let mut page = report::head(&format!("History of {name}"));
    for series in all_series {
        page += &format!("<h2>{}</h2>\n", report::escape(&series.title));
        page += &canvas::both(|layout| plot::draw(series, layout))?;
        page += &report::grid(&series.grid());
    }
    page += "</body></html>\n";
    Ok(page)
}
