//! Moves money between accounts that fail, and counts it.
//!
//! ```sh
//! cargo run --release -p bank-transfer -- --transfers 100000 --faults 100
//! ```

use std::io::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use bank_transfer::{BankOptions, Load, LoadReport};
use clap::Parser;
use drumline::{Jobs, Pool};

/// Bank transfers under supervision: accounts and tellers panic on purpose, and no money is lost.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// How many accounts there are.
    #[arg(short, long, default_value = "16", value_name = "ACCOUNTS")]
    accounts: NonZero<usize>,
    /// How many transfers there are.
    #[arg(short, long, default_value_t = 10_000, value_name = "TRANSFERS")]
    transfers: u64,
    /// One chance in this many is a panic; 0: none is. A transfer has seven chances.
    #[arg(short, long, default_value_t = 100, value_name = "CHANCES")]
    faults: u64,
    /// Where transfers and panics come from.
    #[arg(short, long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// The account with a torn journal.
    #[arg(long, value_name = "ACCOUNT")]
    corrupt: Option<usize>,
    /// How many tellers there are, and clients.
    #[arg(long, default_value = "8", value_name = "TELLERS")]
    tellers: NonZero<usize>,
    /// After this many restarts of tellers, all of them begin anew.
    #[arg(long, default_value_t = 100, value_name = "RESTARTS")]
    teller_restarts: usize,
    /// How many threads run the actors: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
}

fn run(options: &Options) -> Result<()> {
    let accounts = options.accounts.get();
    if let Some(corrupt) = options.corrupt {
        ensure!(
            corrupt < accounts,
            "--corrupt: there is no account {corrupt}"
        );
    }
    ensure!(
        options.faults != 1,
        "--faults: if each chance is a panic, no transfer ends"
    );
    let pool = Pool::builder()
        .jobs(options.jobs)
        .panic_handler(|_| {})
        .build()
        .context("cannot start the threads")?;
    let load = Load {
        accounts: options.accounts,
        balance: 1_000,
        transfers: options.transfers,
        faults: NonZero::new(options.faults),
        seed: options.seed,
        corrupt: options.corrupt,
        bank: BankOptions {
            tellers: options.tellers,
            teller_restarts: options.teller_restarts,
        },
    };
    let report = load.run(&pool);
    print(&report).context("cannot write to standard output")?;
    if let Err(error) = &report.audit {
        anyhow::bail!("{error}");
    }
    ensure!(report.before == report.after, "money was made or lost");
    ensure!(
        report.abandoned.is_empty(),
        "actors have not ended: {:?}",
        report.abandoned
    );
    Ok(())
}

fn print(report: &LoadReport) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (all, done) = (report.outcomes.len(), report.done());
    let seconds = report.time.as_secs_f64();
    writeln!(
        out,
        "{done} transfers done, {} refused; {seconds:.2} s, {:.0} per second",
        all - done,
        all as f64 / seconds
    )?;
    writeln!(
        out,
        "{} panics on purpose, {} reported, {} restarts",
        report.hits, report.failures, report.restarts
    )?;
    for (number, balance) in report.balances.iter().enumerate() {
        if balance.is_none() {
            writeln!(out, "account {number} is closed")?;
        }
    }
    writeln!(
        out,
        "the sum before: {}, after: {}",
        report.before, report.after
    )?;
    if report.abandoned.is_empty() {
        writeln!(out, "all actors have ended")?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "bank-transfer: {error:#}");
            ExitCode::FAILURE
        }
    }
}
