//! Compresses a file in blocks: a parallel map between a serial reader and a serial writer.
//!
//! ```sh
//! cargo run --release -p gzip-blocks -- FILE > FILE.gz
//! ```
//!
//! `blocks` is the source, `deflate` is what happens to a block, `gzip` is the serial end, which
//! puts the file together in order. `input` and `output` are the files, and `file_id` tells whether
//! they are the same. How much is in memory does not depend on the size of the file: the stream
//! takes no block from the source while as many as `--in-flight` says are on their way.

mod blocks;
mod deflate;
mod file_id;
mod gzip;
mod input;
mod output;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Error, Result};
use clap::Parser;
use drumline::{Jobs, Pool, stream};

use crate::blocks::Blocks;
use crate::gzip::Gzip;
use crate::input::Input;
use crate::output::{IfExists, Output};

/// The exit status that a shell reports for a program which `SIGPIPE` has ended.
const BROKEN_PIPE: u8 = 128 + 13;

/// Compresses a file, several blocks at once, into one ordinary gzip stream.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The file to compress; standard input if there is none, or for `-`.
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    /// Where the result goes, instead of standard output. It appears under this name when it is
    /// complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrites the output if it exists. Otherwise the program asks on a terminal, and elsewhere
    /// refuses.
    #[arg(short, long)]
    force: bool,
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

impl Options {
    /// A question needs a terminal at both ends, and standard input for the answer.
    fn if_exists(&self, input: &Input) -> IfExists {
        if self.force {
            IfExists::Replace
        } else if !input.is_stdin && io::stdin().is_terminal() && io::stderr().is_terminal() {
            IfExists::Ask
        } else {
            IfExists::Refuse
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let input = Input::open(options.input.as_deref())?;
    let output = Output::create(options.output.as_deref(), &input, options.if_exists(&input))?;
    let mut gzip = Gzip::begin(output, options.level)?;

    let blocks = Blocks::of(input.reader, input.name, options.block as usize * 1024);
    let in_flight = options.in_flight.map_or(8 * pool.jobs(), NonZero::get);
    stream::iter(blocks)
        .pool(&pool)
        .in_flight(in_flight)
        .map_ordered(|block| deflate::deflate(&block?, options.level))
        .try_for_each(|piece| gzip.append(&piece?))?;
    gzip.finish()
}

/// Whether the error is that the other end of a pipe is closed.
fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Its reader has seen enough, and wants no message.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "gzip-blocks: {error:#}");
            ExitCode::FAILURE
        }
    }
}
