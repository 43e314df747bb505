//! The sum of numbers by the first version of a protocol, or their mean by the second one.
//!
//! ```sh
//! cargo run --release -p sessions --bin calculator -- --version-spoken 1 3 4 8
//! cargo run --release -p sessions --bin calculator -- --version-spoken 2 3 4 8
//! ```

use anyhow::Result;
use clap::Parser;
use drumline::{Jobs, Pool};
use sessions::calculator::{connect_one, connect_two, greeting, mean, serve, sum};

/// Asks a server of both versions.
#[derive(Debug, Parser)]
struct Options {
    /// Which version the client speaks: 1 has sums, and 2 has quotients, too.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    version_spoken: u8,
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// The numbers.
    #[arg(allow_negative_numbers = true)]
    numbers: Vec<i64>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let (hello, server) = greeting::unbounded();
    let server = pool.spawn(|| serve(server));
    if options.version_spoken == 1 {
        let sum = sum(connect_one(hello)?, options.numbers)?;
        println!("the sum is {sum}");
    } else {
        match mean(connect_two(hello)?, options.numbers)? {
            Some(mean) => println!("the mean is {mean}"),
            None => println!("there are no numbers"),
        }
    }
    server.join()??;
    Ok(())
}
