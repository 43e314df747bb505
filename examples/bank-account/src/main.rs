//! Runs a random load on a bank, and checks the sum.
//!
//! ```sh
//! cargo run --release -p bank-account -- --accounts 16 --clients 8 --requests 100000
//! ```

use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Error, Result, ensure};
use bank_account::load::{Tally, visit};
use bank_account::{Amount, Bank, Books, Client, Refusal};
use clap::{Parser, ValueEnum};
use drumline::channel::CloseReason;
use drumline::{Jobs, Pool, block_on};
use fastrand::Rng;

/// The exit status that a shell reports for a program which `SIGPIPE` has ended.
const BROKEN_PIPE: u8 = 128 + 13;

/// Each client has a lane to each account. This number of them takes 0.8 GB.
const MOST_LANES: usize = 1_000_000;

/// A bank without locks: clients move money between accounts at random, and the sum stays right.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// How many accounts the bank has.
    #[arg(short, long, default_value = "16", value_name = "ACCOUNTS")]
    accounts: NonZero<usize>,
    /// How many clients come at the same time.
    #[arg(short, long, default_value = "8", value_name = "CLIENTS")]
    clients: NonZero<usize>,
    /// How many requests each client makes.
    #[arg(short, long, default_value_t = 10_000, value_name = "REQUESTS")]
    requests: u64,
    /// What each account has at the beginning.
    #[arg(short, long, default_value_t = 1_000, value_name = "AMOUNT")]
    balance: Amount,
    /// What a client is.
    #[arg(long, default_value = "tasks", value_name = "KIND")]
    clients_are: ClientKind,
    /// How many threads run the tasks: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
    /// Where the random numbers begin. Otherwise each run has others.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClientKind {
    /// A task in the pool of the bank.
    Tasks,
    /// A thread of its own.
    Threads,
}

/// A client on its way.
enum Visit {
    Task(drumline::JoinHandle<Result<Tally, Refusal>>),
    Thread(thread::JoinHandle<Result<Tally, Refusal>>),
}

impl Visit {
    fn begin(options: &Options, pool: &Pool, mut client: Client, random: Rng) -> Result<Self> {
        let (accounts, requests) = (options.accounts, options.requests);
        let visit = async move {
            let tally = visit(&mut client, accounts, requests, random).await?;
            client.finish();
            Ok(tally)
        };
        Ok(match options.clients_are {
            ClientKind::Tasks => Visit::Task(pool.spawn_future(visit)),
            ClientKind::Threads => Visit::Thread(
                thread::Builder::new()
                    .spawn(|| block_on(visit))
                    .context("cannot start a thread for a client")?,
            ),
        })
    }

    fn join(self) -> Result<Tally> {
        Ok(match self {
            Visit::Task(task) => task.join()??,
            Visit::Thread(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
        })
    }
}

fn run(options: &Options) -> Result<()> {
    let (accounts, clients) = (options.accounts.get(), options.clients.get());
    ensure!(
        accounts
            .checked_mul(clients)
            .is_some_and(|lanes| lanes <= MOST_LANES),
        "{clients} clients with a lane to each of {accounts} accounts are too many; \
         there is memory for {MOST_LANES} lanes"
    );
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let mut random = options.seed.map_or_else(Rng::new, Rng::with_seed);

    let start = Instant::now();
    let mut bank = Bank::open(&pool, std::iter::repeat_n(options.balance, accounts));
    let visits = (0..clients)
        .map(|_| Visit::begin(options, &pool, bank.client(), random.fork()))
        .collect::<Result<Vec<_>>>()?;
    let mut tally = Tally::default();
    for visit in visits {
        tally += visit.join()?;
    }
    let books = bank.finish()?;
    let seconds = start.elapsed().as_secs_f64();

    check(&books, &tally, options)?;
    let requests = tally.granted + tally.refused;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{requests} requests in {seconds:.2} s, {:.0} per second; {} refused\n\
         the sum is right: {} + {} deposited - {} withdrawn = {}",
        requests as f64 / seconds,
        tally.refused,
        books.sum(|statement| statement.opened_with.into()),
        tally.deposited,
        tally.withdrawn,
        books.balance(),
    )
    .context("cannot write to standard output")
}

/// Compares what the clients were told with what the accounts have.
fn check(books: &Books, tally: &Tally, options: &Options) -> Result<()> {
    ensure!(books.are_balanced(), "the books are wrong: {books:?}");
    let opened_with = books.sum(|statement| statement.opened_with.into());
    ensure!(
        books.balance() + tally.withdrawn == opened_with + tally.deposited,
        "the accounts have {}; the clients have made of {opened_with}: {tally:?}",
        books.balance(),
    );
    ensure!(
        books.clients.get(&CloseReason::Finished) == Some(&options.clients.get()),
        "not all clients have finished: {:?}",
        books.clients
    );
    Ok(())
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
            let _ = writeln!(io::stderr(), "bank-account: {error:#}");
            ExitCode::FAILURE
        }
    }
}
