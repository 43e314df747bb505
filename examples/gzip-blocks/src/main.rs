//! Compresses a file in blocks: a parallel map between a serial reader and a serial writer.
//!
//! ```sh
//! cargo run --release -p gzip-blocks -- FILE > FILE.gz
//! ```
//!
//! `blocks` is the source, `deflate` is what happens to a block, `output` is the serial end, which puts the file
//! together in order. How much is in memory does not depend on the size of the file: the stream takes no block from the
//! source while as many as `--in-flight` says are on their way.

mod blocks;
mod deflate;
mod output;

use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use drumline::{Jobs, Pool, stream};

use crate::blocks::Blocks;
use crate::output::{Gzip, Output};

/// Compresses a file, several blocks at once, into one ordinary gzip stream.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The file to compress; standard input if there is none, or for `-`.
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    /// Where the result goes, instead of standard output. It appears under this name when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many KiB are compressed at once.
    #[arg(short, long, default_value_t = 128, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    block: u32,
    /// From 1 (fast) to 9 (small).
    #[arg(short, long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=9))]
    level: u32,
    /// How many threads compress: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
    /// How many blocks may be on their way from the source to the output; otherwise 8 per job.
    #[arg(long, value_name = "BLOCKS")]
    in_flight: Option<NonZero<usize>>,
}

fn run(options: &Options) -> Result<()> {
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let (reader, name) = open(options.input.as_deref())?;
    let output = Output::create(options.output.as_deref())?;
    let mut gzip = Gzip::begin(output, options.level)?;

    let blocks = Blocks::of(reader, name, options.block as usize * 1024);
    let in_flight = options
        .in_flight
        .map_or(8 * pool.current_jobs(), NonZero::get);
    stream::iter(blocks)
        .pool(&pool)
        .in_flight(in_flight)
        .map_ordered(|block| deflate::deflate(&block?, options.level))
        .try_for_each(|piece| gzip.append(&piece?))?;
    gzip.finish()
}

/// What is compressed, and what it is called in messages.
fn open(path: Option<&Path>) -> Result<(Box<dyn Read + Send>, String)> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return Ok((Box::new(io::stdin()), "standard input".to_owned()));
    };
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let is_dir = file.metadata().is_ok_and(|about| about.is_dir());
    ensure!(!is_dir, "{name} is a directory; name a file");
    Ok((Box::new(file), name))
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gzip-blocks: {error:#}");
            ExitCode::FAILURE
        }
    }
}
