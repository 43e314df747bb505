//! Three pipelines in one process, each with a pool of its own.
//!
//! ```sh
//! cargo run --release -p three-pools
//! cargo run --release -p three-pools -- --runtime crossbeam
//! ```
//!
//! So it goes in programs that are put together from libraries: each has its threads, as many as
//! there are cores, and none knows of the others. What it costs shows in the context switches. A
//! consumer that is woken for an item which another takes, and sleeps again, is two of them, and of
//! use to no program.
//!
//! `pipelines` says what is done, and `runtimes` what does it.

mod pipelines;
mod runtimes;
mod switches;

use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use drumline::Jobs;

use crate::pipelines::Pipeline;
use crate::runtimes::{Outcome, Runtime};
use crate::switches::Switches;

/// Runs three pipelines at once, and counts how often threads were switched.
///
/// One hashes short lines, one compresses blocks, and one counts primes: items of about 200 ns,
/// half a millisecond, and 30 µs. Each has a producer, a bounded queue, and consumers of its own.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// How many consumers each pipeline may have: a number, `auto`, `physical`, or a share as
    /// `50%`.
    #[arg(long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
    /// The runtime that runs the pipelines.
    #[arg(long, default_value = "drumline", value_enum)]
    runtime: Runtime,
    /// How many items each queue has room for.
    #[arg(long, default_value = "256", value_name = "ITEMS")]
    queue: NonZero<usize>,
    /// How much there is to do, in percent of what takes about two seconds of one core.
    #[arg(long, default_value_t = 100, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    size: u32,
}

fn run(options: &Options) -> Result<()> {
    let runtime = options.runtime;
    let (jobs, queue) = (options.jobs.resolve(), options.queue.get());
    let text = pipelines::text();
    let before = Switches::so_far();
    let outcomes = thread::scope(|scope| {
        let threads = [
            scope.spawn(|| runtime.run(pipelines::lines(&text, options.size), jobs, queue)),
            scope.spawn(|| runtime.run(pipelines::blocks(&text, options.size), jobs, queue)),
            scope.spawn(|| runtime.run(pipelines::primes(options.size), jobs, queue)),
        ];
        threads.map(|thread| thread.join())
    });
    let switches = Switches::so_far().zip(before);

    let outcomes: Vec<Outcome> = outcomes
        .into_iter()
        .map(|outcome| outcome.map_err(|_| anyhow!("a pipeline has panicked"))?)
        .collect::<Result<_>>()?;
    let since = switches.map(|(after, before)| after.since(before));
    match print(&outcomes, since) {
        // The reader has seen enough: `three-pools | head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        other => other.context("cannot write to standard output")?,
    }
    for outcome in outcomes {
        let Outcome {
            name,
            expected,
            items,
            ..
        } = outcome;
        ensure!(
            items == expected,
            "{expected} items went into `{name}`, and {items} came out"
        );
    }
    Ok(())
}

fn print(outcomes: &[Outcome], switches: Option<Switches>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "pipeline     items   result              wall")?;
    for outcome in outcomes {
        let Outcome {
            name,
            items,
            result,
            wall,
            ..
        } = outcome;
        writeln!(out, "{name:<8} {items:>9}   {result:016x}  {wall:>7.1?}")?;
    }
    if let Some(switches) = switches {
        writeln!(out, "context switches: {switches}")?;
    }
    out.flush()
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "three-pools: {error:#}");
            ExitCode::FAILURE
        }
    }
}
