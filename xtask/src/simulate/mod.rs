//! `cargo xtask simulate`: a model of the pool on machines that are not at hand.
//!
//! Each file models one noun of `drumline::pool`, and says which of its rules it follows. What the
//! model takes for granted is in [`assumptions`], and is printed with each result. README.md says
//! how to read the result, and how far it can be believed.

mod assumptions;
mod barrier;
mod chunk_len;
mod clock;
mod counts;
mod deque;
mod idle;
mod lazy;
mod limits;
mod program;
mod queue;
mod rayon;
mod shared;
#[cfg(test)]
mod tests;
mod thief;
mod threads;
mod validate;
mod waiting;
mod worker;
mod world;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};

use assumptions::{Assumptions, micros, nanos};
use clock::Time;
use program::{Program, Shape};
use world::Pool;

use crate::output::print;

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct Options {
    /// Numbers of jobs.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 8, 64])]
    #[arg(value_parser = limits::jobs, allow_hyphen_values = true)]
    jobs: Vec<usize>,
    /// Programs; all of them unless set.
    #[arg(long, value_delimiter = ',')]
    workload: Vec<Workload>,
    /// How many items, instead of the workload's own number.
    #[arg(long, value_parser = limits::items, allow_negative_numbers = true)]
    items: Option<usize>,
    /// What an item costs, in microseconds.
    #[arg(long, value_parser = limits::cost, allow_negative_numbers = true)]
    cost: Option<f64>,
    /// From the call of a sleeper until it runs, in microseconds.
    #[arg(long, allow_negative_numbers = true)]
    wake_latency: Option<f64>,
    /// What a heavy barrier costs, in microseconds.
    #[arg(long, allow_negative_numbers = true)]
    barrier: Option<f64>,
    /// What it costs more for each thread that runs.
    #[arg(long, allow_negative_numbers = true)]
    barrier_per_thread: Option<f64>,
    /// Any assumption, in microseconds; can be repeated.
    #[arg(long, value_name = "NAME=MICROS")]
    set: Vec<String>,
    /// Where the random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compares predictions with what the real pool counts, on this machine.
    #[arg(long)]
    validate: bool,
}

/// A program to predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workload {
    /// One item of 60 ms for each job: how long until all work.
    Ramp,
    /// A million items of 0.1 microseconds.
    Loop,
    /// 20,000 items of 10 microseconds on average; every tenth is 91 times as long as the others.
    Uneven,
    /// A tree of joins with 20,000 leaves of 10 microseconds that divides at random.
    Join,
    /// Eight loops of 1,000 items of 0.1 microseconds for each job, 20 microseconds apart.
    ManyLoops,
}

impl Workload {
    fn program(self, jobs: usize) -> Program {
        let (shape, items, cost) = match self {
            Workload::Ramp => (Shape::Loop, jobs, 60_000.0),
            Workload::Loop => (Shape::Loop, 1_000_000, 0.1),
            Workload::Uneven => (Shape::Uneven, 20_000, 10.0),
            Workload::Join => (Shape::Join, 20_000, 10.0),
            Workload::ManyLoops => (Shape::Loop, 1_000 * jobs, 0.1),
        };
        let is_many = self == Workload::ManyLoops;
        Program {
            shape,
            items,
            cost: nanos(cost),
            sleeps: false,
            rounds: if is_many { 8 } else { 1 },
            gap: if is_many { nanos(20.0) } else { 0 },
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// What came of one simulation.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    /// From the caller's entry to its return: the mean of all rounds.
    time: Time,
    ideal: Time,
    /// When each thread first began an item, in order, since the caller's first call.
    firsts: Vec<Time>,
    counts: BTreeMap<&'static str, u64>,
    /// Each item was run once in each round.
    is_complete: bool,
    /// How many steps the model took.
    events: u64,
}

impl Outcome {
    fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }
}

/// Stack for a simulation. Each job that a thread runs while it waits is some calls deeper, for the
/// model as for the library, and the model has no limit for that.
const STACK: usize = 256 << 20;

/// Predicts what `program` does in a pool with this many jobs.
fn predict(
    pool: Pool,
    jobs: usize,
    program: &Program,
    assumptions: &Assumptions,
    seed: u64,
) -> Result<Outcome> {
    let simulate = || outcome(pool, jobs, program, assumptions, seed);
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        let thread = builder.spawn_scoped(scope, simulate)?;
        match thread.join() {
            Ok(outcome) => Ok(outcome),
            Err(payload) => resume_unwind(payload),
        }
    })
}

