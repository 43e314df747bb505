//! Customers that move money at random, and one clerk.
//!
//! ```sh
//! cargo run --release -p sessions --bin bank -- --customers 8 --requests 100000
//! ```

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use drumline::{Jobs, Pool};
use sessions::bank::{Amount, Transfer, account, leave, serve, transfer};

/// Moves money between accounts at random, and checks the sum.
#[derive(Debug, Parser)]
struct Options {
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// How many customers come at the same time.
    #[arg(long, default_value_t = 8)]
    customers: usize,
    /// How many accounts there are.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(2..))]
    accounts: u32,
    /// How many requests each customer makes.
    #[arg(long, default_value_t = 10_000)]
    requests: u64,
}

/// What each account has at the beginning.
const BALANCE: Amount = 1_000;

fn main() -> Result<()> {
    let options = Options::parse();
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let accounts = u64::from(options.accounts);
    let begun = Instant::now();
    let (starts, clerks): (Vec<_>, Vec<_>) =
        (0..options.customers).map(|_| account::unbounded()).unzip();
    let clerk = pool.spawn(move || serve(vec![BALANCE; accounts as usize], clerks));
    let customers: Vec<_> = (1..)
        .zip(starts)
        .map(|(seed, mut start)| {
            pool.spawn(move || {
                let mut random: u64 = seed;
                for _ in 0..options.requests {
                    // Knuth's generator; its upper bits are the good ones.
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    let number = random >> 33;
                    let request = Transfer {
                        from: (number % accounts) as usize,
                        to: (number / accounts % accounts) as usize,
                        amount: number % 100,
                    };
                    start = transfer(start, request)?.1;
                }
                leave(start)
            })
        })
        .collect();
    for customer in customers {
        customer.join()?.context("the clerk has gone home")?;
    }
    let books = clerk.join()?;
    let time = begun.elapsed().as_secs_f64();
    println!(
        "{} transfers and {} refusals in {time:.3} s",
        books.granted, books.refused
    );
    let sum: Amount = books.balances.iter().sum();
    ensure!(sum == BALANCE * accounts, "the sum is {sum}");
    Ok(())
}
