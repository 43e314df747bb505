//! `chipmill bench`: the same album by several runtimes, and with several numbers of songs at once.
//!
//! Each sample is a process of its own, so that its peak of memory is its own. The rows take turns.
//! The time is that of the songs: the start of the process and the plan are not in it. Beside
//! `vgmrender` it is that of whole processes.

mod beside;
mod row;
mod sample;
mod underruns;
/// The lab's own: what it reads is what is written here.
#[path = "../../../../../lab/src/usage.rs"]
mod usage;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use chipmill::compose;
use clap::Args;
use serde::Serialize;

use super::text::written;
use beside::Beside;
use row::{Row, Runtime};
use sample::Sample;
use usage::Usage;

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
    /// Only this row, such as "drumline 8 x 2": 8 songs in flight on 2 threads. The runtimes are
    /// drumline, rayon, threads and processes. May be given several times.
    #[arg(long = "row", value_name = "ROW")]
    rows: Vec<Row>,
    /// Renders single songs instead, beside ymfm's own `vgmrender`, which is this program.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["songs", "rows", "play"])]
    vgmrender: Option<PathBuf>,
    /// Plays for this number of seconds instead, in each of the rounds, beside threads that
    /// compute, and says how many gaps the sound has had: the player's, and a plain thread's.
    #[arg(long, value_name = "SECONDS", conflicts_with = "rows")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3600))]
    play: Option<u32>,
    /// How many threads compute beside `--play`; if nothing is said, as many as there are cores.
    #[arg(long, value_name = "THREADS", requires = "play")]
    #[arg(value_parser = clap::value_parser!(u16).range(..=1024))]
    busy: Option<u16>,
    /// Lines of JSON, one for each row, in the terms of `cargo lab` where songs are an album.
    #[arg(long)]
    json: bool,
    /// Measures one row, once, with the songs in this directory: for the program itself.
    #[arg(long, hide = true, value_name = "DIRECTORY", requires = "rows")]
    sample: Option<PathBuf>,
    /// The sample begins with the word of the program that has started this one.
    #[arg(long, hide = true, requires = "sample")]
    held: bool,
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
    frames_per_second: f64,
    #[serde(flatten)]
    found: Measurement,
}

/// What the lab of this repository reads: its `Measurement`. An operation is an album, and an item
/// a frame.
#[derive(Serialize)]
struct Measurement {
    items: u64,
    operations: u64,
    /// The time of each sample.
    wall_ns: Vec<f64>,
    /// The processor time of each sample; empty if unknown.
    cpu_ns: Vec<f64>,
    /// Of all samples together.
    usage: Usage,
    /// The largest of all samples.
    rss_peak_bytes: Option<u64>,
    /// The songs in flight.
    concurrency: usize,
}

/// Measures all rows.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let (Some(songs), [row, ..]) = (&arguments.sample, &arguments.rows[..]) {
        let sample = sample::take(songs, row, arguments.held)?;
        let line = serde_json::to_string(&sample)?;
        written(writeln!(io::stdout(), "{line}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(seconds) = arguments.play {
        return play(arguments, seconds);
    }
    if let Some(program) = &arguments.vgmrender {
        let rows = beside::measure(program, arguments.rounds, arguments.seed)?;
        written(print_beside(&rows, arguments.json))?;
        return Ok(ExitCode::SUCCESS);
    }
    let songs = tempfile::tempdir().context("no directory for the songs can be made")?;
    write_songs(songs.path(), arguments)?;
    let rows = match &arguments.rows[..] {
        [] => Row::published(arguments.songs as usize),
        rows => rows.to_vec(),
    };
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
    written(print(&measured, arguments.json))?;
    Ok(ExitCode::SUCCESS)
}

