//! Copies a file by a transfer from a server to a client, in one process.
//!
//! ```sh
//! cargo run --release -p file-transfer -- SOURCE DESTINATION --stop-after 3
//! cargo run --release -p file-transfer -- SOURCE DESTINATION
//! ```

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use anyhow::{Context, Error, Result, ensure};
use clap::Parser;
use drumline::{Jobs, Pool};
use file_transfer::{Download, Server, Settings, partial_path};

/// The exit status that a shell reports for a program which `SIGPIPE` has ended.
const BROKEN_PIPE: u8 = 128 + 13;

/// The exit status after `--stop-after`.
const STOPPED: i32 = 3;

/// Transfers a file in chunks. A transfer that was stopped goes on where it was.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The file to send.
    source: PathBuf,
    /// Where it goes. It appears under this name when it is complete; until then it is in
    /// `DESTINATION.partial`.
    destination: PathBuf,
    /// How many KiB are sent, written and acknowledged at once.
    #[arg(short, long, default_value_t = 64, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    chunk: u32,
    /// How many chunks may be on their way. Beyond that the server waits for the client.
    #[arg(short, long, default_value = "8", value_name = "CHUNKS")]
    window: NonZero<usize>,
    /// How many threads the server has: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "1", value_name = "JOBS")]
    jobs: Jobs,
    /// Overwrites the destination if it exists.
    #[arg(short, long)]
    force: bool,
    /// Throws away what an earlier transfer has left, and begins at the beginning.
    #[arg(long)]
    restart: bool,
    /// Ends the process after this number of chunks, as if it had been killed.
    #[arg(long, value_name = "CHUNKS")]
    stop_after: Option<u64>,
}

impl Options {
    fn settings(&self) -> Settings {
        Settings {
            chunk_len: NonZero::new(self.chunk as usize * 1024).expect("the range begins at 1"),
            window: self.window,
            replaces: self.force,
            restarts: self.restart,
            ..Settings::new(&self.source, &self.destination)
        }
    }
}

/// Fails if the transfer would write to its source.
fn differ(source: &Path, destination: &Path) -> Result<()> {
    for output in [destination, &partial_path(destination)] {
        let is_source = match (fs::canonicalize(source), fs::canonicalize(output)) {
            (Ok(source), Ok(output)) => source == output,
            // What does not exist is not the source; and the server tells what is wrong with that.
            _ => false,
        };
        ensure!(
            !is_source,
            "{} is the source; the transfer would write to it",
            output.display()
        );
    }
    Ok(())
}

fn run(options: &Options) -> Result<()> {
    differ(&options.source, &options.destination)?;
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let server = Server::start(&pool);
    let mut download = Download::begin(&mut server.connect(), &options.settings())?;
    if let Some(chunks) = options.stop_after {
        let mut received = 0;
        while received < chunks && download.next_chunk()? {
            received += 1;
        }
        let _ = writeln!(io::stderr(), "stopped at offset {}", download.offset());
        process::exit(STOPPED);
    }
    let received = download.finish()?;
    writeln!(io::stdout(), "{received}").context("cannot write to standard output")
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
            let _ = writeln!(io::stderr(), "file-transfer: {error:#}");
            ExitCode::FAILURE
        }
    }
}
