//! How long a socket waits for its answer while the same process computes.
//!
//! ```sh
//! cargo run --release -p hash-service --example latency
//! ```
//!
//! A client sends a few bytes, at most one message per millisecond, to an echo server on tokio, and
//! notes how long each takes. Beside the server the process computes hashes, as many at once as
//! `--in-flight` says, in one of several arrangements. What is printed is a table in Markdown, with
//! the medians of the rounds. The arrangements take turns, so a busy minute of the machine concerns
//! all of them.

mod arrangement;
mod latencies;
mod load;
mod place;
mod probe;

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use crate::arrangement::Arrangement;
use crate::latencies::{Latencies, median};

/// Measures how long an echo takes beside computing.
#[derive(Debug, Parser)]
struct Options {
    /// Only these arrangements; otherwise all.
    #[arg(value_enum)]
    only: Vec<Arrangement>,
    /// How often each is measured.
    #[arg(long, default_value = "9")]
    rounds: NonZero<usize>,
    /// How many seconds a round takes for each.
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// How many hashes are asked for at once.
    #[arg(long, default_value = "32")]
    in_flight: NonZero<usize>,
    /// How many threads tokio has, instead of what each arrangement says.
    #[arg(long)]
    io_threads: Option<NonZero<usize>>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=600.0).contains(&seconds) => Ok(seconds),
        Ok(_) => Err("from 0.1 to 600 seconds".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// How long the load runs before the first message, so that threads are started and awake.
const WARM_UP: Duration = Duration::from_millis(200);

/// What a round has shown.
struct Round {
    latencies: Latencies,
    hashes_per_second: f64,
}

fn round(arrangement: Arrangement, options: &Options, cores: usize) -> Result<Round> {
    let io_threads = options
        .io_threads
        .map_or_else(|| arrangement.io_threads(cores), NonZero::get);
    let runtime = place::runtime(arrangement, io_threads, cores)?;
    let computer = arrangement.computer(cores)?;
    let (is_over, hashes) = (AtomicBool::new(false).into(), AtomicU64::new(0).into());
    let load = load::start(
        &runtime,
        &computer,
        options.in_flight.get(),
        &is_over,
        &hashes,
    );
    let server = probe::listen(&runtime)?;

    std::thread::sleep(WARM_UP);
    let (before, start) = (hashes.load(Ordering::Relaxed), Instant::now());
    let latencies = probe::measure(server, Duration::from_secs_f64(options.seconds));
    let (took, after) = (start.elapsed(), hashes.load(Ordering::Relaxed));

    is_over.store(true, Ordering::Relaxed);
    runtime.block_on(load.join_all());
    drop(runtime);
    computer.shutdown()?;
    Ok(Round {
        latencies: latencies.context("the echo has failed")?,
        hashes_per_second: (after - before) as f64 / took.as_secs_f64(),
    })
}

fn main() -> Result<()> {
    let options = Options::parse();
    let cores = std::thread::available_parallelism()?.get();
    let arrangements = if options.only.is_empty() {
        Arrangement::value_variants()
    } else {
        &options.only
    };
    let mut rounds: Vec<Vec<Round>> = arrangements.iter().map(|_| Vec::new()).collect();
    for number in 1..=options.rounds.get() {
        eprintln!("round {number} of {}", options.rounds);
        for (&arrangement, rounds) in arrangements.iter().zip(&mut rounds) {
            rounds.push(round(arrangement, &options, cores)?);
        }
    }
    println!(
        "{cores} cores, {} hashes at once of {:.2} ms each, medians of {} rounds of {} s\n",
        options.in_flight,
        load::cost().as_secs_f64() * 1e3,
        options.rounds,
        options.seconds
    );
    println!("| computing | half of the echoes | 99 of 100 | 999 of 1,000 | hashes per second |");
    println!("|---|---|---|---|---|");
    for (arrangement, rounds) in arrangements.iter().zip(&rounds) {
        let share = |share: f64| median(rounds.iter().map(|round| round.latencies.share(share)));
        println!(
            "| {} | {} | {} | {} | {:.0} |",
            arrangement.title(cores),
            latencies::text(share(0.5)),
            latencies::text(share(0.99)),
            latencies::text(share(0.999)),
            median(rounds.iter().map(|round| round.hashes_per_second)),
        );
    }
    Ok(())
}