/// Plays, and says how it went.
fn play(arguments: &Arguments, seconds: u32) -> Result<ExitCode> {
    let busy = match arguments.busy {
        Some(busy) => busy.into(),
        None => thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let underruns = underruns::measure(seconds, arguments.rounds, busy, arguments.seed)?;
    let line = match arguments.json {
        true => serde_json::to_string(&underruns)?,
        false => underruns.to_string(),
    };
    written(writeln!(io::stdout(), "{line}"))?;
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
    let wall_ns: Vec<f64> = samples.iter().map(|sample| sample.seconds * 1e9).collect();
    let mean = geometric_mean(samples.iter().map(|sample| sample.seconds));
    let frames = samples.first().map_or(0, |sample| sample.frames);
    let used = samples.iter().map(|sample| sample.usage);
    let cpu_ns = used.clone().filter_map(|usage| Some(usage.cpu_ns? as f64));
    Measured {
        row: row.to_string(),
        runtime: row.runtime,
        in_flight: row.in_flight,
        threads: row.threads,
        seconds: mean,
        frames_per_second: frames as f64 / mean,
        found: Measurement {
            items: frames,
            operations: samples.len() as u64,
            wall_ns,
            cpu_ns: cpu_ns.collect(),
            usage: used.reduce(|all, one| all.plus(&one)).unwrap_or_default(),
            rss_peak_bytes: samples.iter().filter_map(|sample| sample.peak_bytes).max(),
            concurrency: row.in_flight,
        },
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
        "{:28} {:>8} {:>19} {:>12} {:>9} {:>9}",
        "songs in flight x threads", "seconds", "÷ first row", "frames/s", "CPU s", "peak MiB"
    )?;
    for row in measured {
        let found = &row.found;
        let per_album = |ns: u64| ns as f64 / 1e9 / found.operations as f64;
        let cpu = found.usage.cpu_ns.map(per_album);
        let peak = found
            .rss_peak_bytes
            .map(|bytes| bytes as f64 / f64::from(1 << 20));
        let beside = Ratio::of(&found.wall_ns, &measured[0].found.wall_ns);
        writeln!(
            out,
            "{:28} {:>8.2} {:>19} {:>12.0} {:>9} {:>9}",
            row.row,
            row.seconds,
            beside,
            row.frames_per_second,
            known(cpu, 2),
            known(peak, 1)
        )?;
    }
    for runtime in [Runtime::Drumline, Runtime::Threads] {
        if let Some(bytes) = bytes_of_a_song(measured, runtime) {
            writeln!(
                out,
                "{runtime}: a further song in flight, with a thread of its own, takes {:.0} KiB",
                bytes / 1024.0
            )?;
        }
    }
    Ok(())
}

/// How much memory grows with each song in flight that has a thread of its own: between the row of
/// the fewest and that of the most.
fn bytes_of_a_song(measured: &[Measured], runtime: Runtime) -> Option<f64> {
    let with_threads = measured
        .iter()
        .filter(|row| row.runtime == runtime && row.in_flight == row.threads);
    let least = with_threads.clone().min_by_key(|row| row.in_flight)?;
    let most = with_threads.max_by_key(|row| row.in_flight)?;
    let peak = |row: &Measured| row.found.rss_peak_bytes.map(|bytes| bytes as f64);
    let songs = most.in_flight - least.in_flight;
    (songs > 0).then_some((peak(most)? - peak(least)?) / songs as f64)
}

/// How many times as long one row takes as another in the same rounds.
#[derive(Debug, PartialEq)]
struct Ratio {
    /// The geometric mean of all rounds.
    mean: f64,
    least: f64,
    most: f64,
}

impl Ratio {
    fn of(times: &[f64], others: &[f64]) -> Self {
        let ratios = times.iter().zip(others).map(|(time, other)| time / other);
        Ratio {
            mean: geometric_mean(ratios.clone()),
            least: ratios.clone().fold(f64::INFINITY, f64::min),
            most: ratios.fold(0.0, f64::max),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { mean, least, most } = self;
        f.pad(&format!("{mean:.3} ({least:.2}–{most:.2})"))
    }
}

fn geometric_mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, logs) = numbers.fold((0, 0.0), |(count, logs), number| {
        (count + 1, logs + number.ln())
    });
    (logs / f64::from(count.max(1))).exp()
}

fn print_beside(rows: &[Beside], json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !json {
        writeln!(out, "{}", Beside::head())?;
    }
    for row in rows {
        if json {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        } else {
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}

/// A figure, or a question mark where the system did not say it.
fn known(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| format!("{figure:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(in_flight: usize, threads: usize, peak: Option<u64>) -> Measured {
        let row = Row {
            runtime: Runtime::Drumline,
            in_flight,
            threads,
        };
        let sample = |seconds| Sample {
            seconds,
            frames: 100,
            usage: Usage::default(),
            peak_bytes: peak,
        };
        measured(&row, &[sample(1.0), sample(4.0)])
    }

    #[test]
    fn a_row_has_the_geometric_mean_of_its_rounds() {
        let row = row(2, 2, None);
        assert!((row.seconds - 2.0).abs() < 1e-12);
        assert!((row.frames_per_second - 50.0).abs() < 1e-9);
        let ratio = Ratio::of(&[2.0, 2.0], &[1.0, 4.0]);
        assert_eq!(ratio.to_string(), "1.000 (0.50–2.00)");
    }

    #[test]
    fn the_memory_of_a_song_is_that_between_the_fewest_and_the_most() {
        let mut rows = vec![
            row(2, 2, Some(1000)),
            row(8, 2, Some(5000)),
            row(8, 8, Some(1600)),
            row(12, 12, Some(3000)),
        ];
        assert_eq!(bytes_of_a_song(&rows, Runtime::Drumline), Some(200.0));
        assert_eq!(bytes_of_a_song(&rows, Runtime::Threads), None);
        assert_eq!(bytes_of_a_song(&rows[..2], Runtime::Drumline), None);
        rows[3].found.rss_peak_bytes = None;
        assert_eq!(bytes_of_a_song(&rows, Runtime::Drumline), None);
    }
}
