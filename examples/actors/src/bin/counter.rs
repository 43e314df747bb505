//! A counter that many threads share without a lock.
//!
//! ```sh
//! cargo run --release -p actors --bin counter -- --threads 8 --times 100000
//! ```

use anyhow::Result;
use clap::Parser;
use drumline::{Jobs, Pool};

/// Has threads add to a counter that is an actor.
#[derive(Debug, Parser)]
struct Options {
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// How many threads add.
    #[arg(long, default_value_t = 4)]
    threads: u64,
    /// How often each of them adds 1.
    #[arg(long, default_value_t = 100_000)]
    times: u64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let count = actors::counter::count(&pool, options.threads, options.times)?;
    println!("{count}");
    Ok(())
}
