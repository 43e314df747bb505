//! Two actors that send each other a ball.
//!
//! ```sh
//! cargo run --release -p actors --bin ping-pong -- --balls 1000000
//! ```

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use drumline::actor::Style;
use drumline::{Jobs, Pool};

/// Plays ping-pong.
#[derive(Debug, Parser)]
struct Options {
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// How many balls are played.
    #[arg(long, default_value_t = 1_000_000)]
    balls: u64,
    /// `recursive` or `loop`.
    #[arg(long, default_value = "recursive", value_parser = actors::style)]
    style: Style,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let begun = Instant::now();
    let balls = actors::ping_pong::play(&pool, options.balls, options.style)?;
    println!("{balls} balls in {:.3} s", begun.elapsed().as_secs_f64());
    Ok(())
}
