//! Copies a file by a session of a server with a client.
//!
//! ```sh
//! cargo run --release -p sessions --bin transfer -- SOURCE DESTINATION --window 8
//! ```

use std::fs::File;
use std::io::BufWriter;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use drumline::{Jobs, Pool};
use sessions::transfer::{Source, file, receive, send};

/// Transfers a file in chunks.
#[derive(Debug, Parser)]
struct Options {
    /// The file to send.
    source: String,
    /// Where it goes. There must be no such file yet.
    destination: PathBuf,
    /// How many KiB are sent at once.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    chunk: u32,
    /// How many chunks may be on their way.
    #[arg(long, default_value = "8")]
    window: NonZero<usize>,
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let chunk_len = options.chunk as usize * 1024;
    let begun = Instant::now();
    let (client, server) = file::bounded(options.window.get());
    let server = pool.spawn(move || send(server, chunk_len, Source::open));
    let output = File::create_new(&options.destination)
        .with_context(|| format!("cannot create {}", options.destination.display()))?;
    let received = receive(client, &options.source, &mut BufWriter::new(output));
    // What went wrong at the server says more.
    server.join()??;
    let time = begun.elapsed().as_secs_f64();
    println!("{} bytes in {time:.3} s", received?);
    Ok(())
}