fn outcome(
    pool: Pool,
    jobs: usize,
    program: &Program,
    assumptions: &Assumptions,
    seed: u64,
) -> Outcome {
    let world = world::run(pool, jobs, program.clone(), assumptions, seed);
    let mut firsts: Vec<Time> = world
        .threads
        .iter()
        .filter_map(|thread| thread.first.get())
        .collect();
    firsts.sort_unstable();
    Outcome {
        time: world.progress.mean(),
        ideal: program.ideal(jobs),
        firsts: firsts
            .into_iter()
            .map(|first| first - world::CALL)
            .collect(),
        counts: world.counts.take(),
        is_complete: world.progress.is_complete(program.rounds),
        events: world.clock.events(),
    }
}

/// Predicts, or compares predictions with the real pool.
pub fn run(options: &Options) -> Result<()> {
    let output = &mut io::stdout();
    if options.validate {
        return validate::run(options, output);
    }
    tabulate(options, output)
}

/// Writes what is taken for granted, and a row for each prediction. Nothing is computed for a
/// reader that has gone.
fn tabulate(options: &Options, output: &mut impl Write) -> Result<()> {
    let assumptions = options.assumptions(Assumptions::wide())?;
    // What will be refused is refused before anything is computed.
    let programs = options.programs()?;
    let header = format!(
        "{assumptions}\n  Seed {}; without spares; the caller is a guest.\n\n\
         {:10} {:>4} {:>10} {:>10} {:>5} {:>7} {:>9} {:>8} {:>6} {:>6} {:>8} {:>7} {:>7} {:>7} \
         {:>6} {:>6}\n",
        options.seed,
        "workload",
        "jobs",
        "time µs",
        "ideal µs",
        "of it",
        "× rayon",
        "all up µs",
        "rayon µs",
        "calls",
        "marks",
        "barriers",
        "ready",
        "asked",
        "forced",
        "naps",
        "late",
    );
    if !print(output, &header)? {
        return Ok(());
    }
    for (workload, jobs, program) in programs {
        let predict = |pool| -> Result<Outcome> {
            let outcome = predict(pool, jobs, &program, &assumptions, options.seed)?;
            ensure!(
                outcome.is_complete,
                "the model has lost an item, or run one twice"
            );
            Ok(outcome)
        };
        let (outcome, rayon) = (predict(Pool::Drumline)?, predict(Pool::Rayon)?);
        if !print(output, &row(workload, jobs, &outcome, &rayon))? {
            return Ok(());
        }
    }
    Ok(())
}

/// A line of the table.
fn row(workload: Workload, jobs: usize, outcome: &Outcome, rayon: &Outcome) -> String {
    // Items that cost nothing may take no time.
    let time = outcome.time.max(1) as f64;
    let efficiency = 100.0 * outcome.ideal as f64 / time;
    let faster = rayon.time as f64 / time;
    let all_up = |outcome: &Outcome| micros(outcome.firsts.last().copied().unwrap_or(0));
    format!(
        "{:10} {jobs:>4} {:>10.0} {:>10.0} {efficiency:>4.0}% {faster:>7.2} {:>9.0} {:>8.0} {:>6} \
         {:>6} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6}\n",
        workload.name(),
        micros(outcome.time),
        micros(outcome.ideal),
        all_up(outcome),
        all_up(rayon),
        outcome.count("calls"),
        outcome.count("marks"),
        outcome.count("barriers"),
        outcome.count("ready"),
        outcome.count("asked"),
        outcome.count("forced"),
        outcome.count("naps"),
        outcome.count("late"),
    )
}

impl Options {
    /// What is to be predicted: each program with each number of jobs.
    fn programs(&self) -> Result<Vec<(Workload, usize, Program)>> {
        let workloads = match &self.workload[..] {
            [] => Workload::value_variants(),
            some => some,
        };
        let mut programs = Vec::new();
        for &workload in workloads {
            for &jobs in &self.jobs {
                let mut program = workload.program(jobs);
                program.items = self.items.unwrap_or(program.items);
                program.cost = self.cost.map_or(program.cost, nanos);
                limits::whole_work(&program)
                    .with_context(|| format!("{} with {jobs} jobs", workload.name()))?;
                programs.push((workload, jobs, program));
            }
        }
        Ok(programs)
    }

    /// The assumptions that begin with `defaults`.
    fn assumptions(&self, defaults: Assumptions) -> Result<Assumptions> {
        let mut assumptions = defaults;
        let named = [
            ("wake-latency", self.wake_latency),
            ("barrier", self.barrier),
            ("barrier-per-thread", self.barrier_per_thread),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                assumptions.set(name, value)?;
            }
        }
        for pair in &self.set {
            let Some((name, value)) = pair.split_once('=') else {
                bail!("{pair}: say NAME=MICROS");
            };
            let value = value
                .parse()
                .with_context(|| format!("{pair} has no number"))?;
            assumptions.set(name, value)?;
        }
        Ok(assumptions)
    }
}
