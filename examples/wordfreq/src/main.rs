//! Counts the words of files: a parallel fold over chunks of text.
//!
//! ```sh
//! cargo run --release -p wordfreq -- --top 20 FILE…
//! ```
//!
//! The serial part reads and cuts; it hardly looks at the text. Each consumer counts in a table of
//! its own, and the tables become one at the end. `chunks` is the source, `counts` the table, and
//! `runtimes` brings them together.

mod chunks;
mod counts;
mod runtimes;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use drumline::{Jobs, Pool};

use crate::counts::Counts;
use crate::runtimes::Runtime;

/// Counts the words of files, and prints the most frequent ones.
///
/// A word is a run of letters, digits and apostrophes. Whatever is not ASCII belongs to words, byte
/// by byte: text that is not valid UTF-8 is counted, and printed as it came. Words with the same
/// count are in the order of their bytes.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Files to read, one after another; standard input if there are none, or for `-`.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How many words are printed; 0 for all of them.
    #[arg(long, default_value_t = 10, value_name = "N")]
    top: usize,
    /// Takes capital letters (of ASCII) for small ones.
    #[arg(long)]
    ignore_case: bool,
    /// How many threads count: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
    /// The runtime that runs it: for comparisons.
    #[arg(long, default_value = "drumline", value_enum, hide = true)]
    runtime: Runtime,
}

fn run(options: &Options) -> Result<()> {
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let counts = options
        .runtime
        .count(&options.files, options.ignore_case, &pool)?;
    match print(&counts, options.top) {
        // The reader has seen enough: `wordfreq … | head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

fn print(counts: &Counts, top: usize) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for (word, count) in counts.top(top) {
        write!(out, "{count:>10} ")?;
        out.write_all(word)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "wordfreq: {error:#}");
            ExitCode::FAILURE
        }
    }
}
