//! `chipmill bench`: the same album by several runtimes, and with several numbers of songs at once.
//!
//! Each sample is a process of its own, so that its peak of memory is its own. The rows take turns.
//! The time is that of the songs: the start of the process and the plan are not in it.

mod row;
mod sample;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use chipmill::compose;
use clap::Args;
use serde::Serialize;

use row::{Row, Runtime};
use sample::Sample;

/// The options of `bench`.
#[derive(Args)]
pub struct Arguments {
    /// How many composed songs the album has.
    #[arg(
        long,
        default_value_t = 61,
        value_parser = clap::value_parser!(u32).range(1..),
        value_name = "SONGS"
    )]
    songs: u32,
    /// From what the songs are composed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many times each row is measured.
    #[arg(
        long,
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..),
        value_name = "TIMES"
    )]
    rounds: u32,
    /// Lines of JSON, one for each row.
    #[arg(long)]
    json: bool,
    /// Measures one row, once, with the songs in this directory: for the program itself.
    #[arg(long, hide = true, value_name = "DIRECTORY", requires = "row")]
    sample: Option<PathBuf>,
    /// The row of `--sample`.
    #[arg(long, hide = true)]
    row: Option<Row>,
}

/// What the samples of a row have come to.
#[derive(Serialize)]
struct Measured {
    row: String,
    runtime: Runtime,
    in_flight: usize,
    threads: usize,
    /// Geometric mean, in seconds.
    seconds: f64,
    samples: Vec<f64>,
    frames_per_second: f64,
    /// The largest of all samples, in KiB; of all processes together.
    peak_kib: u64,
}

/// Measures all rows.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let (Some(songs), Some(row)) = (&arguments.sample, &arguments.row) {
        let sample = sample::take(songs, row)?;
        println!("{}", serde_json::to_string(&sample)?);
        return Ok(ExitCode::SUCCESS);
    }
    let songs = tempfile::tempdir().context("no directory for the songs can be made")?;
    write_songs(songs.path(), arguments)?;
    let rows = Row::published();
    let mut samples: BTreeMap<usize, Vec<Sample>> = BTreeMap::new();
    for round in 0..arguments.rounds {
        for (place, row) in rows.iter().enumerate() {
            if !arguments.json {
                eprint!("\rround {} of {}: {row:40}", round + 1, arguments.rounds);
            }
            let sample = sample::of_a_process(songs.path(), row)?;
            samples.entry(place).or_default().push(sample);
        }
    }
    if !arguments.json {
        eprintln!();
    }
    let measured: Vec<Measured> = samples
        .into_iter()
        .map(|(place, samples)| measured(&rows[place], &samples))
        .collect();
    print(&measured, arguments.json).context("standard output cannot be written to")?;
    Ok(ExitCode::SUCCESS)
}

fn write_songs(directory: &Path, arguments: &Arguments) -> Result<()> {
    for (number, song) in compose::album(arguments.seed, arguments.songs).enumerate() {
        let path = directory.join(format!("{number:03}.vgm"));
        std::fs::write(&path, song.bytes)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn measured(row: &Row, samples: &[Sample]) -> Measured {
    let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    let logs: f64 = seconds.iter().map(|seconds| seconds.ln()).sum();
    let mean = (logs / seconds.len() as f64).exp();
    let frames = samples.first().map_or(0, |sample| sample.frames);
    Measured {
        row: row.to_string(),
        runtime: row.runtime,
        in_flight: row.in_flight,
        threads: row.threads,
        seconds: mean,
        frames_per_second: frames as f64 / mean,
        peak_kib: samples
            .iter()
            .map(|sample| sample.peak_kib)
            .max()
            .unwrap_or(0),
        samples: seconds,
    }
}

fn print(measured: &[Measured], json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        for row in measured {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        return Ok(());
    }
    writeln!(
        out,
        "{:40} {:>9} {:>14} {:>10}",
        "songs in flight x threads", "seconds", "frames/s", "peak MiB"
    )?;
    for row in measured {
        writeln!(
            out,
            "{:40} {:>9.2} {:>14.0} {:>10.1}",
            row.row,
            row.seconds,
            row.frames_per_second,
            row.peak_kib as f64 / 1024.0
        )?;
    }
    Ok(())
}
