//! A ring of actors round which a token goes.
//!
//! ```sh
//! cargo run --release -p actors --bin ring -- --actors 10000 --hops 1000000 --style loop
//! ```

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use drumline::actor::Style;
use drumline::{Jobs, Pool};

/// Sends a token round a ring of actors.
#[derive(Debug, Parser)]
struct Options {
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// How many actors the ring has.
    #[arg(long, default_value_t = 10_000)]
    actors: usize,
    /// How often the token is passed on.
    #[arg(long, default_value_t = 1_000_000)]
    hops: u64,
    /// `recursive` or `loop`.
    #[arg(long, default_value = "recursive", value_parser = actors::style)]
    style: Style,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let begun = Instant::now();
    let hops = actors::ring::send_round(&pool, options.actors, options.hops, options.style)?;
    println!("{hops} hops in {:.3} s", begun.elapsed().as_secs_f64());
    Ok(())
}
