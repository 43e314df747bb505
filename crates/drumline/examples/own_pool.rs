//! A program with `--jobs`: a pool of its own, as large as its user says, tasks
//! that are joined for their values, and an end that is waited for.
//!
//! ```sh
//! cargo run --release -p drumline --example own_pool -- --jobs 50% 27 97 871 6171
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use drumline::{Jobs, JoinHandle, Pool};

const USAGE: &str = "usage: own_pool [--jobs auto|physical|N|N%] [NUMBER…]";

struct Options {
    jobs: Jobs,
    numbers: Vec<u64>,
}

impl Options {
    fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut args = args.into_iter();
        let (mut jobs, mut numbers) = (Jobs::default(), Vec::new());
        while let Some(arg) = args.next() {
            if arg == "--help" {
                return Err(USAGE.into());
            } else if arg == "--jobs" {
                jobs = args.next().unwrap_or_default().parse()?;
            } else if let Some(text) = arg.strip_prefix("--jobs=") {
                jobs = text.parse()?;
            } else {
                let number = arg.parse().map_err(|error| format!("{arg}: {error}"))?;
                numbers.push(number);
            }
        }
        if numbers.is_empty() {
            numbers.extend([27, 97, 871, 6171]);
        }
        Ok(Options { jobs, numbers })
    }
}

/// How many steps of "halve it, or triple it and add one" lead to 1.
fn steps_to_one(mut number: u64) -> u32 {
    assert_ne!(number, 0, "0 never gets to 1");
    let mut steps = 0;
    while number != 1 {
        number = match number % 2 {
            0 => number / 2,
            _ => number.checked_mul(3).expect("the numbers get too large") + 1,
        };
        steps += 1;
    }
    steps
}

fn run() -> Result<(), Box<dyn Error>> {
    let Options { jobs, numbers } = Options::parse(std::env::args().skip(1))?;
    let pool = Pool::builder().jobs(jobs).build()?;
    // Without a reader there is nothing to print; `println!` would panic.
    let mut out = io::stdout();
    let _ = writeln!(out, "{jobs} is {} jobs here", pool.jobs());

    let tasks: Vec<(u64, JoinHandle<u32>)> = numbers
        .into_iter()
        .map(|number| (number, pool.spawn(move || steps_to_one(number))))
        .collect();
    for (number, task) in tasks {
        let _ = match task.join() {
            Ok(steps) => writeln!(out, "{number}: {steps} steps"),
            // The panic of a task arrives here, and the pool goes on.
            Err(_) => writeln!(out, "{number}: no answer"),
        };
    }

    pool.shutdown()?;
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "own_pool: {error}");
            ExitCode::FAILURE
        }
    }
}
